// Decides what an entered line is: a message, or a command that must never be sent as one (PRODUCT, rule 7).

import ChatWords

/// The line on which Enter was pressed.
enum SlashLine: Sendable {
    /// To be sent as it is.
    case message(String)
    case command(SlashCommand, arguments: String)
    /// A command of PRODUCT that this version cannot do.
    case planned(String)
    /// Not a command; `suggestion` is the nearest one.
    case unknown(String, suggestion: String?)
    case empty

    /// A slash counts as the first character even after blanks and invisible characters: such a line is no message. It
    /// is no command either: the user who pasted it may not know what it would do. `//` means a text that begins with a
    /// slash.
    ///
    /// `aliases` are names with the lines that they mean; they cannot take the place of a command, and their lines have
    /// no aliases in them.
    static func parse(_ text: String, aliases: [String: String] = [:]) -> SlashLine {
        let visible = text.unicodeScalars.drop(while: isInvisible)
        guard let first = visible.first else { return .empty }
        if otherSlashes.contains(first), let meant = command(behind: visible.dropFirst()) {
            return .unknown(meant, suggestion: meant)
        }
        guard first == "/" else { return .message(text) }
        let rest = visible.dropFirst()
        if rest.first == "/" { return .message(ActionText.literal(String(rest))) }
        // A name is what is seen of it; one with something hidden in it is no command either.
        let nameEnd = rest.firstIndex(where: isBlank) ?? rest.endIndex
        var seen = String.UnicodeScalarView()
        seen.append(contentsOf: rest[..<nameEnd].lazy.filter { !isInvisible($0) })
        let name = String(seen)
        let isPlain = visible.startIndex == text.unicodeScalars.startIndex && seen.count == rest[..<nameEnd].count
        let arguments = String(rest[nameEnd...].drop(while: isInvisible))
        if let command = SlashCommands.named(name) {
            guard isPlain else { return .unknown(name, suggestion: name) }
            return .command(command, arguments: arguments)
        }
        if let line = aliases[name] ?? aliases[name.lowercased()] {
            guard isPlain else { return .unknown(name, suggestion: name) }
            return parse(SlashAlias.expand(line, arguments: arguments))
        }
        if SlashCommands.planned.contains(name.lowercased()) { return .planned(name.lowercased()) }
        return .unknown(name, suggestion: SlashCommands.suggestion(for: name, aliases: aliases.keys.sorted()))
    }

    /// Characters that input methods for Chinese and Japanese type for a slash, and that word processors make of one.
    private static let otherSlashes: [Unicode.Scalar] = ["／", "\u{2044}", "\u{2215}"]

    /// The command that a user meant by typing its name after another slash.
    private static func command(behind rest: Substring.UnicodeScalarView) -> String? {
        let name = String(rest.prefix { !isBlank($0) })
        return SlashCommands.named(name) == nil ? nil : name
    }

    /// Blanks, line ends, controls and characters that draw nothing; U+2800 is a pattern without dots.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        isBlank(scalar) || scalar.properties.isDefaultIgnorableCodePoint
    }

    /// Whether a character ends a name.
    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || scalar.properties.generalCategory == .control || scalar == "\u{2800}"
    }
}
