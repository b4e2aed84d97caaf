// Right-to-left text of messages wherever it is drawn: in the order in which it is read, or as stored when the user
// wants that ([ui.unicode] bidi).

import ChatCore
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Display order")
struct DisplayOrderTests {
    private typealias Fixture = ScreenFixture

    /// `shalom olam`, the second word with its parentheses, as stored and as read from left to right.
    private static let stored = "שלום (עולם)"
    private static let shown = "(םלוע) םולש"
    private static let message = Fixture.message(30, .incoming, stored, at: Fixture.time(21, 9, 6))

    private static func main(_ bidi: ScreenSettings.BidiMode) -> Fixture {
        var fixture = Fixture.main(columns: 100, rows: 30)
        fixture.state.surface.set(\.bidi, to: bidi)
        fixture.send(.chat(.messageAdded(message)))
        return fixture
    }

    private typealias Screen = (name: String, open: @Sendable (inout ScreenFixture) -> Void)

    /// Each shows the message in a place of its own, beside or over the chat.
    private static let screens: [Screen] = [
        (
            "quote",
            {
                $0.send(
                    .chat(.messageAdded(Fixture.message(31, .outgoing, "yes", at: Fixture.time(21, 9, 6), replyTo: 30)))
                )
            }
        ),
        ("answer", { $0.press("Esc", "r") }),
        (
            "pins",
            {
                $0.enter("/pins")
                for case .pins(_, let generation) in $0.questions {
                    $0.send(.answer(.pins([message], generation: generation)))
                }
            }
        ),
        (
            "hit and context",
            {
                $0.press("Alt-s")
                $0.type("nothing")
                guard case .ask(.search(let query, let generation)) = $0.effects.last else { return }
                let result = SearchResult(hits: [message], searched: 9, isTruncated: false)
                $0.send(.answer(.search(query, generation: generation, result, took: .zero)))
                guard case .ask(.context(_, _, let context)) = $0.effects.last else { return }
                $0.send(.answer(.context(generation: context, [message])))
            }
        ),
        ("info", { $0.press("Esc", "i") }),
        (
            "caption",
            {
                var file = Fixture.transfer(8, .incoming, "photo.jpg", size: 5, .complete)
                file.caption = stored
                $0.send(.chat(.messageAdded(Fixture.fileMessage(file, position: 32, at: Fixture.time(21, 9, 6)))))
            }
        ),
    ]

    @Test("texts of messages are in reading order wherever they stand", arguments: Self.screens.indices)
    func everywhere(index: Int) {
        let screen = Self.screens[index]
        var fixture = Self.main(.auto)
        screen.open(&fixture)
        #expect(fixture.text.contains(Self.shown), "\(screen.name): \(fixture.text)")
        #expect(!fixture.text.contains(Self.stored), "\(screen.name): \(fixture.text)")
        var raw = Self.main(.raw)
        screen.open(&raw)
        #expect(!raw.text.contains(Self.shown) && raw.text.contains(Self.stored), "\(screen.name): \(raw.text)")
    }

    @Test("a whole message on a page of its own is in reading order, row by row")
    func reader() {
        var fixture = Self.main(.auto)
        let long = Fixture.message(
            40, .incoming, Array(repeating: Self.stored, count: 900).joined(separator: "\n"),
            at: Fixture.time(21, 9, 6))
        fixture.send(.chat(.messageAdded(long)))
        fixture.press("Esc", "Enter")
        guard case .reader = fixture.state.place.overlay else {
            Issue.record("\(fixture.text)")
            return
        }
        #expect(fixture.text.ranges(of: Self.shown).count > 10 && !fixture.text.contains(Self.stored))
    }

    @Test("a found word is marked where it is read, with mirrored brackets around it")
    func highlight() {
        let line = Highlight.line(SafeText(Self.stored, as: .line), words: ["עולם"], width: 40)
        #expect(line.inDisplayOrder(width: 40, reordering: true).text.text == "([םלוע]) םולש")
        let marked = line.inDisplayOrder(width: 40, reordering: true).spans.filter { $0.style == Theme.marked }
        #expect(marked.map(\.text.text) == ["םלוע"])
        #expect(line.inDisplayOrder(width: 40, reordering: false) == line)
    }

    @Test("marking a word moves none where words of both directions meet", arguments: ["שלום", "עולם", "build", "log"])
    func highlightInMixed(word: String) {
        for text in ["the build log \(Self.stored)", "\(Self.stored) the build log"] {
            let text = SafeText(text, as: .line)
            let plain = StyledLine(text).inDisplayOrder(width: 60, reordering: true)
            let line = Highlight.line(text, words: [word], width: 60).inDisplayOrder(width: 60, reordering: true)
            #expect(line.text.text == plain.text.text)
            #expect(line.spans.contains { $0.style == Theme.marked })
        }
    }

    @Test("a row that is cut keeps its beginning, says that it is cut, and never outgrows its room")
    func cut() {
        let line = StyledLine(SafeText(Self.stored, as: .line))
        #expect(line.inDisplayOrder(width: 6, reordering: true).text.text == "… םולש")
        #expect(StyledLine("plain words").inDisplayOrder(width: 6, reordering: true).text.text == "plain…")
        for width in 0...14 {
            #expect(line.inDisplayOrder(width: width, reordering: true).width <= width, "\(width)")
        }
    }

    @Test("a found word far to the right stands whole between its brackets, also where there is little room")
    func farHit() {
        let text = SafeText("morning! can you send the build log?", as: .line)
        for width in 10...40 {
            let line = Highlight.line(text, words: ["build"], width: width)
            #expect(line.inDisplayOrder(width: width, reordering: true).text.text.contains("[build]"), "\(width)")
        }
    }
}
