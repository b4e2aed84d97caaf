// Fields of overlays and of the first page: where a click puts the focus and the cursor, and what is seen of long texts.

import ChatCore
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Fields")
struct FieldTests {
    @Test("a click into the field of an overlay puts the cursor there", arguments: ["F1", "Alt-x", "Alt-k", "Alt-s"])
    func fields(key: String) throws {
        var fixture = ScreenFixture.main(columns: 80, rows: 24)
        fixture.press(key)
        fixture.type("alpha")
        try fixture.click(on: "alpha")
        fixture.type("X")
        #expect(fixture.canvas.text().contains("alXpha"), "\(fixture.canvas.text())")
        #expect(fixture.state.place.overlay != nil && fixture.state.composer.input.isEmpty)
    }

    @Test("a click into a filter that is kept types it again, and leaves the question for a rate")
    func filterAndRate() throws {
        var fixture = ScreenFixture.main(columns: 80, rows: 24)
        fixture.addTransfers()
        fixture.press("Alt-t", "/")
        fixture.type("release")
        fixture.press("Enter", "L")
        fixture.type("77k")
        try fixture.click(on: "77k")
        fixture.type("1")
        #expect(fixture.canvas.text().contains("717k"))
        try fixture.click(on: "/ release")
        fixture.type("X")
        guard case .transfers(let pane) = fixture.state.place.overlay else {
            Issue.record("the pane is closed")
            return
        }
        #expect(pane.limit == nil && pane.filter.isOpen && pane.filter.line.text.contains("X"))
    }

    @Test("where an overlay has its cursor, there is a field to click", arguments: [(120, 40), (80, 24), (40, 10)])
    func everyField(columns: Int, rows: Int) throws {
        for (name, fixture) in ScreenFixture.everyScreen(columns: columns, rows: rows) {
            let canvas = fixture.canvas
            guard fixture.state.place.overlay != nil, let cursor = canvas.cursor else { continue }
            switch canvas.target(at: cursor) {
            // The draft stays below the pages that type nothing.
            case .field, .input: break
            case let other: Issue.record("\(name): \(String(describing: other))")
            }
        }
    }

    @Test("a click on a field of the first page, its label or its text, moves the focus", arguments: [24, 10, 5])
    func form(rows: Int) throws {
        let size = Size(columns: rows < 20 ? 40 : 80, rows: rows)
        let places: [(words: String, field: FirstRunForm.Field, offset: Int)] = [
            ("4985", .port, 2), ("~/Downloads", .downloads, 5), ("Jo", .name, 1),
            (rows == 24 ? "Add someone" : "Add ADDRESS", .address, 0),
        ]
        var form = FirstRunForm(.jo)
        for place in places {
            if rows < 8 { form.click(place.field, at: 0) }
            let screen = FirstRunScreen(form: form, capabilities: TerminalCapabilities(colors: 8, unicode: true))
            let lines = screen.draw(size: size).text().split(separator: "\n", omittingEmptySubsequences: false)
            let row = try #require(lines.lastIndex { $0.contains(place.words) })
            let range = try #require(lines[row].ranges(of: place.words).first)
            let column = lines[row].distance(from: lines[row].startIndex, to: range.lowerBound) + place.words.count / 2
            let found = try #require(screen.field(at: Point(column: column, row: row), size: size), "\(place.words)")
            #expect(found.field == place.field && found.offset == place.offset, "\(found)")
            form.click(found.field, at: found.offset)
            #expect(form.focus == place.field)
        }
    }

    @Test("a field that is too long says on which side there is more")
    func longFields() {
        func shown(_ text: String, cursor: Int, width: Int, hasFocus: Bool = true) -> String {
            var canvas = Canvas(size: Size(columns: width, rows: 1))
            var line = InputLine(text)
            line.move(to: cursor)
            canvas.drawField(line, after: "> ", at: Point(column: 0, row: 0), width: width, hasFocus: hasFocus)
            return ScreenFixture.text(canvas, unicode: true).split(separator: "\n").first.map(String.init) ?? ""
        }
        #expect(shown("/home/jo/Downloads", cursor: 18, width: 12) == "> …ownloads█")
        #expect(shown("/home/jo/Downloads", cursor: 0, width: 12) == "> /home/jo/…")
        #expect(shown("/home/jo/Downloads", cursor: 12, width: 12).hasPrefix("> …"))
        #expect(shown("/home/jo/Downloads", cursor: 18, width: 12, hasFocus: false) == "> /home/jo/…")
        #expect(shown("short", cursor: 5, width: 12) == "> short█")
    }
}
