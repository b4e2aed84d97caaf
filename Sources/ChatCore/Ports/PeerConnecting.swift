// The network that ChatCore needs: calls to peers, calls from peers, and requests over them. `LinkConnecting`
// implements it with BLIPNet.

package import BLIPNet
import Glibc

/// Makes and takes calls. Every connection that it hands out has proved its key (TLS 1.3, both sides).
package protocol PeerConnecting: Sendable {
    /// Dials, as `proxy` says; returns after the handshake. With `expected` set, another key fails with `.wrongIdentity`.
    func connect(
        to endpoint: Endpoint, expecting expected: PeerID?, through proxy: ProxyChoice, handler: any PeerRequestHandler
    ) async throws(LinkError) -> any PeerConnection

    /// Takes calls until the listener is closed. `accept` is asked after the handshake and before the first request
    /// is delivered; `nil` refuses the call.
    func listen(
        on endpoint: Endpoint,
        accept: @escaping @Sendable (any PeerConnection) -> (any PeerRequestHandler)?
    ) throws(LinkError) -> any PeerListening

    /// Calls along a route of any kind. `isPublic`: only at addresses of the public network, for a route that a contact has
    /// named: nobody aims us at others.
    func connect(
        along route: Route, isPublic: Bool, expecting expected: PeerID?, through proxy: ProxyChoice,
        handler: any PeerRequestHandler
    ) async throws(LinkError) -> any PeerConnection

    /// Opens a further connection to a contact to whom there is a link, for ranges of files alone (Docs/decisions/0034).
    /// Another key fails with `.wrongIdentity`.
    func openLane(
        to endpoint: Endpoint, expecting expected: PeerID, handler: any PeerRequestHandler
    ) async throws(LinkError) -> any PeerConnection

    /// The identity of the relay that answers there, for our user to keep. Throws `.relayFailed`.
    func identity(of relay: RelayServer, through proxy: ProxyChoice) async throws(LinkError) -> RelayID

    /// Our mailbox with a relay; `nil` where there are no relays.
    func mailbox(at place: MailboxPlace) -> RelayID?

    /// Joins a relay and takes calls there until the relay, the network or the task ends it; says why. `joined` hears
    /// how joining went. `accept` works as with `listen`.
    func beReached(
        at relay: RelayServer, in place: MailboxPlace, token: String, through proxy: ProxyChoice,
        joined: @escaping @Sendable (RelayJoined) -> Void,
        accept: @escaping @Sendable (any PeerConnection) -> (any PeerRequestHandler)?
    ) async -> LinkError

    /// How our onion service is called; `nil` where there is none.
    func onionRoute(generation: UInt32) -> Route?

    /// Runs a tor, or uses that at `control`, for calls to onion services, until it or the task ends; says why. With a
    /// `generation` others reach us by our own service; `accept` is asked as with `listen`.
    func serveOnion(
        generation: UInt32?, control: Endpoint?, news: @escaping @Sendable (OnionNews) -> Void,
        accept: @escaping @Sendable (any PeerConnection) -> (any PeerRequestHandler)?
    ) async -> LinkError

    /// Has the onion service of spoken words in the tor that the other `serveOnion` runs, until that tor or the task
    /// ends; says why. `seed`: the 32 bytes from which its key follows; `number`: that of the invitation. `accept` is
    /// asked as with `listen`.
    func serveOnion(
        ofWords seed: [UInt8], number: Int, news: @escaping @Sendable (OnionNews) -> Void,
        accept: @escaping @Sendable (any PeerConnection) -> (any PeerRequestHandler)?
    ) async -> LinkError

    /// Asks the router of this network for a port that leads to `port` of ours, or once more for what it has given.
    func mapPort(
        _ port: UInt16, earlier: MappedPort?, usesUPnP: Bool
    ) async throws(MappingFailure) -> MappedPort

    /// Nobody needs it any more.
    func giveBack(_ mapped: MappedPort) async

    /// A port of ours from which a peer is called at the same moment as they call us, and where calls from it come out, as far as
    /// `observer` says it; `nil` where there is none.
    func openHole(seenBy observer: OutsideObserver?) async -> PunchHole?

    /// Calls all candidates of a peer who calls us now, again and again for some seconds. `allowsInside`: addresses that nobody
    /// outside has, too. Another key fails with `.wrongIdentity`.
    func punch(
        from port: UInt16, to candidates: [Endpoint], allowsInside: Bool, expecting expected: PeerID,
        handler: any PeerRequestHandler
    ) async throws(LinkError) -> any PeerConnection

    /// The other side of it. `accept` is asked as with `listen`.
    func takePunch(
        from port: UInt16, to candidates: [Endpoint], allowsInside: Bool,
        accept: @escaping @Sendable (any PeerConnection) -> (any PeerRequestHandler)?
    ) async

    /// The changes in the networks of this machine, from now on.
    func networkChanges() -> AsyncStream<NetworkChange>
}

/// A port from which we call, and how it looks from outside.
package struct PunchHole: Sendable, Equatable {
    package var port: UInt16
    package var outside: Endpoint?

    package init(port: UInt16, outside: Endpoint?) {
        self.port = port
        self.outside = outside
    }
}

/// A program that asks routers by UPnP.
package protocol UPnPAsking: Sendable {
    /// Throws `.noProgram` where it is not there. `ownHost`: this machine's address towards the router.
    func map(_ port: UInt16, ownHost: String) async throws(MappingFailure) -> MappedPort
    func giveBack(_ mapped: MappedPort) async
}

