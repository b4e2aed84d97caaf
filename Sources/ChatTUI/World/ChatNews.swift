// News from the chat service. It changes what is shown, never the focus, the keys or the half-typed line (rule 1).

import ChatCore
import ChatWords

/// Updates the screen after events of the service.
enum ChatNews {
    static func receive(_ event: ChatEvent, _ state: inout AppState, _ effects: inout [AppEffect]) {
        switch event {
        case .messageAdded(let message):
            Announcing.announce(message, &state, &effects)
            add(message, &state)
            if message.replyTo != nil { Pages.askQuotes(of: message.contact, &state, &effects) }
        case .messageChanged(let message): change(message, &state)
        case .transferProgress(let news):
            state.world.progressNews.add(news)
            showProgress(&state)
        case .messagesDeleted(let contact), .historyReplaced(let contact): reload(contact, &state, &effects)
        case .conversationsChanged: state.due.conversations.somethingChanged()
        case .linkChanged(let contact, let link):
            guard let index = state.world.chatIndex(contact) else {
                state.due.conversations.somethingChanged()
                return
            }
            state.world.noteLinkNews(of: contact)
            let isMade = state.world.chats[index].linkChanged(to: link, at: state.surface.moment.wall)
            if isMade { state.due.linkWasMade(at: state.surface.moment.uptime) }
        case .typing(let contact, let isComposing):
            guard let index = state.world.chatIndex(contact) else { return }
            let end = state.surface.moment.uptime + AppState.peerTypingLimit
            state.world.chats[index].noteTyping(until: isComposing ? end : nil)
        case .requestsChanged(let list): receive(requests: list, &state, &effects)
        case .identityChanged(let news): state.world.receive(news)
        case .notice(let notice): receive(notice, &state, &effects)
        }
    }

    /// Shows what is left of a conversation; a chat that is not open is loaded when it is opened.
    private static func reload(_ contact: ContactID, _ state: inout AppState, _ effects: inout [AppEffect]) {
        guard let index = state.world.chatIndex(contact) else { return }
        state.world.transfers.forgetFinished(of: contact)
        let place = state.world.chats[index].window.isAtBottom ? nil : state.world.chats[index].window.anchorPosition
        guard contact == state.place.openID else {
            state.world.chats[index].window.forget()
            return effects.append(.ask(.transfers))
        }
        state.world.chats[index].window.forgetMessages()
        Pages.load(
            place.map(PageAnchor.around) ?? .newest, replacing: true, keepingView: true, at: index, &state, &effects)
        effects.append(.ask(.transfers))
    }

    /// Takes in the news of running transfers, when it is time.
    static func showProgress(_ state: inout AppState) {
        for news in state.world.progressNews.take(at: state.surface.moment.uptime) {
            state.world.transfers.update(news, at: state.surface.moment.uptime)
        }
    }

    /// A notice that holds for the whole run stays to be read; any other passes by on the status line.
    private static func receive(_ notice: ChatNotice, _ state: inout AppState, _ effects: inout [AppEffect]) {
        let words = Sentences.sentence(for: notice, name: state.world.name(of:))
        switch notice {
        case .cannotListen, .listensElsewhere: state.note(words, isError: true)
        case .instanceLost:
            state.note(words, isError: true)
            // Nobody knows better until it runs again; then the chat reports every link anew.
            state.world.loseLinks()
        case .instanceFound, .instanceHere: state.note(words)
        case .instanceSilent: state.note(words, isError: true)
        case .settingsChanged: effects.append(.run(.settings(.follow)))
        case .storeFailed(.replaced), .historyPutBack: state.note(words, isError: true)
        case .guestCame, .invitationUsed: state.note(words)
        case .wordsEnded: state.note(words, isError: true)
        case .keyChanged, .storeFailed, .peerCannotStore, .contactStoresTooMuch: state.say(words, isError: true)
        }
    }

