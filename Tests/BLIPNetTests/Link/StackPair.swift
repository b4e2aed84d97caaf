// Two protocol stacks joined in memory, in virtual time: what two linked processes do, without either.

import TestSupport

@testable import BLIPNet

/// A client's and a server's stack with a network between them that splits, delays and cuts.
struct StackPair {
    /// How the network treats the bytes.
    struct Network {
        var latency: ClosedRange<Duration> = .milliseconds(1)...(.milliseconds(40))
        /// Bytes that arrive together.
        var chunk: ClosedRange<Int> = 1...5_000
        /// Bytes that a direction takes before the sender has to wait.
        var window = 64 * 1024
    }

    struct Side {
        var stack: ProtocolStack
        /// Everything that came out of the stack, in order.
        var log: [Entry] = []
        var requests: [BLIPIncomingRequest] = []
        var responses: [UInt64: Result<BLIPResponse, LinkError>] = [:]
        /// How a request is answered; `nil` answers nothing.
        var answer: (BLIPIncomingRequest) -> BLIPResponse? = { BLIPResponse(body: .bytes($0.body)) }
        /// Where bodies go; `nil` is memory.
        var makeSink: @Sendable (BLIPMessageHead) -> (any BodySink)? = { _ in nil }
        var output = ByteQueue()
        fileprivate var inFlight = FIFO<(at: MonotonicTime, bytes: [UInt8])>()
        fileprivate var inFlightBytes = 0
        fileprivate var lastArrival = MonotonicTime(nanoseconds: 0)
        fileprivate var hasEnded = false
        var isCut = false
    }

    enum Entry: Equatable {
        case opened(subprotocol: String?)
        case request(UInt64)
        case response(UInt64)
        case failed(UInt64)
        case closed(LinkError)
    }

    var client: Side
    var server: Side
    private(set) var now = MonotonicTime(nanoseconds: 0)
    private var random: SeededGenerator
    private let network: Network
    /// Bytes that have arrived, both directions together.
    private(set) var deliveredBytes = 0

    init(
        seed: UInt64, network: Network = Network(), client: LinkOptions = LinkOptions(),
        server: LinkOptions = LinkOptions()
    ) throws {
        random = SeededGenerator(seed: seed)
        self.network = network
        self.client = Side(
            stack: try ProtocolStack.client(
                host: "peer", options: client, random: Self.bytes(seed: seed &+ 1), now: now))
        self.server = Side(
            stack: try ProtocolStack.server(options: server, random: Self.bytes(seed: seed &+ 2), now: now))
    }

    private static func bytes(seed: UInt64) -> RandomSource {
        // A new generator per call would repeat itself; the simulation needs only that masks are not constant.
        RandomSource { buffer in
            var generator = SeededGenerator(seed: seed &+ UInt64(buffer.count))
            for index in buffer.indices { buffer[index] = UInt8(truncatingIfNeeded: generator.next()) }
        }
    }

    var bothEnded: Bool { client.stack.isEnded && server.stack.isEnded }

    /// Runs until nothing happens any more or `limit` of virtual time has passed.
    mutating func run(for limit: Duration = .seconds(600), until isDone: (StackPair) -> Bool = { _ in false }) {
        let end = now + limit
        while !isDone(self) {
            settle(\.client, \.server)
            settle(\.server, \.client)
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
            arrive(\.client, \.server)
            arrive(\.server, \.client)
            handleTimeout(\.client)
            handleTimeout(\.server)
        }
    }

    private mutating func handleTimeout(_ side: WritableKeyPath<StackPair, Side>) {
        if self[keyPath: side].stack.isReadingPaused { self[keyPath: side].stack.excuseSilence(now: now) }
        self[keyPath: side].stack.handleTimeout(now: now)
    }

    /// The connection is gone for both, and what was under way with it.
    mutating func cut() {
        for side in [\StackPair.client, \StackPair.server] {
            self[keyPath: side].inFlight = FIFO()
            self[keyPath: side].inFlightBytes = 0
            self[keyPath: side].isCut = true
            self[keyPath: side].stack.receiveEnd()
        }
    }

