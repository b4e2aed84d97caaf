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

    /// What `filter` leaves, best first; all in their order when it is empty.
    static func matching(_ filter: String, _ keymap: Keymap) -> [CommandItem] {
        FuzzyMatch.ranked(all(keymap), filter) { "\($0.label) \($0.title)" }
    }

    private static let marks: [CommandItem] = [
        ("~", "waiting on disk"), (">", "sent, no answer"), ("✓", "on their disk"), ("✓✓", "read"),
        ("!", "failed, /retry"), ("?", "clock off, late"),
    ].map { CommandItem(group: "Marks", label: $0.0, title: $0.1, action: .nothing) }
}
