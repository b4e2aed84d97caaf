// The answers to the screen's own questions: conversations, pages, drafts, searches.

import ChatCore
import ChatWords

extension AppState {
    mutating func receive(_ answer: Answer, _ effects: inout [AppEffect]) {
        switch answer {
        case .conversations(let list): receive(list, &effects)
        case .links(let links):
            // What came as news while the answer was on its way counts, and is asked about once more.
            let overtaken = linkNews.intersection(links.keys)
            for index in chats.indices where !overtaken.contains(chats[index].id) {
                chats[index].link = links[chats[index].id] ?? chats[index].link
            }
            linkNews.subtract(overtaken)
            if !overtaken.isEmpty { effects.append(.ask(.links(overtaken.sorted()))) }
        case .page(let request, let page):
            receive(page, for: request, &effects)
            askForMentions(&effects)
        case .search(let query, let generation, let result, let took):
            receive(result, for: query, generation: generation, took: took, &effects)
        case .context(let generation, let messages):
            if case .search(var pane) = overlay, pane.contextGeneration == generation {
                pane.context = messages
                overlay = .search(pane)
            }
        case .found(let messages, let generation): receive(hits: messages, generation: generation, &effects)
        case .message(let message, let reference, let contact, let action, let line):
            receive(message, reference, contact, action, line: line, &effects)
        case .quotes(let messages, let asked, let contact): receive(quotes: messages, asked: asked, of: contact)
        case .versions(let versions, let message): receive(versions: versions, of: message)
        case .pins(let messages, let generation): receive(pins: messages, generation: generation)
        case .messageLinks(let messages, let number, let generation):
            receive(links: messages, opening: number, generation: generation, &effects)
        case .draft(let contact, let text): receive(draft: text, for: contact, &effects)
        case .files(let listing, let generation): receive(listing, generation: generation)
        case .transfers(let list): transfers.update(list)
        case .requests(let list): requests = list
        case .safetyNumber(let contact, let number):
            if let index = chatIndex(contact) { chats[index].safetyNumber = number }
            if case .verify(var pane) = overlay, pane.subject == .contact(contact), pane.number == nil {
                pane.number = number
                overlay = .verify(pane)
            }
        case .newKeyNumber(let contact, let key, let number):
            if case .verify(var pane) = overlay, pane.subject == .contact(contact), pane.newKey == key {
                pane.newNumber = number
                overlay = .verify(pane)
            }
        case .requestNumber(let request, let number): receive(number: number, of: request)
        case .roundTrip(let contact, let time): note("\(name(of: contact)) answers in \(Units.milliseconds(time))")
        case .backedUp(let path):
            note("The whole history is in \(abbreviated(path))")
            say("/backup: the whole history is in \(abbreviated(path))")
        case .qrCode(let address, let code): receive(code, of: address)
        case .output(let command, let output): show(output, of: command)
        case .mentions(let messages): receive(mentions: messages)
        case .spelling(let outcome): receive(spelling: outcome)
        case .traffic(let contact, let traffic): note(linkLines(contact, traffic))
        case .limits(let limits): note(limitLines(limits))
        case .downloads(let folder, let freeBytes): downloads = (folder, freeBytes)
        case .identity(let news): identity = news
        case .day(let contact, let day, let message, let generation):
            receive(dayOf: contact, day, message, generation: generation, &effects)
        case .picture(let id, let image): receive(image, for: id, &effects)
        case .failed(let question, let error): fail(question, error)
        }
    }

    private mutating func receive(_ list: [Conversation], _ effects: inout [AppEffect]) {
        let isFirst = !hasLoaded
        hasLoaded = true
        conversations.isRunning = false
        let chosen = chosenContact
        defer { if let chosen { choose(contact: chosen) } }
        var old: [ContactID: Chat] = [:]
        for chat in chats { old[chat.id] = chat }
        // One question for all of them: each costs a task.
        let new = list.map(\.peer.id).filter { old[$0] == nil }
        if !new.isEmpty { effects.append(.ask(.links(new))) }
        chats = list.map { conversation in
            guard var chat = old[conversation.peer.id] else {
                return Chat(conversation: conversation)
            }
            let seen = chat.conversation.readUpTo
            if chat.peer.peerID != conversation.peer.peerID { chat.safetyNumber = nil }
            chat.conversation = conversation
            if conversation.unreadCount == 0 { chat.mentionCount = 0 }
            if let seen, conversation.readUpTo.map({ $0 < seen }) ?? true {
                if chat.mayOvertakeSeen(askedAt: conversations.lastStart) {
                    // What was seen while the answer was on its way stays seen.
                    chat.conversation.readUpTo = seen
                    chat.conversation.unreadCount = 0
                    chat.mentionCount = 0
                } else {
                    // Marked as unread at another screen: to have it in view here does not take that back.
                    chat.keepsUnread = true
                }
            }
            return chat
        }
        if old.count + new.count > chats.count { transfers.keep(of: Set(chats.map(\.id))) }
        if list.count != old.count || list.contains(where: { old[$0.peer.id]?.peer.name != $0.peer.name }) {
            findTwins()
        }
        if let openID, chatIndex(openID) == nil {
            // The contact was removed; its half-typed lines are not lost.
            if case .edit(_, let saved, _)? = old[openID]?.composing, !saved.isEmpty { killRing.add(saved.text) }
            keepLine()
            self.openID = nil
            input = InputLine()
        }
        if let previousID, chatIndex(previousID) == nil { self.previousID = nil }
        if isFirst, openID == nil { openFirstChat(&effects) }
        if isFirst { lacksMentions = true }
        askForMentions(&effects)
        if let index = chatIndex(openID), chats[index].safetyNumber == nil, chats[index].peer.peerID != nil,
            chats[index].peer.peerID != old[chats[index].id]?.peer.peerID
        {
            effects.append(.ask(.safetyNumber(chats[index].id)))
        }
    }

