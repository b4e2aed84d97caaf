// Opening chats and moving between them.

import ChatCore
import ChatWords

/// Opens and leaves chats.
enum ChatSwitching {
    /// Opens a chat: its history, its draft, its unread line. The line that was being typed stays with its chat.
    static func open(_ id: ContactID, _ state: inout AppState, _ effects: inout [AppEffect]) {
        guard let index = state.world.chatIndex(id) else { return }
        state.place.closePane()
        state.place.dropWayBack()
        state.composer.dropCompletion()
        state.composer.withdrawPasteQuestion()
        state.world.chats[index].endKeepingUnread()
        state.place.scrollList(to: nil)
        guard id != state.place.openID else { return }
        leave(&state, &effects)
        state.place.open(id)
        state.composer.takeUp(draftOf: id)
        SpellChecking.draftChanged(&state)
        state.composer.endKill()
        state.composer.history.leave()
        // A user who was reading further up continues there, unless there is something new.
        let place = state.world.chats[index].comeBack()
        if let place {
            show(place, at: index, &state, &effects)
        } else if !state.world.chats[index].window.isLoaded, state.world.chats[index].window.paging.request == nil {
            Pages.load(.newest, replacing: true, at: index, &state, &effects)
        }
        if state.world.chats[index].takeLacksDraft() { effects.append(.ask(.draft(id))) }
        if state.world.chats[index].safetyNumber == nil { effects.append(.ask(.safetyNumber(id))) }
        if state.world.chats[index].link.isOnline { effects.append(.ask(.links([id]))) }
    }

    /// Puts the open chat away; its draft is kept here and in the store.
    private static func leave(_ state: inout AppState, _ effects: inout [AppEffect]) {
        Drafts.stopTyping(&state.due, &effects)
        Browsing.stop(&state)
        guard let openID = state.place.openID else { return keepLine(&state) }
        Drafts.storeDraft(&state, &effects)
        if let kept = state.composer.history.keptDraft { state.composer.write(InputLine(kept)) }
        state.composer.putAway(draftOf: openID)
        if let index = state.world.chatIndex(openID) { state.world.chats[index].leave() }
        forgetWindows(after: openID, &state)
    }

    /// A line that was typed for no existing chat is no chat's draft.
    static func keepLine(_ state: inout AppState) {
        guard !state.composer.input.isEmpty else { return }
        state.composer.killRing.add(state.composer.input.text)
        state.say("Your line is safe: \(state.surface.key(.yank)) brings it back")
    }

    /// Keeps the pages of the chats that were open last; the others are read again when they are opened.
    private static func forgetWindows(after left: ContactID, _ state: inout AppState) {
        if let index = state.world.chatIndex(state.place.leave(left)) { state.world.chats[index].window.forget() }
    }

    /// /close: no chat is open.
    static func close(_ state: inout AppState, _ effects: inout [AppEffect]) {
        guard state.place.openID != nil else { return state.say("No chat is open") }
        leave(&state, &effects)
        state.place.open(nil)
        state.composer.clear()
    }

    /// Alt-1 to Alt-0.
    static func open(number: Int, _ state: inout AppState, _ effects: inout [AppEffect]) {
        if state.world.chats.indices.contains(number - 1) {
            open(state.world.chats[number - 1].id, &state, &effects)
        } else {
            state.say("There is no chat \(number)")
        }
    }

    static func openNeighbour(step: Int, _ state: inout AppState, _ effects: inout [AppEffect]) {
        guard !state.world.chats.isEmpty else {
            state.say("No chats yet: /add ADDRESS, or give somebody your own address (/myid)")
            return
        }
        let order = ChatOrder.indices(state)
        let current = order.firstIndex { state.world.chats[$0].id == state.place.openID } ?? (step > 0 ? -1 : 0)
        open(state.world.chats[order[(current + step + order.count) % order.count]].id, &state, &effects)
    }

    /// The next chat with unread messages, around the end of the list.
    static func openUnread(step: Int, _ state: inout AppState, _ effects: inout [AppEffect]) {
        let count = state.world.chats.count
        let start = state.world.chatIndex(state.place.openID) ?? (step > 0 ? -1 : count)
        for distance in stride(from: 1, through: count, by: 1) {
            let index = ((start + step * distance) % count + count) % count
            if state.world.chats[index].isUnread, state.world.chats[index].id != state.place.openID {
                open(state.world.chats[index].id, &state, &effects)
                return
            }
        }
        // Messages of the open chat that the user has marked as unread count, too.
        if state.openChat?.isUnread == true {
            if state.place.browse == nil || !Browsing.perform(.firstUnread, &state, &effects) {
                Scrolling.scroll(.firstUnread, &state, &effects)
            }
            return
        }
        state.say("Nothing unread")
    }

    /// After Esc: where the user was before a jump from the search or from pinned messages.
    static func returnTo(_ place: ReturnPlace, _ state: inout AppState, _ effects: inout [AppEffect]) {
        let search = place.search
        open(place.contact, &state, &effects)
        // The contact may have been removed meanwhile: the view of another chat stays.
        if let index = state.world.chatIndex(place.contact) {
            state.world.chats[index].window.giveUpJump()
            show(place, at: index, &state, &effects)
        }
        if let search { state.place.put(.search(search)) }
    }

    /// The rows of the open chat that were seen there before.
    private static func show(_ place: ReturnPlace, at index: Int, _ state: inout AppState, _ effects: inout [AppEffect])
    {
        state.world.chats[index].window.point(at: nil)
        state.world.chats[index].window.restore(place.unreadLine)
        switch (place.scroll, place.position) {
        case (.at(let key, _), let position?):
            state.world.chats[index].window.scroll(to: place.scroll)
            if state.world.chats[index].window.index(of: key) == nil {
                Pages.load(.around(position), replacing: true, keepingView: true, at: index, &state, &effects)
            }
        default: Scrolling.scroll(.newest, &state, &effects)
        }
    }
}
