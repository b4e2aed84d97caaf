// Line mode at a terminal: which lines belong together.

import CLinux
import ChatTUI
import Glibc
import TestSupport
import Testing

@testable import blipchat

@Suite struct StandardInputLinesTests {
    /// What is made of `text` when it is typed at a terminal at once.
    private func inputs(_ text: String) async throws -> [String] {
        var (controller, device): (Int32, Int32) = (-1, -1)
        let size = clinux_window_size(rows: 24, columns: 80, pixel_width: 0, pixel_height: 0)
        try #require(clinux_open_terminal(&controller, &device, size) == 0)
        defer {
            close(controller)
            close(device)
        }
        let (stream, source) = AsyncStream<PlainInput>.makeStream()
        // ^D on an empty line is the end.
        let bytes = Array(text.utf8) + [0x0A, 0x04]
        #expect(write(controller, bytes, bytes.count) == bytes.count)
        StandardInputLines.read(device) { source.yield($0) }
        var lines: [String] = []
        for await input in stream {
            switch input {
            case .line(let line): lines.append(line)
            default: return lines
            }
        }
        return lines
    }

    @Test("the rows of a copied address belong to /add; other commands stand alone")
    func address() async throws {
        #expect(try await inputs("/add blip://h:1/abc\n| def") == ["/add blip://h:1/abc\n| def"])
        #expect(try await inputs("/query bob\nhello\nthere") == ["/query bob", "hello\nthere"])
        #expect(try await inputs("/add blip://h:1\n/query bob") == ["/add blip://h:1", "/query bob"])
    }
}
