// The settings of the screen: [ui], [ui.unicode], [input].

import ChatTUI
import ChatWords

extension Setting {
    static let screen: [Setting] = [
        choice("ui.list", \.screen.list, "the list of chats: if the terminal is wide enough, always, or never"),
        automatic("ui.list_width", 8...40, \.screen.listWidth, "width of the list in columns"),
        choice("ui.list_order", \.screen.listOrder, "which chats come first: as added, newest message, unread"),
        choice("ui.details", \.screen.details, "show the details of the open chat beside it"),
        flag("ui.hints", \.screen.hints, "the line of keys below the input"),
        flag("ui.mouse", \.screen.mouse, "clicks and the wheel; false leaves the mouse to the terminal"),
        text(
            "ui.theme", \.screen.theme, form: .other("a theme's name (/theme lists them)"), limit: 64,
            "the colours: terminal, dark, light, high-contrast, or a file in themes/"
        ) { ThemeFile.isName($0) },
        choice(
            "ui.color", \.screen.color, "colours: depending on the terminal and NO_COLOR, always, or never", .nextStart),
        choice("ui.glyphs", \.screen.glyphs, "frames and marks in Unicode or in ASCII", .nextStart),
        text(
            "ui.time", \.screen.timeFormat, form: .other("a pattern like \"HH:mm\" or \"h:mm a\""), limit: 32,
            "how to write times"
        ) { LocalClock.isPattern($0) && !$0.contains("%") },
        text(
            "ui.date", \.screen.dateFormat, form: .other("a pattern like \"EEE d MMM yyyy\" or \"yyyy-MM-dd\""),
            limit: 32,
            "how to write days"
        ) { LocalClock.isPattern($0) && !$0.contains("%") },
        flag("ui.seconds", \.screen.seconds, "show times with seconds"),
        number("ui.nick_width", 3...32, \.screen.nickWidth, "the most columns for the name before a message"),
        number(
            "ui.group_minutes", 0...1440, \.screen.groupMinutes,
            "show the name once for messages from one person within this many minutes; 0: each time"),
        choice("ui.edit_mode", \.screen.editMode, "editing keys in the input"),
        choice("ui.enter", \.screen.enter, "what Enter does in the input; Alt-Enter does the other"),
        number(
            "ui.escape_ms", 1...1000, \.screen.escapeMilliseconds,
            "milliseconds to wait after Esc for the rest of a key", .nextStart),
        flag("ui.title", \.screen.title, "set the title of the terminal's window"),
        flag("ui.up_edits_last", \.screen.upEditsLast, "Up on an empty line edits the last message"),
        choice("ui.unicode.width", \.screen.width, "whose character widths to use", .nextStart),
        choice("ui.unicode.emoji", \.screen.emoji, "draw emoji, or write their names"),
        automatic(
            "ui.unicode.ambiguous", 1...2, \.screen.ambiguous, "columns for characters of ambiguous width", .nextStart),
        choice("ui.unicode.bidi", \.screen.bidi, "right-to-left text"),
        number(
            "input.paste_confirm_lines", 0...10_000, \.screen.pasteConfirmLines,
            "ask before sending a paste of more lines; 0: never"),
        number(
            "input.paste_as_file_lines", 0...10_000, \.screen.pasteAsFileLines,
            "offer a paste of more lines as a file; 0: never"),
        flag("input.typing_send", \.screen.sendsTyping, "tell contacts that you are typing"),
        number("input.history", 0...100_000, \.screen.historyCount, "how many typed lines Up and Ctrl-r can find"),
        text(
            "input.spell_command", \.screen.spellCommand, form: .other("a command like \"aspell list\", or \"\""),
            "reads the draft and prints misspelled words, for blipchat to underline; run without a shell"
        ) { CommandLine.words(of: $0) != nil },
    ]
}
