// Reading: quotes, actions, grouping, formats, plain view, links, pins, and the slash commands about messages.

import ChatCore
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Reading")
struct ReadingTests {
    private typealias Fixture = ScreenFixture

    private func screen(
        columns: Int = 80, rows: Int = 24, _ history: [ChatMessage] = Fixture.history,
        _ change: (inout ScreenSettings) -> Void = { _ in }
    ) -> ScreenFixture {
        var fixture = Fixture(
            columns: columns, rows: rows,
            conversations: [
                Fixture.conversation(Fixture.alice, "Alice", readUpTo: 10_000),
                Fixture.conversation(Fixture.bob, "Bob"),
            ])
        fixture.state.surface.change(change)
        fixture.press("Alt-1")
        fixture.state.surface.set(\.pageSize, to: 100)
        fixture.state.world.chats[0].window.paging.limit(to: 100)
        fixture.effects = fixture.state.world.chats[0].window.paging.request.map { [.ask(.page($0))] } ?? []
        fixture.answerPages(from: history)
        return fixture
    }

    private static let long = (1...500 as ClosedRange<Int64>).map { number in
        Fixture.message(number, number % 3 == 0 ? .outgoing : .incoming, "line \(number)", at: Fixture.time(20, 10, 0))
    }

    // MARK: Rows

    @Test("an answer quotes what it answers, also what is not in memory, and says when that is gone")
    func quotes() {
        var history = Self.long
        history.append(Fixture.message(501, .outgoing, "to that", at: Fixture.time(21, 9, 0), replyTo: 3))
        var fixture = screen(history)
        #expect(fixture.text.contains("me > …"))
        #expect(fixture.questions.contains(.quotes([Fixture.messageID(3)], Fixture.alice)))
        fixture.send(.answer(.quotes([history[2]], asked: [Fixture.messageID(3)], Fixture.alice)))
        #expect(fixture.text.contains("me > line 3\n"))
        var gone = history[2]
        gone.isRetracted = true
        fixture.send(.chat(.messageChanged(gone)))
        #expect(fixture.text.contains("me > (deleted)"))
        // A new answer asks for its own.
        fixture.effects = []
        let next = Fixture.message(502, .incoming, "and that", at: Fixture.time(21, 9, 1), replyTo: 4)
        fixture.send(.chat(.messageAdded(next)))
        #expect(fixture.questions.contains(.quotes([Fixture.messageID(4)], Fixture.alice)))
        fixture.send(.answer(.quotes([], asked: [Fixture.messageID(4)], Fixture.alice)))
        #expect(fixture.text.contains("Alice > (not in this history)"))
    }

    @Test("a quote is as the news say that came before its answer")
    func overtakenQuote() {
        for found in [true, false] {
            var history = Self.long
            history.append(Fixture.message(501, .outgoing, "to that", at: Fixture.time(21, 9, 0), replyTo: 3))
            var fixture = screen(history)
            var edited = history[2]
            edited.content = .text("line three")
            fixture.send(.chat(.messageChanged(edited)))
            let answer = found ? [history[2]] : []
            fixture.send(.answer(.quotes(answer, asked: [Fixture.messageID(3)], Fixture.alice)))
            #expect(fixture.text.contains("me > line three"))
        }
    }

    @Test("/me is told as an action, on both sides", arguments: [80, 40])
    func actions(columns: Int) {
        var fixture = screen(columns: columns)
        fixture.enter("/me waves")
        #expect(fixture.errands.contains(.call(.send("/me waves", to: Fixture.alice))))
        fixture = screen(
            columns: columns,
            [
                Fixture.message(1, .outgoing, "/me waves", at: Fixture.time(21, 9, 0)),
                Fixture.message(2, .incoming, "/me waves back", at: Fixture.time(21, 9, 0)),
                Fixture.message(3, .incoming, "/mean", at: Fixture.time(21, 9, 0)),
            ])
        #expect(fixture.text.contains("* Jo waves"))
        #expect(fixture.text.contains("* Alice waves back"))
        #expect(fixture.text.contains("/mean"))
    }

