// Clicks and the wheel: whatever is drawn as a hint, a button or a line of a list does what its key does.

import ChatCore
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Mouse")
struct MouseTests {
    private func main() -> ScreenFixture { ScreenFixture.main(columns: 80, rows: 24) }

    private func mouse(_ fixture: inout ScreenFixture, _ button: Int, column: Int, row: Int) {
        fixture.mouse(button, column: column, row: row)
    }

    private func click(_ fixture: inout ScreenFixture, column: Int, row: Int) {
        fixture.click(column: column, row: row)
    }

    private func click(_ fixture: inout ScreenFixture, on text: String) throws { try fixture.click(on: text) }

    @Test("a click on a name in the list opens the chat")
    func list() throws {
        var fixture = main()
        fixture.type("half-typed")
        try click(&fixture, on: "Bob")
        #expect(fixture.state.place.openID == ScreenFixture.bob)
        #expect(fixture.state.composer.drafts[ScreenFixture.alice]?.text == "half-typed")
    }

    @Test("an offer that was there a while is answered by a click on its keys, in the history and on the status line")
    func offer() throws {
        let offered = { () -> ScreenFixture in
            var fixture = self.main()
            fixture.addOffer()
            return fixture
        }
        for (words, command) in [
            ("y accept", Errand.accept(TransferNumber(8), folder: nil)),
            ("n decline", .call(.declineTransfer(TransferNumber(8)))),
            ("Alt-y/", .accept(TransferNumber(8), folder: nil)), ("/Alt-n", .call(.declineTransfer(TransferNumber(8)))),
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
            Keys.give(hint.command, from: .anywhere, &pressed.state, &pressed.effects)
            #expect(clicked.state.place.overlay == pressed.state.place.overlay, "\(hint.label)")
            #expect(clicked.state.place.openID == pressed.state.place.openID, "\(hint.label)")
        }
    }

    @Test("in a list a click moves the cursor, and a click on the cursor chooses")
    func lines() throws {
        var fixture = main()
        fixture.press("Alt-k")
        try click(&fixture, on: "Carol  ")
        #expect(fixture.state.place.overlay != nil && fixture.state.place.openID == ScreenFixture.alice)
        try click(&fixture, on: "> 3 Carol")
        #expect(fixture.state.place.overlay == nil && fixture.state.place.openID == ScreenFixture.carol)
    }

    @Test("an overlay hides what is under it from clicks")
    func hidden() {
        var fixture = main()
        fixture.press("F1")
        let before = fixture.state.place.overlay
        click(&fixture, column: 5, row: 1)
        #expect(fixture.state.place.openID == ScreenFixture.alice)
        #expect(fixture.state.place.overlay == before)
    }

    // MARK: The input and the messages

    @Test("a click into the draft puts the cursor there, also behind wide characters and in other lines")
    func input() {
        var fixture = main()
        fixture.type("ab漢cd")
        let start = (fixture.canvas.cursor?.column ?? 0) - 6
        let row = fixture.canvas.cursor?.row ?? 0
        for (column, offset) in [(0, 0), (1, 1), (2, 2), (3, 2), (4, 3), (5, 4), (6, 5), (40, 5), (-3, 0)] {
            click(&fixture, column: start + column, row: row)
            #expect(fixture.state.composer.input.cursor == offset, "column \(column)")
        }
        click(&fixture, column: start + 4, row: row)
        fixture.type("X")
        #expect(fixture.state.composer.input.text == "ab漢Xcd")
        fixture.press("End", "Alt-Enter")
        fixture.type("second")
        click(&fixture, column: start + 2, row: row)
        #expect(fixture.state.composer.input.cursor == 9, "the second line begins with character 7")
        click(&fixture, column: start + 30, row: row - 1)
        #expect(fixture.state.composer.input.cursor == 6, "the end of the first line")
    }

