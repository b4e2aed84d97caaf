// News from the chat service. It changes what is shown, never the focus, the keys or the half-typed line (rule 1).

import ChatCore
import ChatWords

extension AppState {
    mutating func receive(_ event: ChatEvent, _ effects: inout [AppEffect]) {
        switch event {
        case .messageAdded(let message):
            announce(message, &effects)
            add(message)
            if message.replyTo != nil { askQuotes(of: message.contact, &effects) }
        case .messageChanged(let message): change(message)
        case .transferProgress(let news):
            progressNews.add(news)
            showProgress()
        case .messagesDeleted(let contact), .historyReplaced(let contact): reload(contact, &effects)
        case .conversationsChanged: conversations.isDirty = true
        case .linkChanged(let contact, let link):
            guard let index = chatIndex(contact) else {
                conversations.isDirty = true
                return
            }
            linkNews.insert(contact)
            let wasOnline = chats[index].link.isOnline
            chats[index].link = keepingRoundTrip(link, of: chats[index].link)
            if link.isOnline, !wasOnline { linkRefresh = moment.uptime + Self.linkRefreshDelay }
            if !link.isOnline { chats[index].typingUntil = nil }
            // The core stores the same and says nothing of it.
            if wasOnline != link.isOnline { chats[index].conversation.peer.lastSeen = moment.wall }
        case .typing(let contact, let isComposing):
            guard let index = chatIndex(contact) else { return }
            chats[index].typingUntil = isComposing ? moment.uptime + Self.peerTypingLimit : nil
        case .requestsChanged(let list): receive(requests: list, &effects)
        case .identityChanged(let news): identity = news
        case .notice(let notice): receive(notice, &effects)
        }
    }

    /// News of a link do not say how fast it is: what was measured stays until it is asked again.
    private func keepingRoundTrip(_ link: LinkState, of old: LinkState) -> LinkState {
        guard case .online(var details) = link, case .online(let before) = old, details.roundTrip == nil else {
            return link
        }
        details.roundTrip = before.roundTrip
        return .online(details)
    }

    /// Shows what is left of a conversation; a chat that is not open is loaded when it is opened.
    private mutating func reload(_ contact: ContactID, _ effects: inout [AppEffect]) {
        guard let index = chatIndex(contact) else { return }
        transfers.forgetFinished(of: contact)
        let place = chats[index].window.isAtBottom ? nil : chats[index].window.anchorPosition
        guard contact == openID else {
            chats[index].window.forget()
            return effects.append(.ask(.transfers))
        }
        chats[index].window.forgetMessages()
        load(place.map(PageAnchor.around) ?? .newest, replacing: true, keepingView: true, at: index, &effects)
        effects.append(.ask(.transfers))
    }

    /// What was told of running transfers, when it is time.
    mutating func showProgress() {
        for news in progressNews.take(at: moment.uptime) { transfers.update(news, at: moment.uptime) }
    }

    /// What holds for the whole run stays to be read; the rest passes by on the status line.
    private mutating func receive(_ notice: ChatNotice, _ effects: inout [AppEffect]) {
        let words = Sentences.sentence(for: notice, name: name(of:))
        switch notice {
        case .cannotListen, .listensElsewhere: note(words, isError: true)
        case .instanceLost:
            note(words, isError: true)
            // Nobody knows better until it runs again; then every link is told anew.
            for index in chats.indices { chats[index].link = .offline(reason: .notRunning) }
        case .instanceFound, .instanceHere: note(words)
        case .instanceSilent: note(words, isError: true)
        case .settingsChanged: effects.append(.run(.settings(.follow)))
        case .storeFailed(.replaced), .historyPutBack: note(words, isError: true)
        case .keyChanged, .storeFailed, .peerCannotStore, .contactStoresTooMuch: say(words, isError: true)
        }
    }

