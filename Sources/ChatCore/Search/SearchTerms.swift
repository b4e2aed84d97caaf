// A person's query as terms: white space separates, quotes keep a phrase together, `-` in front excludes. Made here for
// the store, which finds them, and for the screen, which marks them.

/// One word or phrase of a search.
package struct SearchTerm: Sendable, Equatable, Codable {
    package var text: String
    /// Stood in quotes: these words, whole and in this order.
    package var isPhrase: Bool
    /// Messages with it are left out.
    package var isExcluded: Bool

    package init(text: String, isPhrase: Bool = false, isExcluded: Bool = false) {
        self.text = text
        self.isPhrase = isPhrase
        self.isExcluded = isExcluded
    }
}

/// Reads terms. No character has a meaning beyond quotes and a minus in front, and no length does harm.
package enum SearchTerms {
    /// At most this many terms count; more would only cost time (5,000 repeated words took 9 s, RELIABILITY 4).
    package static let maximumCount = 16
    /// A longer term is cut; no word is longer, and a phrase of that length is unique anyway.
    package static let maximumTermBytes = 256

    /// The terms of `query`, in their order; without white space, control characters and empty terms.
    package static func parse(_ query: String) -> [SearchTerm] {
        var scanner = SearchScanner(query)
        var terms: [SearchTerm] = []
        while terms.count < maximumCount, let word = scanner.next() {
            if let term = term(of: word) { terms.append(term) }
        }
        return terms
    }

    /// `nil` when nothing visible is in it.
    static func term(of word: SearchScanner.Word) -> SearchTerm? {
        var text = String.UnicodeScalarView()
        var count = 0
        for scalar in word.text.unicodeScalars where !isInvisible(scalar) {
            count += UTF8.width(scalar)
            guard count <= maximumTermBytes else { break }
            text.append(SearchScanner.isSpace(scalar) ? " " : scalar)
        }
        guard text.contains(where: { $0 != " " }) else { return nil }
        return SearchTerm(text: String(text), isPhrase: word.isQuoted, isExcluded: word.isExcluded)
    }

    /// Without characters that nobody can see and so nobody would type (PRODUCT, "Hostile text").
    package static func withoutInvisible(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0.value == 0 || isInvisible($0) }) else { return text }
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where !isInvisible(scalar) {
            // A NUL would end the text for the tokenizer.
            scalars.append(scalar.value == 0 ? " " : scalar)
        }
        return String(scalars)
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0xAD && scalar.properties.isDefaultIgnorableCodePoint
    }
}

extension UTF8 {
    fileprivate static func width(_ scalar: Unicode.Scalar) -> Int {
        scalar.value < 0x80 ? 1 : scalar.value < 0x800 ? 2 : scalar.value < 0x10000 ? 3 : 4
    }
}

/// Splits a search into words: blanks separate, quotation marks hold together.
struct SearchScanner {
    struct Word: Equatable {
        var text: String
        var isQuoted = false
        var isExcluded = false
    }

    private let scalars: String.UnicodeScalarView
    private var place: String.UnicodeScalarView.Index

    init(_ text: String) {
        scalars = text.unicodeScalars
        place = scalars.startIndex
    }

    /// The next word, without its quotes and without the minus in front of it; `nil` at the end. A quotation mark
    /// inside an unquoted word begins a new word, except after a colon: `from:"Ann Lee"` is one word, and so is
    /// `from:Fr"ed`. Within quotes a backslash precedes a mark that is meant literally.
    mutating func next() -> Word? {
        while let scalar = current, Self.isSpace(scalar) { advance() }
        guard current != nil else { return nil }
        var word = Word(text: "")
        while current == "-" {
            word.isExcluded = true
            advance()
        }
        if let scalar = current, Self.isQuote(scalar) {
            word.isQuoted = true
            advance()
            word.text = quotedRest()
            return word
        }
        var text = String.UnicodeScalarView()
        while let scalar = current, !Self.isSpace(scalar) {
            if Self.isQuote(scalar) {
                if text.last == ":" {
                    advance()
                    text.append(contentsOf: quotedRest().unicodeScalars)
                    break
                }
                guard text.contains(":") else { break }
            }
            text.append(scalar)
            advance()
        }
        word.text = String(text)
        return word
    }

    private mutating func quotedRest() -> String {
        var text = String.UnicodeScalarView()
        while let scalar = current {
            advance()
            if Self.isQuote(scalar) { break }
            if scalar == "\\", let mark = current, Self.isQuote(mark) {
                text.append(mark)
                advance()
                continue
            }
            text.append(scalar)
        }
        return String(text)
    }

    private var current: Unicode.Scalar? { place < scalars.endIndex ? scalars[place] : nil }
    private mutating func advance() { place = scalars.index(after: place) }

    static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value <= 0x20 || (scalar.value > 0x7F && scalar.properties.isWhitespace)
    }

    private static func isQuote(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\"" || scalar == "\u{201C}" || scalar == "\u{201D}"
    }
}
