// Listens in on a client's real links, counts requests, and breaks a link at a chosen point.

import BLIPNet
import ChatCore
import Synchronization

/// What goes over the links of one client, and when they break.
final class LinkTap: Sendable {
    private struct State {
        var submitted: [BLIPProperties] = []
        var connections = 0
        /// After so many requests of this profile the link is closed instead.
        var cut: (profile: String, remaining: Int)?
        /// So many replies are swallowed, and the link is closed instead.
        var repliesToLose = 0
    }
    private let state = Mutex(State())

    func requests(_ profile: String) -> [BLIPProperties] {
        state.withLock { $0.submitted.filter { $0.profile == profile } }
    }

    /// Connections that were made or taken.
    var connections: Int { state.withLock { $0.connections } }

    func cut(after count: Int, of profile: String) { state.withLock { $0.cut = (profile, count) } }
    func loseReplies(_ count: Int) { state.withLock { $0.repliesToLose = count } }

    fileprivate func opened() { state.withLock { $0.connections += 1 } }

    /// Notes a request; `true` when the link must break now.
    fileprivate func submits(_ properties: BLIPProperties) -> Bool {
        state.withLock { state in
            state.submitted.append(properties)
            guard let cut = state.cut, cut.profile == properties.profile else { return false }
            state.cut = cut.remaining > 1 ? (cut.profile, cut.remaining - 1) : nil
            return cut.remaining <= 1
        }
    }

    fileprivate func losesReply() -> Bool {
        state.withLock { state in
            guard state.repliesToLose > 0 else { return false }
            state.repliesToLose -= 1
            return true
        }
    }
}

/// `LinkConnecting` with a tap on each connection.
struct TappedConnecting: PeerConnecting {
    let base: LinkConnecting
    let tap: LinkTap

    func connect(
        to endpoint: Endpoint, expecting expected: PeerID?, handler: any PeerRequestHandler
    ) async throws(LinkError) -> any PeerConnection {
        let connection = try await base.connect(to: endpoint, expecting: expected, handler: handler)
        tap.opened()
        return TappedConnection(base: connection, tap: tap)
    }

    func listen(
        on endpoint: Endpoint, accept: @escaping @Sendable (any PeerConnection) -> (any PeerRequestHandler)?
    ) throws(LinkError) -> any PeerListening {
        try base.listen(on: endpoint) { [tap] connection in
            tap.opened()
            return accept(TappedConnection(base: connection, tap: tap))
        }
    }
}

private final class TappedConnection: PeerConnection {
    private let base: any PeerConnection
    private let tap: LinkTap

    init(base: any PeerConnection, tap: LinkTap) {
        self.base = base
        self.tap = tap
    }

    var info: LinkInfo { base.info }
    var roundTrip: Duration? { get async { await base.roundTrip } }

    func submit(_ request: BLIPRequest, bodySink: (any BodySink)?) -> PendingResponse {
        if tap.submits(request.properties) { base.close(code: 1001, reason: "cut by the test") }
        return base.submit(request, bodySink: bodySink)
    }

    func submitNoReply(_ request: BLIPRequest) {
        _ = tap.submits(request.properties)
        base.submitNoReply(request)
    }

    func respond(to number: UInt64, with response: BLIPResponse) {
        if tap.losesReply() { return base.close(code: 1001, reason: "cut by the test") }
        base.respond(to: number, with: response)
    }

    func ping() { base.ping() }
    func close(code: UInt16, reason: String) { base.close(code: code, reason: reason) }
    func waitUntilClosed() async -> LinkError { await base.waitUntilClosed() }
}
