// The bodies of the profile `source`, by the rule of PROTOCOL 5.

import BLIPNet
import Testing

@testable import Workbench

@Suite struct GeneratedSourceTests {
    @Test("yields the top bytes of the generator, the first one from the second state")
    func rand() {
        // x1 = 1442695040888963407 = 14057B7EF767814F (hexadecimal) from seed 0; the others by Python.
        #expect(GeneratedSource(kind: .rand, byteCount: 4, seed: 0).allBytes() == [0x14, 0x1A, 0x9A, 0x66])
        #expect(GeneratedSource(kind: .rand, byteCount: 4, seed: 1).allBytes() == [0x6C, 0x82, 0xA5, 0x62])
    }

    @Test("yields the same bytes in any cut, and as many as asked for")
    func cuts() {
        for kind in [GeneratedSource.Kind.rand, .text, .zero] {
            let whole = GeneratedSource(kind: kind, byteCount: 200_001, seed: 9).allBytes()
            #expect(whole.count == 200_001)
            let source = GeneratedSource(kind: kind, byteCount: 200_001, seed: 9)
            var pieces: [UInt8] = []
            var size = 1
            while true {
                var piece = [UInt8](repeating: 0, count: size)
                let count = piece.withUnsafeMutableBytes { source.read(into: $0) }
                guard count > 0 else { break }
                pieces += piece[..<count]
                size = size * 3 % 10_007 + 1
            }
            #expect(pieces == whole)
            #expect(source.readCount == 200_001)
        }
    }

    @Test("ends when it is stopped")
    func stop() {
        let source = GeneratedSource(kind: .zero, byteCount: .max)
        var block = [UInt8](repeating: 1, count: 10)
        #expect(block.withUnsafeMutableBytes { source.read(into: $0) } == 10)
        #expect(block == [UInt8](repeating: 0, count: 10))
        source.stop()
        #expect(block.withUnsafeMutableBytes { source.read(into: $0) } == 0)
    }
}
