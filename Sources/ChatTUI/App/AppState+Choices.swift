// The lists of reactions, chats, pinned messages and links: what is in them, and what Enter does.

import ChatCore
import ChatWords

extension AppState {
    /// So many messages with links are looked at.
    private static let linkLimit = 500

    mutating func performInChoice(_ command: AppCommand, _ pane: inout ChoicePane, _ effects: inout [AppEffect]) {
        let count = choices(of: pane).count
        switch command {
        case .up: pane.list.move(by: -1, count: count)
        case .down: pane.list.move(by: 1, count: count)
        case .pageUp: pane.list.move(by: -10, count: count)
        case .pageDown: pane.list.move(by: 10, count: count)
        case .nextGroup: pane.list.selected = count == 0 ? 0 : (pane.list.selected + 1) % count
        case .choose: return choose(from: pane, &effects)
        case .clear: pane.list = ListPane()
        default:
            if pane.list.filter.perform(command, yanking: killRing.newest, reordering: settings.reorders) == .ignored {
                return
            }
            pane.list.selected = 0
        }
        overlay = .choice(pane)
    }

    /// What the filter leaves; in the order of the list, with a filter the best first.
    func choices(of pane: ChoicePane) -> [Choice] {
        switch pane.kind {
        case .reaction, .forward: FuzzyMatch.ranked(allChoices(of: pane), pane.list.filter.text, \.words)
        // Of texts and addresses the letters are wanted as they stand there.
        case .pins, .links: ListFilter(pane.list.filter.text).narrowed(allChoices(of: pane), \.words)
        }
    }

    private func allChoices(of pane: ChoicePane) -> [Choice] {
        switch pane.kind {
        case .reaction(let message): return reactionChoices(for: message, typed: pane.list.filter.text)
        case .forward:
            let width = ChoiceScreen.nameWidth(of: chats.prefix(100), in: ScreenLayout(self))
            return chats.map { contactChoice($0, nameWidth: width) }
        case .pins(let messages): return (messages ?? []).map(messageChoice)
        case .links(let items): return (items ?? []).map(linkChoice)
        }
    }

    // MARK: What is in them

    mutating func showReactions(for message: ChatMessage) {
        guard !message.isRetracted else { return say("It was deleted; nothing to react to") }
        show(.choice(ChoicePane(.reaction(to: message))))
    }

