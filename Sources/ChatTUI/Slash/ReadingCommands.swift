// Slash commands about messages that are there already. A message is named by its number from the end (`/edit 2 …`), by
// the end of its id or by its file (`#1a2b3c4d`, `#8`); it is looked up in the store when it is not in memory.

import ChatCore
import ChatWords

/// Commands about messages that are there already.
enum ReadingCommands: SlashCommandGroup {
    static func run(_ call: SlashCall, _ state: inout AppState, _ effects: inout [AppEffect]) {
        let verb = call.verb
        guard state.place.openID != nil || verb == .readMark || verb == .log else {
            state.note("No chat is open: /query WHO opens one", isError: true)
            return
        }
        var scanner = call.scanner
        switch verb {
        case .reply:
            withMessage(&scanner, alone: false, needs: "/reply [N] TEXT: say what to reply", &state, &effects) {
                .reply($0)
            }
        case .edit:
            withMessage(&scanner, alone: false, needs: "/edit [N] TEXT: say what it should say", &state, &effects) {
                .edit($0)
            }
        case .delete: withMessage(&scanner, &state, &effects, .delete)
        case .react: react(&scanner, &state, &effects)
        case .forward: forward(&scanner, &state, &effects)
        case .retry: withMessage(&scanner, &state, &effects, .retry)
        case .pin: withMessage(&scanner, &state, &effects, .pin)
        case .info: withMessage(&scanner, &state, &effects, .info)
        case .unread: withMessage(&scanner, &state, &effects, .markUnread)
        case .history: showHistory(&scanner, &state, &effects)
        case .pins: ChoicePane.showPins(scanner.remainder() ?? "", &state, &effects)
        case .links: ChoicePane.showLinks(scanner.remainder() ?? "", &state, &effects)
        case .open: openNumber(&scanner, &state, &effects)
        case .readMark:
            let name = scanner.remainder()
            let all = name?.lowercased() == "all"
            var contacts = all ? state.world.chats.map(\.id) : state.place.openID.map { [$0] } ?? []
            if let name, !all {
                guard let contact = SlashArguments.contact(name, &state) else { return }
                contacts = [contact]
            }
            if contacts.isEmpty {
                state.say("No chat is open: /read all marks all of them")
            } else {
                MessageActions.markRead(contacts, &state, &effects)
            }
        case .log: state.show(.reader(ReaderPane(.log, filter: scanner.remainder() ?? "")))
        // The table sends no other command here.
        default: break
        }
    }

    // MARK: The message that is meant

    /// A command whose only argument is the message.
    private static func withMessage(
        _ scanner: inout ArgumentScanner, _ state: inout AppState, _ effects: inout [AppEffect], _ action: MessageAction
    ) {
        let reference = Self.reference(&scanner, alone: true, kind: action.kind)
        if let word = scanner.next() {
            return state.note(
                "\(SafeText(word, as: .name).text) is not a message (number from the end, id or file: 2, #1a2b3c4d, #8)",
                isError: true)
        }
        find(reference ?? .last(1, action.kind), action, &state, &effects)
    }

    /// A command whose last argument is a text.
    private static func withMessage(
        _ scanner: inout ArgumentScanner, alone: Bool, needs usage: String, _ state: inout AppState,
        _ effects: inout [AppEffect],
        _ make: (String) -> MessageAction
    ) {
        let reference = Self.reference(&scanner, alone: alone, kind: make("").kind)
        if reference == nil, let number = Self.wrongNumber(scanner) {
            let name = "/" + usage.dropFirst().prefix { $0 != " " }
            state.note(
                "There is no line \(number) (1 is the last). To send the number as text, write \(name) 1 \(number) …",
                isError: true)
            return giveBack(state.composer.running.entered, &state)
        }
        if reference == nil, let word = loneReference(scanner, make("").kind, state) {
            let name = usage.prefix { $0 != " " }
            state.note("\(usage). For the text \(word) alone: \(name) 1 \(word)", isError: true)
            return giveBack(state.composer.running.entered, &state)
        }
        guard let text = scanner.remainder() else { return state.note(usage, isError: true) }
        let action = make(text)
        find(reference ?? .last(1, action.kind), action, &state, &effects)
    }

