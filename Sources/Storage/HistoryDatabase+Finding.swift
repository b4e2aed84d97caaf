// Single messages: by what a person calls them, by their ids, what they said before, and which are pinned.

package import ChatCore

extension HistoryDatabase {
    package func message(
        _ reference: MessageReference, of contact: ContactID
    ) async throws(StoreError) -> ChatMessage? {
        try await reader.perform { connection throws(StoreError) in
            let (condition, values) = Self.condition(for: reference)
            return try connection.first(
                MessageRow.select() + " WHERE m.contact = ? AND \(condition)",
                [.integer(contact.rawValue)] + values, MessageRow.message)
        }
    }

    /// The query from its condition, after WHERE, to its end.
    private static func condition(for reference: MessageReference) -> (String, [SQLiteValue]) {
        switch reference {
        case .id(let id): return ("m.outgoing IN (0, 1) AND m.id = ? ORDER BY m.outgoing DESC", [.text(id.text)])
        case .shortID(let end):
            // The ids of a conversation are in an index of their own: no message has to be read for this.
            return (
                """
                m.position = (SELECT max(s.position) FROM messages s
                    WHERE s.contact = m.contact AND substr(s.id, -\(MessageID.shortLength)) = ?)
                """, [.text(end)]
            )
        case .transfer(let number): return ("t.number = ?", [.integer(number.rawValue)])
        case .last(let number, let kind):
            let kindCondition =
                switch kind {
                case .any: ""
                case .own: " AND m.outgoing = 1"
                case .ownText: " AND m.outgoing = 1 AND m.text IS NOT NULL"
                case .incoming: " AND m.outgoing = 0"
                case .failed:
                    """
                     AND m.outgoing = 1 AND CASE m.state WHEN \(DeliveryState.sentAgain.rank) THEN m.reason IS NOT ?
                    ELSE t.state = '\(FileTransfer.State.failed.rawValue)' AND t.reason IS NOT ? END
                    """
                }
            var values: [SQLiteValue] = [.integer(Int64(max(number, 1) - 1))]
            if kind == .failed {
                values = [.text(DeliveryFailure.sentAgain.stored), .text(TransferReason.sentAgain.stored)] + values
            }
            return ("m.retracted = 0\(kindCondition) ORDER BY m.position DESC LIMIT 1 OFFSET ?", values)
        }
    }

    package func messages(_ ids: [MessageID], of contact: ContactID) async throws(StoreError) -> [ChatMessage] {
        try await reader.snapshot { connection throws(StoreError) in
            var found: [ChatMessage] = []
            for id in ids {
                found += try connection.all(
                    MessageRow.select() + " WHERE m.contact = ? AND m.outgoing IN (0, 1) AND m.id = ?",
                    [.integer(contact.rawValue), .text(id.text)], MessageRow.message)
            }
            return found
        }
    }

    package func versions(of message: ChatMessage) async throws(StoreError) -> [TextVersion] {
        try await reader.snapshot { connection throws(StoreError) in
            let key: [SQLiteValue] = [.integer(message.contact.rawValue), .text(message.id.text)]
            let author = SQLiteValue.flag(message.direction == .outgoing)
            let first = try connection.first(
                """
                SELECT coalesce(first_text, text), sent FROM messages
                WHERE contact = ? AND id = ? AND outgoing = ? AND retracted = 0
                """, key + [author]
            ) { row in row.optionalText(0).map { ($0, row.integer(1)) } }
            guard let (text, sent) = first ?? nil else { return [] }
            let edits = try connection.all(
                """
                SELECT text, sent FROM operations WHERE contact = ? AND target = ? AND outgoing = ? AND kind = 'edit'
                ORDER BY numbering, sequence, number
                """, key + [author]
            ) { row in TextVersion(text: row.text(0), written: Timestamp(milliseconds: row.integer(1))) }
            return [TextVersion(text: text, written: Timestamp(milliseconds: sent))] + edits
        }
    }

    // MARK: Pins

    package func pinnedMessages(of contact: ContactID) async throws(StoreError) -> [ChatMessage] {
        try await reader.perform { connection throws(StoreError) in
            try connection.all(
                MessageRow.select()
                    + " WHERE m.contact = ? AND m.pinned IS NOT NULL AND m.retracted = 0 ORDER BY m.pinned DESC, m.position DESC",
                [.integer(contact.rawValue)], MessageRow.message)
        }
    }

    package func setPinned(_ message: ChatMessage, at time: Timestamp?) async throws(StoreError) -> ChatMessage {
        try await write(reporting: { [.changed($0)] }) { connection throws(StoreError) in
            try connection.run(
                "UPDATE messages SET pinned = ? WHERE contact = ? AND id = ? AND outgoing = ?",
                .optionalInteger(time?.milliseconds), .integer(message.contact.rawValue), .text(message.id.text),
                .flag(message.direction == .outgoing))
            let changed = try connection.message(message.id, of: message.contact, message.direction)
            guard let changed else { throw .notFound }
            return changed
        }
    }
}
