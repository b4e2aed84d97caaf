// Pages, conversations and read marks.

package import ChatCore

extension HistoryDatabase {
    package func message(_ id: MessageID) async throws(StoreError) -> ChatMessage? {
        try await reader.perform { connection throws(StoreError) in
            // By contact, as the key is: an index of ids alone would be one more page for every message that is stored.
            try connection.first(
                MessageRow.select(from: "contacts c CROSS JOIN messages m ON m.contact = c.id")
                    + " WHERE m.outgoing IN (0, 1) AND m.id = ? ORDER BY m.outgoing DESC",
                [.text(id.text)], MessageRow.message)
        }
    }

    package func message(
        _ id: MessageID, of contact: ContactID, _ direction: MessageDirection
    ) async throws(StoreError) -> ChatMessage? {
        try await reader.perform { connection throws(StoreError) in try connection.message(id, of: contact, direction) }
    }

    package func conversations() async throws(StoreError) -> [Conversation] {
        try await reader.snapshot { connection throws(StoreError) in
            let next = ContactRow.columnCount
            let rows = try connection.all(
                """
                SELECT \(ContactRow.columns), v.last_message, v.unread, v.seen,
                    (SELECT count(*) FROM outbox o WHERE o.contact = c.id AND o.transfer IS NULL)
                FROM contacts c JOIN conversations v ON v.contact = c.id ORDER BY c.id
                """
            ) { row throws(StoreError) in
                (
                    try ContactRow.peer(from: row), row.optionalInteger(next), row.integer(next + 1),
                    row.integer(next + 2), row.integer(next + 3)
                )
            }
            var conversations: [Conversation] = []
            for (peer, last, unread, seen, queued) in rows {
                var lastMessage: ChatMessage?
                if let last { lastMessage = try connection.message(at: last) }
                conversations.append(
                    Conversation(
                        peer: peer, lastMessage: lastMessage, unreadCount: Int(clamping: unread),
                        readUpTo: seen > 0 ? HistoryPosition(seen) : nil, queuedCount: Int(clamping: queued)))
            }
            return conversations
        }
    }

    package func page(
        of contact: ContactID, _ anchor: PageAnchor, limit: Int
    ) async throws(StoreError) -> [ChatMessage] {
        let limit = max(0, limit)
        return try await reader.perform { connection throws(StoreError) in
            switch anchor {
            case .newest: try connection.page(contact, before: .max, limit: limit)
            case .before(let position): try connection.page(contact, before: position.rawValue, limit: limit)
            case .after(let position): try connection.page(contact, after: position.rawValue, limit: limit)
            case .around(let position):
                try connection.page(contact, before: position.rawValue, limit: limit / 2)
                    + connection.page(contact, after: position.rawValue - 1, limit: limit - limit / 2)
            }
        }
    }

    package func page(
        of contact: ContactID, _ anchor: PageAnchor, shown span: ShownSpan, limit: Int
    ) async throws(StoreError) -> [ChatMessage] {
        guard !span.isUnlimited else { return try await page(of: contact, anchor, limit: limit) }
        let limit = max(0, limit)
        return try await reader.snapshot { connection throws(StoreError) in
            func page(
                _ side: SQLiteConnection.Side, _ position: Int64, _ limit: Int
            ) throws(StoreError) -> [ChatMessage] {
                try connection.page(contact, shown: span, side, position, limit: limit)
            }
            return switch anchor {
            case .newest: try page(.before, .max, limit)
            case .before(let position): try page(.before, position.rawValue, limit)
            case .after(let position): try page(.after, position.rawValue, limit)
            case .around(let position):
                try page(.before, position.rawValue, limit / 2)
                    + page(.after, position.rawValue &- 1, limit - limit / 2)
            }
        }
    }

    package func firstMessage(of contact: ContactID, since time: Timestamp) async throws(StoreError) -> ChatMessage? {
        try await reader.perform { connection throws(StoreError) in
            let position = try connection.position(storedSince: time, of: contact)
            return try connection.page(contact, after: position &- 1, limit: 1).first
        }
    }

    package func markSeen(contact: ContactID, upTo position: HistoryPosition) async throws(StoreError) -> MessageID? {
        try await writer.write { connection throws(StoreError) in
            try connection.run(
                "UPDATE conversations SET seen = ?1 WHERE contact = ?2 AND seen < ?1", .integer(position.rawValue),
                .integer(contact.rawValue))
            guard connection.changedRows > 0 else { return nil }
            try connection.run(
                """
                UPDATE conversations SET unread =
                    (SELECT count(*) FROM messages WHERE contact = ?1 AND outgoing = 0 AND position > ?2)
                WHERE contact = ?1
                """,
                .integer(contact.rawValue), .integer(position.rawValue))
            return try connection.unsentReceipt(for: contact)
        }
    }

    package func markUnread(contact: ContactID, from position: HistoryPosition) async throws(StoreError) {
        try await writer.write { connection throws(StoreError) in
            try connection.run(
                "UPDATE conversations SET seen = min(seen, ?1) WHERE contact = ?2",
                .integer(position.rawValue &- 1), .integer(contact.rawValue))
            try connection.recount(contact)
        }
    }

    package func unsentReadReceipt(for contact: ContactID) async throws(StoreError) -> MessageID? {
        try await reader.perform { connection throws(StoreError) in try connection.unsentReceipt(for: contact) }
    }