    /// Marks the names that are like one that was there before.
    mutating func findTwins() {
        let twins = NameLikeness.twins(among: chats.map(\.peer))
        for index in chats.indices { chats[index].twin = twins[chats[index].id] }
    }

    /// At the start: the chat that was asked for, else one with unread messages, else the latest.
    private mutating func openFirstChat(_ effects: inout [AppEffect]) {
        let wanted = firstContact.flatMap { contact(named: $0) }
        if let name = firstContact, wanted == nil { say("No contact is called \(name) (/contacts lists them)") }
        let latest = chats.max {
            ($0.conversation.lastMessage?.position ?? HistoryPosition(.min), $1.id)
                < ($1.conversation.lastMessage?.position ?? HistoryPosition(.min), $0.id)
        }
        guard let id = wanted ?? chats.first(where: \.isUnread)?.id ?? latest?.id else { return }
        // Nobody has pressed a key for it: what is being typed meanwhile stays where it is.
        let typed = input
        input = InputLine()
        open(id, &effects)
        if !typed.isEmpty { input = typed }
    }

    /// A stored draft never replaces what is being typed.
    private mutating func receive(draft text: String, for contact: ContactID, _ effects: inout [AppEffect]) {
        if let index = chatIndex(contact) { chats[index].storedDraft = .known }
        guard !text.isEmpty else { return }
        if contact == openID {
            if input.isEmpty {
                input = InputLine(text)
                if let message = Composing.parts(ofDraft: text)?.message {
                    find(message, .resume(draft: text), &effects)
                }
            } else if input.text != text {
                killRing.add(text)
                say("Your earlier draft is safe: \(key(.yank)) brings it back")
            }
            spellingChanged()
        } else if drafts[contact] == nil {
            drafts[contact] = InputLine(text)
        }
    }

    private mutating func receive(
        dayOf contact: ContactID, _ day: Timestamp, _ message: ChatMessage?, generation: Int,
        _ effects: inout [AppEffect]
    ) {
        guard generation == counterOfGoTo, contact == openID, let index = chatIndex(contact) else { return }
        guard let message else {
            say("No messages on or after \(clock.day(day)) in this chat")
            return
        }
        jump(to: message.key, at: message.position, at: index, &effects)
    }

    private mutating func fail(_ question: Question, _ error: ChatError) {
        switch question {
        case .conversations:
            conversations.isRunning = false
            // Without them there is nothing to see, and line mode waits for them.
            if !hasLoaded {
                conversations.isDirty = true
                conversations.lastStart = moment.uptime + Self.rereadingPause
            }
        case .page(let request):
            if let index = chatIndex(request.contact), chats[index].window.loading == request {
                chats[index].window.loading = nil
                chats[index].window.loadFailed = true
                chats[index].window.owedRows = 0
            }
        case .search(_, let generation):
            if case .search(var pane) = overlay, pane.generation == generation {
                pane.problem = Sentences.reason(of: error)
                overlay = .search(pane)
            }
            return
        case .files(_, _, _, let generation):
            if completion?.generation == generation { completion = nil }
        case .ping(let contact):
            note(Sentences.sentence(for: error, doing: "Cannot ping \(name(of: contact))"), isError: true)
            return
        case .backUp(let path):
            let sentence = Sentences.sentence(for: error, doing: "Could not write \(abbreviated(path))")
            note(sentence, isError: true)
            return say("/backup failed: \(sentence)", isError: true)
        case .command, .links, .find, .message, .quotes, .versions, .pins, .messageLinks, .context, .draft, .transfers,
            .requests, .safetyNumber, .requestNumber, .newKeyNumber, .traffic, .limits, .mentions, .spelling, .qrCode,
            .downloads, .day,
            .picture:
            break
        }
        say(Sentences.sentence(for: error, doing: Self.words(for: question)), isError: true)
    }

    private static let rereadingPause = Duration.seconds(2)

    /// What could not be done.
    private static func words(for question: Question) -> String {
        switch question {
        case .qrCode: "The QR code"
        case .downloads: "Looking at the download folder"
        case .files: "Reading the folder"
        case .spelling: "Checking the spelling"
        case .links, .traffic: "Asking about the link"
        case .limits: "Asking about the limits"
        case .command: "The command"
        case .picture: "Reading the picture"
        default: "Reading the history"
        }
    }
}
