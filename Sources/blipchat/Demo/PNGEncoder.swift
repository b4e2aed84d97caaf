// Writes a picture as PNG (ISO/IEC 15948) without compression, so that a demo file can be made from nothing.

/// Eight-bit RGB pictures in zlib's "stored" blocks.
struct PNGEncoder {
    /// The whole file. `pixels` has `width * height` times red, green and blue, row by row.
    static func encode(width: Int, height: Int, pixels: [UInt8]) -> [UInt8] {
        precondition(width > 0 && height > 0 && pixels.count == width * height * 3)
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        // Depth 8, colour type 2 (RGB), deflate, no filter method but 0, not interlaced.
        let header = bigEndian(width) + bigEndian(height) + [8, 2, 0, 0, 0]
        appendChunk("IHDR", header, to: &file)
        var rows: [UInt8] = []
        rows.reserveCapacity(pixels.count + height)
        for row in 0..<height {
            // Each row begins with its filter: none.
            rows.append(0)
            rows += pixels[(row * width * 3)..<((row + 1) * width * 3)]
        }
        appendChunk("IDAT", zlibStored(rows), to: &file)
        appendChunk("IEND", [], to: &file)
        return file
    }

    private static func bigEndian(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    private static func appendChunk(_ type: String, _ data: [UInt8], to file: inout [UInt8]) {
        let content = Array(type.utf8) + data
        file += bigEndian(data.count) + content + bigEndian(Int(crc32(content)))
    }

    /// RFC 1950 around RFC 1951 blocks of type 0, at most 65,535 bytes each.
    private static func zlibStored(_ bytes: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        var start = 0
        repeat {
            let end = min(start + 65_535, bytes.count)
            let length = UInt16(end - start)
            stream.append(end == bytes.count ? 1 : 0)
            for part in [length, ~length] { stream += [UInt8(part & 0xFF), UInt8(part >> 8)] }
            stream += bytes[start..<end]
            start = end
        } while start < bytes.count
        return stream + bigEndian(Int(adler32(bytes)))
    }

    private static func adler32(_ bytes: [UInt8]) -> UInt32 {
        var low: UInt32 = 1
        var high: UInt32 = 0
        for byte in bytes {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return high << 16 | low
    }

    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0) { crc, byte in crcTable[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] ^ (crc >> 8) }
    }

    private static let crcTable: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
    }
}
