// One or more keys that are pressed one after the other and mean one thing, as help and [keys] write them.

import ChatWords

/// Nearly always one key; `Ctrl-x Ctrl-e` are two.
struct KeySequence: Sendable, Hashable {
    var keys: [Key]

    init(_ keys: [Key]) {
        self.keys = keys
    }

    /// Reads key names with blanks between them; `nil` when one is no key, or when there are none.
    init?(named name: String) {
        let names = name.split(separator: " ")
        let keys = names.compactMap { Key(named: String($0)) }
        guard !keys.isEmpty, keys.count == names.count else { return nil }
        self.init(keys)
    }

    var name: String { keys.map(\.name).joined(separator: " ") }

    /// The name of the key whose byte terminals send for this one (ASCII: Ctrl takes two bits away, and two more are
    /// Backspace and Ctrl-_ to them); `nil` for others.
    var sentInstead: String? {
        if let alt = sentWithAlt { return alt }
        let twins: [String: Key] = [
            "m": Key(.enter), "i": Key(.tab), "[": Key(.escape), "h": Key(.backspace), "?": Key(.backspace),
            "@": Key(" ", .control), "/": Key("_", .control),
        ]
        for key in keys {
            if key == Key(.escape, .alt) { return Key(.escape).name }
            guard key.modifiers.contains(.control), case .character(let text) = key.code, var twin = twins[text] else {
                continue
            }
            twin.modifiers.formUnion(key.modifiers.subtracting(.control))
            return twin.name
        }
        return nil
    }

    /// For Esc followed by another key terminals send the same as for that key with Alt.
    private var sentWithAlt: String? {
        guard keys.count > 1, keys[0] == Key(.escape) else { return nil }
        var second = keys[1]
        second.modifiers.insert(.alt)
        return KeySequence([second] + keys.dropFirst(2)).name
    }

    /// Few terminals can send it: Ctrl with a character that has no byte of its own (ASCII has 32 of them), or a key with
    /// a byte of its own together with Ctrl or Shift.
    var isSeldomSent: Bool {
        keys.contains { key in
            switch key.code {
            case .character(let text):
                guard key.modifiers.contains(.control) else { return false }
                return
                    !(text.utf8.count == 1
                    && text.utf8.allSatisfy { (0x5B...0x7A).contains($0) || $0 == 0x20 || $0 == 0x40 })
            case .enter, .tab, .backspace, .escape: return !key.modifiers.isDisjoint(with: [.control, .shift])
            default: return false
            }
        }
    }

    /// Pressing it types a text where one is edited.
    var typesText: Bool { keys.first?.typedText != nil }
}
