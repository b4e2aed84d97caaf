// Peers that attack: each ends with the right close code, or is borne within the limits.

import Testing

@testable import BLIPNet

@Suite("Hostile peers") struct HostilePeerTests {
    /// Message data: no properties, then `body`.
    private static func data(_ body: [UInt8] = []) -> [UInt8] { [0] + body }

    private static func options(_ dialect: BLIPDialect) -> LinkOptions {
        var options = LinkOptions()
        options.dialects = [dialect]
        return options
    }

    private static func violation(_ reason: String, layer: String = "BLIP") -> LinkError {
        .peerViolated(layer: layer, reason: reason)
    }

    // MARK: Handshake

    @Test("a head that comes a byte a second is given 10 seconds")
    func slowHead() throws {
        var peer = try HostilePeer(isOpen: false)
        let head = WebSocketFixtures.request()
        for byte in head.prefix(30) where peer.end == nil {
            try peer.send([byte])
            try peer.wait(.seconds(1))
        }
        #expect(peer.end == .timedOut("handshake"))
        #expect(peer.now <= MonotonicTime(nanoseconds: 11_000_000_000))
    }

    @Test("a head without an end is refused at 16 KiB", arguments: [1, 1_000, 40_000])
    func endlessHead(chunk: Int) throws {
        var peer = try HostilePeer(isOpen: false)
        try peer.send(Array("GET / HTTP/1.1\r\nX: ".utf8))
        var sent = 0
        while peer.end == nil, sent < 100_000 {
            try peer.send([UInt8](repeating: UInt8(ascii: "x"), count: chunk))
            sent += chunk
        }
        #expect(peer.status.hasPrefix("HTTP/1.1 431"))
        #expect(sent < 16_384 + chunk)
        #expect(peer.peak.unparsed <= 16_384 + chunk)
    }

    @Test("the 101st field is refused")
    func manyFields() throws {
        for (count, status) in [(94, "101"), (95, "431")] {
            var peer = try HostilePeer(isOpen: false)
            let fields = (0..<count).map { "X-\($0): y\r\n" }.joined()
            // With the five of every request and the subprotocol, the limit is 100.
            try peer.send(
                WebSocketFixtures.request(extra: "Sec-WebSocket-Protocol: BLIP_3+app_1\r\n" + fields))
            #expect(peer.status.hasPrefix("HTTP/1.1 \(status)"), "\(count): \(peer.status)")
        }
    }

    @Test("TLS that comes a byte a second is given 10 seconds")
    func slowTLS() throws {
        var peer = try HostilePeer(LinkOptions(identity: try .generate()), isOpen: false)
        for byte in [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xFC, 0x03, 0x03, 1, 2, 3] as [UInt8] {
            try peer.send([byte])
            try peer.wait(.seconds(1))
        }
        #expect(peer.end == .timedOut("handshake"))
    }

    // MARK: WebSocket

    @Test("a frame is refused from its header, before a byte of its payload")
    func refusedFromHeader() throws {
        for (header, code) in [
            ([0x82, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 2, 3, 4], 1009),
            ([0x82, 0xFF, 0, 0, 0, 0, 0, 1, 0, 1, 1, 2, 3, 4], 1009),
            ([0x82, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], 1002),
            ([0x82, 0xFE, 0x00, 0x7D], 1002),
            ([0x82, 0x05], 1002), ([0x83, 0x80, 1, 2, 3, 4], 1002), ([0xC2, 0x80, 1, 2, 3, 4], 1002),
            ([0x89, 0xFE, 0x00, 0x7E, 1, 2, 3, 4], 1002), ([0x09, 0x80, 1, 2, 3, 4], 1002),
            ([0x80, 0x80, 1, 2, 3, 4], 1002),
        ] as [([UInt8], UInt16)] {
            var peer = try HostilePeer()
            try peer.send(header)
            #expect(peer.tap.closeCode == code, "\(header)")
            #expect(peer.end != nil)
        }
    }

