// One SQLite connection. It is confined to the serial queue of its `DatabaseQueue` and opened without SQLite's own mutexes.

internal import CSQLite
internal import ChatCore

/// A connection with a cache of prepared statements. Not thread-safe: exactly one queue uses it.
final class SQLiteConnection {
    enum Mode {
        case readWrite
        case readOnly
    }

    let path: String
    private let handle: OpaquePointer
    private var statements: [String: SQLiteStatement] = [:]

    /// Opens `path`; the file must exist already (`HistoryDatabase` creates it with the right permissions).
    init(path: String, mode: Mode) throws(StoreError) {
        var handle: OpaquePointer?
        let access = mode == .readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
        let code = sqlite3_open_v2(path, &handle, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard let handle, code == SQLITE_OK else {
            let reason = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
            sqlite3_close_v2(handle)
            throw StoreError(sqliteCode: code, reason: reason, path: path)
        }
        self.path = path
        self.handle = handle
        sqlite3_busy_timeout(handle, 5_000)
        // Never trust the schema of a file from elsewhere to run functions, and never write the word "x" as a string.
        _ = csqlite_db_config_int(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
        _ = csqlite_db_config_int(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        _ = csqlite_db_config_int(handle, SQLITE_DBCONFIG_DQS_DML, 0)
    }

    deinit {
        statements.removeAll()
        sqlite3_close_v2(handle)
    }

    /// The row of the last insert on this connection.
    var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    /// Rows that the last statement changed.
    var changedRows: Int { Int(sqlite3_changes(handle)) }

    /// Runs statements without results and without parameters (schema, pragmas).
    func executeScript(_ sql: String) throws(StoreError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        if code != SQLITE_OK { throw error(code) }
    }

    /// Runs one statement and drops its rows.
    func run(_ sql: String, _ values: SQLiteValue...) throws(StoreError) {
        try forEachRow(sql, values) { _ in true }
    }

    /// All rows of a query, each made into a value by `transform`.
    func all<Element>(
        _ sql: String, _ values: [SQLiteValue] = [], _ transform: (SQLiteRow) throws(StoreError) -> Element
    ) throws(StoreError) -> [Element] {
        var elements: [Element] = []
        try forEachRow(sql, values) { row throws(StoreError) in
            elements.append(try transform(row))
            return true
        }
        return elements
    }

    /// The first row of a query, `nil` when it has none.
    func first<Element>(
        _ sql: String, _ values: [SQLiteValue] = [], _ transform: (SQLiteRow) throws(StoreError) -> Element
    ) throws(StoreError) -> Element? {
        var element: Element?
        try forEachRow(sql, values) { row throws(StoreError) in
            element = try transform(row)
            return false
        }
        return element
    }

    /// Calls `body` with each row until it returns false.
    func forEachRow(
        _ sql: String, _ values: [SQLiteValue], _ body: (SQLiteRow) throws(StoreError) -> Bool
    ) throws(StoreError) {
        let statement = try statement(sql)
        defer { statement.reset() }
        statement.bind(values)
        while true {
            let code = statement.step()
            guard code == SQLITE_ROW else {
                if code == SQLITE_DONE { return }
                throw error(code)
            }
            if try !body(SQLiteRow(statement)) { return }
        }
    }

    /// Runs `body` in one transaction that is committed when it returns and undone when it throws. Taking the write
    /// lock at the start keeps two writers from deadlocking on an upgrade.
    func transaction<Value>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
        try run("BEGIN IMMEDIATE")
        do throws(StoreError) {
            let value = try body()
            try run("COMMIT")
            return value
        } catch {
            // After some errors SQLite has rolled back by itself; only then would ROLLBACK fail.
            if sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK") }
            throw error
        }
    }

    /// Runs `body`; statements in it are interrupted (`SQLITE_INTERRUPT`) once `isOver` returns true.
    func interrupting<Value>(
        when isOver: @escaping () -> Bool, _ body: () throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        let deadline = Deadline(isOver: isOver)
        let context = Unmanaged.passUnretained(deadline).toOpaque()
        sqlite3_progress_handler(
            handle, 2_000,
            { context in
                guard let context else { return 0 }
                return Unmanaged<Deadline>.fromOpaque(context).takeUnretainedValue().isOver() ? 1 : 0
            }, context)
        defer {
            sqlite3_progress_handler(handle, 0, nil, nil)
            withExtendedLifetime(deadline) {}
        }
        return try body()
    }

    private final class Deadline {
        let isOver: () -> Bool
        init(isOver: @escaping () -> Bool) { self.isOver = isOver }
    }

    private func statement(_ sql: String) throws(StoreError) -> SQLiteStatement {
        if let cached = statements[sql] { return cached }
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw error(code) }
        let statement = SQLiteStatement(prepared)
        statements[sql] = statement
        return statement
    }

    private func error(_ code: Int32) -> StoreError {
        StoreError(sqliteCode: code, reason: String(cString: sqlite3_errmsg(handle)), path: path)
    }
}
