// Programs of the user: started without a shell, with their words as they are.

import Glibc
import TestSupport
import Testing

@testable import ChatTUI
@testable import ChatWords

@ScreenActor
@Suite("Launching programs", .timeLimit(.minutes(10)))
struct ProgramLauncherTests {
    @Test("a program gets its words unchanged and no terminal")
    func words() async throws {
        let directory = try TemporaryDirectory()
        let launcher = ProgramLauncher()
        let script = "printf '%s|' \"$@\" > \"$0.new\"; [ -t 1 ] && echo tty >> \"$0.new\"; mv \"$0.new\" \"$0\""
        let path = directory.file("out")
        #expect(launcher.launch(["sh", "-c", script, path, "a b", "$(reboot)", "`x`", "'"]) == 0)
        try await eventually("the program has run") { TestFile.text(path) == "a b|$(reboot)|`x`|'|" }
    }

    /// Others that wait for any child would see it for ever, and so would `ps`.
    @Test("nothing is left in the process table of a program that has ended")
    func ended() async throws {
        let directory = try TemporaryDirectory()
        let launcher = ProgramLauncher()
        let path = directory.file("pid")
        #expect(launcher.launch(["sh", "-c", "echo $$ > \"$0.new\"; mv \"$0.new\" \"$0\"", path]) == 0)
        try await eventually("the program has run") { !TestFile.text(path).isEmpty }
        let process = try #require(Int32(TestFile.text(path).dropLast()))
        try await eventually("it is gone") { kill(process, 0) == -1 && errno == ESRCH }
    }

    @Test("who starts a program learns that it has failed at once, and how")
    func failed() async throws {
        // However slow this machine is now.
        let launcher = ProgramLauncher(soon: .seconds(600))
        let failures = Failures()
        for script in ["exit 4", "kill -9 $$", "exit 0"] {
            #expect(launcher.launch(["sh", "-c", script]) { failures.all.append($0) } == 0)
        }
        try await eventually("two have failed") { failures.all.count == 2 }
        #expect(Set(failures.all.map { "\($0)" }) == ["code(4)", "signal(9)"])
    }

    @Test("a program that is not there is an error, not a silence")
    func missing() {
        let launcher = ProgramLauncher()
        #expect(launcher.launch(["/nonexistent/program"]) == ENOENT)
        #expect(launcher.launch([]) == EINVAL)
        #expect(launcher.launch(["true", "a\u{0}b"]) == EINVAL)
    }
}

/// What a launcher has told.
@ScreenActor
private final class Failures {
    var all: [ProgramFailure] = []
}