    @Test("a text message is no BLIP frame", arguments: BLIPDialect.all)
    func text(dialect: BLIPDialect) throws {
        var peer = try HostilePeer(Self.options(dialect))
        try peer.sendFrame(0x81, Array("hello".utf8))
        #expect(peer.tap.closeCode == 1003)
    }

    @Test("endless fragments end at a limit, empty ones too", arguments: [0, 1, 100])
    func endlessFragments(size: Int) throws {
        var options = LinkOptions()
        options.webSocket.maxFragments = 5_000
        var peer = try HostilePeer(options)
        try peer.sendFrame(0x02, [])
        var count = 1
        while peer.end == nil, count < 10_000 {
            try peer.sendFrame(0x00, [UInt8](repeating: 7, count: size))
            count += 1
        }
        #expect(peer.tap.closeCode == (size == 100 ? 1009 : 1008))
        #expect(count == (size == 100 ? 657 : 5_001))
        #expect(peer.peak.message <= 65_536)
    }

    @Test("a flood of pings is answered from a bounded queue, the last one always", arguments: [true, false])
    func pings(reads: Bool) throws {
        var peer = try HostilePeer()
        peer.reads = reads
        for index in 0..<3_000 { try peer.sendFrame(0x89, [UInt8](repeating: UInt8(index & 0xFF), count: 125)) }
        #expect(peer.end == nil)
        #expect(peer.peak.control <= 33 * 127)
        peer.reads = true
        let before = peer.sentBytes
        try peer.sendFrame(0x89, Array("last".utf8))
        #expect(peer.sentBytes > before)
    }

    @Test("one that falls silent is dead after 40 seconds, one that does not answer our close frame after 5")
    func silence() throws {
        var silent = try HostilePeer()
        for _ in 0..<45 where silent.end == nil { try silent.wait(.seconds(1)) }
        #expect(silent.end == .timedOut("keepalive"))
        #expect(silent.now - MonotonicTime(nanoseconds: 0) == .seconds(40))
        var stubborn = try HostilePeer()
        try stubborn.close()
        #expect(stubborn.tap.closeCode == 1000 && stubborn.end == nil)
        for _ in 0..<12 where stubborn.end == nil { try stubborn.wait(.seconds(1)) }
        #expect(stubborn.end == .closedLocally)
        #expect(stubborn.now - MonotonicTime(nanoseconds: 0) == .seconds(5))
    }

    // MARK: BLIP

    @Test("numbers that jump, stand still or answer nothing", arguments: BLIPDialect.all)
    func numbers(dialect: BLIPDialect) throws {
        for (number, type) in [
            (2, .request), (0, .request), (1 << 40, .request), (1, .response), (1, .errorResponse), (.max, .response),
        ] as [(UInt64, BLIPFrameType)] {
            var peer = try HostilePeer(Self.options(dialect))
            try peer.send(type, number, Self.data())
            #expect(peer.tap.closeCode == 1002, "\(number) \(type)")
            #expect(peer.requests.isEmpty && peer.responses.isEmpty)
        }
        var peer = try HostilePeer(Self.options(dialect))
        try peer.send(1, Self.data())
        try peer.send(1, Self.data())
        #expect(peer.tap.closeCode == 1002 && peer.requests.count == 1)
    }

    @Test("a second response to the same request reaches nobody", arguments: BLIPDialect.all)
    func secondResponse(dialect: BLIPDialect) throws {
        var peer = try HostilePeer(Self.options(dialect))
        try peer.ask()
        try peer.send(.response, 1, Self.data([1]))
        try peer.send(.response, 1, Self.data([2]))
        try peer.send(.errorResponse, 1, Self.data([3]))
        #expect(peer.responses == [1])
        #expect(peer.end == nil)
    }

