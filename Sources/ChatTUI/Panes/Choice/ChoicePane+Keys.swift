// The lists of reactions, chats, pinned messages and links: what is in them, and what Enter does.

import ChatCore
import ChatWords

extension ChoicePane {
    var overlay: Overlay { .choice(self) }
    var ignoresSlash: Bool { true }

    var chooseWords: String? {
        switch kind {
        case .reaction: "react"
        case .forward: "forward"
        case .pins: "show"
        case .links: "open"
        }
    }

    func count(in state: AppState) -> Int { choices(in: state).count }

    /// The choices that the filter leaves; in the order of the list, with a filter the best first.
    func choices(in state: AppState) -> [Choice] {
        switch kind {
        case .reaction, .forward: FuzzyMatch.ranked(allChoices(in: state), list.filter.text, \.words)
        // In texts and addresses each typed word must be found whole, not only its letters.
        case .pins, .links: ListFilter(list.filter.text).narrowed(allChoices(in: state), \.words)
        }
    }

    private func allChoices(in state: AppState) -> [Choice] {
        switch kind {
        case .reaction(let message): return reactionChoices(for: message, in: state)
        case .forward:
            let width = ChoiceScreen.nameWidth(of: state.world.chats.prefix(100), in: ScreenLayout(state))
            return state.world.chats.map { contactChoice($0, nameWidth: width) }
        case .pins(let messages): return (messages ?? []).map { messageChoice($0, in: state) }
        case .links(let items): return (items ?? []).map(linkChoice)
        }
    }

    func contactUnderCursor(in state: AppState) -> ContactID? {
        guard case .forward = kind else { return nil }
        let choices = choices(in: state)
        guard choices.indices.contains(list.selected), case .contact(let id) = choices[list.selected].target else {
            return nil
        }
        return id
    }

    mutating func keepCursor(on contact: ContactID, in state: AppState) {
        list.selected =
            choices(in: state).firstIndex { if case .contact(contact) = $0.target { true } else { false } } ?? -1
    }

    // MARK: Entries

    private func reactionChoices(for message: ChatMessage, in state: AppState) -> [Choice] {
        let typed = list.filter.text
        var choices: [Choice] = []
        if let own = message.reactions.first(where: { $0.direction == .outgoing }) {
            let line = StyledLine(SafeText("\(state.surface.shown(emoji: own.emoji)) take it back", as: .line))
            choices.append(Choice(line: line, words: "take back", target: .emoji(nil)))
        }
        // An emoji that was typed or pasted counts like a name.
        if let emoji = EmojiNames.emoji(for: typed), emoji == typed {
            choices.append(Choice(line: StyledLine(SafeText(emoji, as: .line)), words: typed, target: .emoji(emoji)))
        }
        return choices
            + EmojiNames.table.map { name, emoji in
                // In ASCII there is nothing to be seen but the name.
                var line = StyledLine(
                    state.surface.terminal.unicode ? SafeText(emoji, as: .line).padded(to: 3) : .empty)
                line.add(":\(name):")
                return Choice(line: line, words: name, target: .emoji(emoji))
            }
    }

    private func contactChoice(_ chat: Chat, nameWidth: Int) -> Choice {
        var line = StyledLine(chat.name.padded(to: nameWidth))
        line.add(" ")
        line.add(chat.linkWords)
        return Choice(line: line, words: chat.peer.name, target: .contact(chat.id))
    }

    private func messageChoice(_ message: ChatMessage, in state: AppState) -> Choice {
        var line = StyledLine(
            state.surface.clock.dayAndTime(message.shownTime, now: state.surface.moment.wall) + "  ", Theme.time)
        line.add(state.world.words(of: message).author)
        line.add("  ")
        let text = MessageWords.summary(of: message)
        return Choice(line: line, said: text, words: text.text, target: .message(message))
    }

    private func linkChoice(_ item: LinkItem) -> Choice {
        let link = item.link
        var line = StyledLine(SafeText("\(item.number)", as: .line).padded(to: 3, alignment: .right), Theme.quiet)
        line.add(" ")
        line.add(SafeText(link.host.isEmpty ? link.path : link.shownHost, as: .line), Theme.link)
        if !link.host.isEmpty { line.add(SafeText(link.path, as: .line), Theme.quiet) }
        if link.scheme != "https" { line.add(" (\(link.scheme))", Theme.warning) }
        if !link.user.isEmpty { line.add(SafeText(" (as \(link.user))", as: .line), Theme.warning) }
        return Choice(line: line, words: "\(link.shownHost)\(link.path) \(link.text)", target: .link(link))
    }

    // MARK: Enter

