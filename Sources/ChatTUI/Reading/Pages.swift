// Loads pages of the history, and the quotes in them.

import ChatCore
import ChatWords

enum Pages {
    /// Quotes of messages that are not in memory.
    static func askQuotes(of contact: ContactID, _ state: inout AppState, _ effects: inout [AppEffect]) {
        guard contact == state.place.openID, let index = state.world.chatIndex(contact) else { return }
        let missing = state.world.chats[index].takeMissingQuotes()
        if !missing.isEmpty { effects.append(.ask(.quotes(missing, contact))) }
    }

    /// Asks for a page of a chat.
    static func load(
        _ anchor: PageAnchor, replacing: Bool = false, showing: MessageKey? = nil, keepingView: Bool = false,
        at index: Int,
        _ state: inout AppState, _ effects: inout [AppEffect]
    ) {
        var request = PageRequest(
            contact: state.world.chats[index].id, anchor: anchor, limit: state.surface.settings.pageSize,
            generation: state.place.nextNumber())
        request.replaces = replacing
        request.showing = showing
        request.keepsView = keepingView
        state.world.chats[index].window.paging.begin(request)
        effects.append(.ask(.page(request)))
    }

    /// Loads older or newer messages when the view comes near the end of what is in memory.
    static func loadWhatIsMissing(_ state: inout AppState, _ effects: inout [AppEffect]) {
        guard let index = state.world.chatIndex(state.place.openID) else { return }
        let window = state.world.chats[index].window
        guard window.isLoaded, window.paging.request == nil, !window.paging.hasFailed, !window.items.isEmpty else {
            return
        }
        let bottom = window.bottomIndex
        // An item that is shown has at least one row, so this many of them fill the screen and the next page of it. A
        // folder larger than what may be in memory is passed when the user scrolls up: then its newest files give way.
        let reach = 2 * state.surface.size.rows
        let hasRoom =
            window.items.count + state.surface.settings.pageSize <= ChatWindow.foldedLimit
            || window.paging.owedRows.count < 0
        if !window.reachesOldest, bottom < reach || (hasRoom && window.shownCount(before: bottom + 1) <= reach),
            let first = window.firstPosition
        {
            load(.before(first), at: index, &state, &effects)
        } else if window.items.count - bottom < state.surface.size.rows, !window.reachesNewest,
            let last = window.lastPosition
        {
            load(.after(last), at: index, &state, &effects)
        }
    }

    /// A page has come.
    static func receive(
        _ page: [ChatMessage], for request: PageRequest, _ state: inout AppState, _ effects: inout [AppEffect]
    ) {
        guard let index = state.world.chatIndex(request.contact),
            state.world.chats[index].window.paging.request == request
        else { return }
        var window = state.world.chats[index].window
        let place = window.scroll
        let isFirst = !window.isLoaded
        window.merge(page, for: request)
        if isFirst, request.contact == state.place.openID {
            for notice in state.place.takeLobby() { window.place(notice) }
        }
        switch request.anchor {
        case .newest:
            window.showNewest()
        case .after where request.replaces:
            window.scroll(to: window.items.first.map { .at($0.key, hiddenRows: 0) } ?? .bottom)
        case .before, .after, .around:
            if case .at(let key, _) = place, window.index(of: key) == nil { window.scroll(to: .bottom) }
        }
        window.point(at: state.place.browse == nil ? request.showing ?? window.highlight : nil)
        let waiting = window.paging.owedRows.take()
        let owed = request.replaces ? 0 : waiting
        state.world.chats[index].window = window
        guard request.contact == state.place.openID else { return }
        askQuotes(of: request.contact, &state, &effects)
        // Keys that were pressed while the page was on its way.
        if owed != 0, state.place.browse == nil { Scrolling.scroll(byRows: owed, &state) }
        defer { Browsing.settleAfterPage(&state) }
        if case .after = request.anchor, request.replaces { Scrolling.showOldest(index, &state.world) }
        if case .around(let position) = request.anchor {
            if request.keepsView, state.world.chats[index].window.scroll == place {
                return
            } else if let id = request.showing {
                Scrolling.show(message: id, at: index, &state)
            } else {
                Scrolling.show(firstFrom: position, at: index, &state)
            }
        }
    }
}
