// SQLite with nothing around it, as the measure of what a commit costs on this disk.

internal import CSQLite

/// One connection, WAL, synchronous=FULL, one prepared insert.
final class BareDatabase {
    /// What a transaction leaves behind for each message.
    enum Rows {
        /// A row in a table without indexes.
        case one
        /// What a send has to: the message, its place in the outbox, figures of the conversation, and the keys.
        case ofSend
    }

    private var handle: OpaquePointer?
    private var insert: OpaquePointer?

    init(path: String, _ rows: Rows) throws {
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let setup = """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
            CREATE TABLE messages(id INTEGER PRIMARY KEY, contact INTEGER, text TEXT);
            """
        let more = """
            ALTER TABLE messages ADD COLUMN uuid TEXT;
            CREATE UNIQUE INDEX a ON messages(contact, uuid);
            CREATE INDEX b ON messages(contact, id);
            CREATE TABLE outbox(id INTEGER PRIMARY KEY, contact INTEGER, message INTEGER);
            CREATE INDEX c ON outbox(contact, id);
            CREATE TABLE conversations(contact INTEGER PRIMARY KEY, last INTEGER, number INTEGER);
            INSERT INTO conversations VALUES (1, 0, 0);
            CREATE TRIGGER d AFTER INSERT ON messages BEGIN
                UPDATE messages SET uuid = printf('%032d', new.id) WHERE id = new.id;
                INSERT INTO outbox(contact, message) VALUES (1, new.id);
                UPDATE conversations SET last = new.id, number = number + 1 WHERE contact = 1;
            END;
            """
        guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK,
            sqlite3_exec(handle, rows == .ofSend ? setup + more : setup, nil, nil, nil) == SQLITE_OK,
            sqlite3_prepare_v2(handle, "INSERT INTO messages(contact, text) VALUES (1, ?)", -1, &insert, nil)
                == SQLITE_OK
        else { throw BenchmarkFailure("bare SQLite: \(String(cString: sqlite3_errmsg(handle)))") }
    }

    deinit {
        sqlite3_finalize(insert)
        sqlite3_close(handle)
    }

    /// One transaction with `count` messages.
    func commit(_ text: String, count: Int) throws {
        var isDone = count == 1 || sqlite3_exec(handle, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK
        for _ in 0..<count where isDone {
            sqlite3_bind_text(insert, 1, text, -1, csqlite_transient())
            isDone = sqlite3_step(insert) == SQLITE_DONE
            sqlite3_reset(insert)
        }
        if isDone, count > 1 { isDone = sqlite3_exec(handle, "COMMIT", nil, nil, nil) == SQLITE_OK }
        guard isDone else { throw BenchmarkFailure("bare SQLite: \(String(cString: sqlite3_errmsg(handle)))") }
    }
}
