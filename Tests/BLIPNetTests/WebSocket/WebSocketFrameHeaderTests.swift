// Frame headers: written and read back, cut short, and malformed.

import Testing

@testable import BLIPNet

@Suite struct WebSocketFrameHeaderTests {
    private static func parse(_ bytes: [UInt8]) throws -> WebSocketFrameHeader? {
        try bytes.withUnsafeBytes { try WebSocketFrameHeader.parse($0)?.header }
    }

    /// The close code with which `bytes` are refused.
    private static func refusal(_ bytes: [UInt8]) -> UInt16? {
        do {
            _ = try parse(bytes)
            return nil
        } catch {
            return (error as? WebSocketViolation)?.closeCode
        }
    }

    @Test(
        "reads back what it has written, and waits while any byte is missing",
        arguments: [0, 1, 125, 126, 127, 255, 65_535, 65_536, UInt64(Int64.max)], [nil, 0x1234_5678] as [UInt32?])
    func roundTrip(length: UInt64, key: UInt32?) throws {
        let header = WebSocketFrameHeader(
            isFinal: length % 2 == 0, reservedBits: 0x40, opcode: .binary, mask: key.map { WebSocketMask(key: $0) },
            payloadLength: length)
        var bytes = [UInt8](repeating: 9, count: WebSocketFrameHeader.maxByteCount)
        let byteCount = try bytes.withUnsafeMutableBytes { header.write(to: try #require($0.baseAddress)) }
        let parsed = try bytes.withUnsafeBytes { try WebSocketFrameHeader.parse($0) }
        #expect(parsed?.header == header && parsed?.byteCount == byteCount)
        for count in 0..<byteCount { #expect(try Self.parse(Array(bytes[..<count])) == nil) }
    }

    @Test("writes a whole frame like the examples of RFC 6455 section 5.7")
    func examples() {
        var queue = ByteQueue()
        for mask in [nil, WebSocketMask(key: 0x3D21_FA37)] {
            let header = WebSocketFrameHeader(
                isFinal: true, reservedBits: 0, opcode: .text, mask: mask, payloadLength: 5)
            Array("Hello".utf8).withUnsafeBytes { header.write($0, into: &queue) }
        }
        #expect(
            queue.takeAll() == [
                0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F,
                0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58,
            ])
    }

    @Test("refuses lengths that are not in their shortest form, or above 2^63")
    func lengths() {
        let bad: [[UInt8]] = [
            [0x82, 126, 0, 0], [0x82, 126, 0, 125], [0x82, 127, 0, 0, 0, 0, 0, 0, 0, 1],
            [0x82, 127, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], [0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0],
            [0x82, 127, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
        ]
        for bytes in bad { #expect(Self.refusal(bytes) == 1002, "\(bytes)") }
    }

    @Test("refuses reserved opcodes", arguments: [0x3, 0x4, 0x5, 0x6, 0x7, 0xB, 0xC, 0xD, 0xE, 0xF] as [UInt8])
    func opcodes(opcode: UInt8) {
        #expect(Self.refusal([0x80 | opcode, 0]) == 1002)
    }
}
