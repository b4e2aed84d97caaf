// Flow control, frame sizes, replies, cancelling and the end of a connection.

import TestSupport
import Testing

@testable import BLIPNet

@Suite struct BLIPFlowTests {
    @Test("pauses at the window and goes on with an ACK")
    func window() throws {
        var client = BLIPConnection()
        client.send("sink", [UInt8](repeating: 1, count: 400_000))
        let first = client.allFrames()
        let sent = first.compactMap { FrameOnWire($0)?.byteCount }.reduce(0, +)
        #expect(sent >= 128_000 && sent < 128_000 + 16_376)
        #expect(!client.hasOutgoing)
        // Nonsense changes nothing: another message, beyond what was sent, nothing new.
        try client.receive(ack(2, 50_000))
        try client.receive(ack(1, UInt64(sent) + 1))
        try client.receive(ack(1, 0))
        #expect(!client.hasOutgoing)
        // 128,000 or more are still under way.
        try client.receive(ack(1, UInt64(sent) - 128_000))
        #expect(!client.hasOutgoing)
        try client.receive(ack(1, UInt64(sent) - 127_999))
        #expect(client.allFrames().count == 1)
        try client.receive(ack(1, UInt64(sent)))
        #expect(client.allFrames().count == 7)
    }

    @Test("a paused message holds nothing else up")
    func pausedAlone() {
        var client = BLIPConnection()
        client.send("sink", [UInt8](repeating: 1, count: 400_000))
        _ = client.allFrames()
        client.send("echo", [1])
        #expect(client.allFrames().compactMap { FrameOnWire($0)?.number } == [2])
    }

    @Test("ACKs go ahead of messages, and a later one replaces one that waits")
    func acksFirst() throws {
        var client = BLIPConnection()
        var server = BLIPConnection()
        client.send("sink", [UInt8](repeating: 1, count: 400_000))
        for frame in client.allFrames() { try server.receive(frame) }
        server.send("echo", [1])
        let frames = server.allFrames().compactMap(FrameOnWire.init)
        #expect(frames.map(\.acknowledged) == [114_618, nil])
        #expect(frames[0].flags == 0x34)
        for frame in client.allFrames() { try server.receive(frame) }
        #expect(server.allFrames().isEmpty)
    }

    @Test("frames shrink for normal messages only, and only while an urgent one waits")
    func smallFrames() {
        var client = BLIPConnection()
        client.send("bulk", [UInt8](repeating: 1, count: 100_000))
        client.send("text", [UInt8](repeating: 2, count: 100_000))
        #expect(client.oneFrame()?.count == 16_376)
        #expect(client.oneFrame()?.count == 16_376)
        client.send("now", [UInt8](repeating: 3, count: 20_000), urgent: true)
        let sizes = (0..<6).compactMap { _ in client.oneFrame()?.count }
        #expect(sizes[0] == 4_096)
        #expect(sizes[1] == 16_376)
        #expect(sizes[2] == 4_096)
        #expect(sizes[4] == 16_376 && sizes[5] == 16_376)
    }

    @Test("a response is as urgent as its request; a no-reply request gets none of any kind")
    func replies() throws {
        var client = BLIPConnection()
        var server = BLIPConnection()
        client.send(urgent: true)
        client.send()
        client.send(noReply: true)
        for frame in client.allFrames() { try server.receive(frame) }
        for number: UInt64 in [3, 2, 1, 1, 77] { server.respond(to: number, with: .failure(.notFound, "none")) }
        let frames = server.allFrames().compactMap(FrameOnWire.init)
        #expect(frames.map(\.number).sorted() == [1, 2])
        #expect(frames.filter(\.isUrgent).map(\.number) == [1])
        #expect(frames.allSatisfy { $0.type == 2 })
        #expect(server.unansweredRequests == 0)
    }

    @Test("a malformed no-reply request gets no error reply")
    func malformedNoReply() throws {
        var server = BLIPConnection()
        try server.receive(frame([1, 0x20], data: [3, 65, 0, 66]))
        #expect(server.allEvents().isEmpty && !server.hasOutgoing)
    }

    @Test("error responses carry domain and code, of any size")
    func errors() throws {
        var client = BLIPConnection()
        var server = BLIPConnection()
        let sink = MemorySink()
        client.send(sink: sink)
        for frame in client.allFrames() { try server.receive(frame) }
        let text = String(repeating: "no ", count: 30_000)
        server.respond(to: 1, with: .failure(BLIPErrorCode(domain: "chat", code: -17), text))
        for frame in server.allFrames() { try client.receive(frame) }
        let response = try #require(client.nextEvent()?.response?.response)
        #expect(response.error == BLIPErrorCode(domain: "chat", code: -17))
        #expect(response.bodyBytes == Array(text.utf8))
        #expect(sink.bytes.isEmpty)
    }

