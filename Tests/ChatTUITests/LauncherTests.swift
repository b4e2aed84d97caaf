// Opening links and files: real programs, one argument, no shell.

import Glibc
import Testing

@testable import ChatTUI

@Suite("Launcher")
struct LauncherTests {
    @Test("the program gets the argument as it is, and nothing of it is a command")
    func argument() async throws {
        var template = Array("/tmp/blipchat-launcher-XXXXXX".utf8CString)
        let made = try #require(mkdtemp(&template))
        let folder = String(cString: made)
        let path = "\(folder)/a b; $(touch c) 'd"
        defer {
            unlink(path)
            rmdir(folder)
        }
        #expect(await Launcher.run("touch", path) == nil)
        #expect(access(path, F_OK) == 0)
    }

    @Test("what went wrong is said in words")
    func failures() async {
        #expect(await Launcher.run("false", "x") == "false says that it cannot (exit code 1)")
        #expect(await Launcher.run("/nonexistent/browser", "x") == "/nonexistent/browser: no such file or directory")
    }
}
