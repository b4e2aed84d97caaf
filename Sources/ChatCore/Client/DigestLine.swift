// The digests that contacts ask for: one at a time for each, and only as long as somebody waits for them.

/// Those of one contact, in the order in which the contact asked for them. `ChatClient` computes them.
struct DigestLine {
    private struct Entry {
        let file: MessageID
        let link: LinkNumber
        var task: Task<Void, Never>?
    }

    /// A place in the line.
    struct Ticket: Hashable {
        fileprivate let number: Int
    }

    private var entries: [Ticket: Entry] = [:]
    private var nextNumber = 0
    /// The task of the last one that came, also when it has left the line.
    private var last: Task<Void, Never>?

    /// How many wait, or are being computed.
    var count: Int { entries.count }

    /// Whether somebody waits for a digest of `file`.
    func holds(_ file: MessageID) -> Bool { entries.values.contains { $0.file == file } }

    /// Takes a place; returns it with the task that must end before its digest begins.
    mutating func enter(_ file: MessageID, on link: LinkNumber) -> (Ticket, after: Task<Void, Never>?) {
        let ticket = Ticket(number: nextNumber)
        nextNumber += 1
        entries[ticket] = Entry(file: file, link: link)
        return (ticket, last)
    }

    /// The task that waits at a place and then computes.
    mutating func begin(_ ticket: Ticket, _ task: Task<Void, Never>) {
        entries[ticket]?.task = task
        last = task
    }

    mutating func leave(_ ticket: Ticket) {
        entries[ticket] = nil
        if entries.isEmpty { last = nil }
    }

    /// The link has ended: nobody waits for its answers any more.
    func cancel(on link: LinkNumber) {
        for entry in entries.values where entry.link == link { entry.task?.cancel() }
    }
}
