// A connection behind a serial queue: the only way in which the rest of Storage reaches SQLite.

internal import ChatCore
internal import Dispatch

/// Runs work on one connection, one piece after the other in the order of the calls, off the cooperative threads
/// (a commit waits for the disk).
final class DatabaseQueue: @unchecked Sendable {
    // Unchecked: `connection` is touched on `queue` only.
    private let queue: DispatchQueue
    private var connection: SQLiteConnection?
    private let open: @Sendable () throws(StoreError) -> SQLiteConnection

    /// `open` makes the connection; it is called again when one must be replaced after an I/O error.
    init(label: String, open: @escaping @Sendable () throws(StoreError) -> SQLiteConnection) throws(StoreError) {
        queue = DispatchQueue(label: label)
        self.open = open
        connection = try open()
    }

    /// Runs `body` with the connection.
    func perform<Value: Sendable>(
        _ body: @escaping @Sendable (SQLiteConnection) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            queue.async {
                continuation.resume(returning: Result { () throws(StoreError) in try body(self.current()) })
            }
        }
        return try result.get()
    }

    /// Runs `body`, all of whose statements see the same state of the database.
    func snapshot<Value: Sendable>(
        _ body: @escaping @Sendable (SQLiteConnection) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        try await perform { connection throws(StoreError) in
            try connection.snapshot { () throws(StoreError) in try body(connection) }
        }
    }

    /// Runs `body` in a transaction.
    ///
    /// An I/O error leaves its outcome unknown (RELIABILITY D10): the connection is replaced and `find` says whether the
    /// work is in the database. When it is not, it is done once more: SQLite does not see a commit whose sync failed as
    /// long as any connection stays open, but would find it in the log after a crash, unless another one takes its place.
    func write<Value: Sendable>(
        orFind find: (@Sendable (SQLiteConnection) throws(StoreError) -> Value?)? = nil,
        _ body: @escaping @Sendable (SQLiteConnection) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            queue.async {
                continuation.resume(
                    returning: Result { () throws(StoreError) in try self.writeOnQueue(find, body) })
            }
        }
        return try result.get()
    }

    /// Closes the connection after the work that is queued; later work fails.
    func close() async {
        await withCheckedContinuation { continuation in
            queue.async {
                self.connection = nil
                self.isClosed = true
                continuation.resume()
            }
        }
    }

    private var isClosed = false

    private func writeOnQueue<Value>(
        _ find: (@Sendable (SQLiteConnection) throws(StoreError) -> Value?)?,
        _ body: @Sendable (SQLiteConnection) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        var isSecondTry = false
        while true {
            do throws(StoreError) {
                let connection = try current()
                return try connection.transaction { () throws(StoreError) in try body(connection) }
            } catch {
                guard error.hasUnknownOutcome else { throw error }
                connection = nil
                if let find, let found = try find(current()) { return found }
                guard !isSecondTry else { throw error }
                guard find != nil else {
                    try settle()
                    throw error
                }
                isSecondTry = true
            }
        }
    }

    /// Commits something without a meaning, so that what may be left of a failed commit is overwritten.
    private func settle() throws(StoreError) {
        let connection = try current()
        try connection.transaction { () throws(StoreError) in
            try connection.run(
                """
                INSERT INTO settings(key, value) VALUES ('storage.io_errors', '1')
                ON CONFLICT(key) DO UPDATE SET value = CAST(value AS INTEGER) + 1
                """)
        }
    }

    private func current() throws(StoreError) -> SQLiteConnection {
        if let connection { return connection }
        guard !isClosed else { throw .failed(code: 21, reason: "the history is closed") }
        let opened = try open()
        connection = opened
        return opened
    }
}