    @Test("the 65th message that is begun and not ended is refused alone", arguments: BLIPDialect.all)
    func manyBegun(dialect: BLIPDialect) throws {
        var peer = try HostilePeer(Self.options(dialect))
        for number in 1...64 { try peer.send(UInt64(number), more: true, Self.data([1])) }
        #expect(peer.end == nil && peer.peak.openIncoming == 64)
        try peer.send(65, more: true, Self.data([1]))
        #expect(peer.end == nil && peer.peak.openIncoming == 64)
        try peer.send(65, [1])
        try peer.send(1, [1])
        #expect(peer.requests.map(\.number) == [1] && peer.end == nil)
        #expect(peer.tap.frames.contains { !$0.isAck && $0.number == 65 && $0.flags & 3 == 2 })
    }

    @Test(
        "messages that stop arriving are dropped after a minute, and the connection lives", arguments: BLIPDialect.all)
    func stale(dialect: BLIPDialect) throws {
        var peer = try HostilePeer(Self.options(dialect))
        for number in 1...10 {
            try peer.send(UInt64(number), more: true, Self.data([UInt8](repeating: 1, count: 1_000)))
        }
        for _ in 0..<7 {
            try peer.wait(.seconds(10))
            try peer.sendFrame(0x8A)
        }
        #expect(peer.end == nil)
        #expect(peer.stack.memoryUsage.openIncoming == 0 && peer.stack.memoryUsage.bufferedIncoming == 0)
        try peer.send(11, Self.data())
        #expect(peer.requests.map(\.number) == [11])
    }

    @Test("unfinished messages hold no more than the limit, whoever ignores that ACKs stay out")
    func buffers() throws {
        var options = LinkOptions()
        options.blip.maxBufferedBytes = 4 << 20
        options.blip.maxBufferedBody = 1 << 20
        var peer = try HostilePeer(options)
        let piece = [UInt8](repeating: 9, count: 60_000)
        for number in 1...60 { try peer.send(UInt64(number), more: true, Self.data()) }
        for _ in 0..<10 { for number in 1...60 { try peer.send(UInt64(number), more: true, piece) } }
        #expect(peer.peak.bufferedIncoming > 3 << 20 && peer.peak.bufferedIncoming <= 4 << 20)
        #expect(peer.end == nil)
        for number in 1...60 { try peer.send(UInt64(number), []) }
        #expect(peer.requests.count < 60)
        #expect(peer.requests.allSatisfy { $0.body.count == 600_000 })
        #expect(peer.stack.memoryUsage.bufferedIncoming == 0)
    }

    @Test("a frame that unpacks to more than the limit closes with 1009, one that stays below is taken")
    func bomb() throws {
        var options = LinkOptions()
        options.blip.maxInflatedFrame = 1 << 20
        var peer = try HostilePeer(options)
        try peer.send(1, more: true, Self.data([UInt8](repeating: 0, count: (1 << 20) - 1)), compressed: true)
        #expect(peer.end == nil && peer.peak.bufferedIncoming == (1 << 20) - 1)
        try peer.send(1, more: true, [UInt8](repeating: 0, count: (1 << 20) + 1), compressed: true)
        #expect(peer.tap.closeCode == 1009)
        #expect(peer.stack.memoryUsage.bufferedIncoming == 0)
    }

    @Test("one that sends bombs at full speed is read from only as fast as they may be unpacked, and loses nothing")
    func bombs() throws {
        var options = LinkOptions()
        options.blip.maxInflatedFrame = 1 << 20
        options.blip.maxUnpackedPerSecond = 4 << 20
        var peer = try HostilePeer(options)
        for number in 1...40 {
            try peer.send(UInt64(number), Self.data([UInt8](repeating: 0, count: 1_000_000)), compressed: true)
        }
        var counts: [Int] = []
        while peer.requests.count < 40, counts.count < 100 {
            counts.append(peer.requests.count)
            #expect(peer.stack.isReadingPaused)
            try peer.wait(.milliseconds(500))
        }
        #expect((5...6).contains(counts[0]), "what may be unpacked at once")
        #expect(zip(counts, counts.dropFirst()).allSatisfy { $1 - $0 <= 4 }, "\(counts)")
        #expect(peer.requests.map(\.number) == Array(1...40) && peer.end == nil)
    }

