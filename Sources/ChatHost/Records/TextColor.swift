// Colours of lines for people on standard output. A word next to each colour says the same.

/// The colours that the commands use, as SGR parameters of the terminal's own sixteen.
package enum TextColor: String, Sendable {
    case dim = "2"
    case own = "36"
    case error = "31"
    case good = "32"

    package func paint(_ text: String, if isOn: Bool) -> String { isOn ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text }
}
