// The transfers pane: two rows for each file, with the same numbers as in the chat and in /pause (PRODUCT, rule 5).

import ChatCore

/// Draws the transfers overlay.
struct TransfersScreen {
    let state: AppState
    let pane: TransfersPane
    let layout: ScreenLayout

    func draw(on canvas: inout Canvas) {
        let box = layout.box(inset: 3, top: 2, rowsBelow: 7, maxRows: 20)
        canvas.drawBox(
            box, title: SafeText(literal: "Transfers"),
            footer: SafeText(literal: "Alt-t closes · partial data is kept across restarts"))
        let area = ScreenLayout.inside(box)
        guard !area.isEmpty else { return }
        let list = state.transfers.sorted
        if list.isEmpty {
            canvas.draw(
                SafeText(literal: "No transfers. /send PATH offers a file."), at: area.origin, style: Theme.quiet,
                maxWidth: area.size.columns)
            return
        }
        let selected = list.firstIndex { $0.number == pane.selected } ?? 0
        let perPage = max(1, area.size.rows / 2)
        let first = max(0, min(selected - perPage + 1, list.count - perPage))
        let nameWidth = list.map { name($0).width }.max() ?? 0
        for (place, transfer) in list.dropFirst(max(0, first)).prefix(perPage).enumerated() {
            let row = area.origin.row + 2 * place
            let isSelected = first + place == selected
            var head = headLine(transfer, nameWidth: min(nameWidth, 12), width: area.size.columns, isSelected)
            if isSelected { head = head.restyled { $0.adding(.bold) } }
            canvas.draw(head, at: Point(column: area.origin.column, row: row), width: area.size.columns)
            let lines = Rect(column: area.origin.column, row: row, columns: area.size.columns, rows: 2)
            canvas.addTarget(lines, .line(first + place))
            guard row + 1 < area.rows.upperBound else { continue }
            var detail = StyledLine(.blanks(3))
            detail.add(SafeText(words(transfer, width: area.size.columns - 6), as: .line), style(transfer))
            canvas.draw(detail, at: Point(column: area.origin.column, row: row + 1), width: area.size.columns)
        }
    }

    private func name(_ transfer: FileTransfer) -> SafeText {
        state.chat(transfer.contact)?.name ?? SafeText(literal: "?")
    }

    private func style(_ transfer: FileTransfer) -> Style {
        transfer.state == .failed ? Theme.error : .plain
    }

    /// `> #8 ↓ alice  release.tar.zst        1.4 GB`
    private func headLine(_ transfer: FileTransfer, nameWidth: Int, width: Int, _ isSelected: Bool) -> StyledLine {
        var line = StyledLine(isSelected ? "> " : "  ", Theme.key)
        let arrow = transfer.direction == .outgoing ? "↑" : "↓"
        line.add("#\(transfer.number.rawValue) \(arrow) ")
        line.add(name(transfer).padded(to: nameWidth))
        line.add("  ")
        let size = SafeText(Units.size(transfer.size), as: .line)
        let room = max(4, width - line.width - size.width - 1)
        line.add(SafeText(transfer.name, as: .fileName).padded(to: room))
        line.add(size)
        return line
    }

    /// What is going on, in one row.
    private func words(_ transfer: FileTransfer, width: Int) -> String {
        if pane.confirmingCancel == transfer.number { return "x again cancels it for good; any other key keeps it" }
        let pace = TransferPace(transfer: transfer, progress: state.transfers.progress[transfer.id])
        let contact = name(transfer).text
        switch transfer.state {
        case .running:
            return [
                bar(transfer, width), pace.percent, Units.size(transfer.transferred), pace.rate ?? "",
                pace.remaining.map { "ETA \($0)" } ?? "", "direct",
            ].filter { !$0.isEmpty }.joined(separator: "  ")
        case .paused:
            return [
                bar(transfer, width), pace.percent, Units.size(transfer.transferred),
                "  paused" + (transfer.reason.map { ": \($0)" } ?? ""),
            ].joined(separator: "  ")
        case .offered where transfer.direction == .incoming: return "offered: a accepts, n declines"
        case .offered: return "offered: \(contact) has not decided"
        case .accepted:
            if let reason = transfer.reason { return "queued: \(reason)" }
            let isOnline = state.chat(transfer.contact)?.link.isOnline ?? false
            return isOnline ? "queued: starts soon" : "queued: \(contact) is offline, it starts when they connect"
        case .complete: return doneWords(transfer)
        case .failed: return "stopped: \(transfer.reason ?? "no reason given")"
        case .declined, .cancelled:
            return Sentences.word(for: transfer.state) + (transfer.reason.map { ": \($0)" } ?? "")
        }
    }

    private func bar(_ transfer: FileTransfer, _ width: Int) -> String {
        ProgressBar.text(transfer.transferred, of: transfer.size, width: max(4, width - 42))
    }

    private func doneWords(_ transfer: FileTransfer) -> String {
        var parts = ["done" + (transfer.finished.map { " " + state.clock.time($0) } ?? "")]
        if let hash = transfer.sha256 { parts.append("sha256 ok \(FileRows.shortHash(hash))") }
        if transfer.direction == .outgoing {
            parts.append("delivered to disk")
        } else if let path = transfer.path {
            parts.append(state.abbreviated(path))
        }
        return parts.joined(separator: " · ")
    }
}
