// Jumps from the search and where Esc leads back to; and when the newest message counts as seen.

import ChatCore
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("The way back from a jump")
struct ReturnPlaceTests {
    private typealias Fixture = ScreenFixture

    private static let long = (1...500 as ClosedRange<Int64>).map {
        Fixture.message($0, .incoming, "line \($0)", at: Fixture.time(20, 10, 0))
    }

    /// The chat with a long history, at its end.
    private static func screen() -> Fixture {
        var fixture = Fixture(
            columns: 80, rows: 24, conversations: [Fixture.conversation(Fixture.alice, "Alice", readUpTo: 500)])
        fixture.effects = fixture.state.world.chats[0].window.paging.request.map { [.ask(.page($0))] } ?? []
        fixture.answerPages(from: long)
        return fixture
    }

    /// Jumps from a search to the message that says `line N`.
    private static func jump(to number: Int, in fixture: inout Fixture) throws {
        fixture.press("Alt-s")
        fixture.type("x")
        guard case .ask(.search(let query, let generation))? = fixture.effects.last else {
            throw Unexpected()
        }
        let result = SearchResult(hits: [long[number - 1]], searched: 500, isTruncated: false)
        fixture.send(.answer(.search(query, generation: generation, result, took: .zero)))
        fixture.press("Enter")
        fixture.answerPages(from: long)
        #expect(fixture.text.contains("line \(number)"))
    }

    private struct Unexpected: Error {}

    @Test("Esc leads back to the rows that were seen, also when a jump has taken their page out of memory")
    func farBack() throws {
        var fixture = Self.screen()
        for _ in 0..<4 { fixture.press("PgUp") }
        let before = fixture.text
        try Self.jump(to: 100, in: &fixture)
        #expect(fixture.text.contains("Esc back to the search"))
        fixture.press("Esc")
        fixture.answerPages(from: Self.long)
        fixture.press("Esc")
        fixture.answerPages(from: Self.long)
        let rows = { (text: String) in text.split(separator: "\n").filter { $0.contains("line ") } }
        #expect(rows(fixture.text) == rows(before))
    }

    @Test(
        "a chat that was left further up is there again when one comes back, and at its new lines when there are some")
    func leftChats() {
        var fixture = Fixture(
            columns: 80, rows: 24,
            conversations: [
                Fixture.conversation(Fixture.alice, "Alice", readUpTo: 500), Fixture.conversation(Fixture.bob, "Bob"),
            ])
        fixture.effects = fixture.state.world.chats[0].window.paging.request.map { [.ask(.page($0))] } ?? []
        fixture.answerPages(from: Self.long)
        let rows = { (text: String) in text.split(separator: "\n").filter { $0.contains("line ") } }
        for _ in 0..<20 {
            fixture.press("PgUp")
            fixture.answerPages(from: Self.long)
        }
        let before = rows(fixture.text)
        #expect(!before.contains { $0.contains("line 500") })
        for _ in 0..<2 {
            fixture.press("Alt-2")
            fixture.answerPages(from: [])
            fixture.press("Alt-1")
            fixture.answerPages(from: Self.long)
            #expect(rows(fixture.text) == before)
        }
        fixture.press("Alt-2")
        fixture.answerPages(from: [])
        let news = Fixture.message(501, .incoming, "line 501", at: Fixture.time(20, 10, 1))
        fixture.send(.chat(.messageAdded(news)))
        fixture.press("Alt-1")
        fixture.answerPages(from: Self.long + [news])
        #expect(fixture.text.contains("line 501"))
    }

    @Test("from a quoted message Esc leads back to its answer")
    func quoted() {
        var fixture = Self.screen()
        var answer = Fixture.message(501, .incoming, "an answer", at: Fixture.time(20, 10, 1))
        answer.replyTo = Self.long[99].id
        fixture.send(.chat(.messageAdded(answer)))
        fixture.send(.answer(.quotes([Self.long[99]], asked: [Self.long[99].id], Fixture.alice)))
        let before = fixture.text
        fixture.press("Esc", "Enter")
        fixture.answerPages(from: Self.long + [answer])
        #expect(fixture.text.contains("line 100") && !fixture.text.contains("an answer"))
        fixture.press("Esc", "Esc")
        fixture.answerPages(from: Self.long + [answer])
        let rows = { (text: String) in
            text.split(separator: "\n").filter { $0.contains("line ") || $0.contains("answer") }
        }
        #expect(rows(fixture.text) == rows(before))
    }

    @Test(
        "who writes after a jump, or goes to the newest message, has Esc for browsing again", arguments: [true, false])
    func left(types: Bool) throws {
        var fixture = Self.screen()
        try Self.jump(to: 100, in: &fixture)
        if types { fixture.type("a") } else { fixture.press("Alt-End") }
        fixture.answerPages(from: Self.long)
        #expect(!fixture.text.contains("back to the search"))
        fixture.press("Esc")
        #expect(fixture.state.place.overlay == nil && fixture.state.place.browse != nil)
    }

    @Test("a jump that shows the newest message leaves nothing newer, and what comes is seen")
    func newest() throws {
        var fixture = Self.screen()
        try Self.jump(to: 499, in: &fixture)
        #expect(fixture.state.openChat?.window.isAtBottom == true)
        #expect(!fixture.text.contains("newer messages"))
        fixture.send(.chat(.messageAdded(Fixture.message(501, .incoming, "line 501", at: Fixture.time(20, 10, 1)))))
        #expect(fixture.text.contains("line 501"))
        #expect(
            fixture.errands.contains {
                if case .markSeen(Fixture.alice, _)? = $0.call { true } else { false }
            })
    }

    @Test("a window that grows until the newest message is in sight stays with it")
    func grown() {
        var fixture = Self.screen()
        fixture.send(.input(.resize(Size(columns: 80, rows: 8))))
        fixture.press("Alt-PgUp")
        #expect(fixture.state.openChat?.window.isAtBottom == false)
        fixture.send(.input(.resize(Size(columns: 80, rows: 24))))
        fixture.send(.input(.resize(Size(columns: 80, rows: 23))))
        #expect(fixture.state.openChat?.window.isAtBottom == false, "there is a row below")
        fixture.press("Alt-PgDn")
        #expect(fixture.state.openChat?.window.isAtBottom == true)
    }
}
