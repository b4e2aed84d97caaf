// One command of a command line: the row from which parsing and help are made.

/// The commands of a program. The raw value has the words that are typed: one, two (a group and its member), or none for
/// what the program does without a command.
package protocol CommandWords: RawRepresentable<String>, CaseIterable, Hashable, Sendable {}

extension CommandWords {
    package var words: [Substring] { rawValue.split(separator: " ") }
}

/// How a command is used.
package struct CommandSpecification<Name: CommandWords>: Sendable {
    package let name: Name
    /// The operands as help texts show them.
    package let operands: String
    /// How many operands there may be.
    package let operandCount: ClosedRange<Int>
    /// Without a capital letter and a full stop.
    package let summary: String
    /// More sentences for the command's own help.
    package let details: String
    package let options: [OptionSpecification]

    package init(
        _ name: Name, operands: String = "", count: ClosedRange<Int> = 0...0, _ summary: String, details: String = "",
        options: [OptionSpecification] = []
    ) {
        self.name = name
        self.operands = operands
        self.operandCount = count
        self.summary = summary
        self.details = details
        self.options = options
    }

    /// `history [OPTIONS] WHO`: with the options that are required; the others are listed below.
    package var usage: String {
        var words = name.words.map(String.init)
        if !options.isEmpty { words.append("[OPTIONS]") }
        words += options.filter(\.isRequired).map(\.longForm)
        if !operands.isEmpty { words.append(operands) }
        return words.joined(separator: " ")
    }
}
