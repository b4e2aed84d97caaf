// Checks UTF-8 that arrives in pieces (RFC 3629), and fails at the first byte that cannot be right.

/// An incremental UTF-8 check for text messages: fed with any cut of the bytes, it gives the same verdict.
struct UTF8Validator: Sendable {
    /// Continuation bytes that the current character still needs.
    private var missing = 0
    /// The range that the next continuation byte must be in; narrower after E0, ED, F0 and F4, which rules out overlong
    /// forms, surrogates and values above 10FFFF at once.
    private var lower: UInt8 = 0x80
    private var upper: UInt8 = 0xBF

    init() {}

    /// Whether the bytes so far end at the border of a character.
    var isComplete: Bool { missing == 0 }

    /// Takes the next bytes; `false` when they cannot be part of valid UTF-8. After that the validator is of no use.
    mutating func accept(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let base = bytes.baseAddress else { return true }
        let end = base + bytes.count
        var place = base
        while missing > 0, place < end {
            guard accept(place.load(as: UInt8.self)) else { return false }
            place += 1
        }
        while true {
            place = Self.skipWholeCharacters(from: place, to: end)
            if place == end { return true }
            // A character that is cut off by the end or wrong: byte by byte, to fail at the first wrong one.
            repeat {
                guard accept(place.load(as: UInt8.self)) else { return false }
                place += 1
            } while missing > 0 && place < end
        }
    }

    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// The place of the first character that is not whole or not valid; `end` when there is none.
    private static func skipWholeCharacters(
        from start: UnsafeRawPointer, to end: UnsafeRawPointer
    ) -> UnsafeRawPointer {
        var place = start
        while place < end {
            guard place.load(as: UInt8.self) >= 0x80 else {
                place = skipASCII(from: place, to: end)
                continue
            }
            let length = wholeCharacter(at: place, to: end)
            if length == 0 { break }
            place += length
        }
        return place
    }

    /// Runs of ASCII, 64 and 8 bytes at a time.
    @inline(__always)
    private static func skipASCII(from start: UnsafeRawPointer, to end: UnsafeRawPointer) -> UnsafeRawPointer {
        var place = start
        func word(_ index: Int) -> UInt64 { place.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self) }
        while end - place >= 64 {
            let (first, second) = (word(0) | word(1) | word(2) | word(3), word(4) | word(5) | word(6) | word(7))
            guard (first | second) & highBits == 0 else { break }
            place += 64
        }
        while end - place >= 8, place.loadUnaligned(as: UInt64.self) & highBits == 0 { place += 8 }
        while place < end, place.load(as: UInt8.self) < 0x80 { place += 1 }
        return place
    }

    /// The length of the character of two to four bytes at `place`; 0 when it is wrong or continues beyond `end`.
    @inline(__always)
    private static func wholeCharacter(at place: UnsafeRawPointer, to end: UnsafeRawPointer) -> Int {
        func byte(_ offset: Int) -> UInt8 { place.load(fromByteOffset: offset, as: UInt8.self) }
        func isContinuation(_ offset: Int) -> Bool { byte(offset) & 0xC0 == 0x80 }
        let first = byte(0)
        switch first {
        case 0xC2...0xDF:
            return end - place >= 2 && isContinuation(1) ? 2 : 0
        case 0xE0...0xEF:
            guard end - place >= 3, isContinuation(1), isContinuation(2) else { return 0 }
            if first == 0xE0 { return byte(1) >= 0xA0 ? 3 : 0 }
            if first == 0xED { return byte(1) <= 0x9F ? 3 : 0 }
            return 3
        case 0xF0...0xF4:
            guard end - place >= 4, isContinuation(1), isContinuation(2), isContinuation(3) else { return 0 }
            if first == 0xF0 { return byte(1) >= 0x90 ? 4 : 0 }
            if first == 0xF4 { return byte(1) <= 0x8F ? 4 : 0 }
            return 4
        default:
            return 0
        }
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
