// vi's keys in the input: motions, operators, counts, and what stays as it is.

import ChatCore
import TestSupport
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("vi mode")
struct ViModeTests {
    private typealias Fixture = ScreenFixture

    /// `keys` in normal mode on `text` with the cursor at `cursor`; the cursor is shown as `|`. In insert mode `⎋` is Esc,
    /// in that of `R` `⌫` is Backspace, and anything else is typed there.
    private static func result(_ text: String, at cursor: Int, _ keys: String, register: String? = nil) -> String {
        var line = InputLine(text)
        var mode = ViMode()
        line.move(to: cursor + 1)
        _ = mode.escape(&line)
        for key in keys {
            if key == "⎋" {
                _ = mode.escape(&line)
            } else if mode.isNormal {
                _ = mode.press(key, &line, register: register)
            } else if mode.replacement != nil {
                if key == "⌫" {
                    mode.replacement?.takeBack(in: &line)
                } else {
                    mode.replacement?.overtype(String(key), in: &line)
                }
            } else {
                line.insert(String(key))
            }
        }
        return line.textBeforeCursor + "|" + line.textAfterCursor + (mode.isNormal ? "" : " insert")
    }

    @Test(
        "motions",
        arguments: [
            ("one two", 0, "w", "one |two"), ("one two", 4, "b", "|one two"), ("one two", 0, "e", "on|e two"),
            ("a.b c", 0, "w", "a|.b c"), ("a.b c", 0, "W", "a.b |c"), ("one two", 5, "0", "|one two"),
            ("one two", 0, "$", "one tw|o"), ("  one", 4, "^", "  |one"), ("one two", 0, "3l", "one| two"),
            ("one two", 0, "ft", "one |two"), ("one two", 0, "tt", "one| two"), ("a.b.c", 0, "f.;", "a.b|.c"),
            ("a.b.c", 0, "f.;,", "a|.b.c"), ("one two", 6, "Fe", "on|e two"), ("ab\ncd", 1, "j", "ab\nc|d"),
            ("ab\ncd", 4, "k", "a|b\ncd"), ("ab\ncd", 4, "gg", "|ab\ncd"), ("one", 0, "9l", "on|e"),
            ("one", 0, "fx", "|one"),
        ])
    func motions(text: String, cursor: Int, keys: String, expected: String) {
        #expect(Self.result(text, at: cursor, keys) == expected)
    }

    @Test(
        "changes",
        arguments: [
            ("one two", 0, "x", "|ne two"), ("one two", 0, "2x", "|e two"), ("one two", 2, "X", "o|e two"),
            ("one two three", 0, "dw", "|two three"), ("one two three", 0, "d2w", "|three"),
            ("one two three", 0, "2dw", "|three"), ("one two", 0, "de", "| two"), ("one two", 4, "D", "one| "),
            ("one two", 0, "dft", "|wo"), ("one two", 0, "dtt", "|two"), ("one two", 4, "db", "|two"),
            ("a\nb\nc", 2, "dd", "a\n|c"), ("a\nb\nc", 0, "2dd", "|c"), ("a\nb", 2, "dd", "|a"),
            ("one two", 0, "cw", "| two insert"), ("one two", 4, "C", "one | insert"), ("a\nb", 2, "cc", "a\n| insert"),
            ("one", 1, "rx", "o|xe"), ("one", 0, "2rx", "x|xe"), ("one", 0, "~", "O|ne"), ("a\nb", 0, "J", "a| b"),
            ("one", 1, "i", "o|ne insert"), ("one", 1, "a", "on|e insert"), ("one", 1, "A", "one| insert"),
            (" one", 3, "I", " |one insert"), ("one", 0, "o", "one\n| insert"), ("one", 0, "O", "|\none insert"),
            ("one", 0, "xu", "|one"), ("one", 0, "dz", "|one"), ("one", 0, "s", "|ne insert"),
            ("one two", 1, "ciw", "| two insert"), ("one two", 1, "diw", "| two"), ("one two x", 5, "daw", "one |x"),
            ("one two", 5, "daw", "on|e"), ("one two", 3, "diw", "one|two"), ("a b", 0, "cw", "| b insert"),
            ("one two x", 2, "c2w", "on| x insert"), ("a\nb\nc", 0, "3J", "a b| c"), ("one", 0, "diq", "|one"),
        ])
    func changes(text: String, cursor: Int, keys: String, expected: String) {
        #expect(Self.result(text, at: cursor, keys) == expected)
    }