    @Test("a click into a long draft counts what is scrolled out of its box")
    func longInput() {
        var fixture = main()
        for line in 0..<20 {
            fixture.type("line \(line)")
            fixture.press("Alt-Enter")
        }
        fixture.press("Backspace")
        let cursor = fixture.canvas.cursor ?? Point(column: 0, row: 0)
        let start = cursor.column - "line 19".count
        click(&fixture, column: start + 2, row: cursor.row - 3)
        #expect(fixture.state.composer.input.textBeforeCursor.hasSuffix("line 15\nli"))
        fixture.press("Ctrl-e")
        mouse(&fixture, 64, column: start, row: cursor.row - 1)
        #expect(fixture.state.composer.input.textBeforeCursor.hasSuffix("line 14\nline 15"), "the wheel moves by lines")
    }

    @Test("a click on a message puts the cursor there, a second one tells what it is; what it says does nothing")
    func messages() throws {
        var fixture = main()
        let message = ScreenFixture.message(
            30, .incoming, "F1 help Alt-y accept /quit", at: ScreenFixture.time(21, 9, 7))
        fixture.send(.chat(.messageAdded(message)))
        fixture.type("half-typed")
        fixture.effects = []
        try click(&fixture, on: "F1 help Alt-y")
        #expect(fixture.state.place.browse?.selected.id == message.id)
        try click(&fixture, on: "sending")
        try click(&fixture, on: "/quit")
        #expect(fixture.state.place.browse?.selected.id == message.id && fixture.state.place.overlay == nil)
        try click(&fixture, on: "Alt-y accept")
        guard case .reader(let pane) = fixture.state.place.overlay, case .info = pane.content else {
            Issue.record("\(String(describing: fixture.state.place.overlay))")
            return
        }
        #expect(fixture.errands.isEmpty && !fixture.effects.contains(.quit))
        fixture.press("Escape")
        // Into the draft, and out of browse mode.
        try click(&fixture, on: "half-typed")
        #expect(fixture.state.place.browse == nil && fixture.state.composer.input.cursor == 5)
    }

    @Test("in a range a click is its other end, and the hints beside it work")
    func range() throws {
        var fixture = main()
        for number in 30..<34 as Range<Int64> {
            let message = ScreenFixture.message(number, .incoming, "text \(number)", at: ScreenFixture.time(21, 9, 7))
            fixture.send(.chat(.messageAdded(message)))
        }
        try click(&fixture, on: "text 30")
        fixture.press("v")
        try click(&fixture, on: "text 32")
        #expect(Browsing.selectedMessages(fixture.state).count == 3)
        try click(&fixture, on: "y copy")
        #expect(fixture.effects.contains { if case .terminal(.copy) = $0 { true } else { false } })
    }

    @Test("beside an open list a click closes it, as Esc does")
    func beside() throws {
        var fixture = ScreenFixture.main(columns: 120, rows: 40)
        fixture.type("draft")
        fixture.press("Alt-k")
        try click(&fixture, on: "draft")
        #expect(fixture.state.place.overlay == nil && fixture.state.composer.input.cursor == 5)
    }

    @Test("also a click on what is nothing by itself, but none within the pane")
    func besideNothing() {
        for key in ["Alt-k", "Alt-x", "F1", "Ctrl-t", "Alt-s"] {
            var fixture = ScreenFixture.main(columns: 120, rows: 40)
            fixture.press(key)
            // The title.
            fixture.click(column: 60, row: 0)
            #expect(fixture.state.place.overlay == nil, "\(key)")
        }
        var fixture = ScreenFixture.main(columns: 120, rows: 40)
        fixture.press("F1")
        let picture = view(fixture.state)
        // What the terminal shows: nothing of it changes, so it is drawn once.
        fixture.shown = picture
        var clicks = 0
        for row in 0..<40 {
            for column in 0..<120 where picture.target(at: Point(column: column, row: row)) == .nothing {
                fixture.click(column: column, row: row)
                clicks += 1
            }
        }
        let isSame = view(fixture.state).canvas == picture.canvas
        #expect(clicks > 100 && fixture.state.place.overlay != nil && isSame)
    }

