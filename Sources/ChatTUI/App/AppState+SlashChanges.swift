// Slash commands that change messages that are there already: /edit, /delete, /react.

import ChatCore

extension AppState {
    mutating func runChange(_ verb: SlashVerb, _ arguments: String, _ effects: inout [AppEffect]) {
        guard let chat = openChat else {
            note("No chat is open: /query WHO opens one", isError: true)
            return
        }
        if chat.peer.isBlocked {
            note("\(chat.name.text) is blocked: nothing was changed (/unblock \(chat.name.text))", isError: true)
            return
        }
        var scanner = ArgumentScanner(arguments)
        let number = Self.leadingNumber(&scanner, alone: verb != .edit)
        let rest = scanner.remainder()
        let found = chat.window.messages(
            reversedWhere: { message in
                guard !message.isRetracted else { return false }
                switch verb {
                case .edit: return message.direction == .outgoing && message.isText
                case .delete: return message.direction == .outgoing
                default: return true
                }
            }, number: number ?? 1)
        guard let message = found else {
            let what = verb == .react ? "message" : verb == .edit ? "own text" : "own message"
            let count = number ?? 1
            let none = count == 1 ? "There is no \(what)" : "There are not \(count) \(what)s"
            note("\(none) on this page (scroll up for more)", isError: true)
            return
        }
        switch verb {
        case .edit: edit(message, rest, &effects)
        case .delete: effects.append(.run(.retract(message)))
        default: react(to: message, rest, &effects)
        }
    }

    private mutating func edit(_ message: ChatMessage, _ text: String?, _ effects: inout [AppEffect]) {
        guard let text else {
            note("/edit [N] TEXT: say what the message is to be", isError: true)
            return
        }
        guard check(text) else { return }
        effects.append(.run(.edit(message, text)))
    }

    private mutating func react(to message: ChatMessage, _ word: String?, _ effects: inout [AppEffect]) {
        guard let word else {
            effects.append(.run(.react(message, nil)))
            return
        }
        guard let emoji = EmojiNames.emoji(for: word) else {
            let shown = SafeText(word, as: .line).prefix(width: 30).text
            let hint =
                EmojiNames.suggestion(for: word).map { "did you mean :\($0):?" }
                ?? ":+1:, :heart:, :joy:, or an emoji itself"
            note("\(shown) is no reaction (\(hint))", isError: true)
            return
        }
        effects.append(.run(.react(message, emoji)))
    }

    /// The N of `/edit N TEXT`: a number from 1 with something behind it, or also `alone`.
    private static func leadingNumber(_ scanner: inout ArgumentScanner, alone: Bool) -> Int? {
        var ahead = scanner
        guard let word = ahead.next(), word.utf8.count <= 4, word.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(word), number > 0
        else { return nil }
        var rest = ahead
        guard alone || rest.remainder() != nil else { return nil }
        scanner = ahead
        return number
    }
}

extension ChatMessage {
    var isText: Bool {
        if case .text = content { true } else { false }
    }
}

extension ChatWindow {
    /// The Nth last message that fits, from 1.
    func messages(reversedWhere fits: (ChatMessage) -> Bool, number: Int) -> ChatMessage? {
        var left = number
        for case .message(let message) in items.reversed() where fits(message) {
            left -= 1
            if left == 0 { return message }
        }
        return nil
    }
}
