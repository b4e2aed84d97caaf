// Files beside the history: what was typed, pasted texts, and the editor with a real program.

import ChatCore
import Glibc
import TestSupport
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Files of the input")
struct InputFilesTests {
    private let folder: String

    init() throws {
        var template = Array("/tmp/blipchat-input-XXXXXX".utf8CString)
        _ = try #require(mkdtemp(&template))
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private func remove(_ names: String...) {
        for name in names { unlink("\(folder)/\(name)") }
        rmdir(folder)
    }

    private func mode(_ path: String) -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test("typed lines come back in the next run, also with line ends and backslashes, and only for their user")
    func history() {
        let file = InputHistoryFile(path: folder + "/input_history")
        #expect(file.read(limit: 10).isEmpty)
        let lines = ["one", "two\nlines", "back\\slash\\n", "ünïcödé 🚀"]
        for line in lines { file.append(line) }
        #expect(file.read(limit: 10) == lines)
        #expect(file.read(limit: 2) == Array(lines.suffix(2)))
        #expect(mode(folder + "/input_history") == 0o600)
        remove("input_history")
    }

    @Test("who keeps no lines has none on the disk, from the moment on at which that is set")
    func forgets() {
        let file = InputHistoryFile(path: folder + "/input_history")
        file.append("a secret")
        #expect(file.read(limit: 0).isEmpty && mode(folder + "/input_history") == 0)
        remove("input_history")
        var fixture = ScreenFixture.main(columns: 80, rows: 24)
        fixture.press("Ctrl-u")
        fixture.enter("a secret")
        var settings = fixture.state.surface.settings
        settings.historyCount = 0
        let request = SettingsRequest.set(key: "input.history", words: "0")
        fixture.send(.done(.settings(request), .settings(SettingsReply(["input.history = 0"], settings: settings))))
        #expect(fixture.effects.contains(.forgetLines))
        fixture.press("Up")
        #expect(fixture.state.composer.input.isEmpty)
    }

    @Test("a history file that has grown to more than twice the limit is made shorter")
    func shortens() {
        let file = InputHistoryFile(path: folder + "/input_history")
        for number in 1...25 { file.append("line \(number)") }
        #expect(file.read(limit: 10) == (16...25).map { "line \($0)" })
        #expect(file.read(limit: 100).count == 10)
        #expect(mode(folder + "/input_history") == 0o600)
        remove("input_history")
    }

    @Test("pasted texts become files of their own that only the user can read")
    func pastes() async throws {
        let first = try await PastedFile.write("one\ntwo", name: "paste.txt", in: folder + "/pasted")
        let second = try await PastedFile.write("three", name: "paste.txt", in: folder + "/pasted")
        #expect(first == folder + "/pasted/paste.txt")
        #expect(second == folder + "/pasted/paste-2.txt")
        #expect(mode(first) == 0o600)
        #expect(mode(folder + "/pasted") == 0o700)
        unlink(first)
        unlink(second)
        rmdir(folder + "/pasted")
        remove()
        await #expect(throws: ChatError.self) { try await PastedFile.write("x", name: "x", in: folder + "/gone/x") }
    }

    @Test("the editor edits a file with the draft, and what fails is said")
    func editor() async {
        func run(_ command: String) async -> EditorOutcome {
            await EditorSession(command: command, folder: folder).edit("draft")
        }
        #expect(await run("sed -i s/draft/edited/") == .text("edited"))
        #expect(await run("true") == .text("draft"))
        // Killed: what was saved counts, and what nano saves in its need before that.
        #expect(await run("sh -c 'echo saved > \"$0\"; kill $$'") == .text("saved"))
        #expect(await run("sh -c 'echo saved > \"$0\"; echo rescued > \"$0.save\"; kill $$'") == .text("rescued"))
        guard case .failed(let missing) = await run("no-such-editor-here") else {
            Issue.record("a missing editor is an error")
            return
        }
        #expect(missing.contains("set EDITOR"))
        guard case .failed(let failed) = await run("false") else {
            Issue.record("an editor that fails leaves the draft")
            return
        }
        #expect(failed.contains("your draft is unchanged"))
        #expect(rmdir(folder) == 0, "no file is left behind")
    }
}
