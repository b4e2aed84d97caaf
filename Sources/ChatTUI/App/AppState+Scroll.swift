// Moving through the history: by rows of the present layout, loading pages from the store at both ends.

import ChatCore
import ChatWords

extension AppState {
    /// A scrolling command.
    mutating func scroll(_ command: AppCommand, _ effects: inout [AppEffect]) {
        guard let index = chatIndex(openID) else { return }
        chats[index].window.loadFailed = false
        let page = max(1, ScreenLayout(self).chat.size.rows - 1)
        switch command {
        case .pageUp: scroll(byRows: -page)
        case .pageDown: scroll(byRows: page)
        case .rowUp: scroll(byRows: -1)
        case .rowDown: scroll(byRows: 1)
        case .oldest: scrollToOldest(index, &effects)
        case .newest:
            scrollToNewest(index, &effects)
            // What has led here is all there now.
            if status?.place == .chat, status?.isQuestion != true { status = nil }
        case .firstUnread: scrollToUnread(index, &effects)
        default: break
        }
    }

    /// Moves the view of the open chat; negative is towards older messages.
    mutating func scroll(byRows rows: Int) {
        guard let index = chatIndex(openID) else { return }
        var window = chats[index].window
        window.loadFailed = false
        window.highlight = nil
        if rows < 0 { window.showCleared() }
        chats[index].window = window
        let area = ScreenLayout(self).chat.size
        let layout = HistoryLayout(self, chats[index], width: area.columns)
        window.scroll = layout.scroll(moving: rows, height: area.rows)
        var missing = 0
        if rows < 0, !window.reachesOldest { missing = rows + layout.rowsAbove(-rows, height: area.rows) }
        if rows > 0, !window.reachesNewest { missing = rows - layout.rowsBelow(rows, height: area.rows) }
        // Another key in the same direction adds to what waits already.
        window.owedRows =
            missing == 0 ? 0 : missing + (missing.signum() == window.owedRows.signum() ? window.owedRows : 0)
        window.countNewer()
        chats[index].window = window
    }

    /// Where the newest message is in sight, however the view came there (a jump, a larger window), it stays at the
    /// bottom from now on, and what comes is seen. Who is further up has found where the new messages begin.
    mutating func settleAtBottom() {
        guard let index = chatIndex(openID), case .at = chats[index].window.scroll else { return }
        chats[index].window.unreadLine?.isFound = true
        guard chats[index].window.isLoaded, chats[index].window.reachesNewest, chats[index].window.loading == nil
        else { return }
        let area = ScreenLayout(self).chat.size
        // Each has a row at least; this is asked after everything that happens.
        let window = chats[index].window
        let below = window.items[(window.bottomIndex + 1)...].lazy.filter { !window.isFolded($0) }
        guard below.prefix(area.rows).count < area.rows,
            HistoryLayout(self, chats[index], width: area.columns).rowsBelow(1, height: area.rows) == 0
        else { return }
        chats[index].window.scroll = .bottom
        chats[index].window.newerCount = 0
    }

    /// Quotes of messages that are not in memory.
    mutating func askQuotes(of contact: ContactID, _ effects: inout [AppEffect]) {
        guard contact == openID, let index = chatIndex(contact) else { return }
        let missing = chats[index].takeMissingQuotes()
        if !missing.isEmpty { effects.append(.ask(.quotes(missing, contact))) }
    }

    mutating func receive(quotes messages: [ChatMessage], asked: [MessageID], of contact: ContactID) {
        guard let index = chatIndex(contact) else { return }
        var answers: [MessageID: Quote] = [:]
        for id in asked { answers[id] = .missing }
        // Of two with the same id, ours.
        for message in messages.sorted(by: { $0.direction == .incoming && $1.direction == .outgoing }) {
            answers[message.id] = .found(message)
        }
        // What was found before the answer is news, which the answer may be older than.
        chats[index].quotes.merge(answers) { known, answer in
            if case .found = known { known } else { answer }
        }
    }

    private mutating func scrollToOldest(_ index: Int, _ effects: inout [AppEffect]) {
        chats[index].window.showCleared()
        chats[index].window.giveUpJump()
        if chats[index].window.reachesOldest {
            showOldest(index)
        } else {
            load(.after(HistoryPosition(.min)), replacing: true, at: index, &effects)
        }
    }

    /// The oldest message at the top. The rows below it fill the screen by themselves: nothing else is laid out.
    private mutating func showOldest(_ index: Int) {
        var window = chats[index].window
        window.loadFailed = false
        window.highlight = nil
        window.owedRows = 0
        window.showCleared()
        if let first = window.items.first(where: { !window.isFolded($0) }) {
            window.scroll = .at(first.key, hiddenRows: 0)
        }
        chats[index].window = window
    }

