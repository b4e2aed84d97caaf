// Right-to-left text that is being typed: its order, the cursor in it, the arrow keys, clicks, and fields.

import TestSupport
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Right-to-left text in the input")
struct InputOrderTests {
    private func box(_ text: String, cursor: Int? = nil, width: Int = 12, reordering: Bool = true) -> InputBox {
        var line = InputLine(hebrew(text))
        if let cursor { line.move(to: cursor) }
        return InputBox(line, width: width, maxRows: 9, reordering: reordering)
    }

    private func rows(_ box: InputBox) -> [String] { box.rows.map { latin($0.text) } }

    @Test("a line that begins with it stands at the right border, and the cursor at its left end")
    func aligned() {
        #expect(rows(box("SHALOM")) == ["      MOLAHS"])
        #expect(box("SHALOM").cursor == Point(column: 5, row: 0))
        #expect(box("SHALOM", cursor: 0).cursor == Point(column: 11, row: 0))
        #expect(box("SHALOM", cursor: 5).cursor == Point(column: 6, row: 0))
        // A blank at the end belongs to the left, where the next word goes.
        #expect(rows(box("SHALOM ")) == ["      MOLAHS".dropLast(7) + " MOLAHS"])
        #expect(box("SHALOM ").cursor == Point(column: 4, row: 0))
    }

    @Test("a line that begins otherwise stands at the left, with its parts turned around")
    func mixed() {
        #expect(rows(box("say SHALOM")) == ["say MOLAHS"])
        #expect(box("say SHALOM").cursor == Point(column: 10, row: 0))
        #expect(box("say SHALOM", cursor: 4).cursor == Point(column: 9, row: 0))
        #expect(rows(box("AB 12 C")) == ["     C 12 BA"])
        #expect(rows(box("say SHALOM", reordering: false)) == ["say SHALOM"])
    }

    @Test("each row and each line of a draft goes its own way; a full row leaves the cursor to the next one")
    func wrapped() {
        #expect(rows(box("ABCDEF\nab AB", width: 4)) == ["DCBA", "  FE", "ab A", "B"])
        let full = box("ABCD", width: 4)
        #expect(rows(full) == ["DCBA", "    "])
        #expect(full.cursor == Point(column: 3, row: 1))
        #expect(box("ABCDEF", cursor: 4, width: 4).cursor == Point(column: 3, row: 1))
    }

    @Test("a click finds the letter that is shown there, beside the text the nearer end")
    func offsets() {
        let shown = box("SHALOM")
        #expect((5...11).map { shown.offset(at: Point(column: $0, row: 0)) } == [6, 5, 4, 3, 2, 1, 0])
        #expect(shown.offset(at: Point(column: 0, row: 0)) == 6)
        #expect(shown.offset(at: Point(column: 40, row: 0)) == 0)
    }

    @Test(
        "for each place of any draft the cursor stands on the letter that a click there finds",
        arguments: 1...10 as ClosedRange<UInt64>)
    func agreement(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let pieces = ["A", "B", "א", "ب", "a", "1", " ", "(", "漢", "👩\u{200D}🚀", "\n", "\u{301}", "\u{200B}"]
        for _ in 0..<100 {
            let count = Int.random(in: 0...40, using: &generator)
            var line = InputLine(
                hebrew((0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()))
            for place in 0...line.characters.count {
                line.move(to: place)
                let box = InputBox(line, width: 9, maxRows: 100, reordering: true)
                #expect((0..<box.rows.count).contains(box.cursor.row))
                #expect((0...9).contains(box.cursor.column))
                let found = box.offset(at: box.cursor)
                // A character without anything to show has no place of its own: the next one that has one is found.
                let isHidden =
                    place < line.characters.count && SafeText(String(line.characters[place]), as: .line).isEmpty
                #expect(isHidden ? found > place : found == place, "\(line.text.debugDescription) at \(place)")
            }
        }
    }

    @Test("the arrow keys go where they point to; Ctrl-a and Ctrl-e to the beginning and the end")
    func arrows() {
        var fixture = ScreenFixture.main(columns: 80, rows: 24)
        fixture.type(hebrew("SHALOM"))
        func column() -> Int { fixture.canvas.cursor?.column ?? -1 }
        #expect(column() == 73)
        fixture.press("Right", "Right")
        #expect(column() == 75)
        #expect(fixture.state.composer.input.cursor == 4)
        fixture.press("Left")
        #expect(column() == 74)
        fixture.press("Ctrl-a")
        #expect(column() == 79)
        fixture.type("x")
        #expect(fixture.state.composer.input.text == "x" + hebrew("SHALOM"))
        // It begins with a Latin letter now: at the left, and left is back.
        fixture.press("Left")
        #expect(fixture.state.composer.input.cursor == 0)
        fixture.state.surface.set(\.bidi, to: .raw)
        fixture.press("Ctrl-u", "Ctrl-k")
        fixture.type(hebrew("AB"))
        fixture.press("Left")
        #expect(fixture.state.composer.input.cursor == 1)
    }

    @Test("a field shows it in the same order, with the cursor at its left end")
    func field() {
        var fixture = ScreenFixture.main(columns: 80, rows: 24)
        fixture.press("Alt-s")
        fixture.type(hebrew("SHALOM"))
        #expect(latin(fixture.canvas.text()).contains("/  MOLAHS"))
        let row = fixture.canvas.cursor?.row ?? 0
        let text = fixture.canvas.row(row).compactMap { $0.cluster?.text }.joined()
        let first = text.distance(
            from: text.startIndex, to: text.firstIndex { latin(String($0)) == "M" } ?? text.startIndex)
        #expect(fixture.canvas.cursor?.column == first - 1)
    }
}
