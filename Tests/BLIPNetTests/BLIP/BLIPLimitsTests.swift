// Each limit of PROTOCOL 3.4 in each dialect where it applies: what is just within it passes, one more is answered in
// the right way.

import Testing

@testable import BLIPNet

@Suite struct BLIPLimitsTests {
    @Test("a frame of 65,536 bytes is accepted, one more closes with 1009", arguments: BLIPDialect.all)
    func frameSize(dialect: BLIPDialect) throws {
        var peer = Peer(dialect)
        var server = BLIPConnection(dialect)
        let overhead = dialect.hasChecksum ? 7 : 3
        let largest = peer.frame(1, data: [0] + [UInt8](repeating: 1, count: 65_536 - overhead))
        #expect(largest.count == 65_536)
        try server.receive(largest)
        #expect(server.nextEvent()?.request != nil)
        let tooLarge = peer.frame(2, data: [0] + [UInt8](repeating: 1, count: 65_537 - overhead))
        #expect(closeCode { try server.receive(tooLarge) } == 1009)
    }

    @Test("we send no frame of more than 16 KiB", arguments: BLIPDialect.all)
    func ownFrameSize(dialect: BLIPDialect) {
        var client = BLIPConnection(dialect)
        client.send("bulk", [UInt8](repeating: 1, count: 60_000))
        #expect(client.allFrames().map(\.count).max() == 16_376)
    }

    @Test(
        "properties of 100 KiB are accepted, one byte more gets error 400 and stalls nobody", arguments: [0, 1],
        BLIPDialect.all)
    func properties(more: Int, dialect: BLIPDialect) throws {
        var client = BLIPConnection(dialect)
        var peer = Peer(dialect)
        var server = BLIPConnection(dialect)
        let count = 102_400 + more
        var data: [UInt8] = []
        Varint.append(UInt64(count), to: &data)
        data += [UInt8(ascii: "n"), 0] + [UInt8](repeating: UInt8(ascii: "v"), count: count - 3) + [0, 9]
        try server.receive(peer.frame(1, [.more], data: Array(data[..<60_000])))
        try server.receive(peer.frame(2, data: [0, 5]))
        try server.receive(peer.frame(1, data: Array(data[60_000...])))
        let requests = server.allEvents().compactMap(\.request)
        #expect(requests.map(\.number) == (more == 0 ? [2, 1] : [2]))
        #expect(errors(of: &server, sentTo: &client, requests: 2) == (more == 0 ? [:] : [1: .badRequest]))
    }

    @Test("properties of ours that are too large, or hold a NUL, fail their request only", arguments: BLIPDialect.all)
    func ownProperties(dialect: BLIPDialect) throws {
        var client = BLIPConnection(dialect)
        var server = BLIPConnection(dialect)
        var request = BLIPRequest(profile: "p")
        request.properties["Long"] = String(repeating: "x", count: 102_400)
        let long = client.send(request, sink: nil, noReply: false)
        request.properties["Long"] = "a\u{0}b"
        let nul = client.send(request, sink: nil, noReply: false)
        let good = client.send()
        let failures = client.allEvents().compactMap(\.failure)
        #expect(failures.map(\.number) == [long, nul])
        for frame in client.allFrames() { try server.receive(frame) }
        let requests = server.allEvents().compactMap(\.request)
        #expect(requests.map(\.isNoReply) == [true, true, false])
        server.respond(to: good, with: BLIPResponse(properties: ["Bad": "\u{0}"]))
        for frame in server.allFrames() { try client.receive(frame) }
        #expect(client.nextEvent()?.response?.response.error == .handlerFailed)
    }

