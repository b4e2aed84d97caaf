// What a terminal can do, as found out at start from the environment and terminfo. Read by the screens and /doctor.

/// The abilities of the terminal that the program runs in.
public struct TerminalCapabilities: Sendable, Hashable {
    /// Colours: 256, 16, 8, or 0 for none (a monochrome terminal, or NO_COLOR).
    public var colors: Int
    /// False when the locale is not UTF-8: everything outside of ASCII is drawn with substitutes.
    public var unicode: Bool
    /// True when the terminal marks pasted text.
    public var bracketedPaste: Bool
    /// The value of TERM.
    public var name: String

    public init(colors: Int, unicode: Bool, bracketedPaste: Bool = true, name: String = "") {
        self.colors = colors
        self.unicode = unicode
        self.bracketedPaste = bracketedPaste
        self.name = name
    }
}
