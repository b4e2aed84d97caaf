// The help texts, made from the commands' specifications so that they cannot say anything else than what is parsed.

internal import Arguments
internal import Workbench

enum HelpText {
    /// The help of one command.
    static func of(_ command: CommandSpecification<CommandName>) -> String {
        HelpLayout.command(command, of: "blipwire", options: command.options + Blipwire.options)
    }

    /// The help of the whole.
    static var overview: String {
        let commands = Blipwire.commands.map { $0.specification }
        return "Usage: blipwire COMMAND ...\n\nA workbench for the protocols of blipchat.\n\nCommands:\n"
            + commands.map { "  \($0.usage)\n      \($0.summary)\n" }.joined()
            + "\nProfiles, which serve and client offer to the other side:\n"
            + HelpLayout.rows(WorkbenchProfile.allCases.map { ($0.rawValue, $0.summary) })
            + "\nExit codes:\n"
            + HelpLayout.rows(ExitCode.allCases.compactMap { code in code.meaning.map { ("\(code.rawValue)", $0) } })
            + "\nblipwire COMMAND --help says more about a command.\n"
    }
}
