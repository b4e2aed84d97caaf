// Write-ahead sends, the outbox and delivery states (RELIABILITY D2, D5, D6).

public import ChatCore

extension HistoryDatabase {
    public func enqueueMessage(
        to contact: ContactID, text: String, replyTo: MessageID?, at time: Timestamp
    ) async throws(StoreError) -> ChatMessage {
        let id = MessageID(at: time)
        return try await writer.write { connection throws(StoreError) in
            try connection.messageOfOurs(id)
        } _: { connection throws(StoreError) in
            try connection.insertOutgoing(id, to: contact, text: text, replyTo: replyTo, at: time)
        }
    }

    public func enqueueFileOffer(
        to contact: ContactID, file: NewOutgoingFile, at time: Timestamp
    ) async throws(StoreError) -> ChatMessage {
        guard let size = Int64(exactly: file.size) else {
            throw .failed(code: 18, reason: "a file of \(file.size) bytes is too large")
        }
        let id = MessageID(at: time)
        return try await writer.write { connection throws(StoreError) in
            try connection.messageOfOurs(id)
        } _: { connection throws(StoreError) in
            try connection.insertOutgoing(id, to: contact, text: nil, replyTo: nil, at: time) {
                position throws(StoreError) in
                try connection.insertTransfer(
                    id, position: position, contact: contact, direction: .outgoing, name: file.name, size: size,
                    modified: file.modified, contentType: file.contentType, caption: file.caption, path: file.path,
                    at: time)
            }
        }
    }

    public func enqueueFileStatus(
        to contact: ContactID, transfer: MessageID, state: FileTransfer.State
    ) async throws(StoreError) {
        try await writer.write { connection throws(StoreError) in
            try connection.run("DELETE FROM outbox WHERE transfer = ?", .text(transfer.text))
            try connection.run(
                "INSERT INTO outbox(contact, transfer, transfer_state) VALUES (?, ?, ?)",
                .integer(contact.rawValue), .text(transfer.text), .text(state.rawValue))
        }
    }

    public func outbox(for contact: ContactID, limit: Int) async throws(StoreError) -> [OutboxEntry] {
        // On the writer: an entry that was just entered or removed must not be missed or seen again.
        try await writer.perform { connection throws(StoreError) in
            let rows = try connection.all(
                "SELECT id, position, transfer, transfer_state FROM outbox WHERE contact = ? ORDER BY id LIMIT ?",
                [.integer(contact.rawValue), .integer(Int64(limit))]
            ) { row in
                (row.integer(0), row.optionalInteger(1), row.text(2), row.text(3))
            }
            var entries: [OutboxEntry] = []
            for (id, position, transfer, state) in rows {
                if let position {
                    guard let message = try connection.message(at: position) else { continue }
                    entries.append(OutboxEntry(id: id, operation: .message(message)))
                } else {
                    guard let transfer = MessageID(transfer), let state = FileTransfer.State(rawValue: state) else {
                        throw MessageRow.damaged("an outbox entry")
                    }
                    entries.append(OutboxEntry(id: id, operation: .fileStatus(transfer: transfer, state: state)))
                }
            }
            return entries
        }
    }

    public func removeOutboxEntry(_ id: Int64) async throws(StoreError) {
        try await writer.write { connection throws(StoreError) in
            try connection.run("DELETE FROM outbox WHERE id = ?", .integer(id))
        }
    }

    public func advanceState(
        of id: MessageID, to state: DeliveryState
    ) async throws(StoreError) -> ChatMessage? {
        try await writer.write { connection throws(StoreError) in
            let reason: String? = if case .failed(let reason) = state { reason } else { nil }
            // A failure is final, and it cannot take back what was delivered.
            try connection.run(
                "UPDATE messages SET state = ?1, reason = ?2 WHERE id = ?3 AND outgoing = 1 AND state < ?1 AND state <> 2",
                .integer(Int64(state.rank)), .optionalText(reason), .text(id.text))
            guard let message = try connection.messageOfOurs(id) else { return nil }
            if message.state.rank >= DeliveryState.failed(reason: "").rank {
                try connection.run("DELETE FROM outbox WHERE position = ?", .integer(message.position.rawValue))
            }
            return message
        }
    }

