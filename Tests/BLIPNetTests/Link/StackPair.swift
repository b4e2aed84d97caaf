// Two protocol stacks joined in memory, in virtual time: what two linked processes do, without either.

import TestSupport

@testable import BLIPNet

/// A client's and a server's stack with a network between them that splits, delays and cuts. With a `ledger` it is
/// checked after each step that both keep their promises.
struct StackPair {
    /// How the network treats the bytes.
    struct Network {
        var latency: ClosedRange<Duration> = .milliseconds(1)...(.milliseconds(40))
        /// Bytes that arrive together.
        var chunk: ClosedRange<Int> = 1...5_000
        /// After so many chunks they are as large as TCP makes them: each is a step for both sides, and what hours of
        /// pings would come to, byte by byte, shows nothing new.
        var chunks = Int.max
        /// Bytes that a direction takes before the sender has to wait.
        var window = 64 * 1024
    }

    enum Entry: Equatable {
        case opened(subprotocol: String?)
        case request(UInt64)
        case response(UInt64)
        case failed(UInt64)
        case closed(LinkError)
    }

    let client: StackSide
    let server: StackSide
    private(set) var now = MonotonicTime(nanoseconds: 0)
    private var random: SeededGenerator
    private let network: Network
    private var chunksSent = 0
    /// Bytes that have arrived, both directions together.
    private(set) var deliveredBytes = 0
    /// What must come true, when the run is checked.
    var ledger: SessionLedger?
    /// The first promise that was broken; the run stops there.
    var finding: FuzzFinding?

    init(
        seed: UInt64, network: Network = Network(), client: LinkOptions = LinkOptions(),
        server: LinkOptions = LinkOptions(), isChecked: Bool = false
    ) throws {
        random = SeededGenerator(seed: seed)
        self.network = network
        self.client = StackSide(
            stack: try ProtocolStack.client(
                host: "peer", options: client, random: Self.bytes(seed: seed &+ 1), now: now))
        self.server = StackSide(
            stack: try ProtocolStack.server(options: server, random: Self.bytes(seed: seed &+ 2), now: now))
        guard isChecked else { return }
        ledger = SessionLedger(client: client.blip, server: server.blip)
        guard client.identity == nil else { return }
        let dialect = client.dialects[0]
        self.client.tap = WireTap(isClient: true, dialect: dialect, limits: client.blip)
        self.server.tap = WireTap(isClient: false, dialect: dialect, limits: server.blip)
    }

    private static func bytes(seed: UInt64) -> RandomSource {
        // A new generator per call would repeat itself; the simulation needs only that masks are not constant.
        RandomSource { buffer in
            var generator = SeededGenerator(seed: seed &+ UInt64(buffer.count))
            for index in buffer.indices { buffer[index] = UInt8(truncatingIfNeeded: generator.next()) }
        }
    }

    subscript(side: Peer) -> StackSide { side == .client ? client : server }

    enum Peer: CaseIterable {
        case client
        case server

        var other: Peer { self == .client ? .server : .client }
    }

    var bothEnded: Bool { client.stack.isEnded && server.stack.isEnded }

    /// Both handshakes are over.
    var bothOpened: Bool { !client.log.isEmpty && !server.log.isEmpty }

    // MARK: Users of the stacks

    /// Sends a request, and notes what must become of it.
    @discardableResult
    mutating func send(
        _ request: BLIPRequest, from peer: Peer, noReply: Bool = false, sink: SimulatedSink? = nil
    ) -> UInt64? {
        guard let number = self[peer].stack.send(request, sink: sink, noReply: noReply) else { return nil }
        ledger?.sent(request, number: number, noReply: noReply, sink: sink, by: peer)
        // One that cannot be sent fails at once.
        _ = deliverEvents(peer)
        return number
    }

    mutating func cancel(_ number: UInt64, by peer: Peer) {
        self[peer].stack.cancel(number)
        ledger?.cancelled(number, by: peer)
    }

    mutating func respond(to number: UInt64, with response: BLIPResponse, by peer: Peer) {
        self[peer].stack.respond(to: number, with: response)
        ledger?.answered(number, with: response, by: peer)
    }

