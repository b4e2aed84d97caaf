// The keys of browse mode: moving from message to message, and what is done with the one under the cursor.

import ChatCore
import ChatWords

extension AppState {
    /// Esc in the input: the message at the bottom of the view gets the cursor.
    mutating func startBrowsing() {
        // Where nothing but our own lines is in view, the newest message comes into it.
        guard let chat = openChat, let message = lastVisibleMessage(chat) ?? chat.window.shownMessages.last else {
            status = nil
            return
        }
        completion = nil
        lastKill = nil
        status = nil
        confirmation = nil
        let place = BrowseMode.Place(message)
        browse = BrowseMode(selected: place, cameFromBottom: chat.window.isAtBottom ? place : nil)
        revealSelection()
    }

    /// A click: the cursor of browse mode goes to that message, and a range up to it.
    mutating func browse(at message: ChatMessage) {
        completion = nil
        lastKill = nil
        status = nil
        if browse == nil { browse = BrowseMode(selected: .init(message)) }
        select(message.key, at: message.position)
        revealSelection()
    }

    private func lastVisibleMessage(_ chat: Chat) -> ChatMessage? {
        let area = ScreenLayout(self).chat.size
        let visible = HistoryLayout(self, chat, width: area.columns).visibleItems(area.rows)
        return visible.lazy.reversed().compactMap { chat.window.items[$0.index].message }.first
    }

    /// Back to the input; the view stays where it is, or follows the newest message again when the cursor was not moved.
    mutating func stopBrowsing() {
        if let browse, browse.cameFromBottom == browse.selected, let index = chatIndex(openID),
            chats[index].window.reachesNewest
        {
            chats[index].window.scroll = .bottom
            chats[index].window.newerCount = 0
        }
        browse = nil
    }

    /// A command while browse mode is on and nothing stands over it. `false`: it means the same as elsewhere.
    mutating func performInBrowse(_ command: AppCommand, _ effects: inout [AppEffect]) -> Bool {
        switch command {
        case .back:
            if withdrawQuestion() { break }
            if browse?.rangeStart != nil { browse?.rangeStart = nil } else { stopBrowsing() }
        case .closePane: stopBrowsing()
        case .down: moveSelection(by: 1)
        case .up: moveSelection(by: -1)
        case .halfPageDown: moveSelection(byRows: max(1, ScreenLayout(self).chat.size.rows / 2))
        case .halfPageUp: moveSelection(byRows: -max(1, ScreenLayout(self).chat.size.rows / 2))
        case .pageDown: moveSelection(byRows: max(1, ScreenLayout(self).chat.size.rows - 1))
        case .pageUp: moveSelection(byRows: -max(1, ScreenLayout(self).chat.size.rows - 1))
        case .top, .oldest: selectEnd(.oldest, &effects)
        case .bottom, .newest: selectEnd(.newest, &effects)
        case .findOlder: show(.prompt(PromptPane(purpose: .find(older: true))))
        case .findNewer: show(.prompt(PromptPane(purpose: .find(older: false))))
        case .nextHit: repeatSearch(reversed: false, &effects)
        case .previousHit: repeatSearch(reversed: true, &effects)
        case .goToDate: show(.prompt(PromptPane(purpose: .date)))
        case .firstUnread:
            scroll(.firstUnread, &effects)
            selectFirstUnread()
        case .selectRange:
            if let browse { self.browse?.rangeStart = browse.rangeStart == nil ? browse.selected : nil }
        case .copyText: copySelection(withNames: false, &effects)
        case .copyWithName: copySelection(withNames: true, &effects)
        case .deleteMessage: deleteSelection(&effects)
        case .forward:
            let messages = selectedMessages
            if messages.count == 1, messages[0].isRetracted {
                say("It was deleted; nothing to forward")
            } else if !messages.isEmpty {
                show(.choice(ChoicePane(.forward(messages))))
            }
        case .react: if let message = selectedMessage { showReactions(for: message) }
        case .choose: if let message = selectedMessage { actOn(message, &effects) }
        case .replyTo: act(.reply(nil), &effects)
        case .editMessage: act(.edit(nil), &effects)
        case .pin: act(.pin, &effects)
        case .messageInfo: act(.info, &effects)
        case .markUnread: act(.markUnread, &effects)
        case .openMessage: act(.open, &effects)
        case .saveFile: if let message = selectedMessage { saveFile(of: message, &effects) }
        default: return false
        }
        return true
    }

    /// An action on the message under the cursor.
    private mutating func act(_ action: MessageAction, _ effects: inout [AppEffect]) {
        if let message = selectedMessage { perform(action, on: message, &effects) }
    }

    /// A letter or a key that is none of browse mode.
    mutating func refuseInBrowse(_ key: String) {
        let shown = SafeText(key, as: .line).prefix(width: 12).text
        say("\(shown) does nothing while you browse (F1 lists the keys, q leaves)")
    }

    // MARK: The selection

    var selectedMessage: ChatMessage? {
        guard let browse, let chat = openChat, let index = chat.window.index(of: .message(browse.selected.key)) else {
            return nil
        }
        return chat.window.items[index].message
    }

