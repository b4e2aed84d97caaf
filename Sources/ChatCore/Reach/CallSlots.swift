// How many calls are being made at once, over all contacts (REACH 4).

/// Belongs to one actor.
final class CallSlots {
    static let most = 16

    private var taken = 0
    /// Those who want to hear when a place becomes free.
    let watchers = Watchers()

    var free: Int { max(0, Self.most - taken) }

    func take() { taken += 1 }

    func giveBack() {
        taken = max(0, taken - 1)
        watchers.tell()
    }
}
