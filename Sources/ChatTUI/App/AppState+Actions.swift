// What is done with one message, whoever asked for it: browse mode, a slash command, a list.

import ChatCore
import ChatWords

extension AppState {
    mutating func perform(_ action: MessageAction, on message: ChatMessage, _ effects: inout [AppEffect]) {
        switch action {
        case .reply(let text): reply(to: message, text, &effects)
        case .edit(let text): edit(message, text, &effects)
        case .delete:
            let messages = chat(message.contact)?.window.withFolded([message]) ?? [message]
            delete(messages, asking: messages.count > 1, again: "/delete", &effects)
        case .react(let emoji): react(to: message, emoji, &effects)
        case .forward(let contact): forward([message], to: contact, &effects)
        case .retry: effects.append(.run(.retry(message.id)))
        case .pin:
            guard !message.isRetracted else { return say("It was deleted; nothing to pin") }
            effects.append(.run(.setPinned(message, message.pinned == nil)))
        case .open: open(message, &effects)
        case .info: showInfo(of: message, &effects)
        case .markUnread: markUnread(from: message, &effects)
        case .resume(let draft): resume(draft, about: message)
        case .show:
            if let index = chatIndex(message.contact) {
                jump(to: message.key, at: message.position, at: index, &effects)
            }
        }
    }

    /// Whether messages may go to a chat; says so when not.
    private mutating func mayWrite(to contact: ContactID) -> Bool {
        guard let chat = chat(contact) else { return false }
        guard chat.peer.isBlocked else { return true }
        note("\(chat.name.text) is blocked; nothing changed (/unblock \(chat.name.text))", isError: true)
        return false
    }

    // MARK: Answering and changing

    private mutating func reply(to message: ChatMessage, _ text: String?, _ effects: inout [AppEffect]) {
        guard mayWrite(to: message.contact) else { return }
        guard !message.isRetracted else { return say("It was deleted; nothing to reply to") }
        if let text {
            guard check(text) else { return }
            effects.append(.run(.reply(text, to: message)))
            return
        }
        leaveEdit()
        compose(.reply(to: message))
    }

    private mutating func edit(_ message: ChatMessage, _ text: String?, _ effects: inout [AppEffect]) {
        guard mayWrite(to: message.contact) else { return }
        guard !message.isRetracted else { return say("It was deleted; nothing to edit") }
        guard message.direction == .outgoing, case .text(let present) = message.content else {
            return say("You can only edit your own texts")
        }
        if let text {
            guard check(text) else { return }
            effects.append(.run(.edit(message, text)))
            // It may be far from what is seen.
            let old = MessageSummary.quote(of: message).truncated(to: 30).text
            say("Editing your message of \(clock.dayAndTime(message.shownTime, now: moment.wall)): \(old)")
            return
        }
        leaveEdit()
        var answered: ChatMessage?
        if case .reply(let other)? = openChat?.composing { answered = other }
        // Up brings it back should this run end before the edit does.
        if !input.isEmpty { remember(Composing.typed(input, answering: answered), &effects) }
        compose(.edit(message, saved: input, answering: answered))
        input = InputLine(present)
    }

    /// The edit under way, if any, makes room for something else: what was typed before it is in the input again, and
    /// the changed text in the kill ring.
    mutating func leaveEdit() {
        guard let index = chatIndex(openID), case .edit(_, let saved, let answered)? = chats[index].composing else {
            return
        }
        if !input.isEmpty { killRing.add(input.text) }
        input = saved
        chats[index].composing = answered.map { .reply(to: $0) }
    }

    /// The input is about a message from now on.
    private mutating func compose(_ composing: Composing) {
        guard let index = chatIndex(openID) else { return }
        chats[index].composing = composing
        // Esc gives up what was begun, and leads nowhere else.
        returnPlace = nil
        stopBrowsing()
        overlay = nil
        vi.insert()
        history.leave()
        draftChanged()
    }

    /// A draft of before is what it was again: an answer or an edit, and not the command that stood for it.
    private mutating func resume(_ draft: String, about message: ChatMessage) {
        guard input.text == draft, message.contact == openID, let index = chatIndex(openID),
            chats[index].composing == nil, let parts = Composing.parts(ofDraft: draft)
        else { return }
        if parts.isEdit {
            guard message.fits(.ownText) else { return }
            chats[index].composing = .edit(message, saved: InputLine(), answering: nil)
        } else {
            chats[index].composing = .reply(to: message)
        }
        input = InputLine(parts.text)
        spellingChanged()
    }

