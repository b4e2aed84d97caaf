// One connection as ChatClient sees it: what `hello` has settled on it so far.

import BLIPNet

/// Counts the connections of one run, which tells late news of an old one from those of the present one.
struct LinkNumber: Sendable, Hashable {
    let rawValue: UInt64
}

/// A connection whose handshake is done.
struct ActiveLink: Sendable {
    let number: LinkNumber
    let connection: any PeerConnection
    let router: RequestRouter
    let peerID: PeerID
    let opened: MonotonicTime
    /// It is a connection for files beside the link with this number (FileLanes).
    var isLane = false
    /// The features that both programs have beyond the first version, as the hellos say.
    var features: PeerFeatures = []
    /// The way that our call took; `nil` when they have called us.
    var route: Route?
    /// They have called at the mailbox of these words: the number of the invitation.
    var invitation: Int?
    /// The proof that our hello gives to a guest of ours.
    var hostProof: [UInt8]?
    /// Our hello is on its way, and proves no invitation, which they would have to answer first.
    var hasSaidHello = false
    /// They have said hello, and we have accepted them: their requests are served.
    var admitsPeer = false
    /// They have accepted us: our requests are served.
    var isAdmittedByPeer = false

    /// How good the way is that it takes.
    var routeClass: RouteClass {
        connection.info.isOnion ? .onion : connection.info.relay == nil ? .direct : .relay
    }
    var isOutgoing: Bool { connection.info.isOutgoing }
    var isOnline: Bool { admitsPeer && isAdmittedByPeer }
    /// Whether operations may go, although they may not have answered our hello yet: it goes before them.
    var takesOperations: Bool { isOnline || admitsPeer && hasSaidHello && features.contains(.early) }

    /// From where a caller has called, where we see that; `nil` where they are called, and on this machine.
    var callersPlace: Endpoint? {
        guard !isOutgoing, routeClass == .direct,
            case .host(let host, let port)? = Endpoint(connection.info.remoteAddress),
            SocketAddress(host: host, port: port)?.isLocal == false
        else { return nil }
        return .host(host, port: port)
    }

    /// Where a caller says that they listen. By a proxy, a relay or Tor we do not see from where they call: the address
    /// there is nobody's.
    func place(of hello: HelloRequest) -> PeerAddress? {
        let info = connection.info
        guard info.proxy == nil, routeClass == .direct else { return nil }
        return hello.listenPort.map { PeerAddress(host: info.remoteHost, port: $0, peerID: peerID) }
    }

    /// Ends a link whose peer has not said who it is.
    func closeWithoutHello() { close(code: 1008, reason: "did not introduce itself") }

    /// When a request was sent, among those on the link: one that comes over a lane may be older than all of them.
    func place(of request: ReceivedRequest) -> UInt64 { isLane ? 0 : request.number }

    /// Answers unless the peer wants no reply.
    func answer(_ request: ReceivedRequest, _ response: BLIPResponse) {
        if !request.isNoReply { connection.respond(to: request.number, with: response) }
    }

    /// Ends the link because this program ends: in order, and without waiting for the peer's goodbye.
    func leave() {
        connection.leave(code: 1001, reason: "going away")
        router.close()
    }

    /// Ends the link for a reason of ours; waiting requests are dropped.
    func close(code: UInt16 = 1000, reason: String = "") {
        connection.close(code: code, reason: reason)
        router.close()
    }
}
