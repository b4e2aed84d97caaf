// The varints of frame headers and property lengths.

import Testing

@testable import BLIPNet

@Suite struct VarintTests {
    private static let samples: [UInt64] = [
        0, 1, 0x7F, 0x80, 300, 0x3FFF, 0x4000, 0x1F_FFFF, 0x20_0000, 1 << 35, (1 << 56) - 1, 1 << 56, 1 << 62, .max - 1,
        .max,
    ]

    @Test("reads what it wrote, and knows the length beforehand", arguments: samples)
    func roundTrip(value: UInt64) {
        var bytes: [UInt8] = []
        Varint.append(value, to: &bytes)
        #expect(bytes.count == Varint.encodedCount(value))
        var buffer = [UInt8](repeating: 0xAA, count: 12)
        let count = buffer.withUnsafeMutableBytes { Varint.encode(value, into: $0) }
        #expect(Array(buffer[..<count]) == bytes)
        #expect(decode(bytes + [0x55]) == Decoded(value: value, rest: 1))
    }

    @Test("reads a varint that comes byte by byte", arguments: samples)
    func split(value: UInt64) {
        var bytes: [UInt8] = []
        Varint.append(value, to: &bytes)
        var partial = PartialVarint()
        for (index, byte) in bytes.enumerated() {
            let progress = [byte].withUnsafeBytes { all in
                var rest = all
                return partial.take(from: &rest)
            }
            #expect(progress == (index == bytes.count - 1 ? .complete(value) : .incomplete))
        }
    }

    @Test("reads an encoding with needless zero groups")
    func nonMinimal() {
        #expect(decode([0x81, 0x80, 0x00]) == Decoded(value: 1, rest: 0))
    }

    @Test("refuses what is cut off, too long or too large")
    func malformed() {
        #expect(decode([]) == nil)
        #expect(decode([0xFF, 0xFF]) == nil)
        let nine = [UInt8](repeating: 0xFF, count: 9)
        #expect(decode(nine + [0x01]) == Decoded(value: .max, rest: 0))
        #expect(decode(nine + [0x02]) == nil)
        #expect(decode(nine + [0x81, 0x00]) == nil)
        #expect(decode([UInt8](repeating: 0x80, count: 10) + [0x00]) == nil)
    }

    private struct Decoded: Equatable {
        var value: UInt64
        var rest: Int
    }

    private func decode(_ bytes: [UInt8]) -> Decoded? {
        bytes.withUnsafeBytes { all in
            var rest = all
            guard let value = Varint.decode(&rest) else { return nil }
            return Decoded(value: value, rest: rest.count)
        }
    }
}
