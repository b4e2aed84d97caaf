// Cancelling a request of ours frees everything that it held, at any time of its life.

import TestSupport
import Testing

@testable import BLIPNet

@Suite struct BLIPCancelTests {
    @Test("before it begins", arguments: BLIPDialect.all)
    func new(dialect: BLIPDialect) throws {
        var client = BLIPConnection(dialect)
        let held = send(&client)
        client.cancel(1)
        held.expectFreed()
        #expect(client.waitingRequests == 0 && client.allEvents().isEmpty)
        // Its number goes out as an empty no-reply request.
        var server = BLIPConnection(dialect)
        for frame in client.allFrames() { try server.receive(frame) }
        #expect(server.nextEvent()?.request?.isNoReply == true)
    }

    @Test("while it waits for its turn in the outbox, and while it waits for an ACK", arguments: BLIPDialect.all)
    func underWay(dialect: BLIPDialect) throws {
        for frames in [1, 9] {
            var client = BLIPConnection(dialect)
            let held = send(&client)
            for _ in 0..<frames { _ = client.oneFrame() }
            client.cancel(1)
            held.expectFreed()
            #expect(!client.hasUnsent && client.waitingRequests == 0 && client.queuedMessages == 0)
            // The next one goes on as if nothing had been.
            client.send("echo", [1])
            #expect(client.allFrames().count == 1)
        }
    }

    @Test("while the response arrives", arguments: BLIPDialect.all)
    func responding(dialect: BLIPDialect) throws {
        var client = BLIPConnection(dialect)
        var peer = Peer(dialect)
        let held = send(&client, size: 1_000)
        _ = client.allFrames()
        try client.receive(peer.frame(1, [.response, .more], data: [0, 1, 2]))
        client.cancel(1)
        held.expectFreed()
        #expect(client.bufferedIncomingBytes == 0)
        try client.receive(peer.frame(1, [.response], data: [3]))
        #expect(client.openIncoming == 0 && client.allEvents().isEmpty)
    }

    @Test("at the end of the connection", arguments: BLIPDialect.all)
    func disconnected(dialect: BLIPDialect) throws {
        var client = BLIPConnection(dialect)
        let held = send(&client)
        _ = client.oneFrame()
        #expect(client.disconnect() == [1])
        held.expectFreed()
    }

    @Test("a request left without an end keeps its place for as long as the peer holds it")
    func places() throws {
        var limits = BLIPLimits()
        limits.maxOpenOutgoing = 8
        var client = BLIPConnection(limits: limits)
        for _ in 1...4 {
            let number = client.send("bulk", [UInt8](repeating: 1, count: 100_000))
            _ = client.oneFrame()
            client.cancel(number)
        }
        // Half of the places are taken by what was cancelled: two normal messages may run beside them, and a third
        // one that is cancelled is sent to its end.
        let numbers = (0..<3).map { _ in client.send("bulk", [UInt8](repeating: 2, count: 100_000)) }
        let first = (0..<4).compactMap { _ in client.oneFrame().flatMap(FrameOnWire.init)?.number }
        #expect(first == [numbers[0], numbers[1], numbers[0], numbers[1]])
        client.cancel(numbers[0])
        #expect(
            client.allFrames().compactMap(FrameOnWire.init).filter { $0.number == numbers[0] && !$0.hasMore }.count == 1
        )
        // The time counts from when the driver tells it first.
        #expect(client.deadline != nil)
        client.handleTimeout(now: MonotonicTime(nanoseconds: 5_000_000_000))
        #expect(client.deadline == MonotonicTime(nanoseconds: 65_000_000_000))
        client.handleTimeout(now: MonotonicTime(nanoseconds: 65_000_000_000))
        #expect(client.deadline == nil)
        for _ in 0..<6 { client.send("bulk", [UInt8](repeating: 3, count: 20_000)) }
        let open = Set((0..<6).compactMap { _ in client.oneFrame().flatMap(FrameOnWire.init)?.number })
        #expect(open.count == 6)
    }

    @Test("says nothing when the body fails afterwards", arguments: BLIPDialect.all)
    func failingBody(dialect: BLIPDialect) {
        // So few that a message that has begun goes on to its end.
        var limits = BLIPLimits()
        limits.maxOpenOutgoing = 1
        for isCancelled in [false, true] {
            var client = BLIPConnection(dialect: dialect, limits: limits) { _ in nil }
            client.send(MemorySource([UInt8](repeating: 1, count: 60_000), failsAfter: 40_000))
            _ = client.oneFrame()
            if isCancelled { client.cancel(1) }
            _ = client.allFrames()
            #expect(client.allEvents().compactMap(\.failure).map(\.number) == (isCancelled ? [] : [1]))
        }
    }

    /// A request with a source and a sink that only the connection knows.
    private func send(_ connection: inout BLIPConnection, size: Int = 300_000) -> Held {
        let source = MemorySource([UInt8](repeating: 1, count: size))
        let sink = HoldingSink()
        _ = connection.send(BLIPRequest(profile: "p", body: .source(source)), sink: sink, noReply: false)
        return Held(source: source, sink: sink)
    }

    private struct Held {
        weak var source: MemorySource?
        weak var sink: HoldingSink?

        func expectFreed() {
            #expect(source == nil)
            #expect(sink == nil)
        }
    }
}
