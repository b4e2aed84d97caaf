// Which key does what: the one table from which key handling, the help overlay, the palette and the hint line are made.
// The keys of the panes are in KeyBindings+Panes.

import ChatWords

/// The default keys (PRODUCT, "Full key map"). Keymap has them as the user changed them.
enum KeyBindings {
    static let all: [KeyBinding] = general + history + input + editing + reading + panes

    /// The context in which a command has its (first) place in the table.
    static func home(of command: AppCommand) -> KeyContext {
        all.first { $0.command == command }?.context ?? .main
    }

    private static let general =
        [
            line(.anywhere, ["F1", "Alt-?"], .help, .program, "this help", hint: "help"),
            line(.anywhere, ["Alt-a", "F8"], .nextUnread, .go, "next unread", hint: "next unread"),
            line(.anywhere, ["Alt-A"], .previousUnread, .go, "previous unread"),
        ] + chatNumbers + [
            line(.anywhere, ["Alt-k"], .goTo, .go, "go to chat (fuzzy)", hint: "go to"),
            line(.anywhere, ["Alt-Up", "Ctrl-p"], .previousChat, .go, "previous/next chat", shownAs: "Alt-Up/Dn"),
            line(.anywhere, ["Alt-Down", "Ctrl-n"], .nextChat, .go, nil),
            line(.anywhere, ["Alt-/"], .lastChat, .go, "back to last chat"),
            line(.anywhere, ["Ctrl-s"], .searchHere, .read, "search this chat"),
            line(.main, ["Ctrl-t"], .sendFile, .files, "send a file", hint: "file"),
            line(.anywhere, ["Alt-y"], .acceptOffer, .files, "accept/decline", shownAs: "Alt-y/Alt-n"),
            line(.anywhere, ["Alt-n"], .declineOffer, .files, nil),
            line(.anywhere, ["Alt-t", "F4"], .transfers, .files, "transfers"),
            line(.anywhere, ["Alt-s", "F6"], .searchAll, .read, "search everything", hint: "search"),
            line(.anywhere, ["Alt-r", "F7"], .requests, .people, "requests, verify"),
            line(.anywhere, ["Alt-u"], .links, .read, "links"),
            line(.anywhere, ["Alt-l"], .plainView, .read, "plain view"),
            line(.anywhere, ["Alt-x"], .palette, .program, "all commands", hint: "all"),
            line(.anywhere, ["F2"], .toggleList, .program, "list on/off"),
            line(.anywhere, ["F3"], .toggleDetails, .program, "details on/off"),
            line(.anywhere, ["F5"], .reconnect, .program, "reconnect now"),
            line(.anywhere, ["Alt-m"], .toggleMouse, .program, "mouse on/off"),
            line(.anywhere, ["Ctrl-l"], .redraw, .program, "redraw"),
            line(.anywhere, ["Ctrl-z"], .suspend, .program, "suspend"),
            line(.anywhere, ["Ctrl-q"], .quit, .program, "quit"),
            line(.anywhere, ["Esc"], .back, .program, "select, or back"),
        ]

    private static let chatNumbers: [KeyBinding] = AppCommand.chatNumbers.enumerated().map { index, command in
        line(
            .anywhere, ["Alt-\((index + 1) % 10)"], command, .go, index == 0 ? "chat 1..10" : nil,
            shownAs: index == 0 ? "Alt-1..9,0" : nil)
    }

    private static let history = [
        line(.history, ["PgUp"], .pageUp, .read, "scroll", shownAs: "PgUp/PgDn"),
        line(.history, ["PgDn"], .pageDown, .read, nil),
        line(.history, ["Alt-PgUp"], .rowUp, .read, "scroll by one row"),
        line(.history, ["Alt-PgDn"], .rowDown, .read, nil),
        line(.history, ["Alt-Home"], .oldest, .read, "oldest"),
        line(.history, ["Alt-End"], .newest, .read, "newest"),
        line(.history, ["Alt-N"], .firstUnread, .read, "first unread line"),
    ]

    private static let input = [
        line(.main, ["Enter"], .send, .write, "send"),
        line(.main, ["Alt-Enter", "Ctrl-j"], .newline, .write, "new line"),
        line(.main, ["Tab"], .complete, .write, "complete"),
        line(.main, ["Shift-Tab"], .completeBack, .write, nil),
        line(.main, ["Up"], .up, .write, "earlier lines"),
        line(.main, ["Down"], .down, .write, nil),
        line(.main, ["Ctrl-r"], .searchTyped, .write, "find what I typed"),
        line(.main, ["Alt-e", "Ctrl-x Ctrl-e"], .editor, .write, "$EDITOR"),
        line(.main, ["Ctrl-v"], .literal, .write, "next key as it is"),
    ]

    private static let editing = [
        line(.edit, ["Ctrl-a", "Home"], .lineStart, .write, "line start/end", shownAs: "Ctrl-a/e"),
        line(.edit, ["Ctrl-e", "End"], .lineEnd, .write, nil),
        line(.edit, ["Ctrl-b", "Left"], .left, .write, nil),
        line(.edit, ["Ctrl-f", "Right"], .right, .write, nil),
        line(.edit, ["Alt-b", "Ctrl-Left"], .wordLeft, .write, "word left/right", shownAs: "Alt-b/f"),
        line(.edit, ["Alt-f", "Ctrl-Right"], .wordRight, .write, nil),
        line(.edit, ["Ctrl-w"], .killBlankWord, .write, "delete word"),
        line(.edit, ["Alt-Backspace"], .killWordBackward, .write, nil),
        line(.edit, ["Alt-d"], .killWordForward, .write, nil),
        line(.edit, ["Ctrl-u"], .killToStart, .write, "cut to start/end", shownAs: "Ctrl-u/k"),
        line(.edit, ["Ctrl-k"], .killToEnd, .write, nil),
        line(.edit, ["Ctrl-y"], .yank, .write, "paste the last cut"),
        line(.edit, ["Ctrl-_"], .undo, .write, "undo"),
        line(.edit, ["Ctrl-c"], .clear, .write, "clear the line"),
        line(.edit, ["Backspace", "Ctrl-h"], .deleteBackward, .write, nil),
        line(.edit, ["Delete", "Ctrl-d"], .deleteForward, .write, nil),
    ]

    /// One line of the table.
    static func line(
        _ context: KeyContext, _ keys: [String], _ command: AppCommand, _ group: KeyBinding.Group, _ title: String?,
        shownAs: String? = nil, hint: String? = nil
    ) -> KeyBinding {
        KeyBinding(keys, command, in: context, group, title, shownAs: shownAs, hint: hint)
    }
}
