// The door of a listener: lets callers in within the listener's limits and hands their sockets over. Used by
// `LinkListener` and `WebSocketListener`.

internal import Glibc
internal import Synchronization

/// The listening sockets of one listener, on an event loop.
actor ListenerDoor {
    /// The progress of a caller, reported by the object that serves it, from any thread.
    struct Visit: Sendable {
        /// A whole ClientHello is there; `false`: nothing more is to be done for this caller.
        let admitsHello: @Sendable () -> Bool
        /// The handshake has come so far.
        let reached: @Sendable (HandshakeStage) -> Void
        /// The handshake is over. At most once.
        let opened: @Sendable () -> Void
        /// The descriptor is closed. At most once.
        let gone: @Sendable () -> Void
    }

    /// Begins to serve a caller, on a loop of its choice, and returns what closes its descriptor at once unless its
    /// handshake is over. `nil` when that is not possible.
    typealias Service = @Sendable (Socket, Visit) -> (@Sendable () -> Void)?

    nonisolated let loop = EventLoop.next()
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private nonisolated let sockets: ListeningSockets
    private let service: Service
    /// Tor brings the callers.
    private let isOnion: Bool
    /// Asked from the loops of callers, too.
    private nonisolated let admission: Mutex<AdmissionControl>
    private var acceptLoop: AcceptLoop?
    /// The functions that drop the callers that are in their handshakes.
    private var handshaking: [UInt64: @Sendable () -> Void] = [:]
    private var lastCaller: UInt64 = 0
    private var isShut = false
    private var timer: LoopTimer?

    init(sockets: ListeningSockets, limits: ListenerLimits, isOnion: Bool = false, service: @escaping Service) {
        self.sockets = sockets
        self.service = service
        self.isOnion = isOnion
        admission = Mutex(AdmissionControl(limits: limits))
    }

    /// Callers that are open or in their handshake.
    nonisolated var connectionCount: Int { admission.withLock { $0.count } }

    /// Keeps a quarter of all places for callers from these networks (`SocketAddress.neighbourhood`).
    nonisolated func favour(_ networks: Set<String>) { admission.withLock { $0.favour(networks) } }

    /// Begins to accept.
    nonisolated func open() { loop.execute { self.assumeIsolated { $0.start() } } }

    private func start() {
        guard !isShut else { return }
        let callers = AcceptLoop(
            sockets, loop: loop, wantsMore: { true },
            admit: { [weak self] socket in self?.assumeIsolated { $0.admit(socket) } })
        acceptLoop = callers
        callers.start()
    }

    /// Stops: the address is free when this returns, handshakes that are not over are dropped soon.
    nonisolated func shut() {
        AcceptLoop.endListening(sockets)
        loop.execute { self.assumeIsolated { $0.stop() } }
    }

    private func stop() {
        isShut = true
        acceptLoop?.stop()
        timer?.cancel()
        for drop in handshaking.values { drop() }
        handshaking = [:]
    }

    // MARK: Arriving

    /// A caller over the limits is dropped without a word: whatever is said costs us more than the caller.
    private func admit(_ socket: Socket) {
        // Gone again already, if it has no address any more.
        guard let remote = socket.remoteAddress else { return }
        let isUNIX = remote.family == AF_UNIX
        if isUNIX, let user = socket.peerUser, user != geteuid(), user != 0 { return }
        let place = isOnion ? CallerPlace.onion : isUNIX ? nil : CallerPlace(remote)
        lastCaller += 1
        let caller = lastCaller
        guard case .admitted(let dropped) = admission.withLock({ $0.admit(caller, from: place, now: .now()) })
        else { return }
        for other in dropped { drop(other) }
        handshaking[caller] = {}
        guard let drop = service(socket, visit(of: caller)) else { return left(caller) }
        handshaking[caller] = drop
        watchTime()
    }

    private nonisolated func visit(of caller: UInt64) -> Visit {
        Visit(
            admitsHello: { [weak self] in self?.admitsHello(of: caller) ?? false },
            reached: { [weak self] stage in
                guard let self, !admission.withLock({ $0.reached(stage, by: caller, now: .now()) }) else { return }
                onLoop { $0.drop(caller) }
            },
            opened: { [weak self] in self?.onLoop { $0.opened(caller) } },
            gone: { [weak self] in self?.onLoop { $0.left(caller) } })
    }

    private nonisolated func onLoop(_ body: @escaping @Sendable (isolated ListenerDoor) -> Void) {
        loop.execute { [weak self] in self?.assumeIsolated { body($0) } }
    }

    private nonisolated func admitsHello(of caller: UInt64) -> Bool {
        let isAdmitted = admission.withLock { $0.admitsHello(of: caller, now: .now()) }
        // Its descriptor goes at once; an end in order would keep it for as long as the caller likes.
        if !isAdmitted { onLoop { $0.drop(caller) } }
        return isAdmitted
    }

    // MARK: Leaving

    private func opened(_ caller: UInt64) {
        handshaking[caller] = nil
        admission.withLock { $0.opened(caller) }
    }

    private func left(_ caller: UInt64) {
        handshaking[caller] = nil
        admission.withLock { $0.left(caller) }
    }

    private func drop(_ caller: UInt64) {
        handshaking.removeValue(forKey: caller)?()
        admission.withLock { $0.left(caller) }
    }

    // MARK: Time

    private func watchTime() {
        guard timer == nil, !isShut, let deadline = admission.withLock({ $0.nextDeadline }) else { return }
        timer = loop.schedule(at: deadline) { [weak self] in self?.assumeIsolated { $0.timeIsUp() } }
    }

    private func timeIsUp() {
        timer = nil
        for caller in admission.withLock({ $0.takeOverdue(now: .now()) }) { drop(caller) }
        watchTime()
    }
}
