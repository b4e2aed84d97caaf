// The commands that sentences of ours hint at, `Pinned (/pins lists all)`: a click types them into the input. It runs
// nothing, because a name or a file in the same sentence comes from others.

import ChatWords

/// Finds commands in sentences.
enum SentenceHints {
    /// The words in front of the command that somebody may have meant.
    static let suggestion = "Did you mean "

    /// The commands at the beginning of a sentence or of parentheses, with what a click types.
    static func hints(in sentence: String) -> [Hint] {
        // Most sentences have none, and each frame looks at them.
        guard sentence.utf8.contains(UInt8(ascii: "/")) else { return [] }
        var hints: [Hint] = []
        var previous: Character = "("
        for place in sentence.indices {
            defer { previous = sentence[place] }
            guard sentence[place] == "/", previous == "(" || sentence[..<place] == suggestion,
                let hint = hint(at: sentence[place...])
            else { continue }
            hints.append(hint)
        }
        return hints
    }

    private static func hint(at text: Substring) -> Hint? {
        let name = text.dropFirst().prefix { $0.isLetter }
        guard let command = SlashCommands.available.first(where: { $0.names.contains(String(name)) }) else {
            return nil
        }
        var words = text.prefix(name.count + 1)
        let end = text.firstIndex { ");,:?".contains($0) } ?? text.endIndex
        let rest = text[words.endIndex..<end].drop { $0 == " " }
        // `/resume 8`, `/unblock Bob`; but not `/pins lists what is` and `/query WHO opens one`.
        let first = rest.prefix { $0 != " " }
        let isNumber = !first.isEmpty && first.allSatisfy { $0.isNumber || $0 == "#" }
        let isPlaceholder = first.allSatisfy { $0.isUppercase || !$0.isLetter }
        // Without a name it means the open chat; a sentence names somebody.
        let takesName = command.needsArgument || command.verb == .unblock
        if isNumber || (takesName && !isPlaceholder) {
            words = text[words.startIndex..<(isNumber ? first.endIndex : end)]
        }
        let line = String(words)
        return Hint(line, .typed(words.endIndex == name.endIndex && command.needsArgument ? line + " " : line))
    }
}

extension StyledLine {
    /// Adds a piece of a sentence of ours; the commands in it can be clicked.
    mutating func add(sentence part: SafeText, _ style: Style, hints: [Hint]) {
        var rest = part
        for hint in hints {
            let text = rest.text
            guard let range = text.ranges(of: hint.words).first else { continue }
            let start = rest.clusters.prefix(text[..<range.lowerBound].count)
            let words = rest.clusters.dropFirst(start.count).prefix(hint.words.count)
            guard SafeText(clusters: words).text == hint.words else { continue }
            add(SafeText(clusters: start), style)
            add(SafeText(clusters: words), style, target: hint.meaning)
            rest = SafeText(clusters: rest.clusters.dropFirst(start.count + words.count))
        }
        add(rest, style)
    }
}
