// One SQLite connection. It is confined to the serial queue of its `DatabaseQueue` and opened without SQLite's own mutexes.

internal import CSQLite
internal import ChatCore

/// A connection with a cache of prepared statements. Not thread-safe: exactly one queue uses it.
final class SQLiteConnection {
    enum Mode {
        case readWrite
        case readOnly
        /// Only reads, but shuts others out and needs no memory shared with them; what is in the log stays there.
        case alone
    }

    let path: String
    private let handle: OpaquePointer
    private var statements: [String: SQLiteStatement] = [:]
    private var logSpace: LogSpace?
    /// Whether the next commit waits for the disk.
    private var durability = CommitDurability.synchronous

    /// Opens `path`; the file must exist already (`HistoryDatabase` creates it with the right permissions).
    init(path: String, mode: Mode) throws(StoreError) {
        var handle: OpaquePointer?
        let access = mode == .readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
        // Reading takes a log and memory beside the file, which nobody can make on a medium that is read-only.
        let isFixed = mode == .readOnly && FileSystem.isFixed(path)
        let code = sqlite3_open_v2(
            isFixed ? Self.immutable(path) : path, &handle,
            access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | (isFixed ? SQLITE_OPEN_URI : 0), nil)
        guard let handle, code == SQLITE_OK else {
            let reason = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
            defer { sqlite3_close_v2(handle) }
            throw StoreError(
                sqliteCode: code, reason: reason, path: path, systemError: handle.map(sqlite3_system_errno) ?? 0)
        }
        // SQLite opens for reading what it cannot open for writing, whatever the reason was; such a connection would
        // refuse every write for as long as it lives.
        guard mode == .readOnly || sqlite3_db_readonly(handle, "main") == 0 else {
            sqlite3_close_v2(handle)
            throw .cannotOpen(path: path, reason: "it cannot be opened for writing")
        }
        self.path = path
        self.handle = handle
        sqlite3_busy_timeout(handle, 5_000)
        // Never trust the schema of a file from elsewhere to run functions, and never write the word "x" as a string.
        _ = csqlite_db_config_int(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
        _ = csqlite_db_config_int(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        _ = csqlite_db_config_int(handle, SQLITE_DBCONFIG_DQS_DML, 0)
        guard mode == .alone else { return }
        _ = csqlite_db_config_int(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        try executeScript("PRAGMA locking_mode = EXCLUSIVE; PRAGMA query_only = ON")
    }

    /// The name by which SQLite opens a file that does not change (sqlite.org/uri.html).
    private static func immutable(_ path: String) -> String {
        "file:\(PercentEncoding.encode(path, allowing: "/"))?immutable=1"
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

    /// Whether a query has a row.
    func has(_ sql: String, _ values: SQLiteValue...) throws(StoreError) -> Bool {
        try first(sql, values) { _ in true } ?? false
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
    func transaction<Value>(
        _ durability: CommitDurability = .synchronous, _ body: () throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        try wait(for: durability)
        return try transaction(begunBy: "BEGIN IMMEDIATE", body)
    }

    /// How far a checkpoint goes (https://www.sqlite.org/pragma.html#pragma_wal_checkpoint).
    enum Checkpoint: String {
        /// Everything in the log is in the file, for good.
        case full = "FULL"
        /// The same, and the next commit is the first one of the log.
        case restart = "RESTART"
        /// The same, and the log is empty.
        case truncate = "TRUNCATE"
    }

    /// Folds the log into the file. Throws `locked` when readers or another writer hold that up for too long.
    func checkpoint(_ mode: Checkpoint) throws(StoreError) {
        let isBusy = try first("PRAGMA wal_checkpoint(\(mode.rawValue))") { row in row.flag(0) }
        if isBusy == true { throw .locked }
    }

    /// SQLite keeps the commits of a log whole and in order without a sync as well
    /// (https://www.sqlite.org/pragma.html#pragma_synchronous). A rollback journal without one could damage the file, so
    /// there every commit waits.
    private func wait(for wanted: CommitDurability) throws(StoreError) {
        guard wanted != durability, wanted == .synchronous || logSpace != nil else { return }
        try executeScript("PRAGMA synchronous = \(wanted == .synchronous ? "FULL" : "NORMAL")")
        durability = wanted
    }

    /// Runs `body` in one transaction that only reads: one state of the database, and its locks are taken once.
    func snapshot<Value>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
        try transaction(begunBy: "BEGIN", body)
    }

    private func transaction<Value>(
        begunBy begin: String, _ body: () throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        try run(begin)
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

    /// Runs `body` as a part of the transaction that is open: its error undoes what it has done and nothing else. Throws
    /// what the whole transaction cannot survive.
    func part<Value>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Result<Value, StoreError> {
        try run("SAVEPOINT part")
        do throws(StoreError) {
            let value = try body()
            try run("RELEASE part")
            return .success(value)
        } catch {
            // SQLite has undone everything by itself, or does not know what it has done.
            if error.hasUnknownOutcome || sqlite3_get_autocommit(handle) != 0 { throw error }
            try run("ROLLBACK TO part")
            try run("RELEASE part")
            return .failure(error)
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

    // MARK: The files

    /// Another file is at our path, or none (https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html, HAS_MOVED).
    var hasMovedFile: Bool {
        var answer: Int32 = 0
        let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &answer)
        return code == SQLITE_OK && answer != 0
    }

    /// The same for the log, where it is known which one is written to.
    var hasMovedLog: Bool { logSpace?.hasMoved ?? false }

    /// From now on the log has room for commits before they come, and is folded into the file when it is full.
    func keepLogSpace() {
        let space = LogSpace(path: path + "-wal")
        logSpace = space
        sqlite3_wal_hook(
            handle,
            { space, database, name, frames in
                guard let space else { return SQLITE_OK }
                Unmanaged<LogSpace>.fromOpaque(space).takeUnretainedValue().committed(Int(frames), on: database, name)
                return SQLITE_OK
            }, Unmanaged.passUnretained(space).toOpaque())
    }

    /// Copies everything that is committed into an empty database (https://www.sqlite.org/backup.html). In one piece:
    /// a writer beside it does not make it start again, and is not held up by it.
    func copyAll(to target: SQLiteConnection) throws(StoreError) {
        guard let backup = sqlite3_backup_init(target.handle, "main", handle, "main") else {
            throw target.error(sqlite3_extended_errcode(target.handle))
        }
        let stepped = sqlite3_backup_step(backup, -1)
        let finished = sqlite3_backup_finish(backup)
        guard stepped == SQLITE_DONE, finished == SQLITE_OK else {
            throw StoreError(
                sqliteCode: stepped == SQLITE_DONE ? finished : stepped,
                reason: String(cString: sqlite3_errstr(stepped)), path: target.path)
        }
    }

    // MARK: Functions

    /// Makes `function` callable from SQL and from the schema's views; it gets and returns text, and NULL stays NULL. The
    /// same text must always give the same result.
    func addFunction(_ name: String, _ function: @escaping (String) -> String) throws(StoreError) {
        try add(name, arguments: 1) { context, arguments in
            guard let text = SQLiteFunction.text(arguments[0]) else { return sqlite3_result_null(context) }
            var result = function(text)
            result.withUTF8 { utf8 in
                utf8.withMemoryRebound(to: CChar.self) { characters in
                    sqlite3_result_text64(
                        context, characters.baseAddress ?? SQLiteStatement.emptyText, UInt64(characters.count),
                        csqlite_transient(), UInt8(SQLITE_UTF8))
                }
            }
        }
    }

    /// The same for a yes or no about two texts; about NULL it is no.
    func addPredicate(_ name: String, _ predicate: @escaping (String, String) -> Bool) throws(StoreError) {
        try add(name, arguments: 2) { context, arguments in
            guard let first = SQLiteFunction.text(arguments[0]), let second = SQLiteFunction.text(arguments[1]) else {
                return sqlite3_result_int(context, 0)
            }
            sqlite3_result_int(context, predicate(first, second) ? 1 : 0)
        }
    }

    private func add(
        _ name: String, arguments: Int32, _ body: @escaping SQLiteFunction.Body
    ) throws(StoreError) {
        let function = Unmanaged.passRetained(SQLiteFunction(body))
        // Innocuous: it has no effects, so the schema may call it although the schema is not trusted.
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS
        let code = sqlite3_create_function_v2(
            handle, name, arguments, flags, function.toOpaque(),
            { context, _, arguments in
                guard let arguments, let function = sqlite3_user_data(context) else { return }
                Unmanaged<SQLiteFunction>.fromOpaque(function).takeUnretainedValue().body(context, arguments)
            }, nil, nil,
            { function in
                if let function { Unmanaged<SQLiteFunction>.fromOpaque(function).release() }
            })
        // SQLite releases the function also when it refuses it.
        if code != SQLITE_OK { throw error(code) }
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
        StoreError(
            sqliteCode: code, reason: String(cString: sqlite3_errmsg(handle)), path: path,
            systemError: sqlite3_system_errno(handle))
    }
}

/// Keeps a function of ours for as long as its connection.
private final class SQLiteFunction {
    typealias Body = (OpaquePointer?, UnsafeMutablePointer<OpaquePointer?>) -> Void
    let body: Body

    init(_ body: @escaping Body) { self.body = body }

    /// `nil` for NULL.
    static func text(_ value: OpaquePointer?) -> String? {
        guard let bytes = sqlite3_value_text(value) else { return nil }
        let count = Int(sqlite3_value_bytes(value))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }
}
