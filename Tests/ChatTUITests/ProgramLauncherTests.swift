// Programs of the user: started without a shell, with their words as they are.

import Glibc
import TestSupport
import Testing

@testable import ChatTUI

@ScreenActor
@Suite("Launching programs", .timeLimit(.minutes(1)))
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

    @Test("a program that is not there is an error, not a silence")
    func missing() {
        let launcher = ProgramLauncher()
        #expect(launcher.launch(["/nonexistent/program"]) == ENOENT)
        #expect(launcher.launch([]) == EINVAL)
        #expect(launcher.launch(["true", "a\u{0}b"]) == EINVAL)
    }
}
