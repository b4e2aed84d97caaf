// One option of a command line: the row from which parsing and help are made.

/// An option: `--name`, `--name VALUE` or `--name=VALUE`, perhaps with a short form.
package struct OptionSpecification: Sendable, Equatable {
    /// With its two dashes.
    package let name: String
    /// The letter of the short form.
    package let short: Character?
    /// The placeholder for the value in help texts, such as FILE; `nil` for a flag.
    package let value: String?
    /// The command cannot do without it.
    package let isRequired: Bool
    package let help: String

    package init(
        _ name: String, short: Character? = nil, value: String? = nil, required: Bool = false, _ help: String
    ) {
        self.name = name
        self.short = short
        self.value = value
        isRequired = required
        self.help = help
    }

    /// The words that the value can be, when it is one of a few: `auto|always|never`.
    package var choices: [String] {
        guard let value, value.utf8.allSatisfy({ $0 == UInt8(ascii: "|") || (0x61...0x7A).contains($0) }) else {
            return []
        }
        return value.split(separator: "|").map(String.init)
    }

    /// `--count N`.
    var longForm: String { value.map { "\(name) \($0)" } ?? name }

    /// `-n`.
    var shortForm: String? { short.map { "-\($0)" } }

    /// `-n, --count N` for the help text.
    package var usage: String { shortForm.map { "\($0), \(longForm)" } ?? longForm }
}
