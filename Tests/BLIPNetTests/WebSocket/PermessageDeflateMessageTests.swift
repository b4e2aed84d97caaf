// Compressed messages: the examples of RFC 7692, every parameter, fragments, limits and malformed data.

import CZlib
import TestSupport
import Testing

@testable import BLIPNet

@Suite struct PermessageDeflateMessageTests {
    private static let compressed: UInt8 = 0x40
    private static func server(
        _ deflate: PermessageDeflate = PermessageDeflate(), limits: WebSocketLimits = WebSocketLimits()
    ) -> WatchedWebSocket {
        WatchedWebSocket.openServer(limits: limits, deflate: deflate)
    }
    private static func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
        WebSocketFixtures.frame(first, payload)
    }
    private static let hello = Array("Hello".utf8)
    private static let packedHello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]

    // MARK: RFC 7692 section 7.2.3

    @Test(
        "reads the examples of the RFC, however the bytes are cut", arguments: [1, 2, 100],
        [
            packedHello,
            // Without compression.
            [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00],
            // BFINAL, and the byte that follows it.
            [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00],
            // Two blocks.
            [0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00],
            // BFINAL without the byte that should follow it.
            [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00],
        ] as [[UInt8]])
    func examples(chunk: Int, payload: [UInt8]) {
        var server = Self.server()
        server.receive(Self.frame(0xC1, payload), chunk: chunk)
        #expect(server.seen == [.message(.text, Self.hello)])
        // And the window is what the RFC expects of it: the second message refers to the first.
        server.receive(Self.frame(0xC1, [0xF2, 0x00, 0x11, 0x00, 0x00]), chunk: chunk)
        #expect(server.seen == [.message(.text, Self.hello), .message(.text, Self.hello)])
    }

    @Test("reads a fragmented message, whose first frame alone says that it is compressed, with a ping inside")
    func fragments() {
        var server = Self.server()
        server.receive(
            Self.frame(0x41, Array(Self.packedHello[..<3])) + Self.frame(0x89, [7]) + Self.frame(0x00, [])
                + Self.frame(0x80, Array(Self.packedHello[3...])))
        #expect(server.seen == [.message(.text, Self.hello)])
        #expect(server.sent.takeAll() == [0x8A, 1, 7])
    }

    @Test("writes the examples of the RFC")
    func writesExamples() {
        var server = Self.server(PermessageDeflate(threshold: 0))
        #expect(server.send(.text, Self.hello) == true)
        #expect(server.sent.takeAll() == [0xC1, 7] + Self.packedHello)
        #expect(server.send(.text, Self.hello) == true)
        #expect(server.sent.takeAll() == [0xC1, 5, 0xF2, 0x00, 0x11, 0x00, 0x00])
        #expect(server.send(.binary, []) == true)
        #expect(server.sent.takeAll() == [0xC2, 1, 0x00])
        var forgetful = Self.server(PermessageDeflate(serverNoContextTakeover: true, threshold: 0))
        for _ in 0..<2 {
            // Packed it would be larger than it is.
            #expect(forgetful.send(.text, Self.hello) == true)
            #expect(forgetful.sent.takeAll() == [0x81, 5] + Self.hello)
        }
    }

    @Test("reads empty messages: packed as one byte, as nothing at all, and not packed")
    func empty() {
        var server = Self.server()
        server.receive(
            Self.frame(0xC1, [0x00]) + Self.frame(0xC2, []) + Self.frame(0x81, []) + Self.frame(0x41, [])
                + Self.frame(0x80, []) + Self.frame(0xC1, Self.packedHello))
        #expect(
            server.seen == [
                .message(.text, []), .message(.binary, []), .message(.text, []), .message(.text, []),
                .message(.text, Self.hello),
            ])
    }

    @Test("messages that are not compressed may come between, and do not touch the window")
    func mixed() {
        var server = Self.server()
        server.receive(
            Self.frame(0xC1, Self.packedHello) + Self.frame(0x82, [1, 2, 3])
                + Self.frame(0xC1, [0xF2, 0x00, 0x11, 0x00, 0x00]))
        #expect(
            server.seen == [.message(.text, Self.hello), .message(.binary, [1, 2, 3]), .message(.text, Self.hello)])
    }

    // MARK: Round trips

    struct Setting: Sendable, CustomTestStringConvertible {
        var deflate: PermessageDeflate
        var fragment: Int?
        var testDescription: String { deflate.offer.element.text + (fragment.map { " fragments of \($0)" } ?? "") }
    }

    private static var settings: [Setting] {
        var settings: [Setting] = []
        for bits in 8...15 {
            for noTakeover in [false, true] {
                settings.append(
                    Setting(
                        deflate: PermessageDeflate(
                            serverNoContextTakeover: noTakeover, clientNoContextTakeover: noTakeover,
                            serverMaxWindowBits: bits, clientMaxWindowBits: 23 - bits, level: 1 + bits % 9,
                            memoryLevel: 1 + bits % 9, threshold: 0),
                        fragment: bits % 2 == 0 ? 100 : nil))
            }
        }
        return settings
    }

    private static func messages(seed: UInt64) -> [[UInt8]] {
        var random = SeededGenerator(seed: seed)
        let words = ["alpha", "beta", "gamma", "delta", "ünïcode", "{\"id\":", "},\n", " "]
        return [0, 1, 5, 300, 3_000, 70_000].flatMap { count -> [[UInt8]] in
            var text = ""
            while text.utf8.count < count { text += words.randomElement(using: &random) ?? "" }
            return [Array(text.utf8), random.bytes(count)]
        }
    }

    @Test("what one side packs the other unpacks, with every parameter, in both directions", arguments: settings)
    func roundTrip(setting: Setting) {
        var limits = WebSocketLimits()
        limits.maxFrameBytesOut = setting.fragment
        var (client, server) = WatchedWebSocket.openPair(
            clientLimits: limits, serverLimits: limits, deflate: setting.deflate)
        #expect(client.connection.deflate == setting.deflate && server.connection.deflate == setting.deflate)
        server.echoes = true
        for round in 1...2 as ClosedRange<UInt64> {
            for (index, message) in Self.messages(seed: round).enumerated() {
                let kind: WebSocketMessageKind = index % 2 == 0 ? .text : .binary
                #expect(client.send(kind, message) == true)
                server.receive(client.sent.takeAll(), chunk: index == 3 ? 1 : 1_000)
                client.receive(server.sent.takeAll(), chunk: index == 3 ? 1 : 1_000)
                #expect(server.seen.last == .message(kind, message))
                #expect(client.seen.last == .message(kind, message))
            }
        }
        #expect(client.seen.count == 24 && server.seen.count == 24)
    }

    /// Unpacks strictly: zlib refuses what reaches back further than `windowBits`, as long as the output comes out in
    /// pieces of one byte and so has to be looked up in the window.
    private static func strictlyInflated(_ packed: [UInt8], windowBits: Int32) -> [UInt8]? {
        var stream = z_stream()
        guard czlib_inflate_init_raw(&stream, windowBits) == Z_OK else { return nil }
        defer { inflateEnd(&stream) }
        var input = packed + [0x00, 0x00, 0xFF, 0xFF]
        var output: [UInt8] = []
        return input.withUnsafeMutableBufferPointer { input in
            stream.next_in = input.baseAddress
            stream.avail_in = uInt(input.count)
            while true {
                var byte: UInt8 = 0
                let status = withUnsafeMutablePointer(to: &byte) { place in
                    stream.next_out = place
                    stream.avail_out = 1
                    return inflate(&stream, Z_SYNC_FLUSH)
                }
                if status == Z_BUF_ERROR { return output }
                guard status == Z_OK else { return nil }
                if stream.avail_out == 0 { output.append(byte) } else { return output }
            }
        }
    }

    @Test("what we pack keeps to the agreed window, 256 bytes included", arguments: 8...15, 1...9)
    func windows(bits: Int, level: Int) {
        // Text that repeats itself at every distance up to 40,000.
        var random = SeededGenerator(seed: UInt64(bits))
        var text = random.bytes(300)
        while text.count < 60_000 {
            let start = text.count - min(text.count, Int.random(in: 3...40_000, using: &random))
            text += text[start..<min(text.count, start + Int.random(in: 3...300, using: &random))]
        }
        for memoryLevel in [1, 9] {
            let deflater = MessageDeflater(
                level: level, windowBits: bits, memoryLevel: memoryLevel, resetsAfterMessage: false)
            var packed = ByteQueue()
            text.withUnsafeBytes { deflater.deflate($0, endsMessage: true, into: &packed) }
            #expect(packed.count < 55_000 || bits < 10)
            #expect(Self.strictlyInflated(packed.takeAll(), windowBits: Int32(bits)) == text)
        }
    }

    @Test("the window is kept or forgotten as it was agreed on, on both sides")
    func contextTakeover() {
        let message = Self.messages(seed: 9)[6]
        for forgets in [false, true] {
            var (client, server) = WatchedWebSocket.openPair(
                deflate: PermessageDeflate(serverNoContextTakeover: forgets, clientNoContextTakeover: !forgets))
            func sizes(_ end: inout WatchedWebSocket) -> [Int] {
                (0..<2).map { _ in
                    #expect(end.send(.text, message) == true)
                    return end.sent.takeAll().count
                }
            }
            let fromServer = sizes(&server)
            let fromClient = sizes(&client)
            #expect(forgets == (fromServer[0] == fromServer[1]))
            #expect(forgets != (fromClient[0] == fromClient[1]))
        }
        // A peer that promised to forget must not refer to its last message.
        var server = Self.server(PermessageDeflate(clientNoContextTakeover: true))
        server.receive(Self.frame(0xC1, Self.packedHello) + Self.frame(0xC1, [0xF2, 0x00, 0x11, 0x00, 0x00]))
        #expect(server.seen.first == .message(.text, Self.hello))
        #expect(server.violationCode == 1007)
    }

    @Test("messages below the threshold are sent as they are")
    func threshold() {
        var server = Self.server(PermessageDeflate(threshold: 100))
        #expect(server.send(.binary, [UInt8](repeating: 1, count: 99)) == true)
        #expect(server.sent.takeAll().starts(with: [0x82, 99]))
        #expect(server.send(.binary, [UInt8](repeating: 1, count: 100)) == true)
        #expect(server.sent.takeAll().starts(with: [0xC2]))
    }

    // MARK: Violations and limits

    @Test("the bit that says compressed is refused on continuations and control frames, and without an agreement")
    func reservedBits() {
        for bytes in [
            Self.frame(0x41, [0xF2]) + Self.frame(0xC0, [0x48]), Self.frame(0xC9, []), Self.frame(0xC8, []),
            Self.frame(0xA1, []), Self.frame(0xD1, []), Self.frame(0xE1, []),
        ] {
            var server = Self.server()
            server.receive(bytes)
            #expect(server.violationCode == 1002)
        }
        var plain = WatchedWebSocket.openServer()
        plain.receive(Self.frame(0xC1, Self.packedHello))
        #expect(plain.violationCode == 1002)
    }

    @Test(
        "malformed data ends the connection with 1007, at once or at the end of the message",
        arguments: [
            // A reserved type of block, a length that contradicts itself, a reference to before the beginning.
            [0x06], [0x00, 0x05, 0x00, 0x00, 0x00], [0xF2, 0x00, 0x11, 0x00, 0x00],
            // Cut off inside a block.
            [0xF2, 0x48, 0xCD], [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48],
            // The end of the message that should have been left out, once too often and cut.
            [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00, 0xFF],
        ] as [[UInt8]])
    func malformed(payload: [UInt8]) {
        var server = Self.server()
        server.receive(Self.frame(0xC2, payload))
        #expect(server.violationCode == 1007)
        #expect(server.seen.count == 1)
    }

    @Test("text is checked as it is unpacked, inside the frame")
    func invalidText() {
        // 200 bytes of text, the 101st of which is wrong, without compression.
        let text = [UInt8](repeating: 0x61, count: 100) + [0xFF] + [UInt8](repeating: 0x61, count: 99)
        let whole = Self.frame(0xC1, [0x00, 200, 0x00, 255 - 200, 0xFF] + text + [0x00])
        let headerAndBlock = 8 + 5
        var server = Self.server()
        server.receive(Array(whole[..<(headerAndBlock + 100)]), chunk: 7)
        #expect(server.seen.isEmpty)
        server.receive([whole[headerAndBlock + 100]])
        #expect(server.violationCode == 1007)
        // The last character must be whole, although the frame with it is.
        server = Self.server()
        server.receive(Self.frame(0xC1, [0x00, 0x01, 0x00, 0xFE, 0xFF, 0xE2, 0x00]))
        #expect(server.violationCode == 1007)
    }

    private static func bomb(_ byteCount: Int) -> [UInt8] {
        let deflater = MessageDeflater(level: 9, windowBits: 15, memoryLevel: 9, resetsAfterMessage: false)
        var packed = ByteQueue()
        [UInt8](repeating: 0x61, count: byteCount).withUnsafeBytes {
            deflater.deflate($0, endsMessage: true, into: &packed)
        }
        return packed.takeAll()
    }

    @Test("a message of the limit is unpacked and one byte more is refused, before anything beyond it is held")
    func limit() {
        var limits = WebSocketLimits()
        limits.maxMessageBytes = 100_000
        var server = Self.server(limits: limits)
        server.receive(Self.frame(0xC1, Self.bomb(100_000)))
        #expect(server.seen == [.message(.text, [UInt8](repeating: 0x61, count: 100_000))])
        server.receive(Self.frame(0xC1, Self.bomb(100_001)))
        #expect(server.violationCode == 1009)
    }

    @Test("a bomb costs no memory above the limit")
    func bombs() throws {
        var limits = WebSocketLimits()
        limits.maxMessageBytes = 100_000
        var decoder = WebSocketFrameDecoder(expectsMask: true, limits: limits)
        decoder.enableInflating { MessageInflater(resetsAfterMessage: false) }
        var input = ByteQueue()
        let bomb = Self.bomb(50_000_000)
        #expect(bomb.count < 60_000)
        input.append(Self.frame(0xC2, bomb))
        do throws(WebSocketViolation) {
            _ = try decoder.next(from: &input)
            Issue.record("it was taken")
        } catch {
            #expect(error.closeCode == 1009)
        }
        #expect(decoder.gathered.capacity <= 100_001)
    }

    @Test("what a compressed message may take on the wire is limited too, and what cannot be compressed fits")
    func wireLimit() {
        var limits = WebSocketLimits()
        limits.maxMessageBytes = 10_000
        var random = SeededGenerator(seed: 4)
        let noise = random.bytes(10_000)
        for memoryLevel in [1, 9] {
            let deflate = PermessageDeflate(clientMaxWindowBits: 9, memoryLevel: memoryLevel)
            var (client, server) = WatchedWebSocket.openPair(serverLimits: limits, deflate: deflate)
            #expect(client.send(.binary, noise) == true)
            server.receive(client.sent.takeAll())
            #expect(server.seen == [.message(.binary, noise)])
        }
        // Empty blocks unpack to nothing.
        var server = Self.server(limits: limits)
        let nothing = (0..<3_000).flatMap { _ in Self.frame(0x00, [0x00, 0x00, 0x00, 0xFF, 0xFF]) }
        server.receive(Self.frame(0x42, []) + nothing)
        #expect(server.violationCode == 1009)
    }
}
