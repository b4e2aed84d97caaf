// Colours of lines for people on standard output. Every colour stands beside a word that says the same.

import Glibc

/// The colours that the commands use, as SGR parameters of the terminal's own sixteen.
enum TextColor: String, Sendable {
    case dim = "2"
    case own = "36"
    case error = "31"
    case good = "32"

    func paint(_ text: String, if isOn: Bool) -> String { isOn ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text }
}

extension StandardStreams {
    /// Whether to use colours: as `--color` says, else on a terminal that can, unless NO_COLOR is set.
    static func usesColor(_ option: String?, _ environment: [String: String], isTerminal: Bool) -> Bool {
        switch option {
        case "always": true
        case "never": false
        default:
            isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && !["", "dumb"].contains(environment["TERM"] ?? "")
        }
    }
}
