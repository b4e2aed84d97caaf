// A network in memory behind the port of the client: latency, cuts and silence, decided by a seed.

import ChatCore
import Synchronization
import TestSupport

@testable import BLIPNet

/// Connects the clients of one simulation. Each direction of a connection keeps its order, as TCP does.
final class SimulatedNetwork: Sendable {
    struct Call: Sendable {
        var caller: PeerID
        var time: MonotonicTime
        var routeClass: RouteClass
    }

    /// A request that was sent, whatever became of it.
    struct Request: Sendable {
        var sender: PeerID
        var profile: String
    }

    private struct State {
        var generator: SeededGenerator
        var listeners:
            [Endpoint: (owner: PeerID, accept: @Sendable (any PeerConnection) -> (any PeerRequestHandler)?)] =
                [:]
        var pairs: [SimulatedPair] = []
        var calls: [Call] = []
        var requests: [Request] = []
        var isDown = false
        /// Only relays lead anywhere.
        var isDirectDown = false
        /// Who is reached at a relay by each mailbox.
        var mailboxes: [RelayID: Endpoint] = [:]
        var tellsStalls = false
        /// Of a thousand deliveries so many cut their connection, before or after they arrive.
        var cutsPerMille = 0
        /// The delivery that cuts its connection, counted down.
        var deliveriesToCut: Int?
        /// Milliseconds.
        var latencies = 1...40
        /// Bytes of files in a second, in each direction of a connection; `nil`: any number.
        var rate: Int?
        var handshakeTime: Duration?
        var kernels: [PeerID: [AsyncStream<NetworkChange>.Continuation]] = [:]
        /// Who calls at the same moment as somebody else, by the port from which they call.
        var takers: [UInt16: Taker] = [:]
        /// The last port from which anybody was to call.
        var lastHole: UInt16 = 40_000
        /// Each call comes out from another port: what was seen of the last one says nothing.
        var routersMixPorts = false
    }

    private struct Taker {
        let owner: PeerID
        let candidates: [Endpoint]
        let accept: @Sendable (any PeerConnection) -> (any PeerRequestHandler)?
    }

    let clock: VirtualClock
    /// Of everybody.
    let router = SimulatedRouter()
    private let state: Mutex<State>

    init(clock: VirtualClock, seed: UInt64) {
        self.clock = clock
        state = Mutex(State(generator: SeededGenerator(seed: seed)))
    }

    func connecting(as peerID: PeerID) -> SimulatedConnecting { SimulatedConnecting(network: self, peerID: peerID) }

    // MARK: Weather

    /// Nobody reaches anybody; what is open is cut.
    func setDown(_ isDown: Bool) {
        state.withLock { $0.isDown = isDown }
        if isDown { cutAll() }
    }

    /// Nobody reaches anybody, but what is open stays.
    func setUnreachable(_ isUnreachable: Bool) { state.withLock { $0.isDown = isUnreachable } }

    /// Nobody reaches anybody but by a relay; what is open without one is cut.
    func setDirectDown(_ isDown: Bool) {
        state.withLock { $0.isDirectDown = isDown }
        if isDown { for pair in openPairs where pair.relay == nil { pair.cut() } }
    }

    /// A way by a relay to whoever listens at `endpoint`.
    func openMailbox(of endpoint: Endpoint) -> Route {
        let mailbox = RelayID(ofCertificate: Array("\(endpoint)".utf8))
        state.withLock { $0.mailboxes[mailbox] = endpoint }
        return .relay(
            RelayRoute(host: "relay.example.org", relay: RelayID(ofCertificate: [1]), mailbox: mailbox))
    }

    fileprivate func place(of mailbox: RelayID) -> Endpoint? { state.withLock { $0.mailboxes[mailbox] } }

    /// Links look as if their handshake had taken so long, by the clock of the network code.
    func setHandshakes(took time: Duration) { state.withLock { $0.handshakeTime = time } }

    fileprivate var handshakeBegan: MonotonicTime? {
        state.withLock { $0.handshakeTime }.map { .now() + (.zero - $0) }
    }

    /// Each delivery takes so many milliseconds, and so does each half of a handshake.
    func setLatency(_ milliseconds: Int) { state.withLock { $0.latencies = milliseconds...milliseconds } }

