// A contact is written by one task at a time: each writes the whole row, and what it read before another one's change
// would undo that.

/// Those contacts that are being written, and who waits to do so next. Belongs to one actor.
final class ContactTurns {
    private var waiting: [ContactID: [CheckedContinuation<Void, Never>]] = [:]

    /// Waits until nobody else has the turn with this contact.
    func take(_ contact: ContactID) async {
        guard waiting[contact] != nil else {
            waiting[contact] = []
            return
        }
        await withCheckedContinuation { waiting[contact, default: []].append($0) }
    }

    func give(_ contact: ContactID) {
        guard let queue = waiting[contact], !queue.isEmpty else {
            waiting[contact] = nil
            return
        }
        waiting[contact]?.removeFirst().resume()
    }
}
