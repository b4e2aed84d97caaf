// Errands that could not be done: says why, and loses nothing that was typed.

import ChatCore
import ChatWords

/// Tells the user of an errand that failed, and gives back what was typed for it.
enum ErrandFailures {
    /// An errand could not be done.
    static func tell(_ errand: Errand, _ error: ChatError, _ state: inout AppState, _ effects: inout [AppEffect]) {
        if case .markSeen(let contact, _)? = errand.call { SeenMessages.isStored(contact, &state, &effects) }
        if state.ending.isQuitting { leave(undone: errand, &state, &effects) }
        switch errand {
        case .call(let call): tell(call.plain, error, &state, &effects)
        case .retract: tell(error, doing: "The message was not changed", &state)
        case .sendFiles(let paths, let caption, _):
            // Most reasons name the path.
            let isNamed = paths.first.map { Sentences.reason(of: error).contains($0) } ?? false
            let what =
                paths.count == 1 && !isNamed
                ? "\(state.surface.abbreviated(paths[0])) was not offered" : "Nothing was offered"
            state.note(
                Sentences.sentence(for: error, doing: what) + missingAdvice(error, paths, caption, state.surface),
                isError: true
            )
        case .sendTextFile(let text, let name, let contact):
            giveBack(text, asPaste: true, to: contact, &state)
            tell(error, doing: "\(name) was not offered", &state)
        case .accept(let number, _): tell(error, about: number, &state, &effects)
        case .removeRoute, .rename, .remove, .approve, .settings, .several:
            tell(error, doing: "That did not work", &state)
        }
    }

    private static func tell(
        _ call: AnyCall, _ error: ChatError, _ state: inout AppState, _ effects: inout [AppEffect]
    ) {
        switch call {
        case .send(let contact, let text, nil):
            giveBack(Self.entered(text), to: contact, &state)
            tell(error, doing: "Your line was not stored", &state)
        case .send(let contact, let text, let answered?):
            giveBack("/reply #\(answered.short) \(text)", to: contact, &state)
            tell(error, doing: "Your reply was not stored", &state)
        case .edit(let message, let text):
            giveBack("/edit #\(message.id.short) \(text)", to: message.contact, &state)
            tell(error, doing: "The message was not changed", &state)
        case .react, .setPinned, .deleteMessages, .markUnread: tell(error, doing: "The message was not changed", &state)
        case .setDraft, .setTyping, .markSeen:
            switch error {
            case .instanceLost(let reason): return state.say("Cannot reach the chat: \(reason)", isError: true)
            case .instanceStopped:
                return state.say("Cannot reach the chat: it is stopped (fg in its shell resumes it)", isError: true)
            default: break
            }
            state.say(Sentences.sentence(for: error, doing: "Cannot write the history"), isError: true)
        case .resumeTransfer(let number):
            guard case .wrongTransferState(.accepted) = error, let transfer = state.world.transfers[number] else {
                return tell(error, about: number, &state, &effects)
            }
            // The transfer continues when the other side lets it: what it waits for says more than its state.
            let words = TransferWords(state: state, group: TransferGroup(transfer)).words
            tell(error, about: number, in: words, &state, &effects)
        case .declineTransfer(let number), .pauseTransfer(let number), .cancelTransfer(let number),
            .cancelFolder(let number):
            tell(error, about: number, &state, &effects)
        case .addContact(let address, _): tell(error, doing: "\(address) was not added", &state)
        case .meet(let words, let place, _): tell(error, doing: words + (place.map { "@\($0)" } ?? ""), &state)
        case .joinRoom(let url, _):
            let place = SafeText("\(url.endpoint)", as: .line).text
            tell(error, doing: "The room at \(place) was not joined", &state)
        default: tell(error, doing: "That did not work", &state)
        }
    }

    private static func tell(_ error: ChatError, doing what: String, _ state: inout AppState) {
        state.note(Sentences.sentence(for: error, doing: what), isError: true)
    }

    /// A decision about a transfer does not hold; `words` say why when the error says less.
    private static func tell(
        _ error: ChatError, about number: TransferNumber, in words: String? = nil, _ state: inout AppState,
        _ effects: inout [AppEffect]
    ) {
        // An offer that was shown as decided may not be: it comes back.
        effects.append(.ask(.transfers))
        // Of the files of a folder some may be over in the meantime.
        if case .wrongTransferState = error, ErrandResults.isFolder(ErrandResults.named(number, state), state) {
            return
        }
        let sentence =
            words.map { "#\(number.rawValue): \($0)" } ?? Sentences.sentence(for: error, doing: "#\(number.rawValue)")
        state.note(sentence, isError: true)
        // The pane in which the key was pressed covers the chat.
        if state.place.overlay != nil { state.say(sentence, isError: true) }
    }

    /// Words after a path look like further paths.
    private static func missingAdvice(_ error: ChatError, _ paths: [String], _ caption: String, _ surface: Surface)
        -> String
    {
        guard case .cannotRead(let path, let errno) = error, errno == 2 else { return "" }
        if path.contains(where: { "*?[".contains($0) }) {
            return " (no wildcards here: \(surface.key(.sendFile)) marks several files)"
        }
        guard paths.count > 1, caption.isEmpty else { return "" }
        guard !path.hasSuffix(paths[0]) else { return " (put a name with spaces in quotes)" }
        return " (text for the files goes after --: /send PATH -- TEXT)"
    }

    /// Nobody will see it on this screen: it is said when that is gone, and a line is found again by Up.
    private static func leave(undone errand: Errand, _ state: inout AppState, _ effects: inout [AppEffect]) {
        switch errand.call {
        case .send(_, let text, _), .edit(_, let text): Editing.remember(text, &state, &effects)
        case .setTyping, .markSeen, .reconnect, .disconnect: return
        default: break
        }
        state.ending.leaveUndone()
    }

    /// The line that was entered to send `text`: a slash that would begin a command is doubled.
    static func entered(_ text: String) -> String {
        text.hasPrefix("/") && ActionText.deed(in: text) == nil ? "/" + text : text
    }

    /// A line with which nothing was done goes back to where it was typed, or to the kill ring.
    static func giveBack(_ text: String, asPaste isPaste: Bool = false, to contact: ContactID, _ state: inout AppState)
    {
        var line = InputLine(isPaste ? "" : text)
        if isPaste { _ = line.insertPaste(text) }
        if contact == state.place.openID, state.composer.input.isEmpty {
            state.composer.write(line)
            Drafts.changed(&state)
        } else if contact == state.place.openID || !state.composer.add(line, to: contact, isTyped: true) {
            state.composer.killRing.add(text)
            state.say("Your unused line is in the kill ring (\(state.surface.key(.yank)))", isError: true)
        }
    }
}
