// The live network of a ChatClient: BLIPNet's links as an implementation of the port PeerConnecting.

package import BLIPNet
import Glibc
import Synchronization

/// Calls over TCP, TLS 1.3, WebSocket and BLIP with one identity.
package struct LinkConnecting: PeerConnecting {
    /// The application protocol of the requests, as in the subprotocol `BLIP_3+blipchat_1`.
    package static let application = "blipchat_1"
    /// The same for a connection that carries ranges of files alone (Docs/protocol.md 10.8).
    package static let fileApplication = "blipchat_files_1"

    private let identity: TLSIdentity
    private let caller = RelayCaller()
    private var options: LinkOptions
    private let admission: ListenerLimits
    /// `nil`: there is none.
    private let upnp: (any UPnPAsking)?
    private let onion: OnionConnecting

    /// With the limits of a chat.
    package init(
        identity: TLSIdentity, limits: NetworkLimits, upnp: (any UPnPAsking)? = nil, tor: any TorProviding = NoTor()
    ) {
        var options = LinkOptions()
        limits.apply(to: &options)
        self.init(identity: identity, options: options, admission: limits.admission, upnp: upnp, tor: tor)
    }

    /// `options` may change timeouts and limits; identity and pin are set here.
    package init(
        identity: TLSIdentity, options: LinkOptions = LinkOptions(), admission: ListenerLimits = ListenerLimits(),
        upnp: (any UPnPAsking)? = nil, tor: any TorProviding = NoTor()
    ) {
        self.identity = identity
        self.options = options
        self.options.identity = identity
        self.options.application = Self.application
        self.admission = admission
        self.upnp = upnp
        onion = OnionConnecting(identity: identity, admission: admission, tor: tor)
    }

    package func networkChanges() -> AsyncStream<NetworkChange> { NetworkChange.stream() }

    package func connect(
        to endpoint: Endpoint, expecting expected: PeerID?, through proxy: ProxyChoice, handler: any PeerRequestHandler
    ) async throws(LinkError) -> any PeerConnection {
        try await PeerLink.connect(
            to: endpoint, options: calling(expected, proxy), handler: LinkRequests(handler))
    }

    package func connect(
        along route: Route, isPublic: Bool, expecting expected: PeerID?, through proxy: ProxyChoice,
        handler: any PeerRequestHandler
    ) async throws(LinkError) -> any PeerConnection {
        var options = calling(expected, proxy)
        options.connect.addressPolicy.allowsInside = !isPublic
        switch route {
        case .direct(let host, let port):
            return try await PeerLink.connect(
                to: .host(host, port: port), options: options, handler: LinkRequests(handler))
        case .relay(let relay):
            return try await PeerLink.connect(
                to: relay.mailbox, at: relay.server, as: try caller.identity(), options: options,
                handler: LinkRequests(handler))
        // Its name is for Tor alone: a name server must not hear it.
        case .onion(let host, let port):
            return try await onion.connect(host, port: port, options: options, handler: LinkRequests(handler))
        }
    }

    package func openLane(
        to endpoint: Endpoint, expecting expected: PeerID, handler: any PeerRequestHandler
    ) async throws(LinkError) -> any PeerConnection {
        var options = calling(expected, .direct)
        options.application = Self.fileApplication
        options.dialects = [.blip3]
        return try await PeerLink.connect(to: endpoint, options: options, handler: LinkRequests(handler))
    }

    /// The settings of a call.
    private func calling(_ expected: PeerID?, _ proxy: ProxyChoice) -> LinkOptions {
        var options = options
        options.expectedPeer = expected?.fingerprint
        options.proxy = proxy
        // A peer that does not know BLIP_3 may know the founding documents (PROTOCOL 3.2); callers of ours do.
        options.dialects = [.blip3, .blip2013]
        return options
    }

    // MARK: Relays

    package func identity(of relay: RelayServer, through proxy: ProxyChoice) async throws(LinkError) -> RelayID {
        try await RelayReception.lookUp(relay, options: calling(nil, proxy))
    }

    package func mailbox(at place: MailboxPlace) -> RelayID? { key(of: place)?.relayID }

    private func key(of place: MailboxPlace) -> TLSIdentity? {
        do throws(TLSError) {
            switch place {
            case .own(let relay, let generation, let slot):
                return try identity.mailbox(at: relay, generation: generation, slot: slot)
            case .spoken(let seed): return try TLSIdentity(mailboxSeed: seed)
            }
        } catch {
            return nil
        }
    }

    package func beReached(
        at relay: RelayServer, in place: MailboxPlace, token: String, through proxy: ProxyChoice,
        joined: @escaping @Sendable (RelayJoined) -> Void,
        accept: @escaping @Sendable (any PeerConnection) -> (any PeerRequestHandler)?
    ) async -> LinkError {
        guard let key = key(of: place) else { return .notBLIP(reason: "there is no mailbox for this key") }
        var options = options
        options.proxy = proxy
        let reception = RelayReception(at: relay, token: token, options: options) { link in
            accept(link).map(LinkRequests.init)
        }
        return await reception.serve(as: key, joined: joined)
    }

    // MARK: Tor

    package func onionRoute(generation: UInt32) -> Route? { onion.route(generation: generation) }

    package func serveOnion(
        generation: UInt32?, control: Endpoint?, news: @escaping @Sendable (OnionNews) -> Void,
        accept: @escaping @Sendable (any PeerConnection) -> (any PeerRequestHandler)?
    ) async -> LinkError {
        .onionFailed(
            await onion.serve(generation: generation, control: control, options: options, news: news) { link in
                accept(link).map(LinkRequests.init)
            })
    }

    package func serveOnion(
        ofWords seed: [UInt8], number: Int, news: @escaping @Sendable (OnionNews) -> Void,
        accept: @escaping @Sendable (any PeerConnection) -> (any PeerRequestHandler)?
    ) async -> LinkError {
        guard let service = OnionService(seed: seed) else {
            return .notBLIP(reason: "there is no onion service for this key")
        }
        return .onionFailed(
            await onion.serve(service, ofWords: number, options: options, news: news) { link in
                accept(link).map(LinkRequests.init)
            })
    }

    // MARK: Ports of the router

    package func mapPort(
        _ port: UInt16, earlier: MappedPort?, usesUPnP: Bool
    ) async throws(MappingFailure) -> MappedPort {
        let router = try Router()
        guard !router.isNeedless else { throw .notNeeded }
        do throws(MappingFailure) {
            return try await router.map(port, earlier: earlier)
        } catch {
            guard error == .silent, usesUPnP, let upnp else { throw error }
            return try await upnp.map(port, ownHost: router.ownHost)
        }
    }

    package func giveBack(_ mapped: MappedPort) async {
        guard mapped.way != .upnp else {
            await upnp?.giveBack(mapped)
            return
        }
        // Without a way to it there is nothing to give back.
        do throws(MappingFailure) { await (try Router()).giveBack(mapped) } catch {}
    }

    // MARK: Calling at the same moment

    package func openHole(seenBy observer: OutsideObserver?) async -> PunchHole? {
        guard let port = HolePunch.freePort() else { return nil }
        return PunchHole(port: port, outside: await observer?.place(of: port)?.endpoint)
    }

    package func punch(
        from port: UInt16, to candidates: [Endpoint], allowsInside: Bool, expecting expected: PeerID,
        handler: any PeerRequestHandler
    ) async throws(LinkError) -> any PeerConnection {
        let options = calling(expected, .direct)
        return try await hole(port, candidates, allowsInside, options).connect(handler: LinkRequests(handler))
    }

    package func takePunch(
        from port: UInt16, to candidates: [Endpoint], allowsInside: Bool,
        accept: @escaping @Sendable (any PeerConnection) -> (any PeerRequestHandler)?
    ) async {
        await hole(port, candidates, allowsInside, options).serve { link in accept(link).map(LinkRequests.init) }
    }

    private func hole(
        _ port: UInt16, _ candidates: [Endpoint], _ allowsInside: Bool, _ options: LinkOptions
    ) -> HolePunch {
        let places = candidates.compactMap { candidate in
            if case .host(let host, let port) = candidate { SocketAddress(host: host, port: port) } else { nil }
        }
        return HolePunch(from: port, to: places.filter { allowsInside || !$0.isInside }, options: options)
    }

    package func listen(
        on endpoint: Endpoint, accept: @escaping @Sendable (any PeerConnection) -> (any PeerRequestHandler)?
    ) throws(LinkError) -> any PeerListening {
        var options = options
        options.otherApplications = [Self.fileApplication]
        return try LinkListener.listen(on: endpoint, options: options, admission: admission) { link in
            accept(link).map(LinkRequests.init)
        }
    }
}

/// Our identity to the relays at which we only call: made when it is first needed, and another one in each run.
private final class RelayCaller: Sendable {
    private let made = Mutex<TLSIdentity?>(nil)

    func identity() throws(LinkError) -> TLSIdentity {
        do throws(TLSError) {
            return try made.withLock { made throws(TLSError) in
                if let made { return made }
                let identity = try TLSIdentity.generate(commonName: "blip")
                made = identity
                return identity
            }
        } catch {
            throw .notBLIP(reason: "TLS cannot start here: \(error.reason)")
        }
    }
}

extension LinkInfo {
    /// Whether it is a connection for files alone.
    var isFileLane: Bool { application == LinkConnecting.fileApplication }
}

extension PeerLink: PeerConnection {}
extension LinkListener: PeerListening {}

/// Hands the requests of a link on to ChatCore. The link keeps it alive.
private final class LinkRequests: BLIPRequestHandler {
    private let handler: any PeerRequestHandler

    init(_ handler: any PeerRequestHandler) { self.handler = handler }

    func handle(_ request: BLIPIncomingRequest, on link: PeerLink) -> BLIPResponse? { handler.handle(request) }
}
