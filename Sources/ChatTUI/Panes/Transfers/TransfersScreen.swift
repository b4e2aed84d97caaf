// The transfers pane: two rows for each file or folder, with the same numbers as in the chat and in /pause (PRODUCT,
// rule 5). The words are made by TransferWords, the details by TransferDetails.

import ChatCore
import ChatWords

/// Draws the transfers overlay.
struct TransfersScreen {
    let state: AppState
    let pane: TransfersPane
    let layout: ScreenLayout

    private static func box(in layout: ScreenLayout) -> Rect {
        layout.box(inset: 3, top: 2, rowsBelow: 7, maxRows: 20)
    }

    /// The room for the details of a transfer.
    static func room(in layout: ScreenLayout) -> Size { ScreenLayout.inside(box(in: layout)).size }

    func draw(on canvas: inout Canvas) {
        let box = Self.box(in: layout)
        let group = state.world.transfers.group(of: pane.selected)
        let showsDetails = pane.showsDetails && group != nil
        canvas.drawBox(
            box, title: showsDetails ? title(of: group) : listTitle(rows: ScreenLayout.inside(box).size.rows),
            footer: SafeText("\(closing) · partial files survive restarts", as: .line),
            hints: [Hint(closing, .transfers)])
        let area = ScreenLayout.inside(box)
        guard !area.isEmpty else { return }
        if showsDetails, let group {
            TransferDetails(state: state, group: group).draw(on: &canvas, area, top: pane.detailsTop)
        } else {
            drawList(on: &canvas, canvas.drawFilter(pane.filter, in: area))
        }
        if let limit = pane.limit { drawPrompt(limit, on: &canvas, area) }
    }

    private var closing: String { "\(state.surface.key(.transfers)) closes" }

    private func title(of group: TransferGroup?) -> SafeText {
        SafeText("Transfer #\(group?.number.rawValue ?? 0)", as: .line)
    }

    /// The place of the cursor where not all of them fit, and the totals of the unfinished ones in the list.
    private func listTitle(rows: Int) -> SafeText {
        let list = pane.listed(in: state)
        var parts = ["Transfers"]
        if list.count > rows / 2 {
            parts.append("\(pane.placeOfCursor(in: list, of: state.world.transfers) + 1) of \(list.count)")
        }
        parts += TransferTotals(list).words(rate: state.world.transfers.rate(at: state.surface.moment.uptime))
        return SafeText(parts.joined(separator: " · "), as: .line)
    }

    private func drawList(on canvas: inout Canvas, _ area: Rect) {
        let list = pane.listed(in: state)
        if list.isEmpty {
            let words =
                pane.filter.isShown
                ? SafeText(literal: "nothing matches")
                : SafeText("No transfers. /send PATH or \(state.surface.fileKey) offers a file.", as: .line)
            for (row, line) in TextWrap.wrap(words, width: area.size.columns).prefix(area.size.rows).enumerated() {
                let place = Point(column: area.origin.column, row: area.origin.row + row)
                canvas.draw(line, at: place, style: Theme.quiet, maxWidth: area.size.columns)
                canvas.addTargets(
                    [Hint(state.surface.fileKey, .sendFile)], in: line, at: place, width: area.size.columns)
            }
            return
        }
        let selected = pane.placeOfCursor(in: list, of: state.world.transfers)
        let perPage = max(1, area.size.rows / 2)
        let first = max(0, min(selected - perPage + 1, list.count - perPage))
        let nameWidth = list.map { name($0).width }.max() ?? 0
        for (place, group) in list.dropFirst(first).prefix(perPage).enumerated() {
            let row = area.origin.row + 2 * place
            let isSelected = first + place == selected
            var head = headLine(group, nameWidth: min(nameWidth, 12), width: area.size.columns, isSelected)
            if isSelected { head = head.restyled { $0.adding(.bold) } }
            canvas.draw(head, at: Point(column: area.origin.column, row: row), width: area.size.columns)
            let lines = Rect(column: area.origin.column, row: row, columns: area.size.columns, rows: 2)
            canvas.addTarget(lines, .line(first + place))
            guard row + 1 < area.rows.upperBound else { continue }
            var detail = StyledLine(.blanks(3))
            let words = SafeText(words(group, width: area.size.columns - 6), as: .line)
            detail.add(
                words.truncated(to: area.size.columns - 3),
                group.state == .failed ? Theme.error : .plain,
                target: pane.confirmingCancel == group.number ? .command(.cancelTransfer) : nil)
            canvas.draw(detail, at: Point(column: area.origin.column, row: row + 1), width: area.size.columns)
        }
    }

    private func words(_ group: TransferGroup, width: Int) -> String {
        if pane.confirmingCancel == group.number { return "x again cancels it for good; any other key keeps it" }
        return TransferWords(state: state, group: group).row(width: width)
    }

    private func name(_ group: TransferGroup) -> SafeText {
        state.world.chat(group.contact)?.name ?? SafeText(literal: "?")
    }

    /// `> #8 ↓ alice  release.tar.zst        1.4 GB`
    private func headLine(_ group: TransferGroup, nameWidth: Int, width: Int, _ isSelected: Bool) -> StyledLine {
        var line = StyledLine(isSelected ? "> " : "  ", Theme.key)
        let arrow = group.direction == .outgoing ? "↑" : "↓"
        line.add("#\(group.number.rawValue) \(arrow) ")
        let size = SafeText(Units.size(group.size), as: .line)
        // The details say whose it is; the file's name and size take precedence.
        if width >= line.width + nameWidth + 2 + 6 + size.width {
            line.add(name(group).padded(to: nameWidth))
            line.add("  ")
        }
        let room = max(4, width - line.width - size.width - 1)
        line.add(TransferWords(state: state, group: group).name(width: max(4, room - 1)).padded(to: room))
        line.add(size)
        return line
    }

    /// The last row of the pane asks for the rate.
    private func drawPrompt(_ limit: InputLine, on canvas: inout Canvas, _ area: Rect) {
        let row = area.rows.upperBound - 1
        let number = pane.selected?.rawValue ?? 0
        canvas.fill(Rect(column: area.origin.column, row: row, columns: area.size.columns, rows: 1))
        // The typed text has to be visible.
        let examples = area.size.columns >= 60 ? " to (bytes/s: 500k, 2M, off)" : ""
        canvas.drawField(
            limit, named: .rate, after: "Limit #\(number)\(examples): ",
            at: Point(column: area.origin.column, row: row), width: area.size.columns)
    }
}
