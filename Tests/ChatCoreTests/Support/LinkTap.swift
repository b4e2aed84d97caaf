// Listens in on a client's real links, counts requests, and breaks a link at a chosen point.

import BLIPNet
import ChatCore
import Synchronization

/// What goes over the links of one client, and when they break.
final class LinkTap: Sendable {
    private struct State {
        var submitted: [BLIPProperties] = []
        /// Those of them that went over a lane.
        var overLanes = 0
        var connections = 0
        var lanes = 0
        /// After so many requests over lanes the lane of the last one is closed.
        var laneCut: Int?
        /// After so many requests of this profile the link is closed instead.
        var cut: (profile: String, remaining: Int)?
        /// The next reply to this profile is swallowed, and the link is closed instead.
        var replyToLose: String?
        /// The next response body to a request of this profile arrives with one bit changed.
        var bodyToDamage: String?
        /// Go down for good at the cut.
        var staysDown = false
        var isDown = false
        /// Replies to this profile wait.
        var heldProfile: String?
        var held: [@Sendable () -> Void] = []
    }
    private let state = Mutex(State())

    func requests(_ profile: String) -> [BLIPProperties] {
        state.withLock { $0.submitted.filter { $0.profile == profile } }
    }

    /// Requests that went over lanes.
    var requestsOverLanes: Int { state.withLock { $0.overLanes } }

    /// Lanes that were called or taken.
    var lanes: Int { state.withLock { $0.lanes } }

    /// The lane over which the request number `count` from now goes is closed with it.
    func cutLane(after count: Int) { state.withLock { $0.laneCut = count } }

    /// Whether a lane is still to be cut.
    var willCutLane: Bool { state.withLock { $0.laneCut != nil } }

    /// Connections that were made or taken, without lanes.
    var connections: Int { state.withLock { $0.connections } }

    /// With `staysDown` no further connection is made or taken until `restore`.
    func cut(after count: Int, of profile: String, staysDown: Bool = false) {
        state.withLock {
            $0.cut = (profile, count)
            $0.staysDown = staysDown
        }
    }

    func restore() { state.withLock { $0.isDown = false } }

    var isDown: Bool { state.withLock { $0.isDown } }

    func loseReply(to profile: String) { state.withLock { $0.replyToLose = profile } }

    /// Replies to `profile` over links wait until `releaseReplies`; those over lanes go.
    func holdReplies(to profile: String) { state.withLock { $0.heldProfile = profile } }

    var heldReplies: Int { state.withLock { $0.held.count } }

    func releaseReplies() {
        let held = state.withLock { state in
            defer { state.held = [] }
            state.heldProfile = nil
            return state.held
        }
        for reply in held { reply() }
    }

    /// Whether a reply waits now, to be given later.
    fileprivate func holds(_ profile: String?, _ reply: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard let profile, state.heldProfile == profile else { return false }
            state.held.append(reply)
            return true
        }
    }

    fileprivate func opened(_ connection: any PeerConnection) {
        state.withLock { if connection.isLane { $0.lanes += 1 } else { $0.connections += 1 } }
    }

    /// Notes a request; `true` when the link must break now.
    fileprivate func submits(_ properties: BLIPProperties, overLane: Bool) -> Bool {
        state.withLock { state in
            state.submitted.append(properties)
            if overLane {
                state.overLanes += 1
                guard let left = state.laneCut else { return false }
                state.laneCut = left > 1 ? left - 1 : nil
                return left <= 1
            }
            guard let cut = state.cut, cut.profile == properties.profile else { return false }
            state.cut = cut.remaining > 1 ? (cut.profile, cut.remaining - 1) : nil
            if cut.remaining <= 1, state.staysDown { state.isDown = true }
            return cut.remaining <= 1
        }
    }

    func damageBody(of profile: String) { state.withLock { $0.bodyToDamage = profile } }

    fileprivate func damagesBody(of profile: String?) -> Bool {
        state.withLock { state in
            guard let profile, state.bodyToDamage == profile else { return false }
            state.bodyToDamage = nil
            return true
        }
    }

    fileprivate func losesReply(to profile: String?) -> Bool {
        state.withLock { state in
            guard let profile, state.replyToLose == profile else { return false }
            state.replyToLose = nil
            return true
        }
    }
}

/// `LinkConnecting` with a tap on each connection.
struct TappedConnecting: PeerConnecting {
    let base: LinkConnecting
    let tap: LinkTap
    var tor: TestTor?

    func networkChanges() -> AsyncStream<NetworkChange> { base.networkChanges() }

    func connect(
        to endpoint: Endpoint, expecting expected: PeerID?, through proxy: ProxyChoice, handler: any PeerRequestHandler
    ) async throws(LinkError) -> any PeerConnection {
        if tap.isDown { throw .disconnected }
        let requests = TappedRequests(handler)
        let connection = try await base.connect(
            to: endpoint, expecting: expected, through: proxy, handler: requests)
        tap.opened(connection)
        return TappedConnection(base: connection, requests: requests, tap: tap)
    }

    func listen(
        on endpoint: Endpoint, accept: @escaping @Sendable (any PeerConnection) -> (any PeerRequestHandler)?
    ) throws(LinkError) -> any PeerListening {
        try base.listen(on: endpoint) { tap.isDown ? nil : tapped($0, accept) }
    }

    /// What a listener does with a caller, with a tap on its connection.
    private func tapped(
        _ connection: any PeerConnection, _ accept: (any PeerConnection) -> (any PeerRequestHandler)?
    ) -> (any PeerRequestHandler)? {
        tap.opened(connection)
        let requests = TappedRequests(nil)
        guard let handler = accept(TappedConnection(base: connection, requests: requests, tap: tap)) else { return nil }
        requests.handler.withLock { $0 = handler }
        return requests
    }
}