    func setRate(_ bytesPerSecond: Int) { state.withLock { $0.rate = bytesPerSecond } }

    fileprivate func time(for bytes: Int) -> Duration {
        state.withLock { $0.rate }.map { .milliseconds(bytes * 1000 / $0) } ?? .zero
    }

    func setCuts(perMille: Int) { state.withLock { $0.cutsPerMille = perMille } }

    /// The delivery number `count` from now, in either direction, is the last one of its connection; whether it
    /// arrives is the seed's choice.
    func cut(atDelivery count: Int) { state.withLock { $0.deliveriesToCut = count } }

    /// The cut that was asked for has happened.
    var hasCut: Bool { state.withLock { $0.deliveriesToCut == nil } }

    /// The end of a program: it says and hears nothing from this moment on, and nobody can call it.
    func sever(_ peer: PeerID) {
        state.withLock { state in state.listeners = state.listeners.filter { $0.value.owner != peer } }
        for pair in openPairs where pair.joins(peer) { pair.cut() }
    }

    func cutAll() { for pair in openPairs { pair.cut() } }

    /// Everything that is open falls silent: nothing arrives any more, and nobody is told.
    func silenceAll() { for pair in openPairs { pair.silence() } }

    /// Whether the kernels notice that nothing of a silent connection is acknowledged.
    var tellsStalls: Bool {
        get { state.withLock { $0.tellsStalls } }
        set { state.withLock { $0.tellsStalls = newValue } }
    }

    /// What the kernel of `peer` tells of its networks.
    func tell(_ change: NetworkChange, to peer: PeerID) {
        for continuation in state.withLock({ $0.kernels[peer] ?? [] }) { continuation.yield(change) }
    }

    fileprivate func networkChanges(of peer: PeerID) -> AsyncStream<NetworkChange> {
        let (stream, continuation) = AsyncStream.makeStream(of: NetworkChange.self)
        state.withLock { $0.kernels[peer, default: []].append(continuation) }
        return stream
    }

    var openPairs: [SimulatedPair] { state.withLock { $0.pairs.filter(\.isOpen) } }
    func requests(_ profile: String, from sender: PeerID) -> Int {
        state.withLock { state in state.requests.count { $0.profile == profile && $0.sender == sender } }
    }

    fileprivate func note(_ request: BLIPRequest, from sender: SPKIFingerprint?) {
        guard let sender, let profile = request.properties.profile else { return }
        state.withLock { $0.requests.append(Request(sender: PeerID(sender), profile: profile)) }
    }

    var calls: [Call] { state.withLock { $0.calls } }

    // MARK: Calls

    fileprivate func listen(
        on endpoint: Endpoint, _ owner: PeerID,
        _ accept: @escaping @Sendable (any PeerConnection) -> (any PeerRequestHandler)?
    ) {
        state.withLock { $0.listeners[endpoint] = (owner, accept) }
    }

    fileprivate func close(_ endpoint: Endpoint) { state.withLock { $0.listeners[endpoint] = nil } }

    fileprivate func connect(
        to endpoint: Endpoint, from caller: PeerID, expecting expected: PeerID?, by relay: Endpoint? = nil,
        _ handler: any PeerRequestHandler
    ) async throws(LinkError) -> any PeerConnection {
        state.withLock {
            $0.calls.append(
                Call(caller: caller, time: clock.now, routeClass: relay == nil ? .direct : .relay))
        }
        // A handshake takes its time, so both sides may be in one.
        do { try await clock.wait(fate().latency) } catch { throw .closedLocally }
        let (isDown, listener) = state.withLock { state in
            (state.isDown || state.isDirectDown && relay == nil, state.listeners[endpoint])
        }
        guard !isDown else { throw .transport(call: "connect", errno: 113) }
        guard let listener else { throw .transport(call: "connect", errno: 111) }
        if let expected, expected != listener.owner {
            throw .wrongIdentity(expected: expected.fingerprint, presented: listener.owner.fingerprint)
        }
        return try await join(
            caller, to: listener.owner, at: endpoint.hostText, by: relay, handler, accept: listener.accept)
    }