    /// `3`, `#8`, `#1a2b3c4d` or an id in front, followed by something or also `alone`.
    static func reference(
        _ scanner: inout ArgumentScanner, alone: Bool, kind: MessageReference.Kind
    ) -> MessageReference? {
        var ahead = scanner
        guard let word = ahead.next() else { return nil }
        let found: MessageReference
        if let named = MessageReference(named: word) {
            found = named
        } else if word.utf8.count <= 7, word.allSatisfy({ ("0"..."9").contains($0) }), let number = Int(word),
            number > 0
        {
            // Digits alone: +1 is the name of a reaction.
            found = .last(number, kind)
        } else {
            return nil
        }
        var rest = ahead
        guard alone || rest.remainder() != nil else { return nil }
        scanner = ahead
        return found
    }

    /// A whole number in front that can be no message's, with a text after it: it was meant as one, and a text that
    /// begins with it would go to the other side.
    private static func wrongNumber(_ scanner: ArgumentScanner) -> String? {
        var ahead = scanner
        guard let word = ahead.next(), ahead.remainder() != nil else { return nil }
        let digits = word.hasPrefix("-") ? word.dropFirst() : word[...]
        guard !digits.isEmpty, digits.allSatisfy({ ("0"..."9").contains($0) }) else { return nil }
        return SafeText(word, as: .name).text
    }

    /// A word that names a message that may be there, without the text that was to follow.
    private static func loneReference(_ scanner: ArgumentScanner, _ kind: MessageReference.Kind, _ state: AppState)
        -> String?
    {
        var ahead = scanner
        guard let word = ahead.next(), ahead.remainder() == nil, let window = state.openChat?.window else { return nil }
        let shown = SafeText(word, as: .name).text
        if MessageReference(named: word) != nil { return shown }
        guard word.allSatisfy({ ("0"..."9").contains($0) }), let number = Int(word), number > 0 else { return nil }
        return window.isComplete && window.message(.last(number, kind)) == nil ? nil : shown
    }

    /// Does it at once when the message is in memory, else after the store has found it.
    static func find(
        _ reference: MessageReference, _ action: MessageAction, _ state: inout AppState, _ effects: inout [AppEffect]
    ) {
        guard let chat = state.openChat else { return }
        let line = action.hasText ? state.composer.running.entered : nil
        if let message = chat.window.message(reference) {
            perform(checked: action, on: message, line: line, &state, &effects)
        } else if chat.window.isComplete {
            sayNothing(at: reference, action, line: line, &state, &effects)
        } else {
            effects.append(.ask(.message(chat.window.countingFolded(reference), chat.id, action, line: line)))
        }
    }

    /// The store has answered. An action that was meant for one chat is not done in another one.
    static func receive(
        _ message: ChatMessage?, _ reference: MessageReference, _ contact: ContactID, _ action: MessageAction,
        line: String?, _ state: inout AppState, _ effects: inout [AppEffect]
    ) {
        guard contact == state.place.openID else {
            if case .resume = action { return }
            state.say("Nothing was done: the chat with \(state.world.name(of: contact)) is no longer open")
            return giveBack(line, to: contact, &state)
        }
        guard let message else {
            return sayNothing(
                at: state.world.chat(contact)?.window.countingFolded(reference, times: -1) ?? reference, action,
                line: line,
                &state, &effects)
        }
        perform(checked: action, on: message, line: line, &state, &effects)
    }

    /// A name may lead to a message that a number would have skipped.
    private static func perform(
        checked action: MessageAction, on message: ChatMessage, line: String?, _ state: inout AppState,
        _ effects: inout [AppEffect]
    ) {
        guard message.fits(action.kind) || action.takesDeleted else {
            state.note(message.isRetracted ? "That message was deleted" : "That is not a \(action.noun)", isError: true)
            return giveBack(line, &state)
        }
        MessageActions.perform(action, on: message, &state, &effects)
    }

    /// Puts the line back into the input when it cannot be done with its message.
    private static func giveBack(_ line: String?, to contact: ContactID? = nil, _ state: inout AppState) {
        if let line, let contact = contact ?? state.place.openID { ErrandFailures.giveBack(line, to: contact, &state) }
    }

    private static func sayNothing(
        at reference: MessageReference, _ action: MessageAction, line: String?, _ state: inout AppState,
        _ effects: inout [AppEffect]
    ) {
        if case .resume = action { return }
        switch reference {
        // Further back than the history goes: to its beginning.
        case .last where action == .show: Scrolling.scroll(.oldest, &state, &effects)
        case .last(1, _): state.note("There is no \(action.noun)", isError: true)
        case .last(let number, _): state.note("There are fewer than \(number) \(action.nouns)", isError: true)
        case .id(let id): state.note("There is no message \(id.text) in this chat", isError: true)
        case .shortID(let end): state.note("There is no message #\(end) in this chat", isError: true)
        case .transfer(let number): state.note("There is no file #\(number.rawValue) in this chat", isError: true)
        }
        giveBack(line, &state)
    }

