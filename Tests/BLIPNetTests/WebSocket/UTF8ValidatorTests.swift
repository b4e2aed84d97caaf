// UTF-8 that arrives in pieces, compared with the standard library's verdict on the whole.

import Testing

@testable import BLIPNet

@Suite struct UTF8ValidatorTests {
    private static func accepts(_ bytes: [UInt8], chunk: Int) -> Bool {
        var validator = UTF8Validator()
        var rest = bytes[...]
        while !rest.isEmpty {
            guard rest.prefix(chunk).withUnsafeBytes({ validator.accept($0) }) else { return false }
            rest = rest.dropFirst(chunk)
        }
        return validator.isComplete
    }

    private static let samples: [[UInt8]] = [
        [], [0], [0x7F], [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC2, 0x80], [0xC2], [0xC2, 0xC2], [0xDF, 0xBF],
        [0xE0, 0x9F, 0xBF], [0xE0, 0xA0, 0x80], [0xE0, 0xA0], [0xED, 0x9F, 0xBF], [0xED, 0xA0, 0x80],
        [0xED, 0xBF, 0xBF], [0xEE, 0x80, 0x80], [0xEF, 0xBF, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF],
        [0xF0, 0x90, 0x80, 0x80], [0xF4, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
        [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0xF0, 0x90, 0x80], Array("κόσμε grüße 😀".utf8),
        Array("eight by".utf8) + [0xC3] + Array("eight by".utf8),
    ]

    @Test("agrees with the standard library, however the bytes are cut", arguments: samples)
    func agrees(sample: [UInt8]) {
        // With ASCII around it, so that the fast path is entered and left at every alignment.
        for padding in 0..<17 {
            let ascii = [UInt8](repeating: 0x61, count: padding)
            let bytes = ascii + sample + ascii
            let expected = String(validating: bytes, as: UTF8.self) != nil
            for chunk in 1...max(1, bytes.count) {
                #expect(Self.accepts(bytes, chunk: chunk) == expected, "\(bytes) in pieces of \(chunk)")
            }
        }
    }

    @Test("agrees with the standard library on every sequence of two bytes before a continuation byte")
    func agreesOnPairs() {
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max {
                for tail in [[], [0x80], [0x80, 0x80]] as [[UInt8]] {
                    let bytes = [first, second] + tail
                    let expected = String(validating: bytes, as: UTF8.self) != nil
                    if Self.accepts(bytes, chunk: 1) != expected { Issue.record("\(bytes) is \(expected)") }
                }
            }
        }
    }

    @Test("fails at the first byte that cannot be right, not at the end of the character")
    func failsEarly() {
        var validator = UTF8Validator()
        #expect(([0xF4] as [UInt8]).withUnsafeBytes { validator.accept($0) })
        #expect(([0x90] as [UInt8]).withUnsafeBytes { validator.accept($0) } == false)
    }
}
