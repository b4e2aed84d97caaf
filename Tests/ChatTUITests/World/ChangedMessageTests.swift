// What the screen does about edits, retractions, reactions, what is missing and what is late.

import ChatCore
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Changed, missing and late messages")
struct ChangedMessageTests {
    private typealias Fixture = ScreenFixture

    private func screen(columns: Int = 80, _ history: [ChatMessage] = Fixture.history) -> ScreenFixture {
        var fixture = Fixture(
            columns: columns, rows: 24, conversations: [Fixture.conversation(Fixture.alice, "Alice", readUpTo: 1000)])
        fixture.effects = fixture.state.world.chats[0].window.paging.request.map { [.ask(.page($0))] } ?? []
        fixture.answerPages(from: history)
        fixture.effects = []
        return fixture
    }

    private func message(
        _ number: Int64, _ direction: MessageDirection, _ text: String, _ change: (inout ChatMessage) -> Void = { _ in }
    ) -> ChatMessage {
        var message = Fixture.message(number, direction, text, at: Fixture.time(21, 9, 0))
        change(&message)
        return message
    }

    @Test("an edited text says so, a deleted one says nothing else, reactions stand below with who gave them")
    func looks() {
        let fixture = screen([
            message(1, .incoming, "better now") { $0.edited = Fixture.time(21, 9, 1) },
            message(2, .outgoing, "") { $0.isRetracted = true },
            message(3, .incoming, "nice") {
                $0.reactions = [
                    Reaction(direction: .outgoing, emoji: "👍"), Reaction(direction: .incoming, emoji: "🔥"),
                ]
            },
        ])
        #expect(fixture.text.contains("better now (edited)"))
        #expect(fixture.text.contains("me (deleted)"))
        #expect(fixture.text.contains("👍 me  🔥 Alice"))
    }

