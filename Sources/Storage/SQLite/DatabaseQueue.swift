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

    /// Runs `body` in a transaction. When an I/O error leaves its outcome unknown, the connection is replaced and
    /// `find` says whether the work is in the database after all (RELIABILITY D10); `nil` from it means that it is not.
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
        do throws(StoreError) {
            let connection = try current()
            return try connection.transaction { () throws(StoreError) in try body(connection) }
        } catch {
            guard error.hasUnknownOutcome else { throw error }
            connection = nil
            if let found = try find?(current()) { return found }
            throw error
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
