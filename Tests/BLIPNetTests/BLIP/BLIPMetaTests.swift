// Requests for the protocol itself in the dialects before BLIP_3: `Bye`, and those that we do not know.

import Testing

@testable import BLIPNet

@Suite struct BLIPMetaTests {
    static let dialects: [BLIPDialect] = [.blip2, .blip2013]

    /// Our `Bye` as the first request.
    private static func byeFrame(_ dialect: BLIPDialect) -> [UInt8] {
        let flags: [UInt8] = dialect == .blip2 ? [0x80, 0x01] : [0x40]
        return [1] + flags + [6, 1, 0] + Array("Bye\u{0}".utf8)
    }

    @Test("a Bye is a meta request, answered by the other side and told to nobody", arguments: dialects)
    func bye(dialect: BLIPDialect) throws {
        var client = BLIPConnection(dialect)
        var server = BLIPConnection(dialect)
        client.sayBye()
        client.sayBye()
        #expect(!client.isQuiet)
        let frames = client.allFrames()
        #expect(frames == [Self.byeFrame(dialect)])
        for frame in frames { try server.receive(frame) }
        let answers = server.allFrames()
        #expect(answers == [[1, 1, 0]])
        for frame in answers { try client.receive(frame) }
        #expect(client.isQuiet && client.allEvents().isEmpty && server.allEvents().isEmpty)
        #expect(client.disconnect() == [])
    }

    @Test("what is in flight is finished before the connection is quiet", arguments: dialects)
    func inFlight(dialect: BLIPDialect) throws {
        var client = BLIPConnection(dialect)
        var server = BLIPConnection(dialect)
        client.send("slow")
        server.send("other", [UInt8](repeating: 1, count: 40_000))
        let first = server.oneFrame() ?? []
        try client.receive(first)
        client.sayBye()
        for frame in client.allFrames() { try server.receive(frame) }
        for frame in server.allFrames() { try client.receive(frame) }
        // Both sides still owe an answer.
        #expect(client.nextEvent()?.request?.body.count == 40_000)
        #expect(!client.isQuiet)
        client.respond(to: 1, with: BLIPResponse())
        _ = server.nextEvent()
        server.respond(to: 1, with: BLIPResponse(body: .text("late")))
        for frame in client.allFrames() { try server.receive(frame) }
        #expect(!client.isQuiet)
        for frame in server.allFrames() { try client.receive(frame) }
        #expect(client.nextEvent()?.response?.response.bodyBytes == Array("late".utf8))
        #expect(server.nextEvent()?.response?.number == 1)
        #expect(client.isQuiet)
    }

    @Test("after the peer's Bye no request of ours begins", arguments: dialects)
    func afterBye(dialect: BLIPDialect) throws {
        var peer = Peer(dialect)
        var server = BLIPConnection(dialect)
        try server.receive(peer.frame(1, [.meta], data: [6, 1, 0] + Array("Bye\u{0}".utf8)))
        let number = server.send("echo")
        let failure = try #require(server.nextEvent()?.failure)
        #expect(failure.number == number && failure.error == .closedByPeer(code: 1001, reason: "Bye"))
        #expect(server.allFrames() == [[1, 1, 0]])
        // It has used up no number: ours are without gaps.
        server.sayBye()
        #expect(server.allFrames() == [Self.byeFrame(dialect)])
    }

    @Test("a peer that answers a Bye with an error, or never, ends as well", arguments: dialects)
    func refused(dialect: BLIPDialect) throws {
        var peer = Peer(dialect)
        var client = BLIPConnection(dialect)
        client.sayBye()
        _ = client.allFrames()
        try client.receive(peer.frame(1, [.error], data: [0]))
        #expect(client.isQuiet && client.allEvents().isEmpty)
        var other = BLIPConnection(dialect)
        other.sayBye()
        _ = other.allFrames()
        #expect(other.disconnect() == [] && other.allEvents().isEmpty)
    }

    @Test("other meta requests get 404, and no meta request asks for a sink", arguments: dialects)
    func unknown(dialect: BLIPDialect) throws {
        var peer = Peer(dialect)
        var server = BLIPConnection(dialect: dialect, limits: BLIPLimits()) { _ in
            Issue.record("asked for a sink")
            return nil
        }
        try server.receive(peer.frame(1, [.meta], data: [5, 1, 0] + Array("Hi\u{0}".utf8) + [1, 2]))
        try server.receive(peer.frame(2, [.meta, .noReply], data: [0]))
        #expect(server.allEvents().isEmpty)
        var client = BLIPConnection(dialect)
        client.send()
        _ = client.allFrames()
        let frames = server.allFrames()
        #expect(frames.count == 1)
        for frame in frames { try client.receive(frame) }
        #expect(client.nextEvent()?.response?.response.error == .notFound)
    }

    @Test("BLIP_3 has no meta requests: the bit means nothing, and no Bye is sent")
    func none() throws {
        var peer = Peer()
        var server = BLIPConnection()
        try server.receive(peer.frame([1, 0x80, 0x01], data: [0, 7]))
        #expect(server.nextEvent()?.request?.body == [7])
        server.respond(to: 1, with: BLIPResponse())
        _ = server.allFrames()
        server.sayBye()
        #expect(server.allFrames().isEmpty && server.isQuiet)
    }
}
