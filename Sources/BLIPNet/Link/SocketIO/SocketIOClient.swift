// A Socket.IO client: what its users call. `+Driver` carries out what the session wants, `+Calls` has those who wait,
// `SocketIOConnection` moves the bytes. BLIPNet.docc/SocketIO.md has an example.

internal import Synchronization

/// A client of one Socket.IO server, for protocols 4 and 5 over Engine.IO 3 and 4, which it finds out by asking.
///
/// `connect` makes the connection; from then on the client keeps it up, until `disconnect`. There is never more than one.
/// Events that the server sends come out of `events`; what is emitted while there is no connection waits for the next one, within
/// the limits of `SocketIOLimits`.
///
/// A client lives as long as somebody refers to it; letting go of it ends it at once.
public actor SocketIOClient {
    /// Where the client is between two connections and in them. There is one connection at most by its form.
    enum Line {
        case down
        case up(SocketIOConnection)
        case waiting(LoopTimer)
    }

    /// The state in which its users want it.
    enum Wish {
        case nothing
        /// To try once.
        case once
        /// To be connected, again and again.
        case always
    }

    /// The client's next step with the open connection.
    enum Future {
        case stays
        /// We are closing it.
        case ends
        /// It is over, or will be soon, and another one is wanted as soon as nothing of it is left.
        case isReplaced
    }

    nonisolated let loop = EventLoop.next()
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    nonisolated let options: SocketIOOptions
    let tracer: SocketIOTracer?
    let random: RandomSource
    nonisolated let readers = SocketIOReaders()

    var session: SocketIOSession
    var line = Line.down
    var wish = Wish.nothing
    var future = Future.stays
    var backoff: SocketIOBackoff
    var calls = SocketIOCalls()
    var timer: (timer: LoopTimer, fires: MonotonicTime)?
    /// Why the last connection or attempt ended.
    var lastEnd = SocketIOError.notConnected
    /// The error itself, where the session has only its words.
    var inputFailure: SocketIOError?
    /// Why we leave namespaces.
    var endReasons: [String: SocketIOError] = [:]
    var isWorking = false

    public init(_ options: SocketIOOptions) { self.init(options, random: .system) }

    init(_ options: SocketIOOptions, random: RandomSource) {
        self.options = options
        self.random = random
        tracer = options.trace.map { SocketIOTracer($0) }
        session = SocketIOSession(options: options.session)
        backoff = SocketIOBackoff(options.reconnection)
    }

    deinit {
        timer?.timer.cancel()
        readers.finish()
        switch line {
        case .down: break
        case .waiting(let timer): timer.cancel()
        case .up(let connection): loop.execute { connection.assumeIsolated { $0.abandon() } }
        }
    }

    /// The state of the connection.
    public var status: SocketIOStatus { session.status }

    // MARK: Connecting

    /// Connects, joins the namespace of the options, and returns when the server has accepted it.
    ///
    /// If the first attempt fails, this throws why, and the client stays down; otherwise the client connects again whenever the
    /// connection is lost.
    public func connect(timeout: Duration = .seconds(30)) async throws(SocketIOError) {
        try await joined(options.namespace, timeout: timeout).get()
    }

    /// Begins to connect and returns at once. The client tries until it is connected, and again whenever the connection is lost;
    /// `changes` tells how it goes.
    public func start() throws(SocketIOError) {
        try session.join(options.namespace, now: .now())
        wish = .always
        dial()
        work()
    }

    /// Closes the connection in order, and fails the calls that wait. Returns when nothing of it is left.
    public func disconnect() async {
        close()
        if case .waiting(let timer) = line {
            timer.cancel()
            line = .down
            stopped(.closedLocally)
        }
        work()
        await withCheckedContinuation { waiter in
            if case .up = line { calls.waitForEnd(waiter) } else { waiter.resume() }
        }
    }

    /// A namespace of the server, to be joined and used. Namespaces share the connection.
    public nonisolated func namespace(_ name: String) -> Namespace { Namespace(client: self, name: name) }

    // MARK: Events

    /// Events of a namespace, all of them or those with one name, from now on.
    public nonisolated func events(named name: String? = nil, in namespace: String = "/") -> SocketIOEvents {
        let inbox = SocketIOInbox(namespace: namespace, name: name) { [weak self] in self?.readersHaveRoom() }
        readers.add(inbox)
        return SocketIOEvents(inbox: inbox)
    }

    /// The changes of the connection, from now on. A reader that is too slow misses the oldest changes.
    public nonisolated var changes: AsyncStream<SocketIOChange> { readers.changes() }

    /// Answers an event that asks for an acknowledgement, once. Throws `notConnected` when the server does not wait for it any more.
    public func acknowledge(_ event: SocketIOEvent, _ values: SocketIOValue...) throws(SocketIOError) {
        guard let request = event.ackRequest else { throw .invalid("acknowledgement") }
        try session.acknowledge(request, values)
        work()
    }

    // MARK: Emitting

    /// Sends an event in the namespace of the options. Returns when the server has it (polling) or when it is on the WebSocket. Without
    /// a connection it waits for the next one.
    public func emit(_ name: String, _ values: SocketIOValue...) async throws(SocketIOError) {
        _ = try await emitted(name, values, in: options.namespace, ackTimeout: nil).get()
    }

    /// Sends an event in the namespace of the options, and returns the values with which the server acknowledges it. Throws
    /// `timedOut("ack")` when that takes longer than `timeout` (by default `SocketIOOptions.ackTimeout`), and
    /// `connectionLost` when the connection ends before: then the server may have had the event or not.
    public func emitWithAck(
        _ name: String, _ values: SocketIOValue..., timeout: Duration? = nil
    ) async throws(SocketIOError) -> [SocketIOValue] {
        try await emitted(name, values, in: options.namespace, ackTimeout: timeout ?? options.ackTimeout).get()
    }
}

extension SocketIOEvent {
    /// Whether the server waits for an acknowledgement: `SocketIOClient.acknowledge`.
    public var wantsAcknowledgement: Bool { ackRequest != nil }
}