    @Test("an error without domain is of domain BLIP, one without a decimal code is unspecified")
    func errorDefaults() {
        #expect(BLIPErrorCode(properties: ["Error-Code": "404"]) == .notFound)
        for code in ["", "+5", "5 ", "99999999999", "x"] {
            #expect(BLIPErrorCode(properties: ["Error-Code": code]) == .unspecified)
        }
        #expect(BLIPErrorCode(properties: [:]) == .unspecified)
    }

    @Test("takes a response that begins before the request's end was sent")
    func earlyResponse() throws {
        var client = BLIPConnection()
        client.send("sink", [UInt8](repeating: 1, count: 50_000))
        _ = client.oneFrame()
        try client.receive(frame([1, 1], data: [0, 65]))
        #expect(client.nextEvent()?.response?.response.bodyBytes == [65])
        #expect(client.allFrames().last.flatMap(FrameOnWire.init)?.hasMore == false)
    }

    @Test("a request cancelled before it began leaves an empty no-reply request under its number")
    func cancelNew() throws {
        var client = BLIPConnection()
        var server = BLIPConnection()
        client.send("echo", [1])
        let cancelled = client.send("echo", [UInt8](repeating: 2, count: 90_000), compressed: true)
        client.send("echo", [3])
        client.cancel(cancelled)
        for frame in client.allFrames() { try server.receive(frame) }
        let requests = server.allEvents().compactMap(\.request)
        #expect(requests.map(\.number) == [1, 2, 3])
        #expect(requests.map(\.body) == [[1], [], [3]])
        #expect(requests[1].isNoReply && requests[1].properties.isEmpty)
        #expect(client.disconnect() == [1, 3])
    }

    @Test("frames of a cancelled response are swallowed and acknowledged, and later messages are read")
    func cancelLate() throws {
        var client = BLIPConnection()
        var server = BLIPConnection()
        let sink = MemorySink()
        let bulk = client.send(sink: sink)
        let other = client.send()
        for frame in client.allFrames() { try server.receive(frame) }
        var random = SeededGenerator(seed: 1)
        server.respond(to: bulk, with: BLIPResponse(body: .bytes(random.bytes(200_000)), compressed: true))
        for _ in 0..<2 { try client.receive(server.oneFrame() ?? []) }
        let taken = sink.bytes.count
        #expect(taken > 0)
        client.cancel(bulk)
        server.respond(to: other, with: BLIPResponse(body: .text("hello"), compressed: true))
        while server.hasOutgoing {
            for frame in server.allFrames() { try client.receive(frame) }
            for ack in client.allFrames() { try server.receive(ack) }
        }
        #expect(server.queuedMessages == 0 && client.openIncoming == 0)
        #expect(sink.bytes.count == taken)
        let responses = client.allEvents().compactMap(\.response)
        #expect(responses.map(\.number) == [other])
    }

    @Test("a reply to a no-reply request, or a second reply, is ignored")
    func unwanted() throws {
        var client = BLIPConnection()
        client.send(noReply: true)
        client.send()
        _ = client.allFrames()
        var peer = Peer()
        try client.receive(peer.frame([1, 1], data: [0, 65]))
        try client.receive(peer.frame([2, 1], data: [0, 66]))
        try client.receive(peer.frame([2, 1], data: [0, 67]))
        #expect(client.allEvents().compactMap(\.response).map(\.number) == [2])
        #expect(throws: BLIPViolation.self) { try client.receive(peer.frame([3, 1], data: [0])) }
    }

    @Test("a response to a request that waits in the outbox is a violation")
    func tooEarlyResponse() {
        var client = BLIPConnection()
        client.send()
        #expect(throws: BLIPViolation.self) { try client.receive(frame([1, 1], data: [0])) }
    }

    @Test("the end of the connection fails what waits, and what is sent later")
    func disconnect() throws {
        var client = BLIPConnection()
        client.send()
        client.send(noReply: true)
        client.send()
        _ = client.oneFrame()
        #expect(client.disconnect() == [1, 3])
        #expect(client.disconnect() == [])
        #expect(!client.hasOutgoing && client.oneFrame() == nil)
        let late = client.send()
        let failure = try #require(client.nextEvent()?.failure)
        #expect(failure.number == late && failure.error == .disconnected)
        try client.receive(frame([1, 0], data: [0]))
        #expect(client.nextEvent() == nil)
    }

    private func ack(_ number: UInt64, _ count: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        Varint.append(number, to: &bytes)
        bytes.append(0x34)
        Varint.append(count, to: &bytes)
        return bytes
    }

    /// The first uncompressed frame of a connection.
    private func frame(_ header: [UInt8], data: [UInt8]) -> [UInt8] {
        var peer = Peer()
        return peer.frame(header, data: data)
    }
}
