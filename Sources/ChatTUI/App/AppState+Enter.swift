// Enter: a message goes out, a command is run, a mistyped command is neither.

import ChatCore
import ChatWords

extension AppState {
    /// The longest message in bytes of UTF-8 (ChatError.textTooLong).
    static let textLimit = 65_536

    /// Where a line comes from that is sent or run.
    enum LineSource {
        /// The input: it is emptied.
        case input
        /// Line mode: a draft that was written on a screen stays in the input.
        case lineMode(String)
        /// The argument of a command whose own line was taken before.
        case command
        /// A key that is bound to the line: whatever is in the input stays, and what it is about.
        case key
    }

    mutating func enter(_ effects: inout [AppEffect]) { enter(input.text, from: .input, &effects) }

    mutating func enter(_ text: String, from source: LineSource, _ effects: inout [AppEffect]) {
        lastKill = nil
        // What was said about the line before is over.
        status = nil
        switch meaning(of: text) {
        case .empty:
            if case .edit? = openChat?.composing, case .input = source {
                say("A message cannot be empty (/delete takes it back, Esc leaves it as it is)")
            } else if !text.isEmpty {
                say("Nothing to send in that line")
            }
        case .message(let message):
            if takesAsAnswer(message, from: source, &effects) { break }
            if case .input = source, !confirmsPaste() { break }
            send(message.withoutLastNewline, from: source, &effects)
        case .command(let command, let arguments):
            if case .input = source, !confirmsPaste(running: command) { break }
            var scanner = ArgumentScanner(arguments)
            if command.verb == .me, openChat?.composing != nil, let deed = scanner.remainder() {
                return send(ActionText.prefix + deed, from: source, &effects)
            }
            take(source, &effects)
            noteEntered(command: text)
            if case .input = source { enteredLine = text }
            defer { enteredLine = nil }
            run(command, arguments, &effects)
        case .planned(let name):
            confirming = nil
            note("/\(name) is not in this version yet. To send it as text, start with //", isError: true)
        case .unknown(let name, let suggestion):
            confirming = nil
            let shown = SafeText(name, as: .name).text
            // A path that was pasted: no command has a slash in its name.
            guard !name.contains("/") else {
                return say(
                    "/\(shown) is not a command: start with /send to offer a file, // to send text", isError: true)
            }
            let nothing = name.isEmpty ? "/ alone is not a command" : "There is no /\(shown)"
            let meant = name.isEmpty ? nil : suggestion
            let first = meant.map { "\(SentenceHints.suggestion)/\($0)?" } ?? "\(nothing) (/help lists all)."
            say("\(first) To send it, start with //", isError: true)
        }
    }

    /// A text that begins with a slash, and is edited, is a text and no command. An action was one, and may become another.
    private func meaning(of text: String) -> SlashLine {
        let line = SlashLine.parse(text, aliases: settings.aliases)
        guard case .edit(let message, _, _)? = openChat?.composing, case .text(let old) = message.content,
            old.trimmedBlanks.hasPrefix("/"), ActionText.deed(in: old) == nil
        else { return line }
        if case .empty = line { return line }
        return .message(text)
    }

    /// What was typed as a message; while the input is about another one, that is answered or changed.
    mutating func send(_ text: String, from source: LineSource, _ effects: inout [AppEffect]) {
        confirming = nil
        if let composing = openChat?.composing, !source.isKey {
            return finish(composing, with: text, from: source, &effects)
        }
        guard let chat = openChat else {
            say("No chat is open: /query WHO opens one, /add ADDRESS adds somebody", isError: true)
            return
        }
        guard check(text) else { return }
        if chat.peer.isBlocked {
            say("\(chat.name.text) is blocked: nothing was sent (/unblock \(chat.name.text))", isError: true)
            return
        }
        take(source, &effects)
        if let index = chatIndex(chat.id) {
            answered(at: index)
            if !chats[index].window.isAtBottom { scroll(.newest, &effects) }
        }
        effects.append(.run(.send(text, to: chat.id)))
    }

    /// Whether a message may be that long.
    mutating func check(_ text: String) -> Bool {
        let bytes = text.utf8.count
        guard bytes > Self.textLimit else { return true }
        say(
            "Too long: \(Units.size(UInt64(bytes))), at most \(Units.size(UInt64(Self.textLimit))) (\(fileKey) sends it as a file)",
            isError: true)
        return false
    }

    /// An entered line goes to the history of lines.
    mutating func take(_ source: LineSource, _ effects: inout [AppEffect]) {
        switch source {
        case .input:
            // Where Esc led back to is left behind.
            returnPlace = nil
            let kept = history.keptDraft ?? ""
            remember(input.text, &effects)
            typing = nil
            // A line of before that was sent stood in for the draft.
            input = InputLine(kept)
            completion = nil
            // The stored draft is emptied at the next pause, behind the message itself.
            draftChanged()
            // Soon: a crash behind Enter would bring the sent line back as a draft.
            draftTimer = moment.uptime + .milliseconds(50)
        case .lineMode(let line): remember(line, &effects)
        case .command, .key: break
        }
    }
}

extension AppState.LineSource {
    var isKey: Bool { if case .key = self { true } else { false } }
}

extension String {
    /// Without the newline with which a paste of whole lines ends; the command line leaves it out, too.
    fileprivate var withoutLastNewline: String { last?.isNewline == true ? String(dropLast()) : self }
}
