// Messages that come from an export or a generator instead of a person or a peer: many at a time, each once.

package import ChatCore
internal import Synchronization

/// One message to be taken over. Its position and a file's number are made anew; its text is the one it was entered with.
package struct ImportedMessage: Sendable {
    package var contact: ContactID
    package var direction: MessageDirection
    package var id: MessageID
    package var sequence: Int64
    package var sent: Timestamp
    package var stored: Timestamp
    /// A message that is `pending` or `sent` becomes `failed`: an import sends nothing. `.read` of an incoming message
    /// means that our user has seen it.
    package var state: DeliveryState
    package var replyTo: MessageID?
    /// Of a file everything but the number counts.
    package var content: ChatMessage.Content
    /// When our user has pinned it.
    package var pinned: Timestamp?
    /// As `ChatMessage.sender`.
    package var sender: String?

    package init(
        contact: ContactID, direction: MessageDirection, id: MessageID, sequence: Int64, sent: Timestamp,
        stored: Timestamp, state: DeliveryState, replyTo: MessageID? = nil, content: ChatMessage.Content,
        pinned: Timestamp? = nil
    ) {
        self.contact = contact
        self.direction = direction
        self.id = id
        self.sequence = sequence
        self.sent = sent
        self.stored = stored
        self.state = state
        self.replyTo = replyTo
        self.content = content
        self.pinned = pinned
    }
}

/// Takes messages over, in their order, in transactions of some thousand. Messages stored already are left as they are.
///
/// In an empty history they get the first positions. In another one they come before everything that is there, at
/// negative positions: what was said before is not put after what was said since. The positions are taken at the
/// beginning: neither messages that arrive meanwhile nor other imports get them. An import that was cut off is written
/// down: when it is done again it continues at its next position, not before or after what it has taken over already.
package struct HistoryImport: Sendable {
    private let database: HistoryDatabase
    private let count: Int64
    private var nextPosition: Int64
    /// After the last position that is ours.
    private var endPosition: Int64
    /// The name of the source, for the mark.
    private let source: String
    private var contacts: Set<ContactID> = []
    /// It is written down how far it is. One import at a time is.
    private let isMarked: Bool
    /// Messages that were not there before.
    package private(set) var addedMessages = 0
    package private(set) var addedOperations = 0

    package static let batch = 5_000

    /// `count`: how many messages are to come at most. `source`: names what is imported, the same whenever the same is
    /// (a digest without blanks); `nil`: when it is cut off, nobody continues it.
    package init(into database: HistoryDatabase, count: Int, of source: String? = nil) async throws(StoreError) {
        self.database = database
        self.source = source ?? ""
        let count = Int64(max(count, 0))
        self.count = count
        let isMarked =
            source != nil
            && database.isImporting.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged
        self.isMarked = isMarked
        do throws(StoreError) {
            (nextPosition, endPosition) = try await database.writer.write { connection throws(StoreError) in
                // For this connection and for as long as it lives: an import touches all of the indexes.
                try connection.executeScript("PRAGMA cache_size = -65536")
                if isMarked, let mark = try ImportMark(in: connection), mark.source == source {
                    // Its positions stay its own, although there may be nothing at them yet.
                    database.importFloor.withLock { $0 = min($0, mark.next) }
                    return (mark.next, mark.end)
                }
                let first = try connection.firstPosition(ofImport: count, in: database)
                if isMarked, let source {
                    try ImportMark(source: source, next: first, end: first + count).write(to: connection)
                }
                return (first, first + count)
            }
        } catch {
            if isMarked { database.isImporting.store(false, ordering: .relaxed) }
            throw error
        }
    }

    /// Takes over one batch.
    package mutating func add(_ messages: [ImportedMessage]) async throws(StoreError) {
        let (first, count, isMarked) = (nextPosition, count, isMarked)
        let (known, source, database) = (endPosition, source, database)
        let (added, next, end) = try await database.writer.write { connection throws(StoreError) in
            var (position, end, added) = (first, known, 0)
            var start = position
            for message in messages {
                if position == end {
                    // More of it is new than when it was begun: somebody has deleted what it had added.
                    try SearchIndex.add(start..<position, in: connection)
                    position = try connection.firstPosition(ofImport: count, in: database)
                    (start, end) = (position, position + count)
                }
                guard try connection.takeOver(message, at: position) else { continue }
                position += 1
                added += 1
            }
            try SearchIndex.add(start..<position, in: connection)
            if isMarked { try ImportMark(source: source, next: position, end: end).write(to: connection) }
            return (added, position, end)
        }
        contacts.formUnion(messages.map(\.contact))
        (nextPosition, endPosition) = (next, end)
        addedMessages += added
    }

    /// Takes over edits, retractions and reactions, and makes their messages what they say.
    package mutating func add(_ operations: [ChatOperation]) async throws(StoreError) {
        let added = try await database.writer.write { connection throws(StoreError) in
            var added = 0
            for operation in operations where try connection.takeOver(operation) { added += 1 }
            return added
        }
        contacts.formUnion(operations.map(\.contact))
        addedOperations += added
    }

    /// Brings the figures of the conversations up to date. `isComplete`: nothing of it is missing.
    package mutating func finish(isComplete: Bool = true) async throws(StoreError) {
        let (contacts, isMarked) = (contacts.sorted(), isMarked)
        defer { if isMarked { database.isImporting.store(false, ordering: .relaxed) } }
        try await database.writer.write { connection throws(StoreError) in
            try connection.settle(contacts)
            if isMarked, isComplete { try ImportMark.remove(from: connection) }
        }
        try await database.writer.perform { connection throws(StoreError) in
            try connection.executeScript(HistoryDatabase.usualCache)
        }
    }
}

