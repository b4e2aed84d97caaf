// The panes beside the chat: the list with presence and counts, and the details of the open contact.

import ChatCore
import ChatWords

extension MainScreen {
    // MARK: List

    func drawList(on canvas: inout Canvas, _ area: Rect) {
        let width = area.size.columns
        drawBorder(on: &canvas, column: area.columns.upperBound, area)
        let bottom = listBottom(area)
        for (row, index) in GoToPane.listedChats(state).dropFirst(firstListed).prefix(listRows).enumerated() {
            let place = Rect(column: 0, row: area.origin.row + row, columns: width, rows: 1)
            canvas.draw(listLine(index, width: width), at: place.origin, width: width)
            canvas.addTarget(place, .chat(state.world.chats[index].id))
        }
        guard !bottom.isEmpty else { return }
        let ruleRow = area.rows.upperBound - bottom.count - 1
        canvas.draw(
            .filling(width, with: SafeText(literal: "─")), at: Point(column: 0, row: ruleRow), style: Theme.line)
        for (index, line) in bottom.enumerated() {
            let place = Rect(column: 0, row: ruleRow + 1 + index, columns: width, rows: 1)
            canvas.draw(SafeText(" " + line.words, as: .line), at: place.origin, style: Theme.quiet, maxWidth: width)
            if let command = line.command { canvas.addTarget(place, .command(command)) }
        }
    }

    /// The rows of the list that show chats.
    private var listRows: Int {
        guard let area = layout.list else { return 0 }
        let bottom = listBottom(area).count
        return max(0, area.size.rows - (bottom > 0 ? bottom + 1 : 0))
    }

    /// The first of `listedChats` that is seen: where the wheel has moved the list to, else so that the open chat is
    /// seen.
    var firstListed: Int {
        let listed = GoToPane.listedChats(state)
        let open = listed.firstIndex { state.world.chats[$0].id == state.place.openID } ?? 0
        return max(0, min(state.place.listTop ?? open - listRows + 1, listed.count - listRows))
    }

    /// The first chat that is seen when the list is moved by so many rows.
    func firstListed(movedBy rows: Int) -> Int {
        max(0, min(firstListed + rows, GoToPane.listedChats(state).count - listRows))
    }

    /// The lines below the list, where there is room.
    private func listBottom(_ area: Rect) -> [(words: String, command: AppCommand?)] {
        let lines = bottomLines
        return area.size.rows >= lines.count + 3 ? lines : []
    }

    /// `▌1 Alice      ● `: open, number, name, muted, unread or `@` mentions, presence.
    private func listLine(_ index: Int, width: Int) -> StyledLine {
        let chat = state.world.chats[index]
        let isOpen = chat.id == state.place.openID
        let isMuted = chat.peer.isMuted(at: state.surface.moment.wall)
        // In the open chat only messages out of sight are unread, unless the user decides which are.
        let isSeen =
            isOpen && chat.window.isAtBottom && !chat.keepsUnread && state.surface.settings.readMark == .visible
        let news = (isMuted ? "z" : "") + (isSeen ? "" : unread(chat))
        var line = StyledLine(isOpen ? SafeText(literal: "▌") : .blanks(1), Theme.own)
        line.add("\(index + 1) ", Theme.quiet)
        let room = width - line.width - 3 - news.count
        // A contact that looks like somebody else is marked here, too, even where only a sign and a name have room.
        let twin = chat.twin.map { SafeText(literal: " ≈") + SafeText($0, as: .name) } ?? .empty
        let name = chat.name.truncated(to: max(0, room - min(twin.width, max(2, room - chat.name.width))))
        line.add(name, chat.isUnread && !isMuted ? Theme.unread : .plain)
        line.add(twin.truncated(to: max(0, room - name.width)), Theme.error)
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

    private var bottomLines: [(words: String, command: AppCommand?)] {
        let now = state.surface.moment.uptime
        let up = state.world.transfers.movingCount(.outgoing, at: now)
        let down = state.world.transfers.movingCount(.incoming, at: now)
        var motion = "↑\(up) ↓\(down)"
        if up + down > 0 { motion += "  " + Units.rate(state.world.transfers.rate(at: now)).replacing(" ", with: "") }
        var lines: [(words: String, command: AppCommand?)] = [
            ("transfers", .transfers), (motion, .transfers), ("queued \(state.world.queuedCount)", nil),
        ]
        if !state.world.requests.isEmpty { lines.append(("requests \(state.world.requests.count)", .requests)) }
        return lines
    }

    func drawBorder(on canvas: inout Canvas, column: Int, _ area: Rect) {
        let line = SafeText(literal: "│")
        for row in area.rows { canvas.draw(line, at: Point(column: column, row: row), style: Theme.line) }
    }
}
