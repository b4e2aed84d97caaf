// Deletion that deletes: from the tables, then from the indexes, from free pages and from the write-ahead log.

package import ChatCore

extension HistoryDatabase {
    /// Messages in one transaction, so that a long deletion lets sends through.
    fileprivate static let batch = 500
    /// So many go in one call of `deleteExpired`.
    fileprivate static let mostExpired = 20 * batch

    package func removeContact(_ id: ContactID) async throws(StoreError) {
        // The rows of the contact and of its conversation go last: until then this can be repeated.
        _ = try await deleteMessages(of: id, storedBefore: nil)
        try await writer.write { connection throws(StoreError) in
            let positions = try connection.positions("contact = ?", [.integer(id.rawValue)])
            try connection.delete(positions, of: id)
            try connection.run("DELETE FROM contacts WHERE id = ?", .integer(id.rawValue))
            try connection.markForPurge()
        }
    }

    package func deleteMessages(_ keys: [MessageKey], of contact: ContactID) async throws(StoreError) -> Int {
        try await writer.write { connection throws(StoreError) in
            var positions: [Int64] = []
            for key in keys {
                positions += try connection.positions(
                    "contact = ? AND outgoing = ? AND id = ?",
                    [.integer(contact.rawValue), .flag(key.direction == .outgoing), .text(key.id.text)])
            }
            return try connection.delete(positions, of: contact)
        }
    }

    package func deleteMessages(of contact: ContactID, storedBefore time: Timestamp?) async throws(StoreError) -> Int {
        var count = 0
        while true {
            let deleted = try await writer.write { connection throws(StoreError) in
                let positions = try connection.positions(
                    "contact = ? AND stored < ? ORDER BY position LIMIT \(Self.batch)",
                    [.integer(contact.rawValue), .integer(time?.milliseconds ?? .max)])
                let deleted = try connection.delete(positions, of: contact)
                if deleted == 0 {
                    try connection.deleteStrayOperations(
                        of: contact, storedBefore: time ?? Timestamp(milliseconds: .max))
                }
                return deleted
            }
            count += deleted
            guard deleted > 0 else { return count }
        }
    }

    // MARK: Retention

    package func retention(of contact: ContactID) async throws(StoreError) -> Retention? {
        try await reader.perform { connection throws(StoreError) in
            try connection.first(
                "SELECT keep_days FROM conversations WHERE contact = ?", [.integer(contact.rawValue)]
            ) { row in Retention(days: row.optionalInteger(0)) } ?? nil
        }
    }

    package func setRetention(_ retention: Retention?, of contact: ContactID) async throws(StoreError) {
        let days: Int64? =
            switch retention {
            case nil: nil
            case .forever: 0
            case .days(let days): Int64(days)
            }
        try await writer.write { connection throws(StoreError) in
            try connection.run(
                "UPDATE conversations SET keep_days = ? WHERE contact = ?", .optionalInteger(days),
                .integer(contact.rawValue))
            if connection.changedRows == 0 { throw .notFound }
        }
    }

    package func deleteExpired(_ rules: RetentionRules, now: Timestamp) async throws(StoreError) -> Set<ContactID> {
        var changed: Set<ContactID> = []
        for (contact, limit) in try await limits(rules, now: now) {
            // Going through a conversation costs, so that many are deleted for each look; sends get their turns between.
            let expired = try await writer.perform { connection throws(StoreError) in
                try connection.expired(of: contact, limit, now: now)
            }
            for start in stride(from: 0, to: expired.count, by: Self.batch) {
                let batch = Array(expired[start..<min(start + Self.batch, expired.count)])
                let deleted = try await writer.write { connection throws(StoreError) in
                    let unfinished = try connection.unfinished(of: contact)
                    return try connection.delete(batch.filter { !unfinished.contains($0) }, of: contact)
                }
                if deleted > 0 { changed.insert(contact) }
            }
            guard expired.isEmpty else { continue }
            try await writer.write { connection throws(StoreError) in
                try connection.deleteStrayOperations(of: contact, storedBefore: limit)
            }
        }
        return changed
    }

    package func expiredFiles(_ rules: RetentionRules, now: Timestamp) async throws(StoreError) -> [FileTransfer] {
        var files: [FileTransfer] = []
        for (contact, limit) in try await limits(rules, now: now) {
            files += try await writer.perform { connection throws(StoreError) in
                var files: [FileTransfer] = []
                for position in try connection.expired(of: contact, limit, now: now) {
                    let transfer = try connection.first(
                        """
                        SELECT \(TransferRow.columns) FROM transfers t
                        WHERE t.position = ? AND t.outgoing = 0 AND t.state = 'complete' AND \(RestoredFiles.isOurs)
                        """, [.integer(position)]
                    ) { row throws(StoreError) in try TransferRow.transfer(from: row) }
                    if let transfer { files.append(transfer) }
                }
                return files
            }
        }
        return files
    }

