// Opening chats and moving between them.

import ChatCore
import ChatWords

extension AppState {
    /// Opens a chat: its history, its draft, its unread line. The line that was being typed stays with its chat.
    mutating func open(_ id: ContactID, _ effects: inout [AppEffect]) {
        guard let index = chatIndex(id) else { return }
        overlay = nil
        returnPlace = nil
        completion = nil
        hasAskedPaste = false
        chats[index].keepsUnread = false
        listTop = nil
        guard id != openID else { return }
        leaveChat(&effects)
        previousID = openID
        openID = id
        input = drafts.removeValue(forKey: id) ?? InputLine()
        spellingChanged()
        lastKill = nil
        history.leave()
        let conversation = chats[index].conversation
        if conversation.unreadCount > 0 {
            chats[index].window.unreadLine = ChatWindow.UnreadLine(
                after: conversation.readUpTo ?? HistoryPosition(.min), count: conversation.unreadCount)
        }
        // Who was reading further up goes on there, unless there is something new.
        let place = conversation.unreadCount == 0 ? chats[index].leftPlace : nil
        chats[index].leftPlace = nil
        if let place {
            show(place, at: index, &effects)
        } else if !chats[index].window.isLoaded, chats[index].window.loading == nil {
            load(.newest, replacing: true, at: index, &effects)
        }
        if chats[index].storedDraft == .unknown {
            chats[index].storedDraft = .asked
            effects.append(.ask(.draft(id)))
        }
        if chats[index].safetyNumber == nil { effects.append(.ask(.safetyNumber(id))) }
        if chats[index].link.isOnline { effects.append(.ask(.links([id]))) }
    }

    /// Puts the open chat away; its draft is kept here and in the store.
    private mutating func leaveChat(_ effects: inout [AppEffect]) {
        stopTyping(&effects)
        stopBrowsing()
        guard let openID else { return keepLine() }
        storeDraft(&effects)
        if let kept = history.keptDraft { input = InputLine(kept) }
        if input.isEmpty { drafts[openID] = nil } else { drafts[openID] = input }
        if let index = chatIndex(openID) {
            let chat = chats[index]
            chats[index].leftPlace = chat.window.isAtBottom ? nil : ReturnPlace(chat, search: nil)
            chats[index].window.shrink()
        }
        forgetWindows(after: openID)
    }

    /// What was typed for no chat that is there is no chat's draft.
    mutating func keepLine() {
        guard !input.isEmpty else { return }
        killRing.add(input.text)
        say("Your line is safe: \(key(.yank)) brings it back")
    }

    /// Keeps the pages of the chats that were open last; the others are read again when they are opened.
    private mutating func forgetWindows(after left: ContactID) {
        recentIDs.removeAll { $0 == left }
        recentIDs.append(left)
        guard recentIDs.count > Self.keptWindows else { return }
        if let index = chatIndex(recentIDs.removeFirst()) { chats[index].window.forget() }
    }

    /// /close: no chat is open.
    mutating func closeChat(_ effects: inout [AppEffect]) {
        guard openID != nil else { return say("No chat is open") }
        leaveChat(&effects)
        previousID = openID
        openID = nil
        input = InputLine()
    }

    /// Alt-1 to Alt-0.
    mutating func openChat(number: Int, _ effects: inout [AppEffect]) {
        if chats.indices.contains(number - 1) {
            open(chats[number - 1].id, &effects)
        } else {
            say("There is no chat \(number)")
        }
    }

    mutating func openNeighbour(step: Int, _ effects: inout [AppEffect]) {
        guard !chats.isEmpty else {
            say("No chats yet: /add ADDRESS, or give somebody your own address (/myid)")
            return
        }
        let order = orderedChats
        let current = order.firstIndex { chats[$0].id == openID } ?? (step > 0 ? -1 : 0)
        open(chats[order[(current + step + order.count) % order.count]].id, &effects)
    }

    /// The next chat with unread messages, around the end of the list.
    mutating func openUnread(step: Int, _ effects: inout [AppEffect]) {
        let count = chats.count
        let start = chatIndex(openID) ?? (step > 0 ? -1 : count)
        for distance in stride(from: 1, through: count, by: 1) {
            let index = ((start + step * distance) % count + count) % count
            if chats[index].isUnread, chats[index].id != openID {
                open(chats[index].id, &effects)
                return
            }
        }
        // What the user has marked in the open chat is unread, too.
        if openChat?.isUnread == true {
            if browse == nil || !performInBrowse(.firstUnread, &effects) { scroll(.firstUnread, &effects) }
            return
        }
        say("Nothing unread")
    }

    /// After Esc: where the user was before a jump from the search or from pinned messages.
    mutating func returnTo(_ place: ReturnPlace, _ effects: inout [AppEffect]) {
        let search = place.search
        open(place.contact, &effects)
        // The contact may have been removed meanwhile: the view of another chat stays.
        if let index = chatIndex(place.contact) {
            chats[index].window.giveUpJump()
            show(place, at: index, &effects)
        }
        if let search { overlay = .search(search) }
    }

    /// The rows of the open chat that were seen there before.
    private mutating func show(_ place: ReturnPlace, at index: Int, _ effects: inout [AppEffect]) {
        chats[index].window.highlight = nil
        if chats[index].window.unreadLine == nil { chats[index].window.unreadLine = place.unreadLine }
        switch (place.scroll, place.position) {
        case (.at(let key, _), let position?):
            chats[index].window.scroll = place.scroll
            if chats[index].window.index(of: key) == nil {
                load(.around(position), replacing: true, keepingView: true, at: index, &effects)
            }
        default: scroll(.newest, &effects)
        }
    }
}
