// The door of a listener: lets callers in within the listener's limits and hands their sockets over. Used by
// `LinkListener` and `WebSocketListener`.

internal import Glibc

/// The listening sockets of one listener, on an event loop.
actor ListenerDoor {
    /// What became of a caller, told by whoever serves it, from any thread; each at most once.
    struct Visit: Sendable {
        /// The handshake is over.
        let opened: @Sendable () -> Void
        /// The descriptor is closed.
        let gone: @Sendable () -> Void
    }

    /// Begins to serve a caller, on a loop of its choice, and returns what drops it while its handshake is not over.
    /// `nil` when that is not possible.
    typealias Service = @Sendable (Socket, Visit) -> (@Sendable () -> Void)?

    nonisolated let loop = EventLoop.next()
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private nonisolated let sockets: ListeningSockets
    private let service: Service
    private var admission: AdmissionControl
    private var callers: AcceptLoop?
    /// What drops each caller that is in its handshake.
    private var handshaking: [UInt64: @Sendable () -> Void] = [:]
    private var lastCaller: UInt64 = 0
    private var isShut = false
    /// Callers that are open or in their handshake.
    private(set) var connectionCount = 0

    init(sockets: ListeningSockets, limits: ListenerLimits, service: @escaping Service) {
        self.sockets = sockets
        self.service = service
        admission = AdmissionControl(limits: limits)
    }

    /// Begins to accept.
    nonisolated func open() { loop.execute { self.assumeIsolated { $0.start() } } }

    private func start() {
        guard !isShut else { return }
        let callers = AcceptLoop(
            sockets, loop: loop, wantsMore: { true },
            admit: { [weak self] socket in self?.assumeIsolated { $0.admit(socket) } })
        self.callers = callers
        callers.start()
    }

    /// Stops: the address is free when this returns, handshakes that are not over are dropped soon.
    nonisolated func shut() {
        AcceptLoop.endListening(sockets)
        loop.execute { self.assumeIsolated { $0.stop() } }
    }

    private func stop() {
        isShut = true
        callers?.stop()
        for drop in handshaking.values { drop() }
        handshaking = [:]
    }

    /// A caller over the limits is dropped without a word: whatever is said costs us more than the caller.
    private func admit(_ socket: Socket) {
        // Gone again already, if it has no address any more.
        guard let remote = socket.remoteAddress else { return }
        let isUNIX = remote.family == AF_UNIX
        if isUNIX, let user = socket.peerUser, user != geteuid(), user != 0 { return }
        let host = isUNIX ? nil : remote.network
        guard admission.admit(host: host, now: .now()) == nil else { return }
        lastCaller += 1
        let caller = lastCaller
        let visit = Visit(
            opened: { [weak self] in
                self?.loop.execute { [weak self] in self?.assumeIsolated { $0.handshakeEnded(caller, host: host) } }
            },
            gone: { [weak self] in
                self?.loop.execute { [weak self] in self?.assumeIsolated { $0.left(caller, host: host) } }
            })
        connectionCount += 1
        handshaking[caller] = {}
        if let drop = service(socket, visit) { handshaking[caller] = drop } else { left(caller, host: host) }
    }

    private func handshakeEnded(_ caller: UInt64, host: String?) {
        guard handshaking.removeValue(forKey: caller) != nil else { return }
        admission.handshakeEnded(host: host)
    }

    private func left(_ caller: UInt64, host: String?) {
        handshakeEnded(caller, host: host)
        admission.connectionEnded()
        connectionCount -= 1
    }
}