    /// Takes events and hands output to the network, as far as there is room.
    private mutating func settle(_ side: WritableKeyPath<StackPair, Side>, _ other: WritableKeyPath<StackPair, Side>) {
        _ = deliverEvents(side)
        repeat { produce(side) } while deliverEvents(side)
        guard self[keyPath: side].stack.isEnded, self[keyPath: side].output.isEmpty, !self[keyPath: side].hasEnded
        else { return }
        // Half-close: the other side sees the end behind the last bytes.
        self[keyPath: side].hasEnded = true
        self[keyPath: side].inFlight.append((arrival(side), []))
    }

    private mutating func produce(_ side: WritableKeyPath<StackPair, Side>) {
        while !self[keyPath: side].isCut {
            while self[keyPath: side].output.count < 16_384 {
                var output = self[keyPath: side].output
                let more = self[keyPath: side].stack.nextOutgoing(into: &output)
                self[keyPath: side].output = output
                if !more { break }
            }
            let room = network.window - self[keyPath: side].inFlightBytes
            let count = min(self[keyPath: side].output.count, room, Int.random(in: network.chunk, using: &random))
            guard count > 0 else { return }
            let bytes = self[keyPath: side].output.withUnsafeBytes { Array($0[..<count]) }
            self[keyPath: side].output.consume(count)
            let at = arrival(side)
            self[keyPath: side].inFlight.append((at, bytes))
            self[keyPath: side].inFlightBytes += count
        }
        self[keyPath: side].output.removeAll()
    }

    /// When bytes that leave now arrive: never before those that left earlier.
    private mutating func arrival(_ side: WritableKeyPath<StackPair, Side>) -> MonotonicTime {
        let range = network.latency.lowerBound.inNanoseconds...network.latency.upperBound.inNanoseconds
        let at = now + .nanoseconds(Int64.random(in: range, using: &random))
        self[keyPath: side].lastArrival = max(at, self[keyPath: side].lastArrival)
        return self[keyPath: side].lastArrival
    }

    private mutating func arrive(_ from: WritableKeyPath<StackPair, Side>, _ to: WritableKeyPath<StackPair, Side>) {
        while !self[keyPath: to].stack.isReadingPaused, let first = self[keyPath: from].inFlight.first, first.at <= now
        {
            _ = self[keyPath: from].inFlight.popFirst()
            self[keyPath: from].inFlightBytes -= first.bytes.count
            if first.bytes.isEmpty {
                self[keyPath: to].stack.receiveEnd()
                continue
            }
            deliveredBytes += first.bytes.count
            first.bytes.withUnsafeBytes { self[keyPath: to].stack.receive($0, now: now) }
        }
    }

    private mutating func deliverEvents(_ side: WritableKeyPath<StackPair, Side>) -> Bool {
        var isNothing = true
        while let event = self[keyPath: side].stack.nextEvent() {
            isNothing = false
            switch event {
            case .opened(let subprotocol, _):
                self[keyPath: side].log.append(.opened(subprotocol: subprotocol))
                self[keyPath: side].stack.start(makeSink: self[keyPath: side].makeSink)
            case .request(let request):
                self[keyPath: side].log.append(.request(request.number))
                self[keyPath: side].requests.append(request)
                if let response = self[keyPath: side].answer(request) {
                    self[keyPath: side].stack.respond(to: request.number, with: response)
                }
            case .response(let number, let response):
                self[keyPath: side].log.append(.response(number))
                self[keyPath: side].responses[number] = .success(response)
            case .requestFailed(let number, let error):
                self[keyPath: side].log.append(.failed(number))
                self[keyPath: side].responses[number] = .failure(error)
            case .closed(let error):
                self[keyPath: side].log.append(.closed(error))
            }
        }
        return !isNothing
    }
}
