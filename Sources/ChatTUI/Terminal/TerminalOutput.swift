// Bytes that go to the terminal beside curses: modes, titles, rows with clusters that curses cannot draw.

import Glibc

/// Writes to a terminal's descriptor until everything is out.
enum TerminalOutput {
    /// Writes all bytes. An error (the terminal is gone) ends it; the input side reports that as a hangup.
    static func write(_ bytes: [UInt8], to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) {
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                if poll(&wait, 1, 1_000) <= 0 { return }
            } else if !(count < 0 && errno == EINTR) {
                return
            }
        }
    }

    static func write(_ text: String, to descriptor: Int32) { write(Array(text.utf8), to: descriptor) }
}

/// The private modes that are switched on with the screen and off again whenever the terminal is given back.
enum TerminalModes {
    /// Bracketed paste and focus reports.
    static let on = "\u{1B}[?2004h\u{1B}[?1004h"
    static let off = "\u{1B}[?1004l\u{1B}[?2004l"
    /// Puts the window's title on the terminal's stack and takes it back.
    static let saveTitle = "\u{1B}[22;2t"
    static let restoreTitle = "\u{1B}[23;2t"

    /// The sequence that sets the window title: at most 256 bytes of text without `;`, which no part of the sequence
    /// can be confused with (PRODUCT "Hostile text", rule 7).
    static func title(_ title: SafeText, unicode: Bool) -> String {
        var text = ""
        var bytes = 0
        for scalar in title.terminalString(unicode: unicode).unicodeScalars where scalar != ";" && scalar != "\n" {
            bytes += UTF8.width(scalar)
            guard bytes <= 256 else { break }
            text.unicodeScalars.append(scalar)
        }
        return "\u{1B}]2;\(text)\u{1B}\\"
    }
}
