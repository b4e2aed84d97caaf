// Asks before a command does what nobody can undo, or takes over what somebody else has written: on the terminal, or
// answered beforehand by `--yes`.

import Arguments
import ChatSettings
import Glibc

/// A question that has to be answered with yes before a command continues.
struct Confirmation {
    /// What the command is about, for its sentences: `import`, the name of a contact.
    var subject: String
    /// What is going to happen, for those who cannot be asked: `adds 3 contacts`.
    var consequence: String
    /// The question itself: `Add 3 contacts?`
    var question: String

    /// Whether a line that somebody has typed means yes; the end of the input does not.
    static func isYes(_ line: String?) -> Bool {
        let answer = line?.lowercased().filter { !$0.isWhitespace }
        return answer == "y" || answer == "yes"
    }
}

extension OptionSpecification {
    /// For every command that asks.
    static let yes = OptionSpecification("--yes", "do it without asking (for scripts)")
}

extension CommandContext {
    /// Returns when the answer is yes: by `--yes`, or on the terminal.
    ///
    /// Throws code 2 when there is nobody to ask, code 1 when the answer is no.
    func confirm(_ confirmation: Confirmation) throws(CommandError) {
        guard !arguments.has("--yes") else { return }
        guard isatty(STDIN_FILENO) == 1, !arguments.has("--no-input") else {
            throw CommandError(
                .usage, confirmation.subject, "\(confirmation.consequence), and blipchat cannot ask you",
                advice: "give --yes if that is what you want; nothing was changed")
        }
        streams.ask("\(confirmation.question) [y/N]")
        guard Confirmation.isYes(readLine(strippingNewline: true)) else {
            throw CommandError(.negative, confirmation.subject, "nothing was changed")
        }
    }
}
