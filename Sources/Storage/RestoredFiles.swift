// The files of a history that was put back: its rows say which file of this disk goes to whom, and it may come from
// anybody. So nothing is given or written by their word: what was offered is offered again by our user, or not.

internal import ChatCore

enum RestoredFiles {
    /// In the settings: transfers up to this number came with a copy, and nothing is deleted by what their rows say.
    static let key = "restored.transfers"

    /// Ends what this side has offered, and tells the other side so; what it was about to receive is an offer again.
    /// In the words of every version of the schema.
    static func settle(in connection: SQLiteConnection) throws(StoreError) {
        let unfinished = "state IN ('offered', 'accepted', 'running', 'paused')"
        try connection.transaction { () throws(StoreError) in
            try connection.run(
                "DELETE FROM outbox WHERE transfer IN (SELECT id FROM transfers WHERE outgoing = 1 AND \(unfinished))")
            try connection.run(
                """
                INSERT INTO outbox(contact, transfer, transfer_state)
                SELECT contact, id, 'failed' FROM transfers WHERE outgoing = 1 AND \(unfinished) ORDER BY number
                """)
            try connection.run(
                """
                UPDATE transfers SET state = 'failed', reason = ?, finished = coalesce(started, offered)
                WHERE outgoing = 1 AND \(unfinished)
                """, .text(TransferReason.historyRestored.stored))
            try connection.run(
                """
                UPDATE transfers SET state = 'offered', reason = NULL, transferred = 0, path = NULL, started = NULL
                WHERE outgoing = 0 AND \(unfinished)
                """)
            try connection.run(
                """
                INSERT INTO settings(key, value) VALUES (?1, (SELECT coalesce(max(number), 0) FROM transfers))
                ON CONFLICT(key) DO UPDATE SET value = excluded.value
                """, .text(key))
        }
    }

    /// The condition for a transfer `t` that did not come with a copy.
    static let isOurs = """
        t.number > coalesce((SELECT CAST(value AS INTEGER) FROM settings WHERE key = '\(key)'), 0)
        """
}
