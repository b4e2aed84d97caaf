// A line of the key table: which keys give a command where, and how help, palette and hint line show it.

import ChatWords

/// One command with its keys in one context.
struct KeyBinding: Sendable, Equatable {
    enum Group: String, Sendable, CaseIterable {
        case go = "Go"
        case read = "Read"
        case write = "Write"
        case files = "Files"
        case people = "People"
        case program = "Program"
        // The keys of one place, after those that work from the input.
        case browse = "Browse"
        case transfers = "Transfers"
        case search = "Search"
        case lists = "Lists"
        case picker = "Picker"
        case requests = "Requests"
        case verify = "Verify"
    }

    /// Names of keys, the one to show first; `Ctrl-x Ctrl-e` are two keys one after the other.
    var keys: [String]
    var command: AppCommand
    var context: KeyContext
    var group: Group
    /// The description in the help; `nil` for what everybody expects (a second key, plain cursor keys).
    var title: String?
    /// Its words on the hint line of its context, when it is one of the few shown there.
    var hint: String?
    /// How it is written when not by the first key (`Alt-1..9,0`), and the keys for which that is right.
    private var shown: (name: String, keys: [String])?

    init(
        _ keys: [String], _ command: AppCommand, in context: KeyContext, _ group: Group, _ title: String?,
        shownAs: String? = nil, hint: String? = nil
    ) {
        self.keys = keys
        self.command = command
        self.context = context
        self.group = group
        self.title = title
        self.hint = hint
        shown = shownAs.map { ($0, keys) }
    }

    /// The keys as the help writes them.
    var label: String {
        if let shown, shown.keys == keys { return shown.name }
        return keys.first ?? ""
    }

    static func == (left: KeyBinding, right: KeyBinding) -> Bool {
        left.keys == right.keys && left.command == right.command && left.context == right.context
    }
}
