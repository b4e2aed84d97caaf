// Paths as terminals, shells and file managers paste them: in quotation marks, with backslashes, as a file URI.

import ChatWords

/// The meaning of a path that was pasted.
enum PastedPath {
    /// The path alone. Text in no such form stays as it is.
    static func plain(_ text: String) -> String {
        let text = text.trimmedBlanks
        if let path = path(ofURI: text) { return path }
        guard text.hasPrefix("'") || text.hasPrefix("\"") || text.contains("\\") else { return text }
        var scanner = ArgumentScanner(text)
        guard let word = scanner.next(), scanner.remainder() == nil else { return text }
        return word
    }

    /// `file:///home/jo/my%20file.txt`, of this machine or without saying of which (RFC 8089); `nil` when it is none.
    static func path(ofURI text: String) -> String? {
        let scheme = "file://"
        guard text.lowercased().hasPrefix(scheme) else { return nil }
        let rest = text.dropFirst(scheme.count)
        guard let slash = rest.firstIndex(of: "/") else { return nil }
        var bytes: [UInt8] = []
        var encoded = Array(rest[slash...].utf8)[...]
        while let byte = encoded.popFirst() {
            let digits = encoded.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2, digits.allSatisfy(isHexDigit),
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                encoded = encoded.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        guard !bytes.contains(0) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool { Character(Unicode.Scalar(byte)).isHexDigit }
}