    private func reactionChoices(for message: ChatMessage, typed: String) -> [Choice] {
        var choices: [Choice] = []
        if let own = message.reactions.first(where: { $0.direction == .outgoing }) {
            let line = StyledLine(SafeText("\(shown(emoji: own.emoji)) take it back", as: .line))
            choices.append(Choice(line: line, words: "take back", target: .emoji(nil)))
        }
        // An emoji that was typed or pasted is as good as a name.
        if let emoji = EmojiNames.emoji(for: typed), emoji == typed {
            choices.append(Choice(line: StyledLine(SafeText(emoji, as: .line)), words: typed, target: .emoji(emoji)))
        }
        return choices
            + EmojiNames.table.map { name, emoji in
                // In ASCII there is nothing to be seen but the name.
                var line = StyledLine(terminal.unicode ? SafeText(emoji, as: .line).padded(to: 3) : .empty)
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

    private func messageChoice(_ message: ChatMessage) -> Choice {
        var line = StyledLine(clock.dayAndTime(message.shownTime, now: moment.wall) + "  ", Theme.time)
        line.add(message.direction == .outgoing ? "me" : name(of: message.contact))
        line.add("  ")
        let text = MessageSummary.text(of: message)
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

    // MARK: Asking

    mutating func showPins(_ words: String, _ effects: inout [AppEffect]) {
        guard let openID else { return }
        let generation = nextNumber()
        show(.choice(ChoicePane(.pins(nil), filter: words, generation: generation)))
        effects.append(.ask(.pins(openID, generation: generation)))
    }

    mutating func receive(pins: [ChatMessage], generation: Int) {
        guard case .choice(var pane) = overlay, pane.generation == generation else { return }
        guard !pins.isEmpty else {
            overlay = nil
            return say("Nothing is pinned in this chat (/pin pins the last message)")
        }
        pane.kind = .pins(pins)
        overlay = .choice(pane)
    }

    /// Alt-u and /links: those that `words` leave.
    mutating func showLinks(_ words: String, _ effects: inout [AppEffect]) {
        if case .choice(let pane) = overlay, case .links = pane.kind { return overlay = nil }
        guard openID != nil else { return say("No chat is open: /query WHO opens one", isError: true) }
        let generation = askLinks(opening: nil, &effects)
        show(.choice(ChoicePane(.links(nil), filter: words, generation: generation)))
    }

    /// Asks for the links of the open chat, to list them or to open the one with a number.
    @discardableResult mutating func askLinks(opening number: Int?, _ effects: inout [AppEffect]) -> Int {
        let generation = nextNumber()
        guard let openID else { return generation }
        let query = SearchQuery(text: "", contact: openID, linksOnly: true, limit: Self.linkLimit)
        effects.append(.ask(.messageLinks(query, opening: number, generation: generation)))
        return generation
    }

    mutating func receive(
        links messages: [ChatMessage], opening number: Int?, generation: Int, _ effects: inout [AppEffect]
    ) {
        let items = LinkItem.all(in: messages)
        if let number {
            guard items.indices.contains(number - 1) else {
                return note("There is no link \(number) in this chat (/links lists them)", isError: true)
            }
            return open(items[number - 1].link, &effects)
        }
        guard case .choice(var pane) = overlay, pane.generation == generation else { return }
        guard !items.isEmpty else {
            overlay = nil
            return say("There are no links in this chat")
        }
        pane.kind = .links(items)
        overlay = .choice(pane)
        if let openID { listedLinks = ListedLinks(contact: openID, items: items, time: moment.uptime) }
    }

    /// The link that had a number when they were listed: a new one since then does not shift what is meant.
    func listedLink(_ number: Int) -> Link? {
        guard let listedLinks, listedLinks.contact == openID,
            moment.uptime - listedLinks.time < ListedLinks.validity, listedLinks.items.indices.contains(number - 1)
        else { return nil }
        return listedLinks.items[number - 1].link
    }

    // MARK: Enter

    private mutating func choose(from pane: ChoicePane, _ effects: inout [AppEffect]) {
        let choices = choices(of: pane)
        guard choices.indices.contains(pane.list.selected) else {
            if choices.isEmpty { _ = returnsLine(in: pane.list.filter.text, &effects) }
            return
        }
        overlay = .choice(pane)
        switch choices[pane.list.selected].target {
        case .emoji(let emoji):
            overlay = nil
            if case .reaction(let message) = pane.kind { perform(.react(emoji), on: message, &effects) }
        case .contact(let contact):
            guard case .forward(let messages) = pane.kind else { return }
            // As they are now: what was deleted or changed since they were chosen is not sent on as it was.
            let present = messages.map { chat($0.contact)?.window.message(.id($0.id)) ?? $0 }
            guard present.contains(where: { !$0.isRetracted }) else {
                overlay = nil
                return say("\(present.count == 1 ? "It was" : "They were") deleted; nothing to forward")
            }
            guard confirmsForwarding(present, to: contact) else { return }
            overlay = nil
            forward(present, to: contact, &effects)
        case .message(let message):
            let place = openChat.map { ReturnPlace($0, search: nil) }
            overlay = nil
            perform(.show, on: message, &effects)
            returnPlace = place
        case .link(let link):
            open(link, &effects)
            // A question stays on the screen with the list.
            if confirmation?.subject != .open(link.text) { overlay = nil }
        }
    }

    /// What goes to somebody else does not go by a slip: Enter asks once. What cannot go is refused without a question.
    private mutating func confirmsForwarding(_ messages: [ChatMessage], to contact: ContactID) -> Bool {
        guard chat(contact)?.peer.isBlocked == false else { return true }
        if confirm(.forward(messages.map(\.key), to: contact)) { return true }
        let what = messages.count == 1 ? "this message" : "\(messages.count) messages"
        let name = SafeText(name(of: contact), as: .name).truncated(to: 20).text
        say(
            question: "Forward \(what) to \(name)? Enter again sends it, Esc cancels",
            short: "Forward to \(name)? Enter: yes", "Forward? Enter: yes")
        return false
    }
}
