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
