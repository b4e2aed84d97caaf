// The first page where there is no room for it: the fields alone, around the one with the focus.

import ChatWords

extension FirstRunScreen {
    func drawSmall(on canvas: inout Canvas) {
        let rows = canvas.size.rows
        let isLost = form.defaults.lacksOldKey
        let lost = canvas.size.columns >= 36 ? "! A history but no key (id restore)" : "! History, no key"
        let title = isLost ? lost : "Welcome to blipchat"
        let head = rows >= (isLost ? 3 : 8) ? 1 : 0
        if head > 0 { canvas.draw(SafeText(title, as: .line), at: Point(column: 0, row: 0), style: Theme.title) }
        var said = sentence
        // A user who types sees at once that a proposed name gives way; nothing else on the page names these keys.
        if said.words.isEmpty || (form.problem == nil && form.hintsAtProposal) {
            said.style = Theme.quiet
            said.words = canvas.size.columns >= 31 ? "Alt-d: demo  Alt-q: my address" : "Alt-d: demo"
        }
        // An error has a row in any case; the explanation of the keys only where there is room.
        let foot = rows >= 7 ? 2 : form.problem == nil ? 0 : 1
        let fields = form.fields
        let room = max(1, rows - head - foot)
        let focus = fields.firstIndex(of: form.focus) ?? 0
        let first = max(0, min(focus - room + 1, fields.count - room))
        for (place, field) in fields.dropFirst(first).prefix(room).enumerated() {
            drawSmall(field, on: &canvas, row: head + place)
        }
        drawMarks(on: &canvas, above: first > 0, below: first + room < fields.count, head..<head + room)
        if foot > 0 { drawKeys(said.words, on: &canvas, at: Point(column: 0, row: rows - foot), style: said.style) }
        guard rows >= 7 else { return }
        let keys = ["Tab next  Enter start  Esc quit", "Enter start  Esc quit"]
        let words = keys.first { $0.count <= canvas.size.columns } ?? "Enter start"
        drawKeys(words, on: &canvas, at: Point(column: 0, row: rows - 1), style: Theme.quiet)
    }

    private func drawSmall(_ field: FirstRunForm.Field, on canvas: inout Canvas, row: Int) {
        let place = Point(column: 0, row: row)
        switch field {
        case .demo:
            // Without a row that explains the keys, the last field says how to start.
            let start = canvas.size.columns >= 24 ? "Enter start  Alt-d: demo" : "Enter start"
            drawKeys(
                canvas.size.rows >= 7 ? "Alt-d: demo" : start, on: &canvas, at: place,
                style: form.focus == field ? Theme.selected : .plain)
            if form.focus == field { canvas.cursor = nil }
        case .everywhere: drawBox(field, "all addresses", on: &canvas, at: place)
        case .asks: drawBox(field, "ask for files", on: &canvas, at: place)
        case .forever: drawBox(field, "keep forever", on: &canvas, at: place)
        default:
            canvas.drawField(
                form.line(field), named: .form(field),
                after: Self.smallLabel(of: field, isShort: canvas.size.columns < 40), at: place,
                width: canvas.size.columns - 2, hasFocus: form.focus == field,
                style: form.focus == field && form.isProposed(field) ? Theme.selected : .plain)
        }
    }

    private static func smallLabel(of field: FirstRunForm.Field, isShort: Bool) -> String {
        switch field {
        case .name: isShort ? "name " : "Your name  "
        case .host: isShort ? "at " : "only at    "
        case .port: isShort ? "port " : "Port       "
        case .downloads: isShort ? "files " : "Files to   "
        case .days: isShort ? "days " : "for days   "
        default: isShort ? "add " : "Add ADDRESS "
        }
    }

    /// At the right of the first and the last row: there are more fields.
    private func drawMarks(on canvas: inout Canvas, above: Bool, below: Bool, _ rows: Range<Int>) {
        let column = canvas.size.columns - 1
        for (isThere, mark, row) in [(above, "↑", rows.lowerBound), (below, "↓", rows.upperBound - 1)] where isThere {
            canvas.draw(SafeText(mark, as: .line), at: Point(column: column, row: row), style: Theme.quiet)
        }
    }
}
