// The actions on one message, whoever asked for them: browse mode, a slash command, a list.

import ChatCore
import ChatWords

/// Carries out the actions on one message, whoever asked for them.
enum MessageActions {
    static func perform(
        _ action: MessageAction, on message: ChatMessage, _ state: inout AppState, _ effects: inout [AppEffect]
    ) {
        switch action {
        case .reply(let text): reply(to: message, text, &state, &effects)
        case .edit(let text): edit(message, text, &state, &effects)
        case .delete:
            let messages = state.world.chat(message.contact)?.window.withFolded([message]) ?? [message]
            delete(messages, asking: messages.count > 1, again: "/delete", &state, &effects)
        case .react(let emoji): react(to: message, emoji, &state, &effects)
        case .forward(let contact): forward([message], to: contact, &state, &effects)
        case .retry: effects.append(.run(.call(.retry(message.id))))
        case .pin:
            guard !message.isRetracted else { return state.say("It was deleted; nothing to pin") }
            effects.append(.run(.call(.setPinned(message, message.pinned == nil))))
        case .open: Opening.open(message, &state, &effects)
        case .info: ReaderPane.showInfo(of: message, &state, &effects)
        case .markUnread: markUnread(from: message, &state, &effects)
        case .resume(let draft): Answering.resume(draft, about: message, &state)
        case .show:
            if let index = state.world.chatIndex(message.contact) {
                Scrolling.jump(to: message.key, at: message.position, at: index, &state, &effects)
            }
        }
    }

    /// Whether messages may go to a chat; says so when not.
    private static func mayWrite(to contact: ContactID, _ state: inout AppState) -> Bool {
        guard let chat = state.world.chat(contact) else { return false }
        guard chat.peer.isBlocked else { return true }
        state.note("\(chat.name.text) is blocked; nothing changed (/unblock \(chat.name.text))", isError: true)
        return false
    }

    // MARK: Answering and changing

    private static func reply(
        to message: ChatMessage, _ text: String?, _ state: inout AppState, _ effects: inout [AppEffect]
    ) {
        guard mayWrite(to: message.contact, &state) else { return }
        guard !message.isRetracted else { return state.say("It was deleted; nothing to reply to") }
        if let text {
            guard Entering.check(text, &state) else { return }
            effects.append(.run(.call(.send(text, to: message.contact, replyTo: message.id))))
            return
        }
        Answering.leaveEdit(&state)
        Answering.begin(.reply(to: message), &state)
    }

    private static func edit(
        _ message: ChatMessage, _ text: String?, _ state: inout AppState, _ effects: inout [AppEffect]
    ) {
        guard mayWrite(to: message.contact, &state) else { return }
        guard !message.isRetracted else { return state.say("It was deleted; nothing to edit") }
        guard message.direction == .outgoing, case .text(let present) = message.content else {
            return state.say("You can only edit your own texts")
        }
        if let text {
            guard Entering.check(text, &state) else { return }
            effects.append(.run(.call(.edit(message, to: text))))
            // It may be far from what is seen.
            let old = MessageWords.quote(of: message).truncated(to: 30).text
            state.say(
                "Editing your message of \(state.surface.clock.dayAndTime(message.shownTime, now: state.surface.moment.wall)): \(old)"
            )
            return
        }
        Answering.leaveEdit(&state)
        var answered: ChatMessage?
        if case .reply(let other)? = state.openChat?.composing { answered = other }
        // Up brings it back should this run end before the edit does.
        if !state.composer.input.isEmpty {
            Editing.remember(Composing.typed(state.composer.input, answering: answered), &state, &effects)
        }
        Answering.begin(.edit(message, saved: state.composer.input, answering: answered), &state)
        state.composer.write(InputLine(present))
    }