    private mutating func scrollToNewest(_ index: Int, _ effects: inout [AppEffect]) {
        returnPlace = nil
        chats[index].window.highlight = nil
        chats[index].window.newerCount = 0
        chats[index].window.scroll = .bottom
        chats[index].window.giveUpJump()
        let leadsElsewhere = chats[index].window.loading.map { $0.replaces && $0.anchor != .newest } ?? false
        if leadsElsewhere || !chats[index].window.reachesNewest {
            load(.newest, replacing: true, at: index, &effects)
        }
    }

    private mutating func scrollToUnread(_ index: Int, _ effects: inout [AppEffect]) {
        guard let line = chats[index].window.unreadLine else {
            say("No unread line in this chat")
            return
        }
        let window = chats[index].window
        if let first = window.firstUnreadIndex {
            show(window.items[first].key, at: index)
        } else {
            load(.around(line.after), replacing: true, at: index, &effects)
        }
    }

    /// Scrolls so that an item stands in the middle of the chat.
    mutating func show(_ key: HistoryItem.Key, at index: Int) {
        chats[index].window.giveUpJump()
        let area = ScreenLayout(self).chat.size
        let layout = HistoryLayout(self, chats[index], width: area.columns)
        chats[index].window.scroll = layout.scroll(showing: key, height: area.rows)
        chats[index].window.countNewer()
    }

    /// A jump to that very message: it is shown also when it is a file of a closed folder.
    mutating func show(message id: MessageKey, at index: Int) {
        chats[index].window.unfold(id)
        show(.message(id), at: index)
    }

    /// A jump without a certain message (the unread line): the cursor of browse mode goes where the view is.
    private mutating func show(firstFrom position: HistoryPosition, at index: Int) {
        let messages = chats[index].window.shownMessages
        guard let message = messages.first(where: { $0.position >= position }) ?? messages.last else { return }
        show(.message(message.key), at: index)
        select(message.key, at: message.position)
    }

    // MARK: Pages

    /// Asks for a page of a chat.
    mutating func load(
        _ anchor: PageAnchor, replacing: Bool = false, showing: MessageKey? = nil, keepingView: Bool = false,
        at index: Int,
        _ effects: inout [AppEffect]
    ) {
        var request = PageRequest(
            contact: chats[index].id, anchor: anchor, limit: settings.pageSize, generation: nextNumber())
        request.replaces = replacing
        request.showing = showing
        request.keepsView = keepingView
        chats[index].window.loading = request
        effects.append(.ask(.page(request)))
    }

    /// Loads older or newer messages when the view comes near the end of what is in memory.
    mutating func loadWhatIsMissing(_ effects: inout [AppEffect]) {
        guard let index = chatIndex(openID) else { return }
        let window = chats[index].window
        guard window.isLoaded, window.loading == nil, !window.loadFailed, !window.items.isEmpty else { return }
        let bottom = window.bottomIndex
        // An item that is shown has at least one row, so this many of them fill the screen and the next page of it. A
        // folder larger than what may be in memory is passed when the user scrolls up: then its newest files give way.
        let reach = 2 * size.rows
        let hasRoom = window.items.count + settings.pageSize <= ChatWindow.foldedLimit || window.owedRows < 0
        if !window.reachesOldest, bottom < reach || (hasRoom && window.shownCount(before: bottom + 1) <= reach),
            let first = window.firstPosition
        {
            load(.before(first), at: index, &effects)
        } else if window.items.count - bottom < size.rows, !window.reachesNewest, let last = window.lastPosition {
            load(.after(last), at: index, &effects)
        }
    }

    /// A page has come.
    mutating func receive(_ page: [ChatMessage], for request: PageRequest, _ effects: inout [AppEffect]) {
        guard let index = chatIndex(request.contact), chats[index].window.loading == request else { return }
        var window = chats[index].window
        let place = window.scroll
        let isFirst = !window.isLoaded
        window.merge(page, for: request)
        if isFirst, request.contact == openID {
            for notice in lobby { window.place(notice) }
            lobby = []
        }
        switch request.anchor {
        case .newest:
            window.scroll = .bottom
            window.newerCount = 0
        case .after where request.replaces:
            window.scroll = window.items.first.map { .at($0.key, hiddenRows: 0) } ?? .bottom
        case .before, .after, .around:
            if case .at(let key, _) = place, window.index(of: key) == nil { window.scroll = .bottom }
        }
        window.highlight = browse == nil ? request.showing ?? window.highlight : nil
        let owed = request.replaces ? 0 : window.owedRows
        window.owedRows = 0
        chats[index].window = window
        guard request.contact == openID else { return }
        askQuotes(of: request.contact, &effects)
        // Keys that were pressed while the page was on its way.
        if owed != 0, browse == nil { scroll(byRows: owed) }
        defer { settleSelectionAfterPage() }
        if case .after = request.anchor, request.replaces { showOldest(index) }
        if case .around(let position) = request.anchor {
            if request.keepsView, chats[index].window.scroll == place {
                return
            } else if let id = request.showing {
                show(message: id, at: index)
            } else {
                show(firstFrom: position, at: index)
            }
        }
    }
}