    @Test("64 unfinished messages are accepted, one more gets error 429 behind its end", arguments: BLIPDialect.all)
    func openMessages(dialect: BLIPDialect) throws {
        var peer = Peer(dialect)
        var server = BLIPConnection(dialect)
        for number: UInt64 in 1...64 { try server.receive(peer.frame(number, [.more], data: [0])) }
        #expect(server.openIncoming == 64)
        // A message in one frame is never unfinished.
        try server.receive(peer.frame(65, data: [0]))
        let part = [UInt8](repeating: 1, count: 60_000)
        try server.receive(peer.frame(66, [.more], data: [0] + part))
        try server.receive(peer.frame(66, [.more], data: part))
        #expect(server.openIncoming == 64 && server.bufferedIncomingBytes == 0)
        // Its sender must be able to come to the end.
        #expect(
            server.allFrames().compactMap { FrameOnWire($0, dialect)?.acknowledged != nil }.contains(true)
                == dialect.hasAcks)
        try server.receive(peer.frame(66, data: [1]))
        try server.receive(peer.frame(1, data: [2]))
        try server.receive(peer.frame(67, [.more], data: [0]))
        try server.receive(peer.frame(67, data: [3]))
        #expect(server.allEvents().compactMap(\.request).map(\.number) == [65, 1, 67])
        var client = BLIPConnection(dialect)
        #expect(errors(of: &server, sentTo: &client, requests: 67) == [66: .tooManyRequests])
    }

    @Test("a response beyond the limit fails its request and nothing else", arguments: BLIPDialect.all)
    func openResponses(dialect: BLIPDialect) throws {
        var limits = BLIPLimits()
        limits.maxOpenIncoming = 2
        var peer = Peer(dialect)
        var client = BLIPConnection(dialect, limits: limits)
        for _ in 1...3 { client.send() }
        _ = client.allFrames()
        for number: UInt64 in 1...3 { try client.receive(peer.frame(number, [.response, .more], data: [0, 1])) }
        for number: UInt64 in 1...3 { try client.receive(peer.frame(number, [.response], data: [2])) }
        let events = client.allEvents()
        #expect(events.compactMap(\.failure).map(\.number) == [3])
        #expect(events.compactMap(\.response).map(\.response.bodyBytes) == [[1, 2], [1, 2]])
    }

    @Test("who begins messages without an end is closed with 1008 after some hundred more", arguments: BLIPDialect.all)
    func endlessMessages(dialect: BLIPDialect) throws {
        var peer = Peer(dialect)
        var server = BLIPConnection(dialect)
        var begun: UInt64 = 0
        var code: UInt16?
        while code == nil, begun < 2_000 {
            begun += 1
            let frame = peer.frame(begun, [.more], data: [0])
            code = closeCode { try server.receive(frame) }
        }
        #expect(code == 1008 && begun > 1_000)
        #expect(server.openIncoming == 64)
    }

    @Test("we never have more than 64 unfinished messages under way", arguments: BLIPDialect.all)
    func ownOpenMessages(dialect: BLIPDialect) throws {
        var client = BLIPConnection(dialect)
        var server = BLIPConnection(dialect)
        for _ in 0..<200 { client.send("bulk", [UInt8](repeating: 1, count: 40_000)) }
        while client.hasOutgoing {
            for frame in client.allFrames() { try server.receive(frame) }
            for frame in server.allFrames() { try client.receive(frame) }
        }
        #expect(server.allEvents().compactMap(\.request).map(\.number).sorted() == Array(1...200))
    }

    @Test(
        "a body of the limit is collected; one byte more gets error 413, and a sink has no limit", arguments: [0, 1],
        BLIPDialect.all)
    func bufferedBody(more: Int, dialect: BLIPDialect) throws {
        var limits = BLIPLimits()
        limits.maxBufferedBody = 100_000
        var client = BLIPConnection(dialect)
        var server = BLIPConnection(dialect: dialect, limits: limits) {
            $0.properties.profile == "file" ? MemorySink() : nil
        }
        let body = [UInt8](repeating: 3, count: 100_000 + more)
        client.send("echo", body)
        client.send("echo", [1])
        client.send("file", body)
        for frame in client.allFrames() { try server.receive(frame) }
        let requests = server.allEvents().compactMap(\.request)
        #expect(requests.map(\.number).sorted() == (more == 0 ? [1, 2, 3] : [2, 3]))
        #expect((requests.first { $0.number == 3 }?.sink as? MemorySink)?.bytes == body)
        var other = BLIPConnection(dialect)
        #expect(errors(of: &server, sentTo: &other, requests: 3) == (more == 0 ? [:] : [1: .tooLarge]))
        #expect(server.bufferedIncomingBytes == 0)
    }

    @Test("a response over the limit fails its request only", arguments: BLIPDialect.all)
    func bufferedResponse(dialect: BLIPDialect) throws {
        var limits = BLIPLimits()
        limits.maxBufferedBody = 50_000
        var client = BLIPConnection(dialect, limits: limits)
        var server = BLIPConnection(dialect)
        for _ in 1...2 { client.send() }
        for frame in client.allFrames() { try server.receive(frame) }
        server.respond(to: 1, with: BLIPResponse(body: .bytes([UInt8](repeating: 1, count: 50_001))))
        server.respond(to: 2, with: BLIPResponse(body: .bytes([UInt8](repeating: 2, count: 50_000))))
        for frame in server.allFrames() { try client.receive(frame) }
        let events = client.allEvents()
        #expect(events.compactMap(\.failure).map(\.number) == [1])
        #expect(events.compactMap(\.response).map(\.number) == [2])
    }

    @Test("the bytes of all unfinished messages together are bounded", arguments: BLIPDialect.all)
    func bufferedTotal(dialect: BLIPDialect) throws {
        var limits = BLIPLimits()
        limits.maxBufferedBytes = 100_000
        var peer = Peer(dialect)
        var client = BLIPConnection(dialect)
        var server = BLIPConnection(dialect, limits: limits)
        let part = [UInt8](repeating: 1, count: 50_000)
        try server.receive(peer.frame(1, [.more], data: [0] + part))
        try server.receive(peer.frame(2, [.more], data: [0] + part))
        #expect(server.bufferedIncomingBytes == 100_000)
        try server.receive(peer.frame(3, [.more], data: [0, 7]))
        try server.receive(peer.frame(3, data: part))
        try server.receive(peer.frame(1, data: []))
        #expect(server.bufferedIncomingBytes == 50_000)
        try server.receive(peer.frame(4, data: [0] + part))
        #expect(server.allEvents().compactMap(\.request).map(\.number) == [1, 4])
        #expect(errors(of: &server, sentTo: &client, requests: 4) == [3: .tooLarge])
    }

    @Test("a compressed frame may unpack to the limit; one byte more closes with 1009", arguments: [0, 1])
    func inflated(more: Int) throws {
        var limits = BLIPLimits()
        limits.maxInflatedFrame = 1_000_000
        limits.maxFrameIn = 65_536
        var server = BLIPConnection(limits: limits)
        var packer = Packer()
        let frame = packer.frame(1, [UInt8](repeating: 0, count: 1_000_000 + more))
        #expect(frame.count < 2_000)
        #expect(closeCode { try server.receive(frame) } == (more == 0 ? nil : 1009))
        #expect(server.allEvents().count == 1 - more)
    }

    @Test(
        "a compressed body may unpack to the limit in one frame; one byte more gets error 413", arguments: [0, 1],
        [BLIPDialect.blip2, .blip2013])
    func inflatedBody(more: Int, dialect: BLIPDialect) throws {
        var limits = BLIPLimits()
        limits.maxInflatedFrame = 1_000_000
        var client = BLIPConnection(dialect)
        var server = BLIPConnection(dialect, limits: limits)
        client.send("echo", [UInt8](repeating: 0, count: 1_000_000 + more), compressed: true)
        client.send("echo", [1])
        var data: [UInt8] = []
        for frame in client.allFrames() {
            let seen = try #require(FrameOnWire(frame, dialect))
            if seen.number == 1 { data += frame.suffix(seen.byteCount) }
        }
        // As one frame: ours are shorter than what they could hold.
        var peer = Peer(dialect)
        try server.receive(peer.frame(1, [.compressed], data: data))
        try server.receive(peer.frame(2, data: [0, 1]))
        #expect(server.allEvents().compactMap(\.request).map(\.number) == (more == 0 ? [1, 2] : [2]))
        var other = BLIPConnection(dialect)
        #expect(errors(of: &server, sentTo: &other, requests: 2) == (more == 0 ? [:] : [1: .tooLarge]))
        #expect(server.bufferedIncomingBytes == 0)
    }

    @Test("what a stranger's frames unpack to is bounded in all; one byte more closes with 1009", arguments: [0, 1])
    func unpackedByStranger(more: Int) throws {
        var limits = BLIPLimits()
        limits.maxInflatedFrame = 100_000
        limits.maxUnpackedBeforeAdmission = 150_000
        var packer = Packer()
        let first = packer.frame(1, [UInt8](repeating: 0, count: 90_000))
        let second = packer.frame(2, [UInt8](repeating: 0, count: 60_000 + more))
        for isAdmitted in [false, true] {
            var server = BLIPConnection(limits: limits)
            if isAdmitted { server.admit() }
            try server.receive(first)
            #expect(closeCode { try server.receive(second) } == (more == 0 || isAdmitted ? nil : 1009))
            #expect(server.allEvents().count == (more == 0 || isAdmitted ? 2 : 1))
        }
    }

    @Test(
        "the same where bodies are packed: error 413, and nothing more is unpacked",
        arguments: [BLIPDialect.blip2, .blip2013])
    func bodiesOfStranger(dialect: BLIPDialect) throws {
        var limits = BLIPLimits()
        limits.maxUnpackedBeforeAdmission = 150_000
        var client = BLIPConnection(dialect)
        var server = BLIPConnection(dialect, limits: limits)
        for _ in 1...3 { client.send("echo", [UInt8](repeating: 0, count: 90_000), compressed: true) }
        client.send("echo", [1])
        for frame in client.allFrames() { try server.receive(frame) }
        #expect(server.allEvents().compactMap(\.request).map(\.number).sorted() == [1, 4])
        var other = BLIPConnection(dialect)
        #expect(errors(of: &server, sentTo: &other, requests: 4) == [2: .tooLarge, 3: .tooLarge])
        server.admit()
        client.send("echo", [UInt8](repeating: 0, count: 90_000), compressed: true)
        for frame in client.allFrames() { try server.receive(frame) }
        #expect(server.allEvents().compactMap(\.request).map(\.number) == [5])
    }

    @Test("more than the rate may unpack to is read later", arguments: BLIPDialect.all)
    func unpackedPerSecond(dialect: BLIPDialect) throws {
        var limits = BLIPLimits()
        limits.maxUnpackedPerSecond = 100_000
        var client = BLIPConnection(dialect)
        var server = BLIPConnection(dialect, limits: limits)
        client.send("echo", [UInt8](repeating: 0, count: 300_000), compressed: true)
        // Plain data costs nothing here.
        client.send("echo", [UInt8](repeating: 0, count: 300_000))
        var now = MonotonicTime(nanoseconds: 0)
        var pauses = 0
        for _ in 0..<1_000 where server.unansweredRequests < 2 {
            while !server.defersFrames, let frame = client.oneFrame() { try server.receive(frame, second: 0) }
            for ack in server.allFrames() { try client.receive(ack) }
            guard server.defersFrames else { continue }
            pauses += 1
            #expect(server.isReadingPaused)
            // Other deadlines, such as that of an ACK that is repeated, may come before it.
            while server.defersFrames {
                now = try #require(server.deadline)
                server.handleTimeout(now: now)
            }
            #expect(!server.isReadingPaused)
        }
        #expect(pauses > 0)
        #expect(server.allEvents().compactMap(\.request).allSatisfy { $0.body.count == 300_000 })
        #expect(now >= MonotonicTime(nanoseconds: 1_500_000_000))
    }

    @Test("a peer that never reads its replies cannot make us hold more than the limit", arguments: BLIPDialect.all)
    func unreadReplies(dialect: BLIPDialect) throws {
        var peer = Peer(dialect)
        var client = BLIPConnection(dialect)
        var server = try unreadReplies(&peer)
        let expected = Dictionary(uniqueKeysWithValues: (4...10).map { (UInt64($0), BLIPErrorCode.tooManyRequests) })
        #expect(errors(of: &server, sentTo: &client, requests: 10) == expected)
        try server.receive(peer.frame(11, data: [0]))
        #expect(server.nextEvent()?.request?.number == 11)

        var otherPeer = Peer(dialect)
        var other = try unreadReplies(&otherPeer)
        let oneMore = otherPeer.frame(11, data: [0])
        #expect(closeCode { try other.receive(oneMore) } == 1008)
    }

    /// Ten requests, none of whose replies was read; the first three are answered with 40,000 bytes each.
    private func unreadReplies(_ peer: inout Peer) throws -> BLIPConnection {
        var limits = BLIPLimits()
        limits.maxQueuedReplyBytes = 100_000
        limits.maxUnanswered = 10
        var server = BLIPConnection(peer.dialect, limits: limits)
        let reply = BLIPResponse(body: .bytes([UInt8](repeating: 1, count: 40_000)))
        for number: UInt64 in 1...10 {
            try server.receive(peer.frame(number, data: [0]))
            if number <= 3 { server.respond(to: number, with: reply) }
        }
        #expect(server.allEvents().compactMap(\.request).map(\.number) == [1, 2, 3])
        return server
    }

    @Test(
        "a partial request is dropped after 60 s; its late end gets an error, and others are not touched",
        arguments: BLIPDialect.all)
    func partialRequest(dialect: BLIPDialect) throws {
        var peer = Peer(dialect)
        var client = BLIPConnection(dialect)
        var server = BLIPConnection(dialect)
        #expect(server.deadline == nil)
        try server.receive(peer.frame(1, [.more], data: [0, 1]), second: 10)
        try server.receive(peer.frame(2, [.more], data: [0, 2]), second: 30)
        #expect(server.deadline == MonotonicTime(nanoseconds: 70_000_000_000))
        server.handleTimeout(now: MonotonicTime(nanoseconds: 69_999_999_999))
        #expect(server.openIncoming == 2)
        server.handleTimeout(now: MonotonicTime(nanoseconds: 70_000_000_000))
        #expect(server.openIncoming == 1 && server.bufferedIncomingBytes == 1)
        #expect(server.deadline == MonotonicTime(nanoseconds: 90_000_000_000))
        try server.receive(peer.frame(1, [.more], data: [3]), second: 80)
        try server.receive(peer.frame(1, data: [4]), second: 81)
        try server.receive(peer.frame(2, data: [5]), second: 82)
        #expect(server.allEvents().compactMap(\.request).map(\.body) == [[2, 5]])
        #expect(server.deadline == nil && server.openIncoming == 0)
        #expect(errors(of: &server, sentTo: &client, requests: 2) == [1: .unspecified])
    }

    @Test("a response that stops arriving fails its request", arguments: BLIPDialect.all)
    func partialResponse(dialect: BLIPDialect) throws {
        var peer = Peer(dialect)
        var client = BLIPConnection(dialect)
        client.send()
        _ = client.allFrames()
        try client.receive(peer.frame(1, [.response, .more], data: [0, 1]), second: 0)
        client.handleTimeout(now: MonotonicTime(nanoseconds: 60_000_000_000))
        let failure = try #require(client.nextEvent()?.failure)
        #expect(failure.number == 1 && failure.error == .timedOut("reply"))
        try client.receive(peer.frame(1, [.response], data: [2]), second: 70)
        #expect(client.allEvents().isEmpty && client.openIncoming == 0 && client.disconnect() == [])
    }

    private func closeCode(_ body: () throws -> Void) -> UInt16? {
        do { try body() } catch { return (error as? BLIPViolation)?.closeCode }
        return nil
    }

    /// Delivers what `server` has to send to a client that made `requests` requests; the error responses among it.
    private func errors(
        of server: inout BLIPConnection, sentTo client: inout BLIPConnection, requests: Int
    ) -> [UInt64: BLIPErrorCode] {
        for _ in 0..<requests { client.send() }
        _ = client.allFrames()
        var codes: [UInt64: BLIPErrorCode] = [:]
        for frame in server.allFrames() {
            #expect(closeCode { try client.receive(frame) } == nil)
            for event in client.allEvents() {
                if let (number, response) = event.response { codes[number] = response.error }
            }
        }
        return codes
    }
}

/// A peer that puts as much into a frame as it likes; ours stop at 16 KiB of data.
private struct Packer {
    private var checksum = FrameChecksum()
    private let deflater = FrameDeflater(level: 9)

    /// The only frame of a request, compressed.
    mutating func frame(_ number: UInt8, _ data: [UInt8]) -> [UInt8] {
        data.withUnsafeBytes { checksum.update($0) }
        var room = [UInt8](repeating: 0, count: 4_096)
        let count = data.withUnsafeBytes { input in room.withUnsafeMutableBytes { deflater.deflate(input, into: $0) } }
        let value = checksum.value
        return [number, 8] + room[..<count] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
    }
}
