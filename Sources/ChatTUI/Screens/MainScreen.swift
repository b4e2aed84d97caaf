// The main screen: title, chat, input. Lists, details and status line are in MainScreen+Panes and MainScreen+Status.

import ChatCore
import ChatWords

/// Draws everything that is not an overlay.
struct MainScreen {
    let state: AppState
    let layout: ScreenLayout

    func draw(on canvas: inout Canvas) {
        if let row = layout.title { drawTitle(on: &canvas, row: row) }
        if let area = layout.list { drawList(on: &canvas, area) }
        let seen = seenItems
        drawChat(seen, on: &canvas)
        if let area = layout.details { drawDetails(on: &canvas, area) }
        if let row = layout.status { drawStatus(on: &canvas, row: row, firstSeen: seen.first?.index) }
        drawInput(on: &canvas)
        if let row = layout.hint { drawHint(on: &canvas, row: row) }
    }

    // MARK: Title

    private func drawTitle(on canvas: inout Canvas, row: Int) {
        let columns = layout.size.columns
        let right = layout.isNarrow ? activity : meAndUnread
        var left = StyledLine(" ")
        left.add(titleLine(width: columns - 1, beside: right.width + 3))
        canvas.draw(left, at: Point(column: 0, row: row), width: columns)
        let place = columns - right.width - 1
        if place > left.width + 1 { canvas.draw(right, at: Point(column: place, row: row)) }
    }

    /// The contact of the chat and the state of the link. Only the reason why a link is down may be cut off, to leave
    /// `beside` columns for the text next to it.
    private func titleLine(width: Int, beside: Int) -> StyledLine {
        guard let chat = state.openChat else { return StyledLine("blipchat", Theme.title) }
        // The words of trust are there at any width: a long name gives way, whatever it says.
        var needed = " · ".count + RoomWords.standing(of: chat.peer).count
        if chat.peer.isBlocked {
            let blocked = " · blocked".count
            // Nothing is sent to them whoever they are.
            needed = chat.name.width + needed + blocked <= width ? needed + blocked : blocked
        }
        var line = StyledLine(chat.name.truncated(to: max(4, width - needed)), Theme.title)
        func add(_ word: String, _ style: Style = .plain) {
            // A word that is cut off is worse than none.
            guard line.width + 3 + word.count <= width else { return }
            line.add(" · ", Theme.quiet)
            line.add(word, style)
        }
        // Words that must not be missed come before names, which may be long.
        let isChanged = chat.peer.trust == .keyChanged
        if isChanged { add(Sentences.word(for: .keyChanged), Theme.error) }
        if chat.peer.isBlocked { add("blocked", Theme.error) }
        let room = width - line.width - " · ".count - (isChanged ? 0 : needed)
        if let words = chat.nameWarning, room >= 8 {
            line.add(" · ", Theme.quiet)
            line.add(words.truncated(to: room), Theme.error)
        }
        if !isChanged {
            let isPlain = chat.peer.room?.url.usesTLS == false
            add(RoomWords.standing(of: chat.peer), isPlain ? Theme.error : .plain)
        }
        // A contact that we refuse has no link, and why the last one ended is of no use.
        if chat.peer.isBlocked { return line }
        switch chat.link {
        case .online(let details):
            if details.away != nil {
                add("away", Theme.warning)
            } else if !layout.isNarrow {
                add("online", Theme.good)
            }
            // For a room, the words before already say it.
            if chat.peer.room != nil { break }
            let words = layout.isNarrow ? (details.isEncrypted ? "TLS" : "PLAINTEXT") : Sentences.words(for: details)
            add(words, details.isEncrypted ? .plain : Theme.error)
        default:
            let words = SafeText(Sentences.words(for: chat.link), as: .line)
            let short = shortWords(for: chat.link)
            let room = width - line.width - 3 - beside
            // The words in front already say why there is no link to a changed key.
            add(layout.isNarrow || isChanged || room < short.count + 8 ? short : words.truncated(to: room).text)
        }
        return line
    }