    private mutating func add(_ message: ChatMessage) {
        conversations.isDirty = true
        searchIsOld()
        if case .file(let transfer) = message.content { transfers.update(transfer, at: moment.uptime) }
        guard let index = chatIndex(message.contact) else { return }
        if chats[index].wasMissing(message) { return fillIn(message, at: index) }
        if chats[index].conversation.lastMessage.map({ $0.position < message.position }) ?? true {
            chats[index].conversation.lastMessage = message
        }
        let isOpen = message.contact == openID
        let isKnown = chats[index].window.contains(message)
        // Where the window ends further up, the new line stands behind messages that are not in it.
        let before = chats[index].window.reachesNewest ? chats[index].window.lastPosition : nil
        let isInWindow = chats[index].window.append(message)
        guard !isKnown else { return }
        guard message.direction == .incoming else {
            chats[index].conversation.queuedCount += message.state == .pending ? 1 : 0
            answered(at: index)
            dropCopy(of: message)
            if isInWindow, case .text = message.content { chats[index].window.scroll = .bottom }
            return
        }
        chats[index].typingUntil = nil
        let wasRead = chats[index].conversation.unreadCount == 0 && !chats[index].keepsUnread
        chats[index].conversation.unreadCount += 1
        if mentionsMe(message) { chats[index].mentionCount += 1 }
        let isLooking =
            isOpen && isFocused && overlay == nil && chats[index].window.isAtBottom && settings.readMark == .visible
        guard isOpen, !isLooking else { return }
        if !chats[index].window.isAtBottom { chats[index].window.newerCount += 1 }
        // Of what was read before it the line does not count anything.
        if wasRead || chats[index].window.unreadLine == nil {
            chats[index].window.unreadLine = ChatWindow.UnreadLine(
                after: before ?? HistoryPosition(message.position.rawValue - 1), count: 0)
        }
        chats[index].window.unreadLine?.count += 1
    }

    /// The user has answered, so everything is seen; unless they say themselves what is read.
    mutating func answered(at index: Int) {
        if settings.readMark == .visible, !chats[index].keepsUnread { chats[index].window.unreadLine = nil }
    }

    /// A draft that stands here as it is stored has gone out at another screen. One that was typed here is in the kill
    /// ring.
    private mutating func dropCopy(of message: ChatMessage) {
        guard case .text(let text) = message.content, let index = chatIndex(message.contact) else { return }
        let isTyped = typedDrafts.contains(message.contact)
        if message.contact == openID {
            guard input.text == text, !isTyped || draftTimer == nil else { return }
            input = InputLine()
        } else {
            guard drafts[message.contact]?.text == text else { return }
            drafts[message.contact] = nil
        }
        if isTyped { killRing.add(text) }
        typedDrafts.remove(message.contact)
        if case .reply = chats[index].composing { chats[index].composing = nil }
    }

    /// A message that was missing has come: it stands in its place among the others, where it may be out of sight.
    private mutating func fillIn(_ message: ChatMessage, at index: Int) {
        let isKnown = chats[index].window.index(of: .message(message.key)) != nil
        chats[index].window.fillIn(message)
        guard !isKnown, message.direction == .incoming else { return }
        say("A missing message from \(chats[index].name.text) has arrived; it is now in its place")
    }

    /// A message is as it is now wherever it is shown.
    mutating func change(_ message: ChatMessage) {
        if let index = chatIndex(message.contact) {
            chats[index].window.replace(message)
            chats[index].composing?.update(message)
            if case .found(let known)? = chats[index].quotes[message.id] {
                if known.key == message.key { chats[index].quotes[message.id] = .found(message.following(known)) }
            } else if chats[index].quotes[message.id] != nil {
                chats[index].quotes[message.id] = .found(message)
            }
            if let last = chats[index].conversation.lastMessage, last.key == message.key {
                chats[index].conversation.lastMessage = message.following(last)
            }
        }
        if message.direction == .outgoing { conversations.isDirty = true }
        guard case .file(let transfer) = message.content else { return }
        progressNews.forget(transfer.id)
        let old = transfers.byID[transfer.id]
        transfers.update(transfer, at: moment.uptime)
        guard transfer.state.isFinal, let old, !old.state.isFinal else { return }
        let name = name(of: transfer.contact)
        if let group = transfers.group(of: transfer.number), group.isFolder {
            // The last file ends the folder.
            guard group.state.isFinal, UInt64(group.ids.count) >= group.fileCount else { return }
            let words = TransferWords(state: self, group: group)
            say(Sentences.ended(group, named: words, with: name), isError: group.state == .failed)
        } else {
            say(Sentences.ended(transfer, with: name), isError: transfer.state == .failed)
        }
    }

    private mutating func receive(requests list: [ContactRequest], _ effects: inout [AppEffect]) {
        let known = Set(requests.map(\.id))
        requests = list
        // It was answered elsewhere.
        if list.isEmpty, status?.text.hasPrefix("CONTACT REQUEST") == true { status = nil }
        if let new = list.last(where: { !known.contains($0.id) }) {
            let name = SafeText(new.name, as: .name).text
            say("CONTACT REQUEST from \"\(name)\" (\(key(.requests)) shows it)")
            announceRequest(&effects)
        }
    }
}
