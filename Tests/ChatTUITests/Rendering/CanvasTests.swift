// Drawing on the grid: clipping, wide clusters, frames, equality.

import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Canvas")
struct CanvasTests {
    private func canvas(_ columns: Int = 10, _ rows: Int = 3) -> Canvas {
        Canvas(size: Size(columns: columns, rows: rows))
    }
    private func text(_ raw: String) -> SafeText { SafeText(raw, as: .multiline) }

    @Test("draws text, returns its width and trims blanks in text()")
    func draws() {
        var canvas = canvas()
        #expect(canvas.draw(text("ab日"), at: Point(column: 1, row: 1)) == 4)
        #expect(canvas.text() == "\n ab日\n\n")
        #expect(canvas[Point(column: 3, row: 1)].cluster?.text == "日")
        #expect(canvas[Point(column: 4, row: 1)].cluster == nil)
    }

    @Test("ends at a line break and before maxWidth")
    func ends() {
        var canvas = canvas()
        #expect(canvas.draw(text("ab\ncd"), at: Point(column: 0, row: 0)) == 2)
        #expect(canvas.draw(text("abcdef"), at: Point(column: 0, row: 1), maxWidth: 3) == 3)
        #expect(canvas.draw(text("abcdef"), at: Point(column: 0, row: 2), maxWidth: -1) == 0)
        #expect(canvas.text() == "ab\nabc\n\n")
    }

    @Test(
        "clips on all sides",
        arguments: [
            Point(column: -3, row: 0), Point(column: 8, row: 2), Point(column: 0, row: -1), Point(column: 0, row: 3),
            Point(column: 99, row: 0), Point(column: .max, row: .max), Point(column: .min, row: .min),
        ])
    func clips(point: Point) {
        var canvas = canvas()
        canvas.draw(text("abcdef"), at: point)
        canvas.draw(text("日本語"), at: point)
        #expect(canvas.text().split(separator: "\n", omittingEmptySubsequences: false).count == 4)
        #expect(canvas[point].cluster == nil || canvas[point].cluster?.width ?? 0 > 0)
    }

    @Test("replaces half a wide cluster at the borders by a blank")
    func wideAtBorders() {
        var canvas = canvas(4, 3)
        canvas.draw(text("日本語"), at: Point(column: -1, row: 0))
        canvas.draw(text("abc日"), at: Point(column: 0, row: 1))
        canvas.draw(text("日本語"), at: Point(column: 0, row: 2), maxWidth: 3)
        #expect(canvas.text() == " 本\nabc\n日\n")
    }

    @Test("blanks the other half when one half of a wide cluster is overwritten")
    func overwritesHalves() {
        var canvas = canvas(6, 2)
        for row in 0..<2 { canvas.draw(text("日本語"), at: Point(column: 0, row: row)) }
        canvas.draw(text("x"), at: Point(column: 3, row: 0))
        canvas.draw(text("x"), at: Point(column: 2, row: 1))
        #expect(canvas.text() == "日 x語\n日x 語\n")
        canvas.draw(text("木"), at: Point(column: 1, row: 0))
        #expect(canvas.text().hasPrefix(" 木x語\n"))
    }

    @Test("never holds half a wide cluster, whatever is drawn")
    func invariant() {
        var canvas = canvas(12, 2)
        var seed: UInt64 = 7
        for _ in 0..<5_000 {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let place = Point(column: Int(seed >> 33 % 16) - 2, row: Int(seed >> 40 % 2))
            canvas.draw(text(["a", "日", "b日c", "👨‍👩‍👧‍👦"][Int(seed >> 50 % 4)]), at: place, maxWidth: Int(seed >> 20 % 5))
            for row in 0..<2 {
                var column = 0
                while column < 12 {
                    let width = canvas[Point(column: column, row: row)].cluster?.width ?? 0
                    #expect(width > 0)
                    for offset in 1..<max(2, width) where width == 2 {
                        #expect(column + offset < 12)
                        #expect(canvas[Point(column: column + offset, row: row)].cluster == nil)
                    }
                    column += max(1, width)
                }
            }
        }
    }

    @Test("draws a frame with title and footer and blanks its inside")
    func frames() {
        var canvas = canvas(16, 4)
        canvas.fill(canvas.bounds, with: text("."))
        canvas.frame(
            Rect(column: 1, row: 0, columns: 14, rows: 4), title: text("Help"), footer: text("Esc closes"))
        #expect(
            canvas.text() == """
                .┌─ Help ─────┐.
                .│            │.
                .│            │.
                .└─ Esc clo… ─┘.

                """)
    }

    @Test("draws small, empty and outlying frames without harm")
    func smallFrames() {
        var canvas = canvas(5, 3)
        canvas.frame(Rect(column: 0, row: 0, columns: 2, rows: 2), title: text("t"))
        canvas.frame(Rect(column: 3, row: 1, columns: 9, rows: 9), title: text("title"))
        canvas.frame(Rect(column: 0, row: 0, columns: 1, rows: 0))
        #expect(canvas.text() == "┌┐\n└┘ ┌─\n   │\n")
        var none = self.canvas(0, 0)
        none.draw(text("x"), at: Point(column: 0, row: 0))
        none.fill(none.bounds)
        #expect(none.text() == "")
    }

    @Test("draws substitutes dim and keeps other styles")
    func styles() {
        var canvas = canvas()
        canvas.draw(text("a\u{1B}"), at: Point(column: 0, row: 0), style: Style(.red))
        #expect(canvas[Point(column: 0, row: 0)].style == Style(.red))
        #expect(canvas[Point(column: 1, row: 0)].style == Style(.red, on: .standard, .dim))
        canvas.restyle(Rect(column: 0, row: 0, columns: 1, rows: 1)) { $0.adding(.reverse) }
        #expect(canvas[Point(column: 0, row: 0)].style.attributes == .reverse)
    }

    @Test("equals a canvas with the same cells and cursor")
    func equality() {
        var (one, other) = (canvas(), canvas())
        #expect(one == other)
        one.draw(text("a"), at: Point(column: 0, row: 0))
        #expect(one != other)
        other.draw(text("a"), at: Point(column: 0, row: 0))
        #expect(one == other)
        other.cursor = Point(column: 0, row: 0)
        #expect(one != other)
    }
}
