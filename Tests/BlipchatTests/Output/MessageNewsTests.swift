// "event" in the records of `watch`: what is new about a message, by comparison with what was known.

import BLIPNet
import ChatCore
import ChatHost
import Testing

@testable import blipchat

@Suite struct MessageNewsTests {
    private static func message(_ number: Int64 = 1, _ direction: MessageDirection = .incoming) -> ChatMessage {
        ChatMessage(
            id: MessageID(at: Timestamp(milliseconds: number)), position: HistoryPosition(number),
            contact: ContactID(1), direction: direction, sequence: number, sent: Timestamp(milliseconds: number),
            stored: Timestamp(milliseconds: number), state: .pending, content: .text("x"))
    }

    /// Something that happens to a message, and what it is called.
    struct Change: Sendable {
        var event: MessageNews.Event
        var apply: @Sendable (inout ChatMessage) -> Void

        init(_ event: MessageNews.Event, _ apply: @escaping @Sendable (inout ChatMessage) -> Void) {
            self.event = event
            self.apply = apply
        }
    }

    @Test(
        "each change has its name",
        arguments: [
            Change(.edited) { message in
                message.content = .text("y")
                message.edited = Timestamp(milliseconds: 9)
            },
            Change(.retracted) { message in
                message.isRetracted = true
                message.content = .text("")
            },
            Change(.reaction) { $0.reactions = [Reaction(direction: .incoming, emoji: "!")] },
            Change(.pinned) { $0.pinned = Timestamp(milliseconds: 9) },
            Change(.state) { $0.state = .delivered },
            Change(.change) { $0.operationState = .sent },
            Change(.missing) { $0.missingBefore = 2 },
            Change(.changed) { _ in },
        ])
    func names(change: Change) {
        var news = MessageNews()
        var message = Self.message()
        #expect(news.event(of: message, isNew: true) == .added)
        change.apply(&message)
        #expect(news.event(of: message, isNew: false) == change.event)
        // The same once more is no edit again.
        #expect(news.event(of: message, isNew: false) == .changed)
    }

    @Test("what is read again is told once, and nothing of what was there before")
    func readAgain() {
        var news = MessageNews()
        #expect(news.place(in: ContactID(1)) == HistoryPosition(0))
        var (message, next) = (Self.message(5), Self.message(6))
        news.know(message)
        #expect(news.place(in: ContactID(1)) == HistoryPosition(5))
        #expect(news.eventByReading(Self.message(4)) == nil)
        #expect(news.eventByReading(message) == nil)
        message.state = .delivered
        #expect(news.eventByReading(message) == .state)
        #expect(news.eventByReading(next) == .added)
        #expect(news.eventByReading(next) == nil)
        #expect(news.isToldByReading(next) && !news.isToldByReading(Self.message(7)))
        next.state = .delivered
        #expect(news.eventByReading(next) == .state)
        #expect(news.place(in: ContactID(1)) == HistoryPosition(6))
    }

    @Test("one after the other, each is told; of a message from before it is said that it cannot be told")
    func several() {
        var news = MessageNews()
        var message = Self.message()
        #expect(news.event(of: message, isNew: false) == .changed)
        message.reactions = [Reaction(direction: .outgoing, emoji: "!")]
        #expect(news.event(of: message, isNew: false) == .reaction)
        message.reactions = []
        #expect(news.event(of: message, isNew: false) == .reaction)
        // Ours and theirs with the same id are two.
        var other = Self.message(1, .outgoing)
        news.know(other)
        other.state = .read
        #expect(news.event(of: other, isNew: false) == .state)
    }

    @Test("memory is bounded: the oldest are forgotten")
    func bounded() {
        var news = MessageNews(limit: 10)
        // Made once: each has an id of its own, also of one moment.
        let messages = (1...20 as ClosedRange<Int64>).map { Self.message($0) }
        for message in messages { news.know(message) }
        func event(_ number: Int) -> MessageNews.Event {
            var message = messages[number - 1]
            message.state = .read
            return news.event(of: message, isNew: false)
        }
        #expect(event(20) == .state)
        #expect(event(1) == .changed)
    }

    @Test("the record has it behind its type")
    func record() {
        let record = JSONValue.record(["v": 1, "type": "message", "id": "a"]).with(.reaction)
        #expect(record.text == #"{"v":1,"type":"message","event":"reaction","id":"a"}"#)
    }
}
