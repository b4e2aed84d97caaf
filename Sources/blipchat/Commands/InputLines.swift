// Lines of standard input as they come, for `send WHO - --lines`: what another program writes for days is sent as it
// writes it.

import ChatCore
import ChatHost
import ChatSettings
import Glibc

/// The messages that lines of standard input are: each without its line end, empty ones left out. Lines end as in text
/// files, with LF or CR LF; other characters that break lines belong to the text.
struct InputLines {
    /// Bytes of the longest message.
    static let longest = 65_536

    private let descriptor: Int32
    private var buffer = LineBuffer()
    private var isAtEnd = false
    private var number = 0
    /// Lines that were given out.
    private var given = 0

    init(descriptor: Int32 = STDIN_FILENO) { self.descriptor = descriptor }

    /// The next message, for which it waits; `nil` after the last.
    ///
    /// Throws 2 for a line that is not a message, with its number; the messages before it have been given out already.
    /// `check()` looks through a file beforehand.
    mutating func next() async throws(CommandError) -> String? {
        while let line = try await nextLine() {
            number += 1
            let text = try self.text(of: line)
            guard ChatText.isVisible(text) else { continue }
            given += 1
            return text
        }
        return nil
    }

    /// Whether `next()` has something to read: a line, a part of one, or the end.
    var isReady: Bool {
        guard !isAtEnd, !buffer.hasLine else { return true }
        var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&input, 1, 0) > 0
    }

    /// Looks through what can be read twice, so that of a file either every line is sent or none.
    ///
    /// Throws as `next()` does.
    func check() async throws(CommandError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
        let place = lseek(descriptor, 0, SEEK_CUR)
        guard place >= 0 else { return }
        var lines = self
        while let line = try await lines.nextLine() {
            lines.number += 1
            _ = try lines.text(of: line)
        }
        guard lseek(descriptor, place, SEEK_SET) == place else { throw unreadable(errno) }
    }

    private func text(of line: [UInt8]) throws(CommandError) -> String {
        var line = line[...]
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        guard line.count <= Self.longest else {
            throw noMessage("\(line.count) bytes, but a message has at most \(Self.longest)")
        }
        guard let text = String(validating: line, as: UTF8.self) else { throw noMessage("not UTF-8 text") }
        return text
    }

    private func noMessage(_ reason: String) -> CommandError {
        let before = given == 0 ? "nothing was sent" : "the lines before it were sent"
        return CommandError(
            .usage, "standard input:\(number)", reason, advice: "\(before); send it with blipchat send-file")
    }

    private func unreadable(_ code: Int32) -> CommandError { .system("standard input", "cannot be read", code) }

    private mutating func nextLine() async throws(CommandError) -> [UInt8]? {
        while true {
            if let line = buffer.next() { return line }
            guard !isAtEnd else { return buffer.takeRest() }
            // With room for the line's end.
            guard buffer.count <= Self.longest + 2 else {
                number += 1
                throw noMessage("longer than \(Self.longest) bytes, the most for a message")
            }
            try await fill()
        }
    }

    private mutating func fill() async throws(CommandError) {
        var part = [UInt8](repeating: 0, count: 16_384)
        while true {
            // Without a wait, reading would hold up the thread that signals and the socket need.
            _ = await Readiness.readable.wait(on: descriptor, timeout: nil)
            let count = read(descriptor, &part, part.count)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count >= 0 else { throw unreadable(errno) }
            if count == 0 { isAtEnd = true } else { buffer.append(part[..<count]) }
            return
        }
    }
}
