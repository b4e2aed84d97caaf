// Pasted text: one draft, and Enter asks before it goes out.

import ChatCore
import ChatWords

enum Pastes {
    /// A paste of several lines is one draft, and Enter asks before it goes out.
    static func insert(_ text: String, _ state: inout AppState) {
        let lines = state.composer.input.insertPaste(text)
        _ = withdrawQuestion(&state)
        guard state.composer.input.text.utf8.count <= Entering.textLimit else {
            return state.say(
                "\(Units.size(UInt64(state.composer.input.text.utf8.count))), too long for a message: \(state.surface.fileKey) sends a file"
            )
        }
        let asks = state.surface.settings.pasteConfirmLines > 0 && lines > state.surface.settings.pasteConfirmLines
        guard lines > 1, asks || isLong(lines, state) else { return }
        let twice = asks ? " twice" : ""
        let advice =
            isLong(lines, state)
            ? "\(state.surface.sendKey)\(twice) sends it, \(state.surface.fileKey) sends a file"
            : "\(state.surface.sendKey)\(twice) sends them as one message"
        state.say("\(lines) lines, one draft: \(advice)")
    }

    private static func isLong(_ lines: Int, _ state: AppState) -> Bool {
        state.surface.settings.pasteAsFileLines > 0 && lines > state.surface.settings.pasteAsFileLines
            || state.composer.input.text.utf8.count > Entering.textLimit
    }

    /// Whether the draft may go out: the first Enter on a pasted one only asks.
    static func confirms(running command: SlashCommand? = nil, _ state: inout AppState) -> Bool {
        let lines = state.composer.input.pastedLines
        // A text that is too long is refused, not asked about.
        let isSendable = command != nil || state.composer.input.text.utf8.count <= Entering.textLimit
        guard isSendable, state.surface.settings.pasteConfirmLines > 0,
            lines > state.surface.settings.pasteConfirmLines,
            !withdrawQuestion(&state)
        else { return true }
        state.composer.askAboutPaste()
        let file = isLong(lines, state) ? ", \(state.surface.fileKey) as a file" : ""
        guard let command else {
            state.say(
                question: "\(lines) pasted lines: \(state.surface.sendKey) again sends them as one message\(file)",
                short: "\(lines) lines? \(state.surface.sendKey)")
            return false
        }
        state.say(
            question:
                "\(lines) pasted lines: \(state.surface.sendKey) again runs /\(command.name); // in front sends them",
            short: "/\(command.name)? \(state.surface.sendKey): yes")
        return false
    }

    /// The question of the first Enter is over, and is not to be read any more. `false` when there is none.
    static func withdrawQuestion(_ state: inout AppState) -> Bool {
        guard state.composer.withdrawPasteQuestion() else { return false }
        state.place.dismissQuestion()
        return true
    }

    /// Ctrl-t on a long pasted draft, or one that is too long for a message. `false` when there is none.
    static func sendAsFile(_ state: inout AppState, _ effects: inout [AppEffect]) -> Bool {
        guard !state.composer.input.isEmpty, isLong(state.composer.input.pastedLines, state),
            let openID = state.place.openID
        else {
            return false
        }
        let now = state.surface.clock.civil(state.surface.moment.wall)
        func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let name =
            "\(PastedFile.prefix)\(now.year)-\(digits(now.month))-\(digits(now.day))-\(digits(now.hour))\(digits(now.minute)).txt"
        effects.append(.run(.sendTextFile(state.composer.input.text, name: name, to: openID)))
        state.composer.clear()
        // The status about the draft no longer applies.
        state.place.dismissStatus()
        Drafts.changed(&state, &effects)
        return true
    }
}
