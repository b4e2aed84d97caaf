// The window of history: pages, scrolling, limits, and the rows that are made of it.

import ChatCore
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("History")
struct HistoryTests {
    private typealias Fixture = ScreenFixture

    private static let long = (1...2000 as ClosedRange<Int64>).map { number in
        Fixture.message(number, number % 3 == 0 ? .outgoing : .incoming, "line \(number)", at: Fixture.time(20, 10, 0))
    }

    private func longChat(rows: Int = 24) -> ScreenFixture {
        var fixture = Fixture(
            columns: 80, rows: rows, conversations: [Fixture.conversation(Fixture.alice, "Alice", readUpTo: 2000)])
        fixture.effects = [
            .ask(
                .page(
                    fixture.state.world.chats[0].window.paging.request
                        ?? PageRequest(
                            contact: Fixture.alice, anchor: .newest, limit: 100, generation: 0)))
        ]
        fixture.answerPages(from: Self.long)
        return fixture
    }

    private func shownLines(_ fixture: ScreenFixture) -> [Int] {
        fixture.text.split(separator: "\n").compactMap { row in
            let words = row.split(separator: " ")
            guard let place = words.lastIndex(of: "line"), words.indices.contains(place + 1) else { return nil }
            return Int(words[place + 1].prefix { $0.isNumber })
        }
    }

    @Test("PgUp walks to the oldest message and PgDn back to the newest, without a gap")
    func walk() {
        var fixture = longChat()
        var seen = Set(shownLines(fixture))
        #expect(shownLines(fixture).last == 2000)
        for _ in 0..<200 {
            fixture.press("PgUp")
            fixture.answerPages(from: Self.long)
            seen.formUnion(shownLines(fixture))
        }
        #expect(seen.count == 2000)
        #expect(shownLines(fixture).first == 1)
        #expect(fixture.state.world.chats[0].window.items.count <= ChatWindow.limit)
        seen = []
        for _ in 0..<200 {
            fixture.press("PgDn")
            fixture.answerPages(from: Self.long)
            seen.formUnion(shownLines(fixture))
        }
        #expect(seen.count >= 1980)
        #expect(shownLines(fixture).last == 2000)
        #expect(fixture.state.world.chats[0].window.isAtBottom)
    }

    @Test("one row up and one row down come back to the same picture")
    func rows() {
        var fixture = longChat()
        fixture.press("PgUp")
        fixture.answerPages(from: Self.long)
        let before = fixture.text
        fixture.press("Alt-PgUp")
        #expect(fixture.text != before)
        fixture.press("Alt-PgDn")
        #expect(fixture.text == before)
    }

    @Test("Alt-Home loads the oldest page, Alt-End the newest")
    func ends() {
        var fixture = longChat()
        fixture.press("Alt-Home")
        fixture.answerPages(from: Self.long)
        #expect(shownLines(fixture).first == 1)
        #expect(shownLines(fixture).count >= 15, "the screen is full")
        fixture.press("Alt-PgUp")
        #expect(shownLines(fixture).first == 1)
        let last = shownLines(fixture).last ?? 0
        fixture.press("Alt-PgDn")
        #expect(shownLines(fixture).last == last + 1)
        fixture.press("Alt-End")
        fixture.answerPages(from: Self.long)
        #expect(shownLines(fixture).last == 2000)
    }

    @Test("a page that was asked for before another one is not used")
    func stalePage() {
        var fixture = longChat()
        fixture.press("Alt-Home")
        let asked = fixture.effects
        fixture.press("Alt-End")
        fixture.effects = asked.filter {
            if case .ask(.page(let request)) = $0 { request.anchor != .newest } else { false }
        }
        let before = fixture.state.world.chats[0].window.items.count
        fixture.answerPages(from: Self.long)
        #expect(fixture.state.world.chats[0].window.items.count == before || shownLines(fixture).last == 2000)
    }

    @Test("a jump within the window is not undone by a page that was asked for before")
    func jumpBeforePage() {
        var fixture = longChat()
        fixture.press("Alt-Home")
        fixture.answerPages(from: Self.long)
        fixture.press("Alt-End")
        Scrolling.show(.message(Self.long[49].key), at: 0, &fixture.state)
        #expect(shownLines(fixture).contains(50))
        fixture.answerPages(from: Self.long)
        #expect(shownLines(fixture).contains(50))
    }

    @Test("the way back to the newest gives up a jump to the oldest that is on its way, and the other way round")
    func jumpGivenUp() {
        var fixture = longChat()
        fixture.press("Alt-Home")
        let oldest = fixture.effects
        fixture.press("Alt-End")
        fixture.effects = oldest
        fixture.answerPages(from: Self.long)
        #expect(shownLines(fixture).last == 2000)
        fixture.effects = []
        fixture.press("Alt-Home")
        fixture.answerPages(from: Self.long)
        #expect(shownLines(fixture).first == 1)
    }

