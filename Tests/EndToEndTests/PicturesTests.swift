// Docs/pictures: the screens that the README and the guide show are those of this program.

import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite struct PicturesTests {
        private static let hasTmux = access("/usr/bin/tmux", X_OK) == 0

        private func check(_ pictures: String) async throws -> CommandOutcome {
            let folder = try TemporaryDirectory()
            let process = try ChildProcess(
                [
                    "python3", "\(TestFile.repository)/Scripts/pictures.py", BlipchatProgram.path ?? "", pictures,
                    "--check",
                ],
                environment: [
                    "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": folder.path, "LC_ALL": "C.UTF-8",
                    // The tests that run beside this one have the processors, too.
                    "BLIPCHAT_PATIENCE": "2",
                ], folder: folder)
            let status = try await process.waitForExit(timeout: .seconds(540))
            return CommandOutcome(status: status, output: process.output, errorOutput: process.errorOutput)
        }

        @Test(
            "the pictures and the recorded session of the guide are what the program shows today (else: make pictures)",
            .enabled(if: hasTmux, "tmux is not installed (apt install tmux)"), .timeLimit(.minutes(10)))
        func current() async throws {
            let outcome = try await check("\(TestFile.repository)/Docs/pictures")
            #expect(outcome.status == .exited(0), "\(outcome.errorOutput)")
            for name in ["chat.svg", "file.svg", "palette.svg", "session.cast", "session.svg"] {
                #expect(outcome.output.contains("/\(name): is current\n"), "\(name)")
            }
        }

        @Test(
            "a picture of another program is noticed, with its first row that differs",
            .enabled(if: hasTmux, "tmux is not installed (apt install tmux)"), .timeLimit(.minutes(10)))
        func outdated() async throws {
            let folder = try TemporaryDirectory()
            let picture = TestFile.text("\(TestFile.repository)/Docs/pictures/chat.svg")
            let older = picture.replacing("Alt-k go to", with: "Alt-k go")
            try #require(older != picture)
            try TestFile.write(older, to: folder.file("chat.svg"))
            let outcome = try await check(folder.path)
            #expect(outcome.status == .exited(1))
            #expect(
                outcome.errorOutput.hasPrefix("pictures.py: chat.svg is not of this program")
                    && outcome.errorOutput.contains("row 22 is"), "\(outcome.errorOutput)")
        }
    }
}
