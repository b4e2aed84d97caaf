// How an outgoing link is made: straight to the peer, or through the tunnel of a proxy.

extension PeerLink {
    /// Calls `endpoint` and returns when both handshakes are over, the server having judged our certificate and
    /// answered the WebSocket upgrade. Cancelling the task ends the attempt with `.closedLocally`.
    public static func connect(
        to endpoint: Endpoint, options: LinkOptions, handler: any BLIPRequestHandler
    ) async throws(LinkError) -> PeerLink {
        let link: PeerLink
        if let proxy = try proxy(for: endpoint, options) {
            link = try await tunnelled(to: endpoint, through: proxy, options)
        } else {
            link = try await direct(to: endpoint, options)
        }
        if let failure = await link.handshake(handler: handler) { throw failure }
        return link
    }

    private static func direct(to endpoint: Endpoint, _ options: LinkOptions) async throws(LinkError) -> PeerLink {
        let loop = EventLoop.next()
        let socket: Socket
        do throws(NetError) {
            socket = try await SocketConnector(loop: loop).connect(to: endpoint, options: options.connect)
        } catch {
            throw LinkError(error)
        }
        let stack = try ProtocolStack.client(host: endpoint.hostHeader, options: options, now: .now())
        return PeerLink(
            loop: loop, socket: socket, stack: stack, options: options, isOutgoing: true,
            remote: endpoint.isUNIX ? endpoint : nil)
    }

    private static func tunnelled(
        to endpoint: Endpoint, through proxy: HTTPProxy, _ options: LinkOptions
    ) async throws(LinkError) -> PeerLink {
        let tunnel = ProxyTunnel(
            proxy: proxy, target: endpoint.hostHeader, connect: options.connect, limits: options.webSocket)
        let stream: DetachedStream
        do throws(ProxyTunnel.Failure) { stream = try await tunnel.open() } catch {
            throw LinkError(error, of: proxy)
        }
        let options = options.throughOthers
        var stack = try ProtocolStack.client(host: endpoint.hostHeader, options: options, now: .now())
        // Bytes that the proxy has sent after its answer come from the peer.
        stack.receive(stream.unread, now: .now())
        return PeerLink(
            loop: stream.loop, socket: stream.socket, stack: stack, options: options, isOutgoing: true,
            remote: endpoint, proxy: proxy.endpoint)
    }

    private static func proxy(for endpoint: Endpoint, _ options: LinkOptions) throws(LinkError) -> HTTPProxy? {
        do throws(ProxyChoice.Unusable) { return try options.proxy.proxy(for: endpoint) } catch {
            throw .proxyFailed(reason: "\(error.variable) names a proxy that cannot be used")
        }
    }
}