    @Test("quotes and lists tell an action as one, too")
    func actionsInShort() {
        var wave = Fixture.message(1, .incoming, "/me waves", at: Fixture.time(21, 9, 0))
        wave.pinned = Fixture.time(21, 9, 1)
        var fixture = screen([wave, Fixture.message(2, .outgoing, "hi", at: Fixture.time(21, 9, 0), replyTo: 1)])
        #expect(fixture.text.contains("me > * waves"))
        fixture.enter("/pins")
        for case .pins(_, let generation) in fixture.questions {
            fixture.send(.answer(.pins([wave], generation: generation)))
        }
        #expect(fixture.text.contains("Alice  * waves") && !fixture.text.contains("/me waves"))
    }

    @Test("notifications, copies and pages tell an action as one, too")
    func actionsElsewhere() {
        var fixture = screen()
        fixture.state.surface.set(\.notifyShowsText, to: true)
        fixture.effects = []
        let wave = Fixture.message(
            60, .incoming, "/me waves", at: Fixture.time(21, 9, 8), contact: Fixture.bob)
        fixture.send(.chat(.messageAdded(wave)))
        let notes = fixture.effects.compactMap {
            if case .terminal(.notify(_, let body, _)) = $0 { body.text } else { nil }
        }
        #expect(notes == ["Bob: * waves"])
        fixture.send(.chat(.messageAdded(Fixture.message(61, .incoming, "/me waves", at: Fixture.time(21, 9, 8)))))
        fixture.press("Esc", "y")
        #expect(fixture.effects.contains(.terminal(.copy("* waves"))))
    }

    @Test("what is known of a message of theirs says whether it was seen")
    func seen() {
        var fixture = screen()
        fixture.enter("/info 8")
        #expect(fixture.text.contains("state      seen"))
        fixture = screen(Self.long)
        fixture.press("PgUp")
        fixture.state.world.chats[0].set(\.readUpTo, to: HistoryPosition(499))
        fixture.enter("/info 1")
        #expect(fixture.text.contains("state      on this disk, not seen yet"))
    }

    @Test("what a command answers is on the status line while the end of the chat is out of sight")
    func answersOutOfSight() {
        var fixture = screen(Self.long)
        fixture.press("PgUp")
        fixture.enter("/goto nonsense")
        #expect(!fixture.state.world.chats[0].window.isAtBottom)
        #expect(fixture.text.contains("nonsense is not a day"))
        fixture.enter("/status")
        #expect(fixture.text.contains("… (Alt-End: all)"))
        fixture.press("Alt-End")
        #expect(fixture.text.contains("Alice: offline"))
    }

    @Test("an answer that does not fit there says where all of it stands, and that can be clicked")
    func longAnswers() throws {
        var fixture = screen(Self.long)
        fixture.press("PgUp")
        fixture.enter("/autoaccept alice perhaps 20M or a little more than that")
        #expect(fixture.text.contains("… (Alt-End: all)"))
        try fixture.click(on: "Alt-End: all")
        #expect(!fixture.text.contains("… (Alt-End"))
        #expect(fixture.state.world.chats[0].window.isAtBottom)
        // What stands nowhere else is kept by /log.
        fixture.state.say(String(repeating: "word ", count: 40))
        #expect(fixture.text.contains("… (/log)"))
        try fixture.click(on: "/log)")
        #expect(fixture.text.contains(String(repeating: "word ", count: 12)))
    }

    @Test("within group_minutes the name is said once; not across days, people and answers' gaps")
    func grouping() {
        let history = [
            Fixture.message(1, .incoming, "one", at: Fixture.time(20, 23, 58)),
            Fixture.message(2, .incoming, "two", at: Fixture.time(21, 0, 1)),
            Fixture.message(3, .incoming, "three", at: Fixture.time(21, 0, 3)),
            Fixture.message(4, .incoming, "four", at: Fixture.time(21, 0, 30)),
            Fixture.message(5, .outgoing, "five", at: Fixture.time(21, 0, 31)),
        ]
        let grouped = screen(history) { $0.groupMinutes = 5 }
        #expect(grouped.text.contains(/00:01\s+Alice two/))
        #expect(grouped.text.contains(/00:03\s+three/))
        #expect(!grouped.text.contains("Alice three"))
        #expect(grouped.text.contains("Alice four") && grouped.text.contains("me five"))
        #expect(screen(history).text.contains("Alice three"))
    }

