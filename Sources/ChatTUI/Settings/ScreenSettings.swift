// How the user wants the screen: every key of [ui], [ui.unicode], [input], [read], [notify] and [keys] of the
// configuration that the screen reads. Made from config.toml by the program; changed while it runs by /set.

import ChatWords

/// The settings of the screen with their defaults (PRODUCT, "Config").
package struct ScreenSettings: Sendable, Equatable {
    /// Whether a side pane is shown: `auto` by the width of the terminal.
    package enum Pane: String, Sendable, CaseIterable { case auto, on, off }
    /// Which chats come first in lists: as they were added, those with the newest message, those with unread ones.
    package enum ListOrder: String, Sendable, CaseIterable { case added, newest, unread }
    package enum ColorMode: String, Sendable, CaseIterable { case auto, always, never }
    package enum Glyphs: String, Sendable, CaseIterable { case unicode, ascii }
    package enum EditMode: String, Sendable, CaseIterable { case emacs, vi }
    /// The effect of Enter in the input; Alt-Enter and Ctrl-j do the other.
    package enum Enter: String, Sendable, CaseIterable { case send, newline }
    /// Whose widths rule: what the start-up probe found, the C library's, or whole clusters.
    package enum WidthMode: String, Sendable, CaseIterable { case auto, wcwidth, grapheme }
    package enum EmojiMode: String, Sendable, CaseIterable { case draw, name }
    package enum BidiMode: String, Sendable, CaseIterable { case auto, reorder, raw }
    package enum Receipts: String, Sendable, CaseIterable { case send, off }
    /// How messages are marked as read: by being on the screen, or only by /read.
    package enum ReadMark: String, Sendable, CaseIterable { case visible, manual }
    /// Which messages ring: none, those that mention our name, all.
    package enum Bell: String, Sendable, CaseIterable { case off, mention, all }
    package enum Desktop: String, Sendable, CaseIterable { case auto, osc9, osc777, osc99, command, off }
    package enum ImagePreview: String, Sendable, CaseIterable { case off, auto, blocks, kitty, sixel }

    // [ui]
    package var list = Pane.auto
    /// Columns, 8 to 40; by the width of the terminal when `nil`.
    package var listWidth: Int?
    package var listOrder = ListOrder.added
    package var details = Pane.auto
    package var hints = true
    package var mouse = true
    /// A built-in name or that of a file in `themes/`.
    package var theme = "terminal"
    package var color = ColorMode.auto
    package var glyphs = Glyphs.unicode
    /// Letters as in `HH:mm` and `EEE d MMM yyyy` (Unicode TR 35; the subset that LocalClock knows).
    package var timeFormat = "HH:mm"
    package var dateFormat = "EEE d MMM yyyy"
    package var seconds = false
    /// The most columns that a name takes before a message.
    package var nickWidth = 9
    /// Messages of one person within so many minutes show the name once; 0: every message shows it.
    package var groupMinutes = 0
    package var editMode = EditMode.emacs
    package var enter = Enter.send
    /// How long a lone Esc waits for the rest of a key sequence.
    package var escapeMilliseconds = 25
    package var title = true
    package var upEditsLast = false

    // [ui.unicode]
    package var width = WidthMode.auto
    package var emoji = EmojiMode.draw
    /// Columns of characters of ambiguous width, 1 or 2; as probed when `nil`.
    package var ambiguous: Int?
    package var bidi = BidiMode.auto
    /// Whether texts of messages are shown in the order in which they are read, not as they are stored.
    var reorders: Bool { bidi != .raw }

    // [input]
    /// A paste of more lines than this asks before Enter sends it; 0 never asks.
    package var pasteConfirmLines = 1
    /// A paste of more lines than this is offered as a file; 0 never.
    package var pasteAsFileLines = 20
    package var sendsTyping = true
    /// Lines kept for Ctrl-r and Up.
    package var historyCount = 1000
    /// A spell checker, run without a shell: it reads the draft and prints the words that it does not know, one a line
    /// (`aspell list`). None when empty.
    package var spellCommand = ""

    // [read]
    package var receipts = Receipts.send
    package var readMark = ReadMark.visible

    // [notify]
    package var bell = Bell.all
    package var desktop = Desktop.auto
    /// The command of `desktop = "command"`, run without a shell.
    package var notifyCommand = ""
    /// Whether notifications may contain what was written.
    package var notifyShowsText = false
    /// Minutes after midnight between which nothing rings; may pass midnight. `nil`: never quiet.
    package var quietHours: QuietHours?

    // [files], what the screen needs of it
    /// The program that opens a file or link, run with one argument and without a shell.
    package var openCommand = "xdg-open"
    package var preview = ImagePreview.off

    // [history], what the screen needs of it
    /// Messages that are read from the history at once.
    package var pageSize = 200

    // [security], what the screen says of it
    /// Nothing is sent to contacts whose number has not been compared.
    package var requiresVerified = false

    // [contact."NAME"]
    /// Which messages of single contacts ring and notify, by lower-case name; the others go by `bell` and `desktop`.
    package var notifyByName: [String: Bell] = [:]

    // [keys] and [alias]
    /// Key names to action names, as `/bind` writes them; an empty action unbinds.
    package var keys: [String: String] = [:]
    /// Names without the slash, to the line that each of them means.
    package var aliases: [String: String] = [:]

    package init() {}

    /// A part of the day, local time.
    package struct QuietHours: Sendable, Equatable {
        /// Minutes after midnight, 0 to 1439.
        package var from: Int
        package var to: Int

        package init(from: Int, to: Int) {
            self.from = from
            self.to = to
        }

        /// Whether `minute` (after midnight) is in it; from 22:00 to 07:00 passes midnight.
        package func contains(minute: Int) -> Bool {
            from <= to ? (from..<to).contains(minute) : minute >= from || minute < to
        }
    }
}
