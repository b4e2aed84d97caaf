// A stream socket for Swift concurrency: what its users call. `+Reading`, `+Writing`, `+Upgrade` and `+Closing` do the
// work, `+Turn` is what sets it going. BLIPNet.docc/SocketExamples.md has examples.

/// A caller that waits for an answer of a connection.
typealias Waiter<Value> = CheckedContinuation<Result<Value, NetError>, Never>

/// A connection over TCP or a UNIX-domain socket, plain or with TLS.
///
/// Reads and writes are two queues, first in, first out, independent of each other. They may be called at once, also
/// before the connection is up: each call waits for its turn. A write returns when the kernel has its bytes, so a
/// writer is never faster than the peer; of what the peer sends, no more than `StreamOptions.readAhead` bytes are taken
/// before somebody reads.
///
/// A connection lives as long as somebody refers to it; letting go of it closes it.
public actor TCPConnection {
    /// After what the connection is to be closed.
    public enum Operations: Sendable, Equatable {
        case reads
        case writes
        case both
    }

    struct Callee {
        let endpoint: Endpoint?
        /// The name of the host, for TLS.
        let host: String?
    }

    nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let options: StreamOptions
    /// The peer that we have called; `nil` when the peer called us.
    let callee: Callee?
    var connector: SocketConnector?
    /// `nil` before the connection is up and after its end.
    var socket: Socket?
    var readiness: SocketReadiness?
    var timer: (timer: LoopTimer, fires: MonotonicTime)?
    var isTurnScheduled = false

    /// Bytes that have arrived and that nobody has read; decrypted ones once TLS is on.
    var input = ByteQueue()
    /// The peer has ended its direction in order.
    var isInputEnded = false
    /// Nothing more comes from the socket.
    var isTransportEnded = false
    /// Encrypted bytes for which the socket had no room.
    var output = ByteQueue()
    /// Our direction ends after the writes that wait.
    var isOutputClosing = false
    var hasHalfClosed = false
    /// A write failed: nothing more can be sent.
    var writeFailure: NetError?
    var tls: TLSSession?
    var reads: [ReadOperation] = []
    var writes: [WriteOperation] = []
    var upgrades: [TLSUpgrade] = []
    var lastNumber: UInt64 = 0

    /// Both ends of the connection and how it is protected; `nil` before it is up.
    public internal(set) var info: ConnectionInfo?
    var closesAfter: Operations?
    /// Why the connection has ended.
    var end: NetError?
    private var openWaiters: [UInt64: Waiter<ConnectionInfo>] = [:]
    private var endWaiters: [UInt64: Waiter<NetError>] = [:]

    // MARK: Making a connection

    /// Begins to connect and returns at once. Reads and writes wait meanwhile.
    public static func connect(to endpoint: Endpoint, options: ConnectOptions = ConnectOptions()) -> TCPConnection {
        var host: String?
        if case .host(let name, _) = endpoint { host = name }
        return connect(to: .endpoint(endpoint), Callee(endpoint: endpoint, host: host), options)
    }

    /// Begins to connect to the first of these addresses that answers (RFC 8305), and returns at once. TLS has no name
    /// to look for then, unless its configuration gives one.
    public static func connect(to addresses: [SocketAddress], options: ConnectOptions = ConnectOptions())
        -> TCPConnection
    {
        connect(to: .addresses(addresses), Callee(endpoint: addresses.first?.endpoint, host: nil), options)
    }

    private static func connect(
        to target: ConnectTarget, _ callee: Callee, _ options: ConnectOptions
    ) -> TCPConnection {
        let loop = EventLoop.next()
        let connection = TCPConnection(loop: loop, options: options.stream, callee: callee)
        loop.execute { connection.assumeIsolated { $0.dial(target, options) } }
        return connection
    }

    /// Takes over a connected stream socket: of `socketpair`, of systemd, or of another library. It is closed with the
    /// connection; when this throws, it is still the caller's.
    public init(adopting descriptor: Int32, options: StreamOptions = StreamOptions()) throws(NetError) {
        let socket = try Socket(adoptingConnected: descriptor)
        self.init(accepted: socket, options: options)
    }

    /// A socket that is connected already.
    init(accepted socket: Socket, options: StreamOptions, loop: EventLoop = .next()) {
        self.init(loop: loop, options: options, callee: nil)
        loop.execute { self.assumeIsolated { $0.connected(socket) } }
    }

    private init(loop: EventLoop, options: StreamOptions, callee: Callee?) {
        self.loop = loop
        self.options = options
        self.callee = callee
    }

    deinit { timer?.timer.cancel() }

    // MARK: State

    /// Returns when the connection is up. Throws why it could not be made, or why it has ended since.
    @discardableResult
    public func waitUntilConnected() async throws(NetError) -> ConnectionInfo {
        let number = nextNumber()
        return try await wait { connection, waiter in
            if let end = connection.end {
                waiter.resume(returning: .failure(end))
            } else if let info = connection.info {
                waiter.resume(returning: .success(info))
            } else {
                connection.openWaiters[number] = waiter
            }
        } cancel: {
            $0.openWaiters.removeValue(forKey: number)?.resume(returning: .failure(.cancelled))
        }
    }

    /// Waits for an answer. `begin` puts the waiter where it is answered; `cancel` takes it away again and answers, if
    /// it is there, when the task is cancelled.
    func wait<Value: Sendable>(
        _ begin: (isolated TCPConnection, Waiter<Value>) -> Void,
        cancel: @escaping @Sendable (isolated TCPConnection) -> Void
    ) async throws(NetError) -> Value {
        let answer: Result<Value, NetError> = await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: Waiter<Value>) in
                // Cancelled before the waiter was anywhere: `cancel` has found nothing.
                if Task.isCancelled { waiter.resume(returning: .failure(.cancelled)) } else { begin(self, waiter) }
            }
        } onCancel: {
            loop.execute { self.assumeIsolated(cancel) }
        }
        return try answer.get()
    }

    /// Returns when the connection has ended, and why; `.cancelled` when the task is cancelled before.
    public func waitUntilClosed() async -> NetError {
        let number = nextNumber()
        do throws(NetError) {
            return try await wait { connection, waiter in
                if let end = connection.end {
                    waiter.resume(returning: .success(end))
                } else {
                    connection.endWaiters[number] = waiter
                }
            } cancel: {
                $0.endWaiters.removeValue(forKey: number)?.resume(returning: .failure(.cancelled))
            }
        } catch {
            return error
        }
    }

    /// The connection is up, or over.
    func tellWaiters() {
        if let result = end.map(Result.failure) ?? info.map(Result<ConnectionInfo, NetError>.success) {
            for waiter in openWaiters.values { waiter.resume(returning: result) }
            openWaiters = [:]
        }
        guard let end else { return }
        for waiter in endWaiters.values { waiter.resume(returning: .success(end)) }
        endWaiters = [:]
    }

    func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    // MARK: Reading

    /// Reads exactly `count` bytes; 0 returns nothing at once.
    ///
    /// A read that fails takes nothing: the bytes that have arrived stay for the next one. So a read that has timed out
    /// may be called again and continues where it was.
    /// - Parameters:
    ///   - count: How many bytes.
    ///   - deadline: When it must be complete, waiting for its turn included.
    ///   - idle: How long nothing may arrive while it is its turn.
    ///   - progress: Told how far it has come.
    public func read(
        exactly count: Int, deadline: MonotonicTime? = nil, idle: Duration? = nil, progress: ProgressMeter? = nil
    ) async throws(NetError) -> [UInt8] {
        guard count >= 0 else { throw .badParameter(reason: "a negative number of bytes") }
        guard count > 0 else {
            progress?.finish()
            return []
        }
        return try await perform(.exactly(count), deadline, idle, progress)
    }

    /// Reads up to and including `delimiter`; the bytes after it stay for the next read. When the first `max` bytes do
    /// not contain it, throws `.delimiterNotFound` and closes the connection.
    public func read(
        through delimiter: [UInt8], max: Int, deadline: MonotonicTime? = nil, idle: Duration? = nil
    ) async throws(NetError) -> [UInt8] {
        guard !delimiter.isEmpty else { throw .badParameter(reason: "an empty delimiter") }
        guard max >= delimiter.count else {
            throw .badParameter(reason: "a maximum of \(max) bytes for a delimiter of \(delimiter.count)")
        }
        return try await perform(.through(delimiter, max: max), deadline, idle, nil)
    }

    /// Reads what is there, at least one byte and at most `max`; empty at the end of the stream.
    public func readSome(
        max: Int = 65_536, deadline: MonotonicTime? = nil, idle: Duration? = nil
    ) async throws(NetError) -> [UInt8] {
        guard max > 0 else { throw .badParameter(reason: "a maximum of \(max) bytes") }
        return try await perform(.some(max: max), deadline, idle, nil)
    }

    // MARK: Writing

    /// Writes all of `bytes` and returns when the kernel has them.
    ///
    /// A write that fails before its first byte was sent has not happened; one that fails later closes the connection.
    /// - Parameters:
    ///   - bytes: The bytes to send.
    ///   - deadline: When it must be complete, waiting for its turn included.
    ///   - idle: How long the peer may take nothing while it is its turn.
    ///   - progress: Told how far it has come.
    public func write(
        _ bytes: [UInt8], deadline: MonotonicTime? = nil, idle: Duration? = nil, progress: ProgressMeter? = nil
    ) async throws(NetError) {
        try await perform(.bytes(bytes), deadline, idle, progress)
    }

    // MARK: Closing

    /// Ends our direction when everything written before is sent; new writes throw `.closing`. The peer may continue.
    public func closeWrite() {
        guard end == nil, closesAfter == nil, !isOutputClosing else { return }
        isOutputClosing = true
        writes.append(
            WriteOperation(number: nextNumber(), content: .end, clock: OperationClock(deadline: nil, idle: nil)))
        turn()
    }

    /// Closes the connection. Operations that wait fail with `.closedLocally`; bytes that the kernel has already still
    /// reach the peer.
    public nonisolated func close() {
        loop.execute { self.assumeIsolated { $0.endConnection(.closedLocally, isPolite: true) } }
    }

    /// Closes the connection when the operations that wait now are done; new ones throw `.closing`. Reads that wait do
    /// not hold up a closing after the writes, and the other way round.
    public func close(after operations: Operations) {
        guard end == nil else { return }
        closesAfter = operations
        turn()
    }

    // MARK: Handing over

    /// Gives the stream to a driver of its own. The connection has ended for its users, with `.closedLocally`.
    func detach() async throws(NetError) -> DetachedStream {
        try await waitUntilConnected()
        guard let socket, reads.isEmpty, writes.isEmpty, upgrades.isEmpty, output.isEmpty else {
            throw .badConfiguration(reason: "the stream is in use")
        }
        readiness?.cancel()
        readiness = nil
        let stream = DetachedStream(socket: socket, tls: tls, unread: input.takeAll(), loop: loop)
        self.socket = nil
        tls = nil
        endConnection(.closedLocally, isPolite: false)
        return stream
    }
}

/// A stream that a `TCPConnection` has let go of.
struct DetachedStream: Sendable {
    let socket: Socket
    /// The established session, if TLS is on. It has one owner at a time: who gets this value.
    nonisolated(unsafe) let tls: TLSSession?
    /// Bytes that have arrived and were not read; decrypted ones if TLS is on.
    let unread: [UInt8]
    /// The loop that has watched the socket.
    let loop: EventLoop
}
