// A connection behind a serial queue: the only way in which the rest of Storage reaches SQLite.

internal import ChatCore
internal import Dispatch
internal import Glibc
internal import Synchronization

/// Runs work on one connection, one piece after the other in the order of the calls.
///
/// Writes share commits: while one is being synced to the disk others gather, and the next commit takes all of them, each
/// in a savepoint of its own. A single writer waits for nobody, and everybody returns after the commit that has their work.
///
/// Work has a thread of its own, as a commit waits for the disk. The exception is a write that finds nothing else to do
/// and a disk that has just been fast: two changes of threads would take as long as that commit, so the caller's thread
/// makes it (Docs/decisions/0010).
final class DatabaseQueue: @unchecked Sendable {
    // Unchecked: `connection` and `isClosed` are touched on `queue` only.
    private let queue: DispatchQueue
    private var connection: SQLiteConnection?
    private var isClosed = false
    private let open: @Sendable () throws(StoreError) -> SQLiteConnection
    private let traffic = Mutex(Traffic())
    /// A commit that took less is no reason to change threads.
    private let briefly: Duration

    private struct Traffic {
        /// Pieces of work that wait or are under way.
        var work = 0
        /// Writes that the next commit takes; whoever is the first of them has put `commitGathered` into the queue.
        var gathered: [GroupedWrite] = []
        /// The last commit had one write and took less than `briefly`.
        var isBrief = false

        /// Whether a write may run on its caller's thread, which it then has begun to.
        mutating func beginsAtOnce() -> Bool {
            guard work == 0, isBrief else { return false }
            work = 1
            return true
        }
    }

    /// `open` makes the connection; it is called again when one must be replaced after an I/O error. A write follows on
    /// its caller's thread when the one before it took less than `briefly` and nothing else waits.
    init(
        label: String, briefly: Duration = .milliseconds(1),
        open: @escaping @Sendable () throws(StoreError) -> SQLiteConnection
    ) throws(StoreError) {
        queue = DispatchQueue(label: label)
        self.briefly = briefly
        self.open = open
        connection = try open()
    }

    /// Runs `body` with the connection.
    func perform<Value: Sendable>(
        _ body: @escaping @Sendable (SQLiteConnection) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            enqueue {
                let result = Result { () throws(StoreError) in try body(self.current()) }
                return [{ continuation.resume(returning: result) }]
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

    /// Runs `body` in a transaction and returns when that is committed, or throws when nothing of `body` is. What `body`
    /// does besides to the database it may do more than once.
    ///
    /// An I/O error leaves its outcome unknown (RELIABILITY D10): the connection is replaced and `find` says whether the
    /// work is in the database. When it is not, it is done once more: SQLite does not see a commit whose sync failed as
    /// long as any connection stays open, but would find it in the log after a crash, unless another one takes its place.
    ///
    /// Concurrent: whichever actor calls goes on with other work meanwhile, even when the caller's thread commits.
    @concurrent func write<Value: Sendable>(
        orFind find: (@Sendable (SQLiteConnection) throws(StoreError) -> Value?)? = nil,
        _ body: @escaping @Sendable (SQLiteConnection) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        if traffic.withLock({ $0.beginsAtOnce() }) {
            return try queue.sync {
                defer { leave() }
                return timed(1) { Result { () throws(StoreError) in try commit(body, find, after: nil) } }
            }.get()
        }
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            let write = GroupedWrite(
                inGroup: { connection throws(StoreError) in
                    let result = try connection.part { () throws(StoreError) in try body(connection) }
                    return { continuation.resume(returning: result) }
                },
                alone: { queue, failure in
                    let result = Result { () throws(StoreError) in try queue.commit(body, find, after: failure) }
                    return { continuation.resume(returning: result) }
                })
            let isFirst = traffic.withLock { traffic in
                traffic.gathered.append(write)
                return traffic.gathered.count == 1
            }
            if isFirst { enqueue { self.commitGathered() } }
        }
        return try result.get()
    }

    /// Closes the connection after the work that is queued; later work fails.
    func close() async {
        await withCheckedContinuation { continuation in
            enqueue {
                self.connection = nil
                self.isClosed = true
                return [{ continuation.resume() }]
            }
        }
    }

    /// Runs `work` on the queue's thread. Its answers are given when it has left: whoever goes on finds the way free.
    private func enqueue(_ work: @escaping @Sendable () -> [Answer]) {
        traffic.withLock { $0.work += 1 }
        queue.async {
            let answers = work()
            self.leave()
            for answer in answers { answer() }
        }
    }

    private func leave() { traffic.withLock { $0.work -= 1 } }

    // MARK: On the queue

    private func commitGathered() -> [Answer] {
        let writes = traffic.withLock { traffic in
            defer { traffic.gathered.removeAll(keepingCapacity: true) }
            return traffic.gathered
        }
        return timed(writes.count) { commit(writes) }
    }

    /// Runs a commit of `count` writes and notes how long it took.
    private func timed<Value>(_ count: Int, _ commit: () -> Value) -> Value {
        let start = ContinuousClock.now
        defer {
            let isBrief = count == 1 && ContinuousClock.now - start < briefly
            traffic.withLock { $0.isBrief = isBrief }
        }
        return commit()
    }

    /// Commits `writes` together. If that fails, each of them is on its own.
    private func commit(_ writes: [GroupedWrite]) -> [Answer] {
        guard writes.count > 1 else { return writes.map { $0.alone(self, nil) } }
        do throws(StoreError) {
            let connection = try current()
            return try connection.transaction { () throws(StoreError) in
                var answers: [Answer] = []
                for write in writes { answers.append(try write.inGroup(connection)) }
                return answers
            }
        } catch {
            if error.hasUnknownOutcome { connection = nil }
            return writes.map { $0.alone(self, error.hasUnknownOutcome ? error : nil) }
        }
    }

    /// Commits `body` alone. `failure` is an I/O error of a commit that had it before; that connection is closed.
    private func commit<Value>(
        _ body: (SQLiteConnection) throws(StoreError) -> Value,
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
                return try connection.transaction { () throws(StoreError) in try body(connection) }
            } catch {
                guard error.hasUnknownOutcome else { throw error }
                connection = nil
                failure = error
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

    /// Tells a caller what has become of their work.
    private typealias Answer = () -> Void

    /// A write that waits for its commit, with somebody who waits for it.
    private struct GroupedWrite: Sendable {
        /// Does the work inside of a transaction. An error of the work itself undoes nothing else and belongs to the
        /// answer, which is to be given after the commit; one that ends the transaction is thrown.
        let inGroup: @Sendable (SQLiteConnection) throws(StoreError) -> Answer
        /// Does the work in a transaction of its own. The error, if there is one, is of an earlier commit
        /// with unknown outcome.
        let alone: @Sendable (DatabaseQueue, StoreError?) -> Answer
    }
}
