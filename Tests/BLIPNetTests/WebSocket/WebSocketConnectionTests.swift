// Whole connections: two ends in memory, bytes in any cut, what goes out in which order.

import Testing

@testable import BLIPNet

@Suite struct WebSocketConnectionTests {
    private static func frame(_ first: UInt8, _ payload: [UInt8] = []) -> [UInt8] {
        WebSocketFixtures.frame(first, payload)
    }

    /// Lets two ends talk until neither has anything left to say.
    private static func exchange(
        _ client: inout WatchedWebSocket, _ server: inout WatchedWebSocket, chunk: Int = .max
    ) {
        client.drain()
        server.drain()
        while !client.sent.isEmpty || !server.sent.isEmpty {
            server.receive(client.sent.takeAll(), chunk: chunk)
            client.receive(server.sent.takeAll(), chunk: chunk)
        }
    }

    private static func pair() -> (client: WatchedWebSocket, server: WatchedWebSocket) {
        let now = WebSocketFixtures.time(0)
        return (
            WatchedWebSocket(
                connection: .client(
                    WebSocketClientOptions(
                        hostHeader: "example.org:1234", path: "/x?y", subprotocols: ["BLIP_3+a", "BLIP"]), now: now)),
            WatchedWebSocket(
                connection: .server(WebSocketServerOptions(subprotocols: ["none", "BLIP"]), now: now), echoes: true)
        )
    }