    @Test("the command that was meant takes the place of the mistyped one, with what stood behind it")
    func suggestion() throws {
        var fixture = main()
        fixture.press("Ctrl-u")
        fixture.enter("/qury bob")
        try fixture.click(on: "/query")
        #expect(fixture.state.composer.input.text == "/query bob" && fixture.state.place.status == nil)
        fixture.press("Ctrl-u")
        fixture.enter("/xyzzyx")
        try fixture.click(on: "/help")
        #expect(fixture.state.composer.input.text == "/help")
    }

    // MARK: Hints

    @Test("what hints at a command is its button")
    func buttons() throws {
        typealias Case = (
            words: String, prepare: (inout ScreenFixture) -> Void, isDone: (ScreenFixture) -> Bool
        )
        func isTransfers(_ fixture: ScreenFixture) -> Bool {
            if case .transfers = fixture.state.place.overlay { true } else { false }
        }
        func isRequests(_ fixture: ScreenFixture) -> Bool {
            switch fixture.state.place.overlay {
            case .requests, .verify: true
            default: false
            }
        }
        func isClosed(_ fixture: ScreenFixture) -> Bool { fixture.state.place.overlay == nil }
        let cases: [Case] = [
            ("Esc closes", { $0.press("F1") }, isClosed), ("Esc closes", { $0.press("Alt-x") }, isClosed),
            ("Alt-t closes", { $0.press("Alt-t") }, isClosed), ("Enter", { $0.press("Alt-k", "Down") }, isClosed),
            ("Ctrl-t", { $0.press("Alt-t") }, { if case .files = $0.state.place.overlay { true } else { false } }),
            (
                "from:NAME", { $0.press("Alt-s") },
                { if case .search(let pane) = $0.state.place.overlay { pane.showsSyntax } else { false } }
            ),
            (
                "on:yesterday", { $0.press("Alt-s", "F1") },
                {
                    if case .search(let pane) = $0.state.place.overlay {
                        pane.query.text == "on:yesterday "
                    } else {
                        false
                    }
                }
            ),
            ("transfers", { _ in }, isTransfers), ("↑0 ↓0", { _ in }, isTransfers),
            ("requests 1 Alt-r", { $0.send(.chat(.requestsChanged([ScreenFixture.erin]))) }, isRequests),
            ("requests 1", { $0.send(.chat(.requestsChanged([ScreenFixture.erin]))) }, isRequests),
            ("unread chat", { _ in }, { $0.state.place.openID != ScreenFixture.alice }),
            ("Esc cancels", { $0.press("Escape", "r") }, { $0.state.openChat?.composing == nil }),
        ]
        for item in cases {
            var fixture = ScreenFixture.main(columns: 120, rows: 40)
            item.prepare(&fixture)
            #expect(!item.isDone(fixture), "\(item.words) has nothing to do")
            try click(&fixture, on: item.words)
            #expect(item.isDone(fixture), "\(item.words)")
        }
        var scrolled = ScreenFixture.main(columns: 80, rows: 10)
        scrolled.press("PgUp")
        try click(&scrolled, on: "Alt-End")
        #expect(scrolled.state.openChat?.window.isAtBottom == true)
        var narrow = ScreenFixture.main(columns: 50, rows: 12)
        try click(&narrow, on: "2:3")
        #expect(narrow.state.place.openID == ScreenFixture.bob)
    }