    private static func react(
        to message: ChatMessage, _ emoji: String?, _ state: inout AppState, _ effects: inout [AppEffect]
    ) {
        guard mayWrite(to: message.contact, &state) else { return }
        guard !message.isRetracted else { return state.say("It was deleted; nothing to react to") }
        if emoji == nil {
            guard message.reactions.contains(where: { $0.direction == .outgoing }) else {
                return state.say("You have not reacted to that message (/react :+1: to react)")
            }
            state.say("Took back your reaction")
        }
        effects.append(.run(.call(.react(to: message, with: emoji))))
    }

    // MARK: Deleting

    /// Own messages are taken back on both sides. Theirs can only be deleted here, and that is final: it asks once.
    /// `again`: the input that answers the question.
    private static func delete(
        _ messages: [ChatMessage], asking: Bool, again: String, _ state: inout AppState, _ effects: inout [AppEffect]
    ) {
        guard let contact = messages.first?.contact else { return }
        let own = messages.filter { $0.direction == .outgoing && !$0.isRetracted }
        // Own messages that are already deleted leave nothing but their place: no reason to ask when there are others.
        let others = messages.filter { $0.direction == .incoming || ($0.isRetracted && own.isEmpty) }
        guard own.isEmpty || mayWrite(to: contact, &state) else { return }
        if asking || !others.isEmpty,
            !state.place.confirm(.delete(messages.map(\.key)), at: state.surface.moment.uptime)
        {
            let name = state.world.name(of: contact)
            let number = own.count + others.count
            let what = number == 1 ? "this message" : "\(number) messages"
            let place =
                others.isEmpty ? "here and for \(name)" : own.isEmpty ? "on this disk only" : "(theirs here only)"
            let count = number == 1 ? "" : " \(number)"
            let end =
                others.isEmpty
                ? "for \(SafeText(name, as: .name).truncated(to: 10).text) too"
                : own.isEmpty ? "here only" : "theirs here only"
            return state.say(
                question: "Delete \(what) \(place)? \(again) again to delete",
                short: "Delete\(count) \(end)? \(again): yes",
                "\(own.isEmpty ? "Delete" : "Retract")\(count)? \(again)" + (again.hasPrefix("/") ? "" : ": yes"))
        }
        for message in own { effects.append(.run(.retract(message, of: own.count))) }
        if !others.isEmpty { effects.append(.run(.call(.deleteMessages(others.map(\.key), of: contact)))) }
        state.place.browse?.dropRange()
    }

    static func deleteSelection(_ state: inout AppState, _ effects: inout [AppEffect]) {
        delete(
            Browsing.selectedMessages(state), asking: true, again: state.surface.key(.deleteMessage), &state, &effects)
    }

    // MARK: Forwarding and copying

    static func forward(
        _ messages: [ChatMessage], to contact: ContactID, _ state: inout AppState, _ effects: inout [AppEffect]
    ) {
        guard mayWrite(to: contact, &state) else { return }
        var count = 0
        for message in messages where !message.isRetracted {
            switch message.content {
            case .text(let text): effects.append(.run(.call(.send(text, to: contact))))
            case .file(let transfer):
                guard let path = transfer.path, transfer.direction == .outgoing || transfer.state == .complete else {
                    state.note(
                        "\(SafeText(transfer.name, as: .fileName).text) is not on this disk, so you cannot forward it")
                    continue
                }
                effects.append(.run(.sendFiles([path], caption: transfer.caption, to: contact)))
            }
            count += 1
        }
        state.place.browse?.dropRange()
        if count > 0 {
            state.say("Forwarded to \(state.world.name(of: contact))" + (count > 1 ? ": \(count) messages" : ""))
        }
    }

