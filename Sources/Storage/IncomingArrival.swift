// Enters one peer's operations into the history in their order: holds back what has overtaken, keeps places for what is
// missing, fills them in when it comes (RELIABILITY D5). Works inside of a transaction of HistoryDatabase+Receiving.

internal import ChatCore

/// The arrival of operations from one contact, within one transaction.
struct IncomingArrival {
    private let contact: ContactID
    private let connection: SQLiteConnection
    private var order: SequenceOrder
    /// How often the sender has begun to count anew.
    private var numbering: Int64
    private var changes: [HistoryChange] = []

    private var contactValue: SQLiteValue { .integer(contact.rawValue) }

    init(from contact: ContactID, in connection: SQLiteConnection) throws(StoreError) {
        self.contact = contact
        self.connection = connection
        let stored = try connection.first(
            "SELECT expected_sequence, numbering FROM conversations WHERE contact = ?", [.integer(contact.rawValue)]
        ) { row in (row.integer(0), row.integer(1)) }
        guard let stored else { throw .notFound }
        order = SequenceOrder(expected: stored.0)
        numbering = stored.1
    }

    /// Stores a new operation.
    mutating func append(_ message: IncomingMessage) throws(StoreError) -> AppendOutcome {
        var message = message
        if message.sequence == IncomingMessage.unnumbered { message.sequence = order.expected }
        let gap = try gap(of: message.sequence)
        switch order.place(of: message.sequence, isMissing: gap != nil) {
        case .next:
            try enter(message)
            try enterHeld()
        case .ahead:
            try connection.hold(message)
            return .held
        case .missing:
            guard let gap else { return .stored([]) }
            try fill(gap, with: message)
            return .stored(changes)
        case .anew:
            // Messages that are held back belong to the old numbers.
            try enterAllHeld()
            numbering += 1
            try connection.run("DELETE FROM gaps WHERE contact = ?", contactValue)
            order.begunAnew(at: message.sequence)
            try enter(message)
        }
        try save()
        return .stored(changes)
    }

    /// Abandons the missing numbers; writes nothing when nothing is held back.
    mutating func release() throws(StoreError) -> [HistoryChange] {
        guard try connection.isHolding(from: contact) else { return [] }
        try enterAllHeld()
        try save()
        return changes
    }

    private func save() throws(StoreError) {
        try connection.run(
            "UPDATE conversations SET expected_sequence = ?, numbering = ? WHERE contact = ?",
            .integer(order.expected), .integer(numbering), contactValue)
    }

    // MARK: In order

    private mutating func enter(_ message: IncomingMessage) throws(StoreError) {
        try insert(message, at: nil)
        order.entered(message.sequence)
    }

    /// Enters the messages that were held back and are next by now.
    private mutating func enterHeld() throws(StoreError) {
        while let message = try connection.takeHeld(from: contact, upTo: order.expected) { try enter(message) }
    }

    private mutating func enterAllHeld() throws(StoreError) {
        while let message = try connection.takeHeld(from: contact, upTo: .max) {
            if message.sequence > order.expected { try keepPlaces(upTo: message.sequence) }
            try enter(message)
        }
    }

    /// Stores an operation for good. A message without a `position` gets the next one.
    private mutating func insert(_ message: IncomingMessage, at position: Int64?) throws(StoreError) {
        guard case .operation(let action, let target) = message.content else {
            return changes.append(.added(try connection.insertIncoming(message, at: position)))
        }
        let operation = ChatOperation(
            id: message.id, contact: contact, direction: .incoming, sequence: message.sequence, sent: message.sent,
            stored: message.received, state: .delivered, target: target, action: action)
        _ = try connection.insertOperation(operation, numbering: numbering)
        guard let known = try connection.target(of: action, on: target, by: .incoming, in: contact) else { return }
        changes.append(.changed(try connection.applyOperations(to: known)))
    }

    // MARK: Gaps

    private struct Gap {
        var first: Int64
        var last: Int64
        /// Kept for `first`; the others follow.
        var position: Int64
        var marker: Int64?
    }

    private func gap(of sequence: Int64) throws(StoreError) -> Gap? {
        // Gaps do not overlap: only the one that begins last can hold it. There may be very many, and each message asks.
        let gap = try connection.first(
            "SELECT first, last, position, marker FROM gaps WHERE contact = ? AND first <= ? ORDER BY first DESC LIMIT 1",
            [contactValue, .integer(sequence)]
        ) { row in
            Gap(
                first: row.integer(0), last: row.integer(1), position: row.integer(2), marker: row.optionalInteger(3))
        }
        return gap.flatMap { $0.last >= sequence ? $0 : nil }
    }

    private func keep(_ gap: Gap) throws(StoreError) {
        guard gap.first <= gap.last else { return }
        try connection.run(
            "INSERT INTO gaps(contact, first, last, position, marker) VALUES (?, ?, ?, ?, ?)", contactValue,
            .integer(gap.first), .integer(gap.last), .integer(gap.position), .optionalInteger(gap.marker))
    }

    /// Abandons the numbers before `sequence`. Their positions stay free, so that a late one gets its place.
    private mutating func keepPlaces(upTo sequence: Int64) throws(StoreError) {
        let position = try connection.reservePositions(sequence - order.expected)
        // Before the first message of a conversation nothing is known to be missing.
        let marker: Int64? = order.expected == 1 ? 0 : nil
        try keep(Gap(first: order.expected, last: sequence - 1, position: position, marker: marker))
        order.expected = sequence
    }

