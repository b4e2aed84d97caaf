// Variable-length unsigned integers (LEB128) as BLIP frames and property lengths use them.

/// LEB128: seven bits a byte, the lowest first, the top bit set on every byte but the last; at most 10 bytes
/// (PROTOCOL 3.1). Non-minimal encodings are read, never written.
enum Varint {
    /// The most bytes that an encoding of 64 bits may have.
    static let maxBytes = 10

    /// How many bytes `encode` writes for `value` (1...10).
    static func encodedCount(_ value: UInt64) -> Int {
        (70 - (value | 1).leadingZeroBitCount) / 7
    }

    /// Writes `value` at the start of `buffer`, which must have room for it, and returns how many bytes it wrote.
    @discardableResult
    static func encode(_ value: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var rest = value
        var index = 0
        while rest >= 0x80 {
            buffer[index] = UInt8(truncatingIfNeeded: rest) | 0x80
            rest >>= 7
            index += 1
        }
        buffer[index] = UInt8(truncatingIfNeeded: rest)
        return index + 1
    }

    /// Appends `value` to `bytes`.
    static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Reads a whole varint from the front of `bytes` and drops it from there; `nil` when it is cut off, longer than
    /// 10 bytes or larger than 64 bits.
    static func decode(_ bytes: inout UnsafeRawBufferPointer) -> UInt64? {
        var partial = PartialVarint()
        guard case .complete(let value) = partial.take(from: &bytes) else { return nil }
        return value
    }
}

/// A varint that may arrive in pieces.
struct PartialVarint {
    enum Progress: Equatable {
        case incomplete
        case complete(UInt64)
        /// More than 10 bytes, or more than 64 bits.
        case malformed
    }

    private var value: UInt64 = 0
    private var count = 0

    /// Takes bytes from the front of `bytes` until the varint is complete or malformed or nothing is left.
    mutating func take(from bytes: inout UnsafeRawBufferPointer) -> Progress {
        var index = 0
        defer { bytes = UnsafeRawBufferPointer(rebasing: bytes[index...]) }
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            // The tenth byte has room for the one bit that is left of 64.
            if count == Varint.maxBytes - 1, byte > 1 { return .malformed }
            value |= UInt64(byte & 0x7F) << UInt64(7 * count)
            count += 1
            if byte & 0x80 == 0 { return .complete(value) }
        }
        return .incomplete
    }
}
