// Splits the arguments of a slash command: quotes, backslashes, and the rest of a line.

import ChatCore
import ChatWords

/// Reads arguments from the left. `"two words"` and `two\ words` are one argument; an unclosed quote ends with the text.
struct ArgumentScanner {
    private var rest: Substring

    init(_ text: String) {
        rest = text[...]
    }

    /// Whether nothing follows but blanks.
    var isAtEnd: Bool { rest.allSatisfy(\.isWhitespace) }

    /// The next argument without its quotes; `nil` at the end.
    mutating func next() -> String? {
        skipBlanks()
        guard !rest.isEmpty else { return nil }
        var word = ""
        var quote: Character?
        while let character = rest.first {
            if let open = quote {
                rest.removeFirst()
                if character == open {
                    quote = nil
                } else if character == "\\", open == "\"", let escaped = rest.first, "\"\\".contains(escaped) {
                    rest.removeFirst()
                    word.append(escaped)
                } else {
                    word.append(character)
                }
            } else if character.isWhitespace {
                break
            } else if character == "\"" || character == "'", word.isEmpty {
                rest.removeFirst()
                quote = character
            } else if character == "\\" {
                rest.removeFirst()
                if let escaped = rest.popFirst() { word.append(escaped) }
            } else {
                rest.removeFirst()
                word.append(character)
            }
        }
        return word
    }

    /// The rest as a name: without quotes around the whole of it; `nil` when nothing is left.
    mutating func name() -> String? {
        guard let text = remainder() else { return nil }
        var scanner = ArgumentScanner(text)
        guard let first = text.first, first == "\"" || first == "'", let name = scanner.next() else { return text }
        return scanner.remainder() == nil ? name : text
    }

    /// The next argument when it is in quotes; else nothing is taken.
    mutating func quoted() -> String? {
        skipBlanks()
        return rest.first == "\"" || rest.first == "'" ? next() : nil
    }

    /// The longest of `names` that the rest begins with, as names are seen (in any case of the letters, any blanks
    /// between words) and without quotes; else the next argument. Somebody's second name is no text to send to whom the
    /// first one fits.
    mutating func next(among names: [String]) -> String? {
        skipBlanks()
        guard let first = rest.first, first != "\"", first != "'" else { return next() }
        let folded = Set(names.map(ContactNames.folded))
        let most = names.lazy.map { $0.split(whereSeparator: \.isWhitespace).count }.max() ?? 0
        var found: String.Index?
        var end = rest.startIndex
        for _ in 0..<most {
            while end < rest.endIndex, rest[end].isWhitespace { end = rest.index(after: end) }
            guard end < rest.endIndex else { break }
            while end < rest.endIndex, !rest[end].isWhitespace { end = rest.index(after: end) }
            if folded.contains(ContactNames.folded(String(rest[..<end]))) { found = end }
        }
        guard let found else { return next() }
        let name = String(rest[..<found])
        rest = rest[found...]
        return name
    }

    /// The key of a setting, as it is shown: `contact."Ann Lee".keep`, with its quotation marks. A whole one in quotation marks
    /// is read without them.
    mutating func nextKey() -> String? {
        skipBlanks()
        guard let first = rest.first, first != "\"", first != "'" else { return next() }
        var isQuoted = false
        let key = rest.prefix { character in
            if character == "\"" { isQuoted.toggle() }
            return isQuoted || !character.isWhitespace
        }
        guard !isQuoted else { return next() }
        rest = rest[key.endIndex...]
        return String(key)
    }

    /// Everything that is left, raw, without blanks around it; `nil` when nothing is.
    mutating func remainder() -> String? {
        skipBlanks()
        defer { rest = "" }
        while let last = rest.last, last.isWhitespace { rest.removeLast() }
        return rest.isEmpty ? nil : String(rest)
    }

    /// The arguments that are left.
    mutating func all() -> [String] {
        var words: [String] = []
        while let word = next() { words.append(word) }
        return words
    }

    /// An argument as `next` reads it back; quoted only when it must be.
    static func quoted(_ word: String, open: Bool = false) -> String {
        let isPlain = !word.isEmpty && !word.contains { $0.isWhitespace || "\"'\\".contains($0) }
        if isPlain { return word }
        var text = "\""
        for character in word {
            if "\"\\".contains(character) { text.append("\\") }
            text.append(character)
        }
        return open ? text : text + "\""
    }

    private mutating func skipBlanks() {
        while let first = rest.first, first.isWhitespace { rest.removeFirst() }
    }
}
