// The terminal in the hands of an editor: given away as it was found, and taken back as it was left.

import Glibc
import Testing

@testable import ChatTUI
@testable import ChatWords

extension RealTerminals.NcursesTerminalTests {
    @Test("lends the terminal as it was before the start, with its keys, writes nothing meanwhile, and takes it back")
    func lends() throws {
        let pty = try #require(PseudoTerminal(columns: 40, rows: 10))
        let before = try #require(pty.mode())
        let terminal = NcursesTerminal(
            input: pty.slave, output: pty.slave, environment: TerminalEnvironment(type: "xterm-256color"))
        var screen = ScreenModel(columns: 40, rows: 10)
        func present(_ words: String) {
            var canvas = Canvas(size: terminal.size)
            canvas.draw(SafeText(words, as: .line), at: Point(column: 0, row: 0))
            terminal.present(canvas)
        }
        try terminal.start { _ in }
        present("before")
        terminal.lend()
        screen.receive(pty.output())
        #expect(pty.mode()?.c_lflag == before.c_lflag)
        #expect(screen.modes.isDisjoint(with: ["?1049", "?2004"]))
        present("meanwhile")
        terminal.bell()
        #expect(pty.output().isEmpty)
        pty.type("x\n")
        var bytes: [UInt8] = [0, 0]
        #expect(read(pty.slave, &bytes, 2) == 2)
        #expect(bytes == Array("x\n".utf8))
        terminal.takeBack()
        present("after")
        screen.receive(pty.output())
        #expect(screen.modes.isSuperset(of: ["?1049", "?2004"]))
        #expect(screen.text.hasPrefix("after\n"))
        terminal.lend()
        terminal.stop()
        screen.receive(pty.output())
        #expect(screen.modes.isDisjoint(with: ["?1049", "?2004"]))
    }
}
