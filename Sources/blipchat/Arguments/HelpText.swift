// The help texts, made from the table in CommandTable so that they cannot say anything else than what is parsed.

import Arguments
import ChatSettings

enum HelpText {
    /// `blipchat history [OPTIONS] WHO`.
    static func usage(_ command: CommandSpecification<CommandName>) -> String { "blipchat \(command.usage)" }

    /// The help of one command.
    static func of(_ command: CommandSpecification<CommandName>) -> String {
        if command.name == .screen { return overview }
        return HelpLayout.command(command, of: "blipchat", options: command.options)
            + "\nOptions for every command:\n" + globalRows
    }

    /// The help of a word that begins several commands.
    static func of(group: String, _ commands: [CommandSpecification<CommandName>]) -> String {
        let usual = CommandName.defaultsOfGroups[group].map { $0.rawValue } ?? ""
        return "Usage: blipchat \(group) COMMAND [OPTIONS] ...\n\nCommands (blipchat \(group) alone means \(usual)):\n"
            + HelpLayout.rows(commands.map { (commandColumn($0), $0.summary) })
            + "\nblipchat \(group) COMMAND --help says more about a command.\n"
    }

    /// The help of the whole.
    static let overview: String = {
        let screen = CommandSpecification.of(.screen)
        var text = "Usage: \(usage(screen))\n       blipchat COMMAND [OPTIONS] ...\n\n"
        text += "A chat from terminal to terminal: no account, no server.\n\n"
        text += "Without a command: \(screen.summary).\n\(screen.details)\n\nCommands:\n"
        let commands = CommandSpecification.table.filter { $0.name != .screen }
        text += HelpLayout.rows(commands.map { (commandColumn($0), $0.summary) })
        text += "\nOptions without a command:\n" + HelpLayout.rows(screen.options)
        text += "\nOptions for every command:\n" + globalRows
        text += "\nExit codes:\n"
        text += HelpLayout.rows(ExitCode.allCases.compactMap { code in code.meaning.map { ("\(code.rawValue)", $0) } })
        return text + "\nblipchat COMMAND --help says more about a command.\n"
    }()

    private static let globalRows = HelpLayout.rows(OptionSpecification.global)

    private static func commandColumn(_ command: CommandSpecification<CommandName>) -> String {
        command.operands.isEmpty ? command.name.rawValue : "\(command.name.rawValue) \(command.operands)"
    }
}
