// The keys of browse mode: moving from message to message, and what is done with the one under the cursor.

import ChatCore
import ChatWords

/// Browse mode: the cursor on a message, and its keys.
enum Browsing {
    /// Esc in the input: the message at the bottom of the view gets the cursor.
    static func start(_ state: inout AppState) {
        // Where nothing but our own lines is in view, the newest message comes into it.
        guard let chat = state.openChat, let message = lastVisibleMessage(chat, state) ?? chat.window.shownMessages.last
        else {
            state.place.dismissStatus()
            return
        }
        state.composer.turnAway()
        state.place.dismissStatus()
        state.place.dropConfirmation()
        state.place.browse = BrowseMode(selected: message, returnsToBottom: chat.window.isAtBottom)
        revealSelection(&state)
    }

    /// A click: the cursor of browse mode goes to that message, and a range up to it.
    static func browse(at message: ChatMessage, _ state: inout AppState) {
        state.composer.turnAway()
        state.place.dismissStatus()
        if state.place.browse == nil { state.place.browse = BrowseMode(selected: message, returnsToBottom: false) }
        state.place.browse?.jump(to: message.key, at: message.position)
        revealSelection(&state)
    }

    private static func lastVisibleMessage(_ chat: Chat, _ state: AppState) -> ChatMessage? {
        let area = ScreenLayout(state).chat.size
        let visible = HistoryLayout(state, chat, width: area.columns).visibleItems(area.rows)
        return visible.lazy.reversed().compactMap { chat.window.items[$0.index].message }.first
    }

    /// Back to the input; the view stays where it is, or follows the newest message again when the cursor was not moved.
    static func stop(_ state: inout AppState) {
        if let browse = state.place.browse, browse.cameFromBottom == browse.selected,
            let index = state.world.chatIndex(state.place.openID),
            state.world.chats[index].window.reachesNewest
        {
            state.world.chats[index].window.showNewest()
        }
        state.place.browse = nil
    }

    /// A command while browse mode is on and no pane covers it. `false`: it means the same as elsewhere.
    static func perform(_ command: AppCommand, _ state: inout AppState, _ effects: inout [AppEffect]) -> Bool {
        switch command {
        case .back:
            if state.place.withdrawQuestion() { break }
            if state.place.browse?.rangeStart != nil {
                state.place.browse?.dropRange()
            } else {
                stop(&state)
            }
        case .closePane: stop(&state)
        case .down: moveSelection(by: 1, &state)
        case .up: moveSelection(by: -1, &state)
        case .halfPageDown: moveSelection(byRows: max(1, ScreenLayout(state).chat.size.rows / 2), &state)
        case .halfPageUp: moveSelection(byRows: -max(1, ScreenLayout(state).chat.size.rows / 2), &state)
        case .pageDown: moveSelection(byRows: max(1, ScreenLayout(state).chat.size.rows - 1), &state)
        case .pageUp: moveSelection(byRows: -max(1, ScreenLayout(state).chat.size.rows - 1), &state)
        case .top, .oldest: selectEnd(.oldest, &state, &effects)
        case .bottom, .newest: selectEnd(.newest, &state, &effects)
        case .findOlder: state.show(.prompt(PromptPane(purpose: .find(older: true))))
        case .findNewer: state.show(.prompt(PromptPane(purpose: .find(older: false))))
        case .nextHit: BrowseSearch.repeatSearch(reversed: false, &state, &effects)
        case .previousHit: BrowseSearch.repeatSearch(reversed: true, &state, &effects)
        case .goToDate: state.show(.prompt(PromptPane(purpose: .date)))
        case .firstUnread:
            Scrolling.scroll(.firstUnread, &state, &effects)
            selectFirstUnread(&state)
        case .selectRange:
            state.place.browse?.toggleRange()
        case .copyText: MessageActions.copySelection(withNames: false, &state, &effects)
        case .copyWithName: MessageActions.copySelection(withNames: true, &state, &effects)
        case .deleteMessage: MessageActions.deleteSelection(&state, &effects)
        case .forward:
            let messages = selectedMessages(state)
            if messages.count == 1, messages[0].isRetracted {
                state.say("It was deleted; nothing to forward")
            } else if !messages.isEmpty {
                state.show(.choice(ChoicePane(.forward(messages))))
            }
        case .react: if let message = selectedMessage(state) { ChoicePane.showReactions(for: message, &state) }
        case .choose: if let message = selectedMessage(state) { Opening.actOn(message, &state, &effects) }
        case .replyTo: act(.reply(nil), &state, &effects)
        case .editMessage: act(.edit(nil), &state, &effects)
        case .pin: act(.pin, &state, &effects)
        case .messageInfo: act(.info, &state, &effects)
        case .markUnread: act(.markUnread, &state, &effects)
        case .openMessage: act(.open, &state, &effects)
        case .saveFile: if let message = selectedMessage(state) { Opening.saveFile(of: message, &state, &effects) }
        default: return false
        }
        return true
    }

    /// An action on the message under the cursor.
    private static func act(_ action: MessageAction, _ state: inout AppState, _ effects: inout [AppEffect]) {
        if let message = selectedMessage(state) { MessageActions.perform(action, on: message, &state, &effects) }
    }

