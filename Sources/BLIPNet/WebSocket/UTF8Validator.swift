// Checks UTF-8 that arrives in pieces (RFC 3629), and fails at the first byte that cannot be right.

/// An incremental UTF-8 check for text messages: fed with any cut of the bytes, it gives the same verdict.
struct UTF8Validator: Sendable {
    /// Continuation bytes that the current character still needs.
    private var missing = 0
    /// The range that the next continuation byte must be in; narrower behind E0, ED, F0 and F4, which rules out
    /// overlong forms, surrogates and values above 10FFFF at once.
    private var lower: UInt8 = 0x80
    private var upper: UInt8 = 0xBF

    init() {}

    /// Whether the bytes so far end at the border of a character.
    var isComplete: Bool { missing == 0 }

    /// Takes the next bytes; `false` when they cannot be part of valid UTF-8. After that the validator is of no use.
    mutating func accept(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let base = bytes.baseAddress else { return true }
        let count = bytes.count
        var index = 0
        while index < count {
            if missing == 0 {
                // ASCII runs, eight bytes at a time.
                while index &+ 8 <= count,
                    (base + index).loadUnaligned(as: UInt64.self) & 0x8080_8080_8080_8080 == 0
                {
                    index &+= 8
                }
                if index == count { break }
            }
            guard accept(base.load(fromByteOffset: index, as: UInt8.self)) else { return false }
            index &+= 1
        }
        return true
    }

    private mutating func accept(_ byte: UInt8) -> Bool {
        if missing > 0 {
            guard byte >= lower, byte <= upper else { return false }
            missing &-= 1
            (lower, upper) = (0x80, 0xBF)
            return true
        }
        switch byte {
        case 0x00...0x7F: return true
        case 0xC2...0xDF: missing = 1
        case 0xE0: (missing, lower) = (2, 0xA0)
        case 0xED: (missing, upper) = (2, 0x9F)
        case 0xE1...0xEF: missing = 2
        case 0xF0: (missing, lower) = (3, 0x90)
        case 0xF1...0xF3: missing = 3
        case 0xF4: (missing, upper) = (3, 0x8F)
        default: return false
        }
        return true
    }
}
