// A prepared statement, its parameters and its current row.

internal import CSQLite

/// A value for a parameter. User text only ever reaches SQL as one of these.
enum SQLiteValue: Sendable {
    case null
    case integer(Int64)
    case text(String)

    static func optionalText(_ text: String?) -> Self { text.map { .text($0) } ?? .null }
    static func optionalInteger(_ integer: Int64?) -> Self { integer.map { .integer($0) } ?? .null }
    static func flag(_ flag: Bool) -> Self { .integer(flag ? 1 : 0) }
}

/// A compiled statement; owned by its connection's cache.
final class SQLiteStatement {
    fileprivate let handle: OpaquePointer

    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { sqlite3_finalize(handle) }

    func bind(_ values: [SQLiteValue]) {
        // A wrong count or type is a mistake in this module, never input.
        precondition(values.count == Int(sqlite3_bind_parameter_count(handle)), "parameters and values differ")
        for (offset, value) in values.enumerated() {
            let index = Int32(offset + 1)
            switch value {
            case .null: sqlite3_bind_null(handle, index)
            case .integer(let integer): sqlite3_bind_int64(handle, index, integer)
            case .text(var text):
                text.withUTF8 { utf8 in
                    utf8.withMemoryRebound(to: CChar.self) { characters in
                        _ = sqlite3_bind_text64(
                            handle, index, characters.baseAddress ?? Self.emptyText, UInt64(characters.count),
                            csqlite_transient(), UInt8(SQLITE_UTF8))
                    }
                }
            }
        }
    }

    func step() -> Int32 { sqlite3_step(handle) }

    func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    /// An empty Swift string may have no address, and SQLite reads a null address as NULL.
    nonisolated(unsafe) static let emptyText: UnsafePointer<CChar> = {
        let text = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
        text.pointee = 0
        return UnsafePointer(text)
    }()
}

/// The current row of a statement; valid only inside the closure that gets it.
struct SQLiteRow {
    private let handle: OpaquePointer

    init(_ statement: SQLiteStatement) { handle = statement.handle }

    /// The integer in `column` (from 0); 0 for NULL.
    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    func flag(_ column: Int32) -> Bool { integer(column) != 0 }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    /// The text in `column`; empty for NULL. Bytes that are not UTF-8 are repaired: the file may be damaged.
    func text(_ column: Int32) -> String {
        guard let bytes = sqlite3_column_text(handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }
}
