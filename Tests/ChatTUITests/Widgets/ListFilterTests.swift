// PRODUCT's rule 8 (any list is filterable): `/` where letters are commands, typing everywhere else, by keys in and
// screen out.

import ChatCore
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("List filters")
struct ListFilterTests {
    private typealias Fixture = ScreenFixture

    private func main(columns: Int = 80, rows: Int = 24) -> Fixture { Fixture.main(columns: columns, rows: rows) }

    // MARK: Lists whose letters are commands

    @Test("/ narrows the transfers by name, number, person and state; keys act on what is left")
    func transfers() {
        var fixture = main()
        fixture.addTransfers()
        fixture.press("Alt-t", "/")
        #expect(fixture.text.contains("type to filter  Enter keep the filter"))
        fixture.type("bob paused")
        #expect(fixture.text.contains("/ bob paused"))
        #expect(fixture.text.contains("dataset.bin"))
        for other in ["photo.png", "release.tar.zst", "build.log", "notes.zip"] {
            #expect(!fixture.text.contains(other))
        }
        fixture.press("Enter")
        #expect(fixture.text.contains("/ bob paused"), "it stays while letters are commands again")
        fixture.effects = []
        fixture.press("p")
        #expect(fixture.errands == [.call(.resumeTransfer(TransferNumber(5)))])
        fixture.press("Esc")
        #expect(fixture.text.contains("photo.png"), "Esc takes the filter away first")
        fixture.press("Esc")
        #expect(fixture.state.place.overlay == nil)
    }

    @Test("what nothing matches says so, and no key acts on what is not seen")
    func nothing() {
        var fixture = main()
        fixture.addTransfers()
        fixture.press("Alt-t", "/")
        fixture.type("xyzzy")
        fixture.press("Enter")
        fixture.effects = []
        fixture.press("p", "x", "x", "a", "n", "y", "o", "Enter", "L")
        #expect(fixture.text.contains("nothing matches"))
        #expect(fixture.errands == [])
    }

    @Test("news do not move the cursor of a narrowed list to another transfer")
    func news() {
        var fixture = main()
        fixture.addTransfers()
        fixture.press("Alt-t", "/")
        fixture.type("dataset")
        fixture.press("Enter")
        let offer = Fixture.transfer(30, .incoming, "dataset2", size: 9, .offered)
        let message = Fixture.fileMessage(offer, position: 90, at: Fixture.time(21, 9, 7))
        fixture.send(.chat(.messageAdded(message)))
        #expect(fixture.text.contains("dataset2"))
        fixture.effects = []
        fixture.press("p")
        #expect(fixture.errands == [.call(.resumeTransfer(TransferNumber(5)))])
    }

    @Test("/ narrows the contact requests; Enter opens the one that is left")
    func requests() {
        var fixture = main()
        let names = ["Erin", "Frank", "Grace"]
        let requests = names.enumerated().map { index, name in
            ContactRequest(
                id: Int64(index + 1), peerID: Fixture.peerID(["f", "g", "h"][index]), name: name, address: nil,
                origin: "192.0.2.\(index):51022", received: Fixture.time(21, 9, 11))
        }
        fixture.send(.chat(.requestsChanged(requests)))
        fixture.press("Alt-r", "/")
        fixture.type("frank")
        #expect(fixture.text.contains("Frank  (name chosen by them)"))
        #expect(!fixture.text.contains("Erin  (name") && !fixture.text.contains("Grace  (name"))
        fixture.effects = []
        fixture.press("Enter", "a")
        #expect(fixture.errands == [.approve(2, name: nil)])
        fixture.press("/")
        fixture.type("x")
        #expect(fixture.text.contains("nothing matches"))
    }

    @Test("/ leaves the lines of the log with its words")
    func log() {
        var fixture = main()
        for words in ["the first sentence", "another one"] { fixture.state.say(words) }
        fixture.enter("/log")
        #expect(fixture.text.contains("the first sentence"))
        fixture.press("/")
        fixture.type("another")
        #expect(!fixture.text.contains("the first sentence"))
        #expect(fixture.text.contains("another one"))
        fixture.press("Esc")
        #expect(fixture.text.contains("the first sentence"))
        fixture.press("Esc")
        #expect(fixture.state.place.overlay == nil)
    }