    private func join(
        _ caller: PeerID, to owner: PeerID, at host: String, by relay: Endpoint?, _ handler: any PeerRequestHandler,
        accept: @Sendable (any PeerConnection) -> (any PeerRequestHandler)?
    ) async throws(LinkError) -> any PeerConnection {
        let callersHost = state.withLock { $0.listeners.first { $0.value.owner == caller }?.key.hostText ?? "nowhere" }
        let pair = SimulatedPair(
            network: self, caller: (caller, callersHost), listener: (owner, host), by: relay)
        guard let answering = accept(pair.listener) else { throw .closedByPeer(code: 1008, reason: "") }
        pair.open(handler, answering)
        state.withLock { $0.pairs.append(pair) }
        // Who is called knows it first: two calls at once are seen in different orders.
        do { try await clock.wait(fate().latency) } catch {
            pair.cut()
            throw .closedLocally
        }
        return pair.caller
    }

    // MARK: Calls at the same moment

    func setRoutersMixPorts(_ mixes: Bool) { state.withLock { $0.routersMixPorts = mixes } }

    /// How many ports there have been from which somebody was to call so.
    var holes: Int { state.withLock { Int($0.lastHole) - 40_000 } }

    /// The router of everybody has this address.
    private static let outside = "198.51.100.7"

    fileprivate func openHole(isSeen: Bool) -> PunchHole {
        state.withLock { state in
            state.lastHole += 1
            let seen = state.routersMixPorts ? state.lastHole + 10_000 : state.lastHole
            return PunchHole(port: state.lastHole, outside: isSeen ? .host(Self.outside, port: seen) : nil)
        }
    }

    fileprivate func takePunch(
        from port: UInt16, to candidates: [Endpoint], _ owner: PeerID,
        _ accept: @escaping @Sendable (any PeerConnection) -> (any PeerRequestHandler)?
    ) async {
        state.withLock { $0.takers[port] = Taker(owner: owner, candidates: candidates, accept: accept) }
        try? await clock.wait(.seconds(5))
        state.withLock { $0.takers[port] = nil }
    }

    fileprivate func punch(
        from port: UInt16, to candidates: [Endpoint], as caller: PeerID, expecting expected: PeerID,
        _ handler: any PeerRequestHandler
    ) async throws(LinkError) -> any PeerConnection {
        for _ in 0..<50 {
            let taker = state.withLock { state in
                state.takers.first {
                    candidates.contains(.host(Self.outside, port: $0.key))
                        && $0.value.candidates.contains(.host(Self.outside, port: port))
                }?.value
            }
            if let taker, taker.owner == expected {
                return try await join(
                    caller, to: taker.owner, at: Self.outside, by: nil, handler, accept: taker.accept)
            }
            do { try await clock.wait(.milliseconds(100)) } catch { throw .closedLocally }
        }
        throw .timedOut("connect")
    }

    /// How long the next delivery takes, and whether it is the last one before a cut: 0 no, 1 before, 2 after it.
    fileprivate func fate() -> (latency: Duration, cut: Int) {
        state.withLock { state in
            let latency = Int.random(in: state.latencies, using: &state.generator)
            var isCut = Int.random(in: 0..<1000, using: &state.generator) < state.cutsPerMille
            if let left = state.deliveriesToCut {
                state.deliveriesToCut = left > 1 ? left - 1 : nil
                if left <= 1 { isCut = true }
            }
            return (.milliseconds(latency), isCut ? Int.random(in: 1...2, using: &state.generator) : 0)
        }
    }
}

struct SimulatedConnecting: PeerConnecting {
    let network: SimulatedNetwork
    let peerID: PeerID

    func connect(
        to endpoint: Endpoint, expecting expected: PeerID?, through proxy: ProxyChoice, handler: any PeerRequestHandler
    ) async throws(LinkError) -> any PeerConnection {
        try await network.connect(to: endpoint, from: peerID, expecting: expected, handler)
    }

    func connect(
        along route: Route, isPublic: Bool, expecting expected: PeerID?, through proxy: ProxyChoice,
        handler: any PeerRequestHandler
    ) async throws(LinkError) -> any PeerConnection {
        guard case .relay(let relay) = route else {
            return try await connect(to: route.endpoint, expecting: expected, through: proxy, handler: handler)
        }
        guard let place = network.place(of: relay.mailbox) else {
            throw .relayFailed(RelayFailure(relay: route.endpoint, problem: .notThere))
        }
        return try await network.connect(
            to: place, from: peerID, expecting: expected, by: route.endpoint, handler)
    }