/// Which of our mailboxes is meant.
package enum MailboxPlace: Sendable, Hashable {
    /// The one that follows from our key. `generation` grows when our user wants new ones; `slot` is 0, or 1 for the spare one.
    case own(relay: RelayID, generation: UInt32, slot: UInt8)
    /// The one that follows from spoken words: its 32 bytes.
    case spoken(seed: [UInt8])
}

/// A network without relays has no route to them, and no router that gives ports.
extension PeerConnecting {
    package func connect(
        along route: Route, isPublic: Bool, expecting expected: PeerID?, through proxy: ProxyChoice,
        handler: any PeerRequestHandler
    ) async throws(LinkError) -> any PeerConnection {
        guard case .direct = route else { throw .transport(call: "connect", errno: ENETUNREACH) }
        return try await connect(to: route.endpoint, expecting: expected, through: proxy, handler: handler)
    }

    package func openLane(
        to endpoint: Endpoint, expecting expected: PeerID, handler: any PeerRequestHandler
    ) async throws(LinkError) -> any PeerConnection {
        throw .transport(call: "connect", errno: ENETUNREACH)
    }

    package func identity(of relay: RelayServer, through proxy: ProxyChoice) async throws(LinkError) -> RelayID {
        throw .transport(call: "connect", errno: ENETUNREACH)
    }

    package func mailbox(at place: MailboxPlace) -> RelayID? { nil }

    package func onionRoute(generation: UInt32) -> Route? { nil }

    package func serveOnion(
        generation: UInt32?, control: Endpoint?, news: @escaping @Sendable (OnionNews) -> Void,
        accept: @escaping @Sendable (any PeerConnection) -> (any PeerRequestHandler)?
    ) async -> LinkError { .onionFailed(.notInstalled) }

    package func serveOnion(
        ofWords seed: [UInt8], number: Int, news: @escaping @Sendable (OnionNews) -> Void,
        accept: @escaping @Sendable (any PeerConnection) -> (any PeerRequestHandler)?
    ) async -> LinkError { .onionFailed(.notInstalled) }

    package func mapPort(
        _ port: UInt16, earlier: MappedPort?, usesUPnP: Bool
    ) async throws(MappingFailure) -> MappedPort { throw .noGateway }

    package func giveBack(_ mapped: MappedPort) async {}

    package func openHole(seenBy observer: OutsideObserver?) async -> PunchHole? { nil }

    package func punch(
        from port: UInt16, to candidates: [Endpoint], allowsInside: Bool, expecting expected: PeerID,
        handler: any PeerRequestHandler
    ) async throws(LinkError) -> any PeerConnection { throw .transport(call: "connect", errno: ENETUNREACH) }

    package func takePunch(
        from port: UInt16, to candidates: [Endpoint], allowsInside: Bool,
        accept: @escaping @Sendable (any PeerConnection) -> (any PeerRequestHandler)?
    ) async {}

    package func beReached(
        at relay: RelayServer, in place: MailboxPlace, token: String, through proxy: ProxyChoice,
        joined: @escaping @Sendable (RelayJoined) -> Void,
        accept: @escaping @Sendable (any PeerConnection) -> (any PeerRequestHandler)?
    ) async -> LinkError { .transport(call: "connect", errno: ENETUNREACH) }
}

/// A bound listener.
package protocol PeerListening: Sendable {
    var localEndpoint: Endpoint { get }
    /// Keeps a part of its places for callers from these networks (`SocketAddress.neighbourhood`).
    func favour(networks: Set<String>)
    func close()
}

/// Takes the requests of one connection.
package protocol PeerRequestHandler: AnyObject, Sendable {
    /// Called in arrival order on the connection's queue: must not block. Returns the response, or `nil` when
    /// `PeerConnection.respond` will be called later (or never, for a request that wants no reply).
    func handle(_ request: BLIPIncomingRequest) -> BLIPResponse?
}

/// An open connection to one peer. Everything but `waitUntilClosed` returns at once.
package protocol PeerConnection: AnyObject, Sendable {
    var info: LinkInfo { get }
    /// The last measured round trip.
    var roundTrip: Duration? { get async }
    /// The traffic over it so far.
    var counters: LinkCounters { get async }
    /// How much of what we send the path loses; `nil` where nobody says.
    var lossCounters: LossCounters? { get async }
    /// The peer's machine has answered nothing of what ours has sent, and sent again, for longer than a round trip explains.
    var isStalled: Bool { get async }

    /// Queues a request: the order of calls is the order on the wire. A response body goes to `bodySink` if given.
    func submit(_ request: BLIPRequest, bodySink: (any BodySink)?) -> PendingResponse
    func submitNoReply(_ request: BLIPRequest)
    func respond(to number: UInt64, with response: BLIPResponse)
    /// The peer has been accepted: what it sends may cost us more than what strangers send.
    func admit()
    /// Asks for a sign of life; without one the connection ends with `.timedOut`.
    func ping()
    func close(code: UInt16, reason: String)
    /// The same, but `waitUntilClosed` returns as soon as the kernel has everything: for a program that ends.
    func leave(code: UInt16, reason: String)
    func waitUntilClosed() async -> LinkError
}

extension PeerConnection {
    package func leave(code: UInt16, reason: String) { close(code: code, reason: reason) }
}
