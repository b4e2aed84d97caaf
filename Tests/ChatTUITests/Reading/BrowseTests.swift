// Browse mode: every key of it, pressed on a chat in memory (PRODUCT, "Browse mode").

import ChatCore
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Browse mode")
struct BrowseTests {
    private typealias Fixture = ScreenFixture

    private func screen(
        columns: Int = 80, rows: Int = 24, _ history: [ChatMessage] = Fixture.history
    ) -> ScreenFixture {
        var fixture = Fixture(
            columns: columns, rows: rows,
            conversations: [
                Fixture.conversation(Fixture.alice, "Alice", readUpTo: 10_000),
                Fixture.conversation(Fixture.bob, "Bob"),
            ])
        fixture.press("Alt-1")
        fixture.state.surface.set(\.pageSize, to: 100)
        fixture.state.world.chats[0].window.paging.limit(to: 100)
        fixture.effects = fixture.state.world.chats[0].window.paging.request.map { [.ask(.page($0))] } ?? []
        fixture.answerPages(from: history)
        fixture.effects = []
        return fixture
    }

    private static let long = (1...500 as ClosedRange<Int64>).map { number in
        Fixture.message(number, number % 3 == 0 ? .outgoing : .incoming, "line \(number)", at: Fixture.time(20, 10, 0))
    }

    private func selected(_ fixture: ScreenFixture) -> Int64? {
        Browsing.selectedMessage(fixture.state)?.position.rawValue
    }

    /// The text of the row in which the cursor of the terminal stands.
    private func cursorRow(_ fixture: ScreenFixture) -> String {
        guard let cursor = fixture.canvas.cursor else { return "" }
        return fixture.text.split(separator: "\n", omittingEmptySubsequences: false)
            .dropFirst(cursor.row).first.map(String.init) ?? ""
    }

    // MARK: Moving