    @Test("a command that a sentence of ours hints at is typed by a click, and runs only when it is entered")
    func sentences() throws {
        let sentences = [
            ("Pinned (/pins lists all)", "/pins"), ("#8 is paused (/resume 8)", "/resume 8"),
            ("Bob Lee is blocked (/unblock Bob Lee)", "/unblock Bob Lee"),
            ("No chat (/query WHO opens one)", "/query "),
            ("/send [PATH…]: offer files", "/send"), ("FAILED (no room; /retry)", ""),
            ("see /quit and (/nonsense)", ""),
        ]
        for (sentence, typed) in sentences {
            let hint = SentenceHints.hints(in: sentence).first
            #expect(hint?.meaning == (typed.isEmpty ? nil : .typed(typed)), "\(sentence)")
        }
        for places in [["status"], ["chat"]] {
            var fixture = main()
            if places == ["status"] {
                fixture.state.say("Pinned (/pins lists all)")
            } else {
                fixture.state.note("Pinned (/pins lists all)")
            }
            fixture.effects = []
            try fixture.click(on: "/pins")
            #expect(
                fixture.state.composer.input.text == "/pins" && fixture.state.place.overlay == nil
                    && fixture.questions.isEmpty)
            fixture.press("Ctrl-u")
            fixture.type("half")
            try fixture.click(on: "/pins")
            #expect(fixture.state.composer.input.text == "half")
        }
    }

    @Test("a candidate of the completion is taken by a click, and the others stay")
    func candidates() throws {
        var fixture = main()
        fixture.type("/re")
        fixture.press("Tab")
        let count = try #require(fixture.state.composer.completion?.candidates.count)
        try click(&fixture, on: "/redraw")
        #expect(
            fixture.state.composer.input.text == "/redraw"
                && fixture.state.composer.completion?.candidates.count == count)
    }

    @Test("an offer that the chords do not answer is answered by its own commands")
    func otherOffers() throws {
        var fixture = ScreenFixture.main(columns: 120, rows: 40)
        let other = ScreenFixture.transfer(9, .incoming, "other.bin", size: 70, .offered)
        fixture.send(.answer(.transfers([ScreenFixture.release, other])))
        for (transfer, position) in [(ScreenFixture.release, 40), (other, 41)] as [(FileTransfer, Int64)] {
            fixture.send(
                .chat(
                    .messageAdded(
                        ScreenFixture.fileMessage(transfer, position: position, at: ScreenFixture.time(21, 9, 8)))))
        }
        fixture.type("half")
        let hidden =
            fixture.state.place.shownOffer?.number == other.number ? ScreenFixture.release.number : other.number
        fixture.effects = []
        try click(&fixture, on: "/decline \(hidden.rawValue)")
        #expect(fixture.effects.contains(.run(.call(.declineTransfer(hidden)))))
        #expect(fixture.state.composer.input.text == "half")
    }

    @Test("a click means what was on the screen when it was made, whatever has moved since")
    func whatWasSeen() throws {
        var fixture = main()
        let seen = fixture.canvas.text()
        fixture.shown = view(fixture.state)
        fixture.type("half")
        for number in 30..<33 as Range<Int64> {
            let message = ScreenFixture.message(number, .incoming, "news \(number)", at: ScreenFixture.time(21, 9, 7))
            fixture.send(.chat(.messageAdded(message)))
        }
        #expect(view(fixture.state).canvas.text() != seen)
        // The row where it stands on the screen is that of another message in the state.
        try click(&fixture, on: "sending")
        let chosen = try #require(fixture.state.place.browse?.selected)
        guard case .text(let text) = fixture.state.openChat?.window.message(chosen.id)?.content else {
            Issue.record("no text is under the cursor")
            return
        }
        #expect(text.contains("sending"))
        // Into the draft as it was seen, which was empty.
        try click(&fixture, on: "Alice>")
        #expect(fixture.state.place.browse == nil && fixture.state.composer.input.cursor == 0)
        fixture.shown = nil
        try click(&fixture, on: "half")
        #expect(fixture.state.composer.input.cursor == 2)
    }

    @Test("no screen names a key that a click there does not press", arguments: [(120, 40), (80, 24), (40, 10)])
    func everyHint(columns: Int, rows: Int) throws {
        let hint = try Regex("(Esc|Enter|Tab|F[0-9]+|Alt-[^ /…:),]+|Ctrl-[^ /…:),]+)[: ] ?[a-z]+")
        for (name, fixture) in ScreenFixture.everyScreen(columns: columns, rows: rows) {
            let canvas = fixture.canvas
            // Letters, too: what the hint line draws is what its table says.
            if fixture.state.composer.completion == nil, let hintRow = ScreenLayout(fixture.state).hint {
                for hint in HintLine(fixture.state, columns: columns).hints where hint.column < columns {
                    let point = Point(column: hint.column, row: hintRow)
                    #expect(canvas.target(at: point) == .command(hint.command), "\(name): \(hint.label)")
                }
            }
            for (row, text) in canvas.text().split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                for match in text.matches(of: hint) {
                    let column = SafeText(String(text[..<match.range.lowerBound]), as: .line).width
                    switch canvas.target(at: Point(column: column, row: row)) {
                    case nil, .nothing, .input, .message: Issue.record("\(name): \(text[match.range])")
                    default: break
                    }
                }
            }
        }
    }

    // MARK: The wheel

    @Test("the wheel over the list moves the list, until a chat is opened")
    func wheelOverList() {
        var fixture = ScreenFixture.main(columns: 80, rows: 10)
        let first = fixture.canvas.text()
        #expect(!first.contains("Dave"))
        mouse(&fixture, 65, column: 3, row: 2)
        #expect(fixture.canvas.text().contains("Dave") && !fixture.canvas.text().contains("1 Alice"))
        #expect(fixture.state.openChat?.window.isAtBottom == true, "the history stays")
        mouse(&fixture, 64, column: 3, row: 2)
        #expect(fixture.canvas.text() == first)
        mouse(&fixture, 65, column: 3, row: 2)
        fixture.press("Alt-2")
        #expect(fixture.state.place.listTop == nil)
    }

    @Test("the wheel scrolls the history, or moves in the open list")
    func wheel() {
        var fixture = ScreenFixture.main(columns: 80, rows: 10)
        let point = Point(column: 30, row: 4)
        mouse(&fixture, 64, column: point.column, row: point.row)
        #expect(fixture.state.openChat?.window.isAtBottom == false)
        mouse(&fixture, 65, column: point.column, row: point.row)
        #expect(fixture.state.openChat?.window.isAtBottom == true)
        fixture.press("Alt-k")
        mouse(&fixture, 65, column: point.column, row: point.row)
        guard case .goTo(let pane) = fixture.state.place.overlay else {
            Issue.record("the wheel closed the list")
            return
        }
        #expect(pane.list.selected == 1)
    }

    @Test("while browsing the wheel moves the cursor, which stays in sight; other buttons and wheels do nothing")
    func wheelInBrowseMode() throws {
        var fixture = ScreenFixture.main(columns: 80, rows: 10)
        fixture.press("Esc")
        let first = try #require(fixture.state.place.browse?.selected.id)
        for _ in 0..<4 { mouse(&fixture, 64, column: 30, row: 4) }
        let selected = try #require(fixture.state.place.browse?.selected.id)
        #expect(selected != first)
        let before = fixture.canvas.text()
        for button in [66, 67, 128, 129] { mouse(&fixture, button, column: 30, row: 4) }
        #expect(fixture.canvas.text() == before)
        for _ in 0..<9 { mouse(&fixture, 65, column: 30, row: 4) }
        #expect(fixture.state.place.browse?.selected.id == first)
    }

    @Test("Alt-m gives the mouse back to the terminal and takes it again")
    func toggle() {
        var fixture = main()
        fixture.effects = []
        fixture.press("Alt-m")
        #expect(fixture.effects == [.terminal(.mouse(false))])
        fixture.press("Alt-m")
        #expect(fixture.effects == [.terminal(.mouse(false)), .terminal(.mouse(true))])
        fixture.state.surface.setTerminal(\.mouse, to: false)
        fixture.press("Alt-m")
        #expect(fixture.effects.count == 2 && fixture.text.contains("No mouse in this terminal"))
    }
}
