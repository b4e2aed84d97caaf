// What a command of blipwire is: a name, options with their help texts, and something to run.

/// A command. Its command line is read into it before anything is done.
protocol Command: Sendable {
    static var specification: CommandSpecification { get }
    init(_ arguments: Arguments) throws(UsageError)
    /// Returns the exit code.
    func run() async throws -> ExitCode
}

/// From which both parsing and help are made.
struct CommandSpecification: Sendable {
    let name: String
    /// What stands behind the options, such as `URL`; empty for none.
    var operand = ""
    /// Without a capital letter and a full stop.
    let summary: String
    /// Paragraphs behind the summary.
    var details = ""
    let options: [OptionSpecification]
}

/// An option: `--name`, `--name VALUE` or `--name=VALUE`.
struct OptionSpecification: Sendable {
    /// With its two dashes.
    let name: String
    /// What stands for the value in help texts; `nil` for a flag.
    let value: String?
    let isRequired: Bool
    let help: String

    init(_ name: String, value: String? = nil, required: Bool = false, _ help: String) {
        self.name = name
        self.value = value
        isRequired = required
        self.help = help
    }
}

/// What the process returns; the numbers mean the same as those of blipchat.
enum ExitCode: Int32, Sendable, CaseIterable {
    case done = 0
    case failed = 1
    case usage = 2
    case identity = 5
    case local = 7
    case network = 8
    /// The reader of our output has gone; says nothing.
    case brokenPipe = 141

    var meaning: String? {
        switch self {
        case .done: "done; client: every check succeeded"
        case .failed: "a check failed, or the other side answered unexpectedly"
        case .usage: "wrong usage"
        case .identity: "the other side has a different key from --peer"
        case .local: "a file, an address or an output is unusable here"
        case .network: "no connection, or it was lost"
        case .brokenPipe: nil
        }
    }
}
