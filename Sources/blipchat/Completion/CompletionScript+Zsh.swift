// The completion function for zsh (zshcompsys, `_arguments` and `_describe`).

import Arguments

extension CompletionScript {
    static var zsh: String {
        """
        #compdef blipchat
        # zsh completion for blipchat, made by: blipchat completion zsh
        _blipchat_contacts() {
            local -a names
            names=("${(@f)$(blipchat contacts list --names 2>/dev/null)}")
            compadd -a names
        }

        _blipchat() {
            local context state state_descr line
            typeset -A opt_args
            local -a global first
            global=(
        \(lines(global.map(zshOption), indent: 8))
            )
            _arguments -C $global \(screen.options.map(zshOption).joined(separator: " ")) \\
                '1:command:->first' '*::argument:->rest'
            case $state in
                first)
                    first=(
        \(lines(groups.map { zshPair($0.word, summary(of: $0)) }, indent: 16))
                    )
                    _describe command first
                    _blipchat_contacts ;;
                rest)
                    case $words[1] in
        \(groups.map(zshCase).joined(separator: "\n"))
                    esac ;;
            esac
        }

        if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _blipchat "$@"; else compdef _blipchat blipchat; fi

        """
    }

    private static func lines(_ lines: [String], indent: Int) -> String {
        lines.map { String(repeating: " ", count: indent) + $0 }.joined(separator: "\n")
    }

    /// In single quotes, without what `_arguments` and `_describe` read themselves.
    private static func quoted(_ text: String) -> String {
        "'" + text.replacing("'", with: "'\\''").replacing(":", with: "\\:") + "'"
    }

    private static func zshPair(_ word: String, _ summary: String) -> String {
        "'\(word):" + quoted(summary).dropFirst()
    }

    private static func action(_ kind: Kind) -> String {
        switch kind {
        case .contacts: "_blipchat_contacts"
        case .files: "_files"
        case .words(let words): "(\(words.joined(separator: " ")))"
        case .nothing: " "
        }
    }

    /// `{-n,--count=}'[help]:N: '`
    private static func zshOption(_ option: OptionSpecification) -> String {
        let help = option.help.replacing("'", with: "'\\''").replacing("[", with: "(").replacing("]", with: ")")
        let value = option.value.map { ":\($0.replacing(":", with: "\\:")):\(action(option.kind))" } ?? ""
        // With = the value may be in the same word.
        let long = option.name + (option.value == nil ? "" : "=")
        let names = option.short.map { "{-\($0),\(long)}" } ?? long
        return "\(names)'[\(help)]\(value)'"
    }

    private static func zshArguments(_ command: Command) -> String {
        var parts = command.options.map(zshOption)
        for (index, operand) in command.operands.enumerated() {
            let isLast = index == command.operands.count - 1
            let place = isLast && command.repeatsLast ? "*" : "\(index + 1)"
            parts.append("'\(place):\(operand.name):\(action(operand.kind))'")
        }
        return "_arguments $global \(parts.joined(separator: " "))"
    }

    private static func zshCase(_ group: (word: String, commands: [Command])) -> String {
        let margin = String(repeating: " ", count: 16)
        guard let command = group.commands.first, command.words.count > 1 else {
            return group.commands.map { "\(margin)\(group.word)) \(zshArguments($0)) ;;" }.joined()
        }
        let cases = group.commands.map { command in
            "\(margin)            \(command.words[1])) \(zshArguments(command)) ;;"
        }
        return """
            \(margin)\(group.word))
            \(margin)    first=(\(group.commands.map { zshPair($0.words[1], $0.summary) }.joined(separator: " ")))
            \(margin)    _arguments -C $global '1:command:->second' '*::argument:->operands'
            \(margin)    case $state in
            \(margin)        second) _describe command first ;;
            \(margin)        operands) case $words[1] in
            \(cases.joined(separator: "\n"))
            \(margin)        esac ;;
            \(margin)    esac ;;
            """
    }
}
