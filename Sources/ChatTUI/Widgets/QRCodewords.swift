// The bytes of a QR code: text to codewords, error correction behind them (ISO/IEC 18004, 7.4 to 7.6), level L.

/// What a version of a QR code holds, and how.
struct QRCodewords {
    let version: Int

    /// Error correction codewords of each block, by version from 1 (table 9, level L).
    private static let correction = [
        7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28, 28, 28, 30, 30, 26, 28, 30, 30,
        30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
    ]
    /// Blocks, by version from 1 (table 9, level L).
    private static let blocks = [
        1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8, 8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19,
        19, 20, 21, 22, 24, 25,
    ]

    private var correctionCount: Int { Self.correction[version - 1] }
    private var blockCount: Int { Self.blocks[version - 1] }

    /// All codewords that fit between the patterns.
    private var totalCount: Int {
        var modules = (16 * version + 128) * version + 64
        if version >= 2 {
            let count = version / 7 + 2
            modules -= (25 * count - 10) * count - 55
            if version >= 7 { modules -= 36 }
        }
        return modules / 8
    }

    private var dataCount: Int { totalCount - correctionCount * blockCount }
    private var lengthBits: Int { version < 10 ? 8 : 16 }

    /// Whether so many bytes fit.
    func holds(_ count: Int) -> Bool { (4 + lengthBits + count * 8 + 7) / 8 <= dataCount }

    /// Mode, length, `bytes` and padding, cut into blocks with their error correction, in the order of drawing.
    func interleaved(_ bytes: [UInt8]) -> [UInt8] {
        let data = padded(bytes)
        let shortLength = dataCount / blockCount
        let longBlocks = dataCount % blockCount
        let divisor = ReedSolomon(degree: correctionCount)
        var parts: [[UInt8]] = []
        var start = 0
        for block in 0..<blockCount {
            let length = shortLength + (block >= blockCount - longBlocks ? 1 : 0)
            parts.append(Array(data[start..<(start + length)]))
            start += length
        }
        let checks = parts.map(divisor.remainder)
        var result: [UInt8] = []
        for index in 0...shortLength { result += parts.compactMap { $0.indices.contains(index) ? $0[index] : nil } }
        for index in 0..<correctionCount { result += checks.map { $0[index] } }
        return result
    }

    private func padded(_ bytes: [UInt8]) -> [UInt8] {
        var bits: [Bool] = []
        func append(_ value: Int, _ count: Int) {
            for shift in stride(from: count - 1, through: 0, by: -1) { bits.append(value >> shift & 1 == 1) }
        }
        append(0b0100, 4)
        append(bytes.count, lengthBits)
        for byte in bytes { append(Int(byte), 8) }
        append(0, min(4, dataCount * 8 - bits.count))
        while bits.count % 8 != 0 { bits.append(false) }
        var data = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<(start + 8)].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
        }
        var isFirst = true
        while data.count < dataCount {
            data.append(isFirst ? 0xEC : 0x11)
            isFirst.toggle()
        }
        return data
    }
}

/// Error correction over the field of 256 elements with the polynomial 0x11D.
struct ReedSolomon {
    /// The divisor without its leading 1, highest power first.
    private let divisor: [UInt8]

    init(degree: Int) {
        var divisor = Array(repeating: UInt8(0), count: degree)
        divisor[degree - 1] = 1
        var root: UInt8 = 1
        for _ in 0..<degree {
            for index in 0..<degree {
                divisor[index] = Self.multiply(divisor[index], root)
                if index + 1 < degree { divisor[index] ^= divisor[index + 1] }
            }
            root = Self.multiply(root, 2)
        }
        self.divisor = divisor
    }

    /// The check bytes of `data`.
    func remainder(_ data: [UInt8]) -> [UInt8] {
        var result = Array(repeating: UInt8(0), count: divisor.count)
        for byte in data {
            let factor = byte ^ result.removeFirst()
            result.append(0)
            for index in result.indices { result[index] ^= Self.multiply(divisor[index], factor) }
        }
        return result
    }

    private static func multiply(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var product: UInt8 = 0
        for shift in stride(from: UInt8(7), through: 0, by: -1) {
            product = product << 1 ^ (product >> 7) &* 0x1D
            if right >> shift & 1 == 1 { product ^= left }
        }
        return product
    }
}
