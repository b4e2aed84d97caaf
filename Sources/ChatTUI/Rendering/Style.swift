// How a cell looks apart from its text. Chosen by the screens, turned into terminal attributes by NcursesTerminal.

import ChatWords

/// A colour of the terminal's own palette; what it looks like is the user's choice.
package enum Color: Sendable, Hashable {
    /// The terminal's default foreground or background.
    case standard
    /// One of the 16 named colours: 0 black, 1 red, 2 green, 3 yellow, 4 blue, 5 magenta, 6 cyan, 7 white, 8-15 bright.
    case ansi(UInt8)
    /// One of the 256 colours; drawn as the nearest of 16 or 8 where the terminal has fewer.
    case palette(UInt8)

    package static let black = Color.ansi(0)
    package static let red = Color.ansi(1)
    package static let green = Color.ansi(2)
    package static let yellow = Color.ansi(3)
    package static let blue = Color.ansi(4)
    package static let magenta = Color.ansi(5)
    package static let cyan = Color.ansi(6)
    package static let white = Color.ansi(7)
}

/// Colours and attributes of a cell. Meaning must never hang on them alone (PRODUCT: every colour is doubled by a word).
package struct Style: Sendable, Hashable {
    package struct Attributes: OptionSet, Sendable, Hashable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let bold = Attributes(rawValue: 1)
        package static let dim = Attributes(rawValue: 2)
        package static let italic = Attributes(rawValue: 4)
        package static let underline = Attributes(rawValue: 8)
        package static let reverse = Attributes(rawValue: 16)
    }

    package var foreground: Color
    package var background: Color
    package var attributes: Attributes
    /// The role of the drawn text. The theme gives it its look when the picture is complete (`Canvas.dress`).
    package var meaning: Meaning

    package init(_ foreground: Color = .standard, on background: Color = .standard, _ attributes: Attributes = []) {
        self.foreground = foreground
        self.background = background
        self.attributes = attributes
        meaning = .part(.text)
    }

    init(_ meaning: Meaning) {
        self.init()
        self.meaning = meaning
    }

    /// The role of a piece of the screen, apart from its words.
    package enum Meaning: Sendable, Hashable {
        case part(Theme.Part)
        /// A contact's name; the number chooses one of the theme's colours.
        case nick(UInt8)
    }

    /// The terminal's own look.
    package static let plain = Style()
    package static let bold = Style(.standard, .bold)
    package static let dim = Style(.standard, .dim)
    package static let underlined = Style(.standard, .underline)
    package static let reversed = Style(.standard, .reverse)

    private init(_ foreground: Color, _ attributes: Attributes) {
        self.init(foreground, on: .standard, attributes)
    }

    /// The same style with more attributes.
    package func adding(_ more: Attributes) -> Style {
        var style = self
        style.attributes.formUnion(more)
        return style
    }
}
