// The help overlay: two columns of keys and commands by group, made from the tables (CommandItem).

/// Draws the help.
struct HelpScreen {
    let pane: ListPane
    let layout: ScreenLayout

    /// A row of a column: an item, and whether its group's name stands before it.
    private struct Entry {
        var index: Int
        var item: CommandItem
        var startsGroup: Bool
    }

    func draw(on canvas: inout Canvas) {
        let box = layout.box(inset: 2, maxWidth: 108, top: 1, rowsBelow: layout.size.rows >= 40 ? 7 : 4)
        canvas.drawBox(
            box, title: SafeText("Help · everything you can do here · filter: \(pane.filter.text)", as: .line),
            footer: SafeText(literal: "Esc closes"))
        let area = ScreenLayout.inside(box)
        guard !area.isEmpty else { return }
        let titleEnd = box.origin.column + 3 + 44 + InputBox(pane.filter, width: .max / 4, maxRows: 1).cursor.column
        canvas.cursor = Point(column: min(titleEnd, box.columns.upperBound - 3), row: box.origin.row)
        if !ScreenLayout.hasFrame(box) { canvas.cursor = nil }
        let items = CommandItem.matching(pane.filter.text)
        if items.isEmpty {
            canvas.draw(SafeText(literal: "nothing matches"), at: area.origin, style: Theme.quiet)
            return
        }
        let columns = area.size.columns >= 70 ? 2 : 1
        drawEntries(entries(items), columns: columns, on: &canvas, area)
    }

    private func entries(_ items: [CommandItem]) -> [Entry] {
        items.enumerated().map { index, item in
            Entry(index: index, item: item, startsGroup: index == 0 || items[index - 1].group != item.group)
        }
    }

    /// Pages of columns: the page with the selection is shown.
    private func drawEntries(_ entries: [Entry], columns: Int, on canvas: inout Canvas, _ area: Rect) {
        let rows = area.size.rows
        let perPage = rows * columns
        guard perPage > 0 else { return }
        let page = min(max(pane.selected, 0), entries.count - 1) / perPage
        let shown = entries.dropFirst(page * perPage).prefix(perPage)
        let width = area.size.columns / columns
        for (place, entry) in shown.enumerated() {
            let point = Point(
                column: area.origin.column + place / rows * width, row: area.origin.row + place % rows)
            let startsColumn = place % rows == 0
            let line = row(entry, showingGroup: entry.startsGroup || startsColumn, width: width - 1)
            canvas.draw(line, at: point, width: width - 1)
        }
    }

    private func row(_ entry: Entry, showingGroup: Bool, width: Int) -> StyledLine {
        let isSelected = entry.index == pane.selected
        var line = StyledLine(
            SafeText(showingGroup ? entry.item.group : "", as: .line).padded(to: width >= 30 ? 7 : 0), Theme.quiet)
        var rest = StyledLine()
        let labelWidth = entry.item.label.hasPrefix("/") ? min(22, width / 2) : 11
        let label = SafeText(entry.item.label, as: .line)
        rest.add(label.width < labelWidth ? label.padded(to: labelWidth) : label + .blanks(1), Theme.key)
        rest.add(entry.item.title)
        rest.pad(to: width - line.width)
        line.add(isSelected ? rest.restyled { $0.adding(.reverse) } : rest)
        return line
    }
}
