// Masking of client frames (RFC 6455 section 5.3): XOR with a repeated four-byte key.

/// A masking key. Applying it twice restores the bytes.
struct WebSocketMask: Equatable {
    /// The key's bytes in wire order, the first one in the lowest bits.
    let key: UInt32

    init(key: UInt32) { self.key = key }

    /// Masks or unmasks `bytes` in place. `offset` is where they stand in the payload of the frame.
    func apply(to bytes: UnsafeMutableRawBufferPointer, offset: Int = 0) {
        guard key != 0, let base = bytes.baseAddress else { return }
        let shift = UInt32(truncatingIfNeeded: (offset & 3) * 8)
        let rotated = key &>> shift | (shift == 0 ? 0 : key &<< (32 - shift))
        let pattern = UInt64(rotated) << 32 | UInt64(rotated)
        let word = pattern.littleEndian
        let count = bytes.count
        var index = 0
        // Eight bytes at a time; the compiler makes vector instructions of it.
        while index &+ 8 <= count {
            let place = base + index
            place.storeBytes(of: place.loadUnaligned(as: UInt64.self) ^ word, as: UInt64.self)
            index &+= 8
        }
        var rest = pattern
        while index < count {
            let place = base + index
            place.storeBytes(of: place.load(as: UInt8.self) ^ UInt8(truncatingIfNeeded: rest), as: UInt8.self)
            rest &>>= 8
            index &+= 1
        }
    }
}