    /// Consumers of the bodies that arrive at `peer` have taken what was written, as far as `limit`.
    mutating func takeBodies(at peer: Peer, limit: Int = .max) {
        for sink in self[peer].slowSinks() { sink.take(limit) }
        self[peer].stack.noteTaken(now: now)
    }

    /// The connection is gone for both, and what was under way with it.
    mutating func cut() {
        for peer in Peer.allCases {
            self[peer].dropInFlight()
            self[peer].isCut = true
            self[peer].stack.receiveEnd()
        }
    }

    // MARK: The run

    /// Runs until nothing happens any more or `limit` of virtual time has passed.
    mutating func run(for limit: Duration = .seconds(600), until isDone: (StackPair) -> Bool = { _ in false }) {
        let end = now + limit
        while !isDone(self), finding == nil {
            settle(.client)
            settle(.server)
            if isDone(self) { return }
            // What nobody reads stays in the network, and its sender has to wait.
            let toServer = server.stack.isReadingPaused ? nil : client.inFlight.first?.at
            let toClient = client.stack.isReadingPaused ? nil : server.inFlight.first?.at
            let times = [toServer, toClient, client.stack.deadline, server.stack.deadline].compactMap { $0 }
            guard let next = times.min(), next <= end else {
                now = end
                return
            }
            now = max(now, next)
            arrive(from: .client)
            arrive(from: .server)
            for peer in Peer.allCases {
                if self[peer].stack.isReadingPaused { self[peer].stack.excuseSilence(now: now) }
                self[peer].stack.handleTimeout(now: now)
            }
        }
    }

    /// Takes events and hands output to the network, as far as there is room.
    private mutating func settle(_ peer: Peer) {
        _ = deliverEvents(peer)
        repeat { produce(peer) } while deliverEvents(peer)
        checkLimits(of: peer)
        guard self[peer].stack.isEnded, self[peer].output.isEmpty, !self[peer].hasEnded else { return }
        // Half-close: the other side sees the end behind the last bytes.
        self[peer].hasEnded = true
        let at = arrival(peer)
        self[peer].inFlight.append((at, []))
    }

    private mutating func produce(_ peer: Peer) {
        while !self[peer].isCut {
            do { try self[peer].gather() } catch { finding = finding ?? error }
            let room = network.window - self[peer].inFlightBytes
            let chunk = chunksSent < network.chunks ? network.chunk : 1...16_384
            let count = min(self[peer].output.count, room, Int.random(in: chunk, using: &random))
            guard count > 0 else { return }
            chunksSent += 1
            let at = arrival(peer)
            self[peer].launch(count, at: at)
        }
        self[peer].output.removeAll()
    }

    /// When bytes that leave now arrive: never before those that left earlier.
    private mutating func arrival(_ peer: Peer) -> MonotonicTime {
        let range = network.latency.lowerBound.inNanoseconds...network.latency.upperBound.inNanoseconds
        let at = now + .nanoseconds(Int64.random(in: range, using: &random))
        self[peer].lastArrival = max(at, self[peer].lastArrival)
        return self[peer].lastArrival
    }

    private mutating func arrive(from peer: Peer) {
        while !self[peer.other].stack.isReadingPaused, let bytes = self[peer].land(by: now) {
            guard !bytes.isEmpty else {
                self[peer.other].stack.receiveEnd()
                continue
            }
            deliveredBytes += bytes.count
            bytes.withUnsafeBytes { self[peer.other].stack.receive($0, now: now) }
        }
    }

    private mutating func deliverEvents(_ peer: Peer) -> Bool {
        var isNothing = true
        while let event = self[peer].stack.nextEvent() {
            isNothing = false
            do { try ledger?.happened(event, to: peer) } catch { finding = finding ?? error }
            guard let request = self[peer].take(event) else { continue }
            if let response = self[peer].answer(request) {
                respond(to: request.number, with: response, by: peer)
            }
        }
        return !isNothing
    }

