// The name that is being typed after `from:` or `in:` in a search.

import ChatCore
import ChatWords

/// What Tab completes there: `from:al` → `from:Alice `, `in:"Ann L` → `in:"Ann Lee" `.
struct SearchNameCompletion: Equatable {
    /// The part of the name that is there, without a quotation mark.
    let beginning: String
    /// How many characters come before it, and before its quotation mark.
    let start: Int

    /// `nil` where no name is being typed.
    init?(textBeforeCursor text: String) {
        let characters = Array(text)
        var wordStart = 0
        var isQuoted = false
        for (index, character) in characters.enumerated() {
            if character == "\"" { isQuoted.toggle() }
            if character.isWhitespace, !isQuoted { wordStart = index + 1 }
        }
        let word = String(characters[wordStart...])
        guard let filter = ["from:", "in:"].first(where: { word.lowercased().hasPrefix($0) }) else { return nil }
        let rest = characters[(wordStart + filter.count)...]
        start = rest.startIndex
        beginning = String(rest.first == "\"" ? rest.dropFirst() : rest)
        if rest.first == "\"", !isQuoted { return nil }
    }

    /// The names that begin so, as names are compared.
    func names(among names: [String]) -> [String] {
        let wanted = ContactNames.folded(beginning)
        return names.filter { ContactNames.folded($0).hasPrefix(wanted) }
    }

    /// As the search reads it: in quotation marks where there are blanks in it; closed when it is a whole one.
    func written(_ name: String, isWhole: Bool) -> String {
        let needsQuotes = name.contains { $0.isWhitespace || $0 == "\"" }
        guard needsQuotes else { return name + (isWhole ? " " : "") }
        let inner = name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\\"")
        return "\"\(inner)" + (isWhole ? "\" " : "")
    }
}
