// Write-ahead sends, the outbox and delivery states (RELIABILITY D2, D5, D6).

package import ChatCore

extension HistoryDatabase {
    package func enqueueMessage(
        to contact: ContactID, text: String, replyTo: MessageID?, at time: Timestamp
    ) async throws(StoreError) -> ChatMessage {
        let id = MessageID(at: time)
        defer { indexSoon() }
        return try await write(reporting: { [.added($0)] }) { connection throws(StoreError) in
            try connection.message(id, of: contact, .outgoing)
        } _: { connection throws(StoreError) in
            try connection.insertOutgoing(id, to: contact, text: text, replyTo: replyTo, at: time)
        }
    }

    package func enqueueMessage(
        _ id: MessageID, to contact: ContactID, text: String, at time: Timestamp
    ) async throws(StoreError) -> MessageOnce {
        defer { indexSoon() }
        return try await write(reporting: { (once: MessageOnce) -> [HistoryChange] in
            if case .stored(let message) = once { [.added(message)] } else { [] }
        }) { connection throws(StoreError) -> MessageOnce? in
            // A commit that has failed may have stored it: then it is new to everybody.
            try connection.message(id, of: contact, .outgoing).map { .stored($0) }
        } _: { connection throws(StoreError) -> MessageOnce in
            if let known = try connection.message(id, of: contact, .outgoing) { return .known(known) }
            guard try connection.message(id, of: contact, .incoming) == nil else { return .taken }
            return .stored(try connection.insertOutgoing(id, to: contact, text: text, replyTo: nil, at: time))
        }
    }

    package func enqueueFileOffers(
        to contact: ContactID, files: [NewOutgoingFile], at time: Timestamp
    ) async throws(StoreError) -> [ChatMessage] {
        var offers: [(id: MessageID, file: NewOutgoingFile, size: Int64)] = []
        for file in files {
            guard let size = Int64(exactly: file.size) else {
                throw .failed(code: 18, reason: "a file of \(file.size) bytes is too large")
            }
            offers.append((MessageID(at: time), file, size))
        }
        defer { indexSoon() }
        return try await write(reporting: { $0.map(HistoryChange.added) }) { [offers] connection throws(StoreError) in
            var found: [ChatMessage] = []
            for offer in offers {
                // Either all of them are there or not one is.
                guard let message = try connection.message(offer.id, of: contact, .outgoing) else { return nil }
                found.append(message)
            }
            return found
        } _: { [offers] connection throws(StoreError) in
            var messages: [ChatMessage] = []
            for (id, file, size) in offers {
                messages.append(
                    try connection.insertOutgoing(id, to: contact, text: nil, replyTo: nil, at: time) {
                        position throws(StoreError) in
                        try connection.insertTransfer(
                            id, position: position, contact: contact, direction: .outgoing, name: file.name,
                            size: size, modified: file.modified, contentType: file.contentType, caption: file.caption,
                            place: file.place, path: file.path, at: time)
                    })
            }
            return messages
        }
    }

    package func enqueueOperation(
        _ action: ChatOperation.Action, on target: MessageID, _ direction: MessageDirection, to contact: ContactID,
        at time: Timestamp
    ) async throws(StoreError) -> ChatMessage {
        let id = MessageID(at: time)
        return try await write(reporting: { [.changed($0)] }) { connection throws(StoreError) in
            guard try connection.isOperationOfOurs(id, to: contact) else { return nil }
            return try connection.message(target, of: contact, direction)
        } _: { connection throws(StoreError) in
            guard let message = try connection.message(target, of: contact, direction) else { throw .notFound }
            return try connection.insertOutgoing(id, action, on: message, at: time)
        }
    }

    package func enqueueFileStatus(
        to contact: ContactID, transfers: [MessageID], state: FileTransfer.State
    ) async throws(StoreError) {
        try await writer.write { connection throws(StoreError) in
            // A file that has ended otherwise meanwhile keeps the status that says so.
            let others = try connection.all(
                """
                SELECT id FROM transfers WHERE id IN (SELECT value FROM json_each(?)) AND state <> ?
                    AND state NOT IN ('offered', 'accepted', 'running', 'paused')
                """, [transfers.list, .text(state.rawValue)]
            ) { row in row.text(0) }
            try connection.enqueueFileStatus(
                to: contact, of: transfers.filter { !others.contains($0.text) }, state: state)
        }
    }

