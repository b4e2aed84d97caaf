// vi's operators: the keys that begin them, and what they make of a text.

import ChatWords

/// `d`, `c`, `y`, and after `g`: `U`, `u`, `~`.
enum ViOperator: Character {
    case delete = "d", change = "c", yank = "y"
    case upper = "U", lower = "u", toggle = "~"

    /// The operator that a key begins, alone or after `g`.
    init?(_ key: Character, behindG: Bool) {
        guard let found = Self(rawValue: key), found.isBehindG == behindG else { return nil }
        self = found
    }

    /// The key that, pressed after it, means whole lines.
    var key: Character { rawValue }

    private var isBehindG: Bool {
        switch self {
        case .delete, .change, .yank: false
        case .upper, .lower, .toggle: true
        }
    }

    /// The text that it makes of another; `nil` when it takes that away or leaves it.
    func changed(_ text: some Sequence<Character>) -> String? {
        switch self {
        case .delete, .change, .yank: nil
        case .upper: text.map { $0.uppercased() }.joined()
        case .lower: text.map { $0.lowercased() }.joined()
        case .toggle: text.map { $0.isUppercase ? $0.lowercased() : $0.uppercased() }.joined()
        }
    }
}
