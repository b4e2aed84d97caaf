// Why a command failed: one sentence for people and one code for scripts. Thrown by commands, printed by Program.

import ChatWords

/// Prints as `blipchat: what: why (what to do)`, a line for each thing that is wrong.
package struct CommandError: Error, Sendable, Equatable {
    package var exit: ExitCode
    /// The thing that it happened to: a file, an option, a contact.
    package var subject: String
    package var reason: String
    /// The remedy that the user has.
    package var advice: String?
    /// The other faults, where one look finds several (a file of settings), each as a line of its own.
    var others: [String] = []
    /// Its place in the text file that it is about.
    package var place: TextPlace?
    /// The system's error number, where one is the reason.
    package var code: Int32?
    /// Another process holds the home; that may pass.
    package var isAlreadyRunning = false

    package init(_ exit: ExitCode, _ subject: String, _ reason: String, advice: String? = nil) {
        self.exit = exit
        self.subject = subject
        self.reason = reason
        self.advice = advice
    }

    /// A place in a file.
    package struct TextPlace: Sendable, Equatable {
        package var file: String
        package var position: TextPosition
    }

    /// The lines for standard error, safe for any terminal whatever the parts contain.
    package var sentence: String { words.map { "blipchat: " + $0 }.joined(separator: "\n") }

    /// The same without the name of the program, for the screen.
    package var words: [String] { [Self.safe(line)] + others.map(Self.safe) }

    /// `what: why (what to do)`
    private var line: String {
        (subject.isEmpty ? "\"\"" : subject) + ": \(reason)" + (advice.map { " (\($0))" } ?? "")
    }

    package static func badValue(_ option: String, _ value: String, _ wanted: String) -> CommandError {
        CommandError(.usage, "\(option) \(value)", "not a valid value", advice: "give \(wanted)")
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
