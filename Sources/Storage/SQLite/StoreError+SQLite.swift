// The meaning of SQLite's result codes for the rest of the program.

internal import CSQLite
internal import ChatCore
internal import Glibc

extension StoreError {
    /// Maps an (extended) SQLite result code (https://www.sqlite.org/rescode.html). `systemError` is the error number
    /// of the system call that caused it, 0 when there was none.
    init(sqliteCode code: Int32, reason: String, path: String, systemError: Int32 = 0) {
        if Self.lacksRoomToBegin(code, systemError) {
            self = .diskFull
            return
        }
        switch code & 0xFF {
        case SQLITE_FULL: self = .diskFull
        case SQLITE_BUSY, SQLITE_LOCKED: self = .locked
        case SQLITE_CORRUPT, SQLITE_NOTADB: self = .damaged(path: path, reason: reason)
        case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH: self = .cannotOpen(path: path, reason: reason)
        case SQLITE_READONLY: self = .cannotOpen(path: path, reason: reason)
        default: self = .failed(code: code, reason: reason)
        }
    }

    /// No room for the memory that processes share (the file beside the log), without which nothing is read or written.
    /// That comes before any commit, so nothing was changed. All other I/O errors keep their code: see
    /// `hasUnknownOutcome`.
    private static func lacksRoomToBegin(_ code: Int32, _ systemError: Int32) -> Bool {
        let toOpen = SQLITE_IOERR | 18 << 8
        let toGrow = SQLITE_IOERR | 19 << 8
        let toMap = SQLITE_IOERR | 21 << 8
        guard [toOpen, toGrow, toMap].contains(code) || code & 0xFF == SQLITE_CANTOPEN else { return false }
        return systemError == ENOSPC || systemError == EDQUOT
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
