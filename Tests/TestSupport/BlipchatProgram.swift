// The built program, as a person or a script would start it.

import Glibc

package enum BlipchatProgram {
    /// `BLIPCHAT_BINARY`, else the program beside the running test bundle.
    package static let path = BuiltProgram.path("blipchat", variable: "BLIPCHAT_BINARY")
}

/// One installation of blipchat: a home folder and the environment that points to it.
package final class BlipchatHome {
    package let name: String
    package let path: String
    package let folder: TemporaryDirectory
    private let program: String

    /// `name` becomes the user's name, under which others see this installation. `parent` is where the home goes; what
    /// its processes print stands elsewhere.
    package init(_ name: String, in parent: String? = nil) throws {
        guard let program = BlipchatProgram.path else {
            throw ConditionNotMet("blipchat is built (or BLIPCHAT_BINARY points to it)")
        }
        self.name = name
        self.program = program
        folder = try TemporaryDirectory()
        path = parent.map { "\($0)/\(name)" } ?? folder.file("home")
    }

    package var environment: [String: String] {
        [
            "BLIPCHAT_HOME": path, "USER": name, "HOME": folder.path, "PATH": "/usr/local/bin:/usr/bin:/bin",
            "LC_ALL": "C.UTF-8", "TZ": "UTC", "TERM": "xterm-256color",
        ]
    }

    /// The command line for a shell.
    package var command: String { program }

    package func start(_ arguments: String..., input: String = "/dev/null") throws -> ChildProcess {
        try start(arguments, input: input)
    }

    package func start(
        _ arguments: [String], input: String = "/dev/null", inOwnSession: Bool = false
    ) throws -> ChildProcess {
        try ChildProcess(
            [program] + arguments, environment: environment, folder: folder, input: input, inOwnSession: inOwnSession)
    }

    /// Runs a command to its end.
    package func run(
        _ arguments: String..., input: String = "/dev/null", timeout: Duration = patience
    ) async throws -> CommandOutcome {
        let process = try start(arguments, input: input)
        let status = try await process.waitForExit(timeout: timeout)
        return CommandOutcome(status: status, output: process.output, errorOutput: process.errorOutput)
    }

    package func terminal(
        _ arguments: String..., columns: UInt16 = 80, rows: UInt16 = 24, term: String = "xterm-256color"
    ) throws -> PseudoTerminal {
        var environment = environment
        environment["TERM"] = term
        return try PseudoTerminal([program] + arguments, environment: environment, columns: columns, rows: rows)
    }
}

/// What a command printed and returned.
package struct CommandOutcome: Sendable {
    package let status: ExitStatus
    package let output: String
    package let errorOutput: String

    package init(status: ExitStatus, output: String, errorOutput: String) {
        self.status = status
        self.output = output
        self.errorOutput = errorOutput
    }

    package var lines: [Substring] { output.split(separator: "\n") }
}