    /// The selected messages that are loaded, in their order.
    var selectedMessages: [ChatMessage] {
        guard let range = browse?.range, let chat = openChat else { return [] }
        return chat.window.withFolded(chat.window.shownMessages.filter { range.contains($0.position) })
    }

    /// Whether all of the range is in memory.
    var rangeIsLoaded: Bool {
        guard let range = browse?.range, let window = openChat?.window, let first = window.firstPosition,
            let last = window.lastMessagePosition
        else { return true }
        return first <= range.lowerBound && range.upperBound <= last
    }

    /// Moves the cursor by messages.
    mutating func moveSelection(by step: Int) {
        guard let browse, let index = chatIndex(openID) else { return }
        let window = chats[index].window
        let messages = window.shownMessages
        guard let place = messages.firstIndex(where: { $0.key == browse.selected.key }) else { return }
        let wanted = place + step
        if step < 0 { chats[index].window.showCleared() }
        self.browse?.selected = .init(messages[min(max(wanted, 0), messages.count - 1)])
        // What is not loaded yet is on its way, or will be as soon as the view is there.
        var missing = 0
        if wanted < 0, !window.reachesOldest { missing = wanted }
        if wanted >= messages.count, !window.reachesNewest { missing = wanted - messages.count + 1 }
        let isMore = missing != 0 && missing.signum() == browse.owedSteps.signum()
        self.browse?.owedSteps = missing + (isMore ? browse.owedSteps : 0)
        revealSelection()
    }

    /// Moves the cursor by about so many rows.
    mutating func moveSelection(byRows rows: Int) {
        guard let browse, let chat = openChat,
            let start = chat.window.index(of: .message(browse.selected.key))
        else { return }
        let layout = HistoryLayout(self, chat, width: ScreenLayout(self).chat.size.columns)
        let items = chat.window.items
        let direction = rows < 0 ? -1 : 1
        var passed = 0
        var steps = 0
        var index = start + direction
        while items.indices.contains(index), passed < abs(rows) {
            passed += layout.rows(at: index).count
            if items[index].message != nil, !chat.window.isFolded(items[index]) { steps += direction }
            index += direction
        }
        moveSelection(by: steps == 0 ? direction : steps)
    }

    /// `g` and `G`.
    private mutating func selectEnd(_ end: BrowseMode.End, _ effects: inout [AppEffect]) {
        guard let index = chatIndex(openID) else { return }
        browse?.owedSteps = 0
        scroll(end == .oldest ? .oldest : .newest, &effects)
        if chats[index].window.loading?.replaces == true {
            browse?.pendingEnd = end
        } else {
            selectEndOfWindow(end)
        }
    }

    private mutating func selectEndOfWindow(_ end: BrowseMode.End) {
        guard let messages = openChat?.window.shownMessages else { return }
        let message = end == .oldest ? messages.first : messages.last
        if let message { browse?.selected = .init(message) }
        revealSelection()
    }

    private mutating func selectFirstUnread() {
        guard let window = openChat?.window, let index = window.firstUnreadIndex else { return }
        if let first = window.items[index].message { browse?.selected = .init(first) }
    }

    /// Puts the cursor on a message that a jump leads to.
    mutating func select(_ key: MessageKey, at position: HistoryPosition) {
        browse?.selected.key = key
        browse?.selected.position = position
        browse?.owedSteps = 0
        browse?.pendingEnd = nil
    }

    /// Scrolls so far that the message under the cursor is seen.
    private mutating func revealSelection() {
        if let browse { reveal(browse.selected.key) }
    }

    /// Scrolls so far that a message of the open chat is seen.
    mutating func reveal(_ id: MessageKey) {
        guard let index = chatIndex(openID) else { return }
        chats[index].window.highlight = nil
        let area = ScreenLayout(self).chat.size
        let layout = HistoryLayout(self, chats[index], width: area.columns)
        chats[index].window.scroll = layout.scroll(revealing: .message(id), height: area.rows)
        if chats[index].window.isAtBottom { chats[index].window.newerCount = 0 }
    }

    /// After a page has come: the cursor takes the steps that waited for it.
    mutating func settleSelectionAfterPage() {
        guard let browse else { return }
        if let end = browse.pendingEnd {
            self.browse?.pendingEnd = nil
            selectEndOfWindow(end)
        } else if browse.owedSteps != 0 {
            self.browse?.owedSteps = 0
            moveSelection(by: browse.owedSteps)
        }
    }

    /// The cursor stays at its place when its message has gone; without any message browse mode ends.
    mutating func settleSelection() {
        guard let browse else { return }
        guard let chat = openChat else { return self.browse = nil }
        guard chat.window.loading?.replaces != true else { return }
        let index = chat.window.index(of: .message(browse.selected.key))
        // News push it up, and keys act on it.
        if isNews, index != nil { revealSelection() }
        guard index.map({ chat.window.isFolded(chat.window.items[$0]) }) ?? true else { return }
        let messages = chat.window.shownMessages
        let next = messages.last { $0.position <= browse.selected.position } ?? messages.first
        guard let next else { return self.browse = nil }
        self.browse?.selected = .init(next)
    }
}
