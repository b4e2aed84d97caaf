// Two connections joined in memory: everything arrives, whatever the sizes, the order and the delays.

import TestSupport
import Testing

@testable import BLIPNet

@Suite struct BLIPPairTests {
    @Test("random conversations in both directions arrive intact", arguments: BLIPDialect.all, 1...40)
    func conversation(dialect: BLIPDialect, seed: UInt64) throws {
        var simulation = BLIPPair(dialect, seed: seed)
        try simulation.run(requests: 60)
        simulation.expectEverything()
    }

    @Test("bodies of many windows in both directions at once never deadlock", arguments: BLIPDialect.all, 1...4)
    func bothDirections(dialect: BLIPDialect, seed: UInt64) throws {
        var simulation = BLIPPair(dialect, seed: seed, limits: BLIPLimits(), maxBody: 400_000)
        try simulation.run(requests: 16)
        simulation.expectEverything()
    }
}

/// Two connections and the frames between them. Each step sends a request, lets one end write a frame, delivers one,
/// or answers one, at random; the frames in flight are checked against the rules that an observer can see.
private struct BLIPPair {
    private struct Side {
        var connection: BLIPConnection
        /// Frames on their way to this side.
        var arriving = FIFO<[UInt8]>()
        var sent: [UInt64: (body: [UInt8], noReply: Bool)] = [:]
        var received: [UInt64: [UInt8]] = [:]
        var answers: [UInt64: [UInt8]] = [:]
        var toAnswer: [BLIPIncomingRequest] = []
        /// Bytes of each message of this side that were sent and acknowledged, by type and number.
        var outgoing: [UInt64: (sent: UInt64, acknowledged: UInt64)] = [:]
        var sinks: [UInt64: MemorySink] = [:]
    }

    private var random: SeededGenerator
    private var sides: [Side]
    private let limits: BLIPLimits
    private let maxBody: Int
    private let dialect: BLIPDialect
    private var failures: [LinkError] = []

    init(_ dialect: BLIPDialect, seed: UInt64, limits: BLIPLimits? = nil, maxBody: Int = 9_000) {
        random = SeededGenerator(seed: seed)
        self.maxBody = maxBody
        self.dialect = dialect
        if let limits {
            self.limits = limits
        } else {
            var small = BLIPLimits()
            small.frameOut = Int.random(in: 120...900, using: &random)
            small.frameOutWhileUrgentWaits = Int.random(in: 100...small.frameOut, using: &random)
            small.ackInterval = UInt64.random(in: 100...1_000, using: &random)
            small.sendWindow = small.ackInterval + UInt64.random(in: 900...3_000, using: &random)
            small.maxOpenOutgoing = Int.random(in: 1...40, using: &random)
            small.maxOpenIncoming = small.maxOpenOutgoing
            self.limits = small
        }
        let chosen = self.limits
        sides = (0..<2).map { _ in
            Side(
                connection: BLIPConnection(dialect: dialect, limits: chosen) { head in
                    head.properties["Sink"] == nil ? nil : MemorySink()
                })
        }
    }

    mutating func run(requests: Int) throws {
        var left = [requests, requests]
        var idle = 0
        while idle < 200 {
            let side = Int.random(in: 0...1, using: &random)
            var acted = false
            switch Int.random(in: 0..<8, using: &random) {
            case 0 where left[side] > 0:
                sendRequest(side)
                left[side] -= 1
                acted = true
            case 1: acted = answerOne(side)
            case 2, 3, 4: acted = writeFrame(side)
            case 5, 6, 7: acted = try deliverFrame(side)
            default: break
            }
            idle = acted ? 0 : idle + 1
        }
        #expect(left == [0, 0])
    }

    func expectEverything() {
        #expect(failures.isEmpty)
        for side in 0...1 {
            let (own, other) = (sides[side], sides[1 - side])
            #expect(own.connection.waitingRequests == 0 && own.connection.openIncoming == 0)
            #expect(own.connection.bufferedIncomingBytes == 0 && own.connection.queuedMessages == 0)
            #expect(!own.connection.hasOutgoing && own.connection.deadline == nil)
            #expect(own.sent.mapValues(\.body) == other.received)
            #expect(own.sent.filter { !$0.value.noReply }.mapValues { $0.body.reversed() } == own.answers)
        }
    }