    @Test("what was said does not hide what is selected from the next key on")
    func noticeInBrowseMode() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("Esc", "y")
        #expect(fixture.text.contains("Copied"))
        fixture.press("v")
        #expect(fixture.text.contains("browse: 1 selected") && !fixture.text.contains("Copied"))
        fixture.press("k")
        #expect(fixture.text.contains("browse: 2 selected"))
        fixture.send(.chat(.notice(.storeFailed(.diskFull))))
        fixture.press("k")
        #expect(fixture.text.contains("Cannot write the history"), "what has gone wrong stays")
    }

    @Test("Esc puts the cursor on the newest message, the half-typed line stays, q, Tab and Esc lead back to it")
    func enterAndLeave() {
        for leave in ["q", "Tab", "Esc"] {
            var fixture = screen()
            fixture.type("half a li")
            fixture.press("Esc")
            #expect(selected(fixture) == 8)
            #expect(cursorRow(fixture).contains("kept on disk"))
            #expect(fixture.text.contains("browse: me 21 Nov 09:06"))
            // Letters are keys now, and unknown ones change nothing.
            fixture.press("z")
            #expect(fixture.state.composer.input.text == "half a li")
            #expect(fixture.text.contains("z does nothing while you browse"))
            fixture.press("Ctrl-r")
            #expect(fixture.text.contains("Ctrl-r does nothing while you browse"))
            fixture.press(leave)
            #expect(fixture.state.place.browse == nil)
            fixture.type("ne")
            #expect(fixture.state.composer.input.text == "half a line")
        }
    }

    @Test("without a message Esc does nothing")
    func empty() {
        var fixture = screen([])
        fixture.press("Esc")
        fixture.type("x")
        #expect(fixture.state.place.browse == nil && fixture.state.composer.input.text == "x")
    }

    @Test("j and k go from message to message, and the view follows")
    func steps() {
        var fixture = screen(Self.long)
        fixture.press("Esc", "k", "k")
        #expect(selected(fixture) == 498)
        fixture.press("j")
        #expect(selected(fixture) == 499)
        for _ in 0..<60 { fixture.press("k") }
        #expect(selected(fixture) == 439)
        #expect(cursorRow(fixture).contains("line 439"))
        for _ in 0..<10 { fixture.press("j") }
        #expect(cursorRow(fixture).contains("line 449"))
    }

    @Test("steps into what is not loaded yet are done when the page is there")
    func owedSteps() {
        var fixture = screen(Self.long)
        fixture.press("Esc")
        // 100 messages are in memory; nothing answers.
        for _ in 0..<99 { fixture.press("k") }
        #expect(selected(fixture) == 401)
        fixture.press("K")
        let page = fixture.state.world.chats[0].window.paging.request
        #expect(page != nil)
        fixture.press("k")
        fixture.answerPages(from: Self.long)
        #expect(selected(fixture).map { $0 < 401 } == true)
        #expect(cursorRow(fixture).contains("line \(selected(fixture) ?? 0)"))
    }

    @Test("J, K, Ctrl-d and Ctrl-u go half a page, g and G to the ends of the whole history")
    func far() {
        var fixture = screen(Self.long)
        fixture.press("Esc", "K")
        let half = selected(fixture) ?? 0
        #expect((485...492).contains(half))
        fixture.press("J", "Ctrl-u", "Ctrl-d")
        #expect(selected(fixture) == 500)
        fixture.press("g")
        fixture.answerPages(from: Self.long)
        #expect(selected(fixture) == 1)
        #expect(cursorRow(fixture).contains("line 1"))
        fixture.press("G")
        fixture.answerPages(from: Self.long)
        #expect(selected(fixture) == 500)
        #expect(fixture.state.world.chats[0].window.isAtBottom)
    }

    @Test("the cursor keeps its place when messages come, and moves on when its message is deleted")
    func news() {
        var fixture = screen()
        fixture.press("Esc", "k")
        fixture.send(.chat(.messageAdded(Fixture.message(9, .incoming, "news", at: Fixture.time(21, 9, 7)))))
        #expect(selected(fixture) == 7)
        fixture.send(.chat(.messagesDeleted(Fixture.alice)))
        fixture.answerPages(from: Fixture.history.filter { $0.position.rawValue != 7 })
        #expect(selected(fixture) == 6)
    }

    @Test("a conversation of which anything may have changed is read anew, and nobody is told of deletions")
    func replaced() {
        var fixture = screen()
        let said = fixture.state.place.said.count
        fixture.effects = []
        fixture.send(.chat(.historyReplaced(Fixture.alice)))
        #expect(fixture.questions.contains { if case .page = $0 { true } else { false } })
        #expect(fixture.state.place.said.count == said)
    }

    @Test("another chat ends browse mode, a paste goes to the input")
    func ends() {
        var fixture = screen()
        fixture.press("Esc", "Alt-2")
        #expect(fixture.state.place.browse == nil)
        fixture = screen()
        fixture.press("Esc")
        fixture.send(.input(.paste("pasted")))
        #expect(fixture.state.place.browse == nil && fixture.state.composer.input.text == "pasted")
    }

    // MARK: Finding

    @Test("/ finds older hits, n and N walk through them, ? the other way, and the ends are said")
    func find() {
        var fixture = screen(Self.long)
        fixture.press("Esc", "/")
        fixture.type("line 2")
        #expect(fixture.text.contains("/line 2"))
        fixture.effects = []
        fixture.press("Enter")
        guard case .find(let query, let generation)? = fixture.questions.first else {
            Issue.record("nothing was asked: \(fixture.questions)")
            return
        }
        #expect(query.contact == Fixture.alice && query.terms.map(\.text) == ["line", "2"])
        let hits = [499, 490, 200].map { Self.long[$0 - 1] }
        fixture.send(.answer(.found(hits, generation: generation)))
        #expect(selected(fixture) == 499)
        #expect(fixture.text.contains("1 of 3"))
        fixture.press("n")
        #expect(selected(fixture) == 490)
        fixture.press("n")
        fixture.answerPages(from: Self.long)
        #expect(selected(fixture) == 200)
        #expect(cursorRow(fixture).contains("line 200"))
        fixture.press("n")
        fixture.answerPages(from: Self.long)
        #expect(selected(fixture) == 499)
        #expect(fixture.text.contains("wrapped to the newest"))
        fixture.press("N")
        fixture.answerPages(from: Self.long)
        #expect(selected(fixture) == 200)
        // The other direction, with the same words.
        fixture.press("?", "Enter", "n")
        fixture.answerPages(from: Self.long)
        #expect(selected(fixture) == 499)
    }

    @Test("what is not there is said, and Esc in the prompt goes back to the message")
    func findNothing() {
        var fixture = screen()
        fixture.press("Esc", "n")
        #expect(fixture.text.contains("No search yet"))
        fixture.press("/", "x", "Esc")
        #expect(fixture.state.place.overlay == nil && selected(fixture) == 8)
        fixture.press("/", "x", "Enter")
        if case .find(_, let generation)? = fixture.questions.last {
            fixture.send(.answer(.found([], generation: generation)))
        }
        #expect(fixture.text.contains("\"x\" was not found in this chat"))
    }

    @Test("t goes to a day")
    func date() {
        var fixture = screen()
        fixture.press("Esc", "t")
        #expect(fixture.text.contains("go to day:"))
        fixture.type("2026-11-20")
        fixture.effects = []
        fixture.press("Enter")
        guard case .day(_, let day, let generation)? = fixture.questions.first else {
            Issue.record("nothing was asked")
            return
        }
        #expect(day == Fixture.time(20, 0, 0))
        fixture.send(.answer(.day(Fixture.alice, day, Fixture.history[0], generation: generation)))
        #expect(selected(fixture) == 1)
    }

    @Test("u goes to the first unread message; U makes everything from here on unread, and it stays so")
    func unread() {
        var fixture = screen()
        fixture.press("Esc", "u")
        #expect(fixture.text.contains("No unread line"))
        for _ in 0..<4 { fixture.press("k") }
        #expect(selected(fixture) == 4)
        fixture.effects = []
        fixture.press("U")
        #expect(fixture.errands == [.call(.markUnread(Fixture.alice, from: HistoryPosition(4)))])
        #expect(fixture.state.world.chats[0].conversation.unreadCount == 1)
        #expect(fixture.text.contains("── 1 new "))
        fixture.press("Esc")
        fixture.advance(.seconds(1))
        #expect(!fixture.errands.contains { if case .markSeen? = $0.call { true } else { false } })
        fixture.press("Esc", "u")
        #expect(selected(fixture) == 4)
        // Opened again it is read.
        fixture.press("Alt-2", "Alt-1")
        #expect(fixture.errands.contains(.call(.markSeen(Fixture.alice, upTo: HistoryPosition(4)))))
    }

    @Test("a day that is accepted takes back that the one before was none")
    func mendedDay() {
        var fixture = screen()
        fixture.press("Esc", "t")
        fixture.type("garbage")
        fixture.advance(.seconds(2))
        fixture.press("Enter")
        #expect(fixture.text.contains("garbage is not a day"))
        fixture.press("Ctrl-u")
        fixture.type("first")
        fixture.press("Enter")
        #expect(fixture.state.place.overlay == nil && !fixture.text.contains("is not a day"))
    }

    @Test("browse mode that is left as it was entered leads back to the newest line, below our own ones, too")
    func backToTheBottom() {
        var fixture = screen()
        fixture.state.note((1...40).map { "line \($0)" })
        #expect(fixture.state.openChat?.window.isAtBottom == true)
        fixture.press("Esc")
        #expect(fixture.state.openChat?.window.isAtBottom == false, "the newest message has come into view")
        fixture.press("Tab")
        #expect(fixture.state.openChat?.window.isAtBottom == true && fixture.text.contains("line 40"))
        fixture.press("Esc", "k", "Tab")
        #expect(fixture.state.openChat?.window.isAtBottom == false, "who has moved stays there")
    }

    @Test("where Alt-N leads to the newest message nothing is newer")
    func unreadAtTheEnd() {
        var fixture = screen()
        let old = (100..<140).map { Fixture.message($0, .incoming, "line \($0)", at: Fixture.time(21, 9, 30)) }
        for message in old { fixture.send(.chat(.messageAdded(message))) }
        fixture.press("PgUp")
        for number in 1...3 {
            let news = Fixture.message(200 + Int64(number), .incoming, "news \(number)", at: Fixture.time(21, 9, 40))
            fixture.send(.chat(.messageAdded(news)))
        }
        #expect(fixture.text.contains("↓ 3 newer"))
        let list = fixture.text.split(separator: "\n").first { $0.hasPrefix("▌1 Alice") } ?? ""
        #expect(list.prefix(16).contains("3○"), "the title counts it, too: \(list)")
        fixture.press("Alt-N")
        #expect(fixture.text.contains("news 3"), "\(fixture.text)")
        #expect(!fixture.text.contains("newer"), "\(fixture.text)")
        fixture.press("PgUp")
        for number in 4...60 {
            let news = Fixture.message(200 + Int64(number), .incoming, "news \(number)", at: Fixture.time(21, 9, 41))
            fixture.send(.chat(.messageAdded(news)))
        }
        #expect(fixture.text.contains("↓ 57 newer"))
        fixture.press("PgDn", "PgDn")
        #expect(fixture.text.contains("news 4") && !fixture.text.contains("news 60"))
        #expect(!fixture.text.contains("↓ 57 newer") && fixture.text.contains(" newer"), "\(fixture.text)")
    }

    // MARK: Acting

    @Test("what is answered and deleted meanwhile is not shown any more")
    func deletedMeanwhile() {
        var fixture = screen()
        fixture.press("Esc", "k", "k", "k", "k", "r")
        #expect(fixture.text.contains("Replying to: the one from last night"))
        var changed = Fixture.history[3]
        changed.content = .text("the one of today")
        fixture.send(.chat(.messageChanged(changed)))
        #expect(fixture.text.contains("Replying to: the one of today"), "as it will be quoted")
        var gone = Fixture.history[3]
        gone.isRetracted = true
        fixture.send(.chat(.messageChanged(gone)))
        #expect(fixture.text.contains("Replying to: (deleted)") && !fixture.text.contains("from last night"))
    }

    @Test("r answers: the prompt says so, Enter sends with the message, Esc makes it a message again")
    func reply() {
        var fixture = screen()
        fixture.press("Esc", "k", "k", "k", "k", "r")
        #expect(fixture.state.place.browse == nil)
        #expect(fixture.text.contains("reply> █"))
        #expect(fixture.text.contains("Replying to: the one from last night"))
        fixture.enter("here it is")
        #expect(
            fixture.errands.contains(
                .call(.send("here it is", to: Fixture.history[3].contact, replyTo: Fixture.history[3].id))))
        #expect(fixture.text.contains("Alice> █"))
        fixture.press("Esc", "r")
        fixture.type("not an answer")
        fixture.press("Esc")
        fixture.effects = []
        fixture.press("Enter")
        #expect(fixture.errands.contains(.call(.send("not an answer", to: Fixture.alice))))
    }

    @Test("an answer that is half written survives another chat and a restart")
    func replyDraft() {
        var fixture = screen()
        fixture.press("Esc", "r")
        fixture.type("half")
        fixture.effects = []
        fixture.press("Alt-2")
        let short = Fixture.messageID(8).short
        #expect(fixture.errands.contains(.call(.setDraft("/reply #\(short) half", for: Fixture.alice))))
        fixture.press("Alt-1")
        #expect(fixture.text.contains("reply> half"))
    }

    @Test("e edits an own text; the half-typed line comes back after Enter and after Esc; others' texts are refused")
    func edit() {
        for key in ["Enter", "Esc"] {
            var fixture = screen()
            fixture.type("half")
            fixture.press("Esc", "k", "e")
            #expect(fixture.state.composer.input.text == "sending")
            #expect(fixture.text.contains("edit> sending"))
            fixture.type(" it")
            fixture.effects = []
            fixture.press(key)
            #expect(fixture.errands.contains(.call(.edit(Fixture.history[6], to: "sending it"))) == (key == "Enter"))
            #expect(fixture.state.composer.input.text == "half")
        }
        var fixture = screen()
        fixture.press("Esc", "g", "e")
        #expect(fixture.text.contains("You can only edit your own texts"))
    }

    @Test(
        "a question can be read at every size: what it does, and what answers it",
        arguments: [
            (20, 5, "Retract? d: yes"), (40, 10, "Delete for Alice too? d: yes"),
            (80, 24, "Delete this message here and for Alice? d again to delete"),
        ])
    func narrowQuestion(columns: Int, rows: Int, words: String) {
        var fixture = Fixture.main(columns: columns, rows: rows)
        fixture.press("Esc", "d")
        #expect(fixture.text.contains(words), "\(fixture.text)")
    }

    @Test("d asks once; own messages are taken back, theirs are deleted here only")
    func delete() {
        var fixture = screen()
        fixture.press("Esc", "d")
        #expect(fixture.errands.isEmpty)
        #expect(fixture.text.contains("Delete this message here and for Alice?"))
        // The question was about another message.
        fixture.press("k", "d")
        #expect(fixture.errands.isEmpty)
        fixture.advance(.milliseconds(300))
        fixture.press("d")
        #expect(fixture.errands.isEmpty, "nobody has read the question so soon")
        fixture.advance(.milliseconds(500))
        fixture.press("d")
        #expect(fixture.errands == [.retract(Fixture.history[6], of: 1)])
        fixture.effects = []
        fixture.press("g", "d")
        #expect(fixture.text.contains("on this disk only?"))
        fixture.advance(.seconds(9))
        fixture.press("d")
        #expect(fixture.errands.isEmpty)
        fixture.advance(.milliseconds(500))
        fixture.press("d")
        #expect(
            fixture.errands == [
                .call(.deleteMessages([MessageKey(.incoming, Fixture.messageID(1))], of: Fixture.alice))
            ])
    }

    @Test("+ lists reactions; names filter them, an emoji itself is one, and the own one can be taken back")
    func react() {
        var fixture = screen()
        fixture.press("Esc", "+")
        fixture.type("heart")
        fixture.effects = []
        fixture.press("Enter")
        #expect(fixture.errands == [.call(.react(to: Fixture.history[7], with: "❤"))])
        fixture.effects = []
        fixture.press("+", "🦊", "Enter")
        #expect(fixture.errands == [.call(.react(to: Fixture.history[7], with: "🦊"))])
        var reacted = Fixture.history[7]
        reacted.reactions = [Reaction(direction: .outgoing, emoji: "🦊")]
        fixture.send(.chat(.messageChanged(reacted)))
        fixture.effects = []
        fixture.press("+", "Enter")
        #expect(fixture.errands == [.call(.react(to: reacted, with: nil))])
    }

    @Test("f forwards a message, or a range of them, to a chat that is chosen")
    func forward() {
        var fixture = screen()
        fixture.press("Esc", "v", "k", "f")
        #expect(fixture.text.contains("Forward 2 messages to"))
        fixture.type("bo")
        fixture.effects = []
        fixture.press("Enter")
        #expect(fixture.errands.isEmpty && fixture.text.contains("Forward 2 messages to Bob? Enter again"))
        // A key that is held down is no answer.
        fixture.advance(.milliseconds(100))
        fixture.press("Enter")
        #expect(fixture.errands.isEmpty)
        fixture.advance(.milliseconds(500))
        fixture.press("Enter")
        #expect(
            fixture.errands == [
                .call(.send("sending", to: Fixture.bob)),
                .call(.send("(kept on disk until alice is reachable)", to: Fixture.bob)),
            ])
    }

    @Test("the prompt says that letters are keys, at any width that has one", arguments: [80, 30, 10])
    func prompt(columns: Int) {
        var fixture = screen(columns: columns, rows: 10)
        let prompt = columns < 20 ? "b> " : "browsing> "
        fixture.type("half")
        #expect(!fixture.text.contains(prompt))
        fixture.press("Esc")
        #expect(fixture.text.contains(prompt + "half"))
        fixture.press("Esc")
        #expect(!fixture.text.contains(prompt))
    }

    @Test(
        "a line that is typed by accident goes into the input",
        arguments: [
            "how are you", "what?", "tomorrow it is", "just a moment", "is it ok", "12:30", "ok", "no way", "push it",
        ])
    func typedLine(line: String) {
        var fixture = screen()
        fixture.press("Esc")
        fixture.effects = []
        fixture.type(line)
        fixture.press("Enter")
        // What begins with a command of a field comes back with Enter, everything else at its first strange letter; a
        // line that Enter has brought back is not sent by that.
        if fixture.state.composer.input.text.isEmpty {
            #expect(fixture.errands.contains(.call(.send(line, to: Fixture.alice))), "\(line)")
        } else {
            #expect(fixture.state.composer.input.text == line)
            #expect(fixture.text.contains("what you typed is here"))
        }
        #expect(fixture.state.place.browse == nil && fixture.state.place.overlay == nil)
        #expect(
            !fixture.errands.contains { if case .send(_, let text, nil)? = $0.call { text != line } else { false } })
    }

    @Test("a half-typed line gets the letters where its cursor was, and the view is where it was")
    func typedIntoDraft() {
        var fixture = screen(Self.long)
        fixture.type("half a ")
        fixture.press("Esc")
        fixture.type("like")
        #expect(fixture.state.composer.input.text == "half a like" && fixture.state.place.browse == nil)
        #expect(fixture.state.openChat?.window.isAtBottom == true)
    }

    @Test("f b o b Enter forwards nothing; a name that nobody has, typed in one go, is a line")
    func forwardByAccident() {
        var fixture = screen()
        fixture.press("Esc")
        fixture.effects = []
        fixture.type("fbob")
        fixture.press("Enter")
        #expect(fixture.errands.isEmpty && fixture.text.contains("Forward this message to Bob?"))
        fixture.press("Esc")
        #expect(fixture.state.place.overlay != nil && fixture.errands.isEmpty)
        fixture.press("Esc")
        fixture.advance(.seconds(2))
        fixture.type("fine by me")
        fixture.press("Enter")
        #expect(fixture.state.composer.input.text == "fine by me" && fixture.state.place.browse == nil)
    }

    @Test("keys that are chosen one after the other stay keys")
    func keysStayKeys() {
        var fixture = screen(Self.long)
        fixture.press("Esc")
        for key in ["k", "k", "j", "g", "G", "u", "n", "N", "v", "j", "v", "y"] { fixture.press(key) }
        #expect(fixture.state.place.browse != nil && fixture.state.composer.input.isEmpty)
        // A strange letter alone, and one after a pause.
        fixture.advance(.seconds(2))
        fixture.press("z")
        fixture.advance(.seconds(2))
        fixture.press("k", "x")
        #expect(fixture.state.place.browse == nil && fixture.state.composer.input.text == "kx")
        var other = screen()
        other.press("Esc", "k", "k", "Enter")
        #expect(other.state.place.browse != nil && other.state.composer.input.isEmpty, "Enter acts")
    }

    @Test("y copies the text, Y with time and name, v a range; what is hidden in a text is never copied")
    func copy() {
        var fixture = screen(
            Fixture.history + [Fixture.message(9, .incoming, "a\u{1B}[31m\u{202E}b", at: Fixture.time(21, 9, 7))])
        fixture.press("Esc", "k", "k", "y")
        #expect(fixture.effects.contains(.terminal(.copy("sending"))))
        fixture.press("Y")
        #expect(fixture.effects.contains(.terminal(.copy("21 Nov 09:05 Jo: sending"))))
        fixture.press("v", "k", "k", "y")
        #expect(fixture.effects.contains(.terminal(.copy("sure, one minute\nthis one? 4.1 MB\nsending"))))
        fixture.effects = []
        fixture.press("G", "y")
        guard case .terminal(.copy(let text))? = fixture.effects.last else {
            Issue.record("nothing was copied")
            return
        }
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
    }

    @Test("Esc gives up a range first; p pins")
    func rangeAndPin() {
        var fixture = screen()
        fixture.press("Esc", "v", "k", "k")
        #expect(fixture.text.contains("3 selected"))
        fixture.press("Esc")
        #expect(fixture.state.place.browse != nil && fixture.text.contains("browse: me"))
        fixture.effects = []
        fixture.press("p")
        #expect(fixture.errands == [.call(.setPinned(Fixture.history[5], true))])
        var pinned = Fixture.history[5]
        pinned.pinned = Fixture.time(21, 9, 7)
        fixture.send(.chat(.messageChanged(pinned)))
        #expect(fixture.text.contains("(pinned)"))
        fixture.effects = []
        fixture.press("p")
        #expect(fixture.errands == [.call(.setPinned(pinned, false))])
    }

    @Test("Esc leads to the newest message where nothing but the program's own lines is in view")
    func belowTheLines() {
        var fixture = screen(Fixture.history)
        fixture.state.note((1...60).map { "line \($0)" })
        fixture.press("Esc")
        #expect(selected(fixture) == Fixture.history.last?.position.rawValue)
        #expect(fixture.text.contains("browse:"))
    }

    @Test("Enter takes an offer, opens a link, or jumps to what is answered; o and s do as they say")
    func act() {
        let offer = Fixture.fileMessage(Fixture.release, position: 9, at: Fixture.time(21, 9, 7))
        var fixture = screen(Fixture.history + [offer])
        fixture.press("Esc", "o")
        #expect(!fixture.effects.contains { if case .spawn = $0 { true } else { false } })
        #expect(fixture.text.contains("nothing to open yet"))
        fixture.press("Enter")
        #expect(fixture.errands == [.accept(TransferNumber(8), folder: nil)])
        fixture.effects = []
        fixture.press("s")
        #expect(fixture.errands == [.accept(TransferNumber(8), folder: nil)])
        // Whoever chooses keys looks between them.
        fixture.advance(.seconds(2))
        fixture.press("g")
        fixture.effects = []
        fixture.press("Enter")
        let address = "https://example.org/plan/2026/release/index.html?rev=7"
        #expect(fixture.effects.contains(.spawn(["xdg-open", address])))
        fixture.press("G", "k", "k", "k")
        #expect(selected(fixture) == 6)
        fixture.press("Enter")
        #expect(selected(fixture) == 4)
    }

    @Test("what is no web address is opened only when it is asked for twice; what would be run, never")
    func ask() {
        var program = Fixture.transfer(8, .incoming, "run.sh", size: 10, .complete)
        program.path = "/home/jo/Downloads/run.sh"
        var fixture = screen([
            Fixture.message(1, .incoming, "see file:///etc/passwd", at: Fixture.time(21, 9, 0)),
            Fixture.fileMessage(program, position: 2, at: Fixture.time(21, 9, 1)),
        ])
        func isStarted() -> Bool { fixture.effects.contains { if case .spawn = $0 { true } else { false } } }
        fixture.press("Esc", "o", "o")
        #expect(!isStarted() && fixture.text.contains("#8 is a program in ~/Downloads: start it from there"))
        fixture.press("k", "o")
        #expect(!isStarted())
        fixture.press("o")
        #expect(fixture.effects.contains(.spawn(["xdg-open", "file:///etc/passwd"])))
    }

    @Test("i tells everything: times, state, ids, key, earlier texts, and the code points that are hidden")
    func info() {
        var message = Fixture.message(1, .incoming, "now\u{200B}\u{202E}!", at: Fixture.time(21, 9, 0))
        message.edited = Fixture.time(21, 9, 1)
        var fixture = screen([message])
        fixture.press("Esc")
        fixture.effects = []
        fixture.press("i")
        #expect(fixture.questions == [.versions(message)])
        fixture.send(
            .answer(
                .versions(
                    [
                        TextVersion(text: "then", written: Fixture.time(21, 9, 0)),
                        TextVersion(text: "now", written: Fixture.time(21, 9, 1)),
                    ], message)))
        let text = fixture.text
        for part in [
            "from       Alice", "Sat 21 Nov 2026 09:00:00", "#\(message.id.short)", message.id.text, "earlier texts",
            "21 Nov 09:00  then", "U+200B     ZERO WIDTH SPACE (1)", "U+202E     RIGHT-TO-LEFT OVERRIDE (1)",
        ] {
            #expect(text.contains(part), "\(part)\n\(text)")
        }
        fixture.press("q")
        #expect(fixture.state.place.overlay == nil && fixture.state.place.browse != nil)
    }

    @Test("a folded message is read in full, page by page")
    func folded() {
        let long = (1...400).map { "row \($0)" }.joined(separator: "\n")
        var fixture = screen([Fixture.message(1, .incoming, long, at: Fixture.time(21, 9, 0))])
        #expect(fixture.text.contains("200 more rows"))
        fixture.press("Esc", "Enter")
        #expect(fixture.text.contains("│ row 1 "))
        fixture.press("PgDn")
        #expect(!fixture.text.contains("│ row 1 ") && fixture.text.contains("│ row 20 "))
        fixture.press("G")
        #expect(fixture.text.contains("row 400"))
        fixture.press("j", "j")
        #expect(fixture.text.contains("row 400"))
        fixture.press("g", "k")
        #expect(fixture.text.contains("│ row 1 "))
    }

    @Test("at every size the message under the cursor is seen", arguments: [(20, 5), (40, 10), (80, 24), (120, 40)])
    func sizes(columns: Int, rows: Int) {
        var fixture = screen(columns: columns, rows: rows, Self.long)
        fixture.press("Esc")
        for key in ["k", "k", "K", "K", "k", "J", "j", "k", "K", "K"] {
            fixture.press(key)
            fixture.answerPages(from: Self.long)
            let top = fixture.state.place.browse.flatMap { browse in
                HistoryLayout(
                    fixture.state, fixture.state.world.chats[0], width: ScreenLayout(fixture.state).chat.size.columns
                ).visibleItems(ScreenLayout(fixture.state).chat.size.rows)
                    .first { fixture.state.world.chats[0].window.items[$0.index].key == .message(browse.selected.key) }
            }
            #expect(top != nil, "after \(key)")
        }
    }
}
