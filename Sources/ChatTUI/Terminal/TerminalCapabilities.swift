// The abilities of a terminal, as found out at start from the environment and terminfo. Read by the screens and /doctor.

import ChatWords

/// The abilities of the terminal that the program runs in.
package struct TerminalCapabilities: Sendable, Hashable {
    /// Colours: 256, 16, 8, or 0 for none (a monochrome terminal, or NO_COLOR).
    package var colors: Int
    /// False when the locale is not UTF-8: everything outside of ASCII is drawn with substitutes.
    package var unicode: Bool
    /// True when the terminal marks pasted text.
    package var bracketedPaste: Bool
    /// True when texts can lead somewhere (OSC 8).
    package var links: Bool
    /// True when clicks and the wheel can be had.
    package var mouse: Bool
    /// How pictures can be shown, as far as the terminal has answered.
    package var graphics = Graphics.none
    /// How wide doubtful clusters are drawn, as far as it was measured.
    package var widths = TerminalWidths()
    /// The multiplexer between us and the terminal.
    package var multiplexer: Multiplexer?
    /// The value of TERM.
    package var name: String

    package enum Graphics: Sendable, Hashable {
        /// As characters only.
        case none
        /// kitty's protocol.
        case kitty
        /// Sixels, which stay in cells until something else is written there.
        case sixel
    }

    package init(
        colors: Int, unicode: Bool, bracketedPaste: Bool = true, links: Bool = false, mouse: Bool = true,
        name: String = ""
    ) {
        self.colors = colors
        self.unicode = unicode
        self.bracketedPaste = bracketedPaste
        self.links = links
        self.mouse = mouse
        self.name = name
    }
}