    @Test("a chat that is left while a jump is on its way shows its newest messages when it is opened again")
    func jumpLeftBehind() {
        var fixture = longChat()
        fixture.press("Alt-Home")
        let asked = fixture.effects
        fixture.enter("/close")
        fixture.effects = asked
        fixture.answerPages(from: Self.long)
        fixture.effects = []
        fixture.enter("/query alice")
        fixture.answerPages(from: Self.long)
        #expect(shownLines(fixture).last == 2000 && fixture.state.openChat?.window.isAtBottom == true)
    }

    @Test("a jump shows what it is to, also when long answers of commands stand below it", arguments: [1, 2, 12, 40])
    func jumpAboveNotices(lines: Int) {
        var fixture = longChat()
        fixture.state.note((1...lines).map { "answer \($0)" })
        fixture.state.note("the end")
        Scrolling.show(.message(Self.long[1999].key), at: 0, &fixture.state)
        #expect(shownLines(fixture).contains(2000), "\(fixture.text)")
        #expect(fixture.text.contains("answer 1"))
        if lines < 3 { #expect(fixture.state.openChat?.window.isAtBottom == true) }
    }

    @Test("the first message behind /clear says who wrote it")
    func nameBehindClear() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.state.surface.set(\.groupMinutes, to: 5)
        let time = Fixture.time(21, 9, 7)
        fixture.send(.chat(.messageAdded(Fixture.message(50, .incoming, "before", at: time))))
        fixture.enter("/clear")
        fixture.send(.chat(.messageAdded(Fixture.message(51, .incoming, "one", at: time))))
        fixture.send(.chat(.messageAdded(Fixture.message(52, .incoming, "two", at: time))))
        let rows = fixture.text.split(separator: "\n").filter { $0.hasSuffix(" one") || $0.hasSuffix(" two") }
        #expect(rows.map { $0.contains("Alice") } == [true, false])
    }

    @Test("a page that cannot be loaded is asked for again only when the user scrolls")
    func failedPage() {
        var fixture = longChat()
        for _ in 0..<9 { fixture.press("PgUp") }
        guard
            case .ask(.page(let request))? = fixture.effects.last(where: {
                if case .ask(.page) = $0 { true } else { false }
            })
        else {
            Issue.record("no older page was asked for")
            return
        }
        fixture.effects = []
        fixture.send(.answer(.failed(.page(request), .store(.locked))))
        fixture.send(.clock)
        #expect(!fixture.questions.contains { if case .page = $0 { true } else { false } })
        fixture.press("PgUp")
        #expect(fixture.questions.contains { if case .page = $0 { true } else { false } })
    }

    @Test("a flood of messages does not let the window grow")
    func flood() {
        var fixture = longChat()
        for number in 2001...4000 as ClosedRange<Int64> {
            fixture.send(
                .chat(.messageAdded(Fixture.message(number, .incoming, "line \(number)", at: Fixture.time(21, 9, 0)))))
        }
        #expect(fixture.state.world.chats[0].window.items.count == ChatWindow.limit)
        #expect(shownLines(fixture).last == 4000)
    }

    @Test("the pages of the chats that were open last are kept, those of the others are read again; our own lines stay")
    func keptWindows() {
        let ids = (1...12 as ClosedRange<Int64>).map { ContactID($0) }
        var fixture = Fixture(
            columns: 80, rows: 24, conversations: ids.map { Fixture.conversation($0, "chat \($0.rawValue)") })
        func open(_ id: ContactID) {
            var effects: [AppEffect] = []
            ChatSwitching.open(id, &fixture.state, &effects)
            fixture.effects = effects
            fixture.answerPages(
                from: ids.map {
                    Fixture.message($0.rawValue, .incoming, "hello", at: Fixture.time(21, 9, 0), contact: $0)
                })
        }
        open(ids[1])
        fixture.enter("/alias")
        #expect(fixture.state.openChat?.window.items.count == 2)
        for id in ids.dropFirst(2) { open(id) }
        let loaded = fixture.state.world.chats.filter(\.window.isLoaded).map(\.id)
        #expect(loaded == Array(ids.suffix(Place.keptWindows + 1)))
        open(ids[1])
        #expect(fixture.state.openChat?.window.items.count == 2)
        #expect(fixture.text.contains("hello") && fixture.text.contains("No aliases"))
    }