    // MARK: Commands with more to them

    private static func react(_ scanner: inout ArgumentScanner, _ state: inout AppState, _ effects: inout [AppEffect]) {
        let reference = Self.reference(&scanner, alone: true, kind: .any)
        var emoji: String?
        if let word = scanner.remainder() {
            guard let known = EmojiNames.emoji(for: word) else {
                let shown = SafeText(word, as: .line).truncated(to: 30).text
                let hint =
                    EmojiNames.suggestion(for: word).map { "did you mean :\($0):?" }
                    ?? ":+1:, :heart:, :joy:, or an emoji itself"
                return state.note("\(shown) is not a reaction (\(hint))", isError: true)
            }
            emoji = known
        }
        find(reference ?? .last(1, .any), .react(emoji), &state, &effects)
    }

    private static func forward(_ scanner: inout ArgumentScanner, _ state: inout AppState, _ effects: inout [AppEffect])
    {
        // A number alone is a message's: taken for a contact's it would send a text to somebody who was not meant.
        let reference = Self.reference(&scanner, alone: true, kind: .any)
        guard let name = scanner.remainder() else { return state.note("/forward [N] WHO: say who to", isError: true) }
        guard let contact = SlashArguments.contact(name, &state) else { return }
        find(reference ?? .last(1, .any), .forward(contact), &state, &effects)
    }

    /// `/history [N]`: the view shows the Nth last message.
    private static func showHistory(
        _ scanner: inout ArgumentScanner, _ state: inout AppState, _ effects: inout [AppEffect]
    ) {
        let word = scanner.next()
        guard let count = word.map({ Int($0) }) ?? 50, (1...9_999_999).contains(count) else {
            return state.note("/history [N]: how many messages back, from 1", isError: true)
        }
        if let window = state.openChat?.window, window.isComplete, window.messageCount < count {
            return Scrolling.scroll(.oldest, &state, &effects)
        }
        find(.last(count, .any), .show, &state, &effects)
    }

    private static func openNumber(
        _ scanner: inout ArgumentScanner, _ state: inout AppState, _ effects: inout [AppEffect]
    ) {
        guard let word = scanner.next() else { return ChoicePane.showLinks("", &state, &effects) }
        if let reference = MessageReference(named: word) {
            find(reference, .open, &state, &effects)
        } else if let number = Int(word), number > 0 {
            if let link = ChoicePane.listedLink(number, state) {
                Opening.open(link, &state, &effects)
            } else {
                ChoicePane.askLinks(opening: number, &state.place, &effects)
            }
        } else {
            state.note("/open N: the number of a link in /links, or the file #8", isError: true)
        }
    }
}

extension ChatWindow {
    /// The window has all of the conversation.
    var isComplete: Bool { isLoaded && reachesOldest && reachesNewest }

    var messageCount: Int { shownMessages.count }

    /// The store also counts the files that the lines of folders hide: a reference for the store, and with -1 as the
    /// user meant it.
    func countingFolded(_ reference: MessageReference, times sign: Int = 1) -> MessageReference {
        guard reachesNewest, case .last(let number, let kind) = reference else { return reference }
        let hidden = items.lazy.compactMap(\.message).count { isFolded($0) && $0.fits(kind) }
        return .last(max(1, number + sign * hidden), kind)
    }

    /// The message that is meant, if the window can tell. Numbers count the messages that have rows.
    func message(_ reference: MessageReference) -> ChatMessage? {
        let messages = items.lazy.reversed().compactMap(\.message)
        switch reference {
        case .id(let id): return message(id)
        // An older one with the same end may be meant as little as a newer one that is not loaded.
        case .shortID(let end): return reachesNewest ? messages.first { $0.id.short == end } : nil
        case .transfer(let number):
            return messages.first { if case .file(let file) = $0.content { file.number == number } else { false } }
        case .last(let number, let kind):
            guard reachesNewest else { return nil }
            return messages.filter { $0.fits(kind) && !isFolded($0) }.dropFirst(number - 1).first
        }
    }
}
