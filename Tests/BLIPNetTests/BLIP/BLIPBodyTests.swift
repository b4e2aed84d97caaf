// Bodies that come from sources and go to sinks, and those that fail on the way.

import TestSupport
import Testing

@testable import BLIPNet

@Suite struct BLIPBodyTests {
    @Test("a source is read as the frames go out, and its end is found", arguments: [0, 1, 16_361, 16_362, 32_000])
    func source(count: Int) throws {
        var client = BLIPConnection()
        var server = BLIPConnection()
        var random = SeededGenerator(seed: 3)
        let body = random.bytes(count)
        client.send(MemorySource(body, piece: 1_000))
        for frame in client.allFrames() { try server.receive(frame) }
        #expect(server.nextEvent()?.request?.body == body)
    }

    @Test("a source that throws at once fails its request; the number goes out as an empty no-reply request")
    func requestThrowsAtOnce() throws {
        var client = BLIPConnection()
        var server = BLIPConnection()
        let number = client.send(MemorySource([], failsAfter: 0))
        client.send("echo", [1])
        for frame in client.allFrames() { try server.receive(frame) }
        let failure = try #require(client.nextEvent()?.failure)
        #expect(failure.number == number)
        guard case .bodyFailed = failure.error else {
            Issue.record("failed with \(failure.error)")
            return
        }
        let requests = server.allEvents().compactMap(\.request)
        #expect(requests.map(\.isNoReply) == [true, false])
        #expect(client.disconnect() == [2])
    }

    @Test("a source that throws in the middle never looks like a complete body")
    func requestThrowsLater() throws {
        var client = BLIPConnection()
        var server = BLIPConnection()
        client.send(MemorySource([UInt8](repeating: 1, count: 90_000), failsAfter: 40_000))
        client.send("echo", [1])
        for frame in client.allFrames() { try server.receive(frame) }
        #expect(client.nextEvent()?.failure?.number == 1)
        #expect(server.allEvents().compactMap(\.request).map(\.number) == [2])
        #expect(server.openIncoming == 1)
        server.handleTimeout(now: MonotonicTime(nanoseconds: 60_000_000_000))
        #expect(server.openIncoming == 0)
        #expect(!client.hasOutgoing && client.disconnect() == [2])
    }

    @Test("a response whose source throws at once becomes error 501")
    func responseThrowsAtOnce() throws {
        var client = BLIPConnection()
        var server = BLIPConnection()
        client.send()
        for frame in client.allFrames() { try server.receive(frame) }
        server.respond(
            to: 1, with: BLIPResponse(body: .source(MemorySource([1, 2], failsAfter: 1)), compressed: true))
        for frame in server.allFrames() { try client.receive(frame) }
        let response = try #require(client.nextEvent()?.response?.response)
        #expect(response.error == .handlerFailed)
        #expect(server.queuedMessages == 0)
    }

    @Test("a sink that throws gets its request error 501 after the last frame, and nobody else anything")
    func requestSinkThrows() throws {
        var client = BLIPConnection()
        var server = BLIPConnection(dialect: .blip3, limits: BLIPLimits()) { head in
            head.properties.profile == "bad" ? MemorySink(failsAfter: 20_000) : nil
        }
        client.send("bad", [UInt8](repeating: 1, count: 200_000))
        client.send("echo", [1])
        let first = client.allFrames()
        for frame in first { try server.receive(frame) }
        let early = server.allFrames()
        #expect(early.compactMap { FrameOnWire($0)?.acknowledged }.count == early.count)
        for frame in early { try client.receive(frame) }
        for frame in client.allFrames() { try server.receive(frame) }
        for frame in server.allFrames() { try client.receive(frame) }
        let response = try #require(client.nextEvent()?.response)
        #expect(response.number == 1 && response.response.error == .handlerFailed)
        #expect(server.allEvents().compactMap(\.request).map(\.number) == [2])
    }

    @Test("a sink that throws fails the request whose response it takes")
    func responseSinkThrows() throws {
        var client = BLIPConnection()
        var server = BLIPConnection()
        client.send(sink: MemorySink(failsAfter: 10))
        client.send()
        for frame in client.allFrames() { try server.receive(frame) }
        server.respond(to: 1, with: BLIPResponse(body: .bytes([UInt8](repeating: 1, count: 50_000))))
        server.respond(to: 2, with: BLIPResponse(body: .bytes([2])))
        for frame in server.allFrames() { try client.receive(frame) }
        let events = client.allEvents()
        #expect(events.compactMap(\.failure).map(\.number) == [1])
        #expect(events.compactMap(\.response).map(\.number) == [2])
    }

    @Test("the sink gets the bytes in order, whole and before they are acknowledged")
    func sink() throws {
        var random = SeededGenerator(seed: 4)
        let body = random.bytes(300_000)
        var client = BLIPConnection()
        var server = BLIPConnection(dialect: .blip3, limits: BLIPLimits()) { _ in MemorySink() }
        client.send("file", body, compressed: true)
        while client.hasOutgoing {
            for frame in client.allFrames() { try server.receive(frame) }
            for frame in server.allFrames() { try client.receive(frame) }
        }
        let request = try #require(server.nextEvent()?.request)
        #expect((request.sink as? MemorySink)?.bytes == body)
        #expect(request.body.isEmpty)
    }
}
