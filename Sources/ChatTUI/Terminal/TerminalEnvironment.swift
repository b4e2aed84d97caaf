// What the environment says about the terminal: its type, NO_COLOR and the locale. Read once, at start.

import ChatWords
import Glibc

/// The settings of the environment that a terminal needs; a value, so that tests can bring their own.
package struct TerminalEnvironment: Sendable, Equatable {
    /// TERM, `nil` when not set.
    package var type: String?
    /// True when NO_COLOR is set to anything but the empty text (no-color.org).
    package var noColor: Bool
    /// True when text is UTF-8.
    package var unicode: Bool
    /// TERM_PROGRAM, which many terminals (and tmux) set to their name.
    package var program: String?
    /// Inside of tmux.
    package var isTmux: Bool
    /// Inside of GNU screen (STY). With tmux, too, nothing tells which of them is inside of the other.
    package var hasScreenSession: Bool

    package init(
        type: String?, noColor: Bool = false, unicode: Bool = true, program: String? = nil, isTmux: Bool = false,
        hasScreenSession: Bool = false
    ) {
        self.type = type
        self.noColor = noColor
        self.unicode = unicode
        self.program = program
        self.isTmux = isTmux
        self.hasScreenSession = hasScreenSession
    }

    /// Reads the process's environment and switches the C library to its character set, which curses goes by.
    @ScreenActor
    package static func current() -> TerminalEnvironment {
        TerminalEnvironment(
            type: variable("TERM"), noColor: variable("NO_COLOR") != nil, unicode: activateCharacterSet(),
            program: variable("TERM_PROGRAM") ?? variable("VTE_VERSION").map { _ in "vte" },
            isTmux: variable("TMUX") != nil, hasScreenSession: variable("STY") != nil)
    }

    /// Whether the locale of the process is one of UTF-8, for output that is not curses. Changes nothing in the C library;
    /// what no setting and a locale that is not installed mean is as for `current`.
    package static let hasUnicodeLocale: Bool = {
        guard let setting = localeSetting else { return true }
        guard let locale = newlocale(1 << LC_CTYPE, "", nil) else { return namesUTF8(setting) }
        defer { freelocale(locale) }
        guard let name = nl_langinfo_l(nl_item(CODESET), locale) else { return false }
        return String(cString: name) == "UTF-8"
    }()

    /// The same, with what the user's settings say about colours and glyphs.
    package func applying(_ settings: ScreenSettings) -> TerminalEnvironment {
        var changed = self
        switch settings.color {
        case .auto: break
        case .always: changed.noColor = false
        case .never: changed.noColor = true
        }
        if settings.glyphs == .ascii { changed.unicode = false }
        return changed
    }

    /// The value of a variable; `nil` when it is missing or empty.
    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    /// Sets LC_CTYPE; true when it is UTF-8 now. A locale that is named but not installed (usual over ssh) and no
    /// setting at all both mean UTF-8, as on any terminal of today; only a setting that says otherwise gives ASCII.
    @ScreenActor
    private static func activateCharacterSet() -> Bool {
        let setting = localeSetting
        if setting != nil, setlocale(LC_CTYPE, "") != nil { return isUTF8() }
        guard setting.map(namesUTF8) ?? true, setlocale(LC_CTYPE, "C.UTF-8") != nil else {
            return false
        }
        return isUTF8()
    }

    private static var localeSetting: String? { variable("LC_ALL") ?? variable("LC_CTYPE") ?? variable("LANG") }

    /// Whether the name of a locale says so.
    private static func namesUTF8(_ name: String) -> Bool {
        let name = name.lowercased()
        return name.hasSuffix("utf-8") || name.hasSuffix("utf8")
    }

    private static func isUTF8() -> Bool {
        guard let name = nl_langinfo(nl_item(CODESET)) else { return false }
        return String(cString: name) == "UTF-8"
    }

    /// True for terminals that have bracketed paste, focus reports and titles: all but the old and plain ones, which
    /// would show or misread the sequences.
    var hasModernModes: Bool {
        guard let type else { return false }
        return !["linux", "vt", "ansi", "cons", "sun", "wy", "dumb", "pcansi", "hurd"].contains { type.hasPrefix($0) }
    }

    /// GNU screen (tmux may call itself `screen`, too): it does not mark pastes, and hands on little.
    var isScreen: Bool { (hasScreenSession || !isTmux) && type.map { $0.hasPrefix("screen") } ?? false }

    /// The multiplexer between us and the terminal, with the same choice as for the whole environment.
    package var multiplexer: Multiplexer? { isTmux ? .tmux : hasScreenSession ? .screen : nil }

    /// What a cell can hold: tmux leaves out the end of longer clusters (UTF8_SIZE in its tmux.h up to 3.4).
    var mostClusterBytes: Int { isTmux || type.map { $0.hasPrefix("tmux") } ?? false ? 21 : .max }

    /// Whether the mouse can be had. GNU screen holds Esc back until the next key as long as a program has it.
    var hasMouse: Bool { hasModernModes && !isScreen }

    /// Whether links can be written (OSC 8): GNU screen would show them.
    var hasLinks: Bool { hasModernModes && !isScreen }

    /// The form of desktop notifications that this terminal knows, for `desktop = "auto"`. What a terminal does not
    /// know it ignores.
    var notificationForm: ScreenSettings.Desktop {
        guard hasModernModes, !isScreen else { return .off }
        let names = [type ?? "", program?.lowercased() ?? ""]
        func isOne(of families: [String]) -> Bool {
            names.contains { name in families.contains { name.contains($0) } }
        }
        if isOne(of: ["kitty"]) { return .osc99 }
        return isOne(of: ["rxvt", "foot", "vte", "contour", "warp"]) ? .osc777 : .osc9
    }
}
