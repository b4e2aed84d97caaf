// Whether a text speaks to our user.

import ChatWords

/// Mentions of a name.
enum NameMention {
    /// Whether `name` is in `text` as a word (or words) of its own, in any case.
    static func occurs(of name: String, in text: String) -> Bool {
        let wanted = Array(name.lowercased())
        guard !wanted.isEmpty else { return false }
        let text = Array(text.streamSafe.lowercased())
        guard text.count >= wanted.count else { return false }
        for start in 0...(text.count - wanted.count) where text[start..<start + wanted.count].elementsEqual(wanted) {
            let end = start + wanted.count
            let isWholeBefore = start == 0 || !isPartOfWord(text[start - 1])
            if isWholeBefore, end == text.count || !isPartOfWord(text[end]) { return true }
        }
        return false
    }

    private static func isPartOfWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_"
    }
}