    private func shortWords(for link: LinkState) -> String {
        switch link {
        case .online: "online"
        case .connecting: "connecting"
        case .awaitingApproval: "waiting"
        case .offline: "offline"
        }
    }

    private var meAndUnread: StyledLine {
        let away = state.world.identity.away == nil ? "" : " (away)"
        var line = StyledLine(SafeText(literal: "me: ") + SafeText(state.world.identity.name, as: .name), Theme.quiet)
        line.add(away, Theme.quiet)
        guard state.world.unreadChats > 0 else { return line }
        line.add(" · ", Theme.quiet)
        let words = state.world.unreadChats == 1 ? "1 unread chat" : "\(state.world.unreadChats) unread chats"
        line.add(words, Theme.quiet, target: .command(.nextUnread))
        return line
    }

    /// `[2:3 4:@1]`: the chats with unread messages, by their numbers; `@`: so many of them name us.
    var activity: StyledLine {
        let unread = state.world.chats.enumerated().filter { $1.isUnread && $1.id != state.place.openID }.prefix(8)
        var line = StyledLine()
        for (index, chat) in unread {
            let count = chat.mentionCount > 0 ? "@\(chat.mentionCount)" : "\(chat.conversation.unreadCount)"
            line.add(line.width == 0 ? "[" : " ", Theme.quiet)
            line.add("\(index + 1):\(count)", Theme.quiet, target: .chat(chat.id))
        }
        if line.width > 0 { line.add("]", Theme.quiet) }
        return line
    }

    // MARK: Chat

    /// The items of the open chat that fit; they are laid out once for a picture.
    private var seenItems: [HistoryLayout.VisibleItem] {
        guard let chat = state.openChat, !layout.chat.isEmpty else { return [] }
        return HistoryLayout(state, chat, width: layout.chat.size.columns).visibleItems(layout.chat.size.rows)
    }

    private func drawChat(_ items: [HistoryLayout.VisibleItem], on canvas: inout Canvas) {
        let area = layout.chat
        guard !area.isEmpty else { return }
        let rows: [StyledLine]
        if let chat = state.openChat {
            rows = chatRows(chat, items, area, on: &canvas)
        } else {
            rows = lobbyRows(area)
        }
        for (index, line) in rows.prefix(area.size.rows).enumerated() {
            let place = Point(column: area.origin.column, row: area.origin.row + index)
            canvas.draw(line, at: place, width: area.size.columns)
            if state.openChat == nil {
                canvas.addTargets(lobbyHints, in: line.text, at: place, width: area.size.columns)
            } else if let window = state.openChat?.window, window.cleared != nil, window.firstShownIndex == nil {
                canvas.addTargets([Hint("PgUp", .pageUp)], in: line.text, at: place, width: area.size.columns)
            }
        }
    }

    private var lobbyHints: [Hint] { [AppCommand.help, .chat1, .goTo].map { Hint(state.surface.key($0), $0) } }

    private func chatRows(
        _ chat: Chat, _ items: [HistoryLayout.VisibleItem], _ area: Rect, on canvas: inout Canvas
    ) -> [StyledLine] {
        // The cursor of browse mode is the terminal's, too: screen readers and magnifiers follow it.
        if let browse = state.place.browse, state.place.overlay == nil,
            let item = items.first(where: { chat.window.items[$0.index].key == .message(browse.selected.key) })
        {
            canvas.cursor = Point(column: area.origin.column, row: area.origin.row + item.firstOwnRow)
        }
        for item in items {
            guard let message = chat.window.items[item.index].message else { continue }
            let rows = item.rows.clamped(to: item.firstOwnRow..<max(item.firstOwnRow, item.rows.upperBound))
            let lines = Rect(
                column: area.origin.column, row: area.origin.row + rows.lowerBound, columns: area.size.columns,
                rows: rows.count)
            canvas.addTarget(lines, .message(message.key))
        }
        let rows = items.flatMap(\.lines)
        if !rows.isEmpty || chat.window.paging.request != nil { return rows }
        let width = max(10, area.size.columns - 1)
        let words = TextWrap.wrap(SafeText(emptyWords(chat), as: .line), width: width)
            .map { StyledLine($0, Theme.quiet) }
        guard chat.window.paging.hasFailed else { return words }
        // A notice for a chat that cannot be read has no place in it.
        let said = state.place.lobby.flatMap { HistoryLayout.noticeRows($0, state, width: width) }
        return words + said.suffix(max(0, area.size.rows - words.count))
    }

