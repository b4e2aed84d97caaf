// One command of the command line. The table (Arguments/CommandTable.swift) says how it is used, and which type it is.

import ChatSettings

protocol Command: Sendable {
    init(context: CommandContext)
    /// Throws why it failed, as one sentence with its exit code.
    func run() async throws(CommandError) -> ExitCode
}
