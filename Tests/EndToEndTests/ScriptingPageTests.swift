// Docs/scripting.md with real programs: every record is as its schema says (Tests/Rigs/schema.py), the scripts of
// Examples/scripts do what the page says (Tests/Rigs/scripts.py), and its commands run (Tests/Rigs/documents.py).

import TestSupport
import Testing

extension EndToEnd {
    @Suite struct ScriptingPageTests {
        private static let needsPython: Comment = "needs python3 with venv, and jsonschema from PyPI"

        /// Runs a rig; it says what it has seen.
        private func run(_ rig: String, with python: String = "python3") async throws -> String {
            // Paths of sockets are short.
            let folder = try TemporaryDirectory(in: "/tmp")
            let process = try ChildProcess(
                [python, "\(TestFile.repository)/Tests/Rigs/\(rig)"],
                environment: [
                    "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "BLIPCHAT": BlipchatProgram.path ?? "",
                    "TMPDIR": folder.path, "HOME": folder.path,
                    // The tests that run beside this one have the processors, too.
                    "BLIPCHAT_PATIENCE": "3",
                ], folder: folder)
            #expect(
                try await process.waitForExit(timeout: .seconds(540)) == .exited(0),
                "\(process.output)\(process.errorOutput)")
            return process.output
        }

        @Test(
            "each line that a command prints with --json, of an export and of a session is valid by its schema",
            .enabled(needsPython) { await PythonEnvironment.jsonSchema.isAvailable }, .timeLimit(.minutes(10)))
        func schemas() async throws {
            let python = try #require(await PythonEnvironment.jsonSchema.python())
            #expect(try await run("schema.py", with: python).hasSuffix("0 faults\n"))
        }

        @Test(
            "the scripts of Examples/scripts do what the page says, also with names and texts like options and commands",
            .timeLimit(.minutes(10)))
        func scripts() async throws {
            #expect(try await run("scripts.py").contains("ok    echo_bot.py\n"))
        }

        @Test(
            "each command of the page runs as it is there, and what the page only names exists",
            .timeLimit(.minutes(10)))
        func commands() async throws {
            #expect(try await run("documents.py").hasSuffix("0 faults\n"))
        }
    }
}
