// Masking of client frames (RFC 6455 section 5.3): XOR with a repeated four-byte key.

/// A masking key. Applying it twice restores the bytes.
struct WebSocketMask: Equatable, Sendable {
    /// The key's bytes in wire order, the first one in the lowest bits.
    let key: UInt32

    init(key: UInt32) { self.key = key }

    /// Masks or unmasks `bytes` in place. `offset` is where they are in the payload of the frame.
    func apply(to bytes: UnsafeMutableRawBufferPointer, offset: Int = 0) {
        guard key != 0, let base = bytes.baseAddress else { return }
        Self.apply(pattern(at: offset), from: UnsafeRawPointer(base), to: base, count: bytes.count)
    }

    /// Writes `source`, the beginning of a payload, masked to `target`, which must have as much room.
    func apply(to source: UnsafeRawBufferPointer, writingTo target: UnsafeMutableRawPointer) {
        guard let base = source.baseAddress else { return }
        Self.apply(pattern(at: 0), from: base, to: target, count: source.count)
    }

    /// The key twice, as it falls on the bytes from `offset` on, the first one in the lowest bits.
    private func pattern(at offset: Int) -> UInt64 {
        let shift = UInt32(truncatingIfNeeded: (offset & 3) * 8)
        let rotated = key &>> shift | (shift == 0 ? 0 : key &<< (32 - shift))
        return UInt64(rotated) << 32 | UInt64(rotated)
    }

    private static func apply(
        _ pattern: UInt64, from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, count: Int
    ) {
        let word = pattern.littleEndian
        let wide = SIMD8(repeating: word)
        var index = 0
        while index &+ 64 <= count {
            let masked = (source + index).loadUnaligned(as: SIMD8<UInt64>.self) ^ wide
            (target + index).storeBytes(of: masked, as: SIMD8<UInt64>.self)
            index &+= 64
        }
        while index &+ 8 <= count {
            (target + index).storeBytes(of: (source + index).loadUnaligned(as: UInt64.self) ^ word, as: UInt64.self)
            index &+= 8
        }
        var rest = pattern
        while index < count {
            let masked = (source + index).load(as: UInt8.self) ^ UInt8(truncatingIfNeeded: rest)
            (target + index).storeBytes(of: masked, as: UInt8.self)
            rest &>>= 8
            index &+= 1
        }
    }
}
