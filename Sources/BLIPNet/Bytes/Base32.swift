// Base32: how keys and names of the network are written for people.

/// Base32 of RFC 4648 section 6 in lower case without padding.
package enum Base32 {
    private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 8 + 4) / 5)
        var pending: UInt32 = 0
        var bits = 0
        for byte in bytes {
            pending = pending << 8 | UInt32(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(alphabet[Int(pending >> UInt32(bits) & 31)])
            }
        }
        if bits > 0 { text.append(alphabet[Int(pending << UInt32(5 - bits) & 31)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// `nil` for a character outside of the alphabet or for left-over bits that are not zero.
    package static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count * 5 / 8)
        var pending: UInt32 = 0
        var bits = 0
        for character in text.utf8 {
            let lower = (0x41...0x5A).contains(character) ? character + 32 : character
            guard let value = alphabet.firstIndex(of: lower) else { return nil }
            pending = (pending << 5 | UInt32(value)) & 0xFFFF
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: pending >> UInt32(bits)))
            }
        }
        let rest = pending & ((1 << UInt32(bits)) - 1)
        return rest == 0 && bits < 5 ? bytes : nil
    }
}
