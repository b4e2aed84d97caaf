// Clicks and the wheel: whatever is drawn as a hint, a button or a line of a list does what its key does.

import ChatCore
import Testing

@testable import ChatTUI

@Suite("Mouse")
struct MouseTests {
    private func main() -> ScreenFixture { ScreenFixture.main(columns: 80, rows: 24) }

    private func click(_ fixture: inout ScreenFixture, column: Int, row: Int) {
        let point = Point(column: column, row: row)
        fixture.send(.input(.mouse(MouseEvent(.press, .left, at: point))))
        fixture.send(.input(.mouse(MouseEvent(.release, .left, at: point))))
    }

    /// Clicks in the middle of the first place where `text` stands.
    private func click(_ fixture: inout ScreenFixture, on text: String) throws {
        let rows = fixture.canvas.text().split(separator: "\n", omittingEmptySubsequences: false)
        let row = try #require(rows.firstIndex { $0.contains(text) }, "\(text) is not on the screen")
        let range = try #require(rows[row].ranges(of: text).first)
        let column = SafeText(String(rows[row][..<range.lowerBound]), as: .line).width + text.count / 2
        click(&fixture, column: column, row: row)
    }

    @Test("a click on a name in the list opens the chat")
    func list() throws {
        var fixture = main()
        fixture.type("half-typed")
        try click(&fixture, on: "Bob")
        #expect(fixture.state.openID == ScreenFixture.bob)
        #expect(fixture.state.drafts[ScreenFixture.alice]?.text == "half-typed")
    }

    @Test("an offer that was there a while is answered by a click on its keys, in the history and on the status line")
    func offer() throws {
        let offered = { () -> ScreenFixture in
            var fixture = self.main()
            fixture.addOffer()
            return fixture
        }
        for (words, command) in [
            ("y accept", Errand.accept(TransferNumber(8), folder: nil)), ("n decline", .decline(TransferNumber(8))),
            ("Alt-y/", .accept(TransferNumber(8), folder: nil)), ("/Alt-n", .decline(TransferNumber(8))),
        ] {
            var fixture = offered()
            try click(&fixture, on: words)
            #expect(!fixture.effects.contains(.run(command)), "armed at once")
            fixture.advance(.seconds(10))
            try click(&fixture, on: words)
            #expect(fixture.effects.contains(.run(command)), "\(words)")
        }
    }

    @Test("every hint of the hint line does what it says")
    func hints() {
        for hint in HintLine(main().state, columns: 80).hints {
            var clicked = main()
            click(&clicked, column: hint.column, row: 23)
            var pressed = main()
            pressed.state.give(hint.command, from: .anywhere, &pressed.effects)
            #expect(clicked.state.overlay == pressed.state.overlay, "\(hint.label)")
            #expect(clicked.state.openID == pressed.state.openID, "\(hint.label)")
        }
    }

    @Test("in a list a click moves the cursor, and a click on the cursor chooses")
    func lines() throws {
        var fixture = main()
        fixture.press("Alt-k")
        try click(&fixture, on: "Carol  ")
        #expect(fixture.state.overlay != nil && fixture.state.openID == ScreenFixture.alice)
        try click(&fixture, on: "> 3 Carol")
        #expect(fixture.state.overlay == nil && fixture.state.openID == ScreenFixture.carol)
    }

    @Test("an overlay hides what is under it from clicks")
    func hidden() {
        var fixture = main()
        fixture.press("F1")
        let before = fixture.state.overlay
        click(&fixture, column: 5, row: 1)
        #expect(fixture.state.openID == ScreenFixture.alice)
        #expect(fixture.state.overlay == before)
    }

    @Test("a click on text of a message does nothing, whatever it says")
    func messages() throws {
        var fixture = main()
        let text = "F1 help Alt-y accept"
        fixture.send(.chat(.messageAdded(ScreenFixture.message(30, .incoming, text, at: ScreenFixture.time(21, 9, 7)))))
        fixture.effects = []
        for word in ["F1 help", "Alt-y"] { try click(&fixture, on: word) }
        #expect(fixture.state.overlay == nil)
        #expect(fixture.errands == [])
    }

    @Test("the wheel scrolls the history, or moves in the open list")
    func wheel() {
        var fixture = ScreenFixture.main(columns: 80, rows: 10)
        let point = Point(column: 30, row: 4)
        fixture.send(.input(.mouse(MouseEvent(.wheelUp, .none, at: point))))
        #expect(fixture.state.openChat?.window.isAtBottom == false)
        fixture.send(.input(.mouse(MouseEvent(.wheelDown, .none, at: point))))
        #expect(fixture.state.openChat?.window.isAtBottom == true)
        fixture.press("Alt-k")
        fixture.send(.input(.mouse(MouseEvent(.wheelDown, .none, at: point))))
        guard case .goTo(let pane) = fixture.state.overlay else {
            Issue.record("the wheel closed the list")
            return
        }
        #expect(pane.selected == 1)
    }

    @Test("Alt-m gives the mouse back to the terminal and takes it again")
    func toggle() {
        var fixture = main()
        fixture.effects = []
        fixture.press("Alt-m")
        #expect(fixture.effects == [.terminal(.mouse(false))])
        fixture.press("Alt-m")
        #expect(fixture.effects == [.terminal(.mouse(false)), .terminal(.mouse(true))])
    }
}
