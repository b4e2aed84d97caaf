// Masking by words, compared with the four-byte loop of RFC 6455 section 5.3; and where keys come from.

import Synchronization
import Testing

@testable import BLIPNet

@Suite struct WebSocketMaskTests {
    @Test("masks like the loop in the RFC, at every length, offset and alignment")
    func masksLikeTheLoop() {
        let key: [UInt8] = [0x01, 0x80, 0xFE, 0x37]
        let mask = WebSocketMask(key: 0x37FE_8001)
        for length in 0..<70 {
            for offset in 0..<9 {
                for alignment in 0..<8 {
                    var bytes = (0..<(length + alignment)).map { UInt8(truncatingIfNeeded: $0 * 7) }
                    var expected = bytes
                    for index in 0..<length { expected[alignment + index] ^= key[(offset + index) % 4] }
                    bytes.withUnsafeMutableBytes {
                        mask.apply(to: UnsafeMutableRawBufferPointer(rebasing: $0[alignment...]), offset: offset)
                    }
                    if bytes != expected { Issue.record("length \(length), offset \(offset), at \(alignment)") }
                }
            }
        }
    }

    @Test("draws keys in batches, and a new batch when one is used up")
    func drawsBatches() {
        let draws = Mutex(0)
        let source = WebSocketFixtures.random(seed: 7)
        var keys = MaskKeySource(
            random: RandomSource { buffer in
                draws.withLock { $0 += 1 }
                source.fill(buffer)
            })
        let drawn = Set((0..<1_000).map { _ in keys.next().key })
        #expect(drawn.count > 995)
        #expect(draws.withLock { $0 } == 4)
    }

    @Test("the system's randomness fills buffers of any size")
    func systemRandomness() {
        #expect(RandomSource.system.bytes(0).isEmpty)
        let bytes = RandomSource.system.bytes(1_000)
        #expect(bytes.count == 1_000)
        #expect(Set(bytes).count > 100)
        #expect(bytes[744...].contains { $0 != 0 })
    }
}
