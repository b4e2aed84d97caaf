// The surface that the screen is drawn on: the terminal, the settings, the time. Injected, so that pictures and tests
// are reproducible.

import ChatCore
package import ChatWords

/// The terminal as it is now, and how the user wants it.
package struct Surface: Sendable {
    package private(set) var size: Size
    let clock: LocalClock
    private(set) var moment: Moment
    /// The home folder, shown as `~`.
    let home: String
    let version: String
    private(set) var settings: ScreenSettings {
        didSet {
            if settings.keys != oldValue.keys || settings.enter != oldValue.enter {
                keymap = Self.keymap(of: settings)
            }
        }
    }
    /// The keys as `settings.keys` changes them.
    private(set) var keymap: Keymap
    /// The theme that `settings.theme` names.
    private(set) var theme: Theme
    /// The keys of all settings and the values of those that have few, for completion.
    let settingNames: any SettingNames
    /// Settings that count here already and are on their way to the file, by their keys.
    private var unsavedKeys: Set<String> = []
    /// `ui.mouse` as it was read last.
    private var savedMouse: Bool

    /// The abilities of the terminal, as far as they are known.
    private(set) var terminal = TerminalCapabilities(colors: 256, unicode: true)
    /// The shape that we have asked the terminal to give its cursor.
    private var cursorShape = TerminalCommand.CursorShape.standard
    /// The terminal window has the focus, as far as it tells.
    private(set) var isFocused = true
    /// Whether somebody looks at it, as far as the keys tell.
    private var attention = Attention()
    /// There is no screen: what happens is printed as lines.
    let isLineMode: Bool

    /// No panes and no indentation, so that the terminal's own selection copies well (Alt-l).
    private(set) var isPlain = false
    /// The panes that the user has switched.
    private(set) var toggledPanes: Set<SidePane> = []

    package init(
        size: Size, clock: LocalClock, moment: Moment, home: String, version: String,
        settings: ScreenSettings = ScreenSettings(), theme: Theme = .terminal,
        settingNames: any SettingNames = NoSettings(), isLineMode: Bool = false
    ) {
        self.size = size
        self.clock = clock
        self.moment = moment
        self.home = home
        self.version = version
        self.settings = settings
        self.theme = theme
        self.settingNames = settingNames
        self.isLineMode = isLineMode
        savedMouse = settings.mouse
        keymap = Self.keymap(of: settings)
    }

    /// The usual one is there already: a screen that starts builds no other.
    private static func keymap(of settings: ScreenSettings) -> Keymap {
        let isUsual = settings.keys.isEmpty && settings.enter == .send
        return isUsual ? .standard : Keymap(overrides: settings.keys, enter: settings.enter)
    }
}

/// A pane beside the chat, with the key that hides or shows it.
enum SidePane: String, Sendable {
    /// The list of chats (F2).
    case list
    /// The details of the open chat (F3).
    case details
}

// MARK: The terminal and its user

extension Surface {
    mutating func advance(to moment: Moment) { self.moment = moment }

    mutating func resize(to size: Size) { self.size = size }

    mutating func terminalIs(_ terminal: TerminalCapabilities) { self.terminal = terminal }

    /// The terminal reports that its window has got or lost the focus.
    mutating func focusChanged(to isFocused: Bool) {
        self.isFocused = isFocused
        attention.focusWasReported()
    }

    /// The user has pressed a key or moved the mouse, now.
    mutating func noteInput() { attention.note(inputAt: moment.uptime) }

    /// A key or a click proves that somebody is there, also on terminals that report no focus.
    mutating func noteFocus() { isFocused = true }

    /// The cursor is to have this shape. `false` when the terminal knows already.
    mutating func shapeCursor(_ wanted: TerminalCommand.CursorShape) -> Bool {
        guard wanted != cursorShape else { return false }
        cursorShape = wanted
        return true
    }

    /// A surface of this size for rows that are printed as lines, in the order of their text.
    func forLines(_ size: Size) -> Surface {
        var surface = self
        surface.size = size
        surface.settings.bidi = .raw
        surface.terminal.unicode = true
        return surface
    }

    mutating func togglePlainView() { isPlain.toggle() }

    /// The user wants the opposite of what the size of the screen would give.
    mutating func toggle(_ pane: SidePane) { toggledPanes.formSymmetricDifference([pane]) }
}

// MARK: Settings

extension Surface {
    /// The settings as they are in the file now. A mouse that a key has switched stays so unless the file says something
    /// else than before.
    mutating func adopt(_ new: ScreenSettings) {
        let mouse = new.mouse == savedMouse ? settings.mouse : new.mouse
        savedMouse = new.mouse
        settings = new
        settings.mouse = mouse
    }

    mutating func adopt(_ theme: Theme) { self.theme = theme }

    mutating func toggleMouse() { settings.mouse.toggle() }

    /// Keys as the user has bound them; `name` is the one that has changed.
    mutating func bind(_ keys: [String: String], changed name: String?) {
        settings.keys = keys
        if let name { noteUnsaved("keys.\(name)") }
    }

    mutating func setAlias(_ name: String, to line: String) {
        settings.aliases[name] = line
        noteUnsaved("alias.\(name)")
    }

