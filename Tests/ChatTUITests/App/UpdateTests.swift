// Keys and events of the main screen: what they change, what they ask for, and what they must leave alone.

import ChatCore
import Glibc
import Testing

@testable import ChatTUI
@testable import ChatWords

extension ChatMessage {
    /// The same as another message, further down.
    fileprivate func moved(to position: Int64) -> ChatMessage {
        ScreenFixture.message(position, direction, "later", at: sent, contact: contact)
    }
}

@Suite("Update")
struct UpdateTests {
    private typealias Fixture = ScreenFixture

    // MARK: Writing

    @Test("Enter sends the line and empties it")
    func send() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("hello")
        #expect(fixture.errands.contains(.call(.send("hello", to: Fixture.alice))))
        #expect(fixture.state.composer.input.isEmpty)
    }

    @Test("an empty or blank line sends nothing")
    func sendNothing() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("   ")
        #expect(fixture.errands.isEmpty)
    }

    @Test("lines are sent in the order in which Enter was pressed")
    func order() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.effects = []
        for line in ["one", "two", "three"] {
            fixture.type(line)
            fixture.press("Enter")
        }
        let sent = fixture.errands.compactMap { if case .send(_, let text, nil)? = $0.call { text } else { nil } }
        #expect(sent == ["one", "two", "three"])
    }

    @Test("a paste of several lines stays one message, whatever is in it")
    func paste() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.effects = []
        fixture.send(.input(.paste("one\r\ntwo\u{1B}[31m\n\tthree")))
        #expect(fixture.errands.allSatisfy { if case .send? = $0.call { false } else { true } })
        // The first Enter asks.
        fixture.press("Enter", "Enter")
        #expect(fixture.errands.contains(.call(.send("one\ntwo\u{1B}[31m\n\tthree", to: Fixture.alice))))
    }

    @Test("Alt-Enter and Ctrl-j begin a new line, and the box grows to a third of the screen")
    func newline() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        for _ in 0..<20 { fixture.press("x", "Alt-Enter", "Ctrl-j") }
        #expect(ScreenLayout(fixture.state).input.size.rows == 8)
        #expect(fixture.state.composer.input.isMultiline)
    }

    @Test("Ctrl-c keeps the text in the kill ring and never quits")
    func clear() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.type("precious")
        fixture.press("Ctrl-c")
        #expect(fixture.text.contains("Cleared; Ctrl-y brings it back"))
        fixture.press("Ctrl-c")
        #expect(fixture.state.composer.input.isEmpty)
        #expect(!fixture.effects.contains(.quit))
        fixture.press("Ctrl-y")
        #expect(fixture.state.composer.input.text == "precious")
    }

    @Test("a message over 64 KiB stays in the line and says so")
    func tooLong() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.send(.input(.paste(String(repeating: "x", count: 65_537))))
        fixture.effects = []
        fixture.press("Enter")
        #expect(fixture.errands.allSatisfy { if case .send? = $0.call { false } else { true } })
        #expect(fixture.state.composer.input.characters.count == 65_537)
        #expect(fixture.text.contains("Too long: 65 kB, at most 65 kB (Ctrl-t sends it as a file)"))
    }

    @Test("a line that could not be stored comes back")
    func giveBack() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("hello")
        fixture.send(.failed(.call(.send("hello", to: Fixture.alice)), .store(.diskFull)))
        #expect(fixture.state.composer.input.text == "hello")
        #expect(fixture.text.contains("the disk is full"))
    }

    @Test("a line that could not be stored does not overwrite the next one")
    func giveBackElsewhere() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("hello")
        fixture.type("next")
        fixture.send(.failed(.call(.send("hello", to: Fixture.alice)), .store(.diskFull)))
        #expect(fixture.state.composer.input.text == "next")
        #expect(fixture.state.composer.killRing.newest == "hello")
    }

    @Test("drafts stay with their chats and are stored when the user pauses or leaves")
    func drafts() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.effects = []
        fixture.type("for alice")
        fixture.advance(.milliseconds(1100))
        #expect(fixture.errands.contains(.call(.setDraft("for alice", for: Fixture.alice))))
        fixture.type("!")
        fixture.press("Alt-2")
        #expect(fixture.errands.contains(.call(.setDraft("for alice!", for: Fixture.alice))))
        #expect(fixture.state.composer.input.isEmpty)
        fixture.press("Alt-1")
        #expect(fixture.state.composer.input.text == "for alice!")
    }

    @Test("a stored draft fills an empty line only")
    func storedDraft() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.send(.answer(.draft(Fixture.alice, "old")))
        #expect(fixture.state.composer.input.text == "old")
        fixture.send(.answer(.draft(Fixture.alice, "older")))
        #expect(fixture.state.composer.input.text == "old")
    }

    @Test("the peer is told of typing once, again while it goes on, and of the pause")
    func typing() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.effects = []
        fixture.type("hello")
        #expect(fixture.errands.filter { $0 == .call(.setTyping(true, to: Fixture.alice)) }.count == 1)
        fixture.advance(.seconds(5))
        fixture.type("x")
        #expect(fixture.errands.filter { $0 == .call(.setTyping(true, to: Fixture.alice)) }.count == 2)
        fixture.advance(.seconds(7))
        #expect(fixture.errands.contains(.call(.setTyping(false, to: Fixture.alice))))
    }

    @Test("commands are not told as typing")
    func typingCommand() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.effects = []
        fixture.type("/help")
        #expect(fixture.errands.isEmpty)
    }

    // MARK: Chats

    @Test("numbers, neighbours, last and next unread chat")
    func switching() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("Alt-3")
        #expect(fixture.state.place.openID == Fixture.carol)
        fixture.press("Alt-/")
        #expect(fixture.state.place.openID == Fixture.alice)
        fixture.press("Alt-Down")
        #expect(fixture.state.place.openID == Fixture.bob)
        fixture.press("Ctrl-p", "Ctrl-p")
        #expect(fixture.state.place.openID == Fixture.dave)
        fixture.press("Alt-a")
        #expect(fixture.state.place.openID == Fixture.bob)
        fixture.press("Alt-9")
        #expect(fixture.state.place.openID == Fixture.bob)
    }

    @Test("Alt-k finds a chat by scattered letters")
    func goTo() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.type("draft")
        fixture.press("Alt-k")
        fixture.type("cr")
        fixture.press("Enter")
        #expect(fixture.state.place.openID == Fixture.carol)
        #expect(fixture.state.composer.drafts[Fixture.alice]?.text == "draft")
    }

    @Test("opening a chat asks for its newest page and its draft once")
    func opening() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.effects = []
        fixture.press("Alt-2")
        let pages = fixture.questions.compactMap { if case .page(let request) = $0 { request } else { nil } }
        #expect(pages.map(\.anchor) == [.newest])
        #expect(fixture.questions.contains(.draft(Fixture.bob)))
        fixture.send(.answer(.page(pages[0], [])))
        fixture.effects = []
        fixture.press("Alt-1", "Alt-2")
        #expect(!fixture.questions.contains(.draft(Fixture.bob)))
        #expect(!fixture.questions.contains { if case .page = $0 { true } else { false } })
    }

    @Test("messages that arrive while their page is loading are neither lost nor doubled")
    func loadingRace() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.effects = []
        fixture.press("Alt-2")
        let asked = fixture.effects
        let first = Fixture.message(20, .incoming, "in the page", at: Fixture.time(21, 9, 1), contact: Fixture.bob)
        let second = Fixture.message(21, .incoming, "after the page", at: Fixture.time(21, 9, 2), contact: Fixture.bob)
        fixture.send(.chat(.messageAdded(first)))
        fixture.send(.chat(.messageAdded(second)))
        fixture.effects = asked
        fixture.answerPages(from: [first])
        #expect(fixture.state.openChat?.window.items.compactMap(\.message?.position.rawValue) == [20, 21])
    }

    /// What bob has written, more than a window holds.
    private static func history(upTo end: Int64) -> [ChatMessage] {
        (20..<end).map {
            Fixture.message($0, .incoming, "line \($0)", at: Fixture.time(21, 9, 1), contact: Fixture.bob)
        }
    }

    @Test("a line that is stored while the way back to the newest is loading is shown, and so is what comes with it")
    func sentFromFarAbove() throws {
        var fixture = Fixture.main(columns: 80, rows: 24)
        let stored = Self.history(upTo: 320)
        fixture.effects = []
        fixture.press("Alt-2")
        fixture.answerPages(from: stored)
        for _ in 0..<2 {
            fixture.effects = []
            fixture.press("Esc", "g")
            fixture.answerPages(from: stored)
            #expect(fixture.state.openChat?.window.reachesNewest == false)
            fixture.press("Esc")
            fixture.effects = []
            fixture.type("answer")
            fixture.press("Enter")
            let asked = fixture.effects
            // The page is read before the line is stored, and comes after it.
            let own = Fixture.message(400, .outgoing, "answer", at: Fixture.time(21, 9, 2), contact: Fixture.bob)
            let news = Fixture.message(401, .incoming, "news", at: Fixture.time(21, 9, 3), contact: Fixture.bob)
            fixture.send(.done(.call(.send("answer", to: Fixture.bob)), .reply(own)))
            #expect(!fixture.text.contains("further down"))
            fixture.send(.chat(.messageAdded(own)))
            fixture.send(.chat(.messageAdded(news)))
            fixture.effects = asked
            fixture.answerPages(from: stored)
            let window = try #require(fixture.state.openChat?.window)
            #expect(window.isAtBottom)
            #expect(window.items.suffix(3).compactMap(\.message?.position.rawValue) == [319, 400, 401])
        }
    }

    @Test("what is said while the view is far up stands behind the newest message, and stays through other pages")
    func noticesFromFarAbove() throws {
        var fixture = Fixture.main(columns: 80, rows: 24)
        let stored = Self.history(upTo: 720)
        func go(_ keys: String...) {
            fixture.effects = []
            for key in keys { fixture.press(key) }
            fixture.answerPages(from: stored)
        }
        go("Alt-2")
        fixture.enter("/alias")
        #expect(fixture.state.openChat?.window.noticeCount == 1, "\(fixture.text)")
        go("Alt-Home")
        fixture.enter("/alias")
        #expect(fixture.state.openChat?.window.noticeCount == 0)
        go("Alt-End")
        for _ in 0..<2 {
            let items = try #require(fixture.state.openChat?.window.items)
            #expect(items.suffix(2).allSatisfy { $0.message == nil })
            #expect(items.count { $0.message == nil } == 2)
            #expect(fixture.text.contains("No aliases"))
            go("Alt-Home")
            go("Alt-End")
        }
    }

    @Test("what the program has said stays when the chat is left with the view far up; of very much, the latest")
    func noticesOfAChatThatIsLeft() throws {
        var fixture = Fixture.main(columns: 80, rows: 24)
        let stored = Self.history(upTo: 720)
        func go(_ keys: String...) {
            fixture.effects = []
            for key in keys { fixture.press(key) }
            fixture.answerPages(from: stored)
        }
        go("Alt-2")
        fixture.enter("/alias")
        go("Alt-Home")
        let bob = try #require(fixture.state.world.chats.firstIndex { $0.id == Fixture.bob })
        func say(_ ids: Range<Int>) {
            for id in ids {
                let notice = LocalNotice(id: id, time: Fixture.time(21, 9, 2), lines: ["said"], isError: false)
                fixture.state.world.chats[bob].window.add(notice)
            }
        }
        say(1000..<1003)
        go("Alt-1")
        go("Alt-2")
        go("Alt-End")
        #expect(fixture.state.world.chats[bob].window.noticeCount == 4)
        #expect(fixture.text.contains("No aliases"))
        go("Alt-Home")
        say(2000..<2150)
        go("Alt-End")
        let window = fixture.state.world.chats[bob].window
        #expect(window.noticeCount == ChatWindow.heldLimit)
        #expect(window.items.last?.key == .notice(2149))
    }

    @Test("messages that are deleted elsewhere leave the view, what is unread and local lines as they are")
    func deletedElsewhere() throws {
        var fixture = Fixture.main(columns: 80, rows: 24)
        var stored = Self.history(upTo: 720)
        fixture.press("Alt-2")
        fixture.effects = []
        fixture.press("Alt-1", "Alt-2")
        fixture.send(.chat(.messagesDeleted(Fixture.bob)))
        fixture.answerPages(from: stored)
        fixture.enter("/alias")
        for _ in 0..<2 {
            fixture.effects = []
            fixture.press("PgUp")
            fixture.answerPages(from: stored)
        }
        fixture.send(.chat(.messageAdded(stored[699].moved(to: 800))))
        stored.append(stored[699].moved(to: 800))
        let before = try #require(fixture.state.openChat?.window)
        let picture = fixture.canvas.text()
        #expect(before.newerCount == 1 && before.unreadLine != nil)
        stored.removeFirst(3)
        fixture.effects = []
        fixture.send(.chat(.messagesDeleted(Fixture.bob)))
        fixture.answerPages(from: stored)
        let after = try #require(fixture.state.openChat?.window)
        #expect(after.newerCount == 1 && after.unreadLine == before.unreadLine && after.scroll == before.scroll)
        #expect(fixture.canvas.text() == picture)
        fixture.effects = []
        fixture.press("Alt-End")
        fixture.answerPages(from: stored)
        #expect(fixture.text.contains("No aliases"))
    }

    @Test("the unread line stands before the first new message, however far up the view is")
    func unreadLineFromFarAbove() throws {
        var fixture = Fixture.main(columns: 80, rows: 24)
        let stored = Self.history(upTo: 320)
        fixture.effects = []
        fixture.press("Alt-2")
        fixture.answerPages(from: stored)
        fixture.effects = []
        fixture.press("Alt-Home")
        fixture.answerPages(from: stored)
        let bob = try #require(fixture.state.world.chats.firstIndex { $0.id == Fixture.bob })
        fixture.state.world.chats[bob].window.dropUnreadLine()
        let news = Fixture.message(400, .incoming, "news", at: Fixture.time(21, 9, 3), contact: Fixture.bob)
        fixture.send(.chat(.messageAdded(news)))
        let line = try #require(fixture.state.openChat?.window.unreadLine)
        #expect((319..<400).contains(line.after.rawValue) && line.count == 1)
    }

    // MARK: Reading

    @Test("what is drawn at the bottom of the open chat is marked as seen, once")
    func seen() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.effects = []
        let news = Fixture.message(20, .incoming, "new", at: Fixture.time(21, 9, 7))
        fixture.send(.chat(.messageAdded(news)))
        fixture.send(.clock)
        #expect(fixture.errands == [.call(.markSeen(Fixture.alice, upTo: HistoryPosition(20)))])
    }

    @Test("one mark as seen is on its way at a time: the next one stands for all that came meanwhile, also at the end")
    func seenTogether() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        func receive(_ numbers: ClosedRange<Int64>) {
            for number in numbers {
                let news = Fixture.message(number, .incoming, "new \(number)", at: Fixture.time(21, 9, 7))
                fixture.send(.chat(.messageAdded(news)))
            }
        }
        let marks = (20...30 as ClosedRange<Int64>).map {
            Errand.call(.markSeen(Fixture.alice, upTo: HistoryPosition($0)))
        }
        fixture.effects = []
        receive(20...25)
        #expect(fixture.errands == [marks[0]])
        #expect(fixture.state.openChat?.conversation.readUpTo == HistoryPosition(25))
        fixture.effects = []
        fixture.send(.done(marks[0], .nothing))
        #expect(fixture.errands == [marks[5]])
        fixture.effects = []
        fixture.send(.failed(marks[5], .notOnline))
        #expect(!fixture.errands.contains { if case .markSeen? = $0.call { true } else { false } })
        receive(26...26)
        receive(27...30)
        #expect(fixture.errands == [marks[6]])
        fixture.effects = []
        fixture.press("Ctrl-q")
        #expect(fixture.errands.contains(marks[10]))
        fixture.effects = []
        fixture.send(.done(marks[6], .nothing))
        #expect(fixture.errands.isEmpty)
    }

    @Test("an own message that another screen has sent takes the view to the newest, and nothing counts as newer there")
    func sentElsewhere() {
        var fixture = Fixture.main(columns: 80, rows: 9)
        fixture.press("PgUp")
        for number in [20, 21] as [Int64] {
            fixture.send(.chat(.messageAdded(Fixture.message(number, .incoming, "news", at: Fixture.time(21, 9, 7)))))
        }
        #expect(fixture.state.openChat?.window.newerCount == 2 && fixture.text.contains("2 newer"))
        fixture.send(.chat(.messageAdded(Fixture.message(22, .outgoing, "mine", at: Fixture.time(21, 9, 7)))))
        #expect(fixture.state.openChat?.window.isAtBottom == true && fixture.text.contains("mine"))
        #expect(fixture.state.openChat?.window.newerCount == 0 && !fixture.text.contains("newer"))
    }

    @Test("what was seen here stays seen in answers that are older, and is unread when another screen has marked it so")
    func markedElsewhere() throws {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.effects = []
        let news = Fixture.message(20, .incoming, "new", at: Fixture.time(21, 9, 7))
        fixture.send(.chat(.messageAdded(news)))
        fixture.send(.clock)
        let errand = Errand.call(.markSeen(Fixture.alice, upTo: HistoryPosition(20)))
        #expect(fixture.errands == [errand])
        var list = fixture.state.world.chats.map(\.conversation)
        let alice = try #require(list.firstIndex { $0.peer.id == Fixture.alice })
        list[alice].readUpTo = HistoryPosition(4)
        list[alice].unreadCount = 3
        // Asked before the mark was stored, answered before and after.
        fixture.send(.chat(.conversationsChanged))
        fixture.advance(.seconds(1))
        fixture.send(.answer(.conversations(list)))
        #expect(fixture.state.world.chats[alice].conversation.unreadCount == 0)
        fixture.send(.done(errand, .nothing))
        fixture.send(.answer(.conversations(list)))
        #expect(fixture.state.world.chats[alice].conversation.unreadCount == 0)
        fixture.advance(.seconds(1))
        fixture.effects = []
        fixture.send(.answer(.conversations(list)))
        fixture.advance(.seconds(1))
        #expect(fixture.state.world.chats[alice].conversation.unreadCount == 3)
        #expect(!fixture.errands.contains { if case .markSeen? = $0.call { true } else { false } })
    }

    @Test("nothing is marked as seen in other chats, behind an overlay, scrolled up or without focus")
    func notSeen() {
        let news = Fixture.message(20, .incoming, "new", at: Fixture.time(21, 9, 7))
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("Alt-3")
        fixture.effects = []
        fixture.send(.chat(.messageAdded(news)))
        #expect(fixture.errands.isEmpty)
        for (prepare, back) in [
            ({ (fixture: inout Fixture) in fixture.press("F1") }, "Esc"), ({ $0.send(.input(.focus(false))) }, "Esc"),
            ({ $0.press("Alt-PgUp") }, "Alt-End"),
        ] as [((inout Fixture) -> Void, String)] {
            fixture = Fixture.main(columns: 80, rows: 8)
            prepare(&fixture)
            fixture.effects = []
            fixture.send(.chat(.messageAdded(news)))
            #expect(fixture.errands.isEmpty)
            #expect(fixture.state.openChat?.window.unreadLine != nil)
            fixture.press(back)
            #expect(fixture.errands.contains(.call(.markSeen(Fixture.alice, upTo: HistoryPosition(20)))))
        }
    }

    @Test("scrolled up, news do not move the view, and are counted")
    func newsWhileScrolled() {
        var fixture = Fixture.main(columns: 80, rows: 10)
        fixture.state.world.chats[0].window.dropUnreadLine()
        fixture.press("PgUp")
        func chat() -> [Substring] {
            fixture.text.split(separator: "\n").dropFirst().prefix(6).map { $0.dropFirst(16) }
        }
        let before = chat()
        fixture.send(
            .chat(.messageAdded(Fixture.message(20, .incoming, "new", at: Fixture.time(21, 9, 7)))))
        #expect(chat() == before)
        #expect(fixture.text.contains("↓ 1 newer"))
        fixture.press("Alt-End")
        #expect(fixture.text.contains("Alice new"))
        #expect(!fixture.text.contains("↓ 1 newer"))
    }

    @Test("files of deleted messages are gone from all lists; those of others, and what is not over, stay")
    func deletedFiles() {
        var fixture = Fixture.main(columns: 120, rows: 40)
        let files = (21...23).map { Fixture.transfer(Int64($0), .incoming, "f\($0).txt", size: 10, .complete) }
        let others = [
            Fixture.transfer(24, .incoming, "run.txt", size: 10, .running),
            Fixture.transfer(25, .incoming, "bobs.txt", size: 10, .complete, contact: Fixture.bob),
        ]
        fixture.send(.answer(.transfers(files + others)))
        #expect(fixture.state.world.transfers.groups.count >= 5)
        fixture.send(.chat(.messagesDeleted(Fixture.alice)))
        #expect(fixture.questions.contains(.transfers))
        fixture.send(.answer(.transfers([files[1]] + others)))
        let left = Set(fixture.state.world.transfers.groups.map(\.number.rawValue))
        #expect(left.isDisjoint(with: [21, 23]) && left.isSuperset(of: [22, 24, 25]))
        fixture.send(.chat(.messagesDeleted(Fixture.alice)))
        fixture.send(.answer(.transfers([])))
        #expect(!fixture.state.world.transfers.groups.contains { $0.number == files[1].number })
    }

    @Test("a draft goes when it was sent at another screen as it is stored; one that is being typed stays")
    func draftElsewhere() {
        for touches in [false, true] {
            var fixture = Fixture.main(columns: 80, rows: 24)
            fixture.press("Ctrl-u")
            fixture.state.composer.forget(draftOf: Fixture.alice)
            fixture.send(.answer(.draft(Fixture.alice, "unsent thought")))
            if touches { fixture.press("Home", "Delete") }
            let typed = fixture.state.composer.input.text
            let sent = Fixture.message(70, .outgoing, typed, at: Fixture.time(21, 9, 7))
            fixture.send(.chat(.messageAdded(sent)))
            #expect(fixture.state.composer.input.text == (touches ? typed : ""))
        }
        // Begun here, stored, and sent there.
        for leaves in [false, true] {
            var fixture = Fixture.main(columns: 80, rows: 24)
            fixture.press("Ctrl-u")
            fixture.type("begun here")
            fixture.advance(.seconds(2))
            if leaves { fixture.press("Alt-2") }
            let sent = Fixture.message(70, .outgoing, "begun here", at: Fixture.time(21, 9, 7))
            fixture.send(.chat(.messageAdded(sent)))
            #expect(fixture.state.composer.killRing.newest == "begun here")
            if leaves { fixture.press("Alt-1") }
            #expect(fixture.state.composer.input.isEmpty)
            fixture.effects = []
            fixture.press("Ctrl-q")
            #expect(!fixture.errands.contains(.call(.setDraft("begun here", for: Fixture.alice))))
        }
    }

    @Test("with read.mark = manual the open chat shows in the list and by a line what is unread")
    func manual() {
        var fixture = Fixture.main(columns: 100, rows: 24)
        fixture.press("Ctrl-u")
        fixture.state.surface.set(\.readMark, to: .manual)
        for number in 70...71 as ClosedRange<Int64> {
            fixture.send(.chat(.messageAdded(Fixture.message(number, .incoming, "new Jo", at: Fixture.time(21, 9, 7)))))
        }
        #expect(fixture.text.contains("2 new"), "\(fixture.text)")
        #expect(fixture.text.contains("@2"))
        // An answer is no "/read".
        fixture.enter("an answer")
        fixture.send(.chat(.messageAdded(Fixture.message(72, .outgoing, "an answer", at: Fixture.time(21, 9, 8)))))
        #expect(fixture.text.contains("2 new") && fixture.text.contains("@2"), "\(fixture.text)")
        fixture.enter("/read")
        #expect(!fixture.text.contains("@2") && !fixture.text.contains("2 new"))
        fixture.enter("/unread 1")
        #expect(fixture.text.contains("@1"), "\(fixture.text)")
    }

    @Test("marks move with the messages")
    func marks() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        var message = Fixture.history[7]
        #expect(fixture.text.contains("09:06 ~      me (kept"))
        message.state = .delivered
        fixture.send(.chat(.messageChanged(message)))
        #expect(fixture.text.contains("09:06 ✓      me (kept"))
        fixture = Fixture.main(columns: 80, rows: 24)
        message.state = .failed(reason: "they refused it")
        fixture.send(.chat(.messageChanged(message)))
        #expect(fixture.text.contains("09:06 !      me (kept"))
        #expect(fixture.text.contains("not sent: they refused it (/retry)"))
        // What was sent again is not offered to be sent again, and is no failed message any more.
        message.state = .sentAgain
        fixture.send(.chat(.messageChanged(message)))
        #expect(fixture.text.contains("not sent, and sent again") && !fixture.text.contains("(/retry)"))
        fixture.press("Ctrl-u")
        fixture.enter("/retry")
        #expect(fixture.text.contains("There is no failed message"))
    }

    @Test("conversations are read anew after changes, but not for each of them")
    func refresh() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.effects = []
        for number in 0..<1000 as Range<Int64> {
            fixture.send(
                .chat(
                    .messageAdded(
                        Fixture.message(100 + number, .incoming, "x", at: Fixture.time(21, 9, 7), contact: Fixture.bob))
                ))
        }
        #expect(fixture.questions.filter { $0 == .conversations }.count == 1)
        fixture.send(.answer(.conversations(fixture.state.world.chats.map(\.conversation))))
        #expect(fixture.questions.filter { $0 == .conversations }.count == 1)
        fixture.advance(.milliseconds(250))
        #expect(fixture.questions.filter { $0 == .conversations }.count == 2)
    }

    // MARK: Offers

    @Test("Alt-y answers an offer only after it has been on the screen for 700 ms")
    func arming() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.addOffer()
        fixture.effects = []
        fixture.advance(.milliseconds(699))
        fixture.press("Alt-y")
        #expect(fixture.errands.isEmpty)
        fixture.advance(.milliseconds(1))
        fixture.press("Alt-y")
        #expect(fixture.errands.contains(.accept(TransferNumber(8), folder: nil)))
    }

    @Test("an offer that something else hides is not answered unseen: the first key says what it is")
    func hiddenOffer() {
        for hide in [
            { $0.enter("/alias x y") }, { $0.press("Esc") }, { $0.press("Esc", "r") }, { $0.press("Alt-x") },
            { $0.press("Alt-k") },
        ]
            as [(inout Fixture) -> Void]
        {
            var fixture = Fixture.main(columns: 80, rows: 24)
            hide(&fixture)
            fixture.advance(.seconds(2))
            fixture.addOffer()
            // Nothing happens meanwhile, not even the clock.
            fixture.moment.uptime += .seconds(3)
            #expect(!fixture.text.contains("Alt-y/Alt-n"))
            fixture.effects = []
            fixture.press("Alt-y")
            #expect(fixture.errands.isEmpty)
            #expect(fixture.text.contains("Offer #8 release.tar.zst from Alice: look, then press again"))
            fixture.advance(.milliseconds(699))
            fixture.press("Alt-y")
            #expect(fixture.errands.isEmpty)
            fixture.advance(.milliseconds(1))
            fixture.press("Alt-y")
            #expect(fixture.errands == [.accept(TransferNumber(8), folder: nil)])
            #expect(!fixture.text.contains("look, then press again"), "answered is answered")
        }
    }

    @Test("in the pane Alt-y and Alt-n answer the offer under its cursor")
    func offerInPane() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.addOffer()
        let second = Fixture.transfer(9, .incoming, "other", size: 1, .offered, contact: Fixture.bob)
        fixture.send(.chat(.messageAdded(Fixture.fileMessage(second, position: 30, at: Fixture.time(21, 9, 7)))))
        fixture.press("Alt-t", "g")
        #expect(fixture.text.contains("▌") && fixture.state.world.transfers.groups.first?.number == TransferNumber(9))
        fixture.effects = []
        fixture.press("Alt-n")
        #expect(fixture.errands == [.call(.declineTransfer(TransferNumber(9)))])
    }

    @Test("a second offer does not change what Alt-n answers, and has to be seen first itself")
    func secondOffer() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.addOffer()
        fixture.advance(.seconds(1))
        let second = Fixture.transfer(3, .incoming, "other", size: 1, .offered, contact: Fixture.bob)
        fixture.send(.chat(.messageAdded(Fixture.fileMessage(second, position: 30, at: Fixture.time(21, 9, 7)))))
        fixture.effects = []
        fixture.press("Alt-n", "Alt-n")
        #expect(fixture.errands == [.call(.declineTransfer(TransferNumber(8)))])
        #expect(fixture.state.place.shownOffer?.number == TransferNumber(3))
    }

    @Test("an offer that is withdrawn while the key goes down is not another one's answer")
    func withdrawn() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.addOffer()
        let second = Fixture.transfer(9, .incoming, "other", size: 1, .offered)
        fixture.send(.chat(.messageAdded(Fixture.fileMessage(second, position: 30, at: Fixture.time(21, 9, 7)))))
        fixture.advance(.seconds(5))
        var gone = Fixture.release
        gone.state = .cancelled
        fixture.send(.chat(.messageChanged(Fixture.fileMessage(gone, position: 10, at: Fixture.time(21, 9, 7)))))
        fixture.effects = []
        fixture.press("Alt-y")
        #expect(fixture.errands.isEmpty)
    }

    @Test("an offer that could not be accepted comes back")
    func acceptFails() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.addOffer()
        fixture.advance(.seconds(1))
        fixture.press("Alt-y")
        #expect(fixture.state.place.shownOffer == nil)
        fixture.effects = []
        let error = ChatError.notEnoughSpace(needed: 88_000_000, free: 12_000_000, folder: "/home")
        fixture.send(.failed(.accept(TransferNumber(8), folder: nil), error))
        #expect(fixture.questions == [.transfers])
        #expect(fixture.text.contains("disk full"))
        fixture.send(.answer(.transfers([Fixture.release])))
        #expect(fixture.text.contains("Alt-y accept"))
    }

    @Test("the bar in the chat moves with the progress, not only with the row")
    func progress() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.addBuildLog()
        fixture.send(
            .chat(
                .transferProgress(
                    TransferProgress(id: Fixture.buildLog.id, transferred: 3_280_000, rate: 1_200_000))))
        fixture.advance(.milliseconds(250))
        #expect(fixture.text.contains("build.log 4.1 MB ████████·· 80% 1.2 MB/s"))
    }

    // MARK: Program

    @Test("Ctrl-q stores the draft, then quits")
    func quit() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.type("half")
        fixture.effects = []
        fixture.press("Ctrl-q")
        #expect(fixture.effects.last == .quit)
        #expect(fixture.errands.contains(.call(.setDraft("half", for: Fixture.alice))))
    }

    @Test("SIGTERM leaves with 143")
    func terminate() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.send(.input(.terminate(signal: 15)))
        #expect(fixture.effects.suffix(2) == [.quit, .giveUp])
        #expect(fixture.state.ending.exitCode == 143)
    }

    @Test("typing where no chat is open leaves nothing that stays due")
    func typingInTheLobby() {
        var fixture = Fixture(columns: 80, rows: 24)
        fixture.type("nobody is here")
        fixture.advance(.seconds(2))
        #expect(fixture.state.deadline > fixture.state.surface.moment.uptime)
    }

    @Test("at rest the next deadline is the next minute")
    func deadline() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.advance(.seconds(30))
        fixture.send(.answer(.conversations(fixture.state.world.chats.map(\.conversation))))
        fixture.advance(.seconds(1))
        #expect(fixture.state.deadline == fixture.moment.uptime + .seconds(29))
    }

    @Test("the title cuts off why a link is down, never that it is, and leaves room for who we are")
    func offlineTitle() {
        let reason = LinkReason.system(call: "connect", errno: ECONNREFUSED)
        for (columns, wanted) in [
            (120, "offline: nobody listens there (connection refused)"), (80, "offline: nobody listens there"),
            (60, "offline"),
        ] {
            var fixture = Fixture.main(columns: columns, rows: 24)
            fixture.send(.chat(.linkChanged(Fixture.alice, .offline(reason: reason))))
            let title = fixture.text.prefix { $0 != "\n" }
            #expect(title.contains(wanted))
            #expect(title.contains("me: Jo"))
        }
    }

    @Test("an answer about links that news have overtaken is asked for once more, not believed")
    func overtakenLinks() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        let online = LinkState.online(LinkDetails(remoteAddress: "127.0.0.1:4985", isEncrypted: true))
        // All links are asked about at the start; meanwhile somebody calls.
        fixture.send(.chat(.linkChanged(Fixture.bob, .connecting)))
        fixture.send(.answer(.links([Fixture.bob: .connecting])))
        fixture.send(.chat(.linkChanged(Fixture.bob, online)))
        fixture.effects = []
        fixture.send(.answer(.links([Fixture.bob: .connecting, Fixture.dave: .connecting])))
        #expect(fixture.state.world.chats[1].link == online && fixture.state.world.chats[3].link == .connecting)
        #expect(fixture.questions == [.links([Fixture.bob])])
        fixture.effects = []
        fixture.send(.answer(.links([Fixture.bob: .offline(reason: "gone")])))
        #expect(fixture.state.world.chats[1].link == .offline(reason: "gone") && fixture.questions.isEmpty)
    }

    @Test("an offer with long names leaves room for its keys and for what is unread", arguments: [100, 120])
    func longOffer(columns: Int) {
        var fixture = Fixture.main(columns: columns, rows: 24)
        fixture.send(.answer(.transfers([])))
        fixture.state.world.chats[0].set(\.peer.name, to: "Alice with a name that is far too long")
        let name = "a photo of everything that there is.jpg.exe"
        let offer = Fixture.transfer(8, .incoming, name, size: 7, .offered)
        let other = Fixture.transfer(9, .incoming, "b", size: 5, .offered, contact: Fixture.bob)
        fixture.send(.answer(.transfers([offer, other])))
        let rows = fixture.text.split(separator: "\n").filter { $0.contains("OFFER") }
        #expect(rows.count == 1 && rows[0].contains("Alt-y/Alt-n (+1)") && rows[0].contains("[2:3 4:@1]"), "\(rows)")
        #expect(rows[0].contains("(program)"), "\(rows)")
    }
}

extension ChatWindow {
    fileprivate var noticeCount: Int { items.count { $0.message == nil } }
}
