// What curses writes is held until a picture is whole: on real descriptors.

import Glibc
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Pictures in one piece")
struct OutputStageTests {
    private struct Pipe {
        let reading: Int32
        let writing: Int32

        init() throws {
            var ends: [Int32] = [-1, -1]
            try #require(pipe(&ends) == 0)
            (reading, writing) = (ends[0], ends[1])
        }

        /// What can be read now.
        func text() -> String {
            var wait = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
            guard poll(&wait, 1, 0) == 1, wait.revents & Int16(POLLIN) != 0 else { return "" }
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = read(reading, &bytes, bytes.count)
            return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        }

        func close() {
            Glibc.close(reading)
            Glibc.close(writing)
        }
    }

    private func opened() throws -> (terminal: Pipe, curses: Int32, stage: OutputStage) {
        let terminal = try Pipe()
        let curses = dup(terminal.writing)
        return (terminal, curses, try #require(OutputStage(of: curses, to: terminal.writing)))
    }

    private func write(_ text: String, to descriptor: Int32) {
        #expect(Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count)
    }

    @Test("nothing is seen of a picture until it is taken, then all of it; between pictures curses writes by itself")
    func pieces() throws {
        let (terminal, curses, stage) = try opened()
        defer {
            stage.end()
            close(curses)
            terminal.close()
        }
        for round in 1...3 {
            write("between \(round)", to: curses)
            #expect(terminal.text() == "between \(round)")
            stage.begin()
            // Shorter from round to round: what the one before has left there is not taken again.
            let pieces = (0..<(40 - 10 * round)).map { "piece \($0) of \(round), " }
            for piece in pieces { write(piece, to: curses) }
            #expect(terminal.text() == "")
            #expect(String(decoding: stage.take(), as: UTF8.self) == pieces.joined())
            stage.begin()
            #expect(stage.take() == [], "a picture without a change")
        }
        // Programs that are started do not get it.
        #expect(fcntl(curses, F_GETFD) == FD_CLOEXEC)
    }

    @Test("a picture may be larger than any pipe takes at once")
    func large() throws {
        let (terminal, curses, stage) = try opened()
        defer {
            stage.end()
            close(curses)
            terminal.close()
        }
        let row = String(repeating: "x", count: 4096)
        stage.begin()
        for _ in 0..<1000 { write(row, to: curses) }
        #expect(stage.take() == [UInt8](repeating: UInt8(ascii: "x"), count: 4_096_000))
    }
}
