// Every entrance of outside text on the screen, through the pure view, real ncurses and a pseudo-terminal: nothing but
// the renderer's own sequences comes out, and the terminal shows what the view drew (PRODUCT "Hostile text").

import Glibc
import TestSupport
import Testing

@testable import ChatTUI
@testable import ChatWords

extension RealTerminals {
    @ScreenActor
    @Suite("Hostile screens")
    struct HostileScreenTests {
        /// Kinds of terminals: colours and glyphs.
        enum Mode: String, CaseIterable, Sendable {
            case color256, color8, mono, ascii

            var environment: TerminalEnvironment {
                switch self {
                case .color256: TerminalEnvironment(type: "xterm-256color")
                case .color8: TerminalEnvironment(type: "xterm")
                case .mono: TerminalEnvironment(type: "xterm-256color", noColor: true)
                case .ascii: TerminalEnvironment(type: "xterm-256color", unicode: false)
                }
            }
        }

        private static func texts() -> [String] {
            var seed: UInt64 = 29
            return HostileTexts.all + (0..<30).map { _ in HostileTexts.random(&seed) }
        }

        @Test(
            "only our own sequences reach the terminal, and it shows what was drawn",
            arguments: [(20, 5), (40, 10), (80, 24), (120, 40)], [Mode.color256, .color8, .mono])
        func everyEntrance(size: (columns: Int, rows: Int), mode: Mode) throws {
            try Self.checkEveryEntrance(columns: size.columns, rows: size.rows, mode)
        }

        /// In a process of its own, because what stands for a control character belongs to the process.
        @Test("in ASCII, too", arguments: zip([20, 40, 80, 120], [5, 10, 24, 40]))
        func everyEntranceInASCIIInOwnProcess(columns: Int, rows: Int) async {
            await #expect(processExitsWith: .success) { [columns = columns as Int, rows = rows as Int] in
                try await Self.checkEveryEntrance(columns: columns, rows: rows, .ascii)
            }
        }

        private static func checkEveryEntrance(columns: Int, rows: Int, _ mode: Mode) throws {
            // Switches the C library to UTF-8.
            _ = TerminalEnvironment.current()
            let fixture = try TerminalFixture(columns: columns, rows: rows, environment: mode.environment)
            try fixture.start()
            defer { fixture.terminal.stop() }
            let texts = Self.texts()
            var seen = 0
            for start in stride(from: 0, to: texts.count, by: 30) {
                for screen in ScreenFixture.hostileScreens(columns: columns, rows: rows, texts: texts, from: start) {
                    let canvas = screen.canvas
                    fixture.present(canvas)
                    fixture.terminal.setTitle(screen.state.windowTitle)
                    try #require(fixture.screen.violations == [], "text \(start)")
                    let expected = fixture.visible(canvas, unicode: mode != .ascii)
                    try #require(fixture.visibleScreen(like: canvas) == expected, "text \(start)")
                    seen += 1
                }
            }
            fixture.terminal.stop()
            fixture.drain()
            #expect(seen >= 16)
            #expect(fixture.screen.violations == [])
            #expect(fixture.screen.bells == 0)
            #expect(fixture.screen.clipboard == [] && fixture.screen.notifications == [])
            if mode == .ascii { #expect(fixture.screenBytesAreASCII) }
        }

        @Test("no text ends a notification, a title or a link", arguments: HostileTexts.all)
        func sequences(text: String) throws {
            let fixture = try TerminalFixture()
            try fixture.start()
            for form in [ScreenSettings.Desktop.osc9, .osc777, .osc99] {
                let title = SafeText(text, as: .name)
                fixture.terminal.perform(.notify(title: title, body: SafeText(text, as: .line), form))
            }
            fixture.terminal.setTitle(SafeText(text, as: .line))
            fixture.terminal.perform(.copy(text))
            var canvas = Canvas(size: fixture.terminal.size)
            let link = Link("https://example.org/" + text)
            canvas.draw(SafeText(literal: "here").linked(to: link), at: Point(column: 0, row: 0))
            fixture.present(canvas)
            fixture.terminal.stop()
            fixture.drain()
            #expect(fixture.screen.violations == [])
            #expect(fixture.screen.bells == 0)
            #expect(fixture.screen.titles.count == 1)
            #expect(fixture.screen.notifications.count == 4)
        }

        @Test(
            "the checker sees what it is for",
            arguments: [
                "\u{1B}[31;1;5x", "\u{1B}]0;t\u{1B}\\", "\u{9B}1m", "\u{202E}", "\u{1B}c", "\u{0E}", "\u{1B}[?9h",
                "\u{1B}]52;p;x\u{1B}\\",
            ])
        func checker(sequence: String) {
            var screen = ScreenModel(columns: 20, rows: 5)
            screen.receive(Array("a\(sequence)b".utf8))
            #expect(screen.violations != [])
        }
    }
}
