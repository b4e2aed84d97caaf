// Bytes that go to the terminal beside curses: modes, titles, rows with clusters that curses cannot draw.

import ChatWords
import Glibc

/// Writes to a terminal's descriptor until everything is out.
enum TerminalOutput {
    /// Writes all bytes, and returns whether they went. An error (the terminal is gone) ends it; the input side reports
    /// that as a hangup. We wait so long for a terminal that somebody made non-blocking and that takes nothing.
    @discardableResult
    static func write(_ bytes: [UInt8], to descriptor: Int32, waiting milliseconds: Int32 = 1_000) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) {
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                if poll(&wait, 1, milliseconds) <= 0 { return false }
            } else if !(count < 0 && errno == EINTR) {
                return false
            }
        }
        return true
    }

    static func write(_ text: String, to descriptor: Int32) { write(Array(text.utf8), to: descriptor) }
}
