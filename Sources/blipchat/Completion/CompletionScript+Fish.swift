// The completion script for fish (`complete`).

import Arguments

extension CompletionScript {
    static var fish: String {
        var text = """
            # fish completion for blipchat, made by: blipchat completion fish
            function __blipchat_contacts
                blipchat contacts list --names 2>/dev/null
            end
            complete -c blipchat -f

            """
        for option in global { text += line("", fishOption(option)) }
        for option in screen.options { text += line("__fish_use_subcommand", fishOption(option)) }
        text += line("__fish_use_subcommand", "-a '(__blipchat_contacts)'")
        for group in groups {
            text += line("__fish_use_subcommand", "-a \(group.word) -d \(fishQuoted(summary(of: group)))")
            for command in group.commands {
                if command.words.count > 1 {
                    let seconds = group.commands.map { $0.words[1] }.joined(separator: " ")
                    let isFirst =
                        "__fish_seen_subcommand_from \(group.word); "
                        + "and not __fish_seen_subcommand_from \(seconds)"
                    text += line(isFirst, "-a \(command.words[1]) -d \(fishQuoted(command.summary))")
                }
                let isCommand = command.words.map { "__fish_seen_subcommand_from \($0)" }.joined(separator: "; and ")
                for option in command.options { text += line(isCommand, fishOption(option)) }
                for operand in command.operands {
                    if let value = fishValue(operand.kind) { text += line(isCommand, value) }
                }
            }
        }
        return text
    }

    private static func line(_ condition: String, _ rest: String) -> String {
        "complete -c blipchat " + (condition.isEmpty ? "" : "-n '\(condition)' ") + rest + "\n"
    }

    private static func fishQuoted(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }

    private static func fishValue(_ kind: Kind) -> String? {
        switch kind {
        case .contacts: "-a '(__blipchat_contacts)'"
        case .files: "-F"
        case .words(let words): "-a '\(words.joined(separator: " "))'"
        case .nothing: nil
        }
    }

    private static func fishOption(_ option: OptionSpecification) -> String {
        var text = "-l \(option.name.dropFirst(2))"
        if let short = option.short { text += " -s \(short)" }
        // -x: no files beside what is offered.
        switch (option.value, option.kind) {
        case (nil, _): break
        case (_, .files): text += " -r -F"
        case (_, let kind): text += " -x" + (fishValue(kind).map { " \($0)" } ?? "")
        }
        return text + " -d \(fishQuoted(option.help))"
    }
}
