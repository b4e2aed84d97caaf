// The live network of a ChatClient: BLIPNet's links behind the port PeerConnecting.

package import BLIPNet

/// Calls over TCP, TLS 1.3, WebSocket and BLIP with one identity.
package struct LinkConnecting: PeerConnecting {
    /// What the requests mean, in the subprotocol `BLIP_3+blipchat_1`.
    package static let application = "blipchat_1"

    private var options: LinkOptions
    private let admission: ListenerLimits

    /// With the limits of a chat.
    package init(identity: TLSIdentity, limits: NetworkLimits) {
        var options = LinkOptions()
        limits.apply(to: &options)
        self.init(identity: identity, options: options, admission: limits.admission)
    }

    /// `options` may change timeouts and limits; identity and pin are set here.
    package init(
        identity: TLSIdentity, options: LinkOptions = LinkOptions(), admission: ListenerLimits = ListenerLimits()
    ) {
        self.options = options
        self.options.identity = identity
        self.options.application = Self.application
        self.admission = admission
    }

    package func networkChanges() -> AsyncStream<NetworkChange> { NetworkChange.stream() }

    package func connect(
        to endpoint: Endpoint, expecting expected: PeerID?, through proxy: ProxyChoice, handler: any PeerRequestHandler
    ) async throws(LinkError) -> any PeerConnection {
        var options = options
        options.expectedPeer = expected?.fingerprint
        options.proxy = proxy
        // A peer that does not know BLIP_3 may know the founding documents (PROTOCOL 3.2); callers of ours do.
        options.dialects = [.blip3, .blip2013]
        return try await PeerLink.connect(to: endpoint, options: options, handler: LinkRequests(handler))
    }

    package func listen(
        on endpoint: Endpoint, accept: @escaping @Sendable (any PeerConnection) -> (any PeerRequestHandler)?
    ) throws(LinkError) -> any PeerListening {
        try LinkListener.listen(on: endpoint, options: options, admission: admission) { link in
            accept(link).map(LinkRequests.init)
        }
    }
}

extension PeerLink: PeerConnection {}
extension LinkListener: PeerListening {}

/// Hands the requests of a link on to ChatCore. The link keeps it alive.
private final class LinkRequests: BLIPRequestHandler {
    private let handler: any PeerRequestHandler

    init(_ handler: any PeerRequestHandler) { self.handler = handler }

    func handle(_ request: BLIPIncomingRequest, on link: PeerLink) -> BLIPResponse? { handler.handle(request) }
}
