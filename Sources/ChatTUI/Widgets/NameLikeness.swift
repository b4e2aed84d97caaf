// Names that are made to be taken for others (PRODUCT "Hostile text" 3): compared by what they look like.

public import ChatCore

/// Skeletons of names: what is left when letters that look alike are made one.
public enum NameLikeness {
    /// Two names that most people would take for the same, although they are not written the same.
    static func areAlike(_ left: String, _ right: String) -> Bool {
        skeleton(of: left) == skeleton(of: right)
    }

    /// For each contact whose name is made to look like that of one who was there before: the name of that one.
    public static func twins(among peers: [Peer]) -> [ContactID: String] {
        var first: [String: Peer] = [:]
        var twins: [ContactID: String] = [:]
        for peer in peers.sorted(by: { $0.id < $1.id }) {
            let skeleton = skeleton(of: peer.name)
            if let known = first[skeleton] { twins[peer.id] = known.name } else { first[skeleton] = peer }
        }
        return twins
    }

    /// Lower case, without blanks and invisible characters, look-alikes as the Latin letter.
    static func skeleton(of name: String) -> String {
        var result = ""
        for scalar in name.lowercased().unicodeScalars {
            let properties = scalar.properties
            if properties.isWhitespace || properties.isDefaultIgnorableCodePoint { continue }
            if properties.generalCategory == .control { continue }
            result.unicodeScalars.append(latin[scalar] ?? scalar)
        }
        return result
    }

    private static let latin: [Unicode.Scalar: Unicode.Scalar] = [
        "а": "a", "ɑ": "a", "α": "a", "в": "b", "ь": "b", "с": "c", "ϲ": "c", "ԁ": "d", "е": "e", "є": "e", "ε": "e",
        "һ": "h", "н": "h", "і": "i", "ı": "i", "ι": "i", "1": "i", "l": "i", "ӏ": "i", "|": "i", "!": "i", "ј": "j",
        "к": "k", "κ": "k", "м": "m", "п": "n", "η": "n", "о": "o", "ο": "o", "σ": "o", "0": "o", "р": "p", "ρ": "p",
        "ԛ": "q", "г": "r", "ѕ": "s", "5": "s", "т": "t", "τ": "t", "υ": "u", "ц": "u", "ν": "v", "ѵ": "v", "ԝ": "w",
        "ω": "w", "х": "x", "χ": "x", "у": "y", "γ": "y", "ᴢ": "z",
    ]
}