    package func confirmReadReceipt(contact: ContactID, upTo id: MessageID) async throws(StoreError) {
        try await writer.write { connection throws(StoreError) in
            try connection.run(
                """
                UPDATE conversations SET receipt_confirmed = max(receipt_confirmed, coalesce(
                    (SELECT position FROM messages WHERE contact = ?1 AND outgoing = 0 AND id = ?2), 0))
                WHERE contact = ?1
                """,
                .integer(contact.rawValue), .text(id.text))
        }
    }
}

extension SQLiteConnection {
    /// The position of the first message that was stored at `time` or later, the one after the last when there is none.
    ///
    /// Rows are stored in the order of their positions, so halving finds it with some 20 looks in any history. Where a
    /// clock was set back in between, or messages were imported, it is one of the places where earlier and later times
    /// meet: good enough to go there, and not to leave anything out (`ShownTimes`).
    fileprivate func position(storedSince time: Timestamp, of contact: ContactID) throws(StoreError) -> Int64 {
        let select = "SELECT position, stored FROM messages WHERE contact = ?2 AND "
        let values = [SQLiteValue.integer(contact.rawValue)]
        let read: (SQLiteRow) -> (position: Int64, stored: Int64) = { ($0.integer(0), $0.integer(1)) }
        func next(from position: Int64) throws(StoreError) -> (position: Int64, stored: Int64)? {
            try first(select + "position >= ?1 ORDER BY position LIMIT 1", [.integer(position)] + values, read)
        }
        let newest = try first(
            select + "position <= ?1 ORDER BY position DESC LIMIT 1", [.integer(.max)] + values, read)
        guard let oldest = try next(from: .min), let newest else { return 1 }
        var low = oldest.position
        var high = newest.position &+ 1
        while low < high {
            // The middle without overflow.
            let middle = (low & high) + ((low ^ high) >> 1)
            if let found = try next(from: middle), found.stored < time.milliseconds {
                low = max(found.position, middle) &+ 1
            } else {
                high = middle
            }
        }
        return low
    }

    /// Up to `limit` messages before `position`, oldest first.
    fileprivate func page(
        _ contact: ContactID, before position: Int64, limit: Int
    ) throws(StoreError) -> [ChatMessage] {
        try all(
            MessageRow.select() + " WHERE m.contact = ? AND m.position < ? ORDER BY m.position DESC LIMIT ?",
            [.integer(contact.rawValue), .integer(position), .integer(Int64(limit))], MessageRow.message
        ).reversed()
    }

    /// Up to `limit` messages after `position`, oldest first.
    fileprivate func page(
        _ contact: ContactID, after position: Int64, limit: Int
    ) throws(StoreError) -> [ChatMessage] {
        try all(
            MessageRow.select() + " WHERE m.contact = ? AND m.position > ? ORDER BY m.position LIMIT ?",
            [.integer(contact.rawValue), .integer(position), .integer(Int64(limit))], MessageRow.message)
    }

    /// Up to `limit` messages in a span of time that are next to `position`, before or after it, oldest first.
    fileprivate func page(
        _ contact: ContactID, shown span: ShownSpan, _ side: Side, _ position: Int64, limit: Int
    ) throws(StoreError) -> [ChatMessage] {
        let (comparison, direction) = side == .before ? ("<", "DESC") : (">", "ASC")
        let block = SQLiteValue.integer(ShownTimes.block(of: position))
        // Without the sign SQLite may begin each block at the position that we asked for.
        let wanted: [(condition: String, value: SQLiteValue)] =
            [("m.contact = ?", .integer(contact.rawValue)), ("+m.position \(comparison) ?", .integer(position))]
            + ShownTimes.messages(in: span)
        let places = [
            (
                ShownTimes.source, [("b.block \(comparison)= ?", block)] + ShownTimes.blocks(in: span) + wanted,
                "b.block \(direction), m.position"
            ),
            // Messages that wait to be taken in there have a query of their own.
            ("waiting u CROSS JOIN messages m ON m.position = u.position", wanted, "u.position"),
        ]
        var found: [HistoryPosition: ChatMessage] = [:]
        for (source, conditions, order) in places {
            let messages = try all(
                MessageRow.select(from: source) + " WHERE \(conditions.map(\.condition).joined(separator: " AND "))"
                    + " ORDER BY \(order) \(direction) LIMIT ?",
                conditions.map(\.value) + [.integer(Int64(limit))], MessageRow.message)
            for message in messages { found[message.position] = message }
        }
        let messages = found.values.sorted { $0.position < $1.position }
        return Array(side == .before ? messages.suffix(limit) : messages.prefix(limit))
    }

    fileprivate enum Side { case before, after }

    /// The last incoming message that our user has seen, unless the peer knows that already.
    fileprivate func unsentReceipt(for contact: ContactID) throws(StoreError) -> MessageID? {
        let id = try first(
            """
            SELECT m.id FROM messages m JOIN conversations v ON v.contact = m.contact
            WHERE m.contact = ? AND m.outgoing = 0 AND m.position <= v.seen AND m.position > v.receipt_confirmed
            ORDER BY m.position DESC LIMIT 1
            """,
            [.integer(contact.rawValue)]
        ) { row in row.text(0) }
        return id.flatMap { MessageID($0) }
    }
}
