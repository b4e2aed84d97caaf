// Whether a message names us: what `@` in the list and `bell = "mention"` go by.

enum Mention {
    /// `name` stands in `text` as words of its own, in any case, with or without an @.
    static func isIn(_ text: String, name: String) -> Bool {
        let wanted = Array(name.lowercased())
        guard !wanted.isEmpty else { return false }
        let letters = Array(text.lowercased())
        guard letters.count >= wanted.count else { return false }
        return (0...letters.count - wanted.count).contains { start in
            let end = start + wanted.count
            return letters[start] == wanted[0] && letters[start..<end].elementsEqual(wanted)
                && (start == 0 || !isPartOfWord(letters[start - 1]))
                && (end == letters.count || !isPartOfWord(letters[end]))
        }
    }

    private static func isPartOfWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_"
    }
}
