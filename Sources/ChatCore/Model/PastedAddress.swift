// An address as it comes out of a terminal or another chat: broken into rows, with blanks and pieces of a frame.

/// Takes from a pasted text what belongs to the address.
package enum PastedAddress {
    /// Without white space, and without the lines that terminals draw between panes: no address has any of them, and a
    /// copied row brings them along.
    package static func withoutLayout(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { !isLayout($0) }))
    }

    /// The address at the beginning of the text that was typed after a command, and the rest after the address (a
    /// name).
    ///
    /// Rows belong together however they were broken. Blanks are ambiguous: words are taken until there is an address
    /// with a whole peer id; when there is none, the first word is the address.
    package static func split(_ text: String) -> (address: String, rest: String) {
        let joined = withoutRows(text)
        let words = joined.unicodeScalars.split(whereSeparator: \.properties.isWhitespace)
        guard let first = words.first else { return ("", "") }
        func rest(after count: Int) -> String { words.dropFirst(count).map { String($0) }.joined(separator: " ") }
        var address = ""
        for (index, word) in words.enumerated().prefix(most) {
            address.unicodeScalars.append(contentsOf: word)
            guard hasPeerID(address) else { continue }
            // Broken in front of the name.
            let next = words.dropFirst(index + 1).first
            if let next, next.first == "#" || next.first == "?" {
                address.unicodeScalars.append(contentsOf: next)
                return (address, rest(after: index + 2))
            }
            return (address, rest(after: index + 1))
        }
        return (String(first), rest(after: 1))
    }

    /// Words that one address may be broken into.
    package static let most = 32

    private static func hasPeerID(_ text: String) -> Bool {
        (try? PeerAddress(parsing: text))?.peerID != nil
    }

    /// Line ends and frames, with the blanks around them, are gone; other blanks stay.
    private static func withoutRows(_ text: String) -> String {
        var kept = String.UnicodeScalarView()
        var blanks = String.UnicodeScalarView()
        var isRowEnd = false
        for scalar in text.unicodeScalars {
            if scalar.properties.isWhitespace || isFrame(scalar) {
                blanks.append(scalar)
                if isFrame(scalar) || isLineEnd(scalar) { isRowEnd = true }
            } else {
                if !isRowEnd { kept.append(contentsOf: blanks) }
                blanks = String.UnicodeScalarView()
                isRowEnd = false
                kept.append(scalar)
            }
        }
        return String(kept)
    }

    private static func isLayout(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace || isFrame(scalar) }

    private static func isLineEnd(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }

    /// Vertical lines of the box drawing characters and of ASCII frames.
    private static func isFrame(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x7C, 0x2502, 0x2503, 0x2506, 0x2507, 0x250A, 0x250B, 0x254E, 0x254F, 0x2551, 0x258F, 0x2595: true
        default: false
        }
    }
}
