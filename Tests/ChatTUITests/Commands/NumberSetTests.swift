// Several numbers as they are typed.

import ChatCore
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Several at once")
struct NumberSetTests {
    @Test("all, from one to another, single ones, with and without #")
    func reads() {
        #expect(NumberSet("all") == .all && NumberSet("ALL") == .all)
        #expect(NumberSet("4-23") == .ranges([4...23]) && NumberSet("#4-#23") == .ranges([4...23]))
        #expect(NumberSet("4,6,9-12") == .ranges([4...4, 6...6, 9...12]))
        #expect(NumberSet("5-5") == .ranges([5...5]))
        #expect(NumberSet("all")?.contains(7) == true)
        #expect(NumberSet("4,9-12")?.contains(10) == true && NumberSet("4,9-12")?.contains(5) == false)
    }

    @Test(
        "one number and everything else is none",
        arguments: [
            "8", "#8", "", "-", "4-", "-4", "9-4", "4,,5", "4, 5", "a-b", "4-5-6", "99999999999999999999-1", "every",
            "٣-٤",
        ])
    func refuses(words: String) {
        #expect(NumberSet(words) == nil)
    }

    @Test("a name behind from: or in: is completed as far as it is certain")
    func names() {
        let names = ["Alice", "Ann Lee", "Ann Low", "Bob", "Ö \"x\""]
        func completed(_ text: String) -> [String]? {
            SearchNameCompletion(textBeforeCursor: text)?.names(among: names)
        }
        #expect(completed("build from:al") == ["Alice"])
        #expect(completed("in:\"ann l") == ["Ann Lee", "Ann Low"])
        #expect(completed("in:o\u{308}") == ["Ö \"x\""])
        #expect(completed("in:") == names)
        #expect(completed("build") == nil && completed("from:al more") == nil && completed("in:\"Ann Lee\"") == nil)
        let typed = SearchNameCompletion(textBeforeCursor: "x in:\"ann l")
        #expect(typed?.start == 5)
        #expect(typed?.written("Ann Lee", isWhole: true) == "\"Ann Lee\" ")
        #expect(typed?.written("Ann L", isWhole: false) == "\"Ann L")
        #expect(typed?.written("Bob", isWhole: true) == "Bob ")
    }

    @Test("Tab in the search completes a name, and says whom it may mean")
    func searchTab() {
        var fixture = ScreenFixture.main(columns: 80, rows: 24)
        fixture.press("Alt-s")
        fixture.type("from:al")
        fixture.press("Tab")
        guard case .search(let pane) = fixture.state.place.overlay else {
            Issue.record("the search is not open")
            return
        }
        #expect(pane.query.text == "from:Alice ")
    }

    @Test("Ctrl-g leaves the list of typed lines, as in a shell")
    func givesUp() {
        var fixture = ScreenFixture.main(columns: 80, rows: 24)
        fixture.enter("/version")
        fixture.press("Ctrl-r")
        #expect(fixture.state.place.overlay != nil)
        fixture.press("Ctrl-g")
        #expect(fixture.state.place.overlay == nil && fixture.state.composer.input.isEmpty)
    }

    @Test("an opener that fails is told of, with what can be done")
    func openerFails() {
        var fixture = ScreenFixture.main(columns: 120, rows: 24)
        fixture.send(.programFailed(program: "xdg-open", .code(3)))
        #expect(fixture.text.contains("xdg-open opened nothing: it exited with code 3 (/set files.open_command"))
    }
}
