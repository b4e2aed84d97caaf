// Agreeing on a dialect: by subprotocol, by none, and not at all.

import Testing

@testable import BLIPNet

@Suite("Choosing a dialect", .timeLimit(.minutes(5))) struct DialectNegotiationTests {
    @Test("each name stands once in the offer, in the order of preference")
    func offer() {
        #expect(subprotocols(.blip3) == ["BLIP_3+chat"])
        #expect(subprotocols(.blip3, .blip2013) == ["BLIP_3+chat", "BLIP"])
        #expect(subprotocols(.blip3, .blip2, .blip2013) == ["BLIP_3+chat", "BLIP"])
        #expect(subprotocols(.blip2, .blip3) == ["BLIP", "BLIP_3+chat"])
    }

    @Test("BLIP and no name at all mean the founding documents, unless BLIP 2.0 is what we speak")
    func meaning() {
        for name in ["BLIP", nil] {
            #expect(meaning(of: name, to: BLIPDialect.all) == .blip2013)
            #expect(meaning(of: name, to: [.blip3, .blip2013]) == .blip2013)
            #expect(meaning(of: name, to: [.blip3, .blip2]) == .blip2)
            #expect(meaning(of: name, to: [.blip2, .blip2013]) == .blip2)
            #expect(meaning(of: name, to: [.blip3]) == nil)
        }
        #expect(meaning(of: "BLIP_3+chat", to: BLIPDialect.all) == .blip3)
        #expect(meaning(of: "BLIP_3+other", to: BLIPDialect.all) == nil)
        #expect(meaning(of: "BLIP_3", to: BLIPDialect.all) == nil)
    }

    @Test(
        "two of ours speak the first of the server's dialects that the client speaks",
        arguments: [
            ([BLIPDialect.blip3], [BLIPDialect.blip3], BLIPDialect.blip3),
            (BLIPDialect.all, BLIPDialect.all, .blip3),
            ([.blip3, .blip2013], [.blip2013, .blip3], .blip2013),
            ([.blip3, .blip2], [.blip2], .blip2),
            ([.blip2013], BLIPDialect.all, .blip2013),
        ])
    func both(client: [BLIPDialect], server: [BLIPDialect], expected: BLIPDialect) throws {
        var pair = try StackPair(seed: 1, client: options(client), server: options(server))
        pair.run { $0.client.log.count == 1 && $0.server.log.count == 1 }
        #expect(pair.client.stack.dialect == expected && pair.server.stack.dialect == expected)
        let request = BLIPRequest(profile: "echo", body: .text("hello hello hello"), compressed: true)
        let number = pair.client.stack.send(request, sink: nil, noReply: false) ?? 0
        pair.run { $0.client.responses[number] != nil }
        #expect(try pair.client.responses[number]?.get().bodyBytes == Array("hello hello hello".utf8))
    }

    @Test("nothing in common: the server answers 400")
    func nothingCommon() throws {
        var pair = try StackPair(seed: 2, client: options([.blip2013]), server: options([.blip3]))
        pair.run { $0.bothEnded }
        #expect(pair.client.log == [.closed(.notBLIP(reason: "HTTP status 400"))])
    }

    @Test("a client that offers no subprotocol is served in the old dialect")
    func clientWithout() throws {
        #expect(try answer(toOffer: nil, BLIPDialect.all) == .open(.blip2013, field: nil))
        #expect(try answer(toOffer: nil, [.blip3, .blip2]) == .open(.blip2, field: nil))
        #expect(try answer(toOffer: nil, [.blip3]) == .refused)
        #expect(try answer(toOffer: "BLIP", BLIPDialect.all) == .open(.blip2013, field: "BLIP"))
        #expect(try answer(toOffer: "chat, BLIP", BLIPDialect.all) == .open(.blip2013, field: "BLIP"))
        // Who offers only what we do not know does not mean BLIP.
        #expect(try answer(toOffer: "chat", BLIPDialect.all) == .refused)
    }

    @Test("a server that answers without a subprotocol is spoken to in the old dialect")
    func serverWithout() throws {
        #expect(try dialect(ofAnswer: nil, to: BLIPDialect.all) == .blip2013)
        #expect(try dialect(ofAnswer: nil, to: [.blip3, .blip2]) == .blip2)
        #expect(try dialect(ofAnswer: "BLIP", to: BLIPDialect.all) == .blip2013)
        #expect(try dialect(ofAnswer: "BLIP_3+chat", to: BLIPDialect.all) == .blip3)
        for (answer, dialects) in [(nil, [BLIPDialect.blip3]), ("BLIP", [.blip3]), ("other", BLIPDialect.all)] {
            #expect(throws: LinkError.self) { try dialect(ofAnswer: answer, to: dialects) }
        }
    }

    @Test("a link says which dialect it speaks, on real sockets", arguments: BLIPDialect.all)
    func link(dialect: BLIPDialect) async throws {
        let server = try TestServer { $0.dialects = [dialect] }
        let link = try await server.connect()
        #expect(link.info.dialect == dialect)
        let body = [UInt8](repeating: 7, count: 300_000)
        let response = try await link.request(BLIPRequest(profile: "echo", body: .bytes(body), compressed: true))
        #expect(response.bodyBytes == body)
        #expect(server.handler.links.first?.info.dialect == dialect)
        link.close(code: 1000, reason: "done")
        #expect(await link.waitUntilClosed() == .closedLocally)
        let other = try #require(server.handler.links.first)
        #expect(await other.waitUntilClosed() == .closedByPeer(code: 1000, reason: "done"))
    }

    @Test(
        "closing in a dialect with Bye waits for the responses that are under way",
        arguments: [BLIPDialect.blip2, .blip2013])
    func bye(dialect: BLIPDialect) throws {
        var pair = try StackPair(seed: 3, client: options([dialect]), server: options([dialect]))
        pair.server.answer = { _ in nil }
        pair.run { $0.client.log.count == 1 && $0.server.log.count == 1 }
        let number = pair.client.stack.send(BLIPRequest(profile: "slow"), sink: nil, noReply: false) ?? 0
        pair.run { !$0.server.requests.isEmpty }
        pair.client.stack.close(code: 1000, reason: "", now: pair.now)
        pair.run(for: .seconds(1))
        #expect(!pair.client.stack.isEnded)
        pair.server.stack.respond(to: 1, with: BLIPResponse(body: .text("late")))
        pair.run { $0.bothEnded }
        #expect(try pair.client.responses[number]?.get().bodyBytes == Array("late".utf8))
        #expect(pair.client.log.last == .closed(.closedLocally))
        // Neither side's Bye is anybody's request.
        #expect(pair.server.requests.map(\.properties.profile) == ["slow"])

        // A response that never comes is waited for no longer than closing may take.
        var other = try StackPair(seed: 4, client: options([dialect]), server: options([dialect]))
        other.server.answer = { _ in nil }
        other.run { $0.client.log.count == 1 && $0.server.log.count == 1 }
        _ = other.client.stack.send(BLIPRequest(profile: "never"), sink: nil, noReply: false)
        other.client.stack.close(code: 1000, reason: "", now: other.now)
        let start = other.now
        other.run { $0.bothEnded }
        #expect(other.bothEnded && other.now - start < .seconds(11))
    }

    @Test("a listener that takes several applications knows from the subprotocol which one is meant")
    func applications() {
        let negotiation = DialectNegotiation(dialects: [.blip3, .blip2013], applications: ["chat", "files"])
        #expect(negotiation.subprotocols == ["BLIP_3+chat", "BLIP", "BLIP_3+files"])
        #expect(negotiation.application(subprotocol: "BLIP_3+chat") == "chat")
        #expect(negotiation.application(subprotocol: "BLIP_3+files") == "files")
        #expect(negotiation.dialect(subprotocol: "BLIP_3+files") == .blip3)
        #expect(negotiation.application(subprotocol: "BLIP") == nil)
        #expect(negotiation.application(subprotocol: nil) == nil)
        #expect(negotiation.application(subprotocol: "BLIP_3+other") == nil)
        #expect(negotiation.dialect(subprotocol: "BLIP_3+other") == nil)
    }

    private func subprotocols(_ dialects: BLIPDialect...) -> [String] {
        DialectNegotiation(dialects: dialects, applications: ["chat"]).subprotocols
    }

    private func meaning(of subprotocol: String?, to dialects: [BLIPDialect]) -> BLIPDialect? {
        DialectNegotiation(dialects: dialects, applications: ["chat"]).dialect(subprotocol: subprotocol)
    }

    private func options(_ dialects: [BLIPDialect]) -> LinkOptions {
        var options = LinkOptions()
        options.application = "chat"
        options.dialects = dialects
        return options
    }

    private enum Answer: Equatable {
        case open(BLIPDialect, field: String?)
        case refused
    }

    /// What our server makes of a foreign client's request.
    private func answer(toOffer offer: String?, _ dialects: [BLIPDialect]) throws -> Answer {
        let now = MonotonicTime(nanoseconds: 0)
        var stack = try ProtocolStack.server(options: options(dialects), now: now)
        let field = offer.map { "Sec-WebSocket-Protocol: \($0)\r\n" } ?? ""
        let request =
            "GET / HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\(field)\r\n"
        Array(request.utf8).withUnsafeBytes { stack.receive($0, now: now) }
        let event = stack.nextEvent()
        var out = ByteQueue()
        while stack.nextOutgoing(into: &out) {}
        let text = String(decoding: out.takeAll(), as: UTF8.self)
        guard case .opened(let subprotocol, _) = event, let dialect = stack.dialect else {
            #expect(text.hasPrefix("HTTP/1.1 400 "))
            return .refused
        }
        #expect(text.contains("Sec-WebSocket-Protocol") == (subprotocol != nil))
        return .open(dialect, field: subprotocol)
    }

    /// What our client makes of a foreign server's answer.
    private func dialect(ofAnswer subprotocol: String?, to dialects: [BLIPDialect]) throws -> BLIPDialect {
        let now = MonotonicTime(nanoseconds: 0)
        let zeros = RandomSource { $0.initializeMemory(as: UInt8.self, repeating: 0) }
        var stack = try ProtocolStack.client(host: "h", options: options(dialects), random: zeros, now: now)
        let key = Base64.encode([UInt8](repeating: 0, count: WebSocketHandshake.keyByteCount))
        let field = subprotocol.map { "Sec-WebSocket-Protocol: \($0)\r\n" } ?? ""
        let answer =
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: \(WebSocketHandshake.acceptValue(forKey: key))\r\n\(field)\r\n"
        Array(answer.utf8).withUnsafeBytes { stack.receive($0, now: now) }
        switch stack.nextEvent() {
        case .opened: return try #require(stack.dialect)
        case .closed(let error): throw error
        default: throw LinkError.disconnected
        }
    }
}
