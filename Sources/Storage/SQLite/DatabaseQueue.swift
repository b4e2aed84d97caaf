// A connection that is used through a serial queue: the only way in which the rest of Storage reaches SQLite.

internal import ChatCore
internal import Dispatch
internal import Glibc
internal import Synchronization

/// Runs work on one connection, one piece after the other in the order of the calls, off the cooperative threads
/// (a commit waits for the disk).
///
/// Writes share commits: while one is being synced to the disk others gather, and the next commit takes all of them, each
/// in a savepoint of its own. A single writer waits for nobody, and everybody returns after the commit that has their work.
final class DatabaseQueue: @unchecked Sendable {
    // Unchecked: `connection` and `isClosed` are touched on `queue` only.
    private let queue: DispatchQueue
    private var connection: SQLiteConnection?
    private var isClosed = false
    /// A commit has found the file away from its path, and it is not back yet.
    private var isAstray = false
    /// Whether the last commit was asynchronous: no sync has put it on the disk yet.
    private var hasUnsynced = false
    /// A sync that should have put asynchronous commits on the disk has failed, and the system may have dropped their pages.
    /// After a crash SQLite reads a log only up to such a gap, so the log has to begin anew before the next commit.
    private var hasGap = false
    /// Why nothing is written any more.
    private var loss: StoreError?
    /// Where the file has to be after a commit; `nil`: nothing is committed.
    private let place: HistoryPlace?
    private let open: @Sendable () throws(StoreError) -> SQLiteConnection
    /// Writes that the next commit takes; whoever is the first of them has put `commitGathered` into the queue.
    private let gathered = Mutex<[GroupedWrite]>([])

    /// `open` makes the connection; it is called again when one must be replaced after an I/O error.
    init(
        label: String, place: HistoryPlace? = nil, open: @escaping @Sendable () throws(StoreError) -> SQLiteConnection
    ) throws(StoreError) {
        queue = DispatchQueue(label: label)
        self.place = place
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

    /// Runs `body` in a transaction and returns when that is committed as `durability` asks, or throws when nothing of
    /// `body` is. Anything that `body` does outside the database may happen more than once. `committed` is called
    /// before the caller resumes, in the order of the commits: tasks that wait resume in any order.
    ///
    /// An I/O error leaves its outcome unknown (RELIABILITY D10): the connection is replaced and `find` says whether the
    /// work is in the database. When it is not, it is done once more: SQLite does not see a commit whose sync failed as
    /// long as any connection stays open, but would find it in the log after a crash, unless another one takes its place.
    func write<Value: Sendable>(
        _ durability: CommitDurability = .synchronous,
        orFind find: (@Sendable (SQLiteConnection) throws(StoreError) -> Value?)? = nil,
        committed: (@Sendable (Value) -> Void)? = nil,
        _ body: @escaping @Sendable (SQLiteConnection) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            let answer = { @Sendable (result: Result<Value, StoreError>) in
                if case .success(let value) = result { committed?(value) }
                continuation.resume(returning: result)
            }
            let write = GroupedWrite(
                durability: durability,
                inGroup: { connection throws(StoreError) in
                    let result = try connection.part { () throws(StoreError) in try body(connection) }
                    return { answer(result) }
                },
                alone: { queue, failure in
                    answer(
                        Result { () throws(StoreError) in try queue.commit(durability, body, find, after: failure) })
                })
            let isFirst = gathered.withLock { writes in
                writes.append(write)
                return writes.count == 1
            }
            if isFirst { queue.async { self.commitGathered() } }
        }
        return try result.get()
    }

    /// How many writes wait for the next commit.
    var waitingWrites: Int { gathered.withLock(\.count) }

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

    /// Closes the connection; the next work opens another one. Waits for the work that is queued.
    func closeConnection() { queue.sync { connection = nil } }

    // MARK: On the queue

    private func commitGathered() {
        let writes = gathered.withLock { writes in
            defer { writes.removeAll(keepingCapacity: true) }
            return writes
        }
        commit(writes)
    }