    private func emptyWords(_ chat: Chat) -> String {
        let name = chat.name.text
        if chat.window.paging.hasFailed {
            return "Cannot read the history of this chat: /log says why, and /doctor looks closer."
        }
        if chat.window.cleared != nil { return "The view is clear; PgUp shows the history again." }
        if chat.peer.isBlocked { return "\(name) is blocked: nothing is sent or received (/unblock)." }
        switch chat.link {
        case .awaitingApproval: return "\(name) has not accepted you yet. Your messages wait on this disk."
        case .online: return "No messages yet. Type, and press Enter."
        default: return "No messages yet. Your messages wait on this disk until \(name) is reachable."
        }
    }

    private func lobbyRows(_ area: Rect) -> [StyledLine] {
        let width = max(10, area.size.columns - 1)
        var rows: [StyledLine] = []
        func add(_ text: String, _ style: Style = .plain) {
            rows += TextWrap.wrap(SafeText(text, as: .line), width: width).map { StyledLine($0, style) }
        }
        if !state.world.hasLoaded {
            // The contacts are not known yet.
        } else if state.world.chats.isEmpty {
            add("Nobody to talk to yet.")
            if let address = state.world.identity.address {
                add("")
                add("Your address, to give to others:", Theme.quiet)
                add("\(address)", Theme.link)
            }
            add("")
            add("/invite asks somebody in; /join takes their words or address.", Theme.quiet)
            add("\(state.surface.key(.help)) shows all keys and commands.", Theme.quiet)
        } else {
            add(
                "No chat is open. \(state.surface.key(.chat1)) opens the first one, \(state.surface.key(.goTo)) finds one by name.",
                Theme.quiet)
        }
        for notice in state.place.lobby {
            rows += HistoryLayout.noticeRows(notice, state, width: area.size.columns)
        }
        return Array(rows.suffix(area.size.rows))
    }

    // MARK: Input

    /// As wide, with a mark that the text does not begin here.
    private static func cut(_ prompt: SafeText) -> SafeText {
        prompt.width < 2 ? prompt : prompt.truncated(to: prompt.width - 1) + SafeText(literal: " ")
    }

    func drawInput(on canvas: inout Canvas) {
        let area = layout.input
        guard !area.isEmpty else { return }
        canvas.fill(area)
        canvas.addTarget(area, .input)
        let prompt = ScreenLayout.prompt(state, columns: layout.size.columns, hasTitle: layout.title != nil)
        let box = InputBox(
            state.composer.input, width: layout.size.columns - prompt.width, maxRows: area.size.rows,
            marks: state.composer.spelling.marks(in: state.composer.input), reordering: state.surface.settings.reorders)
        canvas.draw(
            box.beginsAbove ? Self.cut(prompt) : prompt, at: area.origin,
            style: state.place.browse == nil ? Theme.title : Theme.warning)
        for index in box.rows.indices.prefix(area.size.rows) {
            let place = Point(column: prompt.width, row: area.origin.row + index)
            canvas.draw(
                box.line(index, marked: Theme.warning.adding(.underline)), at: place,
                width: layout.size.columns - prompt.width)
        }
        if state.place.overlay == nil, state.place.browse == nil {
            canvas.cursor = Point(
                column: min(prompt.width + box.cursor.column, max(0, layout.size.columns - 1)),
                row: area.origin.row + box.cursor.row)
        }
    }
}
