// The digests that contacts ask for: one at a time for each, and only as long as somebody waits for them.

/// The lines of all contacts.
struct DigestLines {
    private var lines: [ContactID: DigestLine] = [:]
    /// How many of one contact may wait or be computed.
    private let most: Int

    init(most: Int) { self.most = most }

    /// Nobody waits for a digest.
    var isEmpty: Bool { lines.isEmpty }

    /// How many digests of one contact wait or are being computed.
    func count(of contact: ContactID) -> Int { lines[contact]?.count ?? 0 }

    /// Whether a contact waits for a digest of this file: it is in use, though nothing of it is being sent.
    func holds(_ file: MessageID, of contact: ContactID) -> Bool { lines[contact]?.holds(file) == true }

    /// Takes a place; `nil` when more of them wait than transfers need.
    mutating func enter(
        _ file: MessageID, of contact: ContactID, on link: LinkNumber
    ) -> (DigestLine.Ticket, after: Task<Void, Never>?)? {
        guard count(of: contact) < most else { return nil }
        return lines[contact, default: DigestLine()].enter(file, on: link)
    }

    /// The task that waits at a place and then computes.
    mutating func begin(_ ticket: DigestLine.Ticket, of contact: ContactID, _ task: Task<Void, Never>) {
        lines[contact]?.begin(ticket, task)
    }

    mutating func leave(_ ticket: DigestLine.Ticket, of contact: ContactID) {
        lines[contact]?.leave(ticket)
        if count(of: contact) == 0 { lines[contact] = nil }
    }

    /// The link has ended: nobody waits for its answers any more.
    func cancel(on link: LinkNumber) {
        for line in lines.values { line.cancel(on: link) }
    }
}

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
