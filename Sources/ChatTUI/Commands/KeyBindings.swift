// Which key does what: the one table from which key handling, the help overlay, the palette and the hint line are made.

/// A line of the key table.
struct KeyBinding: Sendable {
    enum Group: String, Sendable, CaseIterable {
        case go = "Go"
        case read = "Read"
        case write = "Write"
        case files = "Files"
        case people = "People"
        case program = "Program"
    }

    var keys: [String]
    var command: AppCommand
    var group: Group
    /// What the help says it does; `nil` for what everybody expects (a second key, plain cursor keys).
    var title: String?
    /// How the help writes the keys when not by the first one (`Alt-1…9`).
    var shownAs: String?
    /// Its words on the hint line, when it is one of the few that stand there.
    var hint: String?

    init(
        _ keys: [String], _ command: AppCommand, _ group: Group, _ title: String?, shownAs: String? = nil,
        hint: String? = nil
    ) {
        self.keys = keys
        self.command = command
        self.group = group
        self.title = title
        self.shownAs = shownAs
        self.hint = hint
    }

    /// The keys as the help writes them.
    var label: String { shownAs ?? keys.first ?? "" }
}

/// The default keys of the main screen (PRODUCT, "Full key map").
enum KeyBindings {
    static let all: [KeyBinding] =
        [
            KeyBinding(["F1", "Alt-?"], .help, .program, "this help", hint: "help"),
            KeyBinding(["Alt-a", "F8"], .nextUnread, .go, "next unread", hint: "next unread"),
            KeyBinding(["Alt-A"], .previousUnread, .go, "previous unread"),
        ] + chatNumbers + [
            KeyBinding(["Alt-k"], .goTo, .go, "go to chat (fuzzy)", hint: "go to"),
            KeyBinding(["Alt-Up", "Ctrl-p"], .previousChat, .go, "previous/next chat", shownAs: "Alt-Up/Dn"),
            KeyBinding(["Alt-Down", "Ctrl-n"], .nextChat, .go, nil),
            KeyBinding(["Alt-/"], .lastChat, .go, "back to last chat"),
            KeyBinding(["PgUp"], .pageUp, .read, "scroll", shownAs: "PgUp/PgDn"),
            KeyBinding(["PgDn"], .pageDown, .read, nil),
            KeyBinding(["Alt-PgUp"], .rowUp, .read, "scroll by one row", shownAs: "Alt-PgUp"),
            KeyBinding(["Alt-PgDn"], .rowDown, .read, nil),
            KeyBinding(["Alt-Home"], .oldest, .read, "oldest"),
            KeyBinding(["Alt-End"], .newest, .read, "newest"),
            KeyBinding(["Alt-N"], .firstUnread, .read, "first unread line"),
            KeyBinding(["Ctrl-s"], .searchHere, .read, "search this chat"),
            KeyBinding(["Enter"], .send, .write, "send"),
            KeyBinding(["Alt-Enter", "Ctrl-j"], .newline, .write, "new line"),
            KeyBinding(["Tab"], .complete, .write, "complete"),
            KeyBinding(["Shift-Tab"], .completeBack, .write, nil),
            KeyBinding(["Up"], .up, .write, "what I typed before"),
            KeyBinding(["Down"], .down, .write, nil),
            KeyBinding(["Ctrl-a", "Home"], .lineStart, .write, "line start/end", shownAs: "Ctrl-a/e"),
            KeyBinding(["Ctrl-e", "End"], .lineEnd, .write, nil),
            KeyBinding(["Ctrl-b", "Left"], .left, .write, nil),
            KeyBinding(["Ctrl-f", "Right"], .right, .write, nil),
            KeyBinding(["Alt-b", "Ctrl-Left"], .wordLeft, .write, "word left/right", shownAs: "Alt-b/f"),
            KeyBinding(["Alt-f", "Ctrl-Right"], .wordRight, .write, nil),
            KeyBinding(["Ctrl-w"], .killBlankWord, .write, "delete word"),
            KeyBinding(["Alt-Backspace"], .killWordBackward, .write, nil),
            KeyBinding(["Alt-d"], .killWordForward, .write, nil),
            KeyBinding(["Ctrl-u"], .killToStart, .write, "cut to start/end", shownAs: "Ctrl-u/k"),
            KeyBinding(["Ctrl-k"], .killToEnd, .write, nil),
            KeyBinding(["Ctrl-y"], .yank, .write, "put back deleted"),
            KeyBinding(["Ctrl-_"], .undo, .write, "undo"),
            KeyBinding(["Ctrl-c"], .clear, .write, "clear the line"),
            KeyBinding(["Backspace", "Ctrl-h"], .deleteBackward, .write, nil),
            KeyBinding(["Delete", "Ctrl-d"], .deleteForward, .write, nil),
            KeyBinding(["Ctrl-t"], .sendFile, .files, "send a file", hint: "file"),
            KeyBinding(["Alt-y"], .acceptOffer, .files, "take / refuse", shownAs: "Alt-y/Alt-n"),
            KeyBinding(["Alt-n"], .declineOffer, .files, nil),
            KeyBinding(["Alt-t", "F4"], .transfers, .files, "transfers"),
            KeyBinding(["Alt-s", "F6"], .searchAll, .read, "search everything", hint: "search"),
            KeyBinding(["Alt-r", "F7"], .requests, .people, "requests, verify"),
            KeyBinding(["Alt-x"], .palette, .program, "all commands", hint: "all"),
            KeyBinding(["F2"], .toggleList, .program, "list on/off"),
            KeyBinding(["F3"], .toggleDetails, .program, "details on/off"),
            KeyBinding(["F5"], .reconnect, .program, "reconnect now"),
            KeyBinding(["Ctrl-l"], .redraw, .program, "redraw"),
            KeyBinding(["Ctrl-z"], .suspend, .program, "suspend"),
            KeyBinding(["Ctrl-q"], .quit, .program, "quit"),
            KeyBinding(["Esc"], .back, .program, "one level back"),
        ]

    private static let chatNumbers: [KeyBinding] = (1...10).map { number in
        KeyBinding(
            ["Alt-\(number % 10)"], .openChat(number), .go, number == 1 ? "chat 1…10" : nil, shownAs: "Alt-1…9,0")
    }

    /// From key to command.
    static let commands: [Key: AppCommand] = {
        var commands: [Key: AppCommand] = [:]
        for binding in all {
            for name in binding.keys {
                if let key = Key(named: name) { commands[key] = binding.command }
            }
        }
        return commands
    }()

    /// The lines that help and palette show.
    static var titled: [KeyBinding] { all.filter { $0.title != nil } }

    /// The few that stand on the hint line, in the order in which they are given up when there is no room.
    static var hints: [KeyBinding] { all.filter { $0.hint != nil } }
}
