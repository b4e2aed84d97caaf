// Who wants to talk to us. Opened by the user with Alt-r; requests never take the keys.

import ChatCore

/// Draws the contact requests.
struct RequestsScreen {
    let state: AppState
    let selected: Int64?
    let layout: ScreenLayout

    func draw(on canvas: inout Canvas) {
        let box = layout.box(inset: 6, maxWidth: 100, top: 2, rowsBelow: 7, maxRows: 18)
        canvas.drawBox(
            box, title: SafeText("Contact requests (\(state.requests.count))", as: .line),
            footer: SafeText(literal: "opened by you with Alt-r · requests never take the keys"))
        let area = ScreenLayout.inside(box)
        guard !area.isEmpty else { return }
        if state.requests.isEmpty {
            canvas.draw(SafeText(literal: "No requests."), at: area.origin, style: Theme.quiet)
            return
        }
        let index = state.requests.firstIndex { $0.id == selected } ?? 0
        let rowsEach = area.size.rows >= 4 ? 4 : 1
        let perPage = max(1, area.size.rows / rowsEach)
        let first = max(0, min(index - perPage + 1, state.requests.count - perPage))
        for (place, request) in state.requests.dropFirst(first).prefix(perPage).enumerated() {
            let isSelected = first + place == index
            for (row, line) in lines(request, isSelected: isSelected).prefix(rowsEach).enumerated() {
                let point = Point(column: area.origin.column, row: area.origin.row + place * rowsEach + row)
                guard point.row < area.rows.upperBound else { break }
                canvas.draw(line, at: point, width: area.size.columns)
                canvas.addTarget(
                    Rect(origin: point, size: Size(columns: area.size.columns, rows: 1)), .line(first + place))
            }
        }
    }

    private func lines(_ request: ContactRequest, isSelected: Bool) -> [StyledLine] {
        var head = StyledLine(isSelected ? "> " : "  ", Theme.key)
        head.add("\(request.id) ", Theme.quiet)
        head.add(SafeText(request.name, as: .name), Theme.unread)
        head.add("  (name chosen by them)", Theme.quiet)
        var origin = StyledLine("    from ", Theme.quiet)
        origin.add(request.origin)
        origin.add(" · \(state.clock.dayAndTime(request.received))", Theme.quiet)
        if let address = request.address { origin.add(" · calls back at \(address.host):\(address.port)", Theme.quiet) }
        let key = StyledLine("    key \(request.peerID.text)", Theme.quiet)
        return [head, origin, key, StyledLine()]
    }
}