    // MARK: Lists in which everything is typed into the filter

    @Test("links narrow as one types, also with the / of habit")
    func links() {
        var fixture = main()
        fixture.press("Alt-u")
        guard case .ask(.messageLinks(_, _, let generation)) = fixture.effects.last else {
            Issue.record("the links were not asked for")
            return
        }
        let texts = ["see https://alpha.example/a", "and https://beta.example/b"]
        let messages = texts.enumerated().map {
            Fixture.message(Int64($0.offset + 1), .incoming, $0.element, at: Fixture.time(21, 9, 1))
        }
        fixture.send(.answer(.messageLinks(messages, opening: nil, generation: generation)))
        #expect(fixture.text.contains("1 alpha.example") && fixture.text.contains("2 beta.example"))
        fixture.press("/")
        fixture.type("beta")
        #expect(!fixture.text.contains("1 alpha.example"))
        #expect(fixture.text.contains(">   2 beta.example"))
    }

    @Test("pins narrow as one types, and with the words of /pins")
    func pins() {
        let pinned = [
            Fixture.message(1, .incoming, "the recipe", at: Fixture.time(21, 9, 1)),
            Fixture.message(2, .incoming, "the timetable", at: Fixture.time(21, 9, 2)),
        ]
        for command in ["/pins", "/pins table"] {
            var fixture = main()
            fixture.enter(command)
            guard case .ask(.pins(_, let generation)) = fixture.effects.last else {
                Issue.record("the pins were not asked for")
                return
            }
            fixture.send(.answer(.pins(pinned, generation: generation)))
            if command == "/pins" {
                #expect(fixture.text.contains("the recipe"))
                fixture.type("table")
            }
            #expect(!fixture.text.contains("the recipe"))
            #expect(fixture.text.contains("the timetable"))
        }
    }

    @Test("people: the go-to narrows itself and the list beside it; /contacts takes words")
    func people() {
        var fixture = main(columns: 120, rows: 40)
        fixture.press("Alt-k", "/")
        fixture.type("car")
        #expect(fixture.text.contains("3 Carol"))
        #expect(!fixture.text.contains("2 Bob") && !fixture.text.contains("4 Dave"))
        fixture.press("Esc")
        #expect(fixture.text.contains("2 Bob"))
        fixture.enter("/contacts carol")
        #expect(fixture.text.contains("3 Carol: "))
        #expect(!fixture.text.contains("2 Bob: "))
    }

    @Test("what was typed before is searched also for its slash commands")
    func typed() {
        var fixture = main()
        for line in ["/contacts", "hello"] { fixture.enter(line) }
        fixture.press("Ctrl-r")
        fixture.type("/con")
        #expect(fixture.text.contains("> /contacts"))
    }

    // MARK: Sizes and the mouse

    @Test("the filter is drawn and works at every size", arguments: [(20, 5), (40, 10), (80, 24), (120, 40)])
    func sizes(columns: Int, rows: Int) {
        var fixture = main(columns: columns, rows: rows)
        fixture.addTransfers()
        fixture.press("Alt-t", "/")
        fixture.type("photo")
        #expect(fixture.text.contains("/ photo"))
        fixture.press("Enter")
        #expect(fixture.text.contains("#9"))
    }

    @Test("a line of a narrowed list is clicked where it stands")
    func clicks() throws {
        var fixture = main()
        fixture.addTransfers()
        fixture.press("Alt-t", "/")
        fixture.type("bob")
        fixture.press("Enter")
        let rows = fixture.canvas.text().split(separator: "\n", omittingEmptySubsequences: false)
        let row = try #require(rows.firstIndex { $0.contains("notes.zip") })
        let point = Point(column: 20, row: row)
        fixture.send(.input(.mouse(MouseEvent(.press, .left, at: point))))
        guard case .transfers(let pane) = fixture.state.place.overlay else {
            Issue.record("the pane was closed")
            return
        }
        #expect(pane.selected == TransferNumber(6))
    }
}
