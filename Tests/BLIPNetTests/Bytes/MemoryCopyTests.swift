// Copies at every distance that matters.

import Testing

@testable import BLIPNet

@Suite struct MemoryCopyTests {
    @Test("copies all bytes and no other, whatever the lengths and the places modulo a page")
    func copies() throws {
        let source = (0..<12_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 256) }
        for count in [0, 1, 1_023, 1_024, 1_025, 2_048, 2_500, 7_777] {
            for offset in [0, 1, 15, 16, 63, 64, 4_095] {
                let target = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384 + 4_096, alignment: 4_096)
                defer { target.deallocate() }
                target.initializeMemory(as: UInt8.self, repeating: 0xEE)
                let base = try #require(target.baseAddress)
                try source.withUnsafeBytes { bytes in
                    let start = try #require(bytes.baseAddress)
                    let page = Int(bitPattern: start) & 0xFFF
                    let place = (page + offset) & 0xFFF
                    (base + place).copyBytes(from: start, count: count)
                    #expect(target[place..<(place + count)].elementsEqual(bytes[..<count]))
                    #expect(target[..<place].allSatisfy { $0 == 0xEE })
                    #expect(target[(place + count)...].allSatisfy { $0 == 0xEE })
                }
            }
        }
    }
}