    package func outbox(for contact: ContactID, limit: Int) async throws(StoreError) -> [OutboxEntry] {
        // On the writer: an entry that was just entered or removed must not be missed or seen again.
        try await writer.perform { connection throws(StoreError) in
            let rows = try connection.all(
                """
                SELECT o.id, o.position, o.operation, o.transfer, o.transfer_state, t.reason FROM outbox o
                LEFT JOIN transfers t ON t.id = o.transfer WHERE o.contact = ? ORDER BY o.id LIMIT ?
                """,
                [.integer(contact.rawValue), .integer(Int64(limit))]
            ) { row in
                (
                    row.integer(0), row.optionalInteger(1), row.optionalInteger(2), row.text(3), row.text(4),
                    row.optionalText(5)
                )
            }
            var entries: [OutboxEntry] = []
            for (id, position, operation, transfer, state, reason) in rows {
                if let position {
                    // Nothing leads a message to somebody else, whatever the outbox says.
                    guard let message = try connection.messageAsEntered(at: position), message.contact == contact
                    else { continue }
                    entries.append(OutboxEntry(id: id, operation: .message(message)))
                } else if let operation {
                    guard let operation = try connection.operation(number: operation) else { continue }
                    entries.append(OutboxEntry(id: id, operation: .operation(operation)))
                } else {
                    guard let transfer = MessageID(transfer), let state = FileTransfer.State(rawValue: state) else {
                        throw MessageRow.damaged("an outbox entry")
                    }
                    entries.append(
                        OutboxEntry(
                            id: id,
                            operation: .fileStatus(
                                transfer: transfer, state: state, reason: reason.map(TransferReason.init(stored:)))))
                }
            }
            return entries
        }
    }

    package func removeOutboxEntry(_ id: Int64) async throws(StoreError) {
        try await writer.write { connection throws(StoreError) in
            try connection.run("DELETE FROM outbox WHERE id = ?", .integer(id))
        }
    }

    package func advanceState(
        of id: MessageID, in contact: ContactID, to state: DeliveryState, commit: CommitDurability
    ) async throws(StoreError) -> ChatMessage? {
        // A state that was not ahead has changed nothing.
        try await write(commit, reporting: { $0.map { $0.state == state ? [.changed($0)] : [] } ?? [] }) {
            connection throws(StoreError) in
            let reason: String? = if case .failed(let reason) = state { reason.stored } else { nil }
            // A failure is final, and it cannot take back what was delivered.
            try connection.run(
                """
                UPDATE messages SET state = ?1, reason = ?2
                WHERE contact = ?3 AND outgoing = 1 AND id = ?4 AND state < ?1 AND state <> 2
                """,
                .integer(Int64(state.rank)), .optionalText(reason), .integer(contact.rawValue), .text(id.text))
            guard let message = try connection.message(id, of: contact, .outgoing) else { return nil }
            if message.state.rank >= DeliveryState.failedRank {
                try connection.removeFromOutbox(messageAt: message.position.rawValue, of: contact)
            }
            return message
        }
    }

    package func markSentAgain(
        _ id: MessageID, in contact: ContactID
    ) async throws(StoreError) -> ChatMessage? {
        try await write(reporting: { $0.map { [.changed($0)] } ?? [] }) { connection throws(StoreError) in
            try connection.run(
                "UPDATE messages SET reason = ? WHERE contact = ? AND outgoing = 1 AND id = ? AND state = ?",
                .text(DeliveryFailure.sentAgain.stored), .integer(contact.rawValue), .text(id.text),
                .integer(Int64(DeliveryState.sentAgain.rank)))
            try connection.run(
                "UPDATE transfers SET reason = ? WHERE contact = ? AND outgoing = 1 AND id = ? AND state = ?",
                .text(TransferReason.sentAgain.stored), .integer(contact.rawValue), .text(id.text),
                .text(FileTransfer.State.failed.rawValue))
            return try connection.message(id, of: contact, .outgoing)
        }
    }