/// Relays are as they are, with a tap on each connection, too.
extension TappedConnecting {
    func connect(
        along route: Route, isPublic: Bool, expecting expected: PeerID?, through proxy: ProxyChoice,
        handler: any PeerRequestHandler
    ) async throws(LinkError) -> any PeerConnection {
        if tap.isDown { throw .disconnected }
        let requests = TappedRequests(handler)
        let connection = try await base.connect(
            along: route, isPublic: isPublic, expecting: expected, through: proxy, handler: requests)
        tap.opened(connection)
        return TappedConnection(base: connection, requests: requests, tap: tap)
    }

    func openLane(
        to endpoint: Endpoint, expecting expected: PeerID, handler: any PeerRequestHandler
    ) async throws(LinkError) -> any PeerConnection {
        if tap.isDown { throw .disconnected }
        let requests = TappedRequests(handler)
        let connection = try await base.openLane(to: endpoint, expecting: expected, handler: requests)
        tap.opened(connection)
        return TappedConnection(base: connection, requests: requests, tap: tap)
    }

    func identity(of relay: RelayServer, through proxy: ProxyChoice) async throws(LinkError) -> RelayID {
        try await base.identity(of: relay, through: proxy)
    }

    func mailbox(at place: MailboxPlace) -> RelayID? { base.mailbox(at: place) }

    func onionRoute(generation: UInt32) -> Route? { base.onionRoute(generation: generation) }

    func serveOnion(
        generation: UInt32?, control: Endpoint?, news: @escaping @Sendable (OnionNews) -> Void,
        accept: @escaping @Sendable (any PeerConnection) -> (any PeerRequestHandler)?
    ) async -> LinkError {
        await base.serveOnion(
            generation: generation, control: control, news: news,
            accept: { tapped($0, accept) })
    }

    func serveOnion(
        ofWords seed: [UInt8], number: Int, news: @escaping @Sendable (OnionNews) -> Void,
        accept: @escaping @Sendable (any PeerConnection) -> (any PeerRequestHandler)?
    ) async -> LinkError {
        if let service = OnionService(seed: seed) { tor?.learn(service) }
        return await base.serveOnion(ofWords: seed, number: number, news: news, accept: { tapped($0, accept) })
    }

    func beReached(
        at relay: RelayServer, in place: MailboxPlace, token: String, through proxy: ProxyChoice,
        joined: @escaping @Sendable (RelayJoined) -> Void,
        accept: @escaping @Sendable (any PeerConnection) -> (any PeerRequestHandler)?
    ) async -> LinkError {
        await base.beReached(
            at: relay, in: place, token: token, through: proxy, joined: joined,
            accept: { tapped($0, accept) })
    }
}

extension PeerConnection {
    fileprivate var isLane: Bool { info.application == LinkConnecting.fileApplication }
}

/// Remembers which request asked for what.
private final class TappedRequests: PeerRequestHandler {
    let handler: Mutex<(any PeerRequestHandler)?>
    private let profiles = Mutex<[UInt64: String]>([:])

    init(_ handler: (any PeerRequestHandler)?) { self.handler = Mutex(handler) }

    func handle(_ request: BLIPIncomingRequest) -> BLIPResponse? {
        profiles.withLock { $0[request.number] = request.properties.profile }
        return handler.withLock { $0 }?.handle(request)
    }

    func profile(of number: UInt64) -> String? { profiles.withLock { $0[number] } }
}

private final class TappedConnection: PeerConnection {
    private let base: any PeerConnection
    private let requests: TappedRequests
    private let tap: LinkTap

    init(base: any PeerConnection, requests: TappedRequests, tap: LinkTap) {
        self.base = base
        self.requests = requests
        self.tap = tap
    }

    var info: LinkInfo { base.info }
    var roundTrip: Duration? { get async { await base.roundTrip } }
    var counters: LinkCounters { get async { await base.counters } }
    var isStalled: Bool { get async { await base.isStalled } }
    var lossCounters: LossCounters? { get async { await base.lossCounters } }

    func submit(_ request: BLIPRequest, bodySink: (any BodySink)?) -> PendingResponse {
        if tap.submits(request.properties, overLane: base.isLane) { base.close(code: 1001, reason: "cut by the test") }
        guard let bodySink, tap.damagesBody(of: request.properties.profile) else {
            return base.submit(request, bodySink: bodySink)
        }
        return base.submit(request, bodySink: DamagingSink(base: bodySink))
    }

    func submitNoReply(_ request: BLIPRequest) {
        _ = tap.submits(request.properties, overLane: base.isLane)
        base.submitNoReply(request)
    }

    func respond(to number: UInt64, with response: BLIPResponse) {
        let profile = requests.profile(of: number)
        if tap.losesReply(to: profile) { return base.close(code: 1001, reason: "cut by the test") }
        if !base.isLane, tap.holds(profile, { [base] in base.respond(to: number, with: response) }) { return }
        base.respond(to: number, with: response)
    }

    func admit() { base.admit() }
    func ping() { base.ping() }
    func close(code: UInt16, reason: String) { base.close(code: code, reason: reason) }
    func leave(code: UInt16, reason: String) { base.leave(code: code, reason: reason) }
    func waitUntilClosed() async -> LinkError { await base.waitUntilClosed() }
}

/// Changes a bit of the first byte of each piece.
private final class DamagingSink: BodySink {
    private let base: any BodySink
    init(base: any BodySink) { self.base = base }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        var copy = Array(bytes)
        if !copy.isEmpty { copy[0] ^= 1 }
        try copy.withUnsafeBytes { try base.write($0) }
    }

    func bodyEnded(_ failure: LinkError?) { base.bodyEnded(failure) }
}
