// How the user wants the screen: every key of [ui], [ui.unicode], [input], [read], [notify] and [keys] of the
// configuration that the screen reads. Made from config.toml by the program; changed while it runs by /set.

/// The settings of the screen with their defaults (PRODUCT, "Config").
public struct ScreenSettings: Sendable, Equatable {
    /// Whether a side pane is shown: `auto` by the width of the terminal.
    public enum Pane: String, Sendable, CaseIterable { case auto, on, off }
    /// Which chats stand first in lists: as they were added, those with the newest message, those with unread ones.
    public enum ListOrder: String, Sendable, CaseIterable { case added, newest, unread }
    public enum ColorMode: String, Sendable, CaseIterable { case auto, always, never }
    public enum Glyphs: String, Sendable, CaseIterable { case unicode, ascii }
    public enum EditMode: String, Sendable, CaseIterable { case emacs, vi }
    /// What Enter does in the input; Alt-Enter and Ctrl-j do the other.
    public enum Enter: String, Sendable, CaseIterable { case send, newline }
    /// Whose widths rule: what the start-up probe found, the C library's, or whole clusters.
    public enum WidthMode: String, Sendable, CaseIterable { case auto, wcwidth, grapheme }
    public enum EmojiMode: String, Sendable, CaseIterable { case draw, name }
    public enum BidiMode: String, Sendable, CaseIterable { case auto, reorder, raw }
    public enum Receipts: String, Sendable, CaseIterable { case send, off }
    /// What marks messages as read: being on the screen, or only /read.
    public enum ReadMark: String, Sendable, CaseIterable { case visible, manual }
    /// Which messages ring: none, those that mention our name, all.
    public enum Bell: String, Sendable, CaseIterable { case off, mention, all }
    public enum Desktop: String, Sendable, CaseIterable { case auto, osc9, osc777, osc99, command, off }
    public enum ImagePreview: String, Sendable, CaseIterable { case off, auto, blocks, kitty, sixel }

    // [ui]
    public var list = Pane.auto
    /// Columns, 8 to 40; by the width of the terminal when `nil`.
    public var listWidth: Int?
    public var listOrder = ListOrder.added
    public var details = Pane.auto
    public var hints = true
    public var mouse = true
    /// A built-in name or that of a file in `themes/`.
    public var theme = "terminal"
    public var color = ColorMode.auto
    public var glyphs = Glyphs.unicode
    /// Letters as in `HH:mm` and `EEE d MMM yyyy` (Unicode TR 35; the subset that LocalClock knows).
    public var timeFormat = "HH:mm"
    public var dateFormat = "EEE d MMM yyyy"
    public var seconds = false
    /// The most columns that a name takes before a message.
    public var nickWidth = 9
    /// Messages of one person within so many minutes show the name once; 0: every message shows it.
    public var groupMinutes = 0
    public var editMode = EditMode.emacs
    public var enter = Enter.send
    /// How long a lone Esc waits for the rest of a key sequence.
    public var escapeMilliseconds = 25
    public var title = true
    public var upEditsLast = false

    // [ui.unicode]
    public var width = WidthMode.auto
    public var emoji = EmojiMode.draw
    /// Columns of characters of ambiguous width, 1 or 2; as probed when `nil`.
    public var ambiguous: Int?
    public var bidi = BidiMode.auto
    /// Whether texts of messages are shown in the order in which they are read, not as they are stored.
    var reorders: Bool { bidi != .raw }

    // [input]
    /// A paste of more lines than this asks before Enter sends it; 0 never asks.
    public var pasteConfirmLines = 1
    /// A paste of more lines than this is offered as a file; 0 never.
    public var pasteAsFileLines = 20
    public var sendsTyping = true
    /// Lines kept for Ctrl-r and Up.
    public var historyCount = 1000
    /// A spell checker, run without a shell: it reads the draft and prints the words that it does not know, one a line
    /// (`aspell list`). None when empty.
    public var spellCommand = ""

    // [read]
    public var receipts = Receipts.send
    public var readMark = ReadMark.visible

    // [notify]
    public var bell = Bell.all
    public var desktop = Desktop.auto
    /// The command of `desktop = "command"`, run without a shell.
    public var notifyCommand = ""
    /// Whether notifications may contain what was written.
    public var notifyShowsText = false
    /// Minutes after midnight between which nothing rings; may pass midnight. `nil`: never quiet.
    public var quietHours: QuietHours?

    // [files], what the screen needs of it
    /// The program that opens a file or link, run with one argument and without a shell.
    public var openCommand = "xdg-open"
    public var preview = ImagePreview.off

    // [history], what the screen needs of it
    /// Messages that are read from the history at once.
    public var pageSize = 200

    // [security], what the screen says of it
    /// Nothing is sent to contacts whose number has not been compared.
    public var requiresVerified = false

    // [contact."NAME"]
    /// Which messages of single contacts ring and are told, by lower-case name; the others go by `bell` and `desktop`.
    public var notifyByName: [String: Bell] = [:]

    // [keys] and [alias]
    /// Key names to action names, as `/bind` writes them; an empty action unbinds.
    public var keys: [String: String] = [:]
    /// Names without the slash, to the line that they stand for.
    public var aliases: [String: String] = [:]

    public init() {}

    /// A part of the day, local time.
    public struct QuietHours: Sendable, Equatable {
        /// Minutes after midnight, 0 to 1439.
        public var from: Int
        public var to: Int

        public init(from: Int, to: Int) {
            self.from = from
            self.to = to
        }

        /// Whether `minute` (after midnight) is in it; from 22:00 to 07:00 passes midnight.
        public func contains(minute: Int) -> Bool {
            from <= to ? (from..<to).contains(minute) : minute >= from || minute < to
        }
    }
}