    @Test(
        "`.` does the last change once more, and counts repeat what is typed",
        arguments: [
            ("one two three", 0, "dw.", "|three"), ("one two three", 0, "dww.", "two| "), ("abcdef", 0, "x3.", "|ef"),
            ("one two", 0, "cwfoo⎋w.", "foo fo|o"), ("one", 0, "ix⎋.", "|xxone"), ("one", 0, "3iab⎋", "ababa|bone"),
            ("one", 2, "2A!⎋.", "one!!!|!"), ("a", 0, "2ox⎋", "a\nx\n|x"), ("a", 0, "ox⎋.", "a\nx\n|x"),
            ("a", 0, "Ox⎋", "|x\na"), ("one", 0, "Rxy⎋", "x|ye"), ("one two", 0, "RX⎋w.", "Xne |Xwo"),
            ("one", 2, "Rxyz⎋", "onxy|z"), ("ab cd", 0, "rx.", "|xb cd"), ("ab cd", 0, "rxw.", "xb |xd"),
            ("abc", 0, "xu.", "|bc"), ("abc", 0, ".", "|abc"), ("a b c d", 0, "dwu2.", "|c d"),
            ("one two", 0, "ywA!⎋0.", "one two!|!"), ("a.b.c", 0, "df..", "|c"), ("abc", 0, "3x.", "|"),
            ("one", 0, "ix⎋jk.", "|xxone"), ("abc DEF ghi", 0, "xwgUww.", "bc DEF |GHI"),
            ("a b c d e f g h i", 0, "d2w3.", "|f g h i"), ("a b c d e f", 0, "2dw.", "|e f"),
            ("hello world", 0, "RXYZ⌫⌫⌫⎋", "|hello world"), ("ab", 1, "Rxyz⌫⌫⎋", "a|x"), ("ab", 1, "R⌫⎋", "|ab"),
            ("one two three four", 0, "2daw", "|three four"), ("one two three four", 0, "d3iw", "| three four"),
            ("one two three four five", 0, "daw2.", "|four five"), ("a\nb\nc", 0, "d2G.", "|"),
            ("  a\n  b\nc", 0, "dd", "  |b\nc"),
        ])
    func repeated(text: String, cursor: Int, keys: String, expected: String) {
        #expect(Self.result(text, at: cursor, keys) == expected)
    }

    @Test(
        "gU, gu and g~ change letters, and what stands in quotes or brackets is an object",
        arguments: [
            ("one two", 0, "gUw", "|ONE two"), ("ONE TWO", 4, "guiw", "ONE |two"), ("aBc d", 0, "g~w", "|AbC d"),
            ("one\ntwo", 0, "gUU", "|ONE\ntwo"), ("ONE\nTWO\nX", 0, "2guu", "|one\ntwo\nX"),
            ("straße", 0, "gU$", "|STRASSE"), ("one two", 0, "gUwu", "|one two"), ("a b c", 0, "gUlw.", "A |B c"),
            ("say \"a b\" x", 6, "di\"", "say \"|\" x"), ("say \"a b\" x", 0, "da\"", "say |x"),
            ("f(a, (b)) c", 3, "di(", "f(|) c"), ("f(a, (b)) c", 6, "dib", "f(a, (|)) c"),
            ("f(a) c", 1, "da)", "f| c"), ("f[a]", 2, "gUi]", "f[|A]"), ("{a}", 1, "diB", "{|}"),
            ("<a>", 1, "di>", "<|>"),
            ("a", 0, "di(", "|a"), ("a \"b", 0, "di\"", "|a \"b"), ("it's", 0, "di'", "|it's"),
        ])
    func lettersAndObjects(text: String, cursor: Int, keys: String, expected: String) {
        #expect(Self.result(text, at: cursor, keys) == expected)
    }