    /// The conversations that are not kept forever, and the times before which messages in them are too old.
    func limits(_ rules: RetentionRules, now: Timestamp) async throws(StoreError) -> [(ContactID, Timestamp)] {
        try await reader.perform { connection throws(StoreError) in
            let limits = try connection.all(
                "SELECT c.id, c.name, v.keep_days FROM contacts c JOIN conversations v ON v.contact = c.id"
            ) { row in
                let own = Retention(days: row.optionalInteger(2))
                return (ContactID(row.integer(0)), rules.retention(named: row.text(1), own: own).limit(at: now))
            }
            return limits.compactMap { contact, limit in limit.map { (contact, $0) } }
        }
    }

    // MARK: Purging

    package func purge() async throws(StoreError) {
        guard let mark = try await setting(Self.purgeKey) else { return }
        for table in SearchIndex.tables {
            try await writer.write { connection throws(StoreError) in
                try SearchIndex.purge(table, in: connection)
            }
        }
        // A copy from before a migration still has what was deleted.
        for copy in Migration.copies(of: path) { try FileSystem.remove(copy) }
        try await truncateLog()
        // A deletion in the meantime has set another mark, and is purged at the next call.
        try await writer.write { connection throws(StoreError) in
            try connection.run(
                "DELETE FROM settings WHERE key = ? AND value = ?", .text(Self.purgeKey), .text(mark))
        }
    }

    /// Folds the log into the file and empties it; a reader that is busy now holds it up for a moment.
    private func truncateLog() async throws(StoreError) {
        try await writer.perform { connection throws(StoreError) in try connection.checkpoint(.truncate) }
    }

    /// Is in the settings from a deletion to the end of its purge.
    static let purgeKey = "purge"
}

extension Retention {
    /// As the database has it: NULL for none, 0 forever.
    fileprivate init?(days: Int64?) {
        guard let days else { return nil }
        // A repaired or copied database may say anything.
        self = days > 0 ? .days(min(Int(clamping: days), Self.maximumDays)) : .forever
    }
}

extension SQLiteConnection {
    fileprivate func positions(_ condition: String, _ values: [SQLiteValue]) throws(StoreError) -> [Int64] {
        try all("SELECT position FROM messages m WHERE \(condition)", values) { row in row.integer(0) }
    }

    /// The next messages that are older than a conversation keeps, without those that may not go yet.
    fileprivate func expired(
        of contact: ContactID, _ limit: Timestamp, now: Timestamp
    ) throws(StoreError) -> [Int64] {
        // Mostly there is none, and then nothing has to be compared.
        guard
            try has(
                "SELECT 1 FROM messages WHERE contact = ? AND stored < ?", .integer(contact.rawValue),
                .integer(limit.milliseconds))
        else { return [] }
        let rows = try all(
            "SELECT position, stored, CASE outgoing WHEN 0 THEN sent END FROM messages WHERE contact = ? ORDER BY position",
            [.integer(contact.rawValue)]
        ) { row in MessageAges.Row(position: row.integer(0), stored: row.integer(1), sent: row.optionalInteger(2)) }
        let unfinished = try unfinished(of: contact)
        let expired = MessageAges(limit: limit, now: now).expired(rows).lazy.filter { !unfinished.contains($0) }
        return Array(expired.prefix(HistoryDatabase.mostExpired))
    }

    /// Messages that wait for delivery stay, and so do those with edits or retractions still to do on the peer's side.
    fileprivate func unfinished(of contact: ContactID) throws(StoreError) -> Set<Int64> {
        Set(
            try all(
                """
                SELECT position FROM outbox WHERE contact = ?1 AND position IS NOT NULL
                UNION ALL SELECT m.position FROM outbox o JOIN operations p ON p.number = o.operation
                    JOIN messages m ON m.contact = o.contact AND m.outgoing IN (0, 1) AND m.id = p.target
                    WHERE o.contact = ?1
                UNION ALL SELECT t.position FROM transfers t
                    WHERE t.state IN ('offered', 'accepted', 'running', 'paused') AND t.contact = ?1
                """, [.integer(contact.rawValue)]
            ) { row in row.integer(0) })
    }

    /// Deletes operations on messages that are not here: nobody sees them, and they hold texts, too.
    fileprivate func deleteStrayOperations(
        of contact: ContactID, storedBefore limit: Timestamp
    ) throws(StoreError) {
        try run(
            """
            DELETE FROM operations WHERE contact = ?1 AND stored < ?2
                AND number NOT IN (SELECT operation FROM outbox WHERE contact = ?1 AND operation IS NOT NULL)
                AND NOT EXISTS (SELECT 1 FROM messages m
                    WHERE m.contact = ?1 AND m.outgoing IN (0, 1) AND m.id = operations.target)
            """, .integer(contact.rawValue), .integer(limit.milliseconds))
        if changedRows > 0 { try markForPurge() }
    }

