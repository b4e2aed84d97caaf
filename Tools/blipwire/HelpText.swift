// The help texts, made from the commands' specifications so that they cannot say anything else than what is parsed.

internal import Workbench

enum HelpText {
    /// The help of one command.
    static func of(_ command: CommandSpecification) -> String {
        var text = "Usage: blipwire \(usage(command))\n\n\(sentence(command.summary))\n"
        if !command.details.isEmpty { text += "\n\(command.details)\n" }
        text += "\nOptions:\n"
        text += rows(
            command.options.map { option in
                (option.name + (option.value.map { " " + $0 } ?? ""), option.help)
            } + [("-h, --help", "show this help")])
        return text
    }

    /// The help of the whole.
    static var overview: String {
        let commands = Blipwire.commands.map { $0.specification }
        return "Usage: blipwire COMMAND ...\n\nA workbench for the protocols of blipchat.\n\nCommands:\n"
            + commands.map { "  \(usage($0))\n      \($0.summary)\n" }.joined()
            + "\nProfiles, which serve and client offer to the other side:\n"
            + rows(WorkbenchProfile.allCases.map { ($0.rawValue, $0.summary) })
            + "\nExit codes:\n"
            + rows(ExitCode.allCases.compactMap { code in code.meaning.map { ("\(code.rawValue)", $0) } })
            + "\nblipwire COMMAND --help says more about a command.\n"
    }

    /// The required options and the operand; the others are listed below.
    private static func usage(_ command: CommandSpecification) -> String {
        var words = [command.name, "[OPTIONS]"]
        for option in command.options where option.isRequired {
            words.append(option.value.map { "\(option.name) \($0)" } ?? option.name)
        }
        if !command.operand.isEmpty { words.append(command.operand) }
        return words.joined(separator: " ")
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