    /// `#expect` takes longer than the frame that it looks at.
    private func check(_ condition: Bool, _ comment: Comment) {
        if !condition { Issue.record(comment) }
    }

    private mutating func body() -> [UInt8] {
        let size = Int.random(in: 0...3, using: &random) == 0 ? maxBody : 300
        let count = Int.random(in: 0...size, using: &random)
        return .random(using: &random) ? random.bytes(count) : [UInt8](repeating: 7, count: count)
    }

    private mutating func wrapped(_ bytes: [UInt8]) -> BLIPBody {
        guard .random(using: &random) else { return .bytes(bytes) }
        return .source(MemorySource(bytes, piece: Int.random(in: 1...5_000, using: &random)))
    }

    private mutating func sendRequest(_ side: Int) {
        let bytes = body()
        var request = BLIPRequest(
            profile: "p", body: wrapped(bytes), urgent: .random(using: &random), compressed: .random(using: &random))
        if .random(using: &random) { request.properties["Sink"] = "1" }
        if Int.random(in: 0...5, using: &random) == 0 {
            request.properties["Long"] = String(repeating: "x", count: 2_000)
        }
        let noReply = Int.random(in: 0...4, using: &random) == 0
        let sink = .random(using: &random) ? MemorySink() : nil
        let number = sides[side].connection.send(request, sink: sink, noReply: noReply)
        sides[side].sent[number] = (bytes, noReply)
        sides[side].sinks[number] = sink
    }

    private mutating func answerOne(_ side: Int) -> Bool {
        guard !sides[side].toAnswer.isEmpty else { return false }
        let index = Int.random(in: 0..<sides[side].toAnswer.count, using: &random)
        let request = sides[side].toAnswer.remove(at: index)
        let answer = Array(sides[side].received[request.number, default: []].reversed())
        // Also for no-reply requests: nothing must come of it.
        sides[side].connection.respond(
            to: request.number, with: BLIPResponse(body: wrapped(answer), compressed: .random(using: &random)))
        return true
    }

    private mutating func writeFrame(_ side: Int) -> Bool {
        let promised = sides[side].connection.hasOutgoing
        guard let frame = sides[side].connection.oneFrame() else {
            check(!promised, "hasOutgoing without a frame")
            return false
        }
        check(frame.count <= limits.frameOut, "a frame over the limit")
        if dialect.hasAcks, let seen = FrameOnWire(frame, dialect), seen.acknowledged == nil {
            let key = seen.number * 8 + seen.type
            var entry = sides[side].outgoing[key] ?? (0, 0)
            check(entry.sent - entry.acknowledged < limits.sendWindow, "sent beyond the window")
            entry.sent += UInt64(seen.byteCount)
            sides[side].outgoing[key] = entry
        }
        sides[1 - side].arriving.append(frame)
        return true
    }

    private mutating func deliverFrame(_ side: Int) throws -> Bool {
        guard let frame = sides[side].arriving.popFirst() else { return false }
        if let seen = FrameOnWire(frame, dialect), let count = seen.acknowledged {
            let key = seen.number * 8 + seen.type - 4
            check(count <= sides[side].outgoing[key]?.sent ?? 0, "acknowledged more than was sent")
            sides[side].outgoing[key]?.acknowledged = count
        }
        try sides[side].connection.receive(frame)
        for event in sides[side].connection.allEvents() {
            switch event {
            case .request(let request):
                #expect(request.body.isEmpty || request.sink == nil)
                sides[side].received[request.number] = (request.sink as? MemorySink)?.bytes ?? request.body
                sides[side].toAnswer.append(request)
            case .response(let number, let response):
                #expect(sides[side].answers[number] == nil)
                sides[side].answers[number] = sides[side].sinks[number]?.bytes ?? response.bodyBytes
            case .requestFailed(_, let error):
                failures.append(error)
            }
        }
        return true
    }
}