/// Says in the settings that an import is under way: of what, where its next message goes, and where its positions end.
struct ImportMark {
    private static let key = "import.open"

    let source: String
    let next: Int64
    let end: Int64
    /// A later start has brought the figures of the conversations up to date.
    var isSettled = false

    init(source: String, next: Int64, end: Int64) {
        self.source = source
        self.next = next
        self.end = end
    }

    init?(in connection: SQLiteConnection) throws(StoreError) {
        let text = try connection.first("SELECT value FROM settings WHERE key = ?", [.text(Self.key)]) { row in
            row.text(0)
        }
        let parts = text?.split(separator: " ").map(String.init) ?? []
        guard parts.count >= 3, let next = Int64(parts[1]), let end = Int64(parts[2]), next <= end else { return nil }
        self.init(source: parts[0], next: next, end: end)
        isSettled = parts.count > 3
    }

    func write(to connection: SQLiteConnection) throws(StoreError) {
        try connection.run(
            "INSERT INTO settings(key, value) VALUES (?1, ?2) ON CONFLICT(key) DO UPDATE SET value = ?2",
            .text(Self.key), .text("\(source) \(next) \(end)\(isSettled ? " settled" : "")"))
    }

    static func remove(from connection: SQLiteConnection) throws(StoreError) {
        try connection.run("DELETE FROM settings WHERE key = ?", .text(key))
    }

    /// After an import that was killed: the figures of the conversations say what is there. The same import can still continue.
    static func settle(_ connection: SQLiteConnection) throws(StoreError) {
        guard var mark = try ImportMark(in: connection), !mark.isSettled else { return }
        mark.isSettled = true
        let mended = mark
        try connection.transaction { () throws(StoreError) in
            try connection.settle(
                try connection.all("SELECT contact FROM conversations") { row in ContactID(row.integer(0)) })
            try mended.write(to: connection)
        }
    }
}

extension SQLiteConnection {
    /// After the reserved positions in an empty history, before everything in another one.
    fileprivate func firstPosition(ofImport count: Int64, in database: HistoryDatabase) throws(StoreError) -> Int64 {
        let lowest = try first("SELECT min(position) FROM messages") { row in row.optionalInteger(0) }
        // Positions are never used twice, and some may be kept for messages that have not come yet.
        guard let lowest = lowest ?? nil else { return try reservePositions(count) }
        return database.importFloor.withLock { floor in
            floor = min(lowest, floor) - count
            return floor
        }
    }

    /// Brings the figures of conversations up to date with their messages.
    fileprivate func settle(_ contacts: [ContactID]) throws(StoreError) {
        for contact in contacts {
            try recount(contact)
            try raiseSequences(of: contact)
            // Some of them may not have been read yet.
            try run("UPDATE conversations SET settled = NULL WHERE contact = ?", .integer(contact.rawValue))
        }
    }

