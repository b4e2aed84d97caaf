// What the screen says when there is nothing to do, and questions that nobody answers: nothing silent, nothing stale.

import ChatCore
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Plain answers")
struct PlainAnswerTests {
    private typealias Fixture = ScreenFixture

    /// What stands on the status line; empty when nothing does.
    private func status(_ fixture: Fixture) -> String { fixture.state.place.status?.text ?? "" }

    // MARK: Questions

    @Test("Esc takes back the question of d first, then the range, then browse mode; any other key takes it back, too")
    func deleteQuestion() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("Esc", "v", "k", "d")
        #expect(fixture.text.contains("Delete 2 messages here and for Alice?"))
        fixture.press("Esc")
        #expect(!fixture.text.contains("Delete 2 messages"))
        #expect(fixture.state.place.browse?.rangeStart != nil)
        fixture.press("Esc")
        #expect(fixture.state.place.browse != nil && fixture.state.place.browse?.rangeStart == nil)
        fixture.effects = []
        fixture.press("d")
        #expect(fixture.text.contains("Delete this message here and for Alice?"))
        fixture.press("k")
        #expect(!fixture.text.contains("Delete this message"))
        fixture.press("d", "Esc")
        #expect(fixture.state.place.browse != nil)
        fixture.press("d")
        #expect(fixture.errands.isEmpty && fixture.text.contains("Delete this message"))
        fixture.advance(.milliseconds(500))
        fixture.press("d")
        #expect(fixture.errands == [.retract(Fixture.history[5], of: 1)])
        #expect(!fixture.text.contains("Delete this message"))
        fixture.press("Esc")
        #expect(fixture.state.place.browse == nil)
    }

    @Test("the question of x goes with the pane", arguments: ["Alt-t", "Esc", "j"])
    func cancelQuestion(key: String) {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.addTransfers()
        fixture.press("Alt-t")
        fixture.press("x")
        #expect(status(fixture).hasPrefix("Cancel #") || status(fixture).contains("already"))
        while status(fixture).contains("already") { fixture.press("j", "x") }
        fixture.press(key)
        #expect(status(fixture).isEmpty)
        if key == "Esc" { #expect(fixture.state.place.overlay != nil) }
    }

    // MARK: Numbers of messages

    @Test(
        "a number that is no line's is neither answered nor sent",
        arguments: ["/reply 0 x", "/reply -1 x", "/edit 0 x", "/edit 99999999999999999999 x", "/reply 12345678 x"])
    func wrongNumbers(line: String) {
        var fixture = Fixture.main(columns: 80, rows: 24)
        let words = line.split(separator: " ")
        fixture.enter(line)
        #expect(fixture.errands.isEmpty)
        #expect(fixture.text.contains("There is no line \(words[1])"))
    }

    @Test("a number can be sent as text behind the number of the line, or alone")
    func numbersAsText() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("/reply 1 0 x")
        #expect(
            fixture.errands == [.call(.send("0 x", to: Fixture.history[7].contact, replyTo: Fixture.history[7].id))])
        fixture.enter("/reply 42")
        #expect(fixture.errands == [.call(.send("42", to: Fixture.history[7].contact, replyTo: Fixture.history[7].id))])
        fixture.enter("/reply +1 agreed")
        #expect(
            fixture.errands == [
                .call(.send("+1 agreed", to: Fixture.history[7].contact, replyTo: Fixture.history[7].id))
            ])
    }

    // MARK: Sending

    @Test("the newline at the end of a paste is not sent, the empty lines within it are")
    func trailingNewline() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        for (pasted, sent) in [("l1\nl2\n\nl3\n", "l1\nl2\n\nl3"), ("l1\r\nl2\r\n", "l1\nl2"), ("one\n\n", "one\n")] {
            fixture.send(.input(.paste(pasted)))
            fixture.effects = []
            fixture.press("Enter", "Enter")
            #expect(fixture.errands == [.call(.send(sent, to: Fixture.alice))])
        }
    }

    // MARK: Words instead of nothing

    @Test("Tab without anything to complete says so in words")
    func nothingToComplete() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.type("/accept ")
        fixture.press("Tab")
        #expect(status(fixture) == "Nothing to complete here")
        fixture.type("9")
        fixture.press("Tab")
        #expect(status(fixture) == "Nothing begins with 9")
    }

    @Test("F2 and F3 say that there is no room for their pane, and do not count then")
    func paneWithoutRoom() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("F3")
        #expect(fixture.text.contains("No room for the details: it needs 110 columns, you have 80"))
        fixture.send(.input(.resize(Size(columns: 120, rows: 40))))
        #expect(fixture.text.contains("verified 12 Nov 2026"))
        fixture.press("F3")
        #expect(!fixture.text.contains("verified 12 Nov 2026"))
        fixture.press("F3")
        #expect(fixture.text.contains("verified 12 Nov 2026"))
        var narrow = Fixture.main(columns: 50, rows: 24)
        narrow.press("F2")
        #expect(status(narrow).contains("needs 60 columns"))
        narrow.press("Alt-l", "F2")
        #expect(status(narrow) == "The plain view has no panes (Alt-l ends it)")
    }

    // MARK: Files

    @Test("the details pane shows what a file is, however long its name")
    func detailsShowExtension() {
        var fixture = Fixture.main(columns: 120, rows: 40)
        let done = Fixture.transfer(7, .incoming, "invoice.pdf.exe", size: 5, .complete, transferred: 5)
        let short = Fixture.transfer(8, .incoming, "a.txt", size: 1_500_000, .complete, transferred: 1_500_000)
        let offered = Fixture.transfer(9, .incoming, "holiday pictures of 2026.jpg.scr", size: 5, .paused)
        fixture.send(.answer(.transfers([done, short, offered])))
        #expect(fixture.text.contains("inv….exe (program)      5 B"))
        #expect(fixture.text.contains("a.txt                1.5 MB"))
        #expect(fixture.text.contains("↓ #9 holiday….scr (program)"))
    }
}
