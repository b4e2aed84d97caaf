// Why a command failed: one sentence for people and one code for scripts. Thrown by commands, printed by Program.

import ChatTUI

/// Prints as `blipchat: what: why (what to do)`.
struct CommandError: Error, Sendable, Equatable {
    var exit: ExitCode
    /// What it happened to: a file, an option, a contact.
    var subject: String
    var reason: String
    /// What the user can do about it.
    var advice: String?

    init(_ exit: ExitCode, _ subject: String, _ reason: String, advice: String? = nil) {
        self.exit = exit
        self.subject = subject
        self.reason = reason
        self.advice = advice
    }

    /// The line for standard error, safe for any terminal whatever the parts contain.
    var sentence: String {
        var text = "blipchat: " + Self.safe(subject) + ": " + Self.safe(reason)
        if let advice { text += " (" + Self.safe(advice) + ")" }
        return text
    }

    private static func safe(_ text: String) -> String { SafeText(text, as: .line).terminalString() }
}