    package func advanceOperation(
        _ id: MessageID, in contact: ContactID, to state: DeliveryState, commit: CommitDurability
    ) async throws(StoreError) -> ChatMessage? {
        try await write(commit, reporting: { $0.map { [.changed($0)] } ?? [] }) { connection throws(StoreError) in
            let reason: String? = if case .failed(let reason) = state { reason.stored } else { nil }
            try connection.run(
                """
                UPDATE operations SET state = ?1, reason = ?2
                WHERE contact = ?3 AND outgoing = 1 AND id = ?4 AND state < ?1 AND state <> 2
                """,
                .integer(Int64(state.rank)), .optionalText(reason), .integer(contact.rawValue), .text(id.text))
            if state.rank >= DeliveryState.failedRank {
                try connection.run(
                    """
                    DELETE FROM outbox WHERE contact = ?1 AND operation =
                        (SELECT number FROM operations WHERE contact = ?1 AND outgoing = 1 AND id = ?2)
                    """,
                    .integer(contact.rawValue), .text(id.text))
            }
            let operation = try connection.first(
                "SELECT \(OperationRow.columns) FROM operations o WHERE o.contact = ? AND o.outgoing = 1 AND o.id = ?",
                [.integer(contact.rawValue), .text(id.text)], OperationRow.operation)
            guard let operation else { return nil }
            return try connection.target(
                of: operation.action, on: operation.target, by: .outgoing, in: operation.contact)
        }
    }

    package func operations(of contact: ContactID) async throws(StoreError) -> [ChatOperation] {
        try await reader.perform { connection throws(StoreError) in
            try connection.all(
                "SELECT \(OperationRow.columns) FROM operations o WHERE o.contact = ? ORDER BY o.number",
                [.integer(contact.rawValue)], OperationRow.operation)
        }
    }

    package func markOutgoingRead(
        contact: ContactID, upTo id: MessageID
    ) async throws(StoreError) -> [ChatMessage]? {
        try await write(reporting: { $0?.map(HistoryChange.changed) ?? [] }) { connection throws(StoreError) in
            guard let last = try connection.message(id, of: contact, .outgoing) else { return nil }
            let delivered = Int64(DeliveryState.delivered.rank)
            // A receipt for a message proves that the message itself has arrived, whatever became of our reply.
            let positions = try connection.all(
                """
                SELECT m.position FROM conversations v JOIN messages m ON m.contact = v.contact AND m.position <= ?2
                    AND m.position > coalesce(v.settled, -9223372036854775808)
                WHERE v.contact = ?1 AND m.outgoing = 1 AND (m.state = ?3 OR (m.position = ?2 AND m.state < 2))
                ORDER BY m.position
                """,
                [.integer(contact.rawValue), .integer(last.position.rawValue), .integer(delivered)]
            ) { row in row.integer(0) }
            var changed: [ChatMessage] = []
            for position in positions {
                try connection.run(
                    "UPDATE messages SET state = ? WHERE position = ?", .integer(Int64(DeliveryState.read.rank)),
                    .integer(position))
                try connection.removeFromOutbox(messageAt: position, of: contact)
                if let message = try connection.message(at: position) { changed.append(message) }
            }
            // Earlier ones that are still on their way may be read another time.
            try connection.run(
                """
                UPDATE conversations SET settled = max(coalesce(settled, -9223372036854775808), min(?2, coalesce(
                    (SELECT min(position) FROM outbox WHERE contact = ?1 AND position IS NOT NULL) - 1, ?2)))
                WHERE contact = ?1
                """, .integer(contact.rawValue), .integer(last.position.rawValue))
            return changed
        }
    }
}

extension SQLiteConnection {
    /// Queues news of transfers; older news of them, which may wait yet, are not told any more.
    func enqueueFileStatus(
        to contact: ContactID, of transfers: [MessageID], state: FileTransfer.State
    ) throws(StoreError) {
        guard !transfers.isEmpty else { return }
        // In one look at all that waits: there may be as many offers.
        try run(
            "DELETE FROM outbox WHERE contact = ? AND transfer IN (SELECT value FROM json_each(?))",
            .integer(contact.rawValue), transfers.list)
        for transfer in transfers {
            try run(
                "INSERT INTO outbox(contact, transfer, transfer_state) VALUES (?, ?, ?)",
                .integer(contact.rawValue), .text(transfer.text), .text(state.rawValue))
        }
    }

    /// Takes a message out of the outbox, at whose beginning it is nearly always.
    func removeFromOutbox(messageAt position: Int64, of contact: ContactID) throws(StoreError) {
        try run(
            """
            DELETE FROM outbox WHERE id =
                (SELECT id FROM outbox WHERE contact = ? AND position = ? ORDER BY id LIMIT 1)
            """, .integer(contact.rawValue), .integer(position))
    }

