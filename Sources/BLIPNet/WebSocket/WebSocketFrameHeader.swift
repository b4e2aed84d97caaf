// The two to fourteen bytes before the payload of a WebSocket frame (RFC 6455 section 5.2).

/// A frame header: read from the wire, or written in front of a payload of ours.
struct WebSocketFrameHeader: Equatable {
    static let maxByteCount = 14
    static let maxControlPayload = 125

    var isFinal: Bool
    /// RSV1 to RSV3 as the bits 40, 20 and 10 of the first byte; what they mean is up to extensions.
    var reservedBits: UInt8
    var opcode: WebSocketOpcode
    var mask: WebSocketMask?
    /// As announced by the peer: anything up to 2^63 - 1. Compare it before converting it.
    var payloadLength: UInt64

    /// What `parse` found.
    enum Parsed: Equatable {
        case incomplete
        case header(WebSocketFrameHeader, byteCount: Int)
        case invalid(WebSocketViolation)
    }

    /// Reads the header at the front of `bytes`: only its form. What is allowed where is the decoder's business.
    static func parse(_ bytes: UnsafeRawBufferPointer) -> Parsed {
        guard bytes.count >= 2 else { return .incomplete }
        let (first, second) = (bytes[0], bytes[1])
        guard let opcode = WebSocketOpcode(rawValue: first & 0x0F) else {
            return .invalid(WebSocketViolation(reason: "reserved opcode \(first & 0x0F)"))
        }
        var length = UInt64(second & 0x7F)
        var byteCount = 2
        let extended = length == 126 ? 2 : length == 127 ? 8 : 0
        if extended > 0 {
            guard bytes.count >= 2 + extended else { return .incomplete }
            length = 0
            for index in 2..<(2 + extended) { length = length << 8 | UInt64(bytes[index]) }
            guard length > (extended == 2 ? 125 : 0xFFFF) else {
                return .invalid(WebSocketViolation(reason: "payload length is not in its shortest form"))
            }
            guard length >> 63 == 0 else {
                return .invalid(WebSocketViolation(reason: "payload length above 2^63"))
            }
            byteCount += extended
        }
        var mask: WebSocketMask?
        if second & 0x80 != 0 {
            guard bytes.count >= byteCount + 4 else { return .incomplete }
            let key = bytes.loadUnaligned(fromByteOffset: byteCount, as: UInt32.self)
            mask = WebSocketMask(key: UInt32(littleEndian: key))
            byteCount += 4
        }
        let header = WebSocketFrameHeader(
            isFinal: first & 0x80 != 0, reservedBits: first & 0x70, opcode: opcode, mask: mask, payloadLength: length)
        return .header(header, byteCount: byteCount)
    }

    /// Appends the header, with the length in its shortest form.
    func write(into out: inout ByteQueue) {
        withUnsafeTemporaryAllocation(byteCount: Self.maxByteCount, alignment: 8) { bytes in
            bytes[0] = (isFinal ? 0x80 : 0) | reservedBits | opcode.rawValue
            let maskBit: UInt8 = mask == nil ? 0 : 0x80
            var count = 2
            switch payloadLength {
            case 0...125:
                bytes[1] = maskBit | UInt8(payloadLength)
            case 126...0xFFFF:
                bytes[1] = maskBit | 126
                bytes.storeBytes(of: UInt16(payloadLength).bigEndian, toByteOffset: 2, as: UInt16.self)
                count = 4
            default:
                bytes[1] = maskBit | 127
                bytes.storeBytes(of: payloadLength.bigEndian, toByteOffset: 2, as: UInt64.self)
                count = 10
            }
            if let mask {
                bytes.storeBytes(of: mask.key.littleEndian, toByteOffset: count, as: UInt32.self)
                count += 4
            }
            out.append(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        }
    }

    /// Appends one whole frame: header and payload, masked in place when there is a mask.
    static func writeFrame(
        _ opcode: WebSocketOpcode, _ payload: UnsafeRawBufferPointer, mask: WebSocketMask?, into out: inout ByteQueue
    ) {
        WebSocketFrameHeader(
            isFinal: true, reservedBits: 0, opcode: opcode, mask: mask, payloadLength: UInt64(payload.count)
        ).write(into: &out)
        let start = out.count
        out.append(payload)
        guard let mask else { return }
        out.withUnsafeMutableBytes { mask.apply(to: UnsafeMutableRawBufferPointer(rebasing: $0[start...])) }
    }
}
