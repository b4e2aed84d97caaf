// Operations received too early: committed, so that their sender may forget them, but not in the history yet (RELIABILITY D5).

internal import ChatCore

extension SQLiteConnection {
    static let heldColumns = """
        contact, id, sequence, sent, stored, kind, text, reply_to, target, name, size, modified, content_type,
        \(FolderPlaceRow.columns())
        """

    func hold(_ message: IncomingMessage) throws(StoreError) {
        var values: [SQLiteValue]
        switch message.content {
        case .text(let text):
            values = [.text("text"), .text(text), .optionalText(message.replyTo?.text)] + Self.nulls(9)
        case .file(let name, let size, let modified, let contentType, let caption, let place):
            guard let size = Int64(exactly: size) else {
                throw .failed(code: 18, reason: "a file of \(size) bytes is too large")
            }
            values = [.text("file"), .text(caption), .null, .null]
            values += [.text(name), .integer(size), .integer(modified.milliseconds), .text(contentType)]
            values += FolderPlaceRow.values(of: place)
        case .operation(let action, let target):
            let (kind, text) = OperationRow.values(of: action)
            values = [.text(kind), .optionalText(text), .null, .text(target.text)] + Self.nulls(8)
        }
        values.insert(
            contentsOf: [
                .integer(message.contact.rawValue), .text(message.id.text), .integer(message.sequence),
                .integer(message.sent.milliseconds), .integer(message.received.milliseconds),
            ], at: 0)
        try forEachRow(
            "INSERT INTO held(\(Self.heldColumns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values
        ) { _ in true }
    }

    private static func nulls(_ count: Int) -> [SQLiteValue] { Array(repeating: .null, count: count) }

    func isHolding(from contact: ContactID) throws(StoreError) -> Bool {
        try has("SELECT 1 FROM held WHERE contact = ?", .integer(contact.rawValue))
    }

    /// The content that is held back under an id.
    func heldContent(_ id: MessageID, from contact: ContactID) throws(StoreError) -> IncomingMessage.Content? {
        try first(
            "SELECT \(Self.heldColumns) FROM held WHERE contact = ? AND id = ?",
            [.integer(contact.rawValue), .text(id.text)], Self.heldMessage
        )?.content
    }

    /// Takes out the first one in the sender's order, if its number is `sequence` or lower.
    func takeHeld(from contact: ContactID, upTo sequence: Int64) throws(StoreError) -> IncomingMessage? {
        let message = try first(
            "SELECT \(Self.heldColumns) FROM held WHERE contact = ? AND sequence <= ? ORDER BY sequence, number LIMIT 1",
            [.integer(contact.rawValue), .integer(sequence)], Self.heldMessage)
        guard let message else { return nil }
        try run(
            "DELETE FROM held WHERE contact = ? AND id = ?", .integer(contact.rawValue), .text(message.id.text))
        return message
    }

    static func heldMessage(from row: SQLiteRow) throws(StoreError) -> IncomingMessage {
        guard let id = MessageID(row.text(1)), let content = try heldContent(from: row) else {
            throw MessageRow.damaged("a message that is held back")
        }
        return IncomingMessage(
            id: id, contact: ContactID(row.integer(0)), sequence: row.integer(2),
            sent: Timestamp(milliseconds: row.integer(3)), received: Timestamp(milliseconds: row.integer(4)),
            replyTo: row.optionalText(7).flatMap { MessageID($0) }, content: content)
    }

    private static func heldContent(from row: SQLiteRow) throws(StoreError) -> IncomingMessage.Content? {
        switch row.text(5) {
        case "text": return .text(row.text(6))
        case "file":
            guard let size = UInt64(exactly: row.integer(10)) else { return nil }
            return .file(
                name: row.text(9), size: size, modified: Timestamp(milliseconds: row.integer(11)),
                contentType: row.text(12), caption: row.text(6),
                place: try FolderPlaceRow.place(from: row, firstColumn: 13))
        case let kind:
            guard let action = OperationRow.action(kind: kind, text: row.optionalText(6)),
                let target = MessageID(row.text(8))
            else { return nil }
            return .operation(action, target: target)
        }
    }
}