    @Test("times and days are written as the settings say, and the text moves with them")
    func formats() {
        let fixture = screen {
            $0.timeFormat = "h:mm a"
            $0.dateFormat = "yyyy-MM-dd EEEE"
            $0.seconds = true
        }
        #expect(fixture.text.contains("9:02:00 AM     Alice the one from last night"))
        #expect(fixture.text.contains("── 2026-11-21 Saturday ──"))
        // The clock of the status line, which stands at the right, is drawn once a minute.
        #expect(fixture.text.contains(/[0-9]{1,2}:[0-9]{2} [AP]M *\n/))
        let clock = LocalClock.fixed(seconds: 0)
        #expect(clock.text(Fixture.time(3, 0, 5, 7), format: "d/M/yy HH'h'mm ''ss") == "3/11/26 00h05 '07")
        #expect(clock.text(Fixture.time(3, 12, 0), format: "EEE d MMMM h a") == "Tue 3 November 12 PM")
    }

    @Test("times of one and of two digits take the same columns")
    func timeColumn() throws {
        let history = [
            Fixture.message(1, .incoming, "early", at: Fixture.time(20, 9, 59)),
            Fixture.message(2, .incoming, "late", at: Fixture.time(20, 10, 1)),
        ]
        let fixture = screen(history) {
            $0.timeFormat = "h:mm a"
            $0.groupMinutes = 0
        }
        let rows = fixture.text.split(separator: "\n")
        let early = try #require(rows.first { $0.contains("early") })
        let late = try #require(rows.first { $0.contains("late") })
        #expect(early.contains(" 9:59 AM") && late.contains("10:01 AM"))
        let column = { (row: Substring, word: String) in
            row.ranges(of: word).first.map { row.distance(from: row.startIndex, to: $0.lowerBound) }
        }
        #expect(column(early, "early") == column(late, "late"))
    }

    @Test(
        "a pattern of times has fields, ends its quotes, and has no letter that means nothing",
        arguments: [
            ("HH:mm", true), ("h:mm a", true), ("HH'h'mm", true), ("HH ''mm", true), ("lunch", false), ("it''s", false),
            ("HH:mm 'Uhr", false), ("HH:mm Uhr", false), ("HH:mm 'Uhr'", true), ("", false), ("--", false),
            ("HH\u{6642}mm", true),
        ])
    func patterns(pattern: String, isRight: Bool) {
        #expect(LocalClock.isPattern(pattern) == isRight)
    }

