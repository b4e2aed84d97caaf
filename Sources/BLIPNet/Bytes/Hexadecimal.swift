// Numbers and bytes in hexadecimal digits: digests, ids, escapes.

extension BinaryInteger {
    /// At least `digits` digits: `(0x41).hex(4)` is `0041`. Not for negative numbers.
    package func hex(_ digits: Int, uppercase: Bool = false) -> String {
        let text = String(self, radix: 16, uppercase: uppercase)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}

extension [UInt8] {
    /// Reads two digits of either case per byte; `nil` for anything else.
    package init?(hex: String) {
        let digits = hex.utf8.compactMap(HTTPSyntax.hexValue)
        guard digits.count == hex.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
        self = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// Two lower-case digits per byte.
    package var hex: String {
        var text = ""
        text.reserveCapacity(count * 2)
        for byte in self { text += byte.hex(2) }
        return text
    }
}