    func mapPort(
        _ port: UInt16, earlier: MappedPort?, usesUPnP: Bool
    ) async throws(MappingFailure) -> MappedPort {
        try network.router.map(port, earlier, at: network.clock.now)
    }

    func giveBack(_ mapped: MappedPort) async { network.router.giveBack(mapped) }

    func openHole(seenBy observer: OutsideObserver?) async -> PunchHole? {
        network.openHole(isSeen: observer != nil)
    }

    func punch(
        from port: UInt16, to candidates: [Endpoint], allowsInside: Bool, expecting expected: PeerID,
        handler: any PeerRequestHandler
    ) async throws(LinkError) -> any PeerConnection {
        try await network.punch(from: port, to: candidates, as: peerID, expecting: expected, handler)
    }

    func takePunch(
        from port: UInt16, to candidates: [Endpoint], allowsInside: Bool,
        accept: @escaping @Sendable (any PeerConnection) -> (any PeerRequestHandler)?
    ) async { await network.takePunch(from: port, to: candidates, peerID, accept) }

    func listen(
        on endpoint: Endpoint, accept: @escaping @Sendable (any PeerConnection) -> (any PeerRequestHandler)?
    ) throws(LinkError) -> any PeerListening {
        network.listen(on: endpoint, peerID, accept)
        return SimulatedListener(network: network, localEndpoint: endpoint)
    }

    func networkChanges() -> AsyncStream<NetworkChange> { network.networkChanges(of: peerID) }
}

private struct SimulatedListener: PeerListening {
    let network: SimulatedNetwork
    let localEndpoint: Endpoint
    func favour(networks: Set<String>) {}
    func close() { network.close(localEndpoint) }
}

/// A connection with its two ends.
final class SimulatedPair: Sendable {
    private struct State {
        var isSilent = false
        var end: LinkError?
        /// When the last delivery in each direction (true: towards the listener) arrives.
        var lastArrival: [Bool: MonotonicTime] = [:]
    }

    let network: SimulatedNetwork
    /// What carries it; `nil`: the ends are connected to each other.
    let relay: Endpoint?
    let caller: SimulatedConnection
    let listener: SimulatedConnection
    private let state = Mutex(State())

    fileprivate init(
        network: SimulatedNetwork, caller: (id: PeerID, host: String), listener: (id: PeerID, host: String),
        by relay: Endpoint?
    ) {
        self.network = network
        self.relay = relay
        let began = network.handshakeBegan
        self.caller = SimulatedConnection(
            to: listener.id, at: listener.host, isOutgoing: true, began: began, relay: relay)
        self.listener = SimulatedConnection(
            to: caller.id, at: caller.host, isOutgoing: false, began: began, relay: relay)
    }

    fileprivate func open(_ callerHandler: any PeerRequestHandler, _ listenerHandler: any PeerRequestHandler) {
        caller.attach(self, callerHandler)
        listener.attach(self, listenerHandler)
    }

    func joins(_ peer: PeerID) -> Bool {
        [caller, listener].contains { $0.info.remoteFingerprint == peer.fingerprint }
    }

    var isOpen: Bool { state.withLock { $0.end == nil } }

    /// Pings that were asked for on both ends.
    var pings: Int { caller.pings + listener.pings }

    func silence() { state.withLock { $0.isSilent = true } }
    fileprivate var isSilent: Bool { state.withLock { $0.isSilent && $0.end == nil } }

    /// Both ends learn at once that it is over.
    func cut() { end(.disconnected, .disconnected) }

    fileprivate func end(_ callerError: LinkError, _ listenerError: LinkError) {
        let isFirst = state.withLock { state in
            defer { state.end = state.end ?? .disconnected }
            return state.end == nil
        }
        guard isFirst else { return }
        caller.end(callerError)
        listener.end(listenerError)
    }

