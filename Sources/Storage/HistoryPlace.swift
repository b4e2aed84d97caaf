// The fate of a history whose file is taken away under a running chat: by a sync tool or by hand. SQLite still writes
// to a file without a name, and whatever is committed there is gone with this process. So it is put back where nothing
// is in its place; where something is, what we have is kept beside it and nothing more is stored.

internal import ChatCore
internal import Synchronization

/// The path of an open history, which its file has to be at for a commit to count.
final class HistoryPlace: Sendable {
    private struct State {
        /// Reads the same file.
        var reader: DatabaseQueue?
        /// A struct, as for `HistoryDatabase.Watcher`.
        var watcher = Watcher()
        var timesPutBack = 0
    }

    struct Watcher: Sendable {
        var report: (@Sendable (StoreTrouble) -> Void)?
    }

    /// Somebody who takes it away again and again means it; each time costs a copy of the whole.
    private static let mostTimesPutBack = 3

    private let path: String
    private let state = Mutex(State())

    init(path: String) { self.path = path }

    /// The connections to be opened anew with the writer's.
    func watch(_ reader: DatabaseQueue) { state.withLock { $0.reader = reader } }

    func watch(_ report: @escaping @Sendable (StoreTrouble) -> Void) { state.withLock { $0.watcher.report = report } }

    /// Sees to it that what `connection` has committed is at its path. `close` ends that connection: the next one opens
    /// what is there.
    ///
    /// Throws `.replaced` when another file is in its place, and the errors of making a copy.
    func recover(_ connection: SQLiteConnection, close: () -> Void) throws(StoreError) {
        guard connection.hasMovedFile else {
            // Only the log is gone. Its content goes into the file, and a new one begins.
            try connection.checkpoint(.full)
            return reopen(close)
        }
        guard !FileSystem.exists(path) else { throw .replaced(path: path, kept: try keepAside(connection)) }
        let isTooOften = state.withLock { state in
            state.timesPutBack += 1
            return state.timesPutBack > Self.mostTimesPutBack
        }
        guard !isTooOften else { throw .cannotOpen(path: path, reason: "something keeps removing it") }
        // From the move on every start finishes what is left to do.
        try copy(connection, to: path + HistoryDatabase.restoredSuffix)
        reopen(close)
        try HistoryDatabase.finishRestore(path)
        state.withLock { $0.watcher.report }?(.putBack(path: path))
    }

    private func reopen(_ close: () -> Void) {
        state.withLock { $0.reader }?.closeConnection()
        close()
    }

    /// Keeps everything that is committed under a name of its own, which is returned. The log under the old name is ours
    /// and would be taken for that of the other file.
    private func keepAside(_ connection: SQLiteConnection) throws(StoreError) -> String {
        var number = 1
        while FileSystem.exists("\(path).old-\(number)") { number += 1 }
        let kept = "\(path).old-\(number)"
        try copy(connection, to: kept)
        if !connection.hasMovedLog {
            for suffix in ["-wal", "-shm"] { try FileSystem.remove(path + suffix) }
        }
        return kept
    }

    private func copy(_ connection: SQLiteConnection, to target: String) throws(StoreError) {
        let part = target + ".part"
        do throws(StoreError) {
            try FileSystem.removeDatabase(part)
            try FileSystem.createNew(part)
            try connection.copyWhole(to: part)
            try FileSystem.sync(part)
            try FileSystem.move(part, to: target)
        } catch {
            try? FileSystem.removeDatabase(part)
            throw error
        }
    }
}

extension SQLiteConnection {
    /// Copies everything that is committed into an empty file, as one file without a log.
    func copyWhole(to path: String) throws(StoreError) {
        let target = try SQLiteConnection(path: path, mode: .readWrite)
        // Nobody sees the file before it is complete, so no journal is needed; it is synced as a whole.
        try target.executeScript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
        try copyAll(to: target)
        // The log's mode came with the pages. Without it the copy is one file, and can be read from anywhere.
        _ = try target.first("PRAGMA journal_mode = DELETE") { row in row.text(0) }
    }
}