    /// The history row, what hangs on it, and the outbox row of one send.
    fileprivate func insertOutgoing(
        _ id: MessageID, to contact: ContactID, text: String?, replyTo: MessageID?, at time: Timestamp,
        attach: (Int64) throws(StoreError) -> Void = { _ in }
    ) throws(StoreError) -> ChatMessage {
        let sequence = try takeSequence(of: contact)
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
        guard let text else {
            guard let message = try message(at: position) else { throw .notFound }
            return message
        }
        return ChatMessage(
            id: id, position: HistoryPosition(position), contact: contact, direction: .outgoing, sequence: sequence,
            sent: time, stored: time, state: .pending, replyTo: replyTo, content: .text(text))
    }

    private func takeSequence(of contact: ContactID) throws(StoreError) -> Int64 {
        let sequence = try first(
            "UPDATE conversations SET next_sequence = next_sequence + 1 WHERE contact = ? RETURNING next_sequence - 1",
            [.integer(contact.rawValue)], { row in row.integer(0) })
        guard let sequence else { throw .notFound }
        return sequence
    }

    /// The row of an operation, what it does to its message, and the outbox row.
    fileprivate func insertOutgoing(
        _ id: MessageID, _ action: ChatOperation.Action, on message: ChatMessage, at time: Timestamp
    ) throws(StoreError) -> ChatMessage {
        let place = try placeOfUnsent(message, action)
        let operation = ChatOperation(
            id: id, contact: message.contact, direction: .outgoing,
            sequence: try place == nil ? takeSequence(of: message.contact) : message.sequence, sent: time, stored: time,
            state: .pending, target: message.id, action: action)
        let number = try insertOperation(operation, numbering: 0)
        try run(
            "INSERT INTO outbox(id, contact, operation) VALUES (?, ?, ?)", .optionalInteger(place),
            .integer(message.contact.rawValue), .integer(number))
        try run(
            "UPDATE messages SET last_operation = ? WHERE position = ?", .integer(number),
            .integer(message.position.rawValue))
        return try applyOperations(to: message)
    }

    /// A message that is taken back before it was handed to a connection does not go out at all: the retraction takes
    /// its number and its place in the outbox. Returns that place; `nil` for everything else.
    private func placeOfUnsent(
        _ message: ChatMessage, _ action: ChatOperation.Action
    ) throws(StoreError) -> Int64? {
        guard action == .retract, message.direction == .outgoing, message.state == .pending else { return nil }
        let position = SQLiteValue.integer(message.position.rawValue)
        let place = try first(
            "DELETE FROM outbox WHERE contact = ? AND position = ? RETURNING id",
            [.integer(message.contact.rawValue), position]
        ) { row in row.integer(0) }
        guard case .failed(let reason) = DeliveryState.takenBack else { return place }
        try run("UPDATE messages SET state = 2, reason = ? WHERE position = ?", .text(reason.stored), position)
        return place
    }

    fileprivate func isOperationOfOurs(_ id: MessageID, to contact: ContactID) throws(StoreError) -> Bool {
        try has(
            "SELECT 1 FROM operations WHERE contact = ? AND outgoing = 1 AND id = ?", .integer(contact.rawValue),
            .text(id.text))
    }

    fileprivate func operation(number: Int64) throws(StoreError) -> ChatOperation? {
        try first(
            "SELECT \(OperationRow.columns) FROM operations o WHERE o.number = ?", [.integer(number)],
            OperationRow.operation)
    }

    /// An own message with the text of its first time: sent again it must be the same, or it would be refused (D3).
    fileprivate func messageAsEntered(at position: Int64) throws(StoreError) -> ChatMessage? {
        guard var message = try message(at: position) else { return nil }
        if let text = try firstText(of: message) { message.content = .text(text) }
        return message
    }

    func insertTransfer(
        _ id: MessageID, position: Int64, contact: ContactID, direction: MessageDirection, name: String, size: Int64,
        modified: Timestamp, contentType: String, caption: String, place: FolderPlace?, path: String?,
        at time: Timestamp
    ) throws(StoreError) {
        try forEachRow(
            """
            INSERT INTO transfers(position, id, contact, outgoing, name, size, modified, content_type, caption, state,
                transferred, path, offered, \(FolderPlaceRow.columns()))
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'offered', 0, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(position), .text(id.text), .integer(contact.rawValue), .flag(direction == .outgoing),
                .text(name),
                .integer(size), .integer(modified.milliseconds), .text(contentType), .text(caption),
                .optionalText(path),
                .integer(time.milliseconds),
            ] + FolderPlaceRow.values(of: place)
        ) { _ in true }
    }
}

extension [MessageID] {
    /// All of them as one value, for `json_each`.
    var list: SQLiteValue { .text("[" + map { "\"\($0.text)\"" }.joined(separator: ",") + "]") }
}