    @Test("R in the input overtypes, and another line ends it")
    func replaceMode() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.state.surface.set(\.editMode, to: .vi)
        fixture.type("hello")
        fixture.press("Esc", "0", "R")
        fixture.type("JE")
        #expect(fixture.state.composer.input.text == "JEllo")
        fixture.press("Esc", "u")
        #expect(fixture.state.composer.input.text == "hello")
        fixture.press("A")
        fixture.type("!")
        #expect(fixture.state.composer.input.text == "hello!")
    }

    @Test(
        "one command is undone as one change, and what was typed in one go, too",
        arguments: [
            ("one two", 0, "rZu", "|one two"), ("one", 0, "3~u", "|one"), ("a\nb", 0, "Ju", "|a\nb"),
            ("one two", 0, "2rxu", "|one two"),
        ])
    func undone(text: String, cursor: Int, keys: String, expected: String) {
        #expect(Self.result(text, at: cursor, keys) == expected)
    }

    @Test("a whole insertion is one change", arguments: ["A", "i", "cw", "o", "S"])
    func insertion(key: String) {
        var line = InputLine("one two")
        var mode = ViMode()
        line.move(to: 1)
        _ = mode.escape(&line)
        for character in key { _ = mode.press(character, &line, register: nil) }
        for word in ["foo", " ", "bar"] { for character in word { line.insert(String(character)) } }
        line.deleteBackward()
        _ = mode.escape(&line)
        #expect(line.text != "one two")
        _ = mode.press("u", &line, register: nil)
        #expect(line.text == "one two")
    }

    @Test(
        "words stop at the end of a line, lines count, a search goes on",
        arguments: [
            ("one two\nthree", 4, "dw", "one| \nthree"), ("one two\nthree", 0, "d2w", "|\nthree"),
            ("one two\nthree", 0, "dw", "|two\nthree"), ("a\nb\nc", 0, "9j", "a\nb\n|c"),
            ("a\nb\nc", 4, "9k", "|a\nb\nc"), ("a\n  b\nc", 0, "2G", "a\n  |b\nc"), ("a\n  b", 0, "G", "a\n  |b"),
            ("a b.c.d", 0, "t.;", "a b.|c.d"), ("a.b.c", 4, "T.;", "a.|b.c"), ("one\n   two", 0, "J", "one| two"),
            ("ab\ncd", 4, "yk", "a|b\ncd"), ("a\nb", 0, "r\n", "\n|\nb"),
        ])
    func finer(text: String, cursor: Int, keys: String, expected: String) {
        #expect(Self.result(text, at: cursor, keys) == expected)
    }

    @Test("a changed line is put back as a line")
    func changedLine() {
        var line = InputLine("one\ntwo")
        var mode = ViMode()
        _ = mode.escape(&line)
        var taken: String?
        for key in "cc" { if case .taken(let text) = mode.press(key, &line, register: nil) { taken = text } }
        #expect(taken == "two\n")
    }

    @Test("Enter ends a half-typed command and sends nothing; behind r it is a line end")
    func enter() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.state.surface.set(\.editMode, to: .vi)
        fixture.type("one")
        fixture.press("Esc", "d")
        fixture.effects = []
        fixture.press("Enter")
        #expect(fixture.errands.isEmpty && fixture.state.composer.input.text == "one")
        fixture.press("r", "Enter")
        #expect(
            fixture.state.composer.input.text == "on\n"
                && fixture.errands.allSatisfy { $0 != .call(.send("one", to: Fixture.alice)) })
    }

    @Test("what was taken is put back, whole lines as lines")
    func puts() {
        #expect(Self.result("ad", at: 0, "p", register: "bc") == "ab|cd")
        #expect(Self.result("ad", at: 1, "P", register: "bc") == "ab|cd")
        #expect(Self.result("a\nb", at: 0, "p", register: "x\n") == "a\n|x\nb")
        #expect(Self.result("a\nb", at: 2, "P", register: "x\n") == "a\n|x\nb")
        #expect(Self.result("ad", at: 0, "2p", register: "bc") == "abcb|cd")
        #expect(Self.result("a", at: 0, "2p", register: "x\n") == "a\n|x\nx")
    }

    @Test("random keys never trap and keep the cursor in the text", arguments: 1...6 as ClosedRange<UInt64>)
    func random(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var line = InputLine("one two\nthree, four\n\nfive 👨‍👩‍👧 six")
        var mode = ViMode()
        let keys = Array("hl0^$wbeWBEfFtT;,jkGgdcyxXDCsSYr~iaIAoOpPuJ2 zww")
        for _ in 0..<3000 {
            if mode.isNormal {
                let key = keys.randomElement(using: &generator) ?? "h"
                if line.characters.count < 500 || !"oOpP".contains(key) {
                    _ = mode.press(key, &line, register: "a\nb\n")
                }
            } else {
                _ = mode.escape(&line)
            }
            #expect((0...line.characters.count).contains(line.cursor))
        }
    }

    @Test("Esc goes from typing to normal mode, from there to browsing; the cursor's shape and a word say which")
    func modes() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.state.surface.set(\.editMode, to: .vi)
        fixture.send(.clock)
        fixture.type("one two")
        #expect(fixture.effects.contains(.terminal(.cursorShape(.bar))))
        fixture.effects = []
        fixture.press("Esc")
        #expect(fixture.effects.contains(.terminal(.cursorShape(.block))))
        #expect(fixture.text.contains("NORMAL"))
        fixture.type("dbx")
        #expect(fixture.state.composer.input.text == "one ")
        fixture.press("Alt-2")
        #expect(fixture.state.place.openID == Fixture.bob)
        fixture.press("Alt-1")
        fixture.effects = []
        fixture.press("Enter")
        #expect(fixture.errands.contains(.call(.send("one ", to: Fixture.alice))))
        #expect(!fixture.state.isViNormal)
    }

    @Test(
        "a half-typed command is dropped by Esc, and by any key that is no character",
        arguments: ["Esc", "Left", "F1"])
    func escape(key: String) {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.state.surface.set(\.editMode, to: .vi)
        fixture.state.composer.write(InputLine("one two"))
        fixture.press("Esc", "d", key)
        if fixture.state.place.overlay != nil { fixture.press("Esc") }
        fixture.press("w")
        #expect(fixture.state.composer.input.text == "one two")
    }

    @Test("k and j beyond the draft show the lines before, and come back to the draft")
    func typedLines() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.state.surface.set(\.editMode, to: .vi)
        for line in ["first", "second"] {
            fixture.type(line)
            fixture.press("Enter")
        }
        fixture.type("half a line")
        fixture.press("Esc", "k")
        #expect(fixture.state.composer.input.text == "second")
        fixture.press("k")
        #expect(fixture.state.composer.input.text == "first")
        fixture.press("j", "j")
        #expect(fixture.state.composer.input.text == "half a line")
    }
}
