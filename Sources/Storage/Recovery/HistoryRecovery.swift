// Saves what can be read of a damaged history into a new one: it looks for rows on every leaf page of the file, whether
// or not anything still leads to it.

package import ChatCore

package enum HistoryRecovery {
    /// The result of a recovery, in numbers.
    package struct Summary: Sendable, Equatable {
        package var messages = 0
        package var contacts = 0
        /// Contacts whose rows are lost, but not what they said: they are called "recovered N".
        package var namelessContacts = 0
        /// Pages that hold nothing that could be read.
        package var unreadablePages = 0
    }

    /// Puts a recovered history in the place of the damaged one at `path`, which nobody may have open. The damaged files
    /// are kept under the name that is returned.
    package static func recover(at path: String) async throws(StoreError) -> (kept: String?, Summary) {
        let part = path + ".recovered"
        do throws(StoreError) {
            try FileSystem.removeDatabase(part)
            let database = try await HistoryDatabase.open(at: part)
            let summary = try await database.writer.perform { connection throws(StoreError) in
                let summary = try Self.fill(connection, from: path)
                // Nobody knows whose hand was in it.
                try RestoredFiles.settle(in: connection)
                return summary
            }
            await database.close()
            try FileSystem.sync(part)
            // From here on every start finishes what is left to do.
            try FileSystem.move(part, to: path + HistoryDatabase.restoredSuffix)
            return (try HistoryDatabase.finishRestore(path), summary)
        } catch {
            try? FileSystem.removeDatabase(part)
            throw error
        }
    }

    /// Reads `path` page by page into the empty history that `connection` has open.
    static func fill(_ connection: SQLiteConnection, from path: String) throws(StoreError) -> Summary {
        var summary = Summary()
        let pages = try RawPages(path: path)
        let reader = RawRecordReader(pages: pages)
        let tables = try RecoveredTable.all(in: connection)
        try connection.executeScript("PRAGMA foreign_keys = OFF; PRAGMA cache_size = -65536")
        try connection.transaction { () throws(StoreError) in
            for number in 1...max(pages.count, 1) {
                let records = reader.records(onPage: number)
                if records.isEmpty, !isEmptyOrInner(pages.page(number), isFirst: number == 1) {
                    summary.unreadablePages += 1
                }
                for record in records {
                    if let table = tables.first(where: { $0.accepts(record) }) {
                        try table.insert(record, in: connection)
                    }
                }
            }
            summary.namelessContacts = try mend(connection)
            try SearchIndex.rebuild(in: connection)
            func count(_ table: String) throws(StoreError) -> Int {
                try connection.first("SELECT count(*) FROM \(table)") { row in Int(clamping: row.integer(0)) } ?? 0
            }
            summary.messages = try count("messages")
            summary.contacts = try count("contacts")
        }
        try connection.executeScript("PRAGMA foreign_keys = ON; \(HistoryDatabase.usualCache)")
        return summary
    }

    /// A page of zeros, or one that leads to others and has no rows itself.
    private static func isEmptyOrInner(_ page: [UInt8], isFirst: Bool) -> Bool {
        guard let kind = page.dropFirst(isFirst ? 100 : 0).first else { return true }
        return kind == 0x05 || kind == 0x02 || page.allSatisfy { $0 == 0 }
            || ((kind == 0x0D || kind == 0x0A) && page.dropFirst(isFirst ? 103 : 3).prefix(2).allSatisfy { $0 == 0 })
    }

    /// Makes rows complete whose counterparts are lost. Returns how many contacts had to be made up.
    private static func mend(_ connection: SQLiteConnection) throws(StoreError) -> Int {
        try connection.executeScript(
            """
            INSERT INTO contacts(id, name, folded_name, addresses, trust, blocked, added)
                SELECT contact, 'recovered ' || contact, 'recovered ' || contact, '', 'unverified', 0, min(stored)
                FROM messages WHERE contact NOT IN (SELECT id FROM contacts) GROUP BY contact;
            """)
        let made = connection.changedRows
        try connection.executeScript(
            """
            INSERT OR IGNORE INTO conversations(contact) SELECT id FROM contacts;
            DELETE FROM transfers WHERE position NOT IN (SELECT position FROM messages WHERE text IS NULL);
            UPDATE messages SET text = '(a file; what was known of it is lost)'
                WHERE text IS NULL AND position NOT IN (SELECT position FROM transfers);
            """)
        try HistoryRepair.removeOrphans(in: connection)
        try HistoryRepair.failUnqueued(in: connection)
        try HistoryRepair.recountAll(in: connection)
        return made
    }
}

/// A table of the present schema, as rows of it look in a file.
private struct RecoveredTable {
    private struct Column {
        var name: String
        var isText: Bool
        var isRequired: Bool
        /// Stands for the row id, and is NULL in the record.
        var isRowID: Bool
    }

    private let name: String
    private let columns: [Column]
    private let hasRowIDs: Bool
    /// A record with fewer columns than the first version of the table had is not a row of it.
    private let minimumColumns: Int

    /// Tables whose rows we can tell apart; the indexes and figures are built again.
    private static let names: [(String, minimumColumns: Int)] = [
        ("messages", 11), ("contacts", 9), ("transfers", 18), ("operations", 13), ("held", 14), ("contact_requests", 6),
        ("conversations", 7), ("outbox", 5), ("drafts", 2), ("settings", 2), ("gaps", 5),
    ]

    static func all(in connection: SQLiteConnection) throws(StoreError) -> [RecoveredTable] {
        var tables: [RecoveredTable] = []
        for (name, minimumColumns) in names {
            let columns = try connection.all("PRAGMA table_info(\(name))") { row in
                Column(
                    name: row.text(1), isText: row.text(2) == "TEXT", isRequired: row.flag(3),
                    isRowID: row.text(2) == "INTEGER" && row.flag(5))
            }
            guard !columns.isEmpty else { continue }
            tables.append(
                RecoveredTable(
                    name: name, columns: columns, hasRowIDs: name != "settings" && name != "gaps",
                    minimumColumns: minimumColumns))
        }
        return tables
    }

    /// Whether a record can be a row of this table: as many columns as some version had, each of its kind.
    func accepts(_ record: RawRecord) -> Bool {
        guard hasRowIDs == (record.rowID != nil), record.values.count >= minimumColumns,
            record.values.count <= columns.count
        else { return false }
        for (column, value) in zip(columns, record.values) {
            switch value {
            case .null: if column.isRequired && !column.isRowID { return false }
            case .integer: if column.isText || column.isRowID { return false }
            case .text(let text):
                guard column.isText else { return false }
                if column.name == "id", MessageID(text) == nil { return false }
            case .real, .blob: return false
            }
        }
        return true
    }

    /// The first one with a row id or a key stays.
    func insert(_ record: RawRecord, in connection: SQLiteConnection) throws(StoreError) {
        let used = columns.prefix(record.values.count)
        let values: [SQLiteValue] = zip(used, record.values).map { column, value in
            if column.isRowID { return .integer(record.rowID ?? 0) }
            return switch value {
            case .integer(let integer): .integer(integer)
            case .text(let text): .text(text)
            case .null, .real, .blob: .null
            }
        }
        let places = Array(repeating: "?", count: used.count).joined(separator: ", ")
        try connection.forEachRow(
            "INSERT OR IGNORE INTO \(name)(\(used.map(\.name).joined(separator: ", "))) VALUES (\(places))", values
        ) { _ in true }
    }
}