    public func markOutgoingRead(
        contact: ContactID, upTo id: MessageID
    ) async throws(StoreError) -> [ChatMessage] {
        try await writer.write { connection throws(StoreError) in
            guard let last = try connection.messageOfOurs(id), last.contact == contact else { return [] }
            let delivered = Int64(DeliveryState.delivered.rank)
            // A receipt for a message proves that the message itself has arrived, whatever became of our reply.
            let positions = try connection.all(
                """
                SELECT position FROM messages WHERE contact = ?1 AND outgoing = 1 AND state < 4 AND position <= ?2
                AND (state = ?3 OR (position = ?2 AND state < 2)) ORDER BY position
                """,
                [.integer(contact.rawValue), .integer(last.position.rawValue), .integer(delivered)]
            ) { row in row.integer(0) }
            var changed: [ChatMessage] = []
            for position in positions {
                try connection.run(
                    "UPDATE messages SET state = ? WHERE position = ?", .integer(Int64(DeliveryState.read.rank)),
                    .integer(position))
                try connection.run("DELETE FROM outbox WHERE position = ?", .integer(position))
                if let message = try connection.message(at: position) { changed.append(message) }
            }
            return changed
        }
    }
}

extension SQLiteConnection {
    /// The outgoing message with this id.
    func messageOfOurs(_ id: MessageID) throws(StoreError) -> ChatMessage? {
        try first(MessageRow.select() + " WHERE m.id = ? AND m.outgoing = 1", [.text(id.text)], MessageRow.message)
    }

    /// The history row, what hangs on it, and the outbox row of one send.
    fileprivate func insertOutgoing(
        _ id: MessageID, to contact: ContactID, text: String?, replyTo: MessageID?, at time: Timestamp,
        attach: (Int64) throws(StoreError) -> Void = { _ in }
    ) throws(StoreError) -> ChatMessage {
        guard
            let sequence = try first(
                "UPDATE conversations SET next_sequence = next_sequence + 1 WHERE contact = ? RETURNING next_sequence - 1",
                [.integer(contact.rawValue)], { row in row.integer(0) })
        else { throw .notFound }
        try run(
            """
            INSERT INTO messages(contact, outgoing, id, sequence, sent, stored, state, reply_to, text)
            VALUES (?1, 1, ?2, ?3, ?4, ?4, 0, ?5, ?6)
            """,
            .integer(contact.rawValue), .text(id.text), .integer(sequence), .integer(time.milliseconds),
            .optionalText(replyTo?.text), .optionalText(text))
        let position = lastInsertedRow
        try attach(position)
        try run(
            "INSERT INTO outbox(contact, position) VALUES (?, ?)", .integer(contact.rawValue), .integer(position))
        try run(
            "UPDATE conversations SET last_message = ?, message_count = message_count + 1 WHERE contact = ?",
            .integer(position), .integer(contact.rawValue))
        guard let message = try message(at: position) else { throw .notFound }
        try SearchIndex.add(message, in: self)
        return message
    }

    func insertTransfer(
        _ id: MessageID, position: Int64, contact: ContactID, direction: MessageDirection, name: String, size: Int64,
        modified: Timestamp, contentType: String, caption: String, path: String?, at time: Timestamp
    ) throws(StoreError) {
        try run(
            """
            INSERT INTO transfers(position, id, contact, outgoing, name, size, modified, content_type, caption, state,
                transferred, path, offered)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'offered', 0, ?, ?)
            """,
            .integer(position), .text(id.text), .integer(contact.rawValue), .flag(direction == .outgoing), .text(name),
            .integer(size), .integer(modified.milliseconds), .text(contentType), .text(caption), .optionalText(path),
            .integer(time.milliseconds))
    }
}
