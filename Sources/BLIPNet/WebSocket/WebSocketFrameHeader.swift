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

    /// RSV1, set on the first frame of a message that permessage-deflate has compressed (RFC 7692 section 6).
    static let compressedBit: UInt8 = 0x40

    /// Reads the header at the front of `bytes` (`nil` while it is not complete) and how long it is: only its form.
    /// The decoder checks what is allowed where.
    static func parse(
        _ bytes: UnsafeRawBufferPointer
    ) throws(WebSocketViolation) -> (header: WebSocketFrameHeader, byteCount: Int)? {
        guard bytes.count >= 2 else { return nil }
        let (first, second) = (bytes[0], bytes[1])
        guard let opcode = WebSocketOpcode(rawValue: first & 0x0F) else {
            throw WebSocketViolation(reason: "reserved opcode \(first & 0x0F)")
        }
        var length = UInt64(second & 0x7F)
        var byteCount = 2
        if length == 126 {
            guard bytes.count >= 4 else { return nil }
            length = UInt64(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
            guard length > 125 else { throw Self.longForm }
            byteCount = 4
        } else if length == 127 {
            guard bytes.count >= 10 else { return nil }
            length = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt64.self))
            guard length > 0xFFFF else { throw Self.longForm }
            guard length >> 63 == 0 else { throw WebSocketViolation(reason: "payload length above 2^63") }
            byteCount = 10
        }
        var mask: WebSocketMask?
        if second & 0x80 != 0 {
            guard bytes.count >= byteCount + 4 else { return nil }
            let key = bytes.loadUnaligned(fromByteOffset: byteCount, as: UInt32.self)
            mask = WebSocketMask(key: UInt32(littleEndian: key))
            byteCount += 4
        }
        let header = WebSocketFrameHeader(
            isFinal: first & 0x80 != 0, reservedBits: first & 0x70, opcode: opcode, mask: mask, payloadLength: length)
        return (header, byteCount)
    }

    private static let longForm = WebSocketViolation(reason: "payload length is not in its shortest form")

    /// Writes the header, with the length in its shortest form, to the front of `bytes`, which must have room for
    /// `maxByteCount`, and returns how long it is.
    func write(to bytes: UnsafeMutableRawPointer) -> Int {
        let maskBit: UInt8 = mask == nil ? 0 : 0x80
        bytes.storeBytes(of: (isFinal ? 0x80 : 0) | reservedBits | opcode.rawValue, as: UInt8.self)
        var count = 2
        switch payloadLength {
        case 0...125:
            bytes.storeBytes(of: maskBit | UInt8(payloadLength), toByteOffset: 1, as: UInt8.self)
        case 126...0xFFFF:
            bytes.storeBytes(of: maskBit | 126, toByteOffset: 1, as: UInt8.self)
            bytes.storeBytes(of: UInt16(payloadLength).bigEndian, toByteOffset: 2, as: UInt16.self)
            count = 4
        default:
            bytes.storeBytes(of: maskBit | 127, toByteOffset: 1, as: UInt8.self)
            bytes.storeBytes(of: payloadLength.bigEndian, toByteOffset: 2, as: UInt64.self)
            count = 10
        }
        if let mask {
            bytes.storeBytes(of: mask.key.littleEndian, toByteOffset: count, as: UInt32.self)
            count += 4
        }
        return count
    }

    /// Appends one whole frame: this header and the payload that it announces, masked when there is a mask.
    func write(_ payload: UnsafeRawBufferPointer, into out: inout ByteQueue) {
        _ = out.appendUninitialized(capacity: Self.maxByteCount + payload.count) { room in
            guard let base = room.baseAddress else { return 0 }
            let count = write(to: base)
            if let mask {
                mask.apply(to: payload, writingTo: base + count)
            } else if let source = payload.baseAddress {
                (base + count).copyBytes(from: source, count: payload.count)
            }
            return count + payload.count
        }
    }
}
