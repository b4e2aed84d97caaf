// Runs slash commands: talking, looking around and the program itself. Files and people are in their own files.

import ChatCore
import ChatWords

extension AppState {
    mutating func run(_ command: SlashCommand, _ arguments: String, _ effects: inout [AppEffect]) {
        let asked = confirming
        confirming = nil
        if command.needsArgument, !arguments.contains(where: { !$0.isWhitespace }) {
            note("\(command.line): \(command.summary)", isError: true)
            return
        }
        var scanner = ArgumentScanner(arguments)
        if command.usage.isEmpty, !isEnd(&scanner, of: command.line) { return }
        switch command.verb {
        case .help: help(scanner.next())
        case .message: message(&scanner, &effects)
        case .query: if let id = who(scanner.remainder()) { openNamed(id, &effects) }
        case .search: showSearch(scope: nil, scanner.remainder() ?? "", &effects)
        case .goTo: goTo(scanner.remainder() ?? "", &effects)
        case .unreads: note(unreadLines(ListFilter(scanner.remainder() ?? "")))
        case .slashGuard: note(Self.slashGuard)
        case .clear: clearView(&effects)
        case .me: sayAction(scanner.remainder() ?? "", &effects)
        case .reply, .edit, .delete, .react, .forward, .retry, .history, .unread, .readMark, .pin, .pins, .links, .open,
            .info, .log:
            runReading(command.verb, arguments, &effects)
        case .send, .accept, .decline, .pause, .resume, .cancel, .limit, .transfers:
            runFiles(command.verb, &scanner, asked: asked, &effects)
        case .add, .requests, .approve, .reject, .verify, .fingerprint, .block, .unblock, .blocked, .rename, .remove,
            .removeAddress,
            .contacts, .whois, .myID:
            runPeople(command.verb, &scanner, asked: asked, &effects)
        case .nick, .away, .back, .mute, .autoAccept, .disconnect, .ping, .stats:
            runPresence(command.verb, &scanner, &effects)
        case .qr, .export, .importHistory, .backup, .doctor: runProgram(command.verb, &scanner, &effects)
        case .reconnect where scanner.remainder() == nil: perform(.reconnect, &effects)
        // Somebody who is named is meant.
        case .connect, .reconnect:
            scanner = ArgumentScanner(arguments)
            let word = scanner.remainder()
            guard let id = who(word) else { return }
            guard !saysBlocked(id) else { return }
            if chat(id)?.link.isOnline == true { return say("\(name(of: id)) is already online") }
            let hasAddress = chat(id)?.peer.addresses.isEmpty == false
            say(
                hasAddress
                    ? "Calling \(name(of: id)) now"
                    : "No address known for \(name(of: id)); waiting for them to call")
            effects.append(.run(.reconnect(id)))
        case .set, .unset, .reload, .theme, .notify: runSettings(command.verb, &scanner, asked: asked, &effects)
        case .status: note(statusLines())
        case .plain, .editor, .bind, .unbind, .alias: runWriting(command.verb, arguments, &scanner, &effects)
        case .redraw: effects.append(.redraw)
        case .version: note("blipchat \(version)")
        case .close: closeChat(&effects)
        case .quit: quit(&effects)
        }
    }

    /// The contact that somebody means, the open one when nobody is named; says so when there is none.
    mutating func who(_ word: String?) -> ContactID? {
        guard let word else {
            if openID == nil { note("No chat is open: say who you mean (/contacts lists them)", isError: true) }
            return openID
        }
        // In quotes as a whole, or as it is: the first of several words would be somebody else.
        var scanner = ArgumentScanner(word)
        let first = scanner.next()
        let unquoted = scanner.remainder() == nil ? first : nil
        if let id = contact(named: word) ?? unquoted.flatMap(contact(named:)) { return id }
        let shown = SafeText(word, as: .name).text
        guard !shown.isEmpty else {
            note("No contact is called \"\" (/contacts lists them)", isError: true)
            return nil
        }
        let near = Spelling.nearest(to: word, among: chats.map { $0.peer.name.lowercased() })
        let meant = near.flatMap { near in chats.first { $0.peer.name.lowercased() == near } }
        let hint = meant.map { "did you mean \($0.name.text)?" } ?? "/contacts lists them"
        note("No contact is called \(shown) (\(hint))", isError: true)
        return nil
    }

    /// Whether nothing follows; says so when something does, which would have been ignored.
    mutating func isEnd(_ scanner: inout ArgumentScanner, of usage: String, hint: String? = nil) -> Bool {
        guard let rest = scanner.remainder() else { return true }
        let shown = SafeText(rest, as: .line).truncated(to: 30).text
        note("\(usage): what is \"\(shown)\" for?" + (hint.map { " (\($0))" } ?? ""), isError: true)
        return false
    }

    /// The contact whom the next argument names, behind which more follows.
    mutating func nextContact(_ scanner: inout ArgumentScanner) -> ContactID? {
        who(scanner.next(among: chats.map(\.peer.name)))
    }

