// How connections end: closing handshake, violations, deadlines, keepalive.

import Testing

@testable import BLIPNet

@Suite struct WebSocketClosingTests {
    private static func frame(_ first: UInt8, _ payload: [UInt8] = []) -> [UInt8] {
        WebSocketFixtures.frame(first, payload)
    }
    private static func close(_ code: UInt16, _ reason: [UInt8] = []) -> [UInt8] {
        frame(0x88, [UInt8(code >> 8), UInt8(code & 0xFF)] + reason)
    }
    private static let start = WebSocketFixtures.time(0)

    @Test("answers a close frame with the same code, once, and tells code and reason")
    func peerCloses() {
        var server = WatchedWebSocket.openServer()
        server.receive(Self.close(4_001, Array("grüße".utf8)) + Self.frame(0x82, [1]) + Self.close(1_000))
        #expect(server.seen == [.event(.closed(.closedByPeer(code: 4_001, reason: "grüße")))])
        #expect(server.sent.takeAll() == [0x88, 2, 0x0F, 0xA1])
        #expect(server.connection.deadline == nil)
    }

    @Test("answers an empty close frame with an empty one, and reports 1005")
    func emptyClose() {
        var server = WatchedWebSocket.openServer()
        server.receive(Self.frame(0x88))
        #expect(server.closure == .closedByPeer(code: 1005, reason: ""))
        #expect(server.sent.takeAll() == [0x88, 0])
    }

    @Test("accepts exactly the codes that may stand on the wire")
    func codes() {
        let allowed = Set<UInt16>([
            1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999,
        ])
        let refused: [UInt16] = [0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535]
        for code in allowed.sorted() + refused {
            var server = WatchedWebSocket.openServer()
            server.receive(Self.close(code))
            if allowed.contains(code) {
                #expect(server.closure == .closedByPeer(code: code, reason: ""))
            } else {
                #expect(server.violationCode == 1002, "\(code)")
                #expect(server.sent.takeAll().dropFirst(2).starts(with: [0x03, 0xEA]))
            }
        }
    }

    @Test("refuses a close frame of one byte, and a reason that is not UTF-8")
    func malformedClose() {
        var server = WatchedWebSocket.openServer()
        server.receive(Self.frame(0x88, [3]))
        #expect(server.violationCode == 1002)
        server = .openServer()
        server.receive(Self.close(1_000, [0xC3]))
        #expect(server.violationCode == 1007)
    }

    @Test("closes in order: messages that were on their way still arrive, then the peer's answer ends it")
    func weClose() {
        var server = WatchedWebSocket.openServer()
        server.connection.close(code: 1001, reason: "over", now: Self.start)
        server.connection.close(code: 4000, reason: "again", now: Self.start)
        server.flush()
        #expect(server.sent.takeAll() == [0x88, 6, 0x03, 0xE9] + Array("over".utf8))
        server.receive(Self.frame(0x82, [1]) + Self.frame(0x89, [2]))
        #expect(server.seen == [.message(.binary, [1])])
        #expect(server.sent.isEmpty)
        server.receive(Self.close(1001))
        #expect(server.closure == .closedLocally)
        #expect(server.sent.isEmpty)
    }

    @Test("gives up on a peer that does not answer our close frame within five seconds")
    func closeTimeout() {
        var server = WatchedWebSocket.openServer()
        server.connection.close(now: WebSocketFixtures.time(100))
        #expect(server.connection.deadline == WebSocketFixtures.time(105))
        server.connection.handleTimeout(now: WebSocketFixtures.time(104))
        server.drain()
        #expect(server.closure == nil)
        server.connection.handleTimeout(now: WebSocketFixtures.time(105))
        server.drain()
        #expect(server.closure == .timedOut(.closing))
    }

    @Test("closing is legal in the middle of a fragmented message, in both directions")
    func closeInsideAMessage() {
        var server = WatchedWebSocket.openServer()
        server.receive(Self.frame(0x01, [0x61]) + Self.close(1_000))
        #expect(server.seen == [.event(.closed(.closedByPeer(code: 1000, reason: "")))])
        server = .openServer()
        server.receive(Self.frame(0x01, [0x61]))
        server.connection.close(now: Self.start)
        server.receive(Self.close(1_000))
        #expect(server.closure == .closedLocally)
    }

    @Test("a long reason is cut at the border of a character")
    func longReason() {
        var server = WatchedWebSocket.openServer()
        server.connection.close(code: 1000, reason: "x" + String(repeating: "€", count: 100), now: Self.start)
        server.flush()
        let sent = server.sent.takeAll()
        // 2 bytes of code, 1 + 40 * 3 of text.
        #expect(sent[1] == 123)
        #expect(String(validating: sent[4...], as: UTF8.self) == "x" + String(repeating: "€", count: 40))
    }

    @Test("a violation is told to the peer, and nothing is heard any more")
    func violation() {
        var client = WatchedWebSocket.openClient()
        client.receive(WebSocketFixtures.frame(0x82, [1], mask: WebSocketFixtures.maskKey) + [0x82, 1, 2])
        #expect(client.seen == [.event(.closed(.peerViolated(code: 1002, reason: "server frame with a mask")))])
        let sent = client.sent.takeAll()
        var server = WatchedWebSocket.openServer()
        server.receive(sent)
        #expect(server.closure == .closedByPeer(code: 1002, reason: "server frame with a mask"))
        client.receive([0x82, 1, 2])
        #expect(client.seen.count == 1)
    }