    /// Esc: the input is for new messages again. What was typed as an answer stays, an edit is given up.
    mutating func stopComposing() {
        guard let index = chatIndex(openID), let composing = chats[index].composing else { return }
        if case .edit = composing { leaveEdit() } else { chats[index].composing = nil }
        draftChanged()
    }

    /// Enter while the input is about a message.
    mutating func finish(
        _ composing: Composing, with text: String, from source: LineSource, _ effects: inout [AppEffect]
    ) {
        guard check(text), let index = chatIndex(openID) else { return }
        // No message follows that would tell them.
        if case .edit = composing { stopTyping(&effects) }
        take(source, &effects)
        switch composing {
        case .reply(let message):
            chats[index].composing = nil
            answered(at: index)
            if !chats[index].window.isAtBottom { scroll(.newest, &effects) }
            effects.append(.run(.reply(text, to: message)))
        case .edit(let message, let saved, let answered):
            chats[index].composing = answered.map { .reply(to: $0) }
            input = saved
            guard message.content != .text(text) else { return say("Nothing changed") }
            effects.append(.run(.edit(message, text)))
        }
    }

    private mutating func react(to message: ChatMessage, _ emoji: String?, _ effects: inout [AppEffect]) {
        guard mayWrite(to: message.contact) else { return }
        guard !message.isRetracted else { return say("It was deleted; nothing to react to") }
        if emoji == nil {
            guard message.reactions.contains(where: { $0.direction == .outgoing }) else {
                return say("You have not reacted to that message (/react :+1: to react)")
            }
            say("Took back your reaction")
        }
        effects.append(.run(.react(message, emoji)))
    }

    // MARK: Deleting

    /// Own messages are taken back on both sides. Theirs can only be deleted here, and that is final: it asks once.
    /// `again`: what answers the question.
    private mutating func delete(
        _ messages: [ChatMessage], asking: Bool, again: String, _ effects: inout [AppEffect]
    ) {
        guard let contact = messages.first?.contact else { return }
        let own = messages.filter { $0.direction == .outgoing && !$0.isRetracted }
        // Of own ones that are deleted already nothing is left but their place: no reason to ask beside others.
        let others = messages.filter { $0.direction == .incoming || ($0.isRetracted && own.isEmpty) }
        guard own.isEmpty || mayWrite(to: contact) else { return }
        if asking || !others.isEmpty, !confirm(.delete(messages.map(\.key))) {
            let name = name(of: contact)
            let number = own.count + others.count
            let what = number == 1 ? "this message" : "\(number) messages"
            let place =
                others.isEmpty ? "here and for \(name)" : own.isEmpty ? "on this disk only" : "(theirs here only)"
            let count = number == 1 ? "" : " \(number)"
            let end =
                others.isEmpty
                ? "for \(SafeText(name, as: .name).truncated(to: 10).text) too"
                : own.isEmpty ? "here only" : "theirs here only"
            return say(
                question: "Delete \(what) \(place)? \(again) again to delete",
                short: "Delete\(count) \(end)? \(again): yes",
                "\(own.isEmpty ? "Delete" : "Retract")\(count)? \(again)" + (again.hasPrefix("/") ? "" : ": yes"))
        }
        for message in own { effects.append(.run(.retract(message, of: own.count))) }
        if !others.isEmpty { effects.append(.run(.deleteHere(others.map(\.key), contact))) }
        browse?.rangeStart = nil
    }

    mutating func deleteSelection(_ effects: inout [AppEffect]) {
        delete(selectedMessages, asking: true, again: key(.deleteMessage), &effects)
    }

    /// Whether something final was asked for a second time; else the question is open for as long as it is shown.
    mutating func confirm(_ subject: Confirmation.Subject) -> Bool {
        let isConfirmed = confirmation.map { $0.subject == subject && $0.isArmed(at: moment.uptime) } ?? false
        confirmation = isConfirmed ? nil : Confirmation(subject: subject, asked: moment.uptime)
        return isConfirmed
    }

    // MARK: Forwarding and copying

    mutating func forward(_ messages: [ChatMessage], to contact: ContactID, _ effects: inout [AppEffect]) {
        guard mayWrite(to: contact) else { return }
        var count = 0
        for message in messages where !message.isRetracted {
            switch message.content {
            case .text(let text): effects.append(.run(.send(text, to: contact)))
            case .file(let transfer):
                guard let path = transfer.path, transfer.direction == .outgoing || transfer.state == .complete else {
                    note(
                        "\(SafeText(transfer.name, as: .fileName).text) is not on this disk, so you cannot forward it")
                    continue
                }
                effects.append(.run(.sendFiles([path], caption: transfer.caption, to: contact)))
            }
            count += 1
        }
        browse?.rangeStart = nil
        if count > 0 { say("Forwarded to \(name(of: contact))" + (count > 1 ? ": \(count) messages" : "")) }
    }

