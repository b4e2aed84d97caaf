// One deflate stream and one checksum for a connection's life.

import TestSupport
import Testing

@testable import BLIPNet

@Suite struct BLIPCompressionTests {
    @Test("frames of any kind of data come back, in one stream", arguments: 1...5)
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let deflater = FrameDeflater()
        let inflater = FrameInflater(limit: 1 << 20)
        for _ in 0..<40 {
            let count = Int.random(in: 0...60_000, using: &random)
            let data = random.bytes(count, alphabet: .random(using: &random) ? 255 : 3)
            let packed = deflate(data, deflater)
            #expect(packed.count <= data.count + FrameDeflater.maxGrowth(data.count))
            #expect(data.isEmpty == packed.isEmpty)
            #expect(try inflate(packed, inflater) == data)
        }
    }

    @Test("an empty frame may be no bytes or the byte 00")
    func empty() throws {
        let inflater = FrameInflater(limit: 1_000)
        #expect(try inflate([], inflater) == [])
        #expect(try inflate([0x00], inflater) == [])
        let deflater = FrameDeflater()
        #expect(try inflate(deflate([1, 2, 3], deflater), inflater) == [1, 2, 3])
    }

    @Test(
        "refuses what is not deflate, and a stream that ends", arguments: [[0x07], [0x03, 0x00], [0xFF, 0xFF, 0xFF]])
    func malformed(bytes: [UInt8]) {
        #expect(throws: BLIPViolation.badFrame("malformed compressed data")) {
            try inflate(bytes, FrameInflater(limit: 1_000))
        }
    }

    @Test("a bomb stops at the limit")
    func bomb() {
        let packed = deflate([UInt8](repeating: 0, count: 8 << 20), FrameDeflater(level: 9))
        #expect(packed.count < 9_000)
        #expect(throws: BLIPViolation.self) { try inflate(packed, FrameInflater(limit: (8 << 20) - 1)) }
        #expect(throws: Never.self) { try inflate(packed, FrameInflater(limit: 8 << 20)) }
    }

    @Test("the checksum is zlib's, over everything so far")
    func checksum() {
        var checksum = FrameChecksum()
        Array("1234".utf8).withUnsafeBytes { checksum.update($0) }
        [UInt8]().withUnsafeBytes { checksum.update($0) }
        Array("56789".utf8).withUnsafeBytes { checksum.update($0) }
        #expect(checksum.value == 0xCBF4_3926)
        var bytes = [UInt8](repeating: 0, count: 4)
        bytes.withUnsafeMutableBytes { checksum.write(into: $0) }
        #expect(bytes == [0xCB, 0xF4, 0x39, 0x26])
        #expect(bytes.withUnsafeBytes { FrameChecksum.read($0) } == 0xCBF4_3926)
    }

    private func deflate(_ data: [UInt8], _ deflater: FrameDeflater) -> [UInt8] {
        var room = [UInt8](repeating: 0, count: data.count + FrameDeflater.maxGrowth(data.count))
        let count = data.withUnsafeBytes { input in room.withUnsafeMutableBytes { deflater.deflate(input, into: $0) } }
        return Array(room[..<count])
    }

    private func inflate(_ bytes: [UInt8], _ inflater: FrameInflater) throws -> [UInt8] {
        defer { inflater.shrink() }
        return try bytes.withUnsafeBytes { Array(try inflater.inflate($0)) }
    }
}
