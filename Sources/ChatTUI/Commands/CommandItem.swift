// The lines of the help overlay and the palette, made from the key table and the command table.

import ChatWords

/// Something that the user can look up and run.
struct CommandItem: Sendable {
    enum Action: Sendable {
        case command(AppCommand, KeyContext)
        case slash(SlashCommand)
        /// Only explains (a delivery mark).
        case nothing
    }

    /// Parts of the help, each of which begins on a page of its own.
    enum Section: Sendable { case basics, keys, otherKeys, commands }

    /// The list that it is for.
    enum List: Sendable {
        /// Everything: each key, and what the marks mean.
        case help
        /// Everything that can be run, each thing once.
        case palette
    }

    var section: Section
    var group: String
    /// A key, a command or a mark.
    var label: String
    var title: String
    var action: Action
    /// The pane in which the key counts; `nil` for keys that work from the input, and for everything else.
    var pane: String?

    /// Everything, in the order of the help, with the keys as they are bound: first what somebody new needs.
    static func all(_ keymap: Keymap, for list: List = .help) -> [CommandItem] {
        var items = basics(keymap)
        // The palette has the commands below.
        if list == .palette { items.removeAll { if case .slash = $0.action { true } else { false } } }
        let keys = keymap.bindings.filter { binding in !Self.basics.contains { $0.is(binding) } }
        for group in KeyBinding.Group.allCases {
            for binding in keys where binding.group == group {
                guard let title = binding.title, !binding.keys.isEmpty else { continue }
                items.append(item(binding, binding.label, title, group: group.rawValue))
            }
        }
        if list == .help { items += otherKeys(keymap) + viKeys }
        for group in SlashCommand.Group.allCases {
            for command in SlashCommands.offered where command.group == group {
                items.append(
                    CommandItem(
                        section: .commands, group: "/" + group.rawValue.lowercased(), label: command.line,
                        title: command.summary, action: .slash(command)))
            }
        }
        guard list == .palette else { return items }
        return items.filter { if case .nothing = $0.action { false } else { true } }
    }

    private static func item(
        _ binding: KeyBinding, _ label: String, _ title: String, in section: Section = .keys, group: String
    ) -> CommandItem {
        let isOfInput = KeyContext.main.chain.contains(binding.context)
        return CommandItem(
            section: section, group: group, label: label, title: title,
            action: .command(binding.command, binding.context), pane: isOfInput ? nil : binding.group.rawValue)
    }

    /// The second and third keys of what has one above, and those that everybody expects.
    private static func otherKeys(_ keymap: Keymap) -> [CommandItem] {
        keymap.bindings.flatMap { binding in
            let shown = binding.title == nil ? nil : binding.label
            return binding.keys.filter { $0 != shown }.map { key in
                // The words of a pair of keys are about both.
                let own = binding.keys.contains(binding.label) ? binding.title : nil
                let words = own ?? binding.command.name.split(separator: "-").joined(separator: " ")
                let place = KeyContext.main.chain.contains(binding.context) ? "" : "\(binding.context.rawValue): "
                return item(binding, key, place + words, in: .otherKeys, group: "More")
            }
        }
    }

    /// The keys of vi's normal mode, which are not bound one by one.
    private static let viKeys: [CommandItem] = [
        ("Esc", "normal mode; again: browse messages"), ("i a I A R", "insert, append, replace"),
        ("h l w b e 0 ^ $", "move, also with a count (3w)"), ("f F t T ; ,", "to a character"),
        ("j k gg G", "lines, then the lines before"), ("d c y", "delete, change, copy a motion"),
        ("x D C dd yy", "a character, the rest, a line"), ("p P", "put after, before"), ("u .", "undo, again"),
    ].map {
        CommandItem(section: .otherKeys, group: "vi (edit_mode)", label: $0.0, title: "vi: " + $0.1, action: .nothing)
    }

    /// The first line of the group after that of a line; from the last group the first one.
    static func nextGroup(after place: Int, of items: [CommandItem]) -> Int {
        guard items.indices.contains(place) else { return 0 }
        let group = items[place].group
        return items.indices.first { $0 > place && items[$0].group != group } ?? 0
    }

    /// The items that `filter` leaves, best first: those with that name, then those whose name begins so, then those
    /// with the letters somewhere. All in their order when it is empty.
    static func matching(_ filter: String, _ keymap: Keymap, for list: List) -> [CommandItem] {
        let typed = filter.lowercased().drop { $0.isWhitespace }
        return FuzzyMatch.ranked(all(keymap, for: list), filter, rank: { $0.nameRank(typed) }) {
            "\($0.label) \($0.title)"
        }
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
        // A key that is typed as it is called.
        if typed.count > 1, label.lowercased() == typed { return 2 }
        if names.contains(where: { $0 == typed }) { return 2 }
        return names.contains { $0.hasPrefix(typed) } ? 1 : 0
    }

    // MARK: The first page

    /// A line of the first page (PRODUCT, picture 7).
    private enum Basic {
        case key(AppCommand, KeyContext, KeyBinding.Group)
        case slash(SlashVerb, label: String, title: String, KeyBinding.Group)
        case marks

        func `is`(_ binding: KeyBinding) -> Bool {
            guard case .key(let command, let context, _) = self else { return false }
            return command == binding.command && context == binding.context
        }
    }

    private static let basics: [Basic] = [
        .key(.nextUnread, .anywhere, .go), .key(.chat1, .anywhere, .go), .key(.goTo, .anywhere, .go),
        .key(.previousChat, .anywhere, .go), .key(.lastChat, .anywhere, .go), .key(.pageUp, .history, .read),
        .key(.newest, .history, .read), .key(.searchHere, .anywhere, .read), .key(.searchAll, .anywhere, .read),
        .key(.back, .anywhere, .read), .key(.links, .anywhere, .read), .key(.plainView, .anywhere, .read),
        .key(.send, .main, .write), .key(.newline, .main, .write), .key(.searchTyped, .main, .write),
        .key(.editor, .main, .write), .key(.complete, .main, .write), .key(.clear, .edit, .write),
        .key(.sendFile, .main, .files), .key(.acceptOffer, .anywhere, .files), .key(.transfers, .anywhere, .files),
        .key(.requests, .anywhere, .people), .slash(.add, label: "/add ADDR", title: "add a contact", .people),
        .slash(.verify, label: "/verify", title: "compare numbers", .people), .marks,
        .key(.palette, .anywhere, .program), .key(.toggleMouse, .anywhere, .program),
        .key(.suspend, .anywhere, .program), .key(.quit, .anywhere, .program),
    ]

    private static func basics(_ keymap: Keymap) -> [CommandItem] {
        basics.flatMap { basic -> [CommandItem] in
            switch basic {
            case .key(_, _, let group):
                guard let binding = keymap.bindings.first(where: basic.is), let title = binding.title,
                    !binding.keys.isEmpty
                else { return [] }
                return [item(binding, binding.label, title, in: .basics, group: group.rawValue)]
            case .slash(let verb, let label, let title, let group):
                return SlashCommands.offered.filter { $0.verb == verb }.map {
                    CommandItem(
                        section: .basics, group: group.rawValue, label: label, title: title, action: .slash($0))
                }
            case .marks:
                return marks.map {
                    CommandItem(section: .basics, group: "Marks", label: $0.0, title: $0.1, action: .nothing)
                }
            }
        }
    }

    private static let marks = [
        ("~", "waiting on disk"), (">", "sent, no answer"), ("✓", "on their disk"), ("✓✓", "read"),
        ("!", "failed, /retry"), ("?", "clock off/late"),
    ]
}
