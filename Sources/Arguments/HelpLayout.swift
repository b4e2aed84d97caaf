// The layout of help texts. They are generated from the specifications, so they always agree with the parser.

/// The pieces of a help text.
package enum HelpLayout {
    /// The help of one command: its use, what it does, and `options`.
    package static func command<Name>(
        _ command: CommandSpecification<Name>, of program: String, options: [OptionSpecification]
    ) -> String {
        var text = "Usage: \(program) \(command.usage)\n\n\(sentence(command.summary))\n"
        if !command.details.isEmpty { text += "\n\(command.details)\n" }
        if !options.isEmpty { text += "\nOptions:\n" + rows(options) }
        return text
    }

    package static func rows(_ options: [OptionSpecification]) -> String { rows(options.map { ($0.usage, $0.help) }) }

    /// Two columns; the right one begins at the same place in all rows.
    package static func rows(_ rows: [(left: String, right: String)]) -> String {
        let width = rows.map(\.left.count).max() ?? 0
        return rows.map { left, right in
            "  " + left + String(repeating: " ", count: width - left.count + 2) + right + "\n"
        }.joined()
    }

    private static func sentence(_ summary: String) -> String {
        summary.prefix(1).uppercased() + summary.dropFirst() + "."
    }
}
