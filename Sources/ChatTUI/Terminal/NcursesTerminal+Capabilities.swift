// What terminfo knows about the terminal: colours, key sequences, and the codes for writing beside curses.

import CNcurses
import ChatWords

/// A pair of foreground and background, as numbers of the terminal's palette; -1 is its default colour.
struct ColorPair: Hashable {
    var foreground: Int32
    var background: Int32
}

/// The terminfo strings for what is written beside curses, without padding.
struct TerminalCodes {
    /// Gives the terminal back: no attributes, visible cursor, keypad off, the screen from before.
    var reset: [UInt8] = []
    /// For a terminal that cannot show the screen from before: the shell continues below ours, not within its last row.
    var nextLine: [UInt8] = []
    var noAttributes: [UInt8] = []
    var attributes: [(attribute: Style.Attributes, code: [UInt8])] = []

    /// The strings of the terminal that curses is on.
    @ScreenActor
    static func current() -> TerminalCodes {
        var codes = TerminalCodes()
        codes.noAttributes = string("sgr0")
        if string("rmcup").isEmpty { codes.nextLine = Array("\r\n".utf8) }
        codes.reset = ["sgr0", "op", "cnorm", "rmkx", "rmcup"].flatMap { string($0) } + codes.nextLine
        codes.attributes = [
            (.bold, string("bold")), (.dim, string("dim")), (.italic, string("sitm")), (.underline, string("smul")),
            (.reverse, string("rev")),
        ]
        return codes
    }

    /// A capability with up to two parameters; empty when the terminal does not have it.
    @ScreenActor
    static func string(_ name: String, _ first: Int32 = 0, _ second: Int32 = 0) -> [UInt8] {
        guard let text = cncurses_filled(cncurses_capability(name), first, second) else { return [] }
        return withoutPadding(Array(String(cString: text).utf8))
    }

    /// Drops `$<5/>`: delays for terminals of glass and gears.
    static func withoutPadding(_ bytes: [UInt8]) -> [UInt8] {
        var kept: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "$"), index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "<"),
                let end = bytes[index...].firstIndex(of: UInt8(ascii: ">"))
            {
                index = end + 1
            } else {
                kept.append(bytes[index])
                index += 1
            }
        }
        return kept
    }
}

extension NcursesTerminal {
    /// Turns colours on unless the terminal has none or NO_COLOR is set.
    func startColors() {
        guard !environment.noColor, has_colors(), start_color() == OK else {
            capabilities.colors = 0
            return
        }
        use_default_colors()
        switch cncurses_colors() {
        case 256...: capabilities.colors = 256
        case 16...: capabilities.colors = 16
        case 8...: capabilities.colors = 8
        default: capabilities.colors = 0
        }
    }

    /// The curses number of the pair for `style`, made on demand; 0 (the default colours) when there is none left.
    func pairNumber(for style: Style) -> Int32 {
        let pair = ColorPair(
            foreground: style.foreground.index(of: capabilities.colors),
            background: style.background.index(of: capabilities.colors))
        if pair == ColorPair(foreground: -1, background: -1) { return 0 }
        if let number = pairs[pair] { return number }
        let number = Int32(pairs.count + 1)
        guard number < cncurses_color_pairs(), init_extended_pair(number, pair.foreground, pair.background) == OK else {
            return 0
        }
        pairs[pair] = number
        return number
    }

    /// The key sequences of this terminal type, beside those that InputDecoder knows by itself.
    func keySequences() -> [[UInt8]: Key] {
        let names: [(String, Key)] = [
            ("kcuu1", Key(.up)), ("kcud1", Key(.down)), ("kcub1", Key(.left)), ("kcuf1", Key(.right)),
            ("khome", Key(.home)), ("kend", Key(.end)), ("kpp", Key(.pageUp)), ("knp", Key(.pageDown)),
            ("kich1", Key(.insert)), ("kdch1", Key(.delete)), ("kcbt", Key(.backTab)),
            ("kLFT5", Key(.left, .control)), ("kRIT5", Key(.right, .control)),
            ("kUP3", Key(.up, .alt)), ("kDN3", Key(.down, .alt)),
        ]
        let functions = (1...12).map { ("kf\($0)", Key(.function($0))) }
        var sequences: [[UInt8]: Key] = [:]
        for (name, key) in names + functions {
            let bytes = TerminalCodes.string(name)
            // Only real sequences: a control character is a key of its own.
            if bytes.count > 2, bytes[0] == 0x1B { sequences[bytes] = key }
        }
        return sequences
    }
}

extension Color {
    /// The nearest colour in a palette of `count` colours (0, 8, 16 or 256); -1 for the terminal's default.
    func index(of count: Int) -> Int32 {
        switch self {
        case .standard: return -1
        case .ansi(let number): return Self.basic(number & 15, of: count)
        case .palette(let number):
            return count >= 256
                ? Int32(number) : Self.basic(number < 16 ? number : Self.nearestBasic(number), of: count)
        }
    }

    private static func basic(_ number: UInt8, of count: Int) -> Int32 {
        if count >= 16 { return Int32(number) }
        return count >= 8 ? Int32(number & 7) : -1
    }

    /// One of the 16 colours for one of the cube (16...231) or of the greys (232...255).
    private static func nearestBasic(_ number: UInt8) -> UInt8 {
        if number >= 232 {
            let step = number - 232
            return step < 6 ? 0 : step < 12 ? 8 : step < 18 ? 7 : 15
        }
        let cube = number - 16
        let (red, green, blue) = (cube / 36, cube / 6 % 6, cube % 6)
        let strongest = max(red, green, blue)
        guard strongest > 0 else { return 0 }
        let parts: [(value: UInt8, bit: UInt8)] = [(red, 1), (green, 2), (blue, 4)]
        let bits = parts.reduce(0) { $0 | (2 * $1.value > strongest ? $1.bit : 0) }
        return bits | (strongest > 3 ? 8 : 0)
    }
}

extension Style.Attributes {
    /// As curses has them.
    var curses: attr_t {
        var sum = cncurses_attr_normal()
        if contains(.bold) { sum |= cncurses_attr_bold() }
        if contains(.dim) { sum |= cncurses_attr_dim() }
        if contains(.italic) { sum |= cncurses_attr_italic() }
        if contains(.underline) { sum |= cncurses_attr_underline() }
        if contains(.reverse) { sum |= cncurses_attr_reverse() }
        return sum
    }
}
