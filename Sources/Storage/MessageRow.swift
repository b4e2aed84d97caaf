// Between rows and `ChatMessage`: the one place that knows the columns of a message and its transfer.

internal import ChatCore

enum MessageRow {
    /// The columns that `message(from:)` reads, in its order.
    private static let columns = """
        m.id, m.position, m.contact, m.outgoing, m.sequence, m.sent, m.stored, m.state, m.reason, m.reply_to, m.text,
        v.seen, m.edited, m.retracted, m.own_reaction, m.peer_reaction, m.missing_before, m.pinned, p.state,
        p.reason, m.sender, \(TransferRow.columns)
        """

    /// A query for messages, to be followed by WHERE, ORDER BY and LIMIT. `source` may put another table in front.
    static func select(from source: String) -> String {
        """
        SELECT \(columns) FROM \(source) JOIN conversations v ON v.contact = m.contact
        LEFT JOIN transfers t ON t.position = m.position LEFT JOIN operations p ON p.number = m.last_operation
        """
    }

    /// The same for the table of messages alone, put together once.
    static func select() -> String { plainSelect }
    private static let plainSelect = select(from: "messages m")

    static func message(from row: SQLiteRow) throws(StoreError) -> ChatMessage {
        guard let id = MessageID(row.text(0)) else { throw damaged("a message id") }
        let position = row.integer(1)
        let direction: MessageDirection = row.flag(3) ? .outgoing : .incoming
        let state: DeliveryState =
            switch direction {
            case .incoming: position <= row.integer(11) ? .read : .delivered
            case .outgoing: try deliveryState(rank: row.integer(7), reason: row.text(8))
            }
        let content: ChatMessage.Content =
            row.isNull(10) ? .file(try TransferRow.transfer(from: row, firstColumn: 21)) : .text(row.text(10))
        var message = ChatMessage(
            id: id, position: HistoryPosition(position), contact: ContactID(row.integer(2)), direction: direction,
            sequence: row.integer(4), sent: Timestamp(milliseconds: row.integer(5)),
            stored: Timestamp(milliseconds: row.integer(6)), state: state,
            replyTo: row.optionalText(9).flatMap { MessageID($0) }, content: content)
        message.edited = row.optionalInteger(12).map(Timestamp.init(milliseconds:))
        message.isRetracted = row.flag(13)
        if let emoji = row.optionalText(14) { message.reactions.append(Reaction(direction: .outgoing, emoji: emoji)) }
        if let emoji = row.optionalText(15) { message.reactions.append(Reaction(direction: .incoming, emoji: emoji)) }
        message.missingBefore = Int(clamping: row.integer(16))
        message.sender = row.optionalText(20)
        message.pinned = row.optionalInteger(17).map(Timestamp.init(milliseconds:))
        if let rank = row.optionalInteger(18) {
            message.operationState = try deliveryState(rank: rank, reason: row.text(19))
        }
        return message
    }

    static func deliveryState(rank: Int64, reason: String) throws(StoreError) -> DeliveryState {
        let states: [DeliveryState] = [
            .pending, .sent, .failed(reason: DeliveryFailure(stored: reason)), .delivered, .read,
        ]
        guard let state = states.first(where: { $0.rank == rank }) else { throw damaged("a delivery state") }
        return state
    }

    /// A column holds what this program never writes.
    static func damaged(_ what: String) -> StoreError {
        .damaged(path: "history", reason: "\(what) cannot be read")
    }
}

enum TransferRow {
    static let columns = """
        t.id, t.number, t.contact, t.outgoing, t.name, t.size, t.modified, t.content_type, t.caption, t.state,
        t.reason, t.transferred, t.sha256, t.path, t.offered, t.started, t.finished,
        \(FolderPlaceRow.columns("t."))
        """

    static func transfer(from row: SQLiteRow, firstColumn c: Int32 = 0) throws(StoreError) -> FileTransfer {
        guard let id = MessageID(row.text(c)), let state = FileTransfer.State(rawValue: row.text(c + 9)),
            let size = UInt64(exactly: row.integer(c + 5)), let transferred = UInt64(exactly: row.integer(c + 11))
        else { throw MessageRow.damaged("a transfer") }
        return FileTransfer(
            id: id, number: TransferNumber(row.integer(c + 1)), contact: ContactID(row.integer(c + 2)),
            direction: row.flag(c + 3) ? .outgoing : .incoming, name: row.text(c + 4), size: size,
            modified: Timestamp(milliseconds: row.integer(c + 6)), contentType: row.text(c + 7),
            caption: row.text(c + 8), place: try FolderPlaceRow.place(from: row, firstColumn: c + 17), state: state,
            reason: row.optionalText(c + 10).map(TransferReason.init(stored:)), transferred: transferred,
            sha256: row.optionalText(c + 12), path: row.optionalText(c + 13),
            offered: Timestamp(milliseconds: row.integer(c + 14)),
            started: row.optionalInteger(c + 15).map(Timestamp.init(milliseconds:)),
            finished: row.optionalInteger(c + 16).map(Timestamp.init(milliseconds:)))
    }
}

extension SQLiteConnection {
    /// The message at a position.
    func message(at position: Int64) throws(StoreError) -> ChatMessage? {
        try first(MessageRow.select() + " WHERE m.position = ?", [.integer(position)], MessageRow.message)
    }

    func message(
        _ id: MessageID, of contact: ContactID, _ direction: MessageDirection
    ) throws(StoreError) -> ChatMessage? {
        try first(
            MessageRow.select() + " WHERE m.contact = ? AND m.outgoing = ? AND m.id = ?",
            [.integer(contact.rawValue), .flag(direction == .outgoing), .text(id.text)], MessageRow.message)
    }

    /// The text that a message was entered with, also after edits and its retraction; `nil` for a file.
    func firstText(of message: ChatMessage) throws(StoreError) -> String? {
        guard message.edited != nil || message.isRetracted else {
            if case .text(let text) = message.content { return text } else { return nil }
        }
        return try first(
            "SELECT coalesce(first_text, text) FROM messages WHERE position = ?", [.integer(message.position.rawValue)]
        ) { row in row.optionalText(0) } ?? nil
    }
}