    private mutating func checkLimits(of peer: Peer) {
        guard ledger != nil else { return }
        let usage = self[peer].stack.memoryUsage
        do { try ledger?.checkLimits(usage, of: peer) } catch { finding = finding ?? error }
    }

    /// Checks what must be true when nothing is under way and nobody holds an answer back.
    mutating func checkRest() {
        for peer in Peer.allCases {
            let usage = self[peer].stack.memoryUsage
            do { try ledger?.checkRest(usage, of: peer) } catch { finding = finding ?? error }
        }
    }
}

/// One of the two, with what has left it and not arrived; an object, because a value would be copied with its buffers at each use.
final class StackSide {
    var stack: ProtocolStack
    /// Everything that came out of the stack, in order.
    var log: [StackPair.Entry] = []
    var requests: [BLIPIncomingRequest] = []
    var responses: [UInt64: Result<BLIPResponse, LinkError>] = [:]
    /// How a request is answered; `nil` answers nothing.
    var answer: (BLIPIncomingRequest) -> BLIPResponse? = { BLIPResponse(body: .bytes($0.body)) }
    /// Where the bodies of requests go; `nil` keeps them in memory.
    var makeSink: @Sendable (BLIPMessageHead) -> (any BodySink)? = { _ in nil }
    /// The sinks among them whose consumers are slow.
    let slowSinks = SlowSinks()
    var output = ByteQueue()
    /// What is seen of the bytes that leave; only without TLS.
    var tap: WireTap?
    var isCut = false
    fileprivate(set) var inFlight = FIFO<(at: MonotonicTime, bytes: [UInt8])>()
    fileprivate var inFlightBytes = 0
    fileprivate var lastArrival = MonotonicTime(nanoseconds: 0)
    fileprivate var hasEnded = false

    init(stack: ProtocolStack) { self.stack = stack }

    /// Takes as much out of the stack as a socket would.
    fileprivate func gather() throws(FuzzFinding) {
        while output.count < 16_384 {
            let before = output.count
            guard stack.nextOutgoing(into: &output) else { return }
            guard tap != nil else { continue }
            let new = output.withUnsafeBytes { Array($0[before...]) }
            try tap?.take(new)
        }
    }

    fileprivate func launch(_ count: Int, at: MonotonicTime) {
        inFlight.append((at, output.withUnsafeBytes { Array($0[..<count]) }))
        output.consume(count)
        inFlightBytes += count
    }

    fileprivate func land(by now: MonotonicTime) -> [UInt8]? {
        guard let first = inFlight.first, first.at <= now else { return nil }
        _ = inFlight.popFirst()
        inFlightBytes -= first.bytes.count
        return first.bytes
    }

    fileprivate func dropInFlight() {
        inFlight = FIFO()
        inFlightBytes = 0
    }

    /// Changes a byte that is under way; `false` when there is none.
    func corrupt(_ offset: Int, with change: UInt8) -> Bool {
        guard change != 0, let first = inFlight.first, !first.bytes.isEmpty else { return false }
        var bytes = first.bytes
        bytes[offset % bytes.count] ^= change
        inFlight.replace(at: 0, with: (first.at, bytes))
        return true
    }

    /// Sends a whole binary message of any bytes, between those of the stack.
    func inject(_ bytes: UnsafeRawBufferPointer) {
        guard stack.lower.tls == nil else { return }
        _ = stack.lower.webSocket.send(.binary, bytes, into: &output)
    }

    /// Keeps what came out of the stack; returns a request that wants to be answered.
    fileprivate func take(_ event: ProtocolStack.Event) -> BLIPIncomingRequest? {
        switch event {
        case .opened(let subprotocol, _):
            log.append(.opened(subprotocol: subprotocol))
            stack.start(makeSink: makeSink)
        case .request(let request):
            log.append(.request(request.number))
            requests.append(request)
            return request
        case .response(let number, let response):
            log.append(.response(number))
            responses[number] = .success(response)
        case .requestFailed(let number, let error):
            log.append(.failed(number))
            responses[number] = .failure(error)
        case .closed(let error):
            log.append(.closed(error))
        }
        return nil
    }
}
