// "event" in the records of `watch`: what is new about a message, by comparison with what was known.

import ChatCore
import Testing

@testable import blipchat

@Suite struct MessageNewsTests {
    private static func message(_ number: Int64 = 1, _ direction: MessageDirection = .incoming) -> ChatMessage {
        ChatMessage(
            id: MessageID(at: Timestamp(milliseconds: number)), position: HistoryPosition(number),
            contact: ContactID(1), direction: direction, sequence: number, sent: Timestamp(milliseconds: number),
            stored: Timestamp(milliseconds: number), state: .pending, content: .text("x"))
    }

    @Test(
        "each change has its name",
        arguments: [
            (
                {
                    $0.content = .text("y"); $0.edited = Timestamp(milliseconds: 9)
                }, .edited
            ),
            (
                {
                    $0.isRetracted = true; $0.content = .text("")
                }, .retracted
            ),
            ({ $0.reactions = [Reaction(direction: .incoming, emoji: "!")] }, .reaction),
            ({ $0.pinned = Timestamp(milliseconds: 9) }, .pinned),
            ({ $0.state = .delivered }, .state),
            ({ $0.operationState = .sent }, .change),
            ({ $0.missingBefore = 2 }, .missing),
            ({ _ in }, .changed),
        ] as [(@Sendable (inout ChatMessage) -> Void, MessageNews.Event)])
    func names(change: @Sendable (inout ChatMessage) -> Void, event: MessageNews.Event) {
        var news = MessageNews()
        var message = Self.message()
        #expect(news.event(of: message, isNew: true) == .added)
        change(&message)
        #expect(news.event(of: message, isNew: false) == event)
        // The same once more is no edit again.
        #expect(news.event(of: message, isNew: false) == .changed)
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
        for number in 1...20 as ClosedRange<Int64> { news.know(Self.message(number)) }
        func event(_ number: Int64) -> MessageNews.Event {
            var message = Self.message(number)
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