    /// Deletes messages with all that hangs on them, and brings the conversation's figures up to date.
    @discardableResult fileprivate func delete(_ positions: [Int64], of contact: ContactID) throws(StoreError) -> Int {
        guard !positions.isEmpty else { return 0 }
        for position in positions {
            try SearchIndex.remove(position, in: self)
            try retractUnsent(at: position, of: contact)
            try emptyWaitingEdits(ofMessageAt: position, of: contact)
            // Edits hold texts, too. A retraction or a reaction that waits is still to be said. What is done to a message of
            // the other side with the same id is not meant.
            try run(
                """
                DELETE FROM operations WHERE contact = ?2
                    AND target = (SELECT id FROM messages WHERE position = ?1)
                    AND CASE kind WHEN 'react' THEN NOT EXISTS (SELECT 1 FROM messages t, messages m
                            WHERE m.position = ?1 AND t.contact = ?2 AND t.outgoing = 1 - m.outgoing AND t.id = m.id)
                        ELSE outgoing = (SELECT outgoing FROM messages WHERE position = ?1) END
                    AND NOT (outgoing = 1 AND kind <> 'edit'
                        AND number IN (SELECT operation FROM outbox WHERE contact = ?2))
                """, .integer(position), .integer(contact.rawValue))
            try run("DELETE FROM messages WHERE position = ?", .integer(position))
        }
        try ShownTimes.update(positions, in: self)
        try run(
            """
            DELETE FROM outbox WHERE contact = ? AND (
                (position IS NOT NULL AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.position = outbox.position))
                OR (operation IS NOT NULL AND NOT EXISTS (SELECT 1 FROM operations o WHERE o.number = operation)))
            """, .integer(contact.rawValue))
        try recount(contact)
        try markForPurge()
        return positions.count
    }

    /// A message that was never handed to a connection does not go out. Retractions take its place and number, and
    /// those of changes queued for it: otherwise the peer would miss the number, wait for it and show a gap.
    private func retractUnsent(at position: Int64, of contact: ContactID) throws(StoreError) {
        guard let message = try message(at: position), message.direction == .outgoing, message.state == .pending
        else { return }
        let place = try first(
            "DELETE FROM outbox WHERE contact = ? AND position = ? RETURNING id",
            [.integer(contact.rawValue), .integer(position)]
        ) { row in row.integer(0) }
        guard let place else { return }
        let retraction = ChatOperation(
            id: MessageID(at: message.sent), contact: contact, direction: .outgoing, sequence: message.sequence,
            sent: message.sent, stored: message.stored, state: .pending, target: message.id, action: .retract)
        try run(
            "INSERT INTO outbox(id, contact, operation) VALUES (?, ?, ?)", .integer(place),
            .integer(contact.rawValue), .integer(try insertOperation(retraction, numbering: 0)))
        try run(
            """
            UPDATE operations SET kind = 'retract', text = NULL WHERE contact = ?1 AND outgoing = 1 AND target = ?2
                AND number IN (SELECT operation FROM outbox WHERE contact = ?1)
            """, .integer(contact.rawValue), .text(message.id.text))
    }

    /// An edit that waits goes with its message. The peer would miss its number, so the reaction that this side has
    /// shown anyhow is said once more in its place.
    private func emptyWaitingEdits(ofMessageAt position: Int64, of contact: ContactID) throws(StoreError) {
        try run(
            """
            UPDATE operations SET kind = 'react', text = (SELECT own_reaction FROM messages WHERE position = ?1)
            WHERE contact = ?2 AND outgoing = 1 AND kind = 'edit'
                AND target = (SELECT id FROM messages WHERE position = ?1)
                AND number IN (SELECT operation FROM outbox WHERE contact = ?2)
            """, .integer(position), .integer(contact.rawValue))
    }

    /// Counts anew what a conversation's row says of its messages.
    func recount(_ contact: ContactID) throws(StoreError) {
        try run(
            """
            UPDATE conversations SET
                last_message = (SELECT max(position) FROM messages WHERE contact = ?1),
                message_count = (SELECT count(*) FROM messages WHERE contact = ?1),
                unread = (SELECT count(*) FROM messages WHERE contact = ?1 AND outgoing = 0 AND position > seen)
            WHERE contact = ?1
            """, .integer(contact.rawValue))
    }

    fileprivate func markForPurge() throws(StoreError) {
        try run(
            """
            INSERT INTO settings(key, value) VALUES (?, '1')
            ON CONFLICT(key) DO UPDATE SET value = CAST(value + 1 AS TEXT)
            """, .text(HistoryDatabase.purgeKey))
    }
}
