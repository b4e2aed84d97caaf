// The identity of a stored chat operation, made by its sender.

import BLIPNet

/// A UUIDv7 (RFC 9562 section 5.7) in lower-case text: 48 bits of milliseconds, then 74 random bits. Ids of one sender
/// sort by time of making, which keeps database inserts local.
package struct MessageID: Sendable, Hashable, CustomStringConvertible {
    /// The 36 characters, lower case.
    package let text: String

    /// A fresh id; the random part comes from the system generator.
    package init(at time: Timestamp) {
        var generator = SystemRandomNumberGenerator()
        self.init(at: time, random: (generator.next(), generator.next()))
    }

    /// An id from given randomness, for deterministic tests.
    init(at time: Timestamp, random: (UInt64, UInt64)) {
        let milliseconds = UInt64(clamping: time.milliseconds) & 0xFFFF_FFFF_FFFF
        let high = milliseconds << 16 | 0x7000 | (random.0 & 0x0FFF)
        let low = (random.1 & 0x3FFF_FFFF_FFFF_FFFF) | 0x8000_0000_0000_0000
        text = [
            (high >> 32).hex(8), (high >> 16 & 0xFFFF).hex(4), (high & 0xFFFF).hex(4), (low >> 48).hex(4),
            (low & 0xFFFF_FFFF_FFFF).hex(12),
        ].joined(separator: "-")
    }

    /// Reads an id from the wire or the database: any UUID of 36 lower-case characters is accepted, since foreign
    /// implementations may use other versions. `nil` for anything else.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 36 else { return nil }
        for (index, byte) in bytes.enumerated() {
            switch (index, byte) {
            case (8, UInt8(ascii: "-")), (13, UInt8(ascii: "-")), (18, UInt8(ascii: "-")), (23, UInt8(ascii: "-")):
                continue
            case (8, _), (13, _), (18, _), (23, _): return nil
            case (_, 0x30...0x39), (_, 0x61...0x66): continue
            default: return nil
            }
        }
        self.text = text
    }

    package var description: String { text }
}
