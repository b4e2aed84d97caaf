// When the draft is given to the user's spell checker, and what becomes of its answer.

import ChatCore
import ChatWords

/// When the spell checker gets the draft, and what becomes of its answer.
enum SpellChecking {
    /// The draft is not what it was.
    static func draftChanged(_ state: inout AppState) {
        guard !state.surface.settings.spellCommand.isEmpty else { return }
        state.composer.spelling.draftChanged(at: state.surface.moment.uptime)
    }

    /// The user has paused.
    static func check(_ state: inout AppState, _ effects: inout [AppEffect]) {
        guard state.composer.spelling.takeDue(at: state.surface.moment.uptime) else { return }
        guard let text = SpellCheck.text(of: state.composer.input.text) else {
            return state.composer.spelling.end(unknown: [])
        }
        guard let command = CommandLine.words(of: state.surface.settings.spellCommand), !command.isEmpty else {
            return receive(spelling: .failed("a closing quotation mark is missing"), &state)
        }
        state.composer.spelling.begin()
        effects.append(.ask(.spelling(text, command: command)))
    }

    static func receive(spelling outcome: SpellOutcome, _ state: inout AppState) {
        switch outcome {
        case .unknown(let words): state.composer.spelling.end(unknown: Set(words))
        case .failed(let reason):
            state.composer.spelling.fail()
            state.say("input.spell_command \(state.surface.settings.spellCommand): \(reason)", isError: true)
        }
    }
}