    @Test("the view stays where it is when the terminal changes its size")
    func resize() {
        var fixture = longChat()
        fixture.press("PgUp", "PgUp")
        let last = shownLines(fixture).last
        fixture.send(.input(.resize(Size(columns: 120, rows: 40))))
        #expect(shownLines(fixture).last == last)
        fixture.send(.input(.resize(Size(columns: 80, rows: 24))))
        #expect(shownLines(fixture).last == last)
    }

    @Test("a terminal that grows at the oldest message is filled with newer ones")
    func grow() {
        var fixture = longChat()
        fixture.press("Alt-Home")
        fixture.answerPages(from: Self.long)
        fixture.send(.input(.resize(Size(columns: 80, rows: 60))))
        #expect(shownLines(fixture).first == 1)
        #expect(shownLines(fixture).count >= 50)
    }

    @Test("a notice of the start stands in the chat that opens, behind its history")
    func noticeBeforeTheHistory() {
        var fixture = Fixture(
            columns: 80, rows: 24, conversations: [Fixture.conversation(Fixture.alice, "Alice", readUpTo: 2000)])
        let notice = ChatNotice.listensElsewhere(wanted: "[::]:4985", reason: "address in use", listening: "[::]:5000")
        fixture.send(.chat(.notice(notice)))
        fixture.effects = fixture.state.world.chats[0].window.paging.request.map { [.ask(.page($0))] } ?? []
        fixture.answerPages(from: Self.long)
        #expect(shownLines(fixture).last == 2000)
        #expect(fixture.text.contains("-- Cannot listen on [::]:4985: address in use"))
        fixture.advance(.seconds(60))
        #expect(fixture.text.contains("on [::]:5000 instead"))
    }

    @Test("/clear hides the view only; PgUp shows it again")
    func clear() {
        var fixture = longChat()
        fixture.enter("/clear")
        #expect(shownLines(fixture).isEmpty)
        fixture.press("PgUp")
        #expect(!shownLines(fixture).isEmpty)
    }

    @Test("what is said and what comes after /clear is seen, before the next message and behind it")
    func saidAfterClear() {
        var fixture = longChat()
        fixture.enter("/whois nobody")
        fixture.enter("/clear")
        #expect(!fixture.text.contains("No contact is called nobody"))
        fixture.enter("/whois somebody")
        #expect(fixture.text.contains("No contact is called somebody"))
        #expect(!fixture.text.contains("No contact is called nobody"))
        fixture.send(.chat(.messageAdded(Fixture.message(2001, .incoming, "line 2001", at: Fixture.time(21, 9, 0)))))
        #expect(fixture.text.contains("No contact is called somebody"))
        #expect(shownLines(fixture) == [2001])
        // Twice in a row: the second one hides what was said between them.
        fixture.enter("/clear")
        fixture.enter("/whois third")
        fixture.enter("/clear")
        #expect(!fixture.text.contains("No contact is called third"))
    }

    @Test("a wrong clock neither hides nor reorders a message")
    func wrongClock() {
        var fixture = longChat()
        var odd = Fixture.message(2001, .incoming, "line 2001", at: Fixture.time(21, 9, 0))
        odd.sent = Timestamp(milliseconds: .max)
        fixture.send(.chat(.messageAdded(odd)))
        odd = Fixture.message(2002, .incoming, "line 2002", at: Fixture.time(21, 9, 0))
        odd.sent = Timestamp(milliseconds: .min)
        fixture.send(.chat(.messageAdded(odd)))
        #expect(shownLines(fixture).suffix(2) == [2001, 2002])
    }

    @Test("a message of very many lines is folded")
    func folded() throws {
        var fixture = longChat()
        let text = (1...1000).map { "row \($0)" }.joined(separator: "\n")
        fixture.send(.chat(.messageAdded(Fixture.message(2001, .incoming, text, at: Fixture.time(21, 9, 0)))))
        #expect(fixture.text.contains("… 800 more rows"))
        try fixture.click(on: "more rows")
        guard case .reader = fixture.state.place.overlay else { return #expect(Bool(false), "a click shows all of it") }
    }

    @Test("hostile text reaches the canvas only as its pictures")
    func hostile() {
        var fixture = longChat()
        let text = "\u{1B}[31mred\u{7} \u{202E}rtl\u{200B}\u{9B}2J"
        fixture.send(.chat(.messageAdded(Fixture.message(2001, .incoming, text, at: Fixture.time(21, 9, 0)))))
        #expect(fixture.text.contains("␛[31mred␇"))
        #expect(
            fixture.text.unicodeScalars.allSatisfy {
                $0 == "\n" || ($0.value >= 0x20 && !(0x7F...0x9F).contains($0.value))
            })
    }
}