    /// Returns whether the message was not there before.
    fileprivate func takeOver(_ message: ImportedMessage, at position: Int64) throws(StoreError) -> Bool {
        let isOurs = message.direction == .outgoing
        var state = message.state
        if !isOurs { state = .delivered }
        if state.rank < DeliveryState.failedRank {
            state = .failed(reason: .waitingInExport)
        }
        let reason: String? = if case .failed(let reason) = state { reason.stored } else { nil }
        let text: String? = if case .text(let text) = message.content { text } else { nil }
        if case .file(let file) = message.content,
            try first("SELECT 1 FROM transfers WHERE id = ?", [.text(file.id.text)], { _ in true }) != nil
        {
            return false
        }
        // A message of ours stays ours, whatever a file says (RELIABILITY D3).
        guard try !isTaken(message.id, by: message.direction.other, in: message.contact) else { return false }
        try run(
            """
            INSERT INTO messages(position, contact, outgoing, id, sequence, sent, stored, state, reason, reply_to, text,
                pinned, sender)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(contact, outgoing, id) DO NOTHING
            """,
            .integer(position), .integer(message.contact.rawValue), .flag(isOurs), .text(message.id.text),
            .integer(message.sequence), .integer(message.sent.milliseconds), .integer(message.stored.milliseconds),
            .integer(Int64(state.rank)), .optionalText(reason), .optionalText(message.replyTo?.text),
            .optionalText(text), .optionalInteger(message.pinned?.milliseconds), .optionalText(message.sender))
        guard changedRows > 0 else { return false }
        if case .file(let file) = message.content { try takeOver(file, at: position) }
        if !isOurs, message.state == .read {
            try run(
                """
                UPDATE conversations SET seen = max(seen, ?1), receipt_confirmed = max(receipt_confirmed, ?1)
                WHERE contact = ?2
                """, .integer(position), .integer(message.contact.rawValue))
        }
        return true
    }

    private func takeOver(_ file: FileTransfer, at position: Int64) throws(StoreError) {
        guard let size = Int64(exactly: file.size), let transferred = Int64(exactly: file.transferred) else {
            throw .failed(code: 18, reason: "a file of \(file.size) bytes is too large")
        }
        let state = file.state.isFinal ? file.state : .failed
        let reason = (file.state.isFinal ? file.reason : .incompleteInExport)?.stored
        let values: [SQLiteValue] = [
            .integer(position), .text(file.id.text), .integer(file.contact.rawValue),
            .flag(file.direction == .outgoing), .text(file.name), .integer(size), .integer(file.modified.milliseconds),
            .text(file.contentType), .text(file.caption), .text(state.rawValue), .optionalText(reason),
            .integer(transferred), .optionalText(file.sha256), .optionalText(file.path),
            .integer(file.offered.milliseconds), .optionalInteger(file.started?.milliseconds),
            .optionalInteger(file.finished?.milliseconds),
        ]
        try forEachRow(
            """
            INSERT INTO transfers(position, id, contact, outgoing, name, size, modified, content_type, caption, state,
                reason, transferred, sha256, path, offered, started, finished, \(FolderPlaceRow.columns()))
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, values + FolderPlaceRow.values(of: file.place)
        ) { _ in true }
    }

    /// Returns whether the operation was not there before.
    fileprivate func takeOver(_ operation: ChatOperation) throws(StoreError) -> Bool {
        let isKnown = try first(
            "SELECT 1 FROM operations WHERE contact = ? AND outgoing = ? AND id = ?",
            [
                .integer(operation.contact.rawValue), .flag(operation.direction == .outgoing),
                .text(operation.id.text),
            ], { _ in true })
        guard isKnown == nil, try !isTaken(operation.id, by: operation.direction.other, in: operation.contact) else {
            return false
        }
        var operation = operation
        if operation.state.rank < DeliveryState.failedRank {
            operation.state = .failed(reason: .waitingInExport)
        }
        _ = try insertOperation(operation, numbering: 0)
        if let target = try target(
            of: operation.action, on: operation.target, by: operation.direction, in: operation.contact)
        {
            _ = try applyOperations(to: target)
        }
        return true
    }

    /// Nobody waits for numbers that either side has used, or uses them again.
    func raiseSequences(of contact: ContactID) throws(StoreError) {
        func highest(_ outgoing: Int) -> String {
            """
            (SELECT coalesce(max(sequence), 0) FROM (
                SELECT sequence FROM messages WHERE contact = ?1 AND outgoing = \(outgoing)
                UNION ALL SELECT sequence FROM operations WHERE contact = ?1 AND outgoing = \(outgoing))
             WHERE sequence < 9223372036854775807)
            """
        }
        try run(
            """
            UPDATE conversations SET next_sequence = max(next_sequence, 1 + \(highest(1))),
                expected_sequence = max(expected_sequence, 1 + \(highest(0)))
            WHERE contact = ?1
            """, .integer(contact.rawValue))
    }
}
