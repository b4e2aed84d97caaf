// Spell checkers as real programs: their words, their errors, and those that never end.

import Testing

@testable import ChatTUI

@Suite("Spell checkers", .timeLimit(.minutes(10)))
struct SpellProgramTests {
    /// Prints every word of its input that is `teh`, like a checker that knows all others.
    private static let checker = ["sh", "-c", "tr -s ' ' '\\n' | grep -x -e teh || true"]

    @Test("reads the text and prints the unknown words")
    func words() async {
        #expect(await SpellProgram(words: Self.checker).check("teh cat\nand teh dog") == .unknown(["teh", "teh"]))
        #expect(await SpellProgram(words: Self.checker).check("all well") == .unknown([]))
    }

    @Test("a text that fills every pipe goes through")
    func large() async {
        let text = String(repeating: "teh ", count: 16_000)
        guard case .unknown(let words) = await SpellProgram(words: Self.checker).check(text) else {
            Issue.record("the checker failed")
            return
        }
        #expect(words.count == 16_000)
    }

    @Test("no shell is asked: what the command line has in it goes to the program as it is")
    func noShell() async {
        let outcome = await SpellProgram(words: ["printf", "%s\\n", "$HOME;reboot"]).check("text")
        #expect(outcome == .unknown(["$HOME;reboot"]))
    }

    @Test("errors are told in words: missing, refused, and what the program says of itself")
    func errors() async {
        let missing = await SpellProgram(words: ["/nonexistent/aspell"]).check("a")
        #expect(missing == .failed("it does not start: No such file or directory"))
        let script = "echo 'no dictionary for xx' >&2; exit 1"
        #expect(await SpellProgram(words: ["sh", "-c", script]).check("a") == .failed("no dictionary for xx"))
        #expect(await SpellProgram(words: ["false"]).check("a") == .failed("it exited with an error"))
        #expect(await SpellProgram(words: ["true"]).check("not read") == .unknown([]))
    }

    @Test("one that never ends is ended")
    func hanging() async {
        var program = SpellProgram(words: ["sleep", "100000"])
        program.timeLimit = .milliseconds(100)
        #expect(await program.check("a") == .failed("it took longer than 0 s"))
    }
}
