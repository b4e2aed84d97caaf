// Words that somebody has to read before the next key, in windows that have no room for the whole sentence.

import ChatCore
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Narrow words")
struct NarrowWordsTests {
    private typealias Fixture = ScreenFixture

    @Test("a question about deleting keeps what it asks, in fewer words where it has to", arguments: 20...40)
    func deleting(columns: Int) {
        var fixture = Fixture.main(columns: columns, rows: 10)
        fixture.press("Ctrl-u")
        fixture.press("Esc", "k", "k", "k", "k", "k", "d")
        let status = fixture.text
        #expect(status.contains("Delete here only? d: yes") || status.contains("Delete? d: yes"), "\(status)")
    }

    @Test("who is blocked keeps the name in the title", arguments: 20...40)
    func blocked(columns: Int) {
        var conversation = Fixture.conversation(Fixture.alice, "alice", readUpTo: 1000)
        conversation.peer.isBlocked = true
        conversation.peer.trust = .unverified
        let fixture = Fixture(columns: columns, rows: 10, conversations: [conversation])
        #expect(fixture.text.hasPrefix(" alice · blocked"), "\(fixture.text)")
    }

    @Test("a question about a transfer keeps its key", arguments: [(60, 15), (40, 10), (20, 5)])
    func cancelQuestion(columns: Int, rows: Int) {
        var fixture = Fixture.main(columns: columns, rows: rows)
        fixture.addTransfers()
        fixture.press("Alt-t", "x")
        #expect(fixture.text.contains(columns == 60 ? "x again cancels" : "? x: yes"), "\(fixture.text)")
    }

    @Test("an offer keeps its keys on the status line", arguments: [(80, 24), (60, 15), (40, 10), (30, 8), (20, 5)])
    func offerKeys(columns: Int, rows: Int) {
        for count in 1...2 {
            var fixture = Fixture.main(columns: columns, rows: rows)
            fixture.press("Ctrl-u")
            for number in 1...Int64(count) {
                let offer = Fixture.transfer(
                    40 + number, .incoming, "photo-of-a-long-name-that-needs-room.txt", size: 300_000, .offered)
                fixture.send(
                    .chat(
                        .messageAdded(
                            Fixture.fileMessage(offer, position: 90 + number, at: Fixture.time(21, 9, 6)))))
            }
            let rows = fixture.text.split(separator: "\n")
            // Offers that come together are one question, which says how many.
            let names = count == 1 ? ["#41"] : ["2 OFFERS", "2 files", "2: "]
            let status = rows.last { row in row.contains("Alt-y/Alt-n") && names.contains { row.contains($0) } }
            #expect(status != nil, "\(count) \(fixture.text)")
        }
    }

    @Test("in a narrow transfers pane the size is whole", arguments: [(20, 5), (24, 6), (40, 10)])
    func transferSize(columns: Int, rows: Int) {
        var fixture = Fixture.main(columns: columns, rows: rows)
        fixture.send(
            .answer(.transfers([Fixture.transfer(1, .incoming, "photo-of-a-long-name.txt", size: 300_000, .offered)])))
        fixture.press("Alt-t")
        #expect(fixture.text.contains("300 kB"), "\(fixture.text)")
    }

    @Test("details that need more rows than there are can be read to their end", arguments: [(40, 10), (20, 5)])
    func transferDetails(columns: Int, rows: Int) {
        var fixture = Fixture.main(columns: columns, rows: rows)
        fixture.addTransfers()
        fixture.press("Alt-t", "g", "Enter")
        let number = fixture.state.world.transfers.groups.first?.number
        #expect(fixture.text.contains("↓") && !fixture.text.contains("offered    "))
        var seen = fixture.text
        for _ in 0..<40 {
            fixture.press("PgDn")
            seen += fixture.text
        }
        for word in ["state", "size", "sha256", "offered", "id"] { #expect(seen.contains("\(word) "), "\(word)") }
        #expect(fixture.text.contains("↑"))
        guard case .transfers(let pane) = fixture.state.place.overlay else {
            Issue.record("the pane is closed")
            return
        }
        #expect(pane.selected == number && pane.showsDetails)
        fixture.press("j")
        #expect(fixture.text.contains("↓"), "another transfer begins at its top")
    }

    @Test("where somebody is stands behind their name in a narrow list", arguments: [(40, 10), (30, 8)])
    func goToStates(columns: Int, rows: Int) {
        var fixture = Fixture.main(columns: columns, rows: rows)
        fixture.press("Alt-k")
        let row = fixture.text.split(separator: "\n").first { $0.contains("Alice") && $0.contains(">") } ?? ""
        #expect(row.contains("online"), "\(fixture.text)")
    }

    @Test("vi's normal mode is named, with and without the row of hints")
    func viMode() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.state.surface.set(\.editMode, to: .vi)
        fixture.state.surface.set(\.hints, to: false)
        fixture.type("hello")
        fixture.press("Esc")
        #expect(fixture.text.contains("NORMAL"), "\(fixture.text)")
    }

    @Test("without Unicode the reactions are their names")
    func reactionNames() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.state.surface.setTerminal(\.unicode, to: false)
        fixture.press("Ctrl-u", "Esc", "+")
        #expect(fixture.text.contains("> :+1:"), "\(fixture.text)")
    }
}
