// The scripts that make shells complete our commands, made from the command table so that they cannot say anything else
// than what is parsed. Each shell has its own file.

import Arguments
import ChatSettings

enum CompletionScript {
    enum Shell: String, Sendable, CaseIterable {
        case bash, zsh, fish
    }

    static func text(for shell: Shell) -> String {
        switch shell {
        case .bash: bash
        case .zsh: zsh
        case .fish: fish
        }
    }

    /// The completions that a word can have.
    enum Kind: Equatable {
        /// Names that the program itself lists.
        case contacts
        case files
        case words([String])
        case nothing

        /// From a word of a help text: `WHO`, `[FILE]`, `TEXT...|-`, `auto|always|never`.
        init(_ placeholder: Substring) {
            let parts = placeholder.split(separator: "|").map { $0.filter { !"[].".contains($0) } }
            let words = parts.filter { !$0.isEmpty && $0.utf8.allSatisfy { (0x61...0x7A).contains($0) } }
            if parts == ["KEY"] {
                self = .words(Setting.plain.map(\.key))
            } else if parts.contains("WHO") || parts.contains("CONTACT") {
                self = .contacts
            } else if parts.contains(where: { ["FILE", "PATH", "DIR"].contains($0) }) {
                self = .files
            } else {
                self = words.isEmpty ? .nothing : .words(words)
            }
        }
    }

    /// One command as the scripts need it.
    struct Command {
        let specification: CommandSpecification<CommandName>

        /// `contacts`, `add`.
        var words: [String] { specification.name.words.map(String.init) }
        var options: [OptionSpecification] { specification.options }
        var operands: [(name: String, kind: Kind)] {
            specification.operands.split(separator: " ").map { word in
                (String(word.filter { $0.isLetter }), Kind(word))
            }
        }
        /// Whether the last operand may come again.
        var repeatsLast: Bool { specification.operandCount.upperBound > operands.count }
        var summary: String { specification.summary }
    }

    static let commands = CommandSpecification.table.filter { $0.name != .screen }.map(Command.init)
    static let screen = Command(specification: .of(.screen))
    static let global = OptionSpecification.global

    /// First words in their order, with the commands that begin with them.
    static let groups: [(word: String, commands: [Command])] = {
        var groups: [(word: String, commands: [Command])] = []
        for command in commands {
            let word = command.words.first ?? ""
            if let index = groups.firstIndex(where: { $0.word == word }) {
                groups[index].commands.append(command)
            } else {
                groups.append((word, [command]))
            }
        }
        return groups
    }()

    /// The meaning of a first word for people, when it begins several commands.
    static func summary(of group: (word: String, commands: [Command])) -> String {
        guard group.commands.count > 1 else { return group.commands.first?.summary ?? "" }
        return group.commands.compactMap { $0.words.last }.joined(separator: ", ")
    }

    /// Options of any command that have a value, by what the value can be.
    static var optionsWithValue: [OptionSpecification] {
        var known: Set<String> = []
        let all = global + screen.options + commands.flatMap(\.options)
        return all.filter { $0.value != nil && known.insert($0.name).inserted }
    }
}

extension OptionSpecification {
    /// The completions that its value can have.
    var kind: CompletionScript.Kind { value.map { CompletionScript.Kind(Substring($0)) } ?? .nothing }

    /// `--count` and `-n`.
    var names: [String] { [name] + (short.map { ["-\($0)"] } ?? []) }
}
