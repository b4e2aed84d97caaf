// Puts right what can be made from the messages: figures, leftovers, the search indexes.

internal import ChatCore

enum HistoryRepair {
    /// Rows that belong to nothing, by the word for them. Each is a table and a condition.
    static let orphans: [(what: String, table: String, condition: String)] = [
        ("conversations without a contact", "conversations", "contact NOT IN (SELECT id FROM contacts)"),
        ("messages without a contact", "messages", "contact NOT IN (SELECT id FROM contacts)"),
        ("files without a message", "transfers", "position NOT IN (SELECT position FROM messages)"),
        (
            "queued messages that do not exist", "outbox",
            "position IS NOT NULL AND position NOT IN (SELECT position FROM messages)"
        ),
        (
            "queued changes that do not exist", "outbox",
            "operation IS NOT NULL AND operation NOT IN (SELECT number FROM operations)"
        ),
        ("queue entries for nobody", "outbox", "contact NOT IN (SELECT id FROM contacts)"),
        ("changes without a contact", "operations", "contact NOT IN (SELECT id FROM contacts)"),
        ("held messages without a contact", "held", "contact NOT IN (SELECT id FROM contacts)"),
        ("gaps without a contact", "gaps", "contact NOT IN (SELECT id FROM contacts)"),
        ("drafts without a contact", "drafts", "contact NOT IN (SELECT id FROM contacts)"),
    ]

    /// Messages whose contact is gone keep a contact of the number that they name; every contact has a conversation. What
    /// was in it counts as read.
    static func adopt(in connection: SQLiteConnection) throws(StoreError) {
        try connection.run(
            """
            INSERT OR IGNORE INTO contacts(id, name, folded_name, addresses, trust, added)
            SELECT DISTINCT contact, 'recovered ' || contact, 'recovered ' || contact, '', 'unverified', 0 FROM messages
            WHERE contact > 0 AND contact NOT IN (SELECT id FROM contacts)
            """)
        try connection.run(
            """
            INSERT INTO conversations(contact, seen)
            SELECT id, coalesce((SELECT max(position) FROM messages WHERE contact = contacts.id), 0) FROM contacts
            WHERE \(lonely)
            """)
    }

    /// Contacts that no conversation belongs to.
    static let lonely = "id NOT IN (SELECT contact FROM conversations)"

    static func removeOrphans(in connection: SQLiteConnection) throws(StoreError) {
        for (_, table, condition) in orphans { try connection.run("DELETE FROM \(table) WHERE \(condition)") }
    }

    /// Own messages that look as if they were on their way, and that nothing sends: not even a restart would. In a room whose
    /// server confirms nothing, that is all that is ever known of what was emitted.
    static let unqueued = """
        outgoing = 1 AND (state = 0 OR state = 1 AND contact NOT IN (SELECT id FROM contacts WHERE kind = 2))
            AND position NOT IN (SELECT position FROM outbox WHERE position IS NOT NULL)
        """

    /// They failed, so that somebody sees it and sends them again, or not: it may have been long ago.
    static func failUnqueued(in connection: SQLiteConnection) throws(StoreError) {
        try connection.run(
            "UPDATE messages SET state = ?, reason = ? WHERE \(unqueued)", .integer(Int64(DeliveryState.failedRank)),
            .text(DeliveryFailure.placeLost.stored))
    }

    /// Conversations whose row does not say what the messages say.
    static let wrongFigures = """
        contact IN (SELECT v.contact FROM conversations v WHERE
            coalesce(v.last_message, 0) NOT IN (coalesce((SELECT max(position) FROM messages m WHERE m.contact = v.contact), 0))
            OR v.message_count <> (SELECT count(*) FROM messages m WHERE m.contact = v.contact)
            OR v.unread <> (SELECT count(*) FROM messages m
                WHERE m.contact = v.contact AND m.outgoing = 0 AND m.position > v.seen))
        """

    static func recountAll(in connection: SQLiteConnection) throws(StoreError) {
        let contacts = try connection.all("SELECT contact FROM conversations") { row in ContactID(row.integer(0)) }
        for contact in contacts {
            try connection.recount(contact)
            try connection.raiseSequences(of: contact)
        }
    }
}
