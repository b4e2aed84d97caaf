// The surface that the screen is drawn on: the terminal, the settings, the time. Injected, so that pictures and tests
// are reproducible.

import ChatCore
package import ChatWords

/// The terminal as it is now, and how the user wants it.
package struct Surface: Sendable {
    package internal(set) var size: Size
    var clock: LocalClock
    var moment: Moment
    /// The home folder, shown as `~`.
    var home: String
    var version: String
    var settings = ScreenSettings() {
        didSet {
            if settings.keys != oldValue.keys || settings.enter != oldValue.enter {
                keymap = Keymap(overrides: settings.keys, enter: settings.enter)
            }
        }
    }
    /// The keys as `settings.keys` changes them.
    private(set) var keymap = Keymap.standard
    /// The theme that `settings.theme` names.
    var theme = Theme.terminal
    /// The keys of all settings and the values of those that have few, for completion.
    var settingNames: any SettingNames = NoSettings()
    /// Keys and aliases that count here already and are on their way to the file.
    var unkeptKeys: Set<String> = []
    /// `ui.mouse` as it was read last.
    var savedMouse = ScreenSettings().mouse

    /// The abilities of the terminal, as far as they are known.
    var terminal = TerminalCapabilities(colors: 256, unicode: true)
    /// The shape that we have asked the terminal to give its cursor.
    var cursorShape = TerminalCommand.CursorShape.standard
    /// The terminal window has the focus, as far as it tells.
    var isFocused = true
    /// Whether somebody looks at it, as far as the keys tell.
    var attention = Attention()
    /// There is no screen: what happens is printed as lines.
    var isLineMode = false

    /// No panes and no indentation, so that the terminal's own selection copies well (Alt-l).
    var isPlain = false
    var listIsHidden = false
    var detailsAreHidden = false

    package init(size: Size, clock: LocalClock, moment: Moment, home: String, version: String) {
        self.size = size
        self.clock = clock
        self.moment = moment
        self.home = home
        self.version = version
    }
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
