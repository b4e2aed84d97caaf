// [input] spell_command: when the draft is given to the checker, and what its answer does to the screen.

import ChatCore
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Spelling of the draft")
struct SpellingTests {
    private typealias Fixture = ScreenFixture

    private func main(_ command: String = "aspell list") -> Fixture {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.state.surface.set(\.spellCommand, to: command)
        fixture.effects = []
        return fixture
    }

    private func texts(_ fixture: Fixture) -> [String] {
        fixture.questions.compactMap { if case .spelling(let text, _) = $0 { text } else { nil } }
    }

    /// The underlined parts of the input row.
    private func underlined(_ fixture: Fixture) -> [String] {
        let row = ScreenLayout(fixture.state).input.origin.row
        var parts: [String] = []
        var isInside = false
        for column in 0..<80 {
            let cell = fixture.canvas[Point(column: column, row: row)]
            let isMarked = cell.style.attributes.contains(.underline)
            if isMarked {
                if !isInside { parts.append("") }
                parts[parts.count - 1] += cell.cluster?.text ?? ""
            }
            isInside = isMarked
        }
        return parts
    }

    @Test("the draft is checked once when the user pauses, and the unknown words are underlined")
    func pause() {
        var fixture = main("aspell -l en 'list'")
        fixture.type("teh cat don't wrok")
        #expect(texts(fixture).isEmpty, "not while typing")
        fixture.advance(.milliseconds(500))
        #expect(fixture.questions.contains(.spelling("teh cat don't wrok", command: ["aspell", "-l", "en", "list"])))
        fixture.send(.answer(.spelling(.unknown(["teh", "wrok"]))))
        #expect(underlined(fixture) == ["teh", "wrok"])
        fixture.press("Backspace")
        #expect(underlined(fixture) == ["teh"], "a word that was changed is not known to be wrong")
        fixture.advance(.seconds(60))
        #expect(texts(fixture).count == 2)
        fixture.advance(.seconds(60))
        #expect(texts(fixture).count == 2, "an unchanged draft is not checked again")
    }

    @Test("a word is underlined also where it is wrapped and scrolled")
    func wrapped() {
        var fixture = Fixture.main(columns: 40, rows: 10)
        fixture.state.surface.set(\.spellCommand, to: "x")
        fixture.type(String(repeating: "a ", count: 16) + "abcdefghij\nzz")
        fixture.advance(.seconds(1))
        fixture.send(.answer(.spelling(.unknown(["abcdefghij", "zz"]))))
        let canvas = fixture.canvas
        let marked = (0..<10).flatMap { row in (0..<40).map { canvas[Point(column: $0, row: row)] } }
            .filter { $0.style.attributes.contains(.underline) }
        #expect(marked.compactMap(\.cluster?.text).joined() == "abcdefghijzz")
    }

    @Test(
        "commands, links, addresses and emoji are not checked",
        arguments: [
            ("/quti", nil), ("  ", nil), ("12:30", nil), ("see https://x.example/y now", "see now"),
            ("mail jo@x.example", "mail"), (":rocket: up", "up"), ("//slash", "//slash"), ("a\n\nb", "a\n\nb"),
        ] as [(String, String?)])
    func texts(draft: String, checked: String?) {
        #expect(SpellCheck.text(of: draft) == checked)
    }

    @Test("without a command nothing is asked")
    func off() {
        var fixture = main("")
        fixture.type("teh")
        fixture.advance(.seconds(2))
        #expect(texts(fixture).isEmpty)
    }

    @Test("one question at a time; what was typed meanwhile is asked after the answer")
    func oneAtATime() {
        var fixture = main()
        fixture.type("teh")
        fixture.advance(.seconds(1))
        fixture.type(" wrok")
        fixture.advance(.seconds(1))
        #expect(texts(fixture) == ["teh"])
        fixture.send(.answer(.spelling(.unknown(["teh"]))))
        fixture.advance(.seconds(1))
        #expect(texts(fixture) == ["teh", "teh wrok"])
    }

    @Test("a checker that cannot be run is told once, and tried again when the setting changes")
    func failure() {
        var fixture = main()
        fixture.type("teh")
        fixture.advance(.seconds(1))
        fixture.send(.answer(.spelling(.failed("it does not start: No such file or directory"))))
        #expect(fixture.text.contains("input.spell_command aspell list: it does not start: No such f… (/log)"))
        fixture.type(" more")
        fixture.advance(.seconds(1))
        #expect(texts(fixture).count == 1)
        var settings = fixture.state.surface.settings
        settings.spellCommand = "hunspell -l"
        fixture.send(.done(.settings(.reload), .settings(SettingsReply([], settings: settings))))
        fixture.type("!")
        fixture.advance(.seconds(1))
        #expect(fixture.questions.contains(.spelling("teh more!", command: ["hunspell", "-l"])))
    }

    @Test("the half-typed line is as it was, and news do not check it again")
    func untouched() {
        var fixture = main()
        fixture.type("teh cat")
        fixture.advance(.seconds(1))
        let before = fixture.state.composer.input
        fixture.send(.answer(.spelling(.unknown(["teh", "\u{1B}[31m", "not there"]))))
        let news = Fixture.message(50, .incoming, "news", at: Fixture.time(21, 9, 7))
        fixture.send(.chat(.messageAdded(news)))
        fixture.advance(.seconds(2))
        #expect(fixture.state.composer.input == before)
        #expect(texts(fixture).count == 1)
    }
}
