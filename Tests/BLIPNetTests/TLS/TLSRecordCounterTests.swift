// Where records begin and end, however the stream is cut.

import Testing

@testable import BLIPNet

@Suite("Records of a TLS stream") struct TLSRecordCounterTests {
    @Test("what is missing is the rest of the record that has begun, in any cut")
    func cuts() {
        // The value that is expected after each byte.
        var stream: [UInt8] = []
        var missing: [Int] = []
        for length in [1, 0, 5, 256, 16_640, 2, 300] {
            stream += [0x17, 3, 3, UInt8(length >> 8), UInt8(length & 0xFF)] + [UInt8](repeating: 0x17, count: length)
            missing += [0, 0, 0, 0] + (0...length).reversed()
        }
        for step in [1, 2, 3, 5, 7, 259, 1448, 16_645, stream.count] {
            var counter = TLSRecordCounter()
            for start in stride(from: 0, to: stream.count, by: step) {
                let end = min(start + step, stream.count)
                stream.withUnsafeBytes { counter.pass(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
                #expect(counter.missing == missing[end - 1], "after \(end) bytes in steps of \(step)")
            }
        }
    }
}
