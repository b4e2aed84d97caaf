// Characters of ambiguous width in two columns (`ambiguous = 2`, or as the terminal was measured): in the view and on a
// terminal. In processes of their own, because the width belongs to the process.

import ChatCore
import Testing

@testable import ChatTUI
@testable import ChatWords

extension RealTerminals {
    @ScreenActor
    @Suite("Ambiguous width")
    struct AmbiguousWidthTests {
        /// A chat with Cyrillic and Greek in it.
        private nonisolated static func screen() -> ScreenFixture {
            var fixture = ScreenFixture.main(columns: 80, rows: 24)
            let text =
                "Жук and αβγ, 日本, é; a long line of words that has to be wrapped when each letter is wide: "
                + "Съешь ещё этих мягких французских булок"
            fixture.send(
                .chat(.messageAdded(ScreenFixture.message(30, .incoming, text, at: ScreenFixture.time(21, 9, 7)))))
            fixture.type("черновик")
            return fixture
        }

        @Test("the view gives them two cells, in messages and in the input, and its own frames one")
        func viewInOwnProcess() async {
            await #expect(processExitsWith: .success) {
                let narrow = Self.screen().canvas
                TextWidth.ambiguousColumns = 2
                let canvas = Self.screen().canvas
                func place(of text: String) -> Point? {
                    for row in 0..<24 {
                        for column in 0..<80 where canvas[Point(column: column, row: row)].cluster?.text == text {
                            return Point(column: column, row: row)
                        }
                    }
                    return nil
                }
                let letter = try #require(place(of: "Ж"))
                #expect(canvas[Point(column: letter.column + 1, row: letter.row)].cluster == nil)
                #expect(canvas[Point(column: letter.column + 2, row: letter.row)].cluster?.text == "у")
                let frame = try #require(place(of: "│"))
                #expect(canvas[frame].cluster?.width == 1)
                #expect(frame.column == 16, "the list is as wide as ever")
                // The input: the prompt and eight letters of two columns.
                #expect(canvas.text().split(separator: "\n").contains { $0.hasSuffix("> черновик") })
                #expect((canvas.cursor?.column ?? 0) - (narrow.cursor?.column ?? 0) == 8)
                func wrapped(_ canvas: Canvas) -> Int {
                    canvas.text().split(separator: "\n").firstIndex { $0.contains("булок") } ?? 0
                }
                let start = canvas.text().split(separator: "\n").firstIndex { $0.contains("Жук") } ?? 0
                let narrowStart = narrow.text().split(separator: "\n").firstIndex { $0.contains("Жук") } ?? 0
                #expect(wrapped(canvas) - start > wrapped(narrow) - narrowStart, "more rows are needed")
            }
        }

        @Test("a terminal that draws them in two columns shows what was drawn, with frames of ASCII")
        func terminalInOwnProcess() async {
            await #expect(processExitsWith: .success) {
                try await ScreenActor.run {
                    var settings = ScreenSettings()
                    settings.ambiguous = 2
                    let fixture = try TerminalFixture(columns: 80, rows: 24, settings: settings)
                    try fixture.start()
                    #expect(TextWidth.ambiguousColumns == 2)
                    var screen = Self.screen()
                    fixture.present(screen.canvas)
                    let shown = fixture.screen.text
                    #expect(fixture.screen.violations == [])
                    #expect(shown.contains("Alice Жук and αβγ, 日本, é;"))
                    #expect(!shown.contains("│") && shown.contains(" | "))
                    #expect(fixture.screen.cells.allSatisfy { $0.count == 80 })
                    // The frame stands in its column in every row, whatever is beside it.
                    let frame = fixture.screen.cells[1..<21].map { $0[16] }
                    #expect(frame.allSatisfy { $0 == "|" })
                    // And what was drawn goes when it changes.
                    screen.press("Ctrl-u")
                    fixture.present(screen.canvas)
                    #expect(!fixture.screen.text.contains("чер"))
                    #expect(fixture.screen.cells[1..<21].allSatisfy { $0[16] == "|" })
                    fixture.terminal.stop()
                }
            }
        }

        @Test("what was measured counts where the settings say nothing, and only there", arguments: [nil, 1, 2])
        func measuredInOwnProcess(setting: Int?) async {
            await #expect(processExitsWith: .success) { [setting = setting as Int?] in
                let fixture = try await ScreenActor.run { () throws -> TerminalFixture in
                    var settings = ScreenSettings()
                    settings.ambiguous = setting
                    let fixture = try TerminalFixture(columns: 40, rows: 5, settings: settings)
                    try fixture.start()
                    #expect(TextWidth.ambiguousColumns == setting ?? 1)
                    fixture.pty.type("\u{1B}[2;3R\u{1B}[2;3R\u{1B}[2;3R\u{1B}[2;3R\u{1B}[2;3R\u{1B}[?1;2cx")
                    return fixture
                }
                try await fixture.waitForEvents(2)
                let columns = await ScreenActor.run { TextWidth.ambiguousColumns }
                #expect(columns == setting ?? 2)
                #expect(await fixture.terminal.capabilities.widths.measured[.ambiguous] == 2)
            }
        }
    }
}
