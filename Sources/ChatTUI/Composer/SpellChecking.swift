// When the draft is given to the user's spell checker, and what becomes of its answer.

import ChatCore
import ChatWords

/// When the spell checker gets the draft, and what becomes of its answer.
enum SpellChecking {
    /// The draft is not what it was.
    static func draftChanged(_ state: inout AppState) {
        guard !state.surface.settings.spellCommand.isEmpty, !state.composer.spelling.hasFailed else { return }
        state.composer.spelling.due = state.surface.moment.uptime + SpellCheck.pause
    }

    /// The user has paused.
    static func check(_ state: inout AppState, _ effects: inout [AppEffect]) {
        guard let due = state.composer.spelling.due, due <= state.surface.moment.uptime,
            !state.composer.spelling.isRunning
        else {
            return
        }
        state.composer.spelling.due = nil
        guard let text = SpellCheck.text(of: state.composer.input.text) else {
            state.composer.spelling.unknown = []
            return
        }
        guard let command = CommandLine.words(of: state.surface.settings.spellCommand), !command.isEmpty else {
            return receive(spelling: .failed("a closing quotation mark is missing"), &state)
        }
        state.composer.spelling.isRunning = true
        effects.append(.ask(.spelling(text, command: command)))
    }

    static func receive(spelling outcome: SpellOutcome, _ state: inout AppState) {
        state.composer.spelling.isRunning = false
        switch outcome {
        case .unknown(let words): state.composer.spelling.unknown = Set(words)
        case .failed(let reason):
            state.composer.spelling = SpellCheck(hasFailed: true)
            state.say("input.spell_command \(state.surface.settings.spellCommand): \(reason)", isError: true)
        }
    }
}
