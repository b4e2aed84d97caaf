// /search /goto /unreads /clear /status /slashguard: commands that look around.

import ChatCore
import ChatWords

enum LookCommands: SlashCommandGroup {
    static func run(_ call: SlashCall, _ state: inout AppState, _ effects: inout [AppEffect]) {
        var scanner = call.scanner
        switch call.verb {
        case .goTo: goTo(scanner.remainder() ?? "", &state, &effects)
        case .unreads: state.note(unreadLines(ListFilter(scanner.remainder() ?? ""), state.world))
        case .slashGuard: state.note(slashGuard)
        case .clear: clearView(&state, &effects)
        case .status: state.note(statusLines(state.world))
        case .search: SearchPane.show(scope: nil, scanner.remainder() ?? "", &state, &effects)
        // The table sends no other command here.
        default: break
        }
    }

    static func goTo(_ word: String, _ state: inout AppState, _ effects: inout [AppEffect]) {
        guard let openID = state.place.openID else {
            state.say("No chat is open: /query WHO opens one", isError: true)
            return
        }
        switch place(named: word, state.surface) {
        case .end(let command): Scrolling.scroll(command, &state, &effects)
        case .message(let reference): ReadingCommands.find(reference, .show, &state, &effects)
        case .day(let day):
            effects.append(.ask(.day(openID, day, generation: state.place.nextGoTo())))
        case nil:
            let shown = SafeText(word, as: .name).text
            let what = word.hasPrefix("#") ? "not a message in this chat" : "not a day"
            state.note("\(shown) is \(what) (\(PromptPane.days))", isError: true)
        }
    }

    /// Where /goto leads.
    enum NamedPlace {
        /// `oldest`, `newest` or `firstUnread`.
        case end(AppCommand)
        case message(MessageReference)
        case day(Timestamp)
    }

    /// `nil` when /goto does not understand it.
    static func place(named word: String, _ surface: Surface) -> NamedPlace? {
        switch word.lowercased() {
        case "first": return .end(.oldest)
        case "last", "newest", "end": return .end(.newest)
        case "unread": return .end(.firstUnread)
        default:
            if let reference = MessageReference(named: word) { return .message(reference) }
            return surface.clock.startOfDay(named: word, today: surface.moment.wall).map(NamedPlace.day)
        }
    }

    /// The check of Profanity's `/slashguard` is always on here (PRODUCT, rule 7).
    private static let slashGuard = [
        "Always on: blipchat runs a line that begins with / or rejects it; it never sends it as it is.",
        "//text sends \"/text\", /plain sends a text exactly as it is.",
    ]

    /// Chats with something unread, in the order of the list.
    private static func unreadLines(_ filter: ListFilter, _ world: World) -> [String] {
        let unread = world.chats.enumerated().filter { $0.element.isUnread }
        guard !unread.isEmpty else { return ["Nothing unread"] }
        let lines = unread.map { index, chat in
            let mentions = chat.mentionCount > 0 ? ", \(chat.mentionCount) with your name" : ""
            return "\(index + 1) \(chat.name.text): \(chat.conversation.unreadCount) unread\(mentions)"
        }
        return PeopleCommands.contacts(lines, filter)
    }

    private static func clearView(_ state: inout AppState, _ effects: inout [AppEffect]) {
        guard let index = state.world.chatIndex(state.place.openID) else {
            _ = state.place.takeLobby()
            return
        }
        // New messages appear below from now on; the empty view says what has become of the history.
        Scrolling.scroll(.newest, &state, &effects)
        state.world.chats[index].window.clear()
    }

    private static func statusLines(_ world: World) -> [String] {
        let listening = world.identity.listening.map { "listening on \($0)" } ?? "not listening"
        var lines = [
            "\(SafeText(world.identity.name, as: .name).text): \(listening), \(world.queuedCount) queued"
        ]
        for chat in world.chats {
            let link = chat.peer.isBlocked ? "blocked" : Sentences.words(for: chat.link)
            var line = "\(chat.name.text): \(link), \(RoomWords.standing(of: chat.peer))"
            if chat.conversation.queuedCount > 0 { line += ", \(chat.conversation.queuedCount) queued" }
            lines.append(line)
        }
        for group in world.transfers.groups.reversed() where !group.state.isFinal {
            let name = SafeText(group.name, as: .fileName).text + (group.isFolder ? "/" : "")
            lines.append("#\(group.number.rawValue) \(name): \(Sentences.word(for: group.state))")
        }
        return lines
    }
}
