// The accepting half of every listener: takes callers from the kernel within the listener's limits and hands their
// sockets over. Used by `LinkListener` and `WebSocketListener`.

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
    private var readiness: [SocketReadiness] = []
    /// What drops each caller that is in its handshake.
    private var handshaking: [UInt64: @Sendable () -> Void] = [:]
    private var lastCaller: UInt64 = 0
    private var isShut = false
    /// Callers that are open or in their handshake.
    private(set) var connectionCount = 0

    /// How long nothing is accepted after the process has run out of descriptors or memory.
    private static let pause: Duration = .milliseconds(200)

    init(sockets: ListeningSockets, limits: ListenerLimits, service: @escaping Service) {
        self.sockets = sockets
        self.service = service
        admission = AdmissionControl(limits: limits)
    }

    /// Begins to accept.
    nonisolated func open() { loop.execute { self.assumeIsolated { $0.start() } } }

    private func start() {
        guard !isShut else { return }
        readiness = sockets.sockets.enumerated().map { index, socket in
            SocketReadiness(
                socket: socket, loop: loop,
                readable: { [weak self] in self?.assumeIsolated { $0.callersWait(at: index) } }, writable: {})
        }
        for source in readiness { source.wantReads(true) }
    }

    /// Stops: the address is free when this returns, handshakes that are not over are dropped soon.
    nonisolated func shut() {
        // Ends the kernel's listening at once.
        for socket in sockets.sockets { _ = shutdown(socket.descriptor, Int32(SHUT_RDWR)) }
        sockets.removeFile()
        loop.execute { self.assumeIsolated { $0.stop() } }
    }

    private func stop() {
        isShut = true
        for source in readiness { source.cancel() }
        readiness = []
        for drop in handshaking.values { drop() }
        handshaking = [:]
    }

    /// Takes the callers that wait at one socket, a few at a time so that other work gets its turn.
    private func callersWait(at index: Int) {
        guard !isShut else { return }
        for _ in 0..<16 {
            switch sockets.sockets[index].accept() {
            case .connection(let socket): admit(socket)
            case .nothingYet: return
            case .failed:
                rest(index)
                return
            }
        }
    }

    /// Out of descriptors or memory: the caller stays in the kernel's queue, and asking again at once would only
    /// keep the processor busy.
    private func rest(_ index: Int) {
        readiness[index].wantReads(false)
        _ = loop.schedule(at: .now() + Self.pause) { [weak self] in
            self?.assumeIsolated { door in
                if !door.isShut { door.readiness[index].wantReads(true) }
            }
        }
    }

    /// A caller over the limits is dropped without a word: whatever is said costs us more than the caller.
    private func admit(_ socket: Socket) {
        // Gone again already, if it has no address any more.
        guard let remote = socket.remoteAddress else { return }
        let isUNIX = remote.family == AF_UNIX
        if isUNIX, let user = socket.peerUser, user != geteuid(), user != 0 { return }
        let host = isUNIX ? nil : remote.hostText
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
