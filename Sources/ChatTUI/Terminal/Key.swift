// A key press as the rest of the program sees it: from InputDecoder into AppAction, key bindings and help lines.

import ChatWords

/// One key with the modifiers that were held. Ctrl with a letter is the lower-case letter and `.control`; shifted
/// characters are themselves (`A`, `?`), without `.shift`.
package struct Key: Sendable, Hashable {
    package enum Code: Sendable, Hashable {
        /// One scalar, not a control character. The space bar is `" "`.
        case character(String)
        case enter, tab, backTab, backspace, delete, insert, escape
        case up, down, left, right, home, end, pageUp, pageDown
        /// F1 to F24.
        case function(Int)
    }

    package struct Modifiers: OptionSet, Sendable, Hashable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let shift = Modifiers(rawValue: 1)
        package static let alt = Modifiers(rawValue: 2)
        package static let control = Modifiers(rawValue: 4)
    }

    package var code: Code
    package var modifiers: Modifiers

    package init(_ code: Code, _ modifiers: Modifiers = []) {
        self.code = code
        self.modifiers = modifiers
    }

    /// A character key.
    package init(_ character: Character, _ modifiers: Modifiers = []) {
        self.init(.character(String(character)), modifiers)
    }

    /// What the key types into a text: its character unless Ctrl or Alt is held.
    package var typedText: String? {
        guard case .character(let text) = code, modifiers.isDisjoint(with: [.alt, .control]) else { return nil }
        return text
    }
}

extension Key {
    /// Reads a name as `name` writes it: `a`, `Alt-A`, `Ctrl-Left`, `F5`, `Alt-Space`, `Shift-Tab`. Names of keys and
    /// modifiers may be written in any case and some have short forms (`C-x`, `M-x`, `PageUp`, `Return`).
    package init?(named name: String) {
        var rest = Substring(name)
        var modifiers: Modifiers = []
        // The last "-" may be the key itself: "Ctrl--".
        while let dash = rest.dropFirst().firstIndex(of: "-"), rest.index(after: dash) < rest.endIndex {
            guard let modifier = Self.modifierNames[rest[..<dash].lowercased()] else { return nil }
            modifiers.insert(modifier)
            rest = rest[rest.index(after: dash)...]
        }
        guard var code = Self.code(named: String(rest)) else { return nil }
        if case .character(let text) = code, modifiers.contains(.control) { code = .character(text.lowercased()) }
        if code == .tab && modifiers.contains(.shift) {
            code = .backTab
            modifiers.remove(.shift)
        }
        self.init(code, modifiers)
    }

    /// The name for help, `/bind` and the configuration: `Ctrl-Alt-Up`, `Shift-Tab`, `PgUp`, `Space`, `a`.
    package var name: String {
        var text = ""
        if modifiers.contains(.control) { text += "Ctrl-" }
        if modifiers.contains(.alt) { text += "Alt-" }
        if modifiers.contains(.shift) { text += "Shift-" }
        switch code {
        case .character(let character): return text + (character == " " ? "Space" : character)
        case .function(let number): return text + "F\(number)"
        case .backTab: return text + "Shift-Tab"
        default: return text + (Self.names.first { $0.code == code }?.name ?? "?")
        }
    }

    private static let modifierNames: [String: Modifiers] = [
        "ctrl": .control, "c": .control, "control": .control, "alt": .alt, "m": .alt, "meta": .alt, "esc": .alt,
        "shift": .shift, "s": .shift,
    ]

    /// The first name of each code is the one that is shown.
    private static let names: [(name: String, code: Code)] = [
        ("Enter", .enter), ("Return", .enter), ("Tab", .tab), ("BackTab", .backTab), ("Backspace", .backspace),
        ("Delete", .delete), ("Del", .delete), ("Insert", .insert), ("Ins", .insert), ("Esc", .escape),
        ("Escape", .escape), ("Up", .up), ("Down", .down), ("Dn", .down), ("Left", .left), ("Right", .right),
        ("Home", .home), ("End", .end), ("PgUp", .pageUp), ("PageUp", .pageUp), ("PgDn", .pageDown),
        ("PageDown", .pageDown), ("Space", .character(" ")),
    ]

    private static let codes = Dictionary(names.map { ($0.name.lowercased(), $0.code) }) { first, _ in first }

    private static func code(named name: String) -> Code? {
        if name.unicodeScalars.count == 1, let scalar = name.unicodeScalars.first {
            return scalar.value > 0x20 && !(0x7F...0x9F).contains(scalar.value) ? .character(name) : nil
        }
        let lower = name.lowercased()
        if let known = codes[lower] { return known }
        guard lower.hasPrefix("f"), let number = UInt8(lower.dropFirst()), (1...24).contains(number),
            lower.utf8.dropFirst().allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return .function(Int(number))
    }
}
