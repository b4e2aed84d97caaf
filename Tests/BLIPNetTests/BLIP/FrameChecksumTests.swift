// The checksum of BLIP_3 frames is zlib's, however the bytes come.

import CZlib
import TestSupport
import Testing

@testable import BLIPNet

@Suite("Frame checksum") struct FrameChecksumTests {
    private func zlib(_ bytes: [UInt8]) -> UInt32 { UInt32(truncatingIfNeeded: crc32_z(0, bytes, bytes.count)) }

    @Test("is the CRC-32 of the standard's test string")
    func checkValue() {
        var checksum = FrameChecksum()
        Array("123456789".utf8).withUnsafeBytes { checksum.update($0) }
        #expect(checksum.value == 0xCBF4_3926)
    }

    @Test("agrees with zlib for every length up to 400 and every alignment")
    func everyLength() {
        var random = SeededGenerator(seed: 1)
        let bytes = (0..<500).map { _ in UInt8.random(in: 0...255, using: &random) }
        for count in 0...400 {
            for start in 0..<16 {
                var checksum = FrameChecksum()
                bytes.withUnsafeBytes { checksum.update(UnsafeRawBufferPointer(rebasing: $0[start..<(start + count)])) }
                #expect(checksum.value == zlib(Array(bytes[start..<(start + count)])))
            }
        }
    }

    @Test("does not depend on how the data is cut", arguments: 1...50)
    func cuts(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let bytes = (0..<Int.random(in: 0...40_000, using: &random)).map { _ in
            UInt8.random(in: 0...255, using: &random)
        }
        var checksum = FrameChecksum()
        var offset = 0
        while offset < bytes.count {
            let end = min(bytes.count, offset + Int.random(in: 0...20_000, using: &random))
            bytes.withUnsafeBytes { checksum.update(UnsafeRawBufferPointer(rebasing: $0[offset..<end])) }
            offset = end
        }
        #expect(checksum.value == zlib(bytes))
    }
}
