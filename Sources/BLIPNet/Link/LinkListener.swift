// Waits for peers that call us. From the kernel's queue of connections to `PeerLink`s whose handshake is over.

/// Accepts links at an endpoint until it is closed or nobody refers to it any more. Links that are open by then stay.
public final class LinkListener: Sendable {
    /// Decides about a peer whose handshake is over, before its first request is delivered: returns who answers its
    /// requests, or `nil` to turn it away (close code 1008). Called on the event loop of the link.
    public typealias Acceptance = @Sendable (PeerLink) -> (any BLIPRequestHandler)?

    /// Where peers reach it, the chosen port filled in.
    public let localEndpoint: Endpoint
    private let door: ListenerDoor

    /// Begins to listen. The host `::` or `*` means every address of both families; port 0 any free port. May block
    /// for the resolver when the host is a name.
    public static func listen(
        on endpoint: Endpoint, options: LinkOptions, admission: ListenerLimits = ListenerLimits(),
        accept: @escaping Acceptance
    ) throws(LinkError) -> LinkListener {
        try listen(on: endpoint, isOnion: false, options: options, admission: admission, accept: accept)
    }

    /// The same. `isOnion`: tor brings the callers. They all count as one address, and are close to nobody.
    package static func listen(
        on endpoint: Endpoint, isOnion: Bool, options: LinkOptions, admission: ListenerLimits,
        accept: @escaping Acceptance
    ) throws(LinkError) -> LinkListener {
        let sockets: ListeningSockets
        do throws(NetError) { sockets = try ListeningSockets.open(endpoint) } catch { throw LinkError(error) }
        let options = isOnion ? options.throughOthers : options
        let door = ListenerDoor(sockets: sockets, limits: admission, isOnion: isOnion) { socket, visit in
            serve(socket, visit, isOnion, options: options, acceptance: accept)
        }
        door.open()
        return LinkListener(localEndpoint: sockets.endpoint, door: door)
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
        _ socket: Socket, _ visit: ListenerDoor.Visit, _ isOnion: Bool, options: LinkOptions,
        acceptance: @escaping Acceptance
    ) -> (@Sendable () -> Void)? {
        guard let remote = socket.remoteAddress else { return nil }
        socket.apply(options.connect.stream, for: remote)
        do throws(LinkError) {
            let stack = try ProtocolStack.server(options: options, now: .now())
            stack.admitHello(visit.admitsHello)
            let link = PeerLink(
                loop: .next(), socket: socket, stack: stack, options: options, isOutgoing: false, isOnion: isOnion)
            link.serve(
                acceptance: acceptance,
                observer: PeerLink.Observer(reached: visit.reached, opened: visit.opened, gone: visit.gone))
            return { [weak link] in link?.abandon() }
        } catch {
            return nil
        }
    }
}
