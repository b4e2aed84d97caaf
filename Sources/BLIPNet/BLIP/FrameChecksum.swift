// The running CRC-32 of one direction of a connection.

import CZlib

/// The CRC-32 of zlib over the uncompressed data of every frame but ACKs, in wire order (PROTOCOL 3.2). Frames carry its
/// value after them, big-endian.
struct FrameChecksum {
    /// Bytes that a checksum takes in a frame.
    static let byteCount = 4

    private(set) var value: UInt32 = 0

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return }
        let start = base.assumingMemoryBound(to: UInt8.self)
        value = czlib_crc32(value, start, bytes.count)
    }

    /// Writes the value into the first 4 bytes of `buffer`.
    func write(into buffer: UnsafeMutableRawBufferPointer) {
        buffer.storeBytes(of: value.bigEndian, as: UInt32.self)
    }

    /// The value that the first 4 bytes of `bytes` carry.
    static func read(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))
    }
}
