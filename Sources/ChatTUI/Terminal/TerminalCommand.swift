// What the screen asks of the terminal beside the picture: AppEffect.terminal, carried out by Terminal.perform.

/// A request to the terminal that is no cell of the screen. Where the terminal cannot do it, nothing happens.
public enum TerminalCommand: Sendable, Equatable {
    /// Puts text on the terminal's clipboard (OSC 52). Only ever on the user's own key.
    case copy(String)
    /// Shows a desktop notification by the sequence that the settings choose (OSC 9, 777 or 99).
    case notify(title: SafeText, body: SafeText, ScreenSettings.Desktop)
    case cursorShape(CursorShape)
    /// Mouse reports on or off.
    case mouse(Bool)
    /// Hands over a picture that its placeholders will show (PictureRows); only for TerminalCapabilities.Graphics.kitty.
    case picture(PixelImage, number: UInt8, size: Size)

    /// The shapes of DECSCUSR that the input uses.
    public enum CursorShape: Int, Sendable {
        /// The terminal's own.
        case standard = 0
        case block = 2
        case bar = 6
    }
}