    /// An end closes in order: the other one learns a little later.
    fileprivate func close(from isCaller: Bool, code: UInt16, reason: String) {
        let theirs = LinkError.closedByPeer(code: code, reason: reason)
        end(isCaller ? .closedLocally : theirs, isCaller ? theirs : .closedLocally)
    }

    /// Brings something to the other end after its time, behind everything before it. `bytes`: how much of a file it is.
    fileprivate func deliver(fromCaller: Bool, bytes: Int = 0, _ arrive: @escaping @Sendable () -> Void) {
        let (latency, cut) = network.fate()
        guard state.withLock({ !$0.isSilent && $0.end == nil }) else { return }
        if cut == 1 { return self.cut() }
        let now = network.clock.now
        let arrival = state.withLock { state in
            let earliest = state.lastArrival[fromCaller] ?? now
            let arrival = max(earliest, now + latency) + network.time(for: bytes)
            state.lastArrival[fromCaller] = arrival
            return arrival
        }
        network.clock.schedule(after: arrival - now) { [self] in
            guard state.withLock({ !$0.isSilent && $0.end == nil }) else { return }
            arrive()
            if cut == 2 { self.cut() }
        }
    }

    /// A sign of life was asked for: in a silent connection none comes, and the end that asked gives up (20 s).
    fileprivate func ping(from isCaller: Bool) {
        guard state.withLock({ $0.isSilent && $0.end == nil }) else { return }
        network.clock.schedule(after: .seconds(20)) { [self] in
            // The other end notices by itself.
            end(.timedOut("keepalive"), .timedOut("keepalive"))
        }
    }
}

/// One end of a simulated connection.
final class SimulatedConnection: PeerConnection {
    private struct State {
        var pair: SimulatedPair?
        var handler: (any PeerRequestHandler)?
        var nextNumber: UInt64 = 0
        var waiting: [UInt64: (response: PendingResponse, sink: (any BodySink)?)] = [:]
        var early: [@Sendable () -> Void] = []
        var pings = 0
        var end: LinkError?
        var endWaiters: [CheckedContinuation<LinkError, Never>] = []
    }

    let info: LinkInfo
    private let state = Mutex(State())

    init(
        to peer: PeerID, at host: String, isOutgoing: Bool, began: MonotonicTime?, relay: Endpoint? = nil,
        isOnion: Bool = false
    ) {
        var info = LinkInfo(
            remoteAddress: "\(host):1", localAddress: "here:1", remoteHost: host, isEncrypted: true,
            isOutgoing: isOutgoing, relay: relay, remoteFingerprint: peer.fingerprint, subprotocol: nil, began: began,
            dialect: .blip3)
        info.isOnion = isOnion
        self.info = info
    }

    var pings: Int { state.withLock { $0.pings } }
    var roundTrip: Duration? { nil }
    var counters: LinkCounters { LinkCounters() }
    var lossCounters: LossCounters? { nil }
    var isStalled: Bool { state.withLock { $0.pair }.map { $0.isSilent && $0.network.tellsStalls } ?? false }

    fileprivate func attach(_ pair: SimulatedPair, _ handler: any PeerRequestHandler) {
        let early = state.withLock { state in
            state.pair = pair
            state.handler = handler
            defer { state.early = [] }
            return state.early
        }
        for action in early { action() }
    }

    private func other(_ pair: SimulatedPair) -> SimulatedConnection { info.isOutgoing ? pair.listener : pair.caller }

    /// Runs `action` with the pair, once there is one: an accepted connection may be used before its call is answered.
    private func withPair(_ action: @escaping @Sendable (SimulatedPair) -> Void) {
        let pair = state.withLock { state -> SimulatedPair? in
            if let pair = state.pair { return pair }
            state.early.append { [weak self] in
                if let pair = self?.state.withLock({ $0.pair }) { action(pair) }
            }
            return nil
        }
        if let pair { action(pair) }
    }

    func submit(_ request: BLIPRequest, bodySink: (any BodySink)?) -> PendingResponse {
        let pending = PendingResponse(mailbox: LinkMailbox())
        let (number, end) = state.withLock { state -> (UInt64, LinkError?) in
            state.nextNumber += 1
            if state.end == nil { state.waiting[state.nextNumber] = (pending, bodySink) }
            return (state.nextNumber, state.end)
        }
        if let end { pending.complete(.failure(end)) } else { send(request, number, isNoReply: false) }
        return pending
    }

