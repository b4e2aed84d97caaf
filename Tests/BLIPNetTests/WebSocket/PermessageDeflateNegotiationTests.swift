// Agreeing on permessage-deflate: what a client offers, what a server answers, what a client believes.

import Testing

@testable import BLIPNet

@Suite struct PermessageDeflateNegotiationTests {
    /// What a server with these options answers; "" for no extension, `nil` for a refused request.
    private static func answer(to offers: String..., by deflate: PermessageDeflate?) -> String? {
        var options = WebSocketServerOptions(allowsNoSubprotocol: true)
        options.deflate = deflate
        var server = WatchedWebSocket(connection: .server(options, now: WebSocketFixtures.time(0)))
        server.receive(
            WebSocketFixtures.request(extra: offers.map { "Sec-WebSocket-Extensions: \($0)\r\n" }.joined()))
        guard server.closure == nil else { return nil }
        let answer = server.sent.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        let marker = "Sec-WebSocket-Extensions: "
        return answer.split(separator: "\r\n").first { $0.hasPrefix(marker) }.map { String($0.dropFirst(marker.count)) }
            ?? ""
    }

    private static let anything = PermessageDeflate()
    private static let frugal = PermessageDeflate(
        serverNoContextTakeover: true, clientNoContextTakeover: true, serverMaxWindowBits: 11, clientMaxWindowBits: 10)

    @Test(
        "a server that allows everything gives what is asked for",
        arguments: [
            ("permessage-deflate", "permessage-deflate"),
            ("permessage-deflate; client_max_window_bits", "permessage-deflate"),
            ("permessage-deflate; client_max_window_bits=15", "permessage-deflate"),
            ("permessage-deflate; client_max_window_bits=9", "permessage-deflate; client_max_window_bits=9"),
            ("permessage-deflate; client_max_window_bits=8", "permessage-deflate; client_max_window_bits=8"),
            ("permessage-deflate; server_max_window_bits=8", "permessage-deflate; server_max_window_bits=8"),
            ("permessage-deflate; server_max_window_bits=\"10\"", "permessage-deflate; server_max_window_bits=10"),
            ("permessage-deflate; server_max_window_bits=15", "permessage-deflate; server_max_window_bits=15"),
            ("permessage-deflate; server_no_context_takeover", "permessage-deflate; server_no_context_takeover"),
            ("permessage-deflate; client_no_context_takeover", "permessage-deflate; client_no_context_takeover"),
            (
                "permessage-deflate; client_max_window_bits=12; client_no_context_takeover; "
                    + "server_max_window_bits=9; server_no_context_takeover",
                "permessage-deflate; server_no_context_takeover; client_no_context_takeover; "
                    + "server_max_window_bits=9; client_max_window_bits=12"
            ),
        ])
    func generousServer(offer: String, expected: String) {
        #expect(Self.answer(to: offer, by: Self.anything) == expected)
    }

