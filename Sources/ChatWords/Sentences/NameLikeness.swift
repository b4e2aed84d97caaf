// Names that are made to be taken for others (PRODUCT "Hostile text" 3): compared by what they look like.

package import ChatCore
@_spi(_Unicode) import Swift

/// Skeletons of names: what is left when letters that look alike are made one.
package enum NameLikeness {
    /// Two names that most people would take for the same, although they are not written the same.
    package static func areAlike(_ left: String, _ right: String) -> Bool {
        skeleton(of: left) == skeleton(of: right)
    }

    /// The contact whose name most people would take for `name`, or which is the same.
    package static func twin(of name: String, among peers: [Peer]) -> String? {
        let skeleton = skeleton(of: name)
        return peers.first { Self.skeleton(of: $0.name) == skeleton }?.name
    }

    /// The warning about the name of somebody who wants to become a contact; `nil` when there is nothing to warn of.
    package static func warning(of request: ContactRequest, among peers: [Peer]) -> SafeText? {
        warning(ofRequest: request.name, like: twin(of: request, among: peers))
    }

    /// The contact whose name a request's is like, and who has another key.
    package static func twin(of request: ContactRequest, among peers: [Peer]) -> String? {
        twin(of: request.name, among: peers.filter { $0.peerID != request.peerID })
    }

    /// The warning about a request's name, where `twin` is the name of the contact that it is like.
    package static func warning(ofRequest name: String, like twin: String?) -> SafeText? {
        guard let twin else {
            return warning(of: name).map { SafeText("the name \($0)", as: .line) }
        }
        return SafeText(literal: "looks like your contact ") + SafeText(twin, as: .name)
            + SafeText(literal: ", but has another key")
    }

    /// The likenesses among the names of contacts.
    package struct Likenesses: Sendable {
        /// For each contact whose name is made to look like that of one who was there before: the name of that one.
        package fileprivate(set) var twins: [ContactID: String] = [:]
        /// The skeletons of the names that people have: anyone called so in a room may be somebody else.
        package fileprivate(set) var people: Set<String> = []
    }

    package static func likenesses(among peers: [Peer]) -> Likenesses {
        var first: [String: Peer] = [:]
        var found = Likenesses()
        for peer in peers.sorted(by: { $0.id < $1.id }) {
            let skeleton = skeleton(of: peer.name)
            if let known = first[skeleton] { found.twins[peer.id] = known.name } else { first[skeleton] = peer }
            if peer.room == nil { found.people.insert(skeleton) }
        }
        return found
    }

    package static func twins(among peers: [Peer]) -> [ContactID: String] { likenesses(among: peers).twins }

    /// The warning about a name that is made to be taken for something else; `nil` for every other name.
    package static func warning(of name: String) -> String? {
        mixture(in: name) ?? pretence(in: name) ?? mark(in: name)
    }

    /// A name that says what only the screen says of people: `says "verified"`.
    package static func pretence(in name: String) -> String? {
        let skeleton = skeleton(of: name)
        // The screen writes this in front of our own lines, perhaps after a mark and with a state (`~ me`, `me, read`).
        if skeleton == me || firstWord(of: name) == me { return "says \"me\"" }
        return (states + [program]).first { skeleton.contains($0.skeleton) }.map { "says \"\($0.word)\"" }
    }

    /// A name with a sign for something that only the screen says of people: `has the mark ✓`.
    package static func mark(in name: String) -> String? {
        name.unicodeScalars.first { marks.contains($0) }.map { "has the mark \($0)" }
    }

    /// Ticks, locks, keys, shields and seals, as pictures, too.
    private static let marks: Set<Unicode.Scalar> = [
        "✓", "✔", "☑", "✅", "🗸", "🗹", "√", "⍻", "🔒", "🔓", "🔏", "🔐", "🔑", "🗝", "🛡", "⛨", "🎖", "🏅", "☒", "🆗",
    ]

    /// A name that speaks for the program: `blipchat support`.
    private static let program = (word: "blipchat", skeleton: skeleton(of: "blipchat"))

    private static let me = "me"

    /// The skeleton of the first run of letters, whatever is in front of it.
    private static func firstWord(of name: String) -> String? {
        let scalars = name.unicodeScalars.drop { !$0.properties.isAlphabetic }
        let word = scalars.prefix { scalar in
            let properties = scalar.properties
            return properties.isAlphabetic || properties.generalCategory == .nonspacingMark
                || properties.isDefaultIgnorableCodePoint
        }
        return word.isEmpty ? nil : skeleton(of: String(word))
    }

    /// The words that the screen writes after names. Their skeletons are made once: titles are drawn with every picture.
    private static let states = ["unverified", "verified", "KEY CHANGED", "PLAINTEXT"].map {
        (word: $0, skeleton: skeleton(of: $0))
    }

    /// The warning about a name with letters of several alphabets in one word: nobody is called so, and it is how one
    /// name is made to look like another that we do not know. `nil` for every other name.
    package static func mixture(in name: String) -> String? {
        guard !name.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        var seen: String?
        for scalar in name.unicodeScalars {
            let properties = scalar.properties
            guard properties.isAlphabetic else {
                // Accents and invisible characters end no word.
                let isWithin = properties.generalCategory == .nonspacingMark || properties.isDefaultIgnorableCodePoint
                if !isWithin { seen = nil }
                continue
            }
            guard let alphabet = alphabets.first(where: { $0.holds(scalar) })?.name else { continue }
            if let seen, seen != alphabet { return "mixes \(seen) and \(alphabet) letters" }
            seen = alphabet
        }
        return nil
    }

    /// The alphabets whose letters look like each other's, by the blocks of the Unicode data (Blocks.txt).
    private struct Alphabet {
        let name: String
        let blocks: [ClosedRange<UInt32>]

        func holds(_ scalar: Unicode.Scalar) -> Bool { blocks.contains { $0.contains(scalar.value) } }
    }

    private static let alphabets = [
        Alphabet(name: "Latin", blocks: [0x41...0x24F, 0x1E00...0x1EFF, 0x2C60...0x2C7F, 0xA720...0xA7FF]),
        Alphabet(name: "Greek", blocks: [0x370...0x3FF, 0x1F00...0x1FFF]),
        Alphabet(name: "Cyrillic", blocks: [0x400...0x52F, 0x1C80...0x1C8F, 0x2DE0...0x2DFF, 0xA640...0xA69F]),
        Alphabet(name: "Armenian", blocks: [0x530...0x58F]),
        Alphabet(name: "Cherokee", blocks: [0x13A0...0x13FF, 0xAB70...0xABBF]),
        Alphabet(name: "Coptic", blocks: [0x2C80...0x2CFF]),
    ]

    /// Lower case, without blanks, accents, easily overlooked punctuation and invisible characters, look-alikes as the
    /// Latin letter.
    package static func skeleton(of name: String) -> String {
        var result = String.UnicodeScalarView()
        let isASCII = name.utf8.allSatisfy { $0 < 0x80 }
        let scalars = isASCII ? Array(name.lowercased().unicodeScalars) : Array(plain(name).lowercased()._nfd)
        for scalar in scalars where isSeen(scalar) { result.append(latin[scalar] ?? scalar) }
        return result.isEmpty ? name : String(result)
    }

    private static func isSeen(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        return switch properties.generalCategory {
        case .control, .nonspacingMark, .enclosingMark: false
        default: !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint && !overlooked.contains(scalar)
        }
    }

    private static let overlooked: Set<Unicode.Scalar> = [
        ".", ",", "'", "`", "´", "\u{B7}", "\u{2018}", "\u{2019}", "\u{2022}", "\u{2024}", "\u{2027}", "\u{2D9}",
    ]

    /// Letters and digits that Unicode has again in another form (wide, circled, of mathematics) as the plain ones.
    private static func plain(_ name: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            let block = forms.first { $0.scalars.contains(scalar.value) }
            let code = block.map { $0.first + (scalar.value - $0.scalars.lowerBound) % $0.count }
            result.append(code.flatMap(Unicode.Scalar.init) ?? scalar)
        }
        return String(result)
    }

    /// A range of the Unicode data (Blocks.txt), which counts `count` characters from `first` on, again and again.
    private struct Forms {
        let scalars: ClosedRange<UInt32>
        let first: UInt32
        let count: UInt32
    }

    private static let forms = [
        Forms(scalars: 0xFF01...0xFF5E, first: 0x21, count: 0x5E),
        Forms(scalars: 0x24B6...0x24CF, first: 0x61, count: 26),
        Forms(scalars: 0x24D0...0x24E9, first: 0x61, count: 26),
        Forms(scalars: 0x1D400...0x1D6A3, first: 0x61, count: 26),
        Forms(scalars: 0x1D7CE...0x1D7FF, first: 0x30, count: 10),
        Forms(scalars: 0x1F130...0x1F149, first: 0x61, count: 26),
        Forms(scalars: 0x1F150...0x1F169, first: 0x61, count: 26),
        Forms(scalars: 0x1F170...0x1F189, first: 0x61, count: 26),
    ]

    private static let latin: [Unicode.Scalar: Unicode.Scalar] = [
        "а": "a", "ɑ": "a", "α": "a", "в": "b", "ь": "b", "с": "c", "ϲ": "c", "ԁ": "d", "е": "e", "є": "e", "ε": "e",
        "һ": "h", "н": "h", "і": "i", "ı": "i", "ι": "i", "1": "i", "l": "i", "ӏ": "i", "|": "i", "!": "i", "ј": "j",
        "к": "k", "κ": "k", "м": "m", "п": "n", "η": "n", "о": "o", "ο": "o", "σ": "o", "0": "o", "р": "p", "ρ": "p",
        "ԛ": "q", "г": "r", "ѕ": "s", "5": "s", "т": "t", "τ": "t", "υ": "u", "ц": "u", "ν": "v", "ѵ": "v", "ԝ": "w",
        "ω": "w", "х": "x", "χ": "x", "у": "y", "γ": "y", "ᴢ": "z",
        // Armenian.
        "հ": "h", "ո": "n", "օ": "o", "ս": "u",
        // Roman numerals and other signs that are letters.
        "ⅰ": "i", "ⅴ": "v", "ⅹ": "x", "ⅼ": "i", "ⅽ": "c", "ⅾ": "d", "ⅿ": "m", "ℎ": "h", "ℓ": "i", "ℯ": "e", "ℊ": "g",
        "ℴ": "o", "ℹ": "i",
        // Small capitals.
        "ᴀ": "a", "ʙ": "b", "ᴄ": "c", "ᴅ": "d", "ᴇ": "e", "ɡ": "g", "ɢ": "g", "ʜ": "h", "ɪ": "i", "ᴊ": "j", "ᴋ": "k",
        "ʟ": "i", "ᴍ": "m", "ɴ": "n", "ᴏ": "o", "ᴘ": "p", "ʀ": "r", "ꜱ": "s", "ᴛ": "t", "ᴜ": "u", "ᴠ": "v", "ᴡ": "w",
        "ʏ": "y",
        // Cherokee (lower case).
        "ꭺ": "a", "ᏼ": "b", "ꮯ": "c", "ꭰ": "d", "ꭼ": "e", "ꮐ": "g", "ꮋ": "h", "ꭻ": "j", "ꮶ": "k", "ꮮ": "i", "ꮇ": "m",
        "ꮲ": "p", "ꭱ": "r", "ꮪ": "s", "ꭲ": "t", "ꮩ": "v", "ꮃ": "w", "ꭹ": "y", "ꮓ": "z",
    ]
}
