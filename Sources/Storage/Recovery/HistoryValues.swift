// Values that this program never writes: a byte that flipped within a cell, or the hand of another program. SQLite keeps
// no checksum of cells, so the structure of such a file is sound; the readers are what finds them.

internal import ChatCore

enum HistoryValues {
    /// A row that cannot be read.
    struct Row: Equatable {
        var table: Table
        var number: Int64
    }

    enum Table: String, CaseIterable {
        case contacts, requests, transfers, messages, operations, outbox, held, conversations
    }

    /// Every row that a reader would refuse.
    static func unreadable(in connection: SQLiteConnection) throws(StoreError) -> [Row] {
        var rows: [Row] = []
        for table in Table.allCases {
            rows += try unreadable(table, in: connection).map { Row(table: table, number: $0) }
        }
        return rows
    }

    /// `contacts row 1, messages row 20 and 3 more`
    static func words(_ rows: [Row]) -> String {
        let named = rows.prefix(5).map { "\($0.table.rawValue) row \($0.number)" }.joined(separator: ", ")
        return rows.count > 5 ? "\(named) and \(rows.count - 5) more" : named
    }

    private static func unreadable(
        _ table: Table, in connection: SQLiteConnection
    ) throws(StoreError) -> [Int64] {
        switch table {
        case .contacts:
            let sql = "SELECT \(ContactRow.columns) FROM contacts c"
            return try refused(sql, number: 0, in: connection) { row throws(StoreError) in
                _ = try ContactRow.peer(from: row)
            }
        case .requests:
            return try refused(HistoryDatabase.selectRequests, number: 0, in: connection) { row throws(StoreError) in
                _ = try HistoryDatabase.request(from: row)
            }
        case .transfers:
            return try refusedTransfers("", [], in: connection)
        case .messages:
            // We have looked at a file's own row, and at a change's, too.
            return try refused(MessageRow.select(), number: 1, in: connection) { row throws(StoreError) in
                guard MessageID(row.text(0)) != nil, !row.isNull(10) || !row.isNull(22) else {
                    throw MessageRow.damaged("a message")
                }
                if row.flag(3) { _ = try MessageRow.deliveryState(rank: row.integer(7), reason: row.text(8)) }
            }
        case .operations:
            let sql = "SELECT \(OperationRow.columns), o.number FROM operations o"
            return try refused(sql, number: 11, in: connection) { row throws(StoreError) in
                _ = try OperationRow.operation(from: row)
            }
        case .outbox:
            let sql = """
                SELECT id, transfer, transfer_state FROM outbox WHERE position IS NULL AND operation IS NULL
                """
            let unreadable = try refused(sql, number: 0, in: connection) { row throws(StoreError) in
                guard MessageID(row.text(1)) != nil, FileTransfer.State(rawValue: row.text(2)) != nil else {
                    throw MessageRow.damaged("an outbox entry")
                }
            }
            let misled = try connection.all("SELECT id FROM outbox WHERE contact <> \(addressee)") { row in
                row.integer(0)
            }
            return unreadable + misled
        case .held:
            let sql = "SELECT \(SQLiteConnection.heldColumns), number FROM held"
            let unreadable = try refused(sql, number: 17, in: connection) { row throws(StoreError) in
                _ = try SQLiteConnection.heldMessage(from: row)
            }
            // Nothing is held back that is so far ahead: it would wait forever.
            let ahead = try connection.all(
                """
                SELECT number FROM held JOIN conversations v USING (contact)
                WHERE sequence < 1 OR sequence - \(SequenceOrder.largestGap) > v.expected_sequence
                """
            ) { row in row.integer(0) }
            return unreadable + ahead.filter { !unreadable.contains($0) }
        case .conversations:
            let sql = "SELECT contact FROM conversations WHERE \(wrongCounters)"
            return try connection.all(sql) { row in row.integer(0) }
        }
    }

    /// Whose message or change an entry of the outbox is; NULL for news of a transfer.
    private static let addressee = """
        coalesce((SELECT m.contact FROM messages m WHERE m.position = outbox.position),
            (SELECT o.contact FROM operations o WHERE o.number = outbox.operation))
        """

    /// The last position that was given to a message.
    private static let lastPosition = "coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'messages'), 0)"

    /// Numbers that nobody reaches by counting, beyond which further counting would fail; and marks beyond every
    /// message, which would make all messages still to come count as read.
    private static let wrongCounters = """
        next_sequence NOT BETWEEN 1 AND 4611686018427387904 OR expected_sequence NOT BETWEEN 1 AND 4611686018427387904
            OR seen > \(lastPosition) OR receipt_confirmed > \(lastPosition)
        """

    /// The numbers, which are in the column `number`, of the rows that `read` refuses.
    private static func refused(
        _ sql: String, _ values: [SQLiteValue] = [], number: Int32, in connection: SQLiteConnection,
        _ read: (SQLiteRow) throws(StoreError) -> Void
    ) throws(StoreError) -> [Int64] {
        var numbers: [Int64] = []
        try connection.forEachRow(sql, values) { row in
            do throws(StoreError) { try read(row) } catch { numbers.append(row.integer(number)) }
            return true
        }
        return numbers
    }

    private static func refusedTransfers(
        _ condition: String, _ values: [SQLiteValue], in connection: SQLiteConnection
    ) throws(StoreError) -> [Int64] {
        let sql = "SELECT \(TransferRow.columns) FROM transfers t \(condition)"
        return try refused(sql, values, number: 1, in: connection) { row throws(StoreError) in
            _ = try TransferRow.transfer(from: row)
        }
    }

    // MARK: Mending

