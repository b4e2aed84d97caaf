// A list with a filter line: go to, palette.

import ChatWords

/// Draws a ListPane with its lines.
struct PickerScreen {
    let title: String
    let pane: ListPane
    let lines: [StyledLine]
    let layout: ScreenLayout
    /// The lines are still being read.
    var isWaiting = false

    private static func box(in layout: ScreenLayout) -> Rect {
        layout.box(inset: 6, maxWidth: 80, top: 2, rowsBelow: 7, maxRows: 20)
    }

    /// Columns of each of `lines`: without the mark of the chosen one.
    static func lineWidth(in layout: ScreenLayout) -> Int {
        max(0, ScreenLayout.inside(box(in: layout)).size.columns - 2)
    }

    /// The lines that are seen: the chosen one is among them.
    static func visible(_ pane: ListPane, count: Int, in layout: ScreenLayout) -> Range<Int> {
        let rows = max(0, ScreenLayout.inside(box(in: layout)).size.rows - 1)
        let first = min(max(0, pane.selected - rows + 1), count)
        return first..<min(first + rows, count)
    }

    func draw(on canvas: inout Canvas) {
        let box = Self.box(in: layout)
        canvas.drawBox(
            box, title: SafeText(title, as: .line), footer: SafeText(literal: "Esc closes"))
        let area = ScreenLayout.inside(box)
        guard !area.isEmpty else { return }
        canvas.drawField(pane.filter, after: "/ ", at: area.origin, width: area.size.columns)
        let rows = max(0, area.size.rows - 1)
        for (row, index) in Self.visible(pane, count: lines.count, in: layout).enumerated() {
            let place = Point(column: area.origin.column, row: area.origin.row + 1 + row)
            var line = StyledLine(index == pane.selected ? "> " : "  ", Theme.key)
            line.add(lines[index].truncated(to: max(0, area.size.columns - 2)))
            canvas.draw(
                index == pane.selected ? line.restyled { $0.adding(.reverse) } : line, at: place,
                width: area.size.columns)
            canvas.addTarget(Rect(origin: place, size: Size(columns: area.size.columns, rows: 1)), .line(index))
        }
        if lines.isEmpty, rows > 0 {
            let place = Point(column: area.origin.column + 2, row: area.origin.row + 1)
            canvas.draw(
                isWaiting ? SafeText(literal: "…") : SafeText(literal: "nothing matches"), at: place,
                style: Theme.quiet, maxWidth: area.size.columns)
        }
    }
}
