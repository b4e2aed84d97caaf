// The help overlay: what somebody new needs, all keys in two columns, then the commands, by group, all made from the
// tables (CommandItem).

import ChatWords

/// Draws the help.
struct HelpScreen {
    let pane: ListPane
    let keymap: Keymap
    let layout: ScreenLayout

    /// The items that are seen at once, in columns.
    private struct Page {
        var items: Range<Int>
        var columns: Int
    }

    /// The texts before the filter, which has to be visible.
    private static let leads: [SafeText] = [
        SafeText(literal: "Help · everything you can do here · filter: "), SafeText(literal: "Help · filter: "),
        SafeText(literal: "filter: "),
    ]

    private var box: Rect {
        layout.box(inset: 2, maxWidth: 108, top: 1, rowsBelow: layout.size.rows >= 40 ? 7 : 4)
    }

    /// Without a frame there is no title: the typed filter takes the first row.
    private var hasField: Bool {
        !ScreenLayout.hasFrame(box) && !pane.filter.isEmpty && ScreenLayout.inside(box).size.rows > 1
    }

    private var area: Rect {
        let inside = ScreenLayout.inside(box)
        guard hasField else { return inside }
        return Rect(
            column: inside.origin.column, row: inside.origin.row + 1, columns: inside.size.columns,
            rows: inside.size.rows - 1)
    }

    private var items: [CommandItem] { CommandItem.matching(pane.filter.text, keymap, for: .help) }

    /// The line under the cursor after PgUp (-1) or PgDn (1): the first one of the previous or the next page.
    func selection(turningPages step: Int) -> Int {
        let pages = pages(of: items, area.size)
        guard let shown = pages.firstIndex(where: { $0.items.contains(pane.selected) }) else { return 0 }
        let wanted = shown + step
        if wanted < 0 { return 0 }
        return pages.indices.contains(wanted) ? pages[wanted].items.lowerBound : max(0, items.count - 1)
    }

    func draw(on canvas: inout Canvas) {
        let box = box
        let area = area
        let hasField = hasField
        let items = items
        let pages = pages(of: items, area.size)
        let shown = pages.firstIndex { $0.items.contains(pane.selected) } ?? 0
        let number = pages.count > 1 ? " · page \(shown + 1) of \(pages.count)" : ""
        let filter = SafeText(pane.filter.text, as: .line)
        let filterWidth = filter.width
        let lead = Self.leads.first { $0.width + filterWidth + 7 < box.size.columns } ?? .empty
        let title = lead + filter
        let manual = box.size.columns >= 60 ? " · man blipchat has it all" : ""
        canvas.drawBox(box, title: title, footer: SafeText("Esc closes\(number)\(manual)", as: .line))
        canvas.cursor = nil
        if ScreenLayout.hasFrame(box), title.width + 7 < box.size.columns {
            let end = Point(column: box.origin.column + 3 + title.width, row: box.origin.row)
            // The filter ends the title; its cursor may be further left.
            let start = end.column - filterWidth
            let behind = SafeText(pane.filter.textBeforeCursor, as: .line).width
            canvas.cursor = Point(column: start + behind, row: end.row)
            let field = Rect(
                column: start, row: end.row, columns: box.columns.upperBound - 1 - start, rows: 1)
            canvas.addTarget(field, .field(FieldTarget(name: .filter, column: start)))
        }
        if hasField { canvas.drawField(pane.filter, after: "/ ", at: box.origin, width: box.size.columns) }
        guard !area.isEmpty else { return }
        if pages.indices.contains(shown) {
            draw(pages[shown], of: items, on: &canvas, area)
        } else {
            canvas.draw(SafeText(literal: "nothing matches"), at: area.origin, style: Theme.quiet)
        }
    }

    /// Keys are in two columns where there is room; commands need the whole width. A filter leaves a mix of keys and
    /// commands, the best first, all of them in one column.
    private func pages(of items: [CommandItem], _ size: Size) -> [Page] {
        guard size.rows > 0 else { return [] }
        let isMixed = !pane.filter.isEmpty
        var pages: [Page] = []
        var start = 0
        while start < items.count {
            let section = items[start].section
            let end = isMixed ? items.count : items[start...].firstIndex { $0.section != section } ?? items.count
            let hasShortLines = section == .basics || section == .keys
            let columns = !isMixed && hasShortLines && size.columns >= 70 ? 2 : 1
            for first in stride(from: start, to: end, by: size.rows * columns) {
                pages.append(Page(items: first..<min(first + size.rows * columns, end), columns: columns))
            }
            start = end
        }
        return pages
    }

    private func draw(_ page: Page, of items: [CommandItem], on canvas: inout Canvas, _ area: Rect) {
        let rows = area.size.rows
        let width = area.size.columns / page.columns
        for column in 0..<page.columns {
            let indices = page.items.dropFirst(column * rows).prefix(rows)
            let groupWidth = (indices.map { items[$0].group.count }.max() ?? 0) + 1
            let labelWidth = min((indices.map { items[$0].label.count }.max() ?? 0) + 1, max(10, width / 3))
            for (row, index) in indices.enumerated() {
                let startsGroup = row == 0 || items[index - 1].group != items[index].group
                let line = line(
                    items[index], isSelected: index == pane.selected, group: startsGroup ? items[index].group : "",
                    widths: (width >= 30 ? groupWidth : 0, labelWidth, column == page.columns - 1 ? width : width - 1))
                let point = Point(column: area.origin.column + column * width, row: area.origin.row + row)
                canvas.draw(line, at: point, width: width)
                canvas.addTarget(Rect(origin: point, size: Size(columns: width, rows: 1)), .line(index))
            }
        }
    }

    private func line(
        _ item: CommandItem, isSelected: Bool, group: String, widths: (group: Int, label: Int, all: Int)
    ) -> StyledLine {
        var line = StyledLine(SafeText(group, as: .line).padded(to: widths.group), Theme.quiet)
        var rest = StyledLine()
        let label = SafeText(item.label, as: .line)
        rest.add(label.width < widths.label ? label.padded(to: widths.label) : label + .blanks(1), Theme.key)
        rest.add(SafeText(item.title, as: .line).truncated(to: widths.all - line.width - rest.width))
        rest.pad(to: widths.all - line.width)
        line.add(isSelected ? rest.restyled { $0.adding(.reverse) } : rest)
        return line
    }
}
