// The file picker: a folder with sizes and days, a filter above it.

import ChatCore
import ChatWords

/// Draws the picker overlay.
struct FilePickerScreen {
    let state: AppState
    let picker: FilePicker
    let layout: ScreenLayout

    private static let sizeWidth = 8
    private static let timeWidth = 13

    func draw(on canvas: inout Canvas) {
        let box = layout.box(inset: 6, maxWidth: 90, top: 2, rowsBelow: 5, maxRows: 24)
        let name = state.world.chat(picker.contact)?.name ?? SafeText(literal: "?")
        let place = SafeText(state.surface.abbreviated(picker.folder), as: .line)
        let title = SafeText(literal: "Send to ") + name + SafeText(literal: " · ")
        // Of a long path the end is what matters.
        let hidden = place.width - max(8, box.size.columns - title.width - 8)
        let shown = hidden > 0 ? SafeText(literal: "…") + place.dropping(width: hidden + 1) : place
        canvas.drawBox(
            box, title: title + shown, footer: footer,
            hints: [
                Hint("Enter opens or sends", .choose), Hint("Tab", .markFile), Hint("Tab marks several", .markFile),
                Hint("Enter sends them", .choose), Hint("Enter opens", .choose),
                Hint("Alt-Enter sends them", .sendMarked),
            ])
        let area = ScreenLayout.inside(box)
        guard !area.isEmpty else { return }
        canvas.drawField(picker.filter, after: "/ ", at: area.origin, width: area.size.columns)
        let rows = picker.rows
        let room = max(0, area.size.rows - 1)
        let first = max(0, min(picker.selected - room / 2, rows.count - room))
        for (row, index) in rows.indices.dropFirst(first).prefix(room).enumerated() {
            let isSelected = index == picker.selected
            let line = line(rows[index], width: area.size.columns, isSelected)
            let place = Point(column: area.origin.column, row: area.origin.row + 1 + row)
            canvas.draw(
                isSelected ? line.restyled { $0.adding(.reverse) } : line, at: place, width: area.size.columns)
            canvas.addTarget(Rect(origin: place, size: Size(columns: area.size.columns, rows: 1)), .line(index))
        }
        if let words = emptyWords(rows), room > 0 {
            let words = SafeText(words, as: .line).truncated(to: area.size.columns - 2)
            // Behind `..`, which can be chosen.
            let place = Point(column: area.origin.column + 2, row: area.origin.row + 1 + min(rows.count, room - 1))
            canvas.draw(words, at: place, style: Theme.quiet, maxWidth: area.size.columns - 2)
            canvas.addTargets(
                [Hint("Alt-. shows them", .hiddenFiles)], in: words, at: place, width: area.size.columns - 2)
        }
    }

    private var footer: SafeText {
        guard !picker.marked.isEmpty else { return SafeText(literal: "Enter opens or sends · Tab marks several") }
        let bytes = picker.marked.reduce(UInt64(0)) { $0.addingReportingOverflow($1.size).partialValue }
        let keys = picker.selectedFile == nil ? "Enter opens, Alt-Enter sends them" : "Enter sends them"
        return SafeText("\(picker.marked.count) marked, \(Units.size(bytes)) · \(keys)", as: .line)
    }

    /// `> * photo.png      1.1 MB  21 Nov 09:02`
    private func line(_ row: FilePicker.Row, width: Int, _ isSelected: Bool) -> StyledLine {
        var line = StyledLine(isSelected ? "> " : "  ", Theme.key)
        guard case .entry(let entry) = row else {
            line.add("  ../", Theme.quiet)
            return line
        }
        line.add(picker.isMarked(entry.name) ? "* " : "  ", Theme.marked)
        let hasTime = width >= 44
        let room = max(6, width - line.width - Self.sizeWidth - (hasTime ? Self.timeWidth + 2 : 0) - 1)
        let end = entry.isFolder ? SafeText(literal: "/") : .empty
        let name = SafeText.fileName(entry.name, end: end, width: room)
        line.add(name.padded(to: room), entry.isFolder ? Theme.own : .plain)
        let size = entry.isFolder ? "" : entry.isReadable ? Units.size(entry.size) : "locked"
        line.add(SafeText(size, as: .line).padded(to: Self.sizeWidth, alignment: .right))
        if hasTime { line.add("  " + day(entry.modified), Theme.quiet) }
        return line
    }

    /// The time of this year's files, the year of older ones.
    private func day(_ time: Timestamp) -> String {
        let isRecent = state.surface.moment.wall.milliseconds &- time.milliseconds < 300 * 86_400_000
        return isRecent
            ? state.surface.clock.dayAndTime(time, now: state.surface.moment.wall) : state.surface.clock.date(time)
    }

    private func emptyWords(_ rows: [FilePicker.Row]) -> String? {
        guard let listing = picker.listing else { return "reading…" }
        if let problem = listing.problem { return "cannot be read: \(problem)" }
        let hasNothing = rows.isEmpty || rows == [.parent]
        guard hasNothing else { return nil }
        if picker.isLooking { return "looking…" }
        if !picker.filter.isEmpty { return "nothing matches" }
        let hidden = listing.entries.count
        return hidden > 0 ? "nothing but \(hidden) hidden \(hidden == 1 ? "entry" : "entries") (Alt-. shows them)" : nil
    }
}
