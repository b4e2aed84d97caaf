// Enter: a message goes out, a command is run, a mistyped command is neither.

import ChatCore
import ChatWords

/// Enter: sends or runs a line.
enum Entering {
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

    static func enter(_ state: inout AppState, _ effects: inout [AppEffect]) {
        enter(state.composer.input.text, from: .input, &state, &effects)
    }

    static func enter(_ text: String, from source: LineSource, _ state: inout AppState, _ effects: inout [AppEffect]) {
        state.composer.endKill()
        // The status about the line before no longer applies.
        state.place.dismissStatus()
        switch meaning(of: text, state) {
        case .empty:
            if case .edit? = state.openChat?.composing, case .input = source {
                state.say("A message cannot be empty (/delete takes it back, Esc leaves it as it is)")
            } else if !text.isEmpty {
                state.say("Nothing to send in that line")
            }
        case .message(let message):
            if takesAsAnswer(message, from: source, &state, &effects) { break }
            if case .input = source, !Pastes.confirms(&state) { break }
            send(message.withoutLastNewline, from: source, &state, &effects)
        case .command(let command, let arguments):
            if case .input = source, !Pastes.confirms(running: command, &state) { break }
            var scanner = ArgumentScanner(arguments)
            if command.verb == .me, state.openChat?.composing != nil, let deed = scanner.remainder() {
                return send(ActionText.prefix + deed, from: source, &state, &effects)
            }
            take(source, &state, &effects)
            noteEntered(command: text, &state)
            if case .input = source { state.composer.run(.entered(text)) }
            defer { state.composer.run(.none) }
            command.run(arguments, &state, &effects)
        case .planned(let name):
            state.place.dropAskedErrand()
            state.note("/\(name) is not in this version yet. To send it as text, start with //", isError: true)
        case .unknown(let name, let suggestion):
            state.place.dropAskedErrand()
            let shown = SafeText(name, as: .name).text
            // A path that was pasted: no command has a slash in its name.
            guard !name.contains("/") else {
                return state.say(
                    "/\(shown) is not a command: start with /send to offer a file, // to send text", isError: true)
            }
            let nothing = name.isEmpty ? "/ alone is not a command" : "There is no /\(shown)"
            let meant = name.isEmpty ? nil : suggestion
            let first = meant.map { "\(SentenceHints.suggestion)/\($0)?" } ?? "\(nothing) (/help lists all)."
            state.say("\(first) To send it, start with //", isError: true)
        }
    }

    /// A text that begins with a slash, and is edited, is a text and no command. An action was one, and may become another.
    private static func meaning(of text: String, _ state: AppState) -> SlashLine {
        let line = SlashLine.parse(text, aliases: state.surface.settings.aliases)
        guard case .edit(let message, _, _)? = state.openChat?.composing, case .text(let old) = message.content,
            old.trimmedBlanks.hasPrefix("/"), ActionText.deed(in: old) == nil
        else { return line }
        if case .empty = line { return line }
        return .message(text)
    }

    /// Sends a line typed as a message; while the input is about another message, answers or changes that one.
    static func send(_ text: String, from source: LineSource, _ state: inout AppState, _ effects: inout [AppEffect]) {
        state.place.dropAskedErrand()
        if let composing = state.openChat?.composing, !source.isKey {
            return Answering.finish(composing, with: text, from: source, &state, &effects)
        }
        guard let chat = state.openChat else {
            state.say("No chat is open: /query WHO opens one, /invite and /join add somebody", isError: true)
            return
        }
        guard check(text, &state) else { return }
        if chat.peer.isBlocked {
            state.say("\(chat.name.text) is blocked: nothing was sent (/unblock \(chat.name.text))", isError: true)
            return
        }
        take(source, &state, &effects)
        if let index = state.world.chatIndex(chat.id) {
            ChatNews.answered(at: index, &state)
            if !state.world.chats[index].window.isAtBottom { Scrolling.scroll(.newest, &state, &effects) }
        }
        effects.append(.run(.call(.send(text, to: chat.id))))
    }

    /// Whether a message may be that long.
    static func check(_ text: String, _ state: inout AppState) -> Bool {
        let bytes = text.utf8.count
        guard bytes > Self.textLimit else { return true }
        state.say(
            "Too long: \(Units.size(UInt64(bytes))), at most \(Units.size(UInt64(Self.textLimit))) (\(state.surface.fileKey) sends it as a file)",
            isError: true)
        return false
    }

    /// An entered line goes to the history of lines.
    static func take(_ source: LineSource, _ state: inout AppState, _ effects: inout [AppEffect]) {
        switch source {
        case .input:
            // Esc does not lead back any more.
            state.place.dropWayBack()
            let kept = state.composer.history.keptDraft ?? ""
            Editing.remember(state.composer.input.text, &state, &effects)
            // An earlier line that was sent had replaced the draft.
            state.composer.write(InputLine(kept))
            state.composer.dropCompletion()
            // The stored draft is emptied at the next pause, after the message itself.
            Drafts.changed(&state)
            state.due.draftWasSent(at: state.surface.moment.uptime)
        case .lineMode(let line): Editing.remember(line, &state, &effects)
        case .command, .key: break
        }
    }

    /// Takes a line that only says yes or no for what it answers. `false`: it is a message.
    static func takesAsAnswer(
        _ text: String, from source: LineSource, _ state: inout AppState, _ effects: inout [AppEffect]
    ) -> Bool {
        guard !source.isKey, let answer = YesOrNo(text), state.openChat?.composing == nil else {
            state.place.lineQuestion.forget()
            return false
        }
        // A question of a command on the status line is open for as long as it can be read there.
        let isAskedBelow = state.place.confirmation?.isArmed(at: state.surface.moment.uptime) ?? false
        let isOpen =
            state.place.askedErrand != nil || (isAskedBelow && state.place.browse == nil && state.place.overlay == nil)
        let hasOther = state.place.shownOffer?.since != nil || (state.place.confirmation != nil && !isAskedBelow)
        // Line mode shows no offer that a key would answer, and the text piped into it is meant literally.
        let isInput = if case .input = source { true } else { false }
        if !isInput, !isOpen { return false }
        let decision = state.place.lineQuestion.decide(
            answer, text, isOpen: isOpen, hasOther: hasOther, newest: newestShown(state),
            at: state.surface.moment.uptime)
        switch decision {
        case .send:
            return false
        case .runAgain(let line):
            take(source, &state, &effects)
            enter(line, from: .command, &state, &effects)
        case .withdraw:
            take(source, &state, &effects)
            state.place.dropAskedErrand()
            state.place.dropConfirmation()
            state.say("Nothing was done")
        case .hold:
            state.place.dropAskedErrand()
            state.place.dropConfirmation()
            let name = state.openChat.map { " to \($0.name.text)" } ?? ""
            state.say("Nothing to answer here. \(state.surface.key(.send)) again sends it\(name)", isError: true)
        }
        return true
    }

    /// A command may ask, and is then answered by the next line.
    static func noteEntered(command line: String, _ state: inout AppState) {
        state.place.lineQuestion.note(command: line, newest: newestShown(state), at: state.surface.moment.uptime)
    }

    private static func newestShown(_ state: AppState) -> HistoryPosition? {
        state.openChat?.conversation.lastMessage?.position
    }
}

extension Entering.LineSource {
    var isKey: Bool { if case .key = self { true } else { false } }
}

extension String {
    /// Without the newline with which a paste of whole lines ends; the command line leaves it out, too.
    fileprivate var withoutLastNewline: String { last?.isNewline == true ? String(dropLast()) : self }
}
