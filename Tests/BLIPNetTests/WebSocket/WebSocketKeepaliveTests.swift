// How often a quiet connection is pinged, and how soon a dead one is noticed when somebody writes.

import Testing

@testable import BLIPNet

@Suite struct WebSocketKeepaliveTests {
    private static var limits: WebSocketLimits {
        var limits = WebSocketLimits()
        limits.keepaliveAtRest = .seconds(120)
        return limits
    }

    /// Both ends of a connection without delay, of whose pings each is answered at once.
    private struct Pair {
        var client = WebSocketKeepalive(limits: limits, isServer: false, now: WebSocketFixtures.time(0))
        var server = WebSocketKeepalive(limits: limits, isServer: true, now: WebSocketFixtures.time(0))
        var fromClient: [MonotonicTime] = []
        var fromServer: [MonotonicTime] = []

        mutating func run(until end: MonotonicTime) throws {
            while let due = MonotonicTime.earlier(client.deadline, server.deadline), due <= end {
                if let action = client.handleTimeout(now: due) {
                    fromClient.append(due)
                    try Self.answer(action, &client, by: &server, now: due)
                } else if let action = server.handleTimeout(now: due) {
                    fromServer.append(due)
                    try Self.answer(action, &server, by: &client, now: due)
                }
            }
        }

        private static func answer(
            _ action: WebSocketKeepalive.Action, _ asker: inout WebSocketKeepalive, by other: inout WebSocketKeepalive,
            now: MonotonicTime
        ) throws {
            guard case .ping(let payload) = action else { throw LinkError.timedOut("keepalive") }
            other.received(now: now)
            other.answeredPing()
            asker.received(now: now)
            let isOurs = asker.receivedPong(payload)
            #expect(isOurs)
        }
    }

    @Test("a quiet connection costs a ping in two minutes, and the client sends it")
    func rest() throws {
        var pair = Pair()
        try pair.run(until: WebSocketFixtures.time(3600))
        #expect((28...34).contains(pair.fromClient.count))
        #expect(pair.fromServer.count < 4)
        let pauses = zip(pair.fromClient.dropFirst(), pair.fromClient).map { $0 - $1 }
        #expect(pauses.max() == .seconds(120))
    }

    @Test("pings of quiet connections are due together")
    func together() throws {
        var times: Set<MonotonicTime> = []
        for start in 0..<50 as Range<Int64> {
            var pair = Pair()
            pair.client.received(now: WebSocketFixtures.time(start))
            pair.server.received(now: WebSocketFixtures.time(start))
            try pair.run(until: WebSocketFixtures.time(3600))
            times.formUnion(pair.fromClient.filter { $0 > WebSocketFixtures.time(600) })
        }
        #expect(times.count <= 3000 / 15)
    }

    @Test("after the first message since a rest silence counts as ever: a ping 20 s later, the end 20 s after that")
    func wakes() throws {
        var pair = Pair()
        try pair.run(until: WebSocketFixtures.time(1000))
        let before = try #require(pair.client.deadline)
        #expect(before > WebSocketFixtures.time(1000))
        var client = pair.client
        client.sentMessage()
        let early = client.handleTimeout(now: WebSocketFixtures.time(1000))
        #expect(early == nil)
        #expect(client.deadline == WebSocketFixtures.time(1020))
        guard case .ping? = client.handleTimeout(now: WebSocketFixtures.time(1020)) else {
            Issue.record("no ping")
            return
        }
        let patient = client.handleTimeout(now: WebSocketFixtures.time(1039))
        let last = client.handleTimeout(now: WebSocketFixtures.time(1040))
        #expect(patient == nil)
        #expect(last == .dead)
    }

    @Test("a message of the peer ends a rest as well")
    func received() throws {
        var pair = Pair()
        try pair.run(until: WebSocketFixtures.time(1000))
        pair.server.received(now: WebSocketFixtures.time(1001))
        pair.server.receivedMessage()
        #expect(pair.server.deadline == WebSocketFixtures.time(1021))
    }
}
