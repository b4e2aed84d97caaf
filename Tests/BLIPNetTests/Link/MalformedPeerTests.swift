// Peers that send malformed BLIP over a real socket: what becomes of them, and that nobody else notices.

import Testing

@testable import BLIPNet

@Suite("Malformed peers", .timeLimit(.minutes(5))) struct MalformedPeerTests {
    @Test(
        "each case of 90_malformed.json ends as it says, while other requests are served",
        arguments: BLIPMalformedInput.all)
    func ends(input: BLIPMalformedInput.Case) async throws {
        let server = try TestServer(isPlain: true)
        let other = try await server.connect()
        let waiting = other.submit(BLIPRequest(profile: "sink", body: .source(PatternSource(count: 1_000_000))))
        let channel = try await Self.connect(to: server.endpoint)
        for frame in input.frames { try? await channel.send(.binary(bytes(hex: frame))) }
        if input.expect.hasPrefix("fatal") {
            let end = await channel.waitUntilClosed()
            guard case .closedByPeer(let code, let reason) = end else {
                Issue.record("ended with \(end)")
                return
            }
            #expect(code == 1002 && !reason.isEmpty)
        } else {
            // Whatever became of its messages, the connection lives.
            channel.ping()
            await eventually("the server answers a ping") { await channel.roundTrip != nil }
            channel.close()
            #expect(await channel.waitUntilClosed() == .closedLocally)
        }
        #expect(try await waiting.value().bodyBytes == Array("1000000".utf8))
        #expect(try await other.request(BLIPRequest(profile: "echo", body: .text("hello"))).error == nil)
    }

    @Test("a text message closes with 1003, a frame over the limit with 1009, and other requests are served")
    func others() async throws {
        let server = try TestServer(isPlain: true)
        let other = try await server.connect()
        for (message, code) in [
            (WebSocketMessage.text("hello"), UInt16(1003)), (.binary([UInt8](repeating: 0, count: 65_537)), 1009),
        ] {
            let channel = try await Self.connect(to: server.endpoint)
            try await channel.send(message)
            guard case .closedByPeer(code, _) = await channel.waitUntilClosed() else {
                Issue.record("not closed with \(code)")
                continue
            }
        }
        #expect(try await other.request(BLIPRequest(profile: "echo", body: .text("hello"))).error == nil)
    }

    private static func connect(to endpoint: Endpoint) async throws -> WebSocketChannel {
        var request = WebSocketRequest(
            url: try WebSocketURL("ws://\(endpoint)/"),
            subprotocols: [BLIPDialect.blip3.subprotocol(application: LinkOptions().application)])
        request.proxy = .direct
        return try await WebSocketChannel.connect(request)
    }
}
