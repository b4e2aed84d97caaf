// Editing the input line: clusters, words, lines, kill ring, undo, history.

import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Input line")
struct InputLineTests {
    @Test("moves and deletes by grapheme clusters")
    func clusters() {
        var line = InputLine("a👨‍👩‍👧e\u{301}")
        #expect(line.characters.count == 3)
        line.deleteBackward()
        #expect(line.text == "a👨‍👩‍👧")
        line.deleteBackward()
        #expect(line.text == "a")
    }

    @Test("a combining mark that is typed joins the cluster before it")
    func combining() {
        var line = InputLine("e")
        line.insert("\u{301}")
        #expect(line.characters.count == 1)
        #expect(line.cursor == 1)
        line.insert("x")
        #expect(line.text == "e\u{301}x")
    }

    @Test("line ends of other systems become LF")
    func lineEnds() {
        var line = InputLine()
        line.insert("a\r\nb\rc\nd")
        #expect(line.text == "a\nb\nc\nd")
    }

    @Test(
        "words",
        arguments: [
            (AppCommand.killBlankWord, "one two-"), (.killWordBackward, "one two-"), (.wordLeft, "one two-three"),
        ])
    func words(command: AppCommand, expected: String) {
        var line = InputLine("one two-three")
        _ = line.perform(command, reordering: true)
        switch command {
        case .killBlankWord: #expect(line.text == "one ")
        default: #expect(line.text == expected)
        }
    }

    @Test("Ctrl-k at the end of a line takes the line end")
    func killLineEnd() {
        var line = InputLine("one\ntwo")
        line.move(to: 3)
        let result1 = line.perform(.killToEnd, reordering: true)
        #expect(result1 == .killed("\n", .forward))
        #expect(line.text == "onetwo")
    }

    @Test("Ctrl-u and Ctrl-k stay within their line")
    func killWithinLine() {
        var line = InputLine("one\ntwo three\nfour")
        line.move(to: 8)
        let result2 = line.perform(.killToStart, reordering: true)
        #expect(result2 == .killed("two ", .backward))
        let result3 = line.perform(.killToEnd, reordering: true)
        #expect(result3 == .killed("three", .forward))
        #expect(line.text == "one\n\nfour")
    }

    @Test("a run of typing is undone at once, a kill by itself")
    func undo() {
        var line = InputLine()
        for character in "hello" { line.insert(String(character)) }
        _ = line.perform(.killToStart, reordering: true)
        _ = line.perform(.undo, reordering: true)
        #expect(line.text == "hello")
        _ = line.perform(.undo, reordering: true)
        #expect(line.text == "")
        _ = line.perform(.undo, reordering: true)
        #expect(line.text == "")
    }

    @Test("Up and Down keep the column within a text of several lines")
    func lines() {
        var line = InputLine("first\nab\nthird")
        let moved1 = line.moveLineDown()
        #expect(!moved1)
        let moved2 = line.moveLineUp()
        #expect(moved2)
        #expect(line.cursor == 8)
        let moved3 = line.moveLineUp()
        #expect(moved3)
        #expect(line.cursor == 2)
        let moved4 = line.moveLineUp()
        #expect(!moved4)
    }

    @Test("kills in a row become one entry of the ring")
    func killRing() {
        var ring = KillRing()
        ring.add("two ", joining: nil)
        ring.add("one ", joining: .backward)
        ring.add("three", joining: .forward)
        #expect(ring.newest == "one two three")
        ring.add("other")
        #expect(ring.entries.count == 2)
    }

    @Test("the history of lines comes back to the draft")
    func history() {
        var history = InputHistory()
        history.add("one")
        history.add("two")
        history.add("two")
        let result4 = history.older(than: "draft")
        #expect(result4 == "two")
        let result5 = history.older(than: "two")
        #expect(result5 == "one")
        let result6 = history.older(than: "one")
        #expect(result6 == nil)
        let result7 = history.newer()
        #expect(result7 == "two")
        let result8 = history.newer()
        #expect(result8 == "draft")
        let result9 = history.newer()
        #expect(result9 == nil)
    }

    @Test("the box wraps at its width and finds the cursor")
    func box() {
        var line = InputLine("abcdef")
        var box = InputBox(line, width: 4, maxRows: 5, reordering: true)
        #expect(box.rows.map(\.text) == ["abcd", "ef"])
        #expect(box.cursor == Point(column: 2, row: 1))
        line.move(to: 4)
        box = InputBox(line, width: 4, maxRows: 5, reordering: true)
        #expect(box.cursor == Point(column: 0, row: 1))
        line = InputLine("abcd")
        box = InputBox(line, width: 4, maxRows: 5, reordering: true)
        #expect(box.cursor == Point(column: 0, row: 1))
        #expect(box.rows.count == 2)
    }

    @Test("the box shows the rows around the cursor")
    func boxScrolls() {
        var line = InputLine((1...9).map { "line \($0)" }.joined(separator: "\n"))
        #expect(
            InputBox(line, width: 20, maxRows: 3, reordering: true).rows.map(\.text) == ["line 7", "line 8", "line 9"])
        line.move(to: 0)
        #expect(
            InputBox(line, width: 20, maxRows: 3, reordering: true).rows.map(\.text) == ["line 1", "line 2", "line 3"])
    }
}
