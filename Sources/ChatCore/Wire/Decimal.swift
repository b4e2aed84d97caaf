// Decimal numbers as properties have them: digits and nothing else, checked on UTF-8 bytes.

/// Strict decimal numbers (PROTOCOL 4). `Int(_:)` of the standard library also takes signs; this does not.
enum Decimal {
    /// The number, or `nil` for anything but 1 to 19 digits whose value fits (an `Int64` that is not negative).
    static func parse(_ text: String) -> UInt64? {
        let bytes = text.utf8
        guard (1...19).contains(bytes.count) else { return nil }
        var value: UInt64 = 0
        for byte in bytes {
            guard (0x30...0x39).contains(byte) else { return nil }
            // 19 digits stay below 10^19, which a UInt64 holds.
            value = value &* 10 &+ UInt64(byte &- 0x30)
        }
        return value <= UInt64(Int64.max) ? value : nil
    }
}
