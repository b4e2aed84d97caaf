// The answers to the screen's own questions: conversations, pages, drafts, searches.

import ChatCore
import ChatWords

/// The answers of the service to questions of the screen.
enum Answers {
    static func receive(_ answer: Answer, _ state: inout AppState, _ effects: inout [AppEffect]) {
        switch answer {
        case .reply(let call, let reply): show(reply, to: call, &state)
        case .conversations(let list): receive(list, &state, &effects)
        case .links(let links):
            let overtaken = state.world.receive(links: links)
            if !overtaken.isEmpty { effects.append(.ask(.links(overtaken.sorted()))) }
        case .page(let request, let page):
            Pages.receive(page, for: request, &state, &effects)
            Mentions.ask(&state, &effects)
        case .search(let query, let generation, let result, let took):
            SearchPane.receive(result, for: query, generation: generation, took: took, &state, &effects)
        case .context(let generation, let messages):
            SearchPane.receive(context: messages, generation: generation, &state)
        case .found(let messages, let generation):
            BrowseSearch.receive(hits: messages, generation: generation, &state, &effects)
        case .message(let message, let reference, let contact, let action, let line):
            ReadingCommands.receive(message, reference, contact, action, line: line, &state, &effects)
        case .quotes(let messages, let asked, let contact):
            state.world.receive(quotes: messages, asked: asked, of: contact)
        case .versions(let versions, let message): ReaderPane.receive(versions: versions, of: message, &state)
        case .pins(let messages, let generation): ChoicePane.receive(pins: messages, generation: generation, &state)
        case .messageLinks(let messages, let number, let generation):
            ChoicePane.receive(links: messages, opening: number, generation: generation, &state, &effects)
        case .draft(let contact, let text): receive(draft: text, for: contact, &state, &effects)
        case .files(let listing, let generation): Completing.receive(listing, generation: generation, &state)
        case .transfers(let list): state.world.transfers.update(list)
        case .requests(let list): state.world.receive(requests: list)
        case .safetyNumber(let contact, let number): VerifyPane.receive(safetyNumber: number, of: contact, &state)
        case .newKeyNumber(let contact, let key, let number):
            VerifyPane.receive(newNumber: number, with: key, of: contact, &state)
        case .requestNumber(let request, let number): VerifyPane.receive(number: number, of: request, &state)
        case .backedUp(let path):
            state.note("The whole history is in \(state.surface.abbreviated(path))")
            state.say("/backup: the whole history is in \(state.surface.abbreviated(path))")
        case .qrCode(let address, let code): ProgramCommands.receive(code, of: address, &state)
        case .output(let command, let output): ProgramCommands.show(output, of: command, &state)
        case .mentions(let messages): state.world.receive(mentions: messages)
        case .spelling(let outcome): SpellChecking.receive(spelling: outcome, &state)
        case .limits(let limits): state.note(FileCommands.limitLines(limits))
        case .downloads(let folder, let freeBytes): state.world.receive(downloads: folder, freeBytes: freeBytes)
        case .identity(let news): state.world.receive(news)
        case .day(let contact, let day, let message, let generation):
            receive(dayOf: contact, day, message, generation: generation, &state, &effects)
        case .picture(let id, let image): Previews.receive(image, for: id, &state, &effects)
        case .failed(let question, let error): fail(question, error, &state)
        }
    }

    /// Shows the reply of a call to the user.
    private static func show(_ reply: any CallReply, to call: AnyCall, _ state: inout AppState) {
        switch (call, reply) {
        case (.ping(let contact), let time as Duration):
            state.note("\(state.world.name(of: contact)) answers in \(Units.milliseconds(time))")
        // Without a link there is no traffic.
        case (.traffic(let contact), _):
            state.note(PresenceCommands.linkLines(contact, reply as? LinkTraffic, state.world))
        // A person has no details.
        case (.room(let contact), let details as RoomDetails):
            state.note(RoomCommands.lines(details, of: contact, state))
        case (.routes(let contact), let routes as [RouteReport]):
            state.note(ReachCommands.lines(routes, of: contact, state))
        case (.reach, let report as ReachReport): state.note(ReachWords.lines(report))
        case (.testReach, let trials as [ReachTrial]): state.note(ReachWords.lines(trials))
        case (.nearby, let report as NearbyReport):
            let (clock, now) = (state.surface.clock, state.surface.moment.wall)
            state.note(ReachWords.lines(report) { clock.dayAndTime($0, now: now) })
        default: break
        }
    }

    private static func receive(_ list: [Conversation], _ state: inout AppState, _ effects: inout [AppEffect]) {
        let isFirst = !state.world.hasLoaded
        state.due.conversations.wasAnswered()
        let chosen = state.place.overlay?.pane.contactUnderCursor(in: state)
        defer {
            if let chosen, var pane = state.place.overlay?.pane {
                pane.keepCursor(on: chosen, in: state)
                state.place.put(pane.overlay)
            }
        }
        let open = state.openChat
        let news = state.world.receive(list, askedAt: state.due.conversations.lastStart)
        // One question for all of them: each costs a task.
        if !news.added.isEmpty { effects.append(.ask(.links(news.added))) }
        if let openID = state.place.openID, state.world.chatIndex(openID) == nil {
            // The contact was removed; its half-typed lines are not lost.
            if case .edit(_, let saved, _)? = open?.composing, !saved.isEmpty {
                state.composer.killRing.add(saved.text)
            }
            ChatSwitching.keepLine(&state)
            state.place.forget(openID)
            state.composer.clear()
        }
        if let previousID = state.place.previousID, state.world.chatIndex(previousID) == nil {
            state.place.forget(previousID)
        }
        if isFirst, state.place.openID == nil { openFirstChat(&state, &effects) }
        Mentions.ask(&state, &effects)
        if let chat = state.openChat, chat.safetyNumber == nil, news.withNewKey.contains(chat.id) {
            effects.append(.ask(.safetyNumber(chat.id)))
        }
    }

