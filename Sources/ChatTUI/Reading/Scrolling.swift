// Moving through the history: by rows of the present layout, loading pages from the store at both ends.

import ChatCore
import ChatWords

/// Moves the view of the open chat.
enum Scrolling {
    /// Brings a message to the middle of the view, and the cursor of browse mode to it.
    static func jump(
        to id: MessageKey, at position: HistoryPosition, at index: Int, _ state: inout AppState,
        _ effects: inout [AppEffect]
    ) {
        if state.world.chats[index].id != state.place.openID {
            ChatSwitching.open(state.world.chats[index].id, &state, &effects)
        }
        state.world.chats[index].window.showCleared()
        state.place.browse?.jump(to: id, at: position)
        if state.world.chats[index].window.index(of: .message(id)) != nil {
            state.world.chats[index].window.point(at: state.place.browse == nil ? id : nil)
            show(message: id, at: index, &state)
        } else {
            Pages.load(.around(position), replacing: true, showing: id, at: index, &state, &effects)
        }
    }

    /// A scrolling command.
    static func scroll(_ command: AppCommand, _ state: inout AppState, _ effects: inout [AppEffect]) {
        guard let index = state.world.chatIndex(state.place.openID) else { return }
        state.world.chats[index].window.paging.mayTryAgain()
        let page = max(1, ScreenLayout(state).chat.size.rows - 1)
        switch command {
        case .pageUp: scroll(byRows: -page, &state)
        case .pageDown: scroll(byRows: page, &state)
        case .rowUp: scroll(byRows: -1, &state)
        case .rowDown: scroll(byRows: 1, &state)
        case .oldest: scrollToOldest(index, &state, &effects)
        case .newest:
            scrollToNewest(index, &state, &effects)
            // The notice that led here can now be read in full.
            if state.place.status?.place == .chat { state.place.dismissNotice() }
        case .firstUnread: scrollToUnread(index, &state, &effects)
        default: break
        }
    }

    /// Moves the view of the open chat; negative is towards older messages.
    static func scroll(byRows rows: Int, _ state: inout AppState) {
        guard let index = state.world.chatIndex(state.place.openID) else { return }
        var window = state.world.chats[index].window
        window.paging.mayTryAgain()
        window.point(at: nil)
        if rows < 0 { window.showCleared() }
        state.world.chats[index].window = window
        let area = ScreenLayout(state).chat.size
        let layout = HistoryLayout(state, state.world.chats[index], width: area.columns)
        window.scroll(to: layout.scroll(moving: rows, height: area.rows))
        var missing = 0
        if rows < 0, !window.reachesOldest { missing = rows + layout.rowsAbove(-rows, height: area.rows) }
        if rows > 0, !window.reachesNewest { missing = rows - layout.rowsBelow(rows, height: area.rows) }
        window.paging.owedRows.set(missing)
        window.countNewer()
        state.world.chats[index].window = window
    }

    /// Where the newest message is in sight, however the view came there (a jump, a larger window), it stays at the
    /// bottom from now on, and new messages are seen. A user who is further up has found where the new messages begin.
    static func settleAtBottom(_ state: inout AppState) {
        guard let index = state.world.chatIndex(state.place.openID), case .at = state.world.chats[index].window.scroll
        else { return }
        state.world.chats[index].window.noteUnreadLineFound()
        guard state.world.chats[index].window.isLoaded, state.world.chats[index].window.reachesNewest,
            state.world.chats[index].window.paging.request == nil
        else { return }
        let area = ScreenLayout(state).chat.size
        // Each has a row at least; this check runs after everything that happens.
        let window = state.world.chats[index].window
        let below = window.items[(window.bottomIndex + 1)...].lazy.filter { !window.isFolded($0) }
        guard below.prefix(area.rows).count < area.rows,
            HistoryLayout(state, state.world.chats[index], width: area.columns).rowsBelow(1, height: area.rows) == 0
        else { return }
        state.world.chats[index].window.showNewest()
    }

    private static func scrollToOldest(_ index: Int, _ state: inout AppState, _ effects: inout [AppEffect]) {
        state.world.chats[index].window.showCleared()
        state.world.chats[index].window.giveUpJump()
        if state.world.chats[index].window.reachesOldest {
            showOldest(index, &state.world)
        } else {
            Pages.load(.after(HistoryPosition(.min)), replacing: true, at: index, &state, &effects)
        }
    }

    /// The oldest message at the top. The rows below it fill the screen by themselves: nothing else is laid out.
    static func showOldest(_ index: Int, _ world: inout World) {
        var window = world.chats[index].window
        window.paging.mayTryAgain()
        window.point(at: nil)
        window.paging.owedRows.drop()
        window.showCleared()
        window.showFirst()
        world.chats[index].window = window
    }

    private static func scrollToNewest(_ index: Int, _ state: inout AppState, _ effects: inout [AppEffect]) {
        state.place.dropWayBack()
        state.world.chats[index].window.point(at: nil)
        state.world.chats[index].window.showNewest()
        state.world.chats[index].window.giveUpJump()
        let leadsElsewhere =
            state.world.chats[index].window.paging.request.map { $0.replaces && $0.anchor != .newest } ?? false
        if leadsElsewhere || !state.world.chats[index].window.reachesNewest {
            Pages.load(.newest, replacing: true, at: index, &state, &effects)
        }
    }

    private static func scrollToUnread(_ index: Int, _ state: inout AppState, _ effects: inout [AppEffect]) {
        guard let line = state.world.chats[index].window.unreadLine else {
            state.say("No unread line in this chat")
            return
        }
        let window = state.world.chats[index].window
        if let first = window.firstUnreadIndex {
            show(window.items[first].key, at: index, &state)
        } else {
            Pages.load(.around(line.after), replacing: true, at: index, &state, &effects)
        }
    }

    /// Scrolls so that an item is in the middle of the chat.
    static func show(_ key: HistoryItem.Key, at index: Int, _ state: inout AppState) {
        state.world.chats[index].window.giveUpJump()
        let area = ScreenLayout(state).chat.size
        let layout = HistoryLayout(state, state.world.chats[index], width: area.columns)
        state.world.chats[index].window.scroll(to: layout.scroll(showing: key, height: area.rows))
        state.world.chats[index].window.countNewer()
    }

    /// A jump to that very message: it is shown also when it is a file of a closed folder.
    static func show(message id: MessageKey, at index: Int, _ state: inout AppState) {
        state.world.chats[index].window.unfold(id)
        show(.message(id), at: index, &state)
    }

    /// A jump without a certain message (the unread line): the cursor of browse mode goes where the view is.
    static func show(firstFrom position: HistoryPosition, at index: Int, _ state: inout AppState) {
        let messages = state.world.chats[index].window.shownMessages
        guard let message = messages.first(where: { $0.position >= position }) ?? messages.last else { return }
        show(.message(message.key), at: index, &state)
        state.place.browse?.jump(to: message.key, at: message.position)
    }
}
