// How many calls are being made at once, over all contacts (REACH 4).

/// Belongs to one actor.
final class CallSlots {
    static let most = 16

    private var taken = 0
    private var watchers: [Int: () -> Void] = [:]
    private var lastWatcher = 0

    var free: Int { max(0, Self.most - taken) }

    func take() { taken += 1 }

    func giveBack() {
        taken = max(0, taken - 1)
        for wake in watchers.values { wake() }
    }

    /// Calls `wake` whenever a place becomes free, until `stopWatching`.
    func watch(_ wake: @escaping () -> Void) -> Int {
        lastWatcher += 1
        watchers[lastWatcher] = wake
        return lastWatcher
    }

    func stopWatching(_ watcher: Int) { watchers[watcher] = nil }
}
