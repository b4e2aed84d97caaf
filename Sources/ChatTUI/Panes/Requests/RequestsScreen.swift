// The people who want to talk to us. Opened by the user with Alt-r; requests never take the keys.

import ChatCore
import ChatWords

/// Draws the contact requests.
struct RequestsScreen {
    let state: AppState
    let pane: RequestsPane
    let layout: ScreenLayout

    func draw(on canvas: inout Canvas) {
        let box = layout.box(inset: 6, maxWidth: 100, top: 2, rowsBelow: 7, maxRows: 18)
        canvas.drawBox(
            box, title: SafeText("Contact requests (\(state.world.requests.count))", as: .line),
            footer: SafeText(
                "opened by you with \(state.surface.key(.requests)) · a request never grabs the keyboard", as: .line))
        let area = canvas.drawFilter(pane.filter, in: ScreenLayout.inside(box))
        guard !area.isEmpty else { return }
        let requests = pane.listed(in: state)
        if requests.isEmpty {
            let words = pane.filter.isShown ? SafeText(literal: "nothing matches") : SafeText(literal: "No requests.")
            canvas.draw(words, at: area.origin, style: Theme.quiet, maxWidth: area.size.columns)
            return
        }
        let index = requests.firstIndex { $0.id == pane.selected } ?? 0
        let rowsEach = area.size.rows >= 4 ? 4 : 1
        let perPage = max(1, area.size.rows / rowsEach)
        let first = max(0, min(index - perPage + 1, requests.count - perPage))
        for (place, request) in requests.dropFirst(first).prefix(perPage).enumerated() {
            let isSelected = first + place == index
            for (row, line) in lines(request, isSelected: isSelected).prefix(rowsEach).enumerated() {
                let point = Point(column: area.origin.column, row: area.origin.row + place * rowsEach + row)
                guard point.row < area.rows.upperBound else { break }
                canvas.draw(line.truncated(to: area.size.columns), at: point, width: area.size.columns)
                canvas.addTarget(
                    Rect(origin: point, size: Size(columns: area.size.columns, rows: 1)), .line(first + place))
            }
        }
    }

    private func lines(_ request: ContactRequest, isSelected: Bool) -> [StyledLine] {
        var head = StyledLine(isSelected ? "> " : "  ", Theme.key)
        head.add("\(request.id) ", Theme.quiet)
        head.add(SafeText(request.name, as: .name), Theme.unread)
        if let warning = NameLikeness.warning(of: request, among: state.world.chats.map(\.peer)) {
            head.add("  ")
            head.add(warning, Theme.error)
        } else {
            head.add("  (name chosen by them)", Theme.quiet)
        }
        var origin = StyledLine("    from ", Theme.quiet)
        origin.add(request.origin)
        origin.add(
            " · \(state.surface.clock.dayAndTime(request.received, now: state.surface.moment.wall))", Theme.quiet)
        if let address = request.address { origin.add(" · listens at \(address.host):\(address.port)", Theme.quiet) }
        let key = StyledLine("    key \(request.peerID.text)", Theme.quiet)
        return [head, origin, key, StyledLine()]
    }
}
