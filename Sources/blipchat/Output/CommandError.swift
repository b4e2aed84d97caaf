// Why a command failed: one sentence for people and one code for scripts. Thrown by commands, printed by Program.

import ChatTUI
import ChatWords

/// Prints as `blipchat: what: why (what to do)`, a line for each thing that is wrong.
struct CommandError: Error, Sendable, Equatable {
    var exit: ExitCode
    /// What it happened to: a file, an option, a contact.
    var subject: String
    var reason: String
    /// What the user can do about it.
    var advice: String?
    /// What else is wrong, where one look finds several things (a file of settings), each as a line of its own.
    var others: [String] = []
    /// Where it stands in the text file that it is about.
    var place: TextPlace?
    /// What the chat that was asked may not use since it confines itself: this process may, perhaps.
    var outOfReach: String?
    /// Another process holds the home; that may pass.
    var isAlreadyRunning = false

    init(_ exit: ExitCode, _ subject: String, _ reason: String, advice: String? = nil) {
        self.exit = exit
        self.subject = subject
        self.reason = reason
        self.advice = advice
    }

    /// A place in a file.
    struct TextPlace: Sendable, Equatable {
        var file: String
        var position: TextPosition
    }

    /// The lines for standard error, safe for any terminal whatever the parts contain.
    var sentence: String { words.map { "blipchat: " + $0 }.joined(separator: "\n") }

    /// The same without the name of the program, for the screen.
    var words: [String] { [Self.safe(line)] + others.map(Self.safe) }

    /// `what: why (what to do)`
    private var line: String {
        (subject.isEmpty ? "\"\"" : subject) + ": \(reason)" + (advice.map { " (\($0))" } ?? "")
    }

    /// All of `errors` as one: the first `shown` of them, then how many there are beside, and how to see them; `nil`
    /// when there are none.
    static func all(_ errors: [CommandError], shown: Int, more advice: String) -> CommandError? {
        guard var first = errors.first else { return nil }
        first.others = errors.prefix(shown).dropFirst().map(\.line)
        if errors.count > shown { first.others.append("and \(errors.count - shown) more (\(advice))") }
        return first
    }

    private static func safe(_ text: String) -> String { SafeText(text, as: .line).terminalString() }
}