    private static let reason = SQLiteValue.text(DeliveryFailure.stateDamaged.stored)

    /// Puts readable values in place of unreadable ones, erring on the safe side: unknown trust becomes no trust, an
    /// unknown state becomes a failure. A row that nobody can make sense of and nobody sees (a change, an entry of the
    /// outbox) is deleted.
    static func mend(_ rows: [Row], in connection: SQLiteConnection) throws(StoreError) {
        for row in rows { try mend(row, in: connection) }
    }

    private static func mend(_ row: Row, in connection: SQLiteConnection) throws(StoreError) {
        let number = SQLiteValue.integer(row.number)
        switch row.table {
        case .contacts: try mendContact(number, in: connection)
        case .requests: try connection.run("DELETE FROM contact_requests WHERE id = ?", number)
        case .transfers: try mendTransfer(number, in: connection)
        case .messages: try mendMessage(number, in: connection)
        case .operations: try connection.run("DELETE FROM operations WHERE number = ?", number)
        case .outbox:
            // A message waits for its own contact; news of a file that nobody can read are for nobody.
            try connection.run(
                "UPDATE outbox SET contact = \(addressee) WHERE id = ? AND \(addressee) IS NOT NULL", number)
            try connection.run("DELETE FROM outbox WHERE id = ? AND \(addressee) IS NULL", number)
        case .held: try connection.run("DELETE FROM held WHERE number = ?", number)
        case .conversations:
            // Counted anew afterwards, from the messages.
            try connection.run(
                """
                UPDATE conversations SET next_sequence = 1, expected_sequence = 1, seen = min(seen, \(lastPosition)),
                    receipt_confirmed = min(receipt_confirmed, \(lastPosition))
                WHERE contact = ?
                """, number)
        }
    }

    private static func mendContact(_ number: SQLiteValue, in connection: SQLiteConnection) throws(StoreError) {
        let key = try connection.first("SELECT peer_id FROM contacts WHERE id = ?", [number]) { row in row.text(0) }
        // The user has to compare keys again with whichever peer answers there next.
        if PeerID(key ?? "") == nil { try connection.run("UPDATE contacts SET peer_id = NULL WHERE id = ?", number) }
        try connection.run(
            "UPDATE contacts SET trust = ?, verified_at = NULL WHERE id = ?", .text(PeerTrust.unverified.rawValue),
            number)
        // Where a room is cannot be guessed: what was said there stays, as with somebody of whom no address is known.
        let isReadable = try connection.first(
            "SELECT \(ContactRow.columns) FROM contacts c WHERE c.id = ?", [number]
        ) { row in (try? ContactRow.peer(from: row)) != nil }
        guard isReadable == false else { return }
        try connection.run("UPDATE contacts SET kind = 0, room = NULL, room_left = 0 WHERE id = ?", number)
    }

    private static func mendTransfer(_ number: SQLiteValue, in connection: SQLiteConnection) throws(StoreError) {
        let found = try connection.first(
            "SELECT t.id, t.state, m.id FROM transfers t LEFT JOIN messages m ON m.position = t.position WHERE t.number = ?",
            [number]
        ) { row in (row.text(0), row.text(1), row.text(2)) }
        guard let (id, state, message) = found else { return }
        if MessageID(id) == nil {
            // One id for both; where the message has none either, it is given the one that is made here.
            let new = MessageID(message) ?? MessageID(at: Timestamp(milliseconds: 0))
            try connection.run("UPDATE transfers SET id = ? WHERE number = ?", .text(new.text), number)
            try connection.run(
                "UPDATE messages SET id = ? WHERE position = (SELECT position FROM transfers WHERE number = ?)",
                .text(new.text), number)
        }
        if FileTransfer.State(rawValue: state) == nil {
            try connection.run(
                "UPDATE transfers SET state = ?, reason = ? WHERE number = ?",
                .text(FileTransfer.State.failed.rawValue), .text(TransferReason.stateDamaged.stored), number)
        }
        try connection.run(
            "UPDATE transfers SET size = max(size, 0), transferred = max(transferred, 0) WHERE number = ?", number)
        // If the row is still refused, the fault is in its place in a folder.
        guard try !refusedTransfers("WHERE t.number = ?", [number], in: connection).isEmpty else { return }
        try connection.run(
            """
            UPDATE transfers SET folder_set = NULL, folder = NULL, folder_files = NULL, folder_bytes = NULL
            WHERE number = ?
            """, number)
    }

    private static func mendMessage(_ position: SQLiteValue, in connection: SQLiteConnection) throws(StoreError) {
        let id = try connection.first("SELECT id FROM messages WHERE position = ?", [position]) { row in row.text(0) }
        if MessageID(id ?? "") == nil {
            let new = MessageID(at: Timestamp(milliseconds: 0))
            try connection.run("UPDATE messages SET id = ? WHERE position = ?", .text(new.text), position)
            try connection.run("UPDATE transfers SET id = ? WHERE position = ?", .text(new.text), position)
        }
        try connection.run(
            """
            UPDATE messages SET text = char(65533) WHERE position = ?1 AND text IS NULL
                AND NOT EXISTS (SELECT 1 FROM transfers WHERE position = ?1)
            """, position)
        // Whatever is not incoming is ours.
        try connection.run("UPDATE messages SET outgoing = 1 WHERE position = ? AND outgoing NOT IN (0, 1)", position)
        try connection.run(
            "UPDATE messages SET state = ?, reason = ? WHERE position = ? AND outgoing = 1 AND state NOT BETWEEN 0 AND 4",
            .integer(Int64(DeliveryState.failedRank)), reason, position)
    }
}