    /// At the start: the chat that the command line names, else one with unread messages, else the latest.
    private static func openFirstChat(_ state: inout AppState, _ effects: inout [AppEffect]) {
        let wanted = state.place.firstContact.flatMap { state.world.contact(named: $0) }
        if let name = state.place.firstContact, wanted == nil {
            state.say("No contact is called \(name) (/contacts lists them)")
        }
        let latest = state.world.chats.max {
            ($0.conversation.lastMessage?.position ?? HistoryPosition(.min), $1.id)
                < ($1.conversation.lastMessage?.position ?? HistoryPosition(.min), $0.id)
        }
        guard let id = wanted ?? state.world.chats.first(where: \.isUnread)?.id ?? latest?.id else { return }
        // Nobody has pressed a key for it: what is being typed meanwhile stays where it is.
        let typed = state.composer.input
        state.composer.clear()
        ChatSwitching.open(id, &state, &effects)
        if !typed.isEmpty { state.composer.write(typed) }
    }

    /// A stored draft never replaces what is being typed.
    private static func receive(
        draft text: String, for contact: ContactID, _ state: inout AppState, _ effects: inout [AppEffect]
    ) {
        if let index = state.world.chatIndex(contact) { state.world.chats[index].draftIsKnown() }
        guard !text.isEmpty else { return }
        if contact == state.place.openID {
            if state.composer.input.isEmpty {
                state.composer.write(InputLine(text))
                if let message = Composing.parts(ofDraft: text)?.message {
                    ReadingCommands.find(message, .resume(draft: text), &state, &effects)
                }
            } else if state.composer.input.text != text {
                state.composer.killRing.add(text)
                state.say("Your earlier draft is safe: \(state.surface.key(.yank)) brings it back")
            }
            SpellChecking.draftChanged(&state)
        } else {
            // One that was begun here meanwhile stays.
            _ = state.composer.add(InputLine(text), to: contact, isTyped: false)
        }
    }

    private static func receive(
        dayOf contact: ContactID, _ day: Timestamp, _ message: ChatMessage?, generation: Int,
        _ state: inout AppState, _ effects: inout [AppEffect]
    ) {
        guard generation == state.place.latestGoTo, contact == state.place.openID,
            let index = state.world.chatIndex(contact)
        else { return }
        guard let message else {
            state.say("No messages on or after \(state.surface.clock.day(day)) in this chat")
            return
        }
        Scrolling.jump(to: message.key, at: message.position, at: index, &state, &effects)
    }

    private static func fail(_ question: Question, _ error: ChatError, _ state: inout AppState) {
        switch question {
        case .conversations:
            state.due.conversations.wasAnswered()
            // Without them there is nothing to see, and line mode waits for them.
            if !state.world.hasLoaded {
                state.due.conversations.hasFailed(at: state.surface.moment.uptime, pause: Self.rereadingPause)
            }
        case .page(let request):
            if let index = state.world.chatIndex(request.contact),
                state.world.chats[index].window.paging.request == request
            {
                state.world.chats[index].window.paging.fail()
            }
        case .search(_, let generation):
            return SearchPane.fail(error, generation: generation, &state)
        case .files(_, _, _, let generation):
            state.composer.dropCompletion(of: generation)
        case .call(let call):
            let sentence = Sentences.sentence(for: error, doing: words(forFailed: call.plain, state))
            return state.note(sentence, isError: true)
        case .backUp(let path):
            let sentence = Sentences.sentence(for: error, doing: "Could not write \(state.surface.abbreviated(path))")
            state.note(sentence, isError: true)
            return state.say("/backup failed: \(sentence)", isError: true)
        case .command, .links, .find, .message, .quotes, .versions, .pins, .messageLinks, .context, .draft, .transfers,
            .requests, .safetyNumber, .requestNumber, .newKeyNumber, .limits, .mentions, .spelling, .qrCode,
            .downloads, .day,
            .picture:
            break
        }
        state.say(Sentences.sentence(for: error, doing: Self.words(for: question)), isError: true)
    }

    private static func words(forFailed call: AnyCall, _ state: AppState) -> String {
        switch call {
        case .ping(let contact): "Cannot ping \(state.world.name(of: contact))"
        case .room(let contact): "Cannot tell of \(state.world.name(of: contact))"
        case .routes(let contact): "Cannot tell the ways to \(state.world.name(of: contact))"
        case .traffic(let contact): "Cannot tell of the link to \(state.world.name(of: contact))"
        default: "Cannot tell"
        }
    }

    private static let rereadingPause = Duration.seconds(2)

    /// The words for a question that failed.
    static func words(for question: Question) -> String {
        switch question {
        case .qrCode: "The QR code"
        case .downloads: "Looking at the download folder"
        case .files: "Reading the folder"
        case .spelling: "Checking the spelling"
        case .links: "Asking about the link"
        case .limits: "Asking about the limits"
        case .command: "The command"
        case .picture: "Reading the picture"
        default: "Reading the history"
        }
    }
}
