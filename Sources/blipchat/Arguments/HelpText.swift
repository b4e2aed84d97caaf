// The help texts, made from the table in CommandTable so that they cannot say anything else than what is parsed.

enum HelpText {
    /// `blipchat history [OPTIONS] WHO`.
    static func usage(_ command: CommandSpecification) -> String {
        var words = [command.title]
        if !command.options.isEmpty { words.append("[OPTIONS]") }
        if !command.operands.isEmpty { words.append(command.operands) }
        return words.joined(separator: " ")
    }

    /// The help of one command.
    static func of(_ command: CommandSpecification) -> String {
        if command.name == .screen { return overview }
        var text = "Usage: \(usage(command))\n\n\(sentence(command.summary))\n"
        if !command.details.isEmpty { text += "\n\(command.details)\n" }
        if !command.options.isEmpty { text += "\nOptions:\n" + rows(command.options.map { ($0.usage, $0.help) }) }
        return text + "\nOptions for every command:\n" + globalRows
    }

    /// The help of a word that begins several commands.
    static func of(group: String, _ commands: [CommandSpecification]) -> String {
        let usual = CommandName.defaultsOfGroups[Substring(group)].map { $0.rawValue } ?? ""
        return "Usage: blipchat \(group) COMMAND [OPTIONS] ...\n\nCommands (blipchat \(group) alone means \(usual)):\n"
            + rows(commands.map { (commandColumn($0), $0.summary) })
            + "\nblipchat \(group) COMMAND --help says more about a command.\n"
    }

    /// The help of the whole.
    static let overview: String = {
        let screen = CommandSpecification.of(.screen)
        var text = "Usage: \(usage(screen))\n       blipchat COMMAND [OPTIONS] ...\n\n"
        text += "A chat from terminal to terminal: no account, no server.\n\n"
        text += "Without a command: \(screen.summary).\n\(screen.details)\n\nCommands:\n"
        let commands = CommandSpecification.table.filter { $0.name != .screen }
        text += rows(commands.map { (commandColumn($0), $0.summary) })
        text += "\nOptions without a command:\n" + rows(screen.options.map { ($0.usage, $0.help) })
        text += "\nOptions for every command:\n" + globalRows
        text += "\nExit codes:\n"
        text += rows(ExitCode.allCases.compactMap { code in code.meaning.map { ("\(code.rawValue)", $0) } })
        return text + "\nblipchat COMMAND --help says more about a command.\n"
    }()

    private static let globalRows = rows(OptionSpecification.global.map { ($0.usage, $0.help) })

    private static func commandColumn(_ command: CommandSpecification) -> String {
        command.operands.isEmpty ? command.name.rawValue : "\(command.name.rawValue) \(command.operands)"
    }

    private static func sentence(_ summary: String) -> String {
        summary.prefix(1).uppercased() + summary.dropFirst() + "."
    }

    /// Two columns; the right one begins at the same place in all rows.
    private static func rows(_ rows: [(left: String, right: String)]) -> String {
        let width = rows.map(\.left.count).max() ?? 0
        return rows.map { left, right in
            "  " + left + String(repeating: " ", count: width - left.count + 2) + right + "\n"
        }.joined()
    }
}