    /// `y` and `Y`: what is shown goes to the clipboard of the terminal, never what a peer hid in a text.
    static func copySelection(withNames: Bool, _ state: inout AppState, _ effects: inout [AppEffect]) {
        let selected = Browsing.selectedMessages(state)
        guard !selected.isEmpty else { return }
        // Of several messages, those that are not deleted.
        let present = selected.filter { !$0.isRetracted }
        let messages = selected.count > 1 && !present.isEmpty ? present : selected
        let text = messages.map { message in
            guard withNames else { return MessageWords.copied(message) }
            let name =
                message.direction == .outgoing
                ? SafeText(state.world.identity.name, as: .name).text : state.world.name(of: message.contact)
            return
                "\(state.surface.clock.dayAndTime(message.shownTime, now: state.surface.moment.wall)) \(name): \(MessageWords.copied(message))"
        }.joined(separator: "\n")
        guard text.utf8.count <= TerminalSequences.maxClipboardBytes else {
            let limit = Units.size(UInt64(TerminalSequences.maxClipboardBytes))
            return state.say("Too much for the terminal's clipboard (at most \(limit))", isError: true)
        }
        effects.append(.terminal(.copy(text)))
        state.place.browse?.dropRange()
        state.say(messages.count == 1 ? "Copied" : "Copied \(messages.count) messages")
    }

    // MARK: Read and unread

    /// From the first message of theirs at this place on everything is unread, until the chat is opened again.
    private static func markUnread(from message: ChatMessage, _ state: inout AppState, _ effects: inout [AppEffect]) {
        guard let index = state.world.chatIndex(message.contact) else { return }
        let theirs = state.world.chats[index].window.items.lazy.compactMap(\.message)
            .filter { $0.direction == .incoming && $0.position >= message.position }
        let first = message.direction == .incoming ? message : theirs.first
        guard let first else {
            return state.say("\(state.world.chats[index].name.text) has written nothing after this")
        }
        let before = HistoryPosition(first.position.rawValue - 1)
        let count = max(1, theirs.count)
        let mentions = theirs.count(where: state.world.mentionsMe)
        state.world.chats[index].markUnread(after: before, count: count, mentions: mentions)
        effects.append(.run(.call(.markUnread(message.contact, from: first.position))))
        state.say("Unread from here on, until you open the chat again or /read")
    }

    /// `/read` and `/read all`.
    static func markRead(_ contacts: [ContactID], _ state: inout AppState, _ effects: inout [AppEffect]) {
        for index in state.world.chats.indices where contacts.contains(state.world.chats[index].id) {
            state.world.chats[index].endKeepingUnread()
            state.world.chats[index].window.dropUnreadLine()
            let newest =
                state.world.chats[index].window.reachesNewest
                ? state.world.chats[index].window.lastMessagePosition : nil
            guard let last = state.world.chats[index].conversation.lastMessage?.position ?? newest else { continue }
            let position = newest.map { max($0, last) } ?? last
            guard state.world.chats[index].conversation.readUpTo.map({ $0 < position }) ?? true else { continue }
            state.world.chats[index].sendRead(upTo: position)
            effects.append(.run(.call(.markSeen(state.world.chats[index].id, upTo: position))))
        }
        let isOne = contacts.count == 1 && state.world.chats.count > 1
        state.say(isOne ? "Marked \(state.world.name(of: contacts[0])) as read" : "Marked all chats as read")
    }

    /// A message for somebody else must not go out by mistake: Enter asks once. A message that cannot go is refused
    /// without a question.
    static func confirmsForwarding(_ messages: [ChatMessage], to contact: ContactID, _ state: inout AppState) -> Bool {
        guard state.world.chat(contact)?.peer.isBlocked == false else { return true }
        if state.place.confirm(.forward(messages.map(\.key), to: contact), at: state.surface.moment.uptime) {
            return true
        }
        let what = messages.count == 1 ? "this message" : "\(messages.count) messages"
        let name = SafeText(state.world.name(of: contact), as: .name).truncated(to: 20).text
        state.say(
            question: "Forward \(what) to \(name)? Enter again sends it, Esc cancels",
            short: "Forward to \(name)? Enter: yes", "Forward? Enter: yes")
        return false
    }
}