    /// Puts a late operation into the place that was kept for it.
    private mutating func fill(_ gap: Gap, with message: IncomingMessage) throws(StoreError) {
        try connection.run("DELETE FROM gaps WHERE contact = ? AND first = ?", contactValue, .integer(gap.first))
        let offset = message.sequence - gap.first
        let position = gap.position + offset
        var before = Gap(first: gap.first, last: message.sequence - 1, position: gap.position, marker: gap.marker)
        let after = Gap(first: message.sequence + 1, last: gap.last, position: position + 1, marker: gap.marker)
        var isMessage = true
        if case .operation = message.content { isMessage = false }
        // The late message now shows what is missing before itself.
        if isMessage, let marker = gap.marker, marker > 0 { before.marker = position }
        // A repaired or imported history may have used the place: then the message goes to the end.
        try insert(message, at: try connection.isFree(position) ? position : nil)
        try keep(before)
        try keep(after)
        guard let marker = gap.marker, marker > 0 else { return }
        let left = isMessage ? offset : 0
        if left > 0 {
            try connection.setMissing(left, before: position)
            if let index = changes.firstIndex(where: { $0.message.position.rawValue == position }),
                let shown = try connection.message(at: position)
            {
                changes[index] = .added(shown)
            }
        }
        try connection.run(
            "UPDATE messages SET missing_before = max(0, missing_before - ?) WHERE position = ?",
            .integer(left + 1), .integer(marker))
        if let shown = try connection.message(at: marker) { changes.append(.changed(shown)) }
    }
}

extension SQLiteConnection {
    /// Takes the next `count` positions, and returns the first of them.
    func reservePositions(_ count: Int64) throws(StoreError) -> Int64 {
        let last =
            try first("SELECT seq FROM sqlite_sequence WHERE name = 'messages'") { row in row.integer(0) } ?? 0
        let (end, overflow) = last.addingReportingOverflow(count)
        guard !overflow else { throw MessageRow.damaged("the number of a message that is held back") }
        try run("UPDATE sqlite_sequence SET seq = ? WHERE name = 'messages'", .integer(end))
        if changedRows == 0 {
            try run("INSERT INTO sqlite_sequence(name, seq) VALUES ('messages', ?)", .integer(end))
        }
        return last + 1
    }

    fileprivate func isFree(_ position: Int64) throws(StoreError) -> Bool {
        try first("SELECT 1 FROM messages WHERE position = ?", [.integer(position)]) { _ in true } == nil
    }

    fileprivate func setMissing(_ count: Int64, before position: Int64) throws(StoreError) {
        try run("UPDATE messages SET missing_before = ? WHERE position = ?", .integer(count), .integer(position))
    }

    fileprivate func insertIncoming(_ message: IncomingMessage, at place: Int64?) throws(StoreError) -> ChatMessage {
        let text: String? = if case .text(let text) = message.content { text } else { nil }
        try run(
            """
            INSERT INTO messages(position, contact, outgoing, id, sequence, sent, stored, state, reply_to, text, sender)
            VALUES (?, ?, 0, ?, ?, ?, ?, 3, ?, ?, ?)
            """,
            .optionalInteger(place), .integer(message.contact.rawValue), .text(message.id.text),
            .integer(message.sequence), .integer(message.sent.milliseconds), .integer(message.received.milliseconds),
            .optionalText(message.replyTo?.text), .optionalText(text), .optionalText(message.sender))
        let position = lastInsertedRow
        if case .file(let name, let size, let modified, let contentType, let caption, let place) = message.content {
            guard let size = Int64(exactly: size) else {
                throw .failed(code: 18, reason: "a file of \(size) bytes is too large")
            }
            try insertTransfer(
                message.id, position: position, contact: message.contact, direction: .incoming, name: name, size: size,
                modified: modified, contentType: contentType, caption: caption, place: place, path: nil,
                at: message.received)
        }
        // A late one comes before what the user has seen: the mark stays where it is.
        try run(
            """
            UPDATE conversations SET last_message = max(coalesce(last_message, 0), ?1), message_count = message_count + 1,
                unread = unread + (?1 > seen)
            WHERE contact = ?2
            """,
            .integer(position), .integer(message.contact.rawValue))
        if place == nil { try showGaps(of: message.contact, at: position) }
        guard let stored = try self.message(at: position) else { throw .notFound }
        try SearchIndex.addLater(stored.position.rawValue, in: self)
        return try hasOperations(on: stored) ? applyOperations(to: stored) : stored
    }

    /// Missing messages that were abandoned before this one and are shown nowhere are shown here.
    private func showGaps(of contact: ContactID, at position: Int64) throws(StoreError) {
        let missing =
            try first(
                "SELECT sum(last - first + 1) FROM gaps WHERE contact = ? AND marker IS NULL",
                [.integer(contact.rawValue)]
            ) { row in row.integer(0) } ?? 0
        guard missing > 0 else { return }
        try setMissing(missing, before: position)
        try run(
            "UPDATE gaps SET marker = ? WHERE contact = ? AND marker IS NULL", .integer(position),
            .integer(contact.rawValue))
    }
}
