// The form in which texts are searched: those that look the same are the same. Macintosh computers write the names of files
// in letters and marks of their own, as do some keyboards; everybody else writes composed letters.

@_spi(_Unicode) import Swift

/// The form of texts in the indexes, and of the words that a search looks for in them.
package enum SearchForm {
    /// More marks than a letter has in any language (UAX #15 12): the time to compose them is the square of their number.
    private static let mostMarks = 30

    /// `text` without invisible characters, composed (NFC), and with at most 30 marks on a letter. A text in that form
    /// is returned as it is; the time is that of its length.
    package static func of(_ text: String) -> String {
        // Of these there are no two spellings, and none is invisible but NUL, which would end the text for the tokenizer.
        if text.utf8.allSatisfy({ $0 < 0x80 && $0 != 0 }) { return text }
        var needsComposing = false
        var marks = 0
        var scalars = String.UnicodeScalarView()
        for scalar in SearchTerms.withoutInvisible(text).unicodeScalars {
            marks = isMark(scalar) ? marks + 1 : 0
            guard marks <= mostMarks else { continue }
            needsComposing = needsComposing || mayChange(scalar)
            scalars.append(scalar)
        }
        let kept = String(scalars)
        return needsComposing ? String(String.UnicodeScalarView(kept._nfc)) : kept
    }

    /// Whether a scalar can be another one, or a part of another one, in the composed form: all but most letters up to
    /// Cyrillic and the common ideographs, so that texts of these are not gone through twice.
    private static func mayChange(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x300, 0x400..<0x483, 0x3400..<0xA000: false
        // Kana; U+3099 and U+309A are the marks on them.
        case 0x3041..<0x3099, 0x309B...0x30FF: false
        // Syllables of Hangul: only one that begins like a part of another is followed by that part, U+11xx.
        case 0xAC00...0xD7A3: false
        default: true
        }
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x300 else { return false }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return true
        default: return false
        }
    }
}