    @Test("Alt-l shows nothing but the chat, without panes and indentation, and again the usual screen")
    func plainView() {
        var fixture = screen(columns: 120, rows: 40)
        let usual = fixture.text
        fixture.press("Alt-l")
        let rows = fixture.text.split(separator: "\n").map(String.init)
        #expect(
            rows.contains {
                $0.hasPrefix("21:40 Alice: the plan is at https://example.org/plan/2026/release/index.html?rev=7")
            })
        #expect(!fixture.text.contains("│") && !fixture.text.contains("F1 help"))
        let narrow = screen(columns: 40, rows: 40)
        var plain = narrow
        plain.press("Alt-l")
        // A long address goes on at the left border.
        #expect(plain.state.surface.isPlain && plain.text.contains("\nhttps://example.org/plan/2026/release/i\n"))
        fixture.press("Alt-l")
        fixture.advance(.seconds(9))
        #expect(fixture.text == usual)
    }

    @Test("a reaction that is more than one character does not pass for two, one of them ours")
    func forgedReaction() {
        var message = Fixture.message(1, .incoming, "hi", at: Fixture.time(20, 19, 4))
        message.reactions = [Reaction(direction: .incoming, emoji: "👍 me  👎")]
        let fixture = screen(columns: 80, rows: 24, [message])
        #expect(fixture.text.contains("👍… Alice") && !fixture.text.contains("👍 me"))
        message.reactions = [Reaction(direction: .incoming, emoji: "👨‍👩‍👧")]
        #expect(!screen(columns: 80, rows: 24, [message]).text.contains("… Alice"))
    }

    @Test("plain view: no row of a text can be taken for the first one of a message, or for one of ours")
    func forgedHeads() {
        let forged = [
            "── Thu 26 Nov 2026 ──", "19:05 me: I pay 100 euro ✓✓", "19:05 -- Alice: verified", "* Bob waves",
            "↓ ok.txt 1.0 kB · done", "[19:50] me: hi", "#8 done",
            "１9:05 me: so be it",
        ]
        // Also where a row ends only because the window does.
        let padded = String(repeating: "x", count: 60) + " 19:06 me: and this ✓✓"
        let text = (["ok"] + forged + ["plain words", padded]).joined(separator: "\n")
        var fixture = screen(columns: 80, rows: 40, [Fixture.message(1, .incoming, text, at: Fixture.time(20, 19, 4))])
        fixture.press("Alt-l")
        let rows = fixture.text.split(separator: "\n").map(String.init)
        for line in forged { #expect(rows.contains { $0.hasPrefix(" " + line.prefix(8)) }, "\(line): \(fixture.text)") }
        #expect(rows.contains("plain words"))
        for columns in 24...100 {
            fixture.send(.input(.resize(Size(columns: columns, rows: 40))))
            let rows = fixture.text.split(separator: "\n")
            #expect(!rows.contains { $0.hasPrefix("19:0") && !$0.hasPrefix("19:04 Alice") }, "\(fixture.text)")
        }
    }

    @Test("plain view: a file's line says when it was and whose it is, and nothing of it is cut", arguments: 24...130)
    func plainFile(columns: Int) {
        var done = Fixture.transfer(7, .incoming, "data.bin", size: 300_000, .complete, transferred: 300_000)
        done.sha256 = "b1dccb7a" + String(repeating: "0", count: 56)
        done.path = "/var/tmp/somewhere/downloads/data.bin"
        done.started = Fixture.time(21, 9, 5)
        done.finished = Fixture.time(21, 9, 6)
        var fixture = screen(columns: columns, rows: 30, [Fixture.fileMessage(done, position: 1, at: done.offered)])
        fixture.press("Alt-l")
        let text = fixture.text.filter { !$0.isWhitespace }
        let path = "/var/tmp/somewhere/downloads/data.bin"
        #expect(
            text.contains("09:05Alice:↓data.bin300kB·done·\(path)·sha256b1dccb7a·60s#7"), "\(fixture.text)")
    }

    @Test("plain view: an offer says when it was made and by whom")
    func plainOffer() {
        let offer = Fixture.transfer(9, .incoming, "gen.py", size: 834, .offered)
        var fixture = screen([Fixture.fileMessage(offer, position: 1, at: offer.offered)])
        fixture.press("Alt-l")
        #expect(fixture.text.contains("\n09:05 Alice:\n┌ #9 gen.py"))
    }

    @Test("every piece of a wrapped address knows the whole of it, and an overlay hides that too")
    func linkCells() {
        var fixture = screen(columns: 50)
        func linkedRows(_ fixture: ScreenFixture) -> Set<Int> {
            let canvas = fixture.canvas
            var rows: Set<Int> = []
            for row in 0..<canvas.size.rows {
                for column in 0..<canvas.size.columns {
                    guard let link = canvas[Point(column: column, row: row)].cluster?.link else { continue }
                    #expect(link.terminalURI == "https://example.org/plan/2026/release/index.html?rev=7")
                    rows.insert(row)
                }
            }
            return rows
        }
        #expect(linkedRows(fixture).count >= 2)
        fixture.press("F1")
        #expect(linkedRows(fixture).isEmpty)
    }

    // MARK: Paging

    @Test("PgUp while a page is being loaded is done when the page is there")
    func pagingWhileLoading() {
        var patient = screen(Self.long)
        var hasty = patient
        for _ in 0..<12 {
            patient.press("PgUp")
            patient.answerPages(from: Self.long)
        }
        for _ in 0..<12 { hasty.press("PgUp") }
        for _ in 0..<8 { hasty.answerPages(from: Self.long) }
        // A day line at the top of what was loaded may have been passed on the way.
        func first(_ fixture: ScreenFixture) -> Int {
            fixture.text.split(separator: "\n").lazy.compactMap { row in
                row.firstRange(of: "line ").flatMap { Int(row[$0.upperBound...].prefix { $0.isNumber }) }
            }.first ?? 0
        }
        #expect(first(patient) < 300)
        #expect(abs(first(hasty) - first(patient)) <= 4, "\(first(hasty)) \(first(patient))")
    }

    // MARK: Commands about messages

    @Test("a number reaches any message of the history, an id too; what is not there is said")
    func references() {
        var fixture = screen(Self.long)
        func ask(_ line: String) -> (MessageReference, MessageAction)? {
            // A line that could not be carried out is there again.
            fixture.press("Ctrl-u")
            fixture.enter(line)
            guard case .message(let reference, _, let action, let line)? = fixture.questions.first else { return nil }
            fixture.send(
                .answer(
                    .message(Fixture.message(reference, in: Self.long), reference, Fixture.alice, action, line: line)))
            return (reference, action)
        }
        // Own texts: 498, 495, … down to 3.
        #expect(ask("/edit 166 first words")?.0 == .last(166, .ownText))
        #expect(fixture.errands.contains(.call(.edit(Self.long[2], to: "first words"))))
        #expect(ask("/react 400 :+1:")?.0 == .last(400, .any))
        #expect(fixture.errands.contains(.call(.react(to: Self.long[100], with: "👍"))))
        #expect(ask("/reply #\(Fixture.messageID(7).short) yes")?.0 == .shortID(Fixture.messageID(7).short))
        #expect(fixture.errands.contains(.call(.send("yes", to: Self.long[6].contact, replyTo: Self.long[6].id))))
        #expect(ask("/edit \(Fixture.messageID(7).text) x")?.0 == .id(Fixture.messageID(7)))
        #expect(fixture.errands.isEmpty && fixture.text.contains("not a text of yours"))
        #expect(fixture.state.composer.input.text == "/edit \(Fixture.messageID(7).text) x")
        #expect(ask("/delete 999")?.0 == .last(999, .own))
        #expect(fixture.text.contains("There are fewer than 999 messages of yours"))
        #expect(ask("/goto #00000000") == nil || fixture.text.contains("There is no message #00000000"))
        // What is in memory is done at once.
        fixture.enter("/forward 2 bob")
        #expect(fixture.errands.contains(.call(.send("line 499", to: Fixture.bob))))
        // Whom it is for was left out: a number alone is no contact's.
        fixture.enter("/forward 1")
        #expect(fixture.errands.isEmpty && fixture.text.contains("say who to"))
        fixture.enter("/info 2x")
        #expect(fixture.text.contains("2x is not a message"))
    }

    @Test("the answer to a command for another chat changes nothing here")
    func late() {
        var fixture = screen(Self.long)
        fixture.enter("/delete 150")
        fixture.press("Alt-2")
        fixture.effects = []
        fixture.send(.answer(.message(Self.long[50], .last(150, .own), Fixture.alice, .delete, line: nil)))
        #expect(fixture.errands.isEmpty)
    }

    @Test("/goto leads to a message by its id, /history goes back by messages")
    func goTo() {
        var fixture = screen(Self.long)
        fixture.enter("/history 300")
        guard case .message(let reference, _, let action, let line)? = fixture.questions.first else {
            Issue.record("nothing was asked")
            return
        }
        fixture.send(.answer(.message(Self.long[200], reference, Fixture.alice, action, line: line)))
        fixture.answerPages(from: Self.long)
        #expect(reference == .last(300, .any) && fixture.text.contains("line 201"))
    }

    @Test("/read marks a chat or all of them; with mark=manual nothing else does")
    func read() {
        var fixture = screen { $0.readMark = .manual }
        fixture.send(.chat(.messageAdded(Fixture.message(9, .incoming, "new", at: Fixture.time(21, 9, 8)))))
        var bobs = Fixture.conversation(Fixture.bob, "Bob", unread: 1)
        bobs.lastMessage = Fixture.message(10, .incoming, "hello", at: Fixture.time(21, 9, 8), contact: Fixture.bob)
        fixture.state.world.chats[0].set(\.readUpTo, to: HistoryPosition(8))
        fixture.state.world.chats[1].set(\.self, to: bobs)
        fixture.advance(.seconds(1))
        #expect(!fixture.errands.contains { if case .markSeen? = $0.call { true } else { false } })
        fixture.enter("/read")
        #expect(fixture.errands.contains(.call(.markSeen(Fixture.alice, upTo: HistoryPosition(9)))))
        #expect(!fixture.errands.contains(.call(.markSeen(Fixture.bob, upTo: HistoryPosition(10)))))
        fixture.enter("/read all")
        #expect(fixture.errands.contains(.call(.markSeen(Fixture.bob, upTo: HistoryPosition(10)))))
        fixture.enter("/unread 2")
        #expect(fixture.errands.contains(.call(.markUnread(Fixture.alice, from: HistoryPosition(4)))))
    }

    @Test("a chat with more new messages than there is room for says so, until the first one is in sight")
    func unreadAbove() {
        let news = (1...40 as ClosedRange<Int64>).map {
            Fixture.message($0, .incoming, "line \($0)", at: Fixture.time(21, 9, 0), contact: Fixture.bob)
        }
        for (count, isTold) in [(40, true), (5, false)] {
            var fixture = Fixture.main(columns: 80, rows: 24)
            var bobs = Fixture.conversation(Fixture.bob, "Bob", unread: count)
            bobs.readUpTo = HistoryPosition(Int64(40 - count))
            fixture.state.world.chats[1].set(\.self, to: bobs)
            fixture.press("Alt-2")
            fixture.answerPages(from: news)
            let words = "↑ \(count) new further up (Alt-N)"
            #expect(fixture.text.contains("line 40") && fixture.text.contains(words) == isTold)
            fixture.press("Alt-N")
            #expect(fixture.text.contains("── \(count) new ") && !fixture.text.contains(words))
            fixture.press("Alt-End")
            #expect(fixture.text.contains("line 40") && !fixture.text.contains(words), "that is known by now")
        }
    }

    @Test("the first new message is the first of all, also where own lines and newer ones fill the page behind it")
    func unreadBeforeOwnLines() {
        for later in [0, 2] as [Int64] {
            let lines = (1...234 + later as ClosedRange<Int64>).map { number in
                let isOwn = (5...234).contains(number)
                return Fixture.message(
                    number, isOwn ? .outgoing : .incoming, "line \(number).", at: Fixture.time(21, 9, 0),
                    contact: Fixture.bob)
            }
            var fixture = Fixture.main(columns: 80, rows: 24)
            var bobs = Fixture.conversation(Fixture.bob, "Bob", unread: 4 + Int(later))
            bobs.readUpTo = HistoryPosition(0)
            fixture.state.world.chats[1].set(\.self, to: bobs)
            fixture.press("Alt-2")
            fixture.answerPages(from: lines)
            #expect(fixture.text.contains("↑ \(4 + later) new further up (Alt-N)"), "\(fixture.text)")
            #expect(!fixture.text.contains("── \(4 + later) new "))
            fixture.press("Alt-N")
            fixture.answerPages(from: lines)
            #expect(
                fixture.text.contains("── \(4 + later) new ") && fixture.text.contains("line 1."), "\(fixture.text)")
        }
    }

    // MARK: Lists

    @Test("Alt-u lists links, host first; typing filters, Enter opens, other schemes are asked for")
    func links() {
        var fixture = screen()
        fixture.effects = []
        fixture.press("Alt-u")
        guard case .messageLinks(let query, nil, let generation)? = fixture.questions.first else {
            Issue.record("nothing was asked")
            return
        }
        #expect(query.linksOnly && query.contact == Fixture.alice)
        let messages = [
            Fixture.message(
                20, .incoming, "http://\u{430}pple.com/login and file:///etc/motd", at: Fixture.time(21, 9, 0)),
            Fixture.history[0],
        ]
        fixture.send(.answer(.messageLinks(messages, opening: nil, generation: generation)))
        #expect(fixture.text.contains("1 /etc/motd (file)"))
        #expect(fixture.text.contains("2 xn--pple-43d.com/login (http)"))
        #expect(fixture.text.contains("3 example.org/plan/2026/release/index.html?rev=7"))
        fixture.effects = []
        fixture.press("Enter")
        #expect(fixture.effects.isEmpty && fixture.text.contains("is not a web address"))
        fixture.type("plan")
        fixture.press("Enter")
        let address = "https://example.org/plan/2026/release/index.html?rev=7"
        #expect(fixture.effects == [.spawn(["xdg-open", address])])
        #expect(fixture.state.place.overlay == nil)
    }

    @Test("/open N opens the Nth newest link, and says when there is none")
    func openNumber() {
        var fixture = screen()
        fixture.enter("/open 1")
        guard case .messageLinks(_, 1?, let generation)? = fixture.questions.first else {
            Issue.record("nothing was asked")
            return
        }
        fixture.send(.answer(.messageLinks([Fixture.history[0]], opening: 1, generation: generation)))
        #expect(fixture.effects.contains { if case .spawn = $0 { true } else { false } })
        fixture.send(.answer(.messageLinks([], opening: 1, generation: generation)))
        #expect(fixture.text.contains("There is no link 1"))
    }

    @Test("/pins lists what is pinned; Enter goes there and Esc comes back")
    func pins() {
        var fixture = screen(Self.long)
        let before = fixture.state.world.chats[0].window.scroll
        fixture.enter("/pins")
        guard case .pins(_, let generation)? = fixture.questions.first else {
            Issue.record("nothing was asked")
            return
        }
        fixture.send(.answer(.pins([Self.long[9]], generation: generation)))
        #expect(fixture.text.contains("Pinned messages") && fixture.text.contains("line 10"))
        fixture.effects = []
        fixture.press("Enter")
        fixture.answerPages(from: Self.long)
        #expect(fixture.text.contains("line 10\n"))
        fixture.press("Esc")
        fixture.answerPages(from: Self.long)
        #expect(fixture.state.world.chats[0].window.scroll == before)
        fixture.enter("/pins")
        if case .pins(_, let generation)? = fixture.questions.first {
            fixture.send(.answer(.pins([], generation: generation)))
        }
        #expect(fixture.state.place.overlay == nil && fixture.text.contains("Nothing is pinned"))
    }

    @Test("/log shows what passed by on the status line")
    func log() {
        var fixture = screen()
        fixture.press("F5")
        fixture.advance(.seconds(60))
        #expect(!fixture.text.contains("Calling everybody now"))
        fixture.enter("/log")
        #expect(fixture.text.contains("09:07 -- Calling everybody now"))
    }

    @Test("F1 in the search shows what can be typed, and Esc goes back to the hits")
    func searchSyntax() throws {
        var fixture = screen()
        fixture.press("Alt-s", "F1")
        #expect(fixture.text.contains("has:link") && fixture.text.contains("is:unread"))
        fixture.type("budget")
        fixture.press("F1")
        if !fixture.text.contains("is:unread") { fixture.press("F1") }
        // A line can be run as it is, behind what is there.
        try fixture.click(on: "has:link")
        guard case .search(let narrowed)? = fixture.state.place.overlay else {
            Issue.record("the search is closed")
            return
        }
        #expect(narrowed.query.text == "budget has:link ")
        fixture.press("Ctrl-u", "F1")
        fixture.press("Esc")
        guard case .search? = fixture.state.place.overlay else {
            Issue.record("the search is closed")
            return
        }
        fixture.press("Esc")
        #expect(fixture.state.place.overlay == nil)
    }
}
