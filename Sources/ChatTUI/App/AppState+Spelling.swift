// When the draft is given to the user's spell checker, and what becomes of its answer.

import ChatCore
import ChatWords

extension AppState {
    /// The draft is not what it was.
    mutating func spellingChanged() {
        guard !settings.spellCommand.isEmpty, !spelling.hasFailed else { return }
        spelling.due = moment.uptime + SpellCheck.pause
    }

    /// The user has paused.
    mutating func checkSpelling(_ effects: inout [AppEffect]) {
        guard let due = spelling.due, due <= moment.uptime, !spelling.isRunning else { return }
        spelling.due = nil
        guard let text = SpellCheck.text(of: input.text) else {
            spelling.unknown = []
            return
        }
        guard let command = CommandLine.words(of: settings.spellCommand), !command.isEmpty else {
            return receive(spelling: .failed("a closing quotation mark is missing"))
        }
        spelling.isRunning = true
        effects.append(.ask(.spelling(text, command: command)))
    }

    mutating func receive(spelling outcome: SpellOutcome) {
        spelling.isRunning = false
        switch outcome {
        case .unknown(let words): spelling.unknown = Set(words)
        case .failed(let reason):
            spelling = SpellCheck(hasFailed: true)
            say("input.spell_command \(settings.spellCommand): \(reason)", isError: true)
        }
    }
}
