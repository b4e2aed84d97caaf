// How a cell looks apart from its text. Chosen by the screens, turned into terminal attributes by NcursesTerminal.

/// A colour of the terminal's own palette; what it looks like is the user's choice.
public enum Color: Sendable, Hashable {
    /// The terminal's default foreground or background.
    case standard
    /// One of the 16 named colours: 0 black, 1 red, 2 green, 3 yellow, 4 blue, 5 magenta, 6 cyan, 7 white, 8-15 bright.
    case ansi(UInt8)
    /// One of the 256 colours; drawn as the nearest of 16 or 8 where the terminal has fewer.
    case palette(UInt8)

    public static let black = Color.ansi(0)
    public static let red = Color.ansi(1)
    public static let green = Color.ansi(2)
    public static let yellow = Color.ansi(3)
    public static let blue = Color.ansi(4)
    public static let magenta = Color.ansi(5)
    public static let cyan = Color.ansi(6)
    public static let white = Color.ansi(7)
}

/// Colours and attributes of a cell. Meaning must never hang on them alone (PRODUCT: every colour is doubled by a word).
public struct Style: Sendable, Hashable {
    public struct Attributes: OptionSet, Sendable, Hashable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let bold = Attributes(rawValue: 1)
        public static let dim = Attributes(rawValue: 2)
        public static let italic = Attributes(rawValue: 4)
        public static let underline = Attributes(rawValue: 8)
        public static let reverse = Attributes(rawValue: 16)
    }

    public var foreground: Color
    public var background: Color
    public var attributes: Attributes
    /// What is drawn so. The theme gives it its look when the picture is complete (`Canvas.dress`).
    public var meaning: Meaning

    public init(_ foreground: Color = .standard, on background: Color = .standard, _ attributes: Attributes = []) {
        self.foreground = foreground
        self.background = background
        self.attributes = attributes
        meaning = .part(.text)
    }

    init(_ meaning: Meaning) {
        self.init()
        self.meaning = meaning
    }

    /// What a piece of the screen is, apart from its words.
    public enum Meaning: Sendable, Hashable {
        case part(Theme.Part)
        /// A contact's name; the number chooses one of the theme's colours.
        case nick(UInt8)
    }

    /// The terminal's own look.
    public static let plain = Style()
    public static let bold = Style(.standard, .bold)
    public static let dim = Style(.standard, .dim)
    public static let underlined = Style(.standard, .underline)
    public static let reversed = Style(.standard, .reverse)

    private init(_ foreground: Color, _ attributes: Attributes) {
        self.init(foreground, on: .standard, attributes)
    }

    /// The same style with more attributes.
    public func adding(_ more: Attributes) -> Style {
        var style = self
        style.attributes.formUnion(more)
        return style
    }
}