    /// Commits `writes` together. If that fails, each of them is on its own.
    private func commit(_ writes: [GroupedWrite]) {
        guard writes.count > 1 else {
            for write in writes { write.alone(self, nil) }
            return
        }
        do throws(StoreError) {
            let connection = try current()
            // One synchronous write makes the whole commit synchronous.
            let isSynced = writes.contains { $0.durability == .synchronous }
            let durability = isSynced ? CommitDurability.synchronous : .asynchronous
            let answers = try connection.transaction(durability) { () throws(StoreError) in
                var answers: [() -> Void] = []
                for write in writes { answers.append(try write.inGroup(connection)) }
                return answers
            }
            hasUnsynced = durability == .asynchronous
            try confirmPlace(of: connection)
            for answer in answers { answer() }
        } catch {
            if error.hasUnknownOutcome { giveUpConnection() }
            for write in writes { write.alone(self, error.hasUnknownOutcome ? error : nil) }
        }
    }

    /// Commits `body` alone. `failure` is an I/O error of a commit that had it before; that connection is closed.
    private func commit<Value>(
        _ durability: CommitDurability, _ body: (SQLiteConnection) throws(StoreError) -> Value,
        _ find: ((SQLiteConnection) throws(StoreError) -> Value?)?, after failure: StoreError?
    ) throws(StoreError) -> Value {
        var failure = failure
        var isRepeated = false
        while true {
            if let failure {
                if let find, let found = try find(current()) { return found }
                guard !isRepeated else { throw failure }
                guard find != nil else {
                    try settle()
                    throw failure
                }
                isRepeated = true
            }
            do throws(StoreError) {
                let connection = try current()
                let value = try connection.transaction(durability) { () throws(StoreError) in try body(connection) }
                hasUnsynced = durability == .asynchronous
                try confirmPlace(of: connection)
                return value
            } catch {
                guard error.hasUnknownOutcome else { throw error }
                giveUpConnection()
                failure = error
            }
        }
    }

    /// After an I/O error another connection finds out what is in the database.
    private func giveUpConnection() {
        connection = nil
        if hasUnsynced { hasGap = true }
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

    /// After a commit, which counts only when it can be found again. A user who takes the file away between this look
    /// and the next start has taken the stored data away, and knows it.
    private func confirmPlace(of connection: SQLiteConnection) throws(StoreError) {
        guard let place, connection.hasMovedFile || connection.hasMovedLog else { return isAstray = false }
        isAstray = true
        do throws(StoreError) {
            try place.recover(connection) { self.connection = nil }
        } catch {
            if case .replaced = error { loss = error }
            throw error
        }
        isAstray = false
    }

    private func current() throws(StoreError) -> SQLiteConnection {
        if let loss { throw loss }
        if let connection {
            guard isAstray else { return connection }
            // It may have been moved back.
            try confirmPlace(of: connection)
        }
        if let connection { return try whole(connection) }
        guard !isClosed else { throw .failed(code: 21, reason: "the history is closed") }
        let opened = try open()
        connection = opened
        return try whole(opened)
    }

    /// Returns `connection` once its log has no gap: folds the log into the file first where it has one.
    private func whole(_ connection: SQLiteConnection) throws(StoreError) -> SQLiteConnection {
        guard hasGap else { return connection }
        try connection.checkpoint(.restart)
        hasGap = false
        hasUnsynced = false
        return connection
    }

    /// A write that waits for its commit, with somebody who waits for it.
    private struct GroupedWrite: Sendable {
        let durability: CommitDurability
        /// Does the work inside of a transaction. An error of the work itself undoes nothing else and belongs to the
        /// answer, which is to be given after the commit; one that ends the transaction is thrown.
        let inGroup: @Sendable (SQLiteConnection) throws(StoreError) -> () -> Void
        /// Does the work in a transaction of its own and answers. The error, if there is one, is of an earlier commit
        /// with unknown outcome.
        let alone: @Sendable (DatabaseQueue, StoreError?) -> Void
    }
}
