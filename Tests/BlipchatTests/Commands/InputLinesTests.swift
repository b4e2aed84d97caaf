// Lines of standard input as messages: whole, in their order, as soon as they are there.

import ChatSettings
import Glibc
import TestSupport
import Testing

@testable import blipchat

@Suite struct InputLinesTests {
    /// All messages of what comes through a socket (a pipe would end us when we stop reading), written in pieces of `size` bytes.
    private func messages(_ text: String, pieces size: Int = .max) async throws -> [String] {
        var ends: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { close(ends[0]) }
        let bytes = Array(text.utf8)
        let writer = ends[1]
        let writing = Task.detached {
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = rest.prefix(size)
                let count = piece.withUnsafeBytes { send(writer, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                guard count > 0 else { break }
                rest = rest.dropFirst(count)
            }
            close(writer)
        }
        var lines = InputLines(descriptor: ends[0])
        var messages: [String] = []
        while let message = try await lines.next() { messages.append(message) }
        await writing.value
        return messages
    }

    @Test("lines end with LF or CR LF and with nothing else; empty ones are none", arguments: [1, 2, 3, 7, Int.max])
    func lines(pieces: Int) async throws {
        let text = "a\u{B}b\u{C}c\u{85}d\u{2028}e\u{2029}f\rg\r\n\r\n\n \u{200B}\nh"
        #expect(
            try await messages(text, pieces: pieces) == ["a\u{B}b\u{C}c\u{85}d\u{2028}e\u{2029}f\rg", "h"])
        #expect(try await messages("", pieces: pieces).isEmpty)
        #expect(try await messages("é\nü", pieces: pieces) == ["é", "ü"])
    }

    @Test("a line of 64 KiB is a message, a longer one is named with its number")
    func longest() async throws {
        let longest = String(repeating: "x", count: 65_536)
        #expect(try await messages("\(longest)\r\n\(longest)\nend\n") == [longest, longest, "end"])
        for rest in ["y\nend\n", "y", String(repeating: "z", count: 200_000)] {
            let error = await #expect(throws: CommandError.self) { try await messages("one\n\n\(longest)\(rest)") }
            #expect(error?.subject == "standard input:3")
            #expect(error?.exit == .usage && error?.advice?.contains("the lines before it were sent") == true)
        }
    }

    @Test("of a file nothing is sent when a line of it is no message; it is read from where it stands")
    func checked() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("lines")
        try TestFile.write(Array("first\nsecond\n".utf8) + [0xFF, 0x0A], to: path)
        let descriptor = open(path, O_RDONLY)
        defer { close(descriptor) }
        let bad = InputLines(descriptor: descriptor)
        let error = await #expect(throws: CommandError.self) { try await bad.check() }
        #expect(error?.subject == "standard input:3" && error?.reason == "not UTF-8 text")
        #expect(error?.advice?.contains("nothing was sent") == true)

        try TestFile.write("first\nsecond\n", to: path)
        #expect(lseek(descriptor, 6, SEEK_SET) == 6)
        var lines = InputLines(descriptor: descriptor)
        try await lines.check()
        #expect(try await lines.next() == "second")
        #expect(try await lines.next() == nil)
    }

    @Test("what cannot be read says so")
    func unreadable() async throws {
        let descriptor = open("/dev/null", O_WRONLY)
        defer { close(descriptor) }
        var lines = InputLines(descriptor: descriptor)
        let error = await #expect(throws: CommandError.self) { try await lines.next() }
        #expect(error?.subject == "standard input" && error?.exit == .localIO)
    }
}
