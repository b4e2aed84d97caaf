// Waits for peers that call us. From the kernel's queue of connections to `PeerLink`s whose handshake is over.

internal import Glibc

/// Accepts links at an endpoint until it is closed or nobody refers to it any more. Links that are open by then stay.
public final class LinkListener: Sendable {
    /// Decides about a peer whose handshake is over, before its first request is delivered: returns who answers its
    /// requests, or `nil` to turn it away (close code 1008). Called on the event loop of the link.
    public typealias Acceptance = @Sendable (PeerLink) -> (any BLIPRequestHandler)?

    /// Where peers reach it, the chosen port filled in.
    public let localEndpoint: Endpoint
    private let door: Door

    /// Begins to listen. The host `::` or `*` means every address of both families; port 0 any free port. May block
    /// for the resolver when the host is a name.
    public static func listen(
        on endpoint: Endpoint, options: LinkOptions, admission: ListenerLimits = ListenerLimits(),
        accept: @escaping Acceptance
    ) throws(LinkError) -> LinkListener {
        let sockets = try ListeningSockets.open(endpoint)
        let door = Door(sockets: sockets, options: options, limits: admission, acceptance: accept)
        door.loop.execute { door.assumeIsolated { $0.open() } }
        return LinkListener(localEndpoint: sockets.endpoint, door: door)
    }

    private init(localEndpoint: Endpoint, door: Door) {
        self.localEndpoint = localEndpoint
        self.door = door
    }

    deinit { close() }

    /// Stops listening: the address is free at once, handshakes that are not over are dropped.
    public func close() { door.shut() }

    /// Connections that are open or in their handshake.
    var connectionCount: Int {
        get async { await door.connectionCount }
    }
}

/// What of a listener lives on its queue.
private actor Door {
    nonisolated let loop = EventLoop.next()
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private nonisolated let sockets: ListeningSockets
    private let options: LinkOptions
    private let acceptance: LinkListener.Acceptance
    private var admission: AdmissionControl
    private var readiness: [SocketReadiness] = []
    private var handshaking: [ObjectIdentifier: PeerLink] = [:]
    private var isShut = false
    private(set) var connectionCount = 0

    /// How long nothing is accepted after the process has run out of descriptors or memory.
    private static let pause: Duration = .milliseconds(200)

    init(
        sockets: ListeningSockets, options: LinkOptions, limits: ListenerLimits,
        acceptance: @escaping LinkListener.Acceptance
    ) {
        self.sockets = sockets
        self.options = options
        self.acceptance = acceptance
        admission = AdmissionControl(limits: limits)
    }

    func open() {
        guard !isShut else { return }
        readiness = sockets.sockets.enumerated().map { index, socket in
            SocketReadiness(
                socket: socket, loop: loop,
                readable: { [weak self] in self?.assumeIsolated { $0.callersWait(at: index) } }, writable: {})
        }
        for source in readiness { source.wantReads(true) }
    }

    nonisolated func shut() {
        // Ends the kernel's listening at once, so that the address can be taken again when this returns.
        for socket in sockets.sockets { _ = shutdown(socket.descriptor, Int32(SHUT_RDWR)) }
        sockets.removeFile()
        loop.execute { self.assumeIsolated { $0.stop() } }
    }

    private func stop() {
        isShut = true
        for source in readiness { source.cancel() }
        readiness = []
        for link in handshaking.values { link.close() }
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
        socket.applyLinkOptions(for: remote)
        do throws(LinkError) {
            let stack = try ProtocolStack.server(options: options, now: .now())
            run(PeerLink(loop: .next(), socket: socket, stack: stack, options: options, isOutgoing: false), host: host)
        } catch {
            admission.handshakeEnded(host: host)
            admission.connectionEnded()
        }
    }

    private func run(_ link: PeerLink, host: String?) {
        let identity = ObjectIdentifier(link)
        handshaking[identity] = link
        connectionCount += 1
        let opened: @Sendable () -> Void = { [weak self] in
            self?.loop.execute { [weak self] in
                self?.assumeIsolated { $0.handshakeEnded(identity, host: host) }
            }
        }
        let gone: @Sendable () -> Void = { [weak self] in
            self?.loop.execute { [weak self] in
                self?.assumeIsolated { door in
                    door.handshakeEnded(identity, host: host)
                    door.admission.connectionEnded()
                    door.connectionCount -= 1
                }
            }
        }
        link.serve(acceptance: acceptance, observer: PeerLink.Observer(opened: opened, gone: gone))
    }

    private func handshakeEnded(_ link: ObjectIdentifier, host: String?) {
        guard handshaking.removeValue(forKey: link) != nil else { return }
        admission.handshakeEnded(host: host)
    }
}
