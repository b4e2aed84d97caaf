// Looks into a history with plain SQL: what is on the disk, whatever the program says of it.

import CSQLite
import TestSupport

/// A row of `messages` as it is stored.
struct StoredMessage: Equatable, Sendable {
    var id: String
    var isOutgoing: Bool
    var sequence: Int64
    /// `DeliveryState.rank`.
    var rank: Int64
    /// Empty for a file.
    var text: String

    static let delivered: Int64 = 3
    static let failed: Int64 = 2
}

/// A row of `transfers`.
struct StoredTransfer: Equatable, Sendable {
    var id: String
    var isOutgoing: Bool
    var state: String
    var path: String
    var sha256: String
}

/// Everything of a history that the invariants speak of.
struct HistoryProbe: Sendable {
    /// In the order of arrival.
    let messages: [StoredMessage]
    let transfers: [StoredTransfer]
    let outboxCount: Int
    /// `ok`, or what is wrong.
    let integrity: String

    /// Opens for writing, as a program does after a crash: only then is the WAL recovered.
    init(_ path: String) throws {
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let handle = opened else { throw ConditionNotMet("\(path) opens: \(code)") }
        defer { sqlite3_close_v2(handle) }
        sqlite3_busy_timeout(handle, 10_000)
        // What overtook others is stored too, behind everything that is shown.
        messages = try Self.rows(
            handle,
            """
            SELECT id, outgoing, sequence, state, ifnull(text, '') FROM
                (SELECT 0 AS part, position AS place, id, outgoing, sequence, state, text FROM messages
                UNION ALL SELECT 1, sequence, id, 0, sequence, 0, iif(kind = 'text', text, '') FROM held)
            ORDER BY part, place
            """
        ) {
            StoredMessage(
                id: $0.text(0), isOutgoing: $0.integer(1) == 1, sequence: $0.integer(2), rank: $0.integer(3),
                text: $0.text(4))
        }
        transfers = try Self.rows(
            handle, "SELECT id, outgoing, state, ifnull(path, ''), ifnull(sha256, '') FROM transfers ORDER BY number"
        ) {
            StoredTransfer(
                id: $0.text(0), isOutgoing: $0.integer(1) == 1, state: $0.text(2), path: $0.text(3),
                sha256: $0.text(4))
        }
        outboxCount = try Self.rows(handle, "SELECT count(*) FROM outbox") { Int($0.integer(0)) }.first ?? -1
        integrity = try Self.rows(handle, "PRAGMA integrity_check") { $0.text(0) }.joined(separator: "; ")
    }

    var outgoing: [StoredMessage] { messages.filter(\.isOutgoing) }
    var incoming: [StoredMessage] { messages.filter { !$0.isOutgoing } }

    private struct Row {
        let statement: OpaquePointer

        func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }
        func text(_ column: Int32) -> String {
            sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
        }
    }

    private static func rows<Value>(
        _ handle: OpaquePointer, _ sql: String, _ read: (Row) -> Value
    ) throws -> [Value] {
        var prepared: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &prepared, nil) == SQLITE_OK, let statement = prepared else {
            throw ConditionNotMet("\(sql): \(String(cString: sqlite3_errmsg(handle)))")
        }
        defer { sqlite3_finalize(statement) }
        var values: [Value] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: values.append(read(Row(statement: statement)))
            case SQLITE_DONE: return values
            default: throw ConditionNotMet("\(sql): \(String(cString: sqlite3_errmsg(handle)))")
            }
        }
    }
}
