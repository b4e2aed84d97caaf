// Connections that share memory: what each may hold, and that it comes back.

import Testing

@testable import BLIPNet

@Suite("MemoryBudget") struct MemoryBudgetTests {
    @Test("each connection has its share, the rest is for all of them together, and comes back")
    func sharing() {
        let budget = MemoryBudget(bytes: 100, share: 10)
        let first = MemoryHolding(budget)
        #expect(first.room(beyond: 0) == 110)
        first.update(to: 8)
        #expect(first.room(beyond: 8) == 102)
        first.update(to: 70)
        #expect(first.room(beyond: 70) == 40)
        do {
            let second = MemoryHolding(budget)
            #expect(second.room(beyond: 0) == 50)
            second.update(to: 50)
            #expect(first.room(beyond: 70) == 0)
            #expect(MemoryHolding(budget).room(beyond: 3) == 7)
        }
        #expect(first.room(beyond: 70) == 40)
        first.update(to: 0)
        #expect(first.room(beyond: 0) == 110)
    }

    @Test("a request for which there is no room is refused for now, and the next one finds room again")
    func refusal() throws {
        let budget = MemoryBudget(bytes: 40_000, share: 1_000)
        var limits = BLIPLimits()
        limits.memory = budget
        var greedy = BLIPConnection(dialect: .blip3, limits: limits) { _ in nil }
        var modest = BLIPConnection(dialect: .blip3, limits: limits) { _ in nil }
        let large = BLIPRequest(profile: "x", body: .bytes([UInt8](repeating: 1, count: 39_000)))
        // All frames of the large request but the last one.
        var sender = BLIPConnection(dialect: .blip3, limits: BLIPLimits()) { _ in nil }
        _ = sender.send(large, sink: nil, noReply: false)
        var frames: [[UInt8]] = []
        var queue = ByteQueue()
        while sender.nextFrame(into: &queue) {
            frames.append(queue.takeAll())
        }
        for frame in frames.dropLast() {
            try frame.withUnsafeBytes { try greedy.receive(frame: $0, now: MonotonicTime(nanoseconds: 0)) }
        }
        for frame in frames {
            try frame.withUnsafeBytes { try modest.receive(frame: $0, now: MonotonicTime(nanoseconds: 0)) }
        }
        #expect(modest.nextEvent() == nil)
        #expect(modest.bufferedIncomingBytes <= 1_000 + 40_000)
        if let last = frames.last {
            try last.withUnsafeBytes { try greedy.receive(frame: $0, now: MonotonicTime(nanoseconds: 0)) }
        }
        guard case .request? = greedy.nextEvent() else {
            Issue.record("the greedy one's request is complete")
            return
        }
        #expect(MemoryHolding(budget).room(beyond: 0) == 41_000)
    }
}