    mutating func choose(_ state: inout AppState, _ effects: inout [AppEffect]) -> PaneStep {
        let choices = choices(in: state)
        guard choices.indices.contains(list.selected) else {
            return choices.isEmpty && StrayLines.returnsLine(in: list.filter.text, &state, &effects) ? .left : .stays
        }
        switch choices[list.selected].target {
        case .emoji(let emoji):
            state.place.closePane()
            if case .reaction(let message) = kind {
                MessageActions.perform(.react(emoji), on: message, &state, &effects)
            }
        case .contact(let contact):
            guard case .forward(let messages) = kind else { return .stays }
            // As they are now: what was deleted or changed since they were chosen is not sent on as it was.
            let present = messages.map { state.world.chat($0.contact)?.window.message(.id($0.id)) ?? $0 }
            guard present.contains(where: { !$0.isRetracted }) else {
                state.say("\(present.count == 1 ? "It was" : "They were") deleted; nothing to forward")
                return .closes
            }
            guard MessageActions.confirmsForwarding(present, to: contact, &state) else { return .stays }
            state.place.closePane()
            MessageActions.forward(present, to: contact, &state, &effects)
        case .message(let message):
            let place = state.openChat.map { ReturnPlace($0, search: nil) }
            state.place.closePane()
            MessageActions.perform(.show, on: message, &state, &effects)
            state.place.keep(wayBack: place)
        case .link(let link):
            Opening.open(link, &state, &effects)
            // A question stays on the screen with the list.
            return state.place.confirmation?.subject == .open(link.text) ? .stays : .closes
        }
        return .left
    }
}

extension ChoicePane {
    /// It looks at so many messages with links.
    private static let linkLimit = 500

    static func showReactions(for message: ChatMessage, _ state: inout AppState) {
        guard !message.isRetracted else { return state.say("It was deleted; nothing to react to") }
        state.show(.choice(ChoicePane(.reaction(to: message))))
    }

    static func showPins(_ words: String, _ state: inout AppState, _ effects: inout [AppEffect]) {
        guard let openID = state.place.openID else { return }
        let generation = state.place.nextNumber()
        state.show(.choice(ChoicePane(.pins(nil), filter: words, generation: generation)))
        effects.append(.ask(.pins(openID, generation: generation)))
    }

    static func receive(pins: [ChatMessage], generation: Int, _ state: inout AppState) {
        guard case .choice(var pane) = state.place.overlay, pane.generation == generation else { return }
        guard !pins.isEmpty else {
            state.place.closePane()
            return state.say("Nothing is pinned in this chat (/pin pins the last message)")
        }
        pane.kind = .pins(pins)
        state.place.put(.choice(pane))
    }

    /// Alt-u and /links: those that `words` leave.
    static func showLinks(_ words: String, _ state: inout AppState, _ effects: inout [AppEffect]) {
        if case .choice(let pane) = state.place.overlay, case .links = pane.kind { return state.place.closePane() }
        guard state.place.openID != nil else {
            return state.say("No chat is open: /query WHO opens one", isError: true)
        }
        let generation = askLinks(opening: nil, &state.place, &effects)
        state.show(.choice(ChoicePane(.links(nil), filter: words, generation: generation)))
    }

    /// Asks for the links of the open chat, to list them or to open the one with a number.
    @discardableResult static func askLinks(opening number: Int?, _ place: inout Place, _ effects: inout [AppEffect])
        -> Int
    {
        let generation = place.nextNumber()
        guard let openID = place.openID else { return generation }
        let query = SearchQuery(text: "", contact: openID, linksOnly: true, limit: Self.linkLimit)
        effects.append(.ask(.messageLinks(query, opening: number, generation: generation)))
        return generation
    }

    static func receive(
        links messages: [ChatMessage], opening number: Int?, generation: Int, _ state: inout AppState,
        _ effects: inout [AppEffect]
    ) {
        let items = LinkItem.all(in: messages)
        if let number {
            guard items.indices.contains(number - 1) else {
                return state.note("There is no link \(number) in this chat (/links lists them)", isError: true)
            }
            return Opening.open(items[number - 1].link, &state, &effects)
        }
        guard case .choice(var pane) = state.place.overlay, pane.generation == generation else { return }
        guard !items.isEmpty else {
            state.place.closePane()
            return state.say("There are no links in this chat")
        }
        pane.kind = .links(items)
        state.place.put(.choice(pane))
        if let openID = state.place.openID {
            state.place.note(
                listed: ListedLinks(contact: openID, items: items, time: state.surface.moment.uptime))
        }
    }

    /// The link that had a number when they were listed: a new one since then does not shift what is meant.
    static func listedLink(_ number: Int, _ state: AppState) -> Link? {
        guard let listedLinks = state.place.listedLinks, listedLinks.contact == state.place.openID,
            state.surface.moment.uptime - listedLinks.time < ListedLinks.validity,
            listedLinks.items.indices.contains(number - 1)
        else { return nil }
        return listedLinks.items[number - 1].link
    }
}
