// The lines of the help overlay and the palette, made from the key table and the command table.

/// Something that can be looked up and run.
struct CommandItem: Sendable {
    enum Action: Sendable {
        case command(AppCommand, KeyContext)
        case slash(SlashCommand)
        /// Only explains (a delivery mark).
        case nothing
    }

    var group: String
    /// A key, a command or a mark.
    var label: String
    var title: String
    var action: Action

    var isSlash: Bool {
        if case .slash = action { true } else { false }
    }

    /// Everything, in the order of the help, with the keys as they are bound.
    static func all(_ keymap: Keymap) -> [CommandItem] {
        var items: [CommandItem] = []
        for group in KeyBinding.Group.allCases {
            for binding in keymap.bindings where binding.group == group {
                guard let title = binding.title else { continue }
                items.append(
                    CommandItem(
                        group: group.rawValue, label: binding.label, title: title,
                        action: .command(binding.command, binding.context)))
            }
            if group == .people { items += marks }
        }
        for group in SlashCommand.Group.allCases {
            for command in SlashCommands.available where command.group == group {
                items.append(
                    CommandItem(
                        group: "/" + group.rawValue.lowercased(), label: command.line, title: command.summary,
                        action: .slash(command)))
            }
        }
        return items
    }

    /// What `filter` leaves, best first: what is called so, then what begins so, then what has the letters somewhere.
    /// All in their order when it is empty.
    static func matching(_ filter: String, _ keymap: Keymap) -> [CommandItem] {
        let typed = filter.lowercased().drop { $0.isWhitespace }
        return FuzzyMatch.ranked(all(keymap), filter, rank: { $0.nameRank(typed) }) { "\($0.label) \($0.title)" }
    }

    /// 2 when `typed` (in lower case, with or without the slash) is its name, 1 when its name begins so, else 0.
    private func nameRank(_ typed: Substring) -> Int {
        let names: [String]
        var typed = typed
        switch action {
        case .slash(let command):
            names = command.names
            if typed.hasPrefix("/") { typed.removeFirst() }
        case .command(let command, _): names = [command.name, title.lowercased()]
        case .nothing: return 0
        }
        guard !typed.isEmpty else { return 0 }
        if names.contains(where: { $0 == typed }) { return 2 }
        return names.contains { $0.hasPrefix(typed) } ? 1 : 0
    }

    private static let marks: [CommandItem] = [
        ("~", "waiting on disk"), (">", "sent, no answer"), ("✓", "on their disk"), ("✓✓", "read"),
        ("!", "failed, /retry"), ("?", "clock off, late"),
    ].map { CommandItem(group: "Marks", label: $0.0, title: $0.1, action: .nothing) }
}