    @Test("a server that saves memory says so, and asks only clients that know of windows for a smaller one")
    func frugalServer() {
        let always =
            "permessage-deflate; server_no_context_takeover; client_no_context_takeover; server_max_window_bits="
        #expect(Self.answer(to: "permessage-deflate", by: Self.frugal) == always + "11")
        #expect(
            Self.answer(to: "permessage-deflate; client_max_window_bits", by: Self.frugal)
                == always + "11; client_max_window_bits=10")
        #expect(
            Self.answer(to: "permessage-deflate; client_max_window_bits=9; server_max_window_bits=12", by: Self.frugal)
                == always + "11; client_max_window_bits=9")
        #expect(
            Self.answer(to: "permessage-deflate; server_max_window_bits=9", by: Self.frugal) == always + "9")
    }

    @Test(
        "a server declines an offer that is wrong, without refusing the client",
        arguments: [
            "permessage-deflate; server_no_context_takeover=1", "permessage-deflate; client_no_context_takeover=true",
            "permessage-deflate; server_max_window_bits", "permessage-deflate; server_max_window_bits=7",
            "permessage-deflate; server_max_window_bits=16", "permessage-deflate; server_max_window_bits=08",
            "permessage-deflate; server_max_window_bits=+9", "permessage-deflate; server_max_window_bits=1e1",
            "permessage-deflate; client_max_window_bits=0", "permessage-deflate; client_max_window_bits=99999999999",
            "permessage-deflate; unknown", "permessage-deflate; SERVER_NO_CONTEXT_TAKEOVER",
            "permessage-deflate; client_max_window_bits; client_max_window_bits=9",
            "permessage-deflate; server_no_context_takeover; server_no_context_takeover",
            "x-webkit-deflate-frame", "permessage-bzip2; client_max_window_bits", "permessage-deflate2",
        ])
    func declines(offer: String) {
        #expect(Self.answer(to: offer, by: Self.anything) == "")
        // The next offer is looked at all the same.
        #expect(
            Self.answer(to: offer + ", permessage-deflate; server_max_window_bits=9", by: Self.anything)
                == "permessage-deflate; server_max_window_bits=9")
        #expect(Self.answer(to: offer, "permessage-deflate", by: Self.anything) == "permessage-deflate")
    }

    @Test("a server takes the first correct offer, and none when it wants no compression")
    func preference() {
        let offers = "permessage-deflate; server_no_context_takeover, permessage-deflate"
        #expect(Self.answer(to: offers, by: Self.anything) == "permessage-deflate; server_no_context_takeover")
        #expect(Self.answer(to: offers, by: nil) == "")
    }

    // MARK: Client

    private static func offer(_ offers: [PermessageDeflate]) -> String {
        var options = WebSocketClientOptions(hostHeader: "x")
        options.deflateOffers = offers
        var client = WatchedWebSocket(connection: .client(options, now: WebSocketFixtures.time(0)))
        client.flush()
        let request = client.sent.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        let marker = "Sec-WebSocket-Extensions: "
        return request.split(separator: "\r\n").first { $0.hasPrefix(marker) }.map {
            String($0.dropFirst(marker.count))
        }
            ?? ""
    }

    @Test("a client names in its offers what it wants, and always that it knows of windows")
    func offers() {
        #expect(Self.offer([]) == "")
        #expect(Self.offer([PermessageDeflate()]) == "permessage-deflate; client_max_window_bits")
        #expect(
            Self.offer([Self.frugal, PermessageDeflate(serverMaxWindowBits: 8), PermessageDeflate()])
                == "permessage-deflate; server_no_context_takeover; client_no_context_takeover; "
                + "server_max_window_bits=11; client_max_window_bits=10, "
                + "permessage-deflate; server_max_window_bits=8; client_max_window_bits, "
                + "permessage-deflate; client_max_window_bits")
    }

    /// What a client with these offers agrees to; throws when it ends the handshake.
    private static func agree(
        _ offers: [PermessageDeflate], _ answer: String
    ) throws(HTTPHeadError) -> PermessageDeflate? {
        var fields = HTTPFields()
        if !answer.isEmpty { fields.append(name: "Sec-WebSocket-Extensions", value: answer) }
        return try PermessageDeflate.agree(offers: offers, answer: fields)
    }

    @Test("a client takes answers within its offer, and also restrictions that it has not asked for")
    func agrees() throws {
        let plain = [PermessageDeflate()]
        #expect(try Self.agree(plain, "") == nil)
        #expect(try Self.agree(plain, "permessage-deflate") == PermessageDeflate())
        #expect(
            try Self.agree(
                plain,
                "permessage-deflate; server_no_context_takeover; client_no_context_takeover; "
                    + "server_max_window_bits=8; client_max_window_bits=9")
                == PermessageDeflate(
                    serverNoContextTakeover: true, clientNoContextTakeover: true, serverMaxWindowBits: 8,
                    clientMaxWindowBits: 9))
        // A client keeps to its own promises also when the server does not repeat them.
        let frugal = try Self.agree(
            [Self.frugal], "permessage-deflate; server_no_context_takeover; server_max_window_bits=10")
        #expect(frugal?.clientNoContextTakeover == true && frugal?.clientMaxWindowBits == 10)
        #expect(frugal?.serverMaxWindowBits == 10)
    }

    @Test("a client finds out which of its offers the server has taken")
    func fallback() throws {
        let offers = [Self.frugal, PermessageDeflate(level: 9)]
        let first = try Self.agree(offers, "permessage-deflate; server_no_context_takeover; server_max_window_bits=11")
        #expect(first?.clientMaxWindowBits == 10 && first?.level == 3)
        let second = try Self.agree(offers, "permessage-deflate; server_no_context_takeover")
        #expect(second?.clientMaxWindowBits == 15 && second?.level == 9 && second?.serverNoContextTakeover == true)
    }

    @Test(
        "a client ends the handshake at an answer that no server may give",
        arguments: [
            "foo", "permessage-deflate, permessage-deflate", "permessage-deflate, foo", "permessage-deflate; foo",
            "permessage-deflate; server_no_context_takeover; server_no_context_takeover",
            "permessage-deflate; client_max_window_bits", "permessage-deflate; server_max_window_bits",
            "permessage-deflate; server_max_window_bits=7", "permessage-deflate; server_max_window_bits=16",
            "permessage-deflate; client_max_window_bits=010", "permessage-deflate;", "permessage-deflate; a=\"b c\"",
        ])
    func disbelieves(answer: String) {
        #expect(throws: HTTPHeadError.self) { try Self.agree([PermessageDeflate()], answer) }
    }

    @Test("a client ends the handshake when its demands are not met, or nothing was offered")
    func demands() {
        let window = [PermessageDeflate(serverMaxWindowBits: 10)]
        #expect(throws: HTTPHeadError.self) { try Self.agree(window, "permessage-deflate") }
        #expect(throws: HTTPHeadError.self) {
            try Self.agree(window, "permessage-deflate; server_max_window_bits=11")
        }
        let takeover = [PermessageDeflate(serverNoContextTakeover: true)]
        #expect(throws: HTTPHeadError.self) { try Self.agree(takeover, "permessage-deflate") }
        let own = [PermessageDeflate(clientMaxWindowBits: 10)]
        #expect(throws: HTTPHeadError.self) { try Self.agree(own, "permessage-deflate; client_max_window_bits=11") }
        #expect(throws: HTTPHeadError.self) { try Self.agree([], "permessage-deflate") }
    }

    @Test("a link for BLIP neither offers compression nor agrees to it")
    func blip() throws {
        let options = LinkOptions()
        var (client, server) = (
            try ProtocolStack.client(host: "x", options: options, now: WebSocketFixtures.time(0)),
            try ProtocolStack.server(options: options, now: WebSocketFixtures.time(0))
        )
        var out = ByteQueue()
        #expect(client.nextOutgoing(into: &out) == true)
        let request = out.takeAll()
        #expect(!String(decoding: request, as: UTF8.self).contains("Extensions"))
        let offering = request.dropLast(2) + Array("Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n".utf8)
        offering.withUnsafeBytes { server.receive($0, now: WebSocketFixtures.time(0)) }
        guard case .opened = server.nextEvent() else {
            Issue.record("the handshake failed")
            return
        }
        #expect(server.nextOutgoing(into: &out) == true)
        #expect(!String(decoding: out.takeAll(), as: UTF8.self).contains("Extensions"))
    }

    @Test("both sides know in the end what they have agreed on")
    func bothSides() {
        let (client, server) = WatchedWebSocket.openPair(
            deflate: PermessageDeflate(serverMaxWindowBits: 12),
            serverDeflate: PermessageDeflate(clientMaxWindowBits: 9))
        let agreed = PermessageDeflate(serverMaxWindowBits: 12, clientMaxWindowBits: 9)
        #expect(client.connection.deflate == agreed && server.connection.deflate == agreed)
        let (plainClient, plainServer) = WatchedWebSocket.openPair(serverDeflate: PermessageDeflate())
        #expect(plainClient.connection.deflate == nil && plainServer.connection.deflate == nil)
    }
}
