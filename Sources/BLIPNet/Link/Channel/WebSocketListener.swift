// Waits for WebSocket clients (SOCKETS C5). From the kernel's queue of connections to open `WebSocketChannel`s.

/// The offers and limits of a WebSocket server.
public struct WebSocketListenerOptions: Sendable {
    /// Path, subprotocols, origins, compression and limits.
    public var handshake: WebSocketServerOptions
    /// TLS for `wss`; it needs an identity. `nil` means plain `ws`.
    public var tls: TLSConfiguration?
    package var windows = WebSocketWindows()
    public var admission = ListenerLimits()
    /// The options of the accepted sockets.
    public var stream = StreamOptions.webSocket

    public init(handshake: WebSocketServerOptions = WebSocketServerOptions(allowsNoSubprotocol: true)) {
        self.handshake = handshake
    }
}

/// Accepts WebSockets at an endpoint until it is closed or nobody refers to it any more. Channels that are open by then
/// stay.
public final class WebSocketListener: Sendable {
    /// Gets a channel whose handshake is over, before its first message: returns who takes its messages, or `nil` when
    /// somebody is going to `receive` them. Called on the event loop of the channel.
    public typealias Acceptance = @Sendable (WebSocketChannel) -> (any WebSocketHandler)?

    /// Decides about a correct request, in its own time, but within the handshake's deadline. Requests for another path
    /// or from another origin than the options allow are refused before.
    public typealias Decision = @Sendable (HTTPRequestHead) async -> UpgradeDecision

    /// Where clients reach it, the chosen port filled in.
    public let localEndpoint: Endpoint
    private let door: ListenerDoor

    /// Begins to listen. The host `::` or `*` means every address of both families; port 0 any free port. May block
    /// for the resolver when the host is a name. Without `decide` every correct request is accepted.
    public static func listen(
        on endpoint: Endpoint, options: WebSocketListenerOptions = WebSocketListenerOptions(),
        decide: Decision? = nil, accept: @escaping Acceptance
    ) throws(LinkError) -> WebSocketListener {
        var options = options
        options.handshake.asksBeforeUpgrade = decide != nil
        let settings = options
        try check(options.tls)
        let sockets: ListeningSockets
        do throws(NetError) { sockets = try ListeningSockets.open(endpoint) } catch { throw LinkError(error) }
        let door = ListenerDoor(sockets: sockets, limits: options.admission) { socket, visit in
            serve(socket, visit, options: settings, decide: decide, acceptance: accept)
        }
        door.open()
        return WebSocketListener(localEndpoint: sockets.endpoint, door: door)
    }

    /// Tells at once what would otherwise turn every client away.
    private static func check(_ configuration: TLSConfiguration?) throws(LinkError) {
        guard let configuration else { return }
        do throws(TLSError) {
            _ = try TLSSession(role: .server, configuration: configuration)
        } catch {
            throw LinkError(NetError(error))
        }
    }

    private init(localEndpoint: Endpoint, door: ListenerDoor) {
        self.localEndpoint = localEndpoint
        self.door = door
    }

    deinit { close() }

    /// Stops listening: the address is free at once, handshakes that are not over are dropped.
    public func close() { door.shut() }

    /// Keeps a quarter of all places (connections, handshakes, handshakes that begin at once) for callers from these
    /// networks (`SocketAddress.neighbourhood`). Until this is called no place is kept.
    package func favour(networks: Set<String>) { door.favour(networks) }

    /// Connections that are open or in their handshake.
    var connectionCount: Int {
        get async { door.connectionCount }
    }

    private static func serve(
        _ socket: Socket, _ visit: ListenerDoor.Visit, options: WebSocketListenerOptions, decide: Decision?,
        acceptance: @escaping Acceptance
    ) -> (@Sendable () -> Void)? {
        let now = MonotonicTime.now()
        let tls: TLSSession?
        do throws(TLSError) {
            tls = try options.tls.map { configuration throws(TLSError) in
                try TLSSession(role: .server, configuration: configuration)
            }
        } catch {
            return nil
        }
        if let remote = socket.remoteAddress { socket.apply(options.stream, for: remote) }
        let closeTimeout = options.handshake.limits.closeTimeout
        let stack = WebSocketStack(
            webSocket: .server(options.handshake, now: now), tls: tls, expectedPeer: nil, closeTimeout: closeTimeout,
            now: now)
        stack.admitHello(visit.admitsHello)
        let channel = WebSocketChannel(
            loop: .next(), socket: socket, stack: stack, windows: options.windows, lingerTimeout: closeTimeout,
            url: nil, tls: options.tls)
        channel.serve(
            decide: decide, acceptance: acceptance,
            observer: WebSocketChannel.Observer(reached: visit.reached, opened: visit.opened, gone: visit.gone))
        return { [weak channel] in channel?.abandon() }
    }
}
