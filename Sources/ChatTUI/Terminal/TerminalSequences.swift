// The sequences that are written beside curses, as text: modes, title, clipboard, notifications, cursor, links. Pure.

import ChatCore
import ChatWords

/// Every control sequence of ours that terminfo does not have. Texts in them lose what could end them.
enum TerminalSequences {
    /// Bracketed paste and focus reports, and characters in the order in which we write them (BDSM explicit: the
    /// terminal does not turn right-to-left text around on its own).
    static let modesOn = "\u{1B}[?2004h\u{1B}[?1004h\u{1B}[8l"
    static let modesOff = "\u{1B}[8h\u{1B}[?1004l\u{1B}[?2004l"
    /// Presses, releases and the wheel, with coordinates of any size.
    static let mouseOn = "\u{1B}[?1000h\u{1B}[?1006h"
    static let mouseOff = "\u{1B}[?1006l\u{1B}[?1000l"
    /// Puts the window's title on the terminal's stack and takes it back.
    static let saveTitle = "\u{1B}[22;2t"
    static let restoreTitle = "\u{1B}[23;2t"
    static let endLink = "\u{1B}]8;;\u{1B}\\"

    /// Bytes of text in a sequence (PRODUCT "Hostile text", rule 7).
    private static let maxTextBytes = 256
    /// What terminals take for the clipboard: xterm drops more than 100,000 bytes, in base64.
    static let maxClipboardBytes = 74_000

    static func title(_ title: SafeText, unicode: Bool) -> String {
        "\u{1B}]2;\(plain(title, unicode: unicode))\u{1B}\\"
    }

    static func cursor(_ shape: TerminalCommand.CursorShape) -> String { "\u{1B}[\(shape.rawValue) q" }

    static func beginLink(_ link: Link) -> String? {
        link.terminalURI.map { "\u{1B}]8;id=\(link.terminalID);\($0)\u{1B}\\" }
    }

    /// OSC 52, whose payload is base64. `nil` for a text that terminals would drop. GNU screen hands on only what is
    /// wrapped for it, in pieces that it has room for.
    static func clipboard(_ text: String, throughScreen: Bool) -> String? {
        let bytes = Array(text.utf8)
        guard bytes.count <= maxClipboardBytes else { return nil }
        let payload = bytes.base64
        guard throughScreen else { return "\u{1B}]52;c;\(payload)\u{1B}\\" }
        var pieces: [Substring] = []
        var rest = payload[...]
        while !rest.isEmpty {
            pieces.append(rest.prefix(76))
            rest = rest.dropFirst(76)
        }
        return "\u{1B}P\u{1B}]52;c;" + pieces.joined(separator: "\u{1B}\\\u{1B}P") + "\u{07}\u{1B}\\"
    }

    /// A desktop notification in one of the three forms; empty for those that are no sequence.
    static func notification(
        _ title: SafeText, _ body: SafeText, as form: ScreenSettings.Desktop, unicode: Bool
    ) -> String {
        let title = plain(title, unicode: unicode)
        let body = plain(body, unicode: unicode)
        switch form {
        case .osc9:
            let text = body.isEmpty ? title : "\(title): \(body)"
            return "\u{1B}]9;\(text)\u{1B}\\"
        case .osc777: return "\u{1B}]777;notify;\(title);\(body)\u{1B}\\"
        case .osc99:
            return "\u{1B}]99;i=blipchat:d=0;\(title)\u{1B}\\\u{1B}]99;i=blipchat:p=body;\(body)\u{1B}\\"
        case .auto, .command, .off: return ""
        }
    }

    /// For the terminal around tmux, which does not read the sequence itself and hands it on when `allow-passthrough`
    /// is on (tmux(1)).
    static func throughTmux(_ sequence: String) -> String {
        guard !sequence.isEmpty else { return "" }
        return "\u{1B}Ptmux;" + sequence.replacing("\u{1B}", with: "\u{1B}\u{1B}") + "\u{1B}\\"
    }

    /// At most 256 bytes of text without `;`, which no part of a sequence can be confused with.
    static func plain(_ text: SafeText, unicode: Bool) -> String {
        var plain = ""
        var bytes = 0
        for scalar in text.terminalString(unicode: unicode).unicodeScalars where scalar != ";" && scalar != "\n" {
            bytes += UTF8.width(scalar)
            guard bytes <= maxTextBytes else { break }
            plain.unicodeScalars.append(scalar)
        }
        return plain
    }
}
