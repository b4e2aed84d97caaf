// Frame headers: written and read back, cut short, and malformed.

import Testing

@testable import BLIPNet

@Suite struct WebSocketFrameHeaderTests {
    private static func parse(_ bytes: [UInt8]) -> WebSocketFrameHeader.Parsed {
        bytes.withUnsafeBytes { WebSocketFrameHeader.parse($0) }
    }

    @Test(
        "reads back what it has written, and waits while any byte is missing",
        arguments: [0, 1, 125, 126, 127, 255, 65_535, 65_536, UInt64(Int64.max)], [nil, 0x1234_5678] as [UInt32?])
    func roundTrip(length: UInt64, key: UInt32?) {
        let header = WebSocketFrameHeader(
            isFinal: length % 2 == 0, reservedBits: 0x40, opcode: .binary, mask: key.map { WebSocketMask(key: $0) },
            payloadLength: length)
        var queue = ByteQueue()
        header.write(into: &queue)
        let bytes = queue.takeAll()
        #expect(Self.parse(bytes + [9, 9]) == .header(header, byteCount: bytes.count))
        for count in 0..<bytes.count { #expect(Self.parse(Array(bytes[..<count])) == .incomplete) }
    }

    @Test("writes a whole frame like the examples of RFC 6455 section 5.7")
    func examples() {
        var queue = ByteQueue()
        Array("Hello".utf8).withUnsafeBytes {
            WebSocketFrameHeader.writeFrame(.text, $0, mask: nil, into: &queue)
            WebSocketFrameHeader.writeFrame(.text, $0, mask: WebSocketMask(key: 0x3D21_FA37), into: &queue)
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
        for bytes in bad {
            guard case .invalid(let violation) = Self.parse(bytes) else {
                Issue.record("\(bytes) was taken")
                continue
            }
            #expect(violation.closeCode == 1002)
        }
    }

    @Test("refuses reserved opcodes", arguments: [0x3, 0x4, 0x5, 0x6, 0x7, 0xB, 0xC, 0xD, 0xE, 0xF] as [UInt8])
    func opcodes(opcode: UInt8) {
        guard case .invalid(let violation) = Self.parse([0x80 | opcode, 0]) else {
            Issue.record("opcode \(opcode) was taken")
            return
        }
        #expect(violation.closeCode == 1002)
    }
}
