// Bodies that are compressed by themselves: one gzip member per message, as the dialects before BLIP_3 have it.

import TestSupport
import Testing

@testable import BLIPNet

@Suite struct BLIPBodyCompressionTests {
    static let dialects: [BLIPDialect] = [.blip2, .blip2013]

    @Test("bodies of any size come back, from memory and from a source, into memory and into a sink", arguments: 1...6)
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for count in [1, 200, 16_000, 70_000, 400_000] {
            let body = random.bytes(count, alphabet: seed % 2 == 0 ? 255 : 3)
            let dialect = Self.dialects[Int(seed / 2) % 2]
            let sink = MemorySink()
            var client = BLIPConnection(dialect)
            var server = BLIPConnection(dialect: dialect, limits: BLIPLimits()) {
                $0.properties.profile == "file" ? sink : nil
            }
            client.send("echo", body, compressed: true)
            let source = MemorySource(body, piece: Int.random(in: 1...20_000, using: &random))
            let request = BLIPRequest(profile: "file", body: .source(source), compressed: true)
            _ = client.send(request, sink: nil, noReply: false)
            try exchange(&client, &server)
            let requests = server.allEvents().compactMap(\.request)
            #expect(requests.first { $0.number == 1 }?.body == body)
            #expect(sink.bytes == body)
            #expect(server.bufferedIncomingBytes == 0)
        }
    }

    @Test("an empty body is no bytes, from memory and from a source", arguments: dialects)
    func empty(dialect: BLIPDialect) throws {
        var client = BLIPConnection(dialect)
        var server = BLIPConnection(dialect)
        client.send("p", [], compressed: true)
        let streamed = BLIPRequest(profile: "p", body: .source(MemorySource([])), compressed: true)
        _ = client.send(streamed, sink: nil, noReply: false)
        let compressed = UInt8(dialect.flags.compressed)
        let frames = client.allFrames()
        #expect(frames == [[1, compressed, 4, 1, 0, 0x70, 0], [2, compressed, 4, 1, 0, 0x70, 0]])
        for frame in frames { try server.receive(frame) }
        #expect(server.allEvents().compactMap(\.request).map(\.body) == [[], []])
    }

    @Test("the properties stay plain, and the member says nothing about when and where it was made")
    func header() throws {
        var client = BLIPConnection(.blip2013)
        client.send("p", Array("hello hello hello".utf8), compressed: true)
        let frame = client.oneFrame() ?? []
        #expect(Array(frame.prefix(7)) == [1, 4, 4, 1, 0, 0x70, 0])
        // Magic, deflate, no flags, no time (RFC 1952 section 2.3).
        #expect(Array(frame[7..<15]) == [0x1F, 0x8B, 8, 0, 0, 0, 0, 0])
    }

    @Test("a member that ends exactly with a frame needs no other", arguments: dialects)
    func exactFrame(dialect: BLIPDialect) throws {
        var random = SeededGenerator(seed: 9)
        let body = random.bytes(3_000)
        var whole = BLIPConnection(dialect)
        whole.send("p", body, compressed: true)
        let size = whole.oneFrame()?.count ?? 0
        for change in -1...1 {
            var limits = BLIPLimits()
            limits.frameOut = size + change
            var client = BLIPConnection(dialect, limits: limits)
            var server = BLIPConnection(dialect)
            client.send("p", body, compressed: true)
            let frames = client.allFrames()
            #expect(frames.count == (change < 0 ? 2 : 1))
            for frame in frames { try server.receive(frame) }
            #expect(server.nextEvent()?.request?.body == body)
        }
    }

    @Test("gigabytes of zeros are packed a little at a time: no frame reads more than 128 KiB of them")
    func boundedWork() throws {
        let source = CountingZeros(8 << 20)
        var client = BLIPConnection(.blip2013)
        let request = BLIPRequest(profile: "p", body: .source(source), compressed: true)
        _ = client.send(request, sink: nil, noReply: false)
        var last = 0
        var frames = 0
        while client.oneFrame() != nil {
            frames += 1
            #expect(source.count - last <= BodyDeflater.maxInputPerFrame)
            last = source.count
        }
        #expect(frames >= 64 && last == 8 << 20)
    }

    @Test("a bomb ends its own message before it needs memory", arguments: dialects)
    func bomb(dialect: BLIPDialect) throws {
        var limits = BLIPLimits()
        limits.maxBufferedBody = 100_000
        var client = BLIPConnection(dialect)
        var server = BLIPConnection(dialect, limits: limits)
        client.send("bomb", [UInt8](repeating: 0, count: 12 << 20), compressed: true)
        client.send("echo", [1])
        var highest = 0
        while let frame = client.oneFrame() {
            try server.receive(frame)
            highest = max(highest, server.bufferedIncomingBytes)
            for frame in server.allFrames() { try client.receive(frame) }
        }
        #expect(highest <= 100_000)
        #expect(server.allEvents().compactMap(\.request).map(\.number) == [2])
        #expect(client.allEvents().compactMap(\.response).map(\.response.error) == [.tooLarge])
    }

    @Test("a damaged, cut or prolonged member gets error 400", arguments: dialects)
    func malformed(dialect: BLIPDialect) throws {
        var maker = BLIPConnection(dialect)
        maker.send("", Array("hello hello hello".utf8), compressed: true)
        // One byte for the count, three for the properties, then the member.
        let member = Array((maker.oneFrame() ?? []).dropFirst(2))
        var damaged = member
        damaged[damaged.count - 6] ^= 1  // its CRC-32
        let bad: [[UInt8]] = [damaged, member.dropLast(), member + [0], member + member.dropFirst(4), [0, 1, 2, 3]]
        var peer = Peer(dialect)
        var server = BLIPConnection(dialect)
        for (index, data) in bad.enumerated() {
            try server.receive(peer.frame(UInt64(index) + 1, [.compressed], data: data))
        }
        try server.receive(peer.frame(6, [.compressed, .more], data: Array(member[..<20])))
        try server.receive(peer.frame(6, data: Array(member[20...])))
        #expect(server.allEvents().compactMap(\.request).map(\.number) == [6])
        var client = BLIPConnection(dialect)
        for _ in 1...6 { client.send() }
        _ = client.allFrames()
        for frame in server.allFrames() { try client.receive(frame) }
        let errors = client.allEvents().compactMap(\.response).map(\.response.error)
        #expect(errors == [BLIPErrorCode?](repeating: .badRequest, count: 5))
    }

    @Test("a source that fails while it is packed looks like no whole body", arguments: dialects)
    func failingSource(dialect: BLIPDialect) throws {
        var random = SeededGenerator(seed: 5)
        var client = BLIPConnection(dialect)
        var server = BLIPConnection(dialect)
        for failsAfter in [0, 100_000] {
            let source = MemorySource(random.bytes(200_000), failsAfter: failsAfter)
            let request = BLIPRequest(profile: "p", body: .source(source), compressed: true)
            _ = client.send(request, sink: nil, noReply: false)
        }
        try exchange(&client, &server)
        #expect(client.allEvents().compactMap(\.failure).map(\.number) == [1, 2])
        // The first went out as an empty no-reply request.
        #expect(server.allEvents().compactMap(\.request).map(\.isNoReply) == [true])
        #expect(server.openIncoming == 1)
    }

    private func exchange(_ one: inout BLIPConnection, _ other: inout BLIPConnection) throws {
        while true {
            let (frames, answers) = (one.allFrames(), other.allFrames())
            if frames.isEmpty, answers.isEmpty { return }
            for frame in frames { try other.receive(frame) }
            for answer in answers { try one.receive(answer) }
        }
    }
}

/// Zeros, and how many were read.
private final class CountingZeros: BodySource, @unchecked Sendable {
    private let size: Int
    private(set) var count = 0

    init(_ size: Int) { self.size = size }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let taken = min(buffer.count, size - count)
        UnsafeMutableRawBufferPointer(rebasing: buffer[..<taken]).initializeMemory(as: UInt8.self, repeating: 0)
        count += taken
        return taken
    }
}
