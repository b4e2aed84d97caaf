// The parts of a text, or of a search, that the two indexes see: pure functions, which SQL calls as well.

internal import ChatCore

enum SearchText {
    /// For the index of words: puts blanks around every character that is a unit of its own, which so becomes a word
    /// (CJK and other scripts without spaces, Hangul syllables, emoji). A search for some of them is then a phrase, of
    /// any length.
    static func words(of text: String) -> String { spaced(SearchForm.of(text)) }

    /// As it was before the indexes had the composed form: a letter and its mark were another text than the letter with it.
    static func wordsUncomposed(of text: String) -> String { spaced(SearchTerms.withoutInvisible(text)) }

    /// Whether the indexes have another form of `text` since they have the composed one.
    static func isRespelled(_ text: String) -> Bool {
        // Not `==`: for that they are the same.
        !SearchForm.of(text).utf8.elementsEqual(SearchTerms.withoutInvisible(text).utf8)
    }

    private static func spaced(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: standsAlone) else { return text }
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if standsAlone(scalar) {
                scalars.append(" ")
                scalars.append(scalar)
                scalars.append(" ")
            } else {
                scalars.append(scalar)
            }
        }
        return String(scalars)
    }

    /// Whether `text` has `part` in it, without regard to case, to what nobody can see and to how letters are composed.
    static func contains(_ text: String, _ part: String) -> Bool {
        let text = Array(fold(text).utf8)
        let part = Array(fold(part).utf8)
        guard let first = part.first else { return true }
        guard text.count >= part.count else { return false }
        return text.withUnsafeBufferPointer { text in
            part.withUnsafeBufferPointer { part in
                for start in 0...(text.count - part.count) where text[start] == first {
                    if (1..<part.count).allSatisfy({ text[start + $0] == part[$0] }) { return true }
                }
                return false
            }
        }
    }

    private static func fold(_ text: String) -> String { SearchForm.of(text).lowercased() }

    /// Whether `text` has an address in it, as the screen's list of links knows them: a scheme with `://` or `mailto:`,
    /// and something after it, or `www.` and a name with a dot in it.
    static func hasLink(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.indices.contains { colon in
            if bytes[colon] | 0x20 == UInt8(ascii: "w") { return isBareLink(at: colon, in: bytes) }
            guard bytes[colon] == UInt8(ascii: ":") else { return false }
            let scheme = scheme(endingAt: colon, in: bytes)
            guard !scheme.isEmpty else { return false }
            let rest = bytes[(colon + 1)...]
            if rest.starts(with: "//".utf8) { return rest.dropFirst(2).first.map(beginsAddress) ?? false }
            let isMail = scheme.map { $0 | 0x20 }.elementsEqual("mailto".utf8)
            return isMail && rest.first.map(beginsAddress) ?? false
        }
    }

    private static func isBareLink(at start: Int, in bytes: [UInt8]) -> Bool {
        guard bytes.count - start > 6, bytes[start..<start + 3].allSatisfy({ $0 | 0x20 == UInt8(ascii: "w") }),
            bytes[start + 3] == UInt8(ascii: ".")
        else { return false }
        if start > 0, case let before = bytes[start - 1],
            isSchemeByte(before) || before >= 0x80 || "@/_\\=".utf8.contains(before)
        {
            return false
        }
        let host = bytes[(start + 4)...].prefix { isSchemeByte($0) && $0 != UInt8(ascii: "+") || $0 >= 0x80 }
        guard let dot = host.firstIndex(of: UInt8(ascii: ".")), dot > start + 4, dot + 1 < host.endIndex else {
            return false
        }
        return host[dot + 1] != UInt8(ascii: ".")
    }

    /// The text before a colon that may be a scheme: it begins with a letter and has 15 characters at most.
    private static func scheme(endingAt colon: Int, in bytes: [UInt8]) -> ArraySlice<UInt8> {
        var start = colon
        while start > 0, colon - start < 15, isSchemeByte(bytes[start - 1]) { start -= 1 }
        return bytes[start..<colon].drop { !isLetter($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        isLetter(byte) || (0x30...0x39).contains(byte) || "+-.".utf8.contains(byte)
    }

    /// Letters, digits, `[` of an IPv6 address, `/` of a path, and everything beyond ASCII.
    private static func beginsAddress(_ byte: UInt8) -> Bool {
        isLetter(byte) || (0x30...0x39).contains(byte) || "[/".utf8.contains(byte) || byte >= 0x80
    }

    /// Whether the word index has something of `text`.
    static func hasWords(_ text: String) -> Bool { text.unicodeScalars.contains(where: isWordPart) }

    /// Whether the word index has all of `text` that matters: no signs but those that words have in them.
    static func isAllWords(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            scalar == " " || scalar == "'" || scalar == "\u{2019}" || isWordPart(scalar)
                || scalar.properties.generalCategory.isMark
        }
    }

    private static func isWordPart(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil || standsAlone(scalar)
    }

    /// Scripts that are written without spaces between words (Thai, Lao, Myanmar, Khmer, CJK, kana, Yi), Hangul, whose
    /// words carry their grammar with them, and symbols like emoji.
    private static func standsAlone(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0xA0: false
        case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x2E80...0x9FFF, 0xA000...0xA4CF, 0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFF66...0xFF9F, 0x20000...0x3FFFF:
            // A vowel sign stays with its letter.
            !scalar.properties.generalCategory.isMark
        default: scalar.properties.generalCategory == .otherSymbol
        }
    }
}

extension Unicode.GeneralCategory {
    fileprivate var isMark: Bool {
        switch self {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }
}

extension SearchTerm {
    /// How the term can be found first.
    enum Method: Equatable {
        /// In the index of words: as the beginning of a word, a phrase as whole words in order.
        case words
        /// As a part of the text, through the index of trigrams; needs three characters.
        case trigrams
        /// By looking at the texts, newest first.
        case scan
    }

    var method: Method { SearchText.hasWords(text) ? .words : partMethod }

    /// How the term is found inside of words.
    var partMethod: Method { text.unicodeScalars.count >= 3 ? .trigrams : .scan }

    /// The FTS5 expression for the index of words.
    var wordExpression: String { Self.quoted(SearchText.words(of: text)) + (isPhrase ? "" : " *") }

    /// The FTS5 expression for the index of trigrams, which knows no order: the caller must look at what it finds.
    var trigramExpression: String {
        let scalars = Array(text.unicodeScalars)
        // A few tell enough; all of a long term would only cost time.
        let count = scalars.count - 2
        let step = max(1, count / 8)
        return stride(from: 0, to: count, by: step).map { start in
            Self.quoted(String(String.UnicodeScalarView(scalars[start..<(start + 3)])))
        }.joined(separator: " AND ")
    }

    /// A string of FTS5: no character in it has a meaning.
    private static func quoted(_ text: String) -> String {
        "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
