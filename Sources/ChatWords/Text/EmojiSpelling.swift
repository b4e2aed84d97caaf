// Emoji as words, for `emoji = "name"`: fonts without them show boxes, and screen readers read words better.

/// Replaces emoji in a text from outside by their names between colons, before it is filtered.
package enum EmojiSpelling {
    package static func spelled(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0.value > 0x7F && $0.properties.isEmoji }) else { return text }
        return text.streamSafe.reduce(into: "") { result, character in
            result += name(of: character).map { ":\($0):" } ?? String(character)
        }
    }

    /// `nil` for what is no emoji. Joined sequences are named by their first member, flags by their country code.
    private static func name(of character: Character) -> String? {
        let scalars = character.unicodeScalars
        guard let first = scalars.first, first.value > 0x7F else { return nil }
        if TextWidth.isRegionalIndicator(first.value) {
            guard scalars.count == 2, scalars.allSatisfy({ TextWidth.isRegionalIndicator($0.value) }) else {
                return nil
            }
            let letters = scalars.map {
                Character(Unicode.Scalar(UInt8(truncatingIfNeeded: $0.value - 0x1F1E6 + 0x61)))
            }
            return "flag " + String(letters)
        }
        let isEmoji =
            first.properties.isEmojiPresentation || (first.properties.isEmoji && scalars.contains("\u{FE0F}"))
        return isEmoji ? first.properties.name?.lowercased() : nil
    }
}
