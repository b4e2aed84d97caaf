// A person's query as terms, and the terms as FTS5 expressions. No character of the query has a meaning to FTS5 or SQL.

/// The terms of a query: white space separates, quotes keep a phrase together, `-` in front excludes.
struct SearchTerms: Equatable {
    struct Term: Equatable {
        var text: String
        var isPhrase: Bool
        var isExcluded: Bool
    }

    /// At most this many terms count; more would only cost time (5,000 repeated words took 9 s, RELIABILITY 4).
    static let maximumCount = 16
    /// A longer term is cut; no word is longer, and a phrase of that length is unique anyway.
    static let maximumTermBytes = 256

    var terms: [Term] = []

    init(parsing query: String) {
        var text = String.UnicodeScalarView()
        var isQuoted = false
        var isExcluded = false

        func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace || scalar.value < 0x20 }
        func finish(into terms: inout [Term], phrase: Bool) {
            let visible = SearchIndex.withoutInvisible(String(text))
            text = String.UnicodeScalarView()
            if !visible.isEmpty, terms.count < Self.maximumCount {
                terms.append(Term(text: visible, isPhrase: phrase, isExcluded: isExcluded))
            }
            isExcluded = false
        }
        for scalar in query.unicodeScalars {
            if terms.count >= Self.maximumCount { break }
            switch scalar {
            case "\"", "\u{201C}", "\u{201D}":
                finish(into: &terms, phrase: isQuoted)
                isQuoted.toggle()
            case _ where isSpace(scalar) && !isQuoted: finish(into: &terms, phrase: false)
            case "-" where text.isEmpty && !isQuoted: isExcluded = true
            default:
                if String(text).utf8.count < Self.maximumTermBytes { text.append(isSpace(scalar) ? " " : scalar) }
            }
        }
        finish(into: &terms, phrase: isQuoted)
    }
}

extension SearchTerms.Term {
    /// How the term can be found.
    enum Method: Equatable {
        /// As the beginning of a word (a phrase: as whole words, in order).
        case words
        /// As a part of the text, through the trigram index; needs three characters.
        case trigrams
        /// By looking at the texts, newest first; for short terms in scripts without spaces, and for emoji.
        case scan
    }

    var method: Method {
        let scalars = text.unicodeScalars
        let isWordLike = scalars.contains { $0.properties.isAlphabetic || $0.properties.numericType != nil }
        if isWordLike, !scalars.contains(where: Self.isUnspaced) { return .words }
        return scalars.count >= 3 ? .trigrams : .scan
    }

    /// The FTS5 string for this term: quoted, with quotes doubled.
    func quoted(asPrefix: Bool) -> String {
        "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
            + (asPrefix && !isPhrase ? " *" : "")
    }

    /// The LIKE pattern for this term, with `\` as the escape character.
    var pattern: String {
        var pattern = "%"
        for scalar in text.unicodeScalars {
            if scalar == "%" || scalar == "_" || scalar == "\\" { pattern.unicodeScalars.append("\\") }
            pattern.unicodeScalars.append(scalar)
        }
        return pattern + "%"
    }

    /// Scripts that are written without spaces between words: CJK, kana, Thai, Lao, Myanmar, Khmer.
    private static func isUnspaced(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x2E80...0x9FFF, 0xA000...0xA4CF, 0xF900...0xFAFF,
            0xFF66...0xFF9F, 0x20000...0x3FFFF:
            true
        default: false
        }
    }
}