    /// A letter or a key that means nothing in browse mode.
    static func refuse(_ key: String, _ state: inout AppState) {
        let shown = SafeText(key, as: .line).prefix(width: 12).text
        state.say("\(shown) does nothing while you browse (F1 lists the keys, q leaves)")
    }

    // MARK: The selection

    static func selectedMessage(_ state: AppState) -> ChatMessage? {
        guard let browse = state.place.browse, let chat = state.openChat,
            let index = chat.window.index(of: .message(browse.selected.key))
        else {
            return nil
        }
        return chat.window.items[index].message
    }

    /// The selected messages that are loaded, in their order.
    static func selectedMessages(_ state: AppState) -> [ChatMessage] {
        guard let range = state.place.browse?.range, let chat = state.openChat else { return [] }
        return chat.window.withFolded(chat.window.shownMessages.filter { range.contains($0.position) })
    }

    /// Whether all of the range is in memory.
    static func rangeIsLoaded(_ state: AppState) -> Bool {
        guard let range = state.place.browse?.range, let window = state.openChat?.window,
            let first = window.firstPosition,
            let last = window.lastMessagePosition
        else { return true }
        return first <= range.lowerBound && range.upperBound <= last
    }

    /// Moves the cursor by messages.
    static func moveSelection(by step: Int, _ state: inout AppState) {
        guard let browse = state.place.browse, let index = state.world.chatIndex(state.place.openID) else { return }
        let window = state.world.chats[index].window
        let messages = window.shownMessages
        guard let place = messages.firstIndex(where: { $0.key == browse.selected.key }) else { return }
        let wanted = place + step
        if step < 0 { state.world.chats[index].window.showCleared() }
        state.place.browse?.move(to: messages[min(max(wanted, 0), messages.count - 1)])
        // The missing messages are on their way, or will be as soon as the view is there.
        var missing = 0
        if wanted < 0, !window.reachesOldest { missing = wanted }
        if wanted >= messages.count, !window.reachesNewest { missing = wanted - messages.count + 1 }
        state.place.browse?.owedSteps.set(missing)
        revealSelection(&state)
    }

    /// Moves the cursor by about so many rows.
    static func moveSelection(byRows rows: Int, _ state: inout AppState) {
        guard let browse = state.place.browse, let chat = state.openChat,
            let start = chat.window.index(of: .message(browse.selected.key))
        else { return }
        let layout = HistoryLayout(state, chat, width: ScreenLayout(state).chat.size.columns)
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
        moveSelection(by: steps == 0 ? direction : steps, &state)
    }

    /// `g` and `G`.
    private static func selectEnd(_ end: BrowseMode.End, _ state: inout AppState, _ effects: inout [AppEffect]) {
        guard let index = state.world.chatIndex(state.place.openID) else { return }
        state.place.browse?.owedSteps.drop()
        Scrolling.scroll(end == .oldest ? .oldest : .newest, &state, &effects)
        if state.world.chats[index].window.paging.request?.replaces == true {
            state.place.browse?.wait(for: end)
        } else {
            selectEndOfWindow(end, &state)
        }
    }

    private static func selectEndOfWindow(_ end: BrowseMode.End, _ state: inout AppState) {
        guard let messages = state.openChat?.window.shownMessages else { return }
        let message = end == .oldest ? messages.first : messages.last
        if let message { state.place.browse?.move(to: message) }
        revealSelection(&state)
    }

    private static func selectFirstUnread(_ state: inout AppState) {
        guard let window = state.openChat?.window, let index = window.firstUnreadIndex else { return }
        if let first = window.items[index].message { state.place.browse?.move(to: first) }
    }

    /// Scrolls so far that the message under the cursor is seen.
    private static func revealSelection(_ state: inout AppState) {
        if let browse = state.place.browse { reveal(browse.selected.key, &state) }
    }

    /// Scrolls so far that a message of the open chat is seen.
    static func reveal(_ id: MessageKey, _ state: inout AppState) {
        guard let index = state.world.chatIndex(state.place.openID) else { return }
        state.world.chats[index].window.point(at: nil)
        let area = ScreenLayout(state).chat.size
        let layout = HistoryLayout(state, state.world.chats[index], width: area.columns)
        state.world.chats[index].window.scroll(to: layout.scroll(revealing: .message(id), height: area.rows))
    }

    /// After a page has come: the cursor takes the steps that waited for it.
    static func settleAfterPage(_ state: inout AppState) {
        if let end = state.place.browse?.takePendingEnd() {
            selectEndOfWindow(end, &state)
        } else if let steps = state.place.browse?.owedSteps.take(), steps != 0 {
            moveSelection(by: steps, &state)
        }
    }

    /// The cursor stays at its place when its message has gone; without any message browse mode ends.
    static func settle(_ state: inout AppState) {
        guard let browse = state.place.browse else { return }
        guard let chat = state.openChat else { return state.place.browse = nil }
        guard chat.window.paging.request?.replaces != true else { return }
        let index = chat.window.index(of: .message(browse.selected.key))
        // News pushes it up, and keys act on it.
        if state.place.isNews, index != nil { revealSelection(&state) }
        guard index.map({ chat.window.isFolded(chat.window.items[$0]) }) ?? true else { return }
        let messages = chat.window.shownMessages
        let next = messages.last { $0.position <= browse.selected.position } ?? messages.first
        guard let next else { return state.place.browse = nil }
        state.place.browse?.move(to: next)
    }
}
