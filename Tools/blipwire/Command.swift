// What a command of blipwire is: how it is used, and something to run.

internal import Arguments

/// A command. Its command line is read into it before anything is done.
protocol Command: Sendable {
    static var specification: CommandSpecification<CommandName> { get }
    init(_ arguments: ParsedArguments<CommandName>) throws(UsageError)
    /// Returns the exit code.
    func run() async throws -> ExitCode
}

/// Every command, in the order of the help text.
enum CommandName: String, CommandWords {
    case serve
    case client
    case bench
    case wsEcho = "ws-echo"
    case wsConformance = "ws-conformance"
    case proxy
    case tap
    case manual
    case help
}

/// The exit code of the process; the numbers mean the same as those of blipchat.
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