    /// `false` when there is no such alias.
    mutating func removeAlias(_ name: String) -> Bool {
        guard settings.aliases.removeValue(forKey: name) != nil else { return false }
        noteUnsaved("alias.\(name)")
        return true
    }

    /// A setting counts already and is on its way to the file.
    mutating func noteUnsaved(_ key: String) { unsavedKeys.insert(key) }

    /// The answer for a setting has come. `false` when it does not count yet.
    mutating func takeUnsaved(_ key: String) -> Bool { unsavedKeys.remove(key) != nil }
}

extension Surface {
    var isSomebodyThere: Bool { isFocused && !attention.hasFaded(at: moment.uptime) }

    var isQuiet: Bool {
        guard let hours = settings.quietHours else { return false }
        let now = clock.civil(moment.wall)
        return hours.contains(minute: now.hour * 60 + now.minute)
    }

    /// Pictures go to the terminal as they are, not as characters.
    var showsRealPictures: Bool {
        switch terminal.graphics {
        case .none: false
        case .kitty: settings.preview == .auto || settings.preview == .kitty
        case .sixel: settings.preview == .auto || settings.preview == .sixel
        }
    }

    /// Whether nothing goes to a contact until our user has compared the number. A room has none to compare.
    func waitsForVerification(_ peer: Peer) -> Bool {
        settings.requiresVerified && peer.trust == .unverified && peer.room == nil
    }

    /// `until 14:00`, `until you say /mute WHO off`.
    func muteWords(_ peer: Peer) -> String? {
        guard let until = peer.mutedUntil, peer.isMuted(at: moment.wall) else { return nil }
        return until == .endless ? "muted" : "muted until \(clock.dayAndTime(until, now: moment.wall))"
    }

    /// What only the screen knows: its terminal, as far as it has answered.
    var terminalLines: [String] {
        guard !isLineMode else { return ["line mode: blipchat asks the terminal nothing"] }
        let colors = terminal.colors == 0 ? "no colours" : "\(terminal.colors) colours"
        let pictures =
            switch terminal.graphics {
            case .none: "characters"
            case .kitty: "kitty's protocol"
            case .sixel: "sixels"
            }
        let parts = [
            colors, terminal.unicode ? "Unicode" : "ASCII", "pictures as \(pictures)",
            terminal.links ? "links" : "no links", terminal.mouse ? "mouse" : "no mouse",
            terminal.bracketedPaste ? "bracketed pastes" : "pastes guessed by speed",
        ]
        let ambiguous = "characters of ambiguous width take \(TextWidth.ambiguousColumns)"
        return [
            "terminal \(terminal.name): " + parts.joined(separator: ", "),
            "widths in columns: \(terminal.widths.summary); \(ambiguous)",
        ]
    }

    /// The time beside a message; `inColumn`: as wide as that of any other.
    func timeText(_ time: Timestamp, inColumn: Bool = false) -> String {
        var format = settings.timeFormat
        if settings.seconds, !format.contains("s") {
            let minutes = format.lastIndex(of: "m").map { format.index(after: $0) } ?? format.endIndex
            format.insert(contentsOf: ":ss", at: minutes)
        }
        return clock.text(time, format: format, padded: inColumn)
    }

    /// The time where it is drawn anew once a minute at most: without seconds.
    func minuteText(_ time: Timestamp) -> String {
        settings.timeFormat.contains("s")
            ? clock.time(time) : clock.text(time, format: settings.timeFormat)
    }

    /// The day on a line of its own.
    func dayText(_ time: Timestamp) -> String { clock.text(time, format: settings.dateFormat) }

    /// To the second, for the info of a message.
    func exactTime(_ time: Timestamp) -> String { clock.text(time, format: "EEE d MMM yyyy HH:mm:ss") }

    /// The key that sends a draft that is too long for a message.
    var fileKey: String { key(.sendFile) }

    var sendKey: String { key(.send) }

    /// The key that does something, for sentences; where no key does it, what /bind calls it.
    func key(_ command: AppCommand) -> String {
        let label = keymap.label(of: command)
        return label.isEmpty ? command.name : label
    }

    /// `path` with the home folder as `~`.
    func abbreviated(_ path: String) -> String { HomeFolder.abbreviated(path, home: self.home) }

    /// `~` and `~/…` with the home folder in full.
    func expanded(_ path: String) -> String {
        PastedPath.path(ofURI: path) ?? HomeFolder.expanded(path, home: self.home)
    }

    func advice(about program: String) -> String {
        let keys = [
            ("files.open_command", settings.openCommand), ("notify.command", settings.notifyCommand),
        ]
        let key = keys.first { CommandLine.words(of: $0.1)?.first == program }?.0
        return key.map { " (/set \($0) to another)" } ?? ""
    }

    /// A reaction as it is shown: by its name where emoji cannot be drawn, or are not to be.
    /// Of more than one character only the first: `👍 me  👎` would pass for two reactions, one of them ours.
    func shown(emoji raw: String) -> String {
        let emoji = raw.dropFirst().isEmpty ? raw : String(raw.prefix(1)) + "…"
        guard !terminal.unicode || settings.emoji == .name else { return emoji }
        return EmojiNames.name(of: emoji).map { ":\($0):" } ?? EmojiSpelling.spelled(emoji)
    }
}
