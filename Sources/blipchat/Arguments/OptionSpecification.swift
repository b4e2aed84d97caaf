// One option of the command line, as a row of the table from which parsing and help are made.

/// An option: `--name`, `--name VALUE` or `--name=VALUE`, perhaps with a short form.
struct OptionSpecification: Sendable, Equatable {
    /// With its two dashes.
    let name: String
    /// The letter of the short form.
    let short: Character?
    /// What stands for the value in help texts; `nil` for a flag.
    let value: String?
    let help: String

    init(_ name: String, short: Character? = nil, value: String? = nil, _ help: String) {
        self.name = name
        self.short = short
        self.value = value
        self.help = help
    }

    /// The words that the value can be, when it is one of a few: `auto|always|never`.
    var choices: [String] {
        guard let value, value.utf8.allSatisfy({ $0 == UInt8(ascii: "|") || (0x61...0x7A).contains($0) }) else {
            return []
        }
        return value.split(separator: "|").map(String.init)
    }

    /// `-n, --count N` for the help text.
    var usage: String {
        let long = value.map { "\(name) \($0)" } ?? name
        return short.map { "-\($0), \(long)" } ?? long
    }
}

extension OptionSpecification {
    /// Understood by every command.
    static let global: [OptionSpecification] = [
        .init("--data-dir", value: "DIR", "keep everything under DIR (like BLIPCHAT_HOME=DIR)"),
        .init("--profile", value: "NAME", "use another identity and history; default \"default\""),
        .init("--config", value: "FILE", "read FILE instead of config.toml"),
        .init("--json", "one JSON object per line on standard output"),
        .init("--quiet", short: "q", "print only errors on standard error"),
        .init("--verbose", short: "v", "explain on standard error what it does"),
        .init("--color", value: "auto|always|never", "colours; auto: on a terminal without NO_COLOR"),
        .init("--progress", value: "auto|bar|plain|json|none", "show file progress on standard error"),
        .init("--timeout", value: "SECONDS", "how long to wait for the peer"),
        .init("--passphrase-fd", value: "N", "read the passphrase for your key from descriptor N"),
        .init("--no-input", "never ask; fail if an answer is needed"),
        .init("--help", short: "h", "show how to use this command"),
        .init("--version", short: "V", "show which version this is"),
    ]
}
