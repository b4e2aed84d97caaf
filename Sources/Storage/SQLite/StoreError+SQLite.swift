// What SQLite's result codes mean to the rest of the program.

internal import CSQLite
internal import ChatCore

extension StoreError {
    /// Maps an (extended) SQLite result code (https://www.sqlite.org/rescode.html).
    init(sqliteCode code: Int32, reason: String, path: String) {
        switch code & 0xFF {
        case SQLITE_FULL: self = .diskFull
        case SQLITE_BUSY, SQLITE_LOCKED: self = .locked
        case SQLITE_CORRUPT, SQLITE_NOTADB: self = .damaged(path: path, reason: reason)
        case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH: self = .cannotOpen(path: path, reason: reason)
        case SQLITE_READONLY: self = .cannotOpen(path: path, reason: reason)
        default: self = .failed(code: code, reason: reason)
        }
    }

    /// The outcome of the operation is unknown: what was written may or may not be there (RELIABILITY D10).
    var hasUnknownOutcome: Bool {
        if case .failed(let code, _) = self { code & 0xFF == SQLITE_IOERR } else { false }
    }

    /// A statement was stopped by `interrupting(when:)`.
    var isInterruption: Bool {
        if case .failed(let code, _) = self { code & 0xFF == SQLITE_INTERRUPT } else { false }
    }
}
