// What the screen asks of the terminal beside the picture: AppEffect.terminal, carried out by Terminal.perform.

package import ChatWords

/// A request to the terminal that is no cell of the screen. Where the terminal cannot do it, nothing happens.
package enum TerminalCommand: Sendable, Equatable {
    /// Puts text on the terminal's clipboard (OSC 52). Only ever on the user's own key.
    case copy(String)
    /// Shows a desktop notification by the sequence that the settings choose (OSC 9, 777 or 99).
    case notify(title: SafeText, body: SafeText, ScreenSettings.Desktop)
    case cursorShape(CursorShape)
    /// Mouse reports on or off.
    case mouse(Bool)
    /// How pictures are to be shown: finds out whether the terminal can. The answer comes as a resize.
    case previews(ScreenSettings.ImagePreview)
    /// Hands over a picture that is shown wherever the canvas has its cells (PictureCell), and the cells that it takes.
    case picture(PixelImage, number: UInt8, size: Size)

    /// The shapes of DECSCUSR that the input uses.
    package enum CursorShape: Int, Sendable {
        /// The terminal's own.
        case standard = 0
        case block = 2
        case bar = 6
    }
}