    func submitNoReply(_ request: BLIPRequest) {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        send(request, number, isNoReply: true)
    }

    private func send(_ request: BLIPRequest, _ number: UInt64, isNoReply: Bool) {
        var body: [UInt8] = []
        if case .bytes(let bytes) = request.body { body = bytes }
        let incoming = BLIPIncomingRequest(
            number: number, properties: request.properties, body: body, isUrgent: request.isUrgent,
            isNoReply: isNoReply)
        withPair { [self] pair in
            pair.network.note(request, from: other(pair).info.remoteFingerprint)
            pair.deliver(fromCaller: info.isOutgoing) { self.other(pair).take(incoming) }
        }
    }

    private func take(_ request: BLIPIncomingRequest) {
        guard let handler = state.withLock({ $0.handler }) else { return }
        if let response = handler.handle(request), !request.isNoReply { respond(to: request.number, with: response) }
    }

    func respond(to number: UInt64, with response: BLIPResponse) {
        withPair { [self] pair in
            if case .source(let source) = response.body {
                give(source, of: response, to: number, over: pair)
            } else {
                pair.deliver(fromCaller: info.isOutgoing) { self.other(pair).takeResponse(number, response) }
            }
        }
    }

    /// Brings the next piece of a body, and those behind it once that has arrived; then the response.
    private func give(_ source: any BodySource, of response: BLIPResponse, to number: UInt64, over pair: SimulatedPair)
    {
        let piece: [UInt8]
        do {
            piece = try [UInt8](unsafeUninitializedCapacity: Self.piece) { buffer, count in
                count = try source.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
        } catch {
            return respond(to: number, with: .failure(.handlerFailed, "\(error)"))
        }
        guard !piece.isEmpty else {
            var end = response
            end.body = .empty
            return respond(to: number, with: end)
        }
        pair.deliver(fromCaller: info.isOutgoing, bytes: piece.count) { [self] in
            if other(pair).take(piece, of: number) { give(source, of: response, to: number, over: pair) }
        }
    }

    private static let piece = 64 << 10

    /// `false`: nobody wants more of this body.
    private func take(_ piece: [UInt8], of number: UInt64) -> Bool {
        guard let sink = state.withLock({ $0.waiting[number] })?.sink else { return false }
        do {
            try piece.withUnsafeBytes { try sink.write($0) }
            return true
        } catch {
            let failure = LinkError.bodyFailed(reason: "\(error)")
            let pending = state.withLock { $0.waiting.removeValue(forKey: number) }
            sink.bodyEnded(failure)
            pending?.response.complete(.failure(failure))
            return false
        }
    }

    private func takeResponse(_ number: UInt64, _ response: BLIPResponse) {
        let pending = state.withLock { $0.waiting.removeValue(forKey: number) }
        pending?.sink?.bodyEnded(response.error == nil ? nil : .bodyFailed(reason: "refused"))
        pending?.response.complete(.success(response))
    }

    func admit() {}

    func ping() {
        state.withLock { $0.pings += 1 }
        withPair { [self] pair in pair.ping(from: info.isOutgoing) }
    }

    func close(code: UInt16, reason: String) {
        withPair { [self] pair in pair.close(from: info.isOutgoing, code: code, reason: reason) }
    }

    func waitUntilClosed() async -> LinkError {
        await withCheckedContinuation { continuation in
            let end = state.withLock { state in
                if state.end == nil { state.endWaiters.append(continuation) }
                return state.end
            }
            if let end { continuation.resume(returning: end) }
        }
    }

    fileprivate func end(_ error: LinkError) {
        let (waiting, waiters) = state.withLock { state in
            state.end = error
            defer {
                state.waiting = [:]
                state.endWaiters = []
            }
            return (Array(state.waiting.values), state.endWaiters)
        }
        for pending in waiting {
            pending.sink?.bodyEnded(error)
            pending.response.complete(.failure(error))
        }
        for waiter in waiters { waiter.resume(returning: error) }
    }
}

extension Endpoint {
    fileprivate var hostText: String {
        if case .host(let host, _) = self { host } else { "nowhere" }
    }
}
