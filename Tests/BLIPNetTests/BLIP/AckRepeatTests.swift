// An ACK that its receiver has lost is given again, so that no message stands for ever.

import Testing

@testable import BLIPNet

@Suite struct AckRepeatTests {
    private static let dialects = BLIPDialect.all.filter(\.hasAcks)

    private func time(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }

    private func acks(_ connection: inout BLIPConnection, _ dialect: BLIPDialect) -> [UInt64] {
        connection.allFrames().compactMap { FrameOnWire($0, dialect)?.acknowledged }
    }

    @Test(
        "the last ACK of a running message comes again after 1 s of silence, then ever more rarely", arguments: dialects
    )
    func repeats(dialect: BLIPDialect) throws {
        var peer = Peer(dialect)
        var server = BLIPConnection(dialect)
        try server.receive(peer.frame(1, [.more], data: [0] + [UInt8](repeating: 1, count: 60_000)))
        let first = acks(&server, dialect)
        #expect(first.count == 1)
        var times: [Double] = []
        for step in 1...700 {
            server.handleTimeout(now: time(Double(step) / 10))
            let again = acks(&server, dialect)
            #expect(again.isEmpty || again == first)
            if !again.isEmpty { times.append(Double(step) / 10) }
        }
        #expect(times == [1, 2, 4, 8, 16, 32], "and no more when the message has been dropped")
    }

    @Test("it does not come again while frames come, nor for a message that has ended or has none", arguments: dialects)
    func quiet(dialect: BLIPDialect) throws {
        var peer = Peer(dialect)
        var server = BLIPConnection(dialect)
        try server.receive(peer.frame(1, [.more], data: [0] + [UInt8](repeating: 1, count: 60_000)))
        try server.receive(peer.frame(2, [.more], data: [0, 1]))
        _ = server.allFrames()
        for second in 1...5 as ClosedRange<Int64> {
            server.handleTimeout(now: time(Double(second) - 0.1))
            try server.receive(peer.frame(1, [.more], data: [1]), second: second)
            #expect(server.allFrames().isEmpty)
        }
        try server.receive(peer.frame(1, data: []), second: 5)
        server.handleTimeout(now: time(30))
        #expect(acks(&server, dialect).isEmpty)
    }

    @Test("a sender that has lost an ACK goes on, and the whole message arrives", arguments: dialects)
    func heals(dialect: BLIPDialect) throws {
        var client = BLIPConnection(dialect)
        var server = BLIPConnection(dialect)
        let body = [UInt8](repeating: 7, count: 1_000_000)
        client.send("sink", body)
        var now = 0.0
        var count = 0
        for _ in 0..<200 where server.unansweredRequests == 0 {
            for frame in client.allFrames() { try server.receive(frame, second: Int64(now)) }
            for frame in server.allFrames() {
                count += 1
                // Each third is lost.
                if !count.isMultiple(of: 3) { try client.receive(frame, second: Int64(now)) }
            }
            now += 1
            server.handleTimeout(now: time(now))
        }
        #expect(server.nextEvent()?.request?.body == body)
    }

    @Test("of a message whose consumer is slow only what was acknowledged before is said again", arguments: dialects)
    func slowConsumer(dialect: BLIPDialect) throws {
        let stream = BLIPBodyStream()
        var peer = Peer(dialect)
        var server = BLIPConnection(dialect: dialect, limits: BLIPLimits()) { _ in stream.sink }
        try server.receive(peer.frame(1, [.more], data: [0] + [UInt8](repeating: 1, count: 60_000)))
        server.handleTimeout(now: time(10))
        #expect(acks(&server, dialect).isEmpty, "nothing has been taken")
    }

    @Test("the connection asks to be called in time")
    func deadline() throws {
        var peer = Peer()
        var server = BLIPConnection()
        try server.receive(peer.frame(1, [.more], data: [0] + [UInt8](repeating: 1, count: 60_000)))
        #expect(server.deadline == time(1))
        server.handleTimeout(now: time(1))
        #expect(server.deadline == time(2))
        try server.receive(peer.frame(1, data: []), second: 1)
        #expect(server.deadline == nil)
    }
}
