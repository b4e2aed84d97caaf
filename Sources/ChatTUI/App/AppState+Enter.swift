// Enter: a message goes out, a command is run, a mistyped command is neither.

import ChatCore

extension AppState {
    /// The longest message in bytes of UTF-8 (ChatError.textTooLong).
    static let textLimit = 65_536

    mutating func enter(_ effects: inout [AppEffect]) {
        let text = input.text
        lastKill = nil
        // What was said about the line before is over.
        status = nil
        switch SlashLine.parse(text, aliases: settings.aliases) {
        case .empty:
            if !input.isEmpty { say("There is nothing to send in that line") }
        case .message(let message):
            guard confirmsPaste() else { break }
            let message = message.withoutLastNewline
            if let composing = openChat?.composing {
                finish(composing, with: message, &effects)
            } else {
                send(message, &effects)
            }
        case .command(let command, let arguments):
            takeLine(&effects)
            run(command, arguments, &effects)
        case .planned(let name):
            confirming = nil
            note("/\(name) is not in this version yet. To send it as text, start with //", isError: true)
        case .unknown(let name, let suggestion):
            confirming = nil
            let shown = SafeText(name, as: .name).text
            let nothing = name.isEmpty ? "/ alone is no command" : "There is no /\(shown)"
            let meant = name.isEmpty ? nil : suggestion
            let first = meant.map { "Did you mean /\($0)?" } ?? "\(nothing) (F1 lists all)."
            say("\(first) To send it, start with //", isError: true)
        }
    }

    mutating func send(_ text: String, _ effects: inout [AppEffect]) {
        confirming = nil
        guard let chat = openChat else {
            say("No chat is open: /query WHO opens one, /add ADDRESS adds somebody", isError: true)
            return
        }
        guard check(text) else { return }
        if chat.peer.isBlocked {
            say("\(chat.name.text) is blocked: nothing was sent (/unblock \(chat.name.text))", isError: true)
            return
        }
        takeLine(&effects)
        if let index = chatIndex(chat.id) {
            chats[index].window.unreadLine = nil
            if !chats[index].window.isAtBottom { scroll(.newest, &effects) }
        }
        effects.append(.run(.send(text, to: chat.id)))
    }

    /// Whether a message may be that long.
    mutating func check(_ text: String) -> Bool {
        let bytes = text.utf8.count
        guard bytes > Self.textLimit else { return true }
        say(
            "The message is too long: \(bytes) bytes, at most \(Self.textLimit) (Ctrl-t sends it as a file)",
            isError: true)
        return false
    }

    /// The line leaves the input for the history of lines.
    mutating func takeLine(_ effects: inout [AppEffect]) {
        remember(input.text, &effects)
        typing = nil
        input = InputLine()
        completion = nil
        // The stored draft is emptied at the next pause, behind the message itself.
        draftChanged()
    }
}

extension String {
    /// Without the newline with which a paste of whole lines ends; the command line leaves it out, too.
    fileprivate var withoutLastNewline: String { last?.isNewline == true ? String(dropLast()) : self }
}