    @Test("closing during the handshake ends at once")
    func closeDuringHandshake() {
        var server = WatchedWebSocket(connection: .server(WebSocketServerOptions(), now: Self.start))
        server.connection.close(now: Self.start)
        server.drain()
        #expect(server.seen == [.event(.closed(.closedLocally))])
        #expect(server.sent.isEmpty)
    }

    @Test("a handshake that takes ten seconds is given up, even while bytes trickle in")
    func handshakeTimeout() {
        var server = WatchedWebSocket(connection: .server(WebSocketServerOptions(), now: WebSocketFixtures.time(5)))
        for second in 6..<15 {
            server.receive([UInt8(ascii: "G")], now: WebSocketFixtures.time(Int64(second)))
            server.connection.handleTimeout(now: WebSocketFixtures.time(Int64(second)))
        }
        #expect(server.closure == nil)
        #expect(server.connection.deadline == WebSocketFixtures.time(15))
        server.connection.handleTimeout(now: WebSocketFixtures.time(15))
        server.drain()
        #expect(server.closure == .timedOut(.handshake))
    }

    @Test("pings a peer that is silent for 20 seconds, and counts it as dead after 20 more")
    func keepalive() {
        var server = WatchedWebSocket.openServer()
        server.receive(Self.frame(0x82, [1]), now: WebSocketFixtures.time(10))
        #expect(server.connection.deadline == WebSocketFixtures.time(30))
        server.connection.handleTimeout(now: WebSocketFixtures.time(29))
        server.flush()
        #expect(server.sent.isEmpty)
        server.connection.handleTimeout(now: WebSocketFixtures.time(30))
        server.flush()
        #expect(server.sent.takeAll().first == 0x89)
        #expect(server.connection.deadline == WebSocketFixtures.time(50))
        server.connection.handleTimeout(now: WebSocketFixtures.time(50))
        server.drain()
        #expect(server.closure == .timedOut(.keepalive))
    }

    @Test("any byte is a sign of life, and the pong measures the round trip")
    func keepaliveAnswered() {
        var server = WatchedWebSocket.openServer()
        server.connection.handleTimeout(now: WebSocketFixtures.time(20))
        server.flush()
        let ping = server.sent.takeAll()
        #expect(server.connection.roundTrip == nil)
        // The first byte of a frame of which nothing else has arrived yet.
        server.receive([0x8A], now: WebSocketFixtures.time(39))
        #expect(server.connection.deadline == WebSocketFixtures.time(59))
        let pong = Self.frame(0x8A, Array(ping.dropFirst(2)))
        server.receive(Array(pong.dropFirst()), now: WebSocketFixtures.time(40))
        #expect(server.connection.roundTrip == .seconds(20))
        #expect(server.connection.deadline == WebSocketFixtures.time(60))
        #expect(server.seen.isEmpty)
    }

    @Test("keepalive can be turned off")
    func keepaliveOff() {
        var limits = WebSocketLimits()
        limits.keepaliveInterval = nil
        var server = WatchedWebSocket.openServer(limits: limits)
        #expect(server.connection.deadline == nil)
        server.connection.handleTimeout(now: WebSocketFixtures.time(1_000))
        server.drain()
        #expect(server.seen.isEmpty && server.sent.isEmpty)
    }

    @Test("a connection on which nothing happens gives its memory back")
    func idleMemory() {
        var (client, server) = WatchedWebSocket.openPair(
            deflate: PermessageDeflate(clientNoContextTakeover: true, threshold: 0))
        let message = [UInt8](repeating: 0x61, count: 300_000)
        #expect(client.send(.text, message) == true)
        server.receive(client.sent.takeAll())
        server.receive(Self.frame(0x82, message))
        #expect(server.seen.count == 2)
        #expect(server.connection.input.capacity + server.connection.decoder.gathered.capacity > 300_000)
        server.connection.handleTimeout(now: WebSocketFixtures.time(20))
        server.flush()
        server.connection.handleTimeout(now: WebSocketFixtures.time(30))
        #expect(server.connection.input.capacity == 0 && server.connection.decoder.gathered.capacity == 0)
        // And goes on as if nothing had been.
        #expect(client.send(.text, message) == true)
        server.receive(client.sent.takeAll())
        #expect(server.seen.last == .message(.text, message))
    }

    @Test("nothing that comes behind a close frame has any effect, be it a message, a ping or nonsense")
    func behindClose() {
        for rest in [Self.frame(0x81, [0x61]), Self.frame(0x89, [1]), Self.frame(0x80, [1]), [0xFF, 0xFF]] {
            var server = WatchedWebSocket.openServer(echoes: true)
            server.receive(Self.frame(0x01, [0x61]) + Self.close(1_000) + rest)
            #expect(server.seen == [.event(.closed(.closedByPeer(code: 1000, reason: "")))])
            #expect(server.sent.takeAll() == [0x88, 2, 0x03, 0xE8])
        }
    }
}
