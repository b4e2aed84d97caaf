// The completion script for bash (programmable completion, `complete -F`).

import Arguments

extension CompletionScript {
    static var bash: String {
        """
        # bash completion for blipchat, made by: blipchat completion bash
        # Names are other people's words: compgen -W would expand what stands in them.
        _blipchat_contacts() {
            local name word
            COMPREPLY=()
            while IFS= read -r name; do
                case $1 in
                    \\"*)
                        # Nothing keeps an exclamation mark in double quotes from the shell.
                        [[ $name == *!* ]] && continue
                        word=${name//\\\\/\\\\\\\\} word=${word//\\"/\\\\\\"} word=${word//\\$/\\\\\\$}
                        word=\\"${word//\\`/\\\\\\`} ;;
                    \\'*)
                        [[ $name == *\\'* ]] && continue
                        word=\\'$name ;;
                    *) printf -v word %q "$name" ;;
                esac
                if [[ $word == "$1"* ]]; then COMPREPLY+=("${word#[\\"\\']}"); fi
            done < <(blipchat contacts list --names 2>/dev/null)
        }

        _blipchat_complete() {
            case $1 in
                contacts) _blipchat_contacts "$2" ;;
                files) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$2") ;;
                '') COMPREPLY=() ;;
                *) mapfile -t COMPREPLY < <(IFS=' '; compgen -W "$1" -- "$2") ;;
            esac
        }

        _blipchat() {
            local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command options= at=1 i
            local -a operands=() kinds=()
            # --color=auto is three words for bash.
            if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi
            case $prev in
        \(values)
            esac
            for ((i = 1; i < COMP_CWORD; i++)); do
                case ${COMP_WORDS[i]} in
                    \(optionsWithValue.flatMap(\.names).joined(separator: "|")))
                        ((i++)); [[ ${COMP_WORDS[i]-} == = ]] && ((i++)) ;;
                    -*) ;;
                    *) operands+=("${COMP_WORDS[i]}") ;;
                esac
            done
            command=${operands[0]-}
            case $command in
                \(twoWordGroups.joined(separator: "|"))) command+=" ${operands[1]-}"; at=2 ;;
            esac
            case $command in
        \(commandCases)
            esac
            if [[ $cur == -* ]]; then
                _blipchat_complete "$options \(bashNames(global))" "$cur"
            elif ((${#operands[@]} < at)); then
                case ${operands[0]-} in
        \(secondWords)
                    *) _blipchat_complete "\(groups.map(\.word).joined(separator: " "))" "$cur" ;;
                esac
            else
                i=$((${#operands[@]} - at))
                ((${#kinds[@]} > 0 && i >= ${#kinds[@]})) && [[ ${kinds[-1]} == *+ ]] && i=-1
                _blipchat_complete "${kinds[i]%+}" "$cur"
            fi
        }
        complete -F _blipchat blipchat

        """
    }

    private static var twoWordGroups: [String] { groups.filter { $0.commands[0].words.count > 1 }.map(\.word) }

    private static func bashNames(_ options: [OptionSpecification]) -> String {
        options.flatMap(\.names).joined(separator: " ")
    }

    private static func word(_ kind: Kind) -> String {
        switch kind {
        case .contacts: "contacts"
        case .files: "files"
        case .words(let words): words.joined(separator: " ")
        case .nothing: ""
        }
    }

    private static var values: String {
        optionsWithValue.map { option in
            "        \(option.names.joined(separator: "|"))) _blipchat_complete \"\(word(option.kind))\" \"$cur\"; return ;;"
        }.joined(separator: "\n")
    }

    /// For each command its options, and what its operands can be; `+` marks one that may come again.
    private static var commandCases: String {
        commands.map { command in
            var kinds = command.operands.map { "\"\(word($0.kind))\"" }
            if command.repeatsLast, let last = command.operands.last {
                kinds[kinds.count - 1] = "\"\(word(last.kind))+\""
            }
            let name = command.words.joined(separator: " ")
            return
                "        \"\(name)\") options=\"\(bashNames(command.options))\"; kinds=(\(kinds.joined(separator: " "))) ;;"
        }.joined(separator: "\n") + "\n        '') options=\"\(bashNames(screen.options))\" ;;"
    }

    private static var secondWords: String {
        groups.filter { twoWordGroups.contains($0.word) }.map { group in
            let words = group.commands.compactMap(\.words.last).joined(separator: " ")
            return "            \(group.word)) _blipchat_complete \"\(words)\" \"$cur\" ;;"
        }.joined(separator: "\n")
    }
}
