// Draws a page of text over the chat: message info, a long message, the log of the status line, all keys.

import ChatCore
import ChatWords

/// The reader of a state.
struct ReaderScreen {
    let state: AppState
    let pane: ReaderPane
    let layout: ScreenLayout

    private var box: Rect { layout.box(inset: 3, maxWidth: 100, top: 1, rowsBelow: 4) }
    private var area: Rect { ScreenLayout.inside(box) }

    /// Rows that are seen at once.
    var visibleCount: Int { max(0, area.size.rows - (pane.filter.isShown ? 1 : 0)) }

    var title: String {
        switch pane.content {
        case .text: "Message"
        case .info: "About this message"
        case .log: "What the status line said"
        case .keys: "All keys (/bind KEY ACTION changes one)"
        }
    }

    func draw(on canvas: inout Canvas) {
        let rows = rows
        let last = max(0, rows.count - visibleCount)
        let top = min(pane.top ?? last, last)
        let end = min(top + visibleCount, rows.count)
        let place = rows.count <= visibleCount ? "" : "rows \(top + 1)-\(end) of \(rows.count) · "
        canvas.drawBox(box, title: SafeText(title, as: .line), footer: SafeText(place + "Esc closes", as: .line))
        let area = canvas.drawFilter(pane.filter, in: area)
        for (row, line) in rows.dropFirst(top).prefix(visibleCount).enumerated() {
            let point = Point(column: area.origin.column, row: area.origin.row + row)
            canvas.draw(line, at: point, width: area.size.columns)
        }
    }

    /// The rows that the filter leaves, wrapped to the width of the box.
    var rows: [StyledLine] {
        let rows = pane.filter.narrowed(allRows) { $0.spans.map(\.text.text).joined() }
        return rows.isEmpty && pane.filter.isShown ? [StyledLine("nothing matches", Theme.quiet)] : rows
    }

    private var allRows: [StyledLine] {
        let width = max(10, area.size.columns)
        switch pane.content {
        case .text(let message): return wrapped(state.world.words(of: message).text().linked(), width: width)
        case .info(let message, let versions):
            return MessageInfo(state: state, message: message, versions: versions).rows(width: width)
        case .log:
            let rows = state.place.said.flatMap { HistoryLayout.noticeRows($0, state, width: width) }
            return rows.isEmpty ? [StyledLine("Nothing yet", Theme.quiet)] : rows
        case .keys:
            return state.surface.keymap.lines.flatMap { wrapped(SafeText($0.words, as: .line), width: width) }
        }
    }

    private func wrapped(_ text: SafeText, width: Int) -> [StyledLine] {
        TextWrap.wrap(text, width: width, reordering: state.surface.settings.reorders).map { StyledLine($0) }
    }
}