    @Test("a stranger may have us unpack so much and no more, and is closed with 1009")
    func strangersBombs() throws {
        var options = LinkOptions()
        options.blip.maxInflatedFrame = 128 << 10
        options.blip.maxUnpackedBeforeAdmission = 64 << 10
        var peer = try HostilePeer(options)
        try peer.send(1, Self.data([UInt8](repeating: 0, count: 60_000)), compressed: true)
        #expect(peer.end == nil && peer.requests.count == 1)
        try peer.send(2, Self.data([UInt8](repeating: 0, count: 60_000)), compressed: true)
        #expect(peer.tap.closeCode == 1009 && peer.requests.count == 1)
    }

    @Test("one that never reads its replies is stopped at a limit", arguments: BLIPDialect.all)
    func unread(dialect: BLIPDialect) throws {
        var options = Self.options(dialect)
        options.blip.maxUnanswered = 100
        var peer = try HostilePeer(options)
        peer.reads = false
        for number in 1...101 where peer.end == nil { try peer.send(UInt64(number), Self.data([1])) }
        #expect(peer.end == Self.violation("more than 100 requests without a reply"))
        peer.reads = true
        try peer.wait(.zero)
        #expect(peer.tap.closeCode == 1008)
    }

    @Test("properties above the limit cost only their own request", arguments: BLIPDialect.all)
    func properties(dialect: BLIPDialect) throws {
        for length in [102_401, 1 << 62] as [UInt64] {
            var peer = try HostilePeer(Self.options(dialect))
            var data: [UInt8] = []
            Varint.append(length, to: &data)
            try peer.send(1, more: true, data)
            for _ in 0..<4 { try peer.send(1, more: true, [UInt8](repeating: 65, count: 60_000)) }
            try peer.send(1, [])
            try peer.send(2, Self.data())
            #expect(peer.requests.map(\.number) == [2])
            #expect(peer.tap.frames.contains { !$0.isAck && $0.number == 1 && $0.flags & 3 == 2 })
            #expect(peer.peak.bufferedIncoming <= 102_400)
        }
    }

    @Test("ACKs that lie open no window: beyond what was sent, of nothing, going back, malformed")
    func lyingACKs() throws {
        var peer = try HostilePeer()
        try peer.ask([UInt8](repeating: 1, count: 1 << 20))
        let window = peer.sentBytes
        #expect(window > 128_000 && window < 128_000 + 2 * 16_384)
        try peer.acknowledge(.ackOfRequest, 1, 1 << 40)
        try peer.acknowledge(.ackOfRequest, 1, UInt64.max)
        try peer.acknowledge(.ackOfRequest, 2, 50_000)
        try peer.acknowledge(.ackOfResponse, 1, 50_000)
        try peer.acknowledge(.ackOfRequest, 1, 0)
        #expect(peer.sentBytes == window && peer.end == nil)
        try peer.acknowledge(.ackOfRequest, 1, 50_000)
        let next = peer.sentBytes
        #expect(next > window + 30_000 && next < window + 70_000)
        try peer.acknowledge(.ackOfRequest, 1, 40_000)
        #expect(peer.sentBytes == next)
        try peer.send(.ackOfRequest, 1, [0xFF])
        #expect(peer.tap.closeCode == 1002)
    }

    @Test("a flood of frames of one byte is only slow", arguments: BLIPDialect.all)
    func smallFrames(dialect: BLIPDialect) throws {
        var peer = try HostilePeer(Self.options(dialect))
        try peer.send(1, more: true, Self.data())
        for index in 0..<20_000 { try peer.send(1, more: true, [UInt8(index & 0xFF)]) }
        try peer.send(1, [])
        #expect(peer.requests.map(\.body.count) == [20_000])
        #expect(peer.end == nil)
    }
}
