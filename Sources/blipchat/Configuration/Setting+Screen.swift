// The settings of the screen: [ui], [ui.unicode], [input].

import ChatTUI

extension Setting {
    static let screen: [Setting] = [
        choice("ui.list", \.screen.list, "the list of chats: by the width of the terminal, always, or never"),
        automatic("ui.list_width", 8...40, \.screen.listWidth, "columns of the list"),
        choice("ui.list_order", \.screen.listOrder, "which chats stand first: as added, newest message, unread"),
        choice("ui.details", \.screen.details, "the details of the open chat beside it"),
        flag("ui.hints", \.screen.hints, "the line of keys below the input"),
        flag("ui.mouse", \.screen.mouse, "clicks and the wheel; false leaves the mouse to the terminal"),
        text(
            "ui.theme", \.screen.theme, form: "a theme's name (/theme lists them)", limit: 64,
            "the colours: terminal, dark, light, high-contrast, or a file of themes/"
        ) { ThemeFile.isName($0) },
        choice("ui.color", \.screen.color, "colours: by the terminal and NO_COLOR, always, or never", .nextStart),
        choice("ui.glyphs", \.screen.glyphs, "frames and marks in Unicode or in ASCII", .nextStart),
        text(
            "ui.time", \.screen.timeFormat, form: "a pattern like \"HH:mm\" or \"h:mm a\"", limit: 32,
            "how times are written"
        ) { LocalClock.isPattern($0) && !$0.contains("%") },
        text(
            "ui.date", \.screen.dateFormat, form: "a pattern like \"EEE d MMM yyyy\" or \"yyyy-MM-dd\"", limit: 32,
            "how days are written"
        ) { LocalClock.isPattern($0) && !$0.contains("%") },
        flag("ui.seconds", \.screen.seconds, "times with seconds"),
        number("ui.nick_width", 3...32, \.screen.nickWidth, "the most columns of a name before a message"),
        number(
            "ui.group_minutes", 0...1440, \.screen.groupMinutes,
            "messages of one person within so many minutes show the name once; 0: each shows it"),
        choice("ui.edit_mode", \.screen.editMode, "keys of the input"),
        choice("ui.enter", \.screen.enter, "what Enter does in the input; Alt-Enter does the other"),
        number(
            "ui.escape_ms", 1...1000, \.screen.escapeMilliseconds,
            "milliseconds that Esc waits for the rest of a key", .nextStart),
        flag("ui.title", \.screen.title, "set the title of the terminal's window"),
        flag("ui.up_edits_last", \.screen.upEditsLast, "Up on an empty line edits the last message"),
        choice("ui.unicode.width", \.screen.width, "whose widths of characters rule", .nextStart),
        choice("ui.unicode.emoji", \.screen.emoji, "draw emoji, or write their names"),
        automatic(
            "ui.unicode.ambiguous", 1...2, \.screen.ambiguous, "columns of characters of ambiguous width", .nextStart),
        choice("ui.unicode.bidi", \.screen.bidi, "text from right to left"),
        number(
            "input.paste_confirm_lines", 0...10_000, \.screen.pasteConfirmLines,
            "a paste of more lines asks before it is sent; 0 never asks"),
        number(
            "input.paste_as_file_lines", 0...10_000, \.screen.pasteAsFileLines,
            "a paste of more lines is offered as a file; 0: never"),
        flag("input.typing_send", \.screen.sendsTyping, "tell contacts that you are typing"),
        number("input.history", 0...100_000, \.screen.historyCount, "lines that Up and Ctrl-r find again"),
        text(
            "input.spell_command", \.screen.spellCommand, form: "a command like \"aspell list\", or \"\"",
            "reads the draft and prints the words that it does not know, which are underlined then; without a shell"
        ) { CommandLine.words(of: $0) != nil },
    ]
}
