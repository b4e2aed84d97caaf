// The character classes of HTTP (RFC 9110 section 5.6), on bytes: peers' text is never looked at as Characters.

/// Classes of bytes and the few forms that the handshake needs.
package enum HTTPSyntax {
    /// A byte of a token (method, field name, subprotocol).
    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    static func isToken(_ bytes: some Collection<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy(isTokenByte)
    }

    /// A byte of a field value or reason phrase: visible, space, tab, or above ASCII.
    static func isValueByte(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || byte == 0x09 }

    static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// The value of a hexadecimal digit; `nil` for another byte.
    static func hexValue(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    static func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

    /// Equal byte for byte. (`==` on strings takes the Kelvin sign for a K.)
    static func equal(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }

    /// Equal but for the case of ASCII letters.
    static func equalIgnoringCase(_ left: some Sequence<UInt8>, _ right: some Sequence<UInt8>) -> Bool {
        left.lazy.map(lowercased).elementsEqual(right.lazy.map(lowercased))
    }

    /// Without blanks at either end.
    static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes
        while let first = bytes.first, isBlank(first) { bytes.removeFirst() }
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        return bytes
    }

    /// Text of a head: UTF-8 if it is that, else byte for byte as ISO 8859-1, HTTP's old default. Nothing is lost.
    static func text(_ bytes: ArraySlice<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var scalars = String.UnicodeScalarView()
        for byte in bytes { scalars.append(Unicode.Scalar(byte)) }
        return String(scalars)
    }

    /// `text` with every byte that is not in `allowed` (nor unreserved in RFC 3986) written as `%XX`.
    package static func percentEncoded(_ text: String, allowing allowed: StaticString) -> [UInt8] {
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            let isPlain: Bool =
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                    UInt8(ascii: "_"), UInt8(ascii: "~"):
                    true
                default: allowed.withUTF8Buffer { $0.contains(byte) }
                }
            if isPlain {
                encoded.append(byte)
            } else {
                encoded += "%\(byte.hex(2, uppercase: true))".utf8
            }
        }
        return encoded
    }
}