    private static func add(_ message: ChatMessage, _ state: inout AppState) {
        state.due.conversations.somethingChanged()
        SearchPane.messageWasAdded(&state)
        if case .file(let transfer) = message.content {
            state.world.transfers.update(transfer, at: state.surface.moment.uptime)
        }
        guard let index = state.world.chatIndex(message.contact) else { return }
        if state.world.chats[index].wasMissing(message) { return fillIn(message, at: index, &state) }
        state.world.chats[index].noteLast(message)
        let isOpen = message.contact == state.place.openID
        let isKnown = state.world.chats[index].window.contains(message)
        // Where the window ends further up, messages that are not in it come before the new line.
        let before = state.world.chats[index].window.reachesNewest ? state.world.chats[index].window.lastPosition : nil
        let isInWindow = state.world.chats[index].window.append(message)
        guard !isKnown else { return }
        guard message.direction == .incoming else {
            if message.state == .pending { state.world.chats[index].noteQueued() }
            answered(at: index, &state)
            dropCopy(of: message, &state)
            if isInWindow, case .text = message.content { state.world.chats[index].window.showNewest() }
            return
        }
        let mentionsMe = state.world.mentionsMe(message)
        let wasRead = state.world.chats[index].countUnread(mentionsMe: mentionsMe)
        let isLooking =
            isOpen && state.surface.isFocused && state.place.overlay == nil
            && state.world.chats[index].window.isAtBottom
            && state.surface.settings.readMark == .visible
        guard isOpen, !isLooking else { return }
        state.world.chats[index].window.countUnread(
            after: before ?? HistoryPosition(message.position.rawValue - 1), anew: wasRead)
    }

    /// The user has answered, so everything is seen; unless they say themselves what is read.
    static func answered(at index: Int, _ state: inout AppState) {
        if state.surface.settings.readMark == .visible, !state.world.chats[index].keepsUnread {
            state.world.chats[index].window.dropUnreadLine()
        }
    }

    /// A draft that is here just as it is stored has gone out at another screen. One that was typed here is in the kill
    /// ring.
    private static func dropCopy(of message: ChatMessage, _ state: inout AppState) {
        guard case .text(let text) = message.content, let index = state.world.chatIndex(message.contact) else { return }
        let isTyped = state.composer.typedDrafts.contains(message.contact)
        if message.contact == state.place.openID {
            guard state.composer.input.text == text, !isTyped || state.due.draft == nil else { return }
            state.composer.clear()
        } else {
            guard state.composer.drafts[message.contact]?.text == text else { return }
        }
        if isTyped { state.composer.killRing.add(text) }
        state.composer.forget(draftOf: message.contact)
        if case .reply = state.world.chats[index].composing { state.world.chats[index].endComposing() }
    }

    /// A message that was missing has come: it goes to its place among the others, where it may be out of sight.
    private static func fillIn(_ message: ChatMessage, at index: Int, _ state: inout AppState) {
        let isKnown = state.world.chats[index].window.index(of: .message(message.key)) != nil
        state.world.chats[index].window.fillIn(message)
        guard !isKnown, message.direction == .incoming else { return }
        state.say("A missing message from \(state.world.chats[index].name.text) has arrived; it is now in its place")
    }

    /// A message is as it is now wherever it is shown.
    static func change(_ message: ChatMessage, _ state: inout AppState) {
        if let index = state.world.chatIndex(message.contact) { state.world.chats[index].change(message) }
        if message.direction == .outgoing { state.due.conversations.somethingChanged() }
        guard case .file(let transfer) = message.content else { return }
        state.world.progressNews.forget(transfer.id)
        let old = state.world.transfers.byID[transfer.id]
        state.world.transfers.update(transfer, at: state.surface.moment.uptime)
        guard transfer.state.isFinal, let old, !old.state.isFinal else { return }
        let name = state.world.name(of: transfer.contact)
        if let group = state.world.transfers.group(of: transfer.number), group.isFolder {
            // The last file ends the folder.
            guard group.state.isFinal, UInt64(group.ids.count) >= group.fileCount else { return }
            let words = TransferWords(state: state, group: group)
            state.say(Sentences.ended(group, named: words, with: name), isError: group.state == .failed)
        } else {
            state.say(Sentences.ended(transfer, with: name), isError: transfer.state == .failed)
        }
    }

    private static func receive(requests list: [ContactRequest], _ state: inout AppState, _ effects: inout [AppEffect])
    {
        let known = Set(state.world.requests.map(\.id))
        state.world.receive(requests: list)
        // It was answered elsewhere.
        if list.isEmpty { state.place.dismissStatus(about: .contactRequest) }
        if let new = list.last(where: { !known.contains($0.id) }) {
            let name = SafeText(new.name, as: .name).text
            state.say(
                "CONTACT REQUEST from \"\(name)\" (\(state.surface.key(.requests)) shows it)", about: .contactRequest)
            Announcing.announceRequest(&state, &effects)
        }
    }
}