    @Test("what is hidden in a file's name or words is counted below it, and listed on its page with the words")
    func hiddenInFile() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        var transfer = Fixture.transfer(9, .incoming, "q\u{200B}q.txt", size: 100, .complete)
        transfer.caption = "c\u{200B}c\u{202E}c"
        fixture.send(.chat(.messageAdded(Fixture.fileMessage(transfer, position: 60, at: Fixture.time(21, 9, 7)))))
        #expect(fixture.text.contains("‹hidden: 2›"), "\(fixture.text)")
        fixture.press("Ctrl-u")
        fixture.enter("/info")
        fixture.press("G")
        for words in ["caption", "U+200B", "ZERO WIDTH SPACE (2)", "U+202E"] {
            #expect(fixture.text.contains(words), "\(words): \(fixture.text)")
        }
    }

    @Test("a change that the peer does not have yet, or refuses, is told at the message")
    func changeStates() {
        let fixture = screen([
            message(1, .outgoing, "one") { $0.operationState = .pending },
            message(2, .outgoing, "two") { $0.operationState = .failed(reason: "the peer says no") },
            message(3, .outgoing, "three") { $0.operationState = .delivered },
            message(4, .outgoing, "") {
                $0.isRetracted = true
                $0.operationState = .sent
            },
        ])
        #expect(fixture.text.split(separator: "\n").count { $0.contains("(change not delivered yet)") } == 1)
        #expect(fixture.text.contains("the change was refused: the peer says no"))
        #expect(fixture.text.contains(/09:00 >\s+me \(deleted\)/))
    }

    @Test("D5: what is missing stands before what overtook it, and goes when it comes", arguments: [80, 40])
    func missing(columns: Int) {
        let one = message(1, .incoming, "one")
        var four = message(4, .incoming, "four") { $0.missingBefore = 2 }
        var fixture = screen(columns: columns, [one, four])
        #expect(fixture.text.contains("── 2 messages missing "))
        // One of them comes late: it is filled in, and nothing else moves.
        let three = message(3, .incoming, "three") {
            $0.missingBefore = 1
            $0.stored = Fixture.time(21, 9, 1)
        }
        four.missingBefore = 0
        fixture.send(.chat(.messageAdded(three)))
        fixture.send(.chat(.messageChanged(four)))
        #expect(fixture.text.contains("── 1 message missing "))
        let shown = fixture.state.world.chats[0].window.items.compactMap(\.message?.position.rawValue)
        #expect(shown == [1, 3, 4])
        #expect(fixture.text.contains("A missing message"))
        // Told twice it is there once.
        fixture.send(.chat(.messageAdded(three)))
        #expect(fixture.state.world.chats[0].window.items.count == 3)
        #expect(fixture.state.world.chats[0].conversation.unreadCount == 0)
    }

    @Test("D5: a late message outside of the window is not shown in a wrong place")
    func missingOutside() {
        let long = (1...300 as ClosedRange<Int64>).filter { $0 != 7 }.map { message($0 * 2, .incoming, "line \($0)") }
        var fixture = screen(long)
        let before = fixture.state.world.chats[0].window.items.count
        let late = message(14, .incoming, "late") { $0.stored = Fixture.time(21, 9, 1) }
        fixture.send(.chat(.messageAdded(late)))
        #expect(fixture.state.world.chats[0].window.items.count == before)
        #expect(!fixture.text.contains("late"))
        #expect(fixture.text.contains("A missing message from Alice has arrived"))
    }

    @Test("D5: what an answer of the store has overtaken is no missing message")
    func overtaken() {
        var fixture = screen([message(1, .incoming, "one")])
        var conversation = fixture.state.world.chats[0].conversation
        conversation.lastMessage = message(3, .incoming, "three")
        fixture.send(.answer(.conversations([conversation])))
        fixture.send(.chat(.messageAdded(message(2, .incoming, "two"))))
        fixture.send(.chat(.messageAdded(message(3, .incoming, "three"))))
        #expect(!fixture.text.contains("A missing message"))
        #expect(fixture.state.world.chats[0].window.items.compactMap(\.message?.position.rawValue) == [1, 2, 3])
        #expect(fixture.state.world.chats[0].conversation.lastMessage?.position == HistoryPosition(3))
    }

    @Test("D6: old news take nothing back, but an edit, a reaction and a retraction change what is shown")
    func forwardOnly() throws {
        var fixture = screen([message(1, .outgoing, "one") { $0.state = .read }])
        func shown() throws -> ChatMessage { try #require(fixture.state.world.chats[0].window.items.last?.message) }
        fixture.send(.chat(.messageChanged(message(1, .outgoing, "one") { $0.state = .sent })))
        #expect(try shown().state == .read)
        fixture.send(
            .chat(
                .messageChanged(
                    message(1, .outgoing, "two") {
                        $0.state = .delivered
                        $0.edited = Fixture.time(21, 9, 1)
                        $0.operationState = .pending
                        $0.reactions = [Reaction(direction: .incoming, emoji: "👍")]
                    })))
        #expect(try shown().state == .read)
        #expect(fixture.text.contains("two (edited)") && fixture.text.contains("👍"))
        fixture.send(
            .chat(
                .messageChanged(
                    message(1, .outgoing, "") {
                        $0.state = .read
                        $0.isRetracted = true
                        $0.operationState = .delivered
                    })))
        #expect(fixture.text.contains("(deleted)"))
        let row = fixture.text.split(separator: "\n").first { $0.contains("(deleted)") }
        #expect(row?.contains("✓✓") == true, "what they had seen they have seen")
        fixture.send(.chat(.messageChanged(message(1, .outgoing, "two") { $0.state = .read })))
        #expect(try shown().isRetracted && !fixture.text.contains("two"))
    }

    @Test("what was deleted before it was sent has no mark: it never was with them")
    func takenBack() {
        var fixture = screen([message(1, .outgoing, "one") { $0.state = .pending }])
        for state in [DeliveryState.pending, .sent, .delivered] {
            fixture.send(
                .chat(
                    .messageChanged(
                        message(1, .outgoing, "") {
                            $0.state = .takenBack
                            $0.isRetracted = true
                            $0.operationState = state
                        })))
            #expect(fixture.text.contains("(deleted before it was sent)"))
            #expect(
                !fixture.text.contains("✓") && !fixture.text.contains("~") && !fixture.text.contains("!"), "\(state)")
        }
        fixture.press("Esc", "i")
        #expect(fixture.text.contains("deleted before it was sent"), "\(fixture.text)")
    }

    @Test("D6: a page that was read before a change does not hide it")
    func oldPage() throws {
        var fixture = Fixture(
            columns: 80, rows: 24, conversations: [Fixture.conversation(Fixture.alice, "Alice", readUpTo: 1000)])
        let request = try #require(fixture.state.world.chats[0].window.paging.request)
        fixture.send(.chat(.messageChanged(message(1, .outgoing, "one") { $0.state = .delivered })))
        fixture.send(.chat(.messageChanged(message(1, .outgoing, "better") { $0.state = .delivered })))
        fixture.send(.answer(.page(request, [message(1, .outgoing, "one") { $0.state = .pending }])))
        let shown = try #require(fixture.state.world.chats[0].window.items.last?.message)
        #expect(shown.state == .delivered && shown.content == .text("better"))
    }

    @Test("D5: a time that is more than five minutes off is marked; one in the future is shown as ours")
    func clocks() {
        let now = Fixture.time(21, 9, 0)
        let fixture = screen([
            message(1, .incoming, "right"),
            message(2, .incoming, "ahead") { $0.sent = Timestamp(milliseconds: now.milliseconds + 7_200_000) },
            message(3, .incoming, "behind") { $0.sent = Timestamp(milliseconds: now.milliseconds - 7_200_000) },
            message(4, .outgoing, "mine") { $0.sent = Timestamp(milliseconds: now.milliseconds - 7_200_000) },
        ])
        #expect(fixture.text.contains(/09:00\s+Alice right/))
        #expect(fixture.text.contains(/09:00 \?\s+Alice ahead/))
        #expect(fixture.text.contains(/07:00 \?\s+Alice behind/))
        #expect(!fixture.text.contains(/\?\s+me mine/))
    }

    // MARK: Commands

    @Test("/edit changes the last own text, or the Nth last; the rest of the line is the text")
    func edit() {
        var fixture = screen()
        fixture.enter("/edit better words")
        #expect(fixture.errands.contains(.call(.edit(Fixture.history[7], to: "better words"))))
        fixture.enter("/correct 2 better words")
        #expect(fixture.errands.contains(.call(.edit(Fixture.history[6], to: "better words"))))
        // A number alone is a text.
        fixture.enter("/edit 42")
        #expect(fixture.errands.contains(.call(.edit(Fixture.history[7], to: "42"))))
        fixture.enter("/edit 99 too far")
        #expect(fixture.errands.isEmpty && fixture.text.contains("There are fewer than 99 texts of yours"))
        fixture.effects = []
        fixture.send(.input(.paste("/edit \(String(repeating: "x", count: 65_537))")))
        fixture.press("Enter")
        #expect(!fixture.errands.contains { if case .edit? = $0.call { true } else { false } })
    }

    @Test("/delete takes back the last own message or the Nth last; what is gone is not counted")
    func delete() {
        var fixture = screen()
        fixture.enter("/delete")
        #expect(fixture.errands.contains(.retract(Fixture.history[7], of: 1)))
        fixture.enter("/redact 3")
        #expect(fixture.errands.contains(.retract(Fixture.history[5], of: 1)))
        var gone = Fixture.history[7]
        gone.isRetracted = true
        fixture.send(.chat(.messageChanged(gone)))
        fixture.enter("/delete")
        #expect(fixture.errands.contains(.retract(Fixture.history[6], of: 1)))
    }

    @Test("/react takes names, emoji and numbers; nothing takes the reaction back; other words are refused")
    func react() {
        var fixture = screen()
        fixture.enter("/react :+1:")
        #expect(fixture.errands.contains(.call(.react(to: Fixture.history[7], with: "👍"))))
        fixture.enter("/react 5 heart")
        #expect(fixture.errands.contains(.call(.react(to: Fixture.history[3], with: "❤"))))
        fixture.enter("/react +1")
        #expect(
            fixture.errands.contains(.call(.react(to: Fixture.history[7], with: "👍"))), "a name, not the last message")
        fixture.enter("/react 🦊")
        #expect(fixture.errands.contains(.call(.react(to: Fixture.history[7], with: "🦊"))))
        var reacted = Fixture.history[7]
        reacted.reactions = [Reaction(direction: .outgoing, emoji: "🦊")]
        fixture.send(.chat(.messageChanged(reacted)))
        fixture.enter("/react")
        #expect(fixture.errands.contains(.call(.react(to: reacted, with: nil))))
        for word in [":nosuchthing:", "yes", "🦊🦊", "\u{200B}"] {
            fixture.enter("/react \(word)")
            #expect(
                !fixture.errands.contains { if case .react(_, .some)? = $0.call { true } else { false } }, "\(word)")
        }
    }

    @Test("without a chat, in an empty chat and to somebody blocked nothing is changed")
    func nothingToChange() {
        var empty = screen([])
        for line in ["/edit x", "/delete", "/react :+1:"] {
            empty.enter(line)
            #expect(empty.errands.isEmpty)
            #expect(empty.text.contains("There is no "))
        }
        var nobody = Fixture(columns: 80, rows: 24)
        nobody.enter("/delete")
        #expect(nobody.errands.isEmpty && nobody.text.contains("No chat is open"))
        var blocked = screen()
        blocked.state.world.chats[0].set(\.peer.isBlocked, to: true)
        blocked.enter("/delete")
        #expect(blocked.errands.isEmpty)
    }

    @Test("D2, D9: an edit that cannot be stored comes back into the line with the reason")
    func failedEdit() {
        var fixture = screen()
        fixture.enter("/edit better words")
        fixture.send(.failed(.call(.edit(Fixture.history[7], to: "better words")), .store(.diskFull)))
        #expect(fixture.state.composer.input.text == "/edit #\(Fixture.history[7].id.short) better words")
        #expect(fixture.text.contains("the disk is full"))
    }

    @Test("D9: a line that cannot be stored stays in the input, and nothing of it is in the chat")
    func failedSend() {
        var fixture = screen()
        fixture.enter("keep this")
        fixture.send(.failed(.call(.send("keep this", to: Fixture.alice)), .store(.diskFull)))
        #expect(fixture.state.composer.input.text == "keep this")
        #expect(fixture.text.contains("Your line was not stored: the disk is full"))
        #expect(!fixture.state.world.chats[0].window.items.contains { $0.message?.content == .text("keep this") })
    }

    @Test("D9: somebody whose disk is full is said to be so, once and as long as it lasts")
    func refusing() {
        var fixture = screen()
        var details = LinkDetails(remoteAddress: "127.0.0.1:4985", isEncrypted: true)
        details.isRefusing = true
        fixture.send(.chat(.linkChanged(Fixture.alice, .online(details))))
        fixture.send(.chat(.notice(.peerCannotStore(Fixture.alice))))
        #expect(fixture.text.contains("Alice cannot store messages"))
        fixture.advance(.seconds(60))
        #expect(fixture.text.contains("THEIR DISK IS FULL"))
    }
}
