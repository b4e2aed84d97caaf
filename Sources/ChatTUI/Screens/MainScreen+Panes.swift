// The panes beside the chat: the list with presence and counts, and the details of the open contact.

import ChatCore

extension MainScreen {
    // MARK: List

    func drawList(on canvas: inout Canvas, _ area: Rect) {
        let width = area.size.columns
        drawBorder(on: &canvas, column: area.columns.upperBound, area)
        let bottom = bottomLines
        let hasBottom = area.size.rows >= bottom.count + 3
        let rows = area.size.rows - (hasBottom ? bottom.count + 1 : 0)
        // The open chat stays visible in a long list.
        let listed = state.listedChats
        let open = listed.firstIndex { state.chats[$0].id == state.openID } ?? 0
        let first = max(0, min(open - rows + 1, listed.count - rows))
        for (row, index) in listed.dropFirst(first).prefix(max(0, rows)).enumerated() {
            let place = Rect(column: 0, row: area.origin.row + row, columns: width, rows: 1)
            canvas.draw(listLine(index, width: width), at: place.origin, width: width)
            canvas.addTarget(place, .chat(state.chats[index].id))
        }
        guard hasBottom else { return }
        let ruleRow = area.rows.upperBound - bottom.count - 1
        canvas.draw(
            .filling(width, with: SafeText(literal: "─")), at: Point(column: 0, row: ruleRow), style: Theme.line)
        for (index, text) in bottom.enumerated() {
            let place = Point(column: 0, row: ruleRow + 1 + index)
            canvas.draw(SafeText(" " + text, as: .line), at: place, style: Theme.quiet, maxWidth: width)
        }
    }

    /// `▌1 Alice      ● `: open, number, name, muted, unread or `@` mentions, presence.
    private func listLine(_ index: Int, width: Int) -> StyledLine {
        let chat = state.chats[index]
        let isOpen = chat.id == state.openID
        let isMuted = chat.peer.isMuted(at: state.moment.wall)
        let news = (isMuted ? "z" : "") + (isOpen ? "" : unread(chat))
        var line = StyledLine(isOpen ? SafeText(literal: "▌") : .blanks(1), Theme.own)
        line.add("\(index + 1) ", Theme.quiet)
        let room = width - line.width - 3 - news.count
        line.add(chat.name.truncated(to: max(0, room)), chat.isUnread && !isMuted ? Theme.unread : .plain)
        line.pad(to: width - 2 - news.count)
        line.add(news, isMuted ? Theme.quiet : Theme.unread)
        let (symbol, style) = presence(chat)
        line.add(symbol, style)
        line.add(" ")
        return line
    }

    /// `3`, or `@1` when messages name us.
    private func unread(_ chat: Chat) -> String {
        if chat.mentionCount > 0 { return "@\(min(chat.mentionCount, 99))" }
        return chat.conversation.unreadCount == 0 ? "" : "\(min(chat.conversation.unreadCount, 999))"
    }

    private func presence(_ chat: Chat) -> (String, Style) {
        if chat.peer.isBlocked { return ("×", Theme.error) }
        if chat.peer.trust == .keyChanged { return ("!", Theme.error) }
        switch chat.link {
        case .online(let details): return details.away == nil ? ("●", Theme.good) : ("◐", Theme.warning)
        case .connecting: return ("…", Theme.warning)
        case .awaitingApproval: return ("?", Theme.warning)
        case .offline: return ("○", Theme.quiet)
        }
    }

    private var bottomLines: [String] {
        let running = state.transfers.running
        let up = running.count { $0.direction == .outgoing }
        var motion = "↑\(up) ↓\(running.count - up)"
        if !running.isEmpty {
            motion += "  " + Units.rate(state.transfers.rate()).replacing(" ", with: "")
        }
        var lines = ["transfers", motion, "queued \(state.queuedCount)"]
        if !state.requests.isEmpty { lines.append("requests \(state.requests.count)") }
        return lines
    }

    func drawBorder(on canvas: inout Canvas, column: Int, _ area: Rect) {
        let line = SafeText(literal: "│")
        for row in area.rows { canvas.draw(line, at: Point(column: column, row: row), style: Theme.line) }
    }
}
