// Incoming messages: stored once, whatever the network does (RELIABILITY D3, D4).

public import ChatCore

extension HistoryDatabase {
    public func appendIncoming(_ message: IncomingMessage) async throws(StoreError) -> AppendOutcome {
        try await writer.write { connection throws(StoreError) in
            try connection.known(message)
        } _: { connection throws(StoreError) in
            if let known = try connection.known(message) { return .duplicate(if: known) }
            return .inserted(try connection.insertIncoming(message))
        }
    }
}

extension AppendOutcome {
    /// What `known` found, seen before the insert: an equal message is a duplicate.
    fileprivate static func duplicate(if known: AppendOutcome) -> AppendOutcome {
        if case .inserted = known { .duplicate } else { known }
    }
}

extension SQLiteConnection {
    /// What is stored under the message's key: `.inserted` when it is this very message, `.conflict` when another one,
    /// `nil` when nothing is.
    fileprivate func known(_ message: IncomingMessage) throws(StoreError) -> AppendOutcome? {
        let stored = try first(
            MessageRow.select() + " WHERE m.contact = ? AND m.outgoing = 0 AND m.id = ?",
            [.integer(message.contact.rawValue), .text(message.id.text)], MessageRow.message)
        if let stored { return stored.hasContent(of: message) ? .inserted(stored) : .conflict }
        // Transfers are looked up by id alone, so a file may not take the id of anybody else's.
        if case .file = message.content,
            try first("SELECT 1 FROM transfers WHERE id = ?", [.text(message.id.text)], { _ in true }) != nil
        {
            return .conflict
        }
        return nil
    }

    fileprivate func insertIncoming(_ message: IncomingMessage) throws(StoreError) -> ChatMessage {
        let text: String? = if case .text(let text) = message.content { text } else { nil }
        try run(
            """
            INSERT INTO messages(contact, outgoing, id, sequence, sent, stored, state, reply_to, text)
            VALUES (?, 0, ?, ?, ?, ?, 3, ?, ?)
            """,
            .integer(message.contact.rawValue), .text(message.id.text), .integer(message.sequence),
            .integer(message.sent.milliseconds), .integer(message.received.milliseconds),
            .optionalText(message.replyTo?.text), .optionalText(text))
        let position = lastInsertedRow
        if case .file(let name, let size, let modified, let contentType, let caption) = message.content {
            guard let size = Int64(exactly: size) else {
                throw .failed(code: 18, reason: "a file of \(size) bytes is too large")
            }
            try insertTransfer(
                message.id, position: position, contact: message.contact, direction: .incoming, name: name, size: size,
                modified: modified, contentType: contentType, caption: caption, path: nil, at: message.received)
        }
        try run(
            """
            UPDATE conversations SET last_message = ?, message_count = message_count + 1, unread = unread + 1
            WHERE contact = ?
            """,
            .integer(position), .integer(message.contact.rawValue))
        guard let stored = try self.message(at: position) else { throw .notFound }
        try SearchIndex.add(stored, in: self)
        return stored
    }
}

extension ChatMessage {
    /// Whether this row says the same as `message`, byte for byte (String equality would let NFC and NFD pass).
    fileprivate func hasContent(of message: IncomingMessage) -> Bool {
        switch (content, message.content) {
        case (.text(let mine), .text(let theirs)): mine.utf8.elementsEqual(theirs.utf8)
        case (.file(let mine), .file(let name, let size, let modified, _, let caption)):
            mine.name.utf8.elementsEqual(name.utf8) && mine.size == size && mine.modified == modified
                && mine.caption.utf8.elementsEqual(caption.utf8)
        default: false
        }
    }
}