    @Test("client and server shake hands, agree on a subprotocol and exchange messages", arguments: [1, 3, 100_000])
    func talk(chunk: Int) {
        var (client, server) = Self.pair()
        Self.exchange(&client, &server, chunk: chunk)
        #expect(client.seen == [.event(.opened(subprotocol: "BLIP"))])
        #expect(server.seen == [.event(.opened(subprotocol: "BLIP"))])
        #expect(server.connection.requestTarget == "/x?y")
        let payloads = [0, 1, 125, 126, 65_535, 65_536].map { count in
            (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        }
        for payload in payloads {
            #expect(client.send(.binary, payload) == true)
            Self.exchange(&client, &server, chunk: chunk == 1 ? 7 : chunk)
        }
        #expect(client.send(.text, Array("grüße".utf8)) == true)
        Self.exchange(&client, &server, chunk: chunk)
        let expected = payloads.map { WatchedWebSocket.Seen.message(.binary, $0) }
        #expect(client.seen.dropFirst() == expected[...] + [.message(.text, Array("grüße".utf8))])
    }

    @Test("frames that are glued behind the HTTP head are taken as frames, by server and client")
    func gluedFrames() {
        let options = WebSocketServerOptions(allowsNoSubprotocol: true)
        var server = WatchedWebSocket(connection: .server(options, now: WebSocketFixtures.time(0)))
        server.receive(WebSocketFixtures.request() + Self.frame(0x82, [1, 2, 3]))
        #expect(server.seen == [.event(.opened(subprotocol: nil)), .message(.binary, [1, 2, 3])])

        var (client, peer) = Self.pair()
        client.flush()
        peer.receive(client.sent.takeAll())
        client.receive(peer.sent.takeAll() + WebSocketFixtures.frame(0x81, [0x61], mask: nil))
        #expect(client.seen == [.event(.opened(subprotocol: "BLIP")), .message(.text, [0x61])])
    }

    @Test("the same bytes give the same events and answers, however they are cut")
    func chunkingIndependence() {
        let good =
            WebSocketFixtures.request() + Self.frame(0x01, Array("grü".utf8)) + Self.frame(0x89, [1, 2])
            + Self.frame(0x80, Array("ße".utf8)) + Self.frame(0x82, [UInt8](repeating: 7, count: 200))
            + Self.frame(0x8A, [3])
        let ends = [
            Self.frame(0x88, [0x03, 0xE8] + Array("bye".utf8)), Self.frame(0x81, [0x61, 0xFF]), Self.frame(0x88, [1]),
            Self.frame(0x09), Self.frame(0xC2), [0x83, 0x80, 0, 0, 0, 0],
        ]
        for end in ends {
            let bytes = good + end
            let reference = Self.run(bytes, cutAt: bytes.count)
            #expect(reference.closure != nil)
            for cut in 1..<bytes.count {
                let other = Self.run(bytes, cutAt: cut)
                #expect(other.seen == reference.seen, "cut at \(cut)")
                #expect(other.sent.withUnsafeBytes { Array($0) } == reference.sent.withUnsafeBytes { Array($0) })
            }
        }
    }

    private static func run(_ bytes: [UInt8], cutAt cut: Int) -> WatchedWebSocket {
        let options = WebSocketServerOptions(allowsNoSubprotocol: true)
        var end = WatchedWebSocket(connection: .server(options, now: WebSocketFixtures.time(0)), echoes: true)
        end.receive(Array(bytes[..<cut]))
        end.receive(Array(bytes[cut...]))
        return end
    }

    @Test("what answers a message goes out before what a later frame brings about")
    func answersBeforeViolations() {
        var server = WatchedWebSocket.openServer(echoes: true)
        server.receive(Self.frame(0x81, Array("hi".utf8)) + Self.frame(0xB1))
        let sent = server.sent.takeAll()
        #expect(sent.starts(with: WebSocketFixtures.frame(0x81, Array("hi".utf8), mask: nil)))
        #expect(sent.dropFirst(4).starts(with: [0x88]))
        #expect(server.violationCode == 1002)
    }

    @Test("nothing can be sent before the handshake is over, nor after closing")
    func sendsOnlyWhileOpen() {
        var (client, server) = Self.pair()
        #expect(!client.connection.isOpen)
        #expect(client.send(.binary, [1]) == false)
        Self.exchange(&client, &server)
        #expect(client.connection.isOpen)
        #expect(client.send(.binary, [1]) == true)
        client.connection.close(now: WebSocketFixtures.time(0))
        #expect(!client.connection.isOpen)
        let before = client.sent.count
        #expect(client.send(.binary, [1]) == false)
        #expect(client.sent.count == before)
    }

    @Test("a client masks every frame with another key, and a server none")
    func masking() {
        var client = WatchedWebSocket.openClient()
        #expect(client.send(.binary, [1]) == true)
        #expect(client.send(.binary, [1]) == true)
        let sent = client.sent.takeAll()
        #expect(sent.count == 14)
        #expect(sent[1] == 0x81 && sent[8] == 0x81)
        #expect(sent[2..<6] != sent[9..<13])
        var server = WatchedWebSocket.openServer()
        #expect(server.send(.binary, [1]) == true)
        #expect(server.sent.takeAll() == [0x82, 1, 1])
    }

    @Test("answers pings in order, with their payload")
    func pongs() {
        var server = WatchedWebSocket.openServer()
        server.receive((0..<10).flatMap { Self.frame(0x89, [$0]) })
        #expect(server.sent.takeAll() == (0..<10).flatMap { [0x8A, 1, $0] })
        #expect(server.seen.isEmpty)
    }

    @Test("the queue of pongs is bounded, and the last ping is answered all the same")
    func boundedPongs() {
        var limits = WebSocketLimits()
        limits.maxQueuedPongs = 3
        var server = WatchedWebSocket.openServer(limits: limits)
        let pings = (0..<200).flatMap { Self.frame(0x89, [UInt8($0)]) }
        pings.withUnsafeBytes { server.connection.receive($0, now: WebSocketFixtures.time(0)) }
        #expect(server.connection.nextEvent() == nil)
        server.flush()
        #expect(server.sent.takeAll() == [0x8A, 1, 0, 0x8A, 1, 1, 0x8A, 1, 2, 0x8A, 1, 199])
        // Once they are out there is room again.
        let more = (1...3).flatMap { Self.frame(0x89, [$0]) }
        more.withUnsafeBytes { server.connection.receive($0, now: WebSocketFixtures.time(0)) }
        #expect(server.connection.nextEvent() == nil)
        server.flush()
        #expect(server.sent.takeAll() == (1...3).flatMap { [0x8A, 1, $0] })
    }

    @Test("a ping of ours goes out, and its pong comes back as an event")
    func ownPing() {
        var server = WatchedWebSocket.openServer()
        server.connection.ping([1, 2])
        server.flush()
        #expect(server.sent.takeAll() == [0x89, 2, 1, 2])
        server.receive(Self.frame(0x8A, [1, 2]))
        #expect(server.seen == [.event(.pong([1, 2]))])
        for _ in 0..<100_000 { server.connection.ping([0]) }
        server.flush()
        #expect(server.sent.count < 32_768)
    }

    @Test("control frames go ahead of a message that is sent afterwards")
    func controlFirst() {
        var server = WatchedWebSocket.openServer()
        let ping = Self.frame(0x89, [5])
        ping.withUnsafeBytes { server.connection.receive($0, now: WebSocketFixtures.time(0)) }
        #expect(server.connection.nextEvent() == nil)
        server.flush()
        #expect(server.send(.binary, [1]) == true)
        #expect(server.sent.takeAll() == [0x8A, 1, 5, 0x82, 1, 1])
    }
}
