// PRODUCT's rules 6, 7 and 8 by keys in and screen out: Esc and Ctrl-c, mistyped commands, what can be clicked and run.

import ChatCore
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("The nine rules")
struct RuleTests {
    private typealias Fixture = ScreenFixture

    // MARK: 6

    @Test(
        "rule 6: Esc goes one level back from every pane and leaves the half-typed line alone",
        arguments: ["F1", "Alt-x", "Alt-k", "Alt-t", "Alt-s", "Ctrl-s", "Ctrl-r"])
    func escape(key: String) {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("said before")
        fixture.type("half-typed")
        let before = fixture.text
        fixture.press(key)
        #expect(fixture.state.place.overlay != nil)
        fixture.press("Esc")
        #expect(fixture.state.place.overlay == nil)
        #expect(fixture.text == before)
    }

    @Test("rule 6: Esc closes a list of completions before anything else")
    func escapeList() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.type("/re")
        fixture.press("Tab", "Esc")
        #expect(fixture.state.composer.completion == nil)
        #expect(fixture.state.composer.input.text.hasPrefix("/re"))
    }

    @Test("rule 6: Ctrl-c clears the input into the kill ring and never quits; Ctrl-d deletes and never quits")
    func controlKeys() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.type("half-typed")
        fixture.press("Ctrl-c")
        #expect(fixture.state.composer.input.isEmpty)
        fixture.press("Ctrl-c", "Ctrl-c", "Ctrl-d", "Ctrl-d")
        #expect(!fixture.effects.contains(.quit))
        #expect(fixture.text.contains("Ctrl-q quits"))
        fixture.press("Ctrl-y")
        #expect(fixture.text.contains("half-typed"))
        fixture.press("Home", "Ctrl-d")
        #expect(fixture.state.composer.input.text == "alf-typed")
        fixture.press("Ctrl-q")
        #expect(fixture.effects.contains(.quit))
        #expect(Sentences.farewell(queued: 1, transfers: 0)?.contains("1") == true)
    }

    // MARK: 7

    @Test(
        "rule 7: a mistyped command is never sent, and the nearest one is named",
        arguments: ["/qiut", " /quit", "\u{200B}/quit", "\t/quit", "/QIUT now", "\u{FEFF}/qiut", "/xyzzy"])
    func mistyped(line: String) {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.send(.input(.paste(line)))
        fixture.effects = []
        fixture.press("Enter")
        #expect(!fixture.errands.contains { if case .send? = $0.call { true } else { false } })
        #expect(!fixture.effects.contains(.quit))
        #expect(fixture.text.contains("To send it, start with //"))
        if !line.contains("xyzzy") { #expect(fixture.text.contains("Did you mean /quit?")) }
        #expect(fixture.state.composer.input.text == InputLine(line).text, "the line stays to be mended")
    }

    @Test("rule 7: // sends the text with one slash")
    func doubleSlash() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("//qiut is a typo")
        #expect(fixture.errands.contains(.call(.send("/qiut is a typo", to: Fixture.alice))))
    }

    // MARK: 8

    @Test("rule 8: the hints and the button of the first page can be clicked", arguments: [(80, 24), (40, 10)])
    func firstPage(columns: Int, rows: Int) {
        let screen = FirstRunScreen(
            form: FirstRunForm(.jo), capabilities: TerminalCapabilities(colors: 256, unicode: true))
        let page = screen.draw(size: Size(columns: columns, rows: rows))
        var keys: Set<Key> = []
        for row in 0..<rows {
            for column in 0..<columns {
                if case .key(let key) = page.target(at: Point(column: column, row: row)) { keys.insert(key) }
            }
        }
        let address = rows < 20 ? [Key("q", .alt)] : [Key("y", .control), Key("q", .alt)]
        #expect(keys == Set([Key(.tab), Key(.enter), Key(.escape), Key("d", .alt)] + address))
        #expect(page.target(at: Point(column: 0, row: 0)) == nil)
    }

    @Test("a first page beside an old history says that there is no key to it", arguments: [(80, 24), (40, 10)])
    func goneKey(columns: Int, rows: Int) {
        var defaults = FirstRunDefaults.jo
        defaults.lacksOldKey = true
        let screen = FirstRunScreen(
            form: FirstRunForm(defaults), capabilities: TerminalCapabilities(colors: 256, unicode: true))
        let text = screen.draw(size: Size(columns: columns, rows: rows)).text()
        #expect(text.lowercased().contains("no key") && text.contains("id restore"))
        #expect(!text.contains("Welcome") || text.contains("see KEY CHANGED"))
    }

    @Test("rule 8: every list narrows as its filter is typed", arguments: ["F1", "Alt-x", "Alt-k", "Ctrl-r"])
    func filters(key: String) {
        var fixture = Fixture.main(columns: 80, rows: 24)
        for line in ["zebra", "quagga"] { fixture.enter(line) }
        fixture.press(key)
        let before = fixture.text
        fixture.type("a")
        #expect(fixture.text != before)
        fixture.type("qqqqqqq")
        #expect(fixture.text.contains("nothing matches"))
    }
}
