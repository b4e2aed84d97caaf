// What the manual page says of the screen: its keys and its slash commands, from the tables that make them.

/// Keys and commands by group, with words for people.
package enum ScreenManual {
    package struct Entry: Sendable {
        /// `Alt-a, F8`, or `/msg WHO TEXT`.
        package let label: String
        /// Without a capital letter and a full stop.
        package let words: String
    }

    package struct Group: Sendable {
        package let title: String
        package let entries: [Entry]
    }

    /// The keys as they are unless the user binds others. Those that everybody expects (cursor keys) are left out, as in the
    /// help.
    package static let keys: [Group] = KeyBinding.Group.allCases.map { group in
        Group(
            title: group.rawValue,
            entries: KeyBindings.all.filter { $0.group == group }.compactMap { binding in
                guard let title = binding.title else { return nil }
                let isPair = !binding.keys.contains(binding.label)
                return Entry(label: isPair ? binding.label : binding.keys.joined(separator: ", "), words: title)
            })
    }

    package static let commands: [Group] = SlashCommand.Group.allCases.map { group in
        Group(
            title: group.rawValue,
            entries: SlashCommands.available.filter { $0.group == group }.map { command in
                let names = command.aliases.map { "/\($0)" }.joined(separator: ", ")
                return Entry(label: command.line, words: command.summary + (names.isEmpty ? "" : " (also \(names))"))
            })
    }
}