    /// `y` and `Y`: what is shown goes to the clipboard of the terminal, never what a peer hid in a text.
    mutating func copySelection(withNames: Bool, _ effects: inout [AppEffect]) {
        let selected = selectedMessages
        guard !selected.isEmpty else { return }
        // Of several those that are there.
        let present = selected.filter { !$0.isRetracted }
        let messages = selected.count > 1 && !present.isEmpty ? present : selected
        let text = messages.map { message in
            guard withNames else { return copyText(of: message) }
            let name =
                message.direction == .outgoing ? SafeText(identity.name, as: .name).text : name(of: message.contact)
            return "\(clock.dayAndTime(message.shownTime, now: moment.wall)) \(name): \(copyText(of: message))"
        }.joined(separator: "\n")
        guard text.utf8.count <= TerminalSequences.maxClipboardBytes else {
            let limit = Units.size(UInt64(TerminalSequences.maxClipboardBytes))
            return say("Too much for the terminal's clipboard (at most \(limit))", isError: true)
        }
        effects.append(.terminal(.copy(text)))
        browse?.rangeStart = nil
        say(messages.count == 1 ? "Copied" : "Copied \(messages.count) messages")
    }

    private func copyText(of message: ChatMessage) -> String {
        if message.isRetracted { return "(deleted)" }
        switch message.content {
        case .text(let text): return SafeText(ActionText.starred(text), as: .multiline).text
        case .file(let transfer):
            let words = SafeText(transfer.caption, as: .multiline).text
            return [SafeText(transfer.name, as: .fileName).text, words].filter { !$0.isEmpty }.joined(separator: "\n")
        }
    }

    // MARK: Read and unread

    /// From the first message of theirs at this place on everything is unread, until the chat is opened again.
    private mutating func markUnread(from message: ChatMessage, _ effects: inout [AppEffect]) {
        guard let index = chatIndex(message.contact) else { return }
        let theirs = chats[index].window.items.lazy.compactMap(\.message)
            .filter { $0.direction == .incoming && $0.position >= message.position }
        let first = message.direction == .incoming ? message : theirs.first
        guard let first else { return say("\(chats[index].name.text) has written nothing after this") }
        let before = HistoryPosition(first.position.rawValue - 1)
        let count = max(1, theirs.count)
        chats[index].keepsUnread = true
        chats[index].conversation.readUpTo = before
        chats[index].conversation.unreadCount = count
        chats[index].mentionCount = theirs.count(where: mentionsMe)
        chats[index].window.unreadLine = ChatWindow.UnreadLine(after: before, count: count)
        effects.append(.run(.markUnread(message.contact, from: first.position)))
        say("Unread from here on, until you open the chat again or /read")
    }

    /// `/read` and `/read all`.
    mutating func markRead(_ contacts: [ContactID], _ effects: inout [AppEffect]) {
        for index in chats.indices where contacts.contains(chats[index].id) {
            chats[index].keepsUnread = false
            chats[index].window.unreadLine = nil
            let newest = chats[index].window.reachesNewest ? chats[index].window.lastMessagePosition : nil
            guard let last = chats[index].conversation.lastMessage?.position ?? newest else { continue }
            let position = newest.map { max($0, last) } ?? last
            guard chats[index].conversation.readUpTo.map({ $0 < position }) ?? true else { continue }
            chats[index].conversation.readUpTo = position
            chats[index].conversation.unreadCount = 0
            chats[index].mentionCount = 0
            chats[index].seenOnItsWay += 1
            effects.append(.run(.markSeen(chats[index].id, position)))
        }
        let isOne = contacts.count == 1 && chats.count > 1
        say(isOne ? "Marked \(name(of: contacts[0])) as read" : "Marked all chats as read")
    }

    // MARK: Going there

    /// Brings a message to the middle of the view, and the cursor of browse mode to it.
    mutating func jump(to id: MessageKey, at position: HistoryPosition, at index: Int, _ effects: inout [AppEffect]) {
        if chats[index].id != openID { open(chats[index].id, &effects) }
        chats[index].window.showCleared()
        if browse != nil { select(id, at: position) }
        if chats[index].window.index(of: .message(id)) != nil {
            chats[index].window.highlight = browse == nil ? id : nil
            show(message: id, at: index)
        } else {
            load(.around(position), replacing: true, showing: id, at: index, &effects)
        }
    }
}