    private mutating func help(_ word: String?) {
        guard let word else {
            show(.help(ListPane()))
            return
        }
        let name = word.hasPrefix("/") ? String(word.dropFirst()) : word
        if SlashCommands.planned.contains(name.lowercased()) {
            note("/\(name.lowercased()) is not in this version yet")
            return
        }
        guard let command = SlashCommands.named(name) else {
            show(.help(ListPane(filter: InputLine(name))))
            say("\(SafeText(name, as: .name).text) is not a command; the help says about it:")
            return
        }
        let aliases = command.aliases.map { "/" + $0 }.joined(separator: ", ")
        note("\(command.line): \(command.summary)" + (aliases.isEmpty ? "" : " (also \(aliases))"))
    }

    private mutating func message(_ scanner: inout ArgumentScanner, _ effects: inout [AppEffect]) {
        guard let id = nextContact(&scanner) else { return }
        guard let text = scanner.remainder() else { return openNamed(id, &effects) }
        guard check(text), !saysBlocked(id) else { return }
        effects.append(.run(.send(text, to: id)))
        guard id != openID else { return }
        say("To \(name(of: id)): \(SafeText(ActionText.starred(text), as: .line).truncated(to: 60).text)")
    }

    /// Line mode sees no chat: whoever asks for the open one is told.
    private mutating func openNamed(_ id: ContactID, _ effects: inout [AppEffect]) {
        let isOpen = id == openID
        open(id, &effects)
        if isOpen { say("The chat with \(name(of: id)) is already open") }
    }

    /// `/me waves`: the other side shows it as an action, too.
    private mutating func sayAction(_ text: String, _ effects: inout [AppEffect]) {
        guard let openID else {
            note("No chat is open: /query WHO opens one", isError: true)
            return
        }
        let text = ActionText.prefix + text
        guard check(text) else { return }
        effects.append(.run(.send(text, to: openID)))
    }

    mutating func goTo(_ word: String, _ effects: inout [AppEffect]) {
        guard let openID else {
            say("No chat is open: /query WHO opens one", isError: true)
            return
        }
        switch place(named: word) {
        case .end(let command): scroll(command, &effects)
        case .message(let reference): find(reference, .show, &effects)
        case .day(let day):
            counterOfGoTo = nextNumber()
            effects.append(.ask(.day(openID, day, generation: counterOfGoTo)))
        case nil:
            let shown = SafeText(word, as: .name).text
            let what = word.hasPrefix("#") ? "not a message in this chat" : "not a day"
            note("\(shown) is \(what) (\(PromptPane.days))", isError: true)
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
    func place(named word: String) -> NamedPlace? {
        switch word.lowercased() {
        case "first": return .end(.oldest)
        case "last", "newest", "end": return .end(.newest)
        case "unread": return .end(.firstUnread)
        default:
            if let reference = MessageReference(named: word) { return .message(reference) }
            return clock.startOfDay(named: word, today: moment.wall).map(NamedPlace.day)
        }
    }

    /// Whom we refuse is neither called nor pinged: `true` when that was said.
    mutating func saysBlocked(_ contact: ContactID) -> Bool {
        guard let chat = chat(contact), chat.peer.isBlocked else { return false }
        note("\(chat.name.text) is blocked (/unblock \(chat.name.text))", isError: true)
        return true
    }

    /// What `/slashguard` of Profanity looks for is always so here (PRODUCT, rule 7).
    private static let slashGuard = [
        "Always on: blipchat runs a line that begins with / or rejects it; it never sends it as it is.",
        "//text sends \"/text\", /plain sends a text exactly as it is.",
    ]

    /// Chats with something unread, in the order of the list.
    private func unreadLines(_ filter: ListFilter) -> [String] {
        let unread = chats.enumerated().filter { $0.element.isUnread }
        guard !unread.isEmpty else { return ["Nothing unread"] }
        let lines = unread.map { index, chat in
            let mentions = chat.mentionCount > 0 ? ", \(chat.mentionCount) with your name" : ""
            return "\(index + 1) \(chat.name.text): \(chat.conversation.unreadCount) unread\(mentions)"
        }
        return Self.contacts(lines, filter)
    }

    private mutating func clearView(_ effects: inout [AppEffect]) {
        guard let index = chatIndex(openID) else {
            lobby = []
            return
        }
        // What comes from now on is below; the empty view says what has become of the history.
        scroll(.newest, &effects)
        chats[index].window.clear()
    }

    private func statusLines() -> [String] {
        let listening = identity.listening.map { "listening on \($0)" } ?? "not listening"
        var lines = ["\(SafeText(identity.name, as: .name).text): \(listening), \(queuedCount) queued"]
        for chat in chats {
            let link = chat.peer.isBlocked ? "blocked" : Sentences.words(for: chat.link)
            var line = "\(chat.name.text): \(link), \(Sentences.word(for: chat.peer.trust))"
            if chat.conversation.queuedCount > 0 { line += ", \(chat.conversation.queuedCount) queued" }
            lines.append(line)
        }
        for group in transfers.groups.reversed() where !group.state.isFinal {
            let name = SafeText(group.name, as: .fileName).text + (group.isFolder ? "/" : "")
            lines.append("#\(group.number.rawValue) \(name): \(Sentences.word(for: group.state))")
        }
        return lines
    }
}
