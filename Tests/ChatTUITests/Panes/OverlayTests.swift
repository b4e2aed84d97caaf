// Overlays: transfers, search, help, palette, requests, verification. Opened and left by keys.

import ChatCore
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Overlays")
struct OverlayTests {
    private typealias Fixture = ScreenFixture

    @Test("an open search finds what comes meanwhile, and its cursor stays on its hit")
    func newHits() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("Alt-s")
        fixture.type("line")
        let hits = (1...3).map { Fixture.message($0, .incoming, "line \($0)", at: Fixture.time(20, 9, 0)) }
        func answer(_ hits: [ChatMessage]) {
            guard case .ask(.search(let query, let generation))? = fixture.effects.last else {
                Issue.record("nothing was asked")
                return
            }
            let result = SearchResult(hits: hits, searched: 100, isTruncated: false)
            fixture.send(.answer(.search(query, generation: generation, result, took: .milliseconds(1))))
        }
        answer(hits)
        fixture.press("Down")
        #expect(fixture.text.contains("> 20 Nov 09:00 Alice  Alice   [line] 2"))
        fixture.effects = []
        let news = Fixture.message(90, .incoming, "line 4", at: Fixture.time(21, 9, 7))
        fixture.send(.chat(.messageAdded(news)))
        fixture.advance(.milliseconds(500))
        let isSearch = { (question: Question) in if case .search = question { true } else { false } }
        #expect(!fixture.questions.contains(where: isSearch), "not at once: thousands may come")
        fixture.advance(.seconds(1))
        fixture.effects.removeAll { if case .ask(.search) = $0 { false } else { true } }
        answer([news] + hits)
        #expect(fixture.text.contains("line] 4") && fixture.text.contains("> 20 Nov 09:00 Alice  Alice   [line] 2"))
        fixture.effects = []
        fixture.advance(.seconds(5))
        #expect(!fixture.questions.contains(where: isSearch), "asked once")
    }

    @Test("near the last of many hits the next ones are asked for, and the cursor stays")
    func moreHits() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("Alt-s")
        fixture.type("line")
        let all = (1...70).map { Fixture.message($0, .incoming, "line \($0)", at: Fixture.time(20, 9, 0)) }
        func asked() -> (query: SearchQuery, generation: Int)? {
            for case .ask(.search(let query, let generation)) in fixture.effects.reversed() {
                return (query, generation)
            }
            return nil
        }
        func answer() {
            guard let (query, generation) = asked() else {
                Issue.record("nothing was asked")
                return
            }
            let hits = Array(all.prefix(query.limit))
            let result = SearchResult(hits: hits, searched: 100, isTruncated: hits.count < all.count)
            fixture.effects = []
            fixture.send(.answer(.search(query, generation: generation, result, took: .milliseconds(1))))
        }
        answer()
        for _ in 1..<40 { fixture.press("Down") }
        #expect(asked() == nil && fixture.text.contains("40 of 50+ hits"))
        fixture.press("Down")
        #expect(asked()?.query.limit == 100)
        answer()
        #expect(fixture.text.contains("41 of 70 hits"))
        for _ in 1...40 { fixture.press("Down") }
        #expect(fixture.text.contains("70 of 70 hits") && asked() == nil)
        fixture.type("x")
        #expect(asked()?.query.limit == 50, "another question begins with one page")
    }

    @Test("what can be searched for is read to its end in a small window, too")
    func syntaxInSmallWindow() {
        var fixture = Fixture.main(columns: 40, rows: 10)
        fixture.press("Alt-s", "F1")
        #expect(fixture.text.contains("build log") && fixture.text.contains("(Up, Down)"))
        #expect(!fixture.text.contains("is:unread"))
        for _ in 1...10 { fixture.press("Down") }
        #expect(fixture.text.contains("is:unread") && !fixture.text.contains("build log"))
        for _ in 1...10 { fixture.press("Up") }
        #expect(fixture.text.contains("build log"))
    }

    @Test("the search in one chat says which, also when in: names another one")
    func searchTitle() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("Ctrl-s")
        #expect(fixture.text.contains("─ Search Alice ─"))
        fixture.type("in:bob x")
        #expect(fixture.text.contains("─ Search Bob ─"))
    }

    @Test("many hits take the rows that their context does not need, and the hit is marked in it")
    func manyHits() {
        var fixture = Fixture.main(columns: 120, rows: 40)
        fixture.press("Alt-s")
        fixture.type("build")
        guard case .ask(.search(let query, let generation))? = fixture.effects.last else {
            Issue.record("nothing was asked")
            return
        }
        let hits = (1...30).map {
            Fixture.message($0, .incoming, "the build \($0)", at: Fixture.time(20, 9, $0), contact: Fixture.alice)
        }
        let result = SearchResult(hits: hits, searched: 100, isTruncated: false)
        fixture.send(.answer(.search(query, generation: generation, result, took: .milliseconds(1))))
        guard case .ask(.context(_, _, let asked))? = fixture.effects.last else {
            Issue.record("no context was asked for")
            return
        }
        fixture.send(.answer(.context(generation: asked, Array(hits.prefix(3)))))
        let rows = fixture.text.split(separator: "\n").map(String.init)
        let rule = rows.firstIndex { $0.contains("├─ context") } ?? 0
        #expect(rows[..<rule].count { $0.contains("the [build]") } > 15)
        #expect(rows[rule...].count { $0.contains("the build ") } == 3)
    }

    @Test(
        "Esc closes every overlay and leaves the half-typed line",
        arguments: ["F1", "Alt-x", "Alt-k", "Alt-t", "Alt-s", "Ctrl-s"])
    func escape(key: String) {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.type("half")
        fixture.press(key)
        #expect(fixture.state.place.overlay != nil)
        fixture.type("k")
        fixture.press("Esc")
        #expect(fixture.state.place.overlay == nil)
        #expect(fixture.state.composer.input.text == "half")
    }

    @Test(
        "what is typed as a name stands first in palette and help",
        arguments: [
            ("verify", "/verify"), ("ver", "/verify"), ("/ver", "/verify"), ("version", "/version"),
            ("correct", "/edit"), ("goto", "/goto"), ("next-unread", "next unread"), ("quit", "Ctrl-q"),
        ])
    func names(typed: String, expected: String) {
        let first = CommandItem.matching(typed, .standard, for: .help).first
        #expect(first.map { $0.label.hasPrefix(expected) || $0.title.hasPrefix(expected) } == true, "\(first as Any)")
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("Alt-x")
        fixture.type(typed)
        #expect(fixture.text.split(separator: "\n").contains { $0.contains("> ") && $0.contains(expected) })
    }

    @Test("the help has every key, the palette each thing once, and PgDn turns pages")
    func everyKey() {
        let help = CommandItem.all(.standard, for: .help)
        for binding in KeyBindings.all {
            for key in binding.keys {
                #expect(
                    help.contains { item in
                        guard case .command(binding.command, binding.context) = item.action else { return false }
                        return item.label == key || item.label == binding.label && key == binding.keys.first
                    }, "\(key)")
            }
        }
        let palette = CommandItem.all(.standard, for: .palette)
        #expect(!palette.contains { $0.label == "F4" } && !palette.contains { $0.group == "Marks" })
        #expect(palette.count { $0.label.hasPrefix("/verify") } == 1)
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("F1")
        #expect(fixture.text.contains("page 1 of") && fixture.text.contains("man blipchat has it all"))
        for words in ["Ctrl-q", "/verify", "/add ADDR", "✓✓", "Esc "] {
            #expect(fixture.text.contains(words), "\(words)")
        }
        fixture.press("PgDn")
        #expect(fixture.text.contains("page 2 of"))
        fixture.press("PgDn", "PgUp", "PgUp")
        #expect(fixture.text.contains("page 1 of"))
        fixture.press("PgUp")
        #expect(fixture.text.contains("page 1 of"))
        fixture.type("F4")
        #expect(fixture.text.contains("F4") && fixture.text.contains("transfers"))
    }

    @Test("in: is a wish, also alone and with words that are not wanted; the chat of Ctrl-s is none")
    func searchInChat() {
        for line in ["in:bob", "in:bob -line", "-line"] {
            var fixture = Fixture.main(columns: 80, rows: 24)
            fixture.press("Alt-s")
            fixture.type(line)
            let last = fixture.questions.last.map { if case .search = $0 { true } else { false } }
            #expect(last == true, "\(line)")
        }
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("Ctrl-s")
        #expect(!fixture.questions.contains { if case .search = $0 { true } else { false } })
    }

    @Test("at 80 columns the hints of a list say what its keys do to the line under the cursor, and how it is filtered")
    func hints() {
        func line(_ prepare: (inout ScreenFixture) -> Void) -> String {
            var fixture = Fixture.main(columns: 80, rows: 24)
            fixture.addTransfers()
            prepare(&fixture)
            return String(fixture.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().last ?? "")
        }
        func transfer(_ number: Int64) -> String {
            line {
                $0.press("Alt-t")
                while case .transfers(let pane) = $0.state.place.overlay, pane.selected != TransferNumber(number) {
                    $0.press("j")
                }
            }
        }
        #expect(
            transfer(8) == " j/k move  p pause  x cancel  Enter details  / filter  L limit  Esc back")
        #expect(transfer(5).contains("p resume") && transfer(5).contains("/ filter"))
        #expect(line { $0.press("F1") } == " type to filter  Enter run  Tab next group  Up/Down move  Esc back")
        #expect(line { $0.press("Alt-x") } == " type to filter  Enter run  Up/Down move  Esc back")
        let typed = line {
            $0.enter("something")
            $0.press("Ctrl-r")
        }
        #expect(line { $0.press("Alt-k") } == " type to filter  Enter open  Up/Down move  Esc back")
        #expect(typed == " type to filter  Enter use the line  Up/Down move  Esc back")
        #expect(line { $0.press("Esc", "+") } == " type to filter  Enter react  Up/Down move  Esc back")
        var offered = Fixture.main(columns: 80, rows: 24)
        offered.addOffer()
        offered.press("Alt-t", "g")
        #expect(offered.text.contains("a accept  n decline") && offered.text.contains("/ filter  Esc back"))
    }

    @Test("x cancels a transfer only when pressed twice on the same one")
    func cancel() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.addTransfers()
        fixture.press("Alt-t")
        fixture.effects = []
        fixture.press("x", "j", "x")
        #expect(fixture.errands.isEmpty)
        #expect(fixture.text.contains("x again cancels"))
        fixture.press("x")
        // The second of the list: what waits, below what runs.
        #expect(fixture.errands == [.call(.cancelTransfer(TransferNumber(9)))])
    }

    @Test("Esc keeps a transfer that was about to be cancelled")
    func cancelEscape() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.addTransfers()
        fixture.press("Alt-t", "x", "Esc")
        #expect(fixture.state.place.overlay != nil)
        fixture.effects = []
        fixture.press("x")
        #expect(fixture.errands.isEmpty)
    }

    @Test("p pauses a running and resumes a paused transfer")
    func pause() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.addTransfers()
        // What runs stands on top, what waits below it, then what is paused.
        fixture.press("Alt-t")
        fixture.effects = []
        fixture.press("p", "j", "j", "p")
        #expect(
            fixture.errands == [.call(.pauseTransfer(TransferNumber(8))), .call(.resumeTransfer(TransferNumber(5)))])
    }

    @Test("news do not move the cursor of the transfers pane to another transfer")
    func stableSelection() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.addTransfers()
        fixture.press("Alt-t", "j")
        let news = Fixture.transfer(12, .incoming, "late", size: 5, .offered)
        fixture.send(.chat(.messageAdded(Fixture.fileMessage(news, position: 40, at: Fixture.time(21, 9, 8)))))
        fixture.effects = []
        fixture.press("p")
        // The second of the list before and after: what waits, below what runs.
        #expect(fixture.errands == [.call(.pauseTransfer(TransferNumber(9)))])
    }

    @Test("typing narrows the search, and only the answer to the last question is shown")
    func searchGenerations() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("Alt-s")
        fixture.type("bu")
        let searches = fixture.questions.compactMap { question -> (SearchQuery, Int)? in
            if case .search(let query, let generation) = question { (query, generation) } else { nil }
        }
        #expect(searches.map { $0.0.terms.map(\.text) } == [["b"], ["bu"]])
        let old = SearchResult(hits: [Fixture.history[0]], searched: 1, isTruncated: false)
        fixture.send(.answer(.search(searches[0].0, generation: searches[0].1, old, took: .zero)))
        guard case .search(let pane) = fixture.state.place.overlay else {
            Issue.record("the search is closed")
            return
        }
        #expect(pane.result == nil)
    }

    @Test("Enter jumps to a hit in another chat, Esc comes back to the search")
    func jump() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        let history = (100..<600 as Range<Int64>).map {
            Fixture.message($0, .incoming, "line \($0)", at: Fixture.time(20, 10, 0), contact: Fixture.bob)
        }
        fixture.press("Alt-s")
        fixture.type("x")
        guard case .ask(.search(let query, let generation)) = fixture.effects.last else {
            Issue.record("nothing was searched")
            return
        }
        let result = SearchResult(hits: [history[200]], searched: 500, isTruncated: false)
        fixture.send(.answer(.search(query, generation: generation, result, took: .zero)))
        fixture.press("Enter")
        #expect(fixture.state.place.openID == Fixture.bob)
        fixture.answerPages(from: history)
        #expect(fixture.text.contains("line 300"))
        #expect(fixture.text.contains("↓ newer messages (Alt-End)"))
        fixture.press("Esc")
        #expect(fixture.state.place.openID == Fixture.alice)
        guard case .search = fixture.state.place.overlay else {
            Issue.record("the search did not come back")
            return
        }
    }

    @Test(
        "what the search finds is marked, whatever script, accents or place it has",
        arguments: [
            ("検索", "日本語の検索できる", "日本語の[検索]できる"), ("cafe", "a café there", "a [café] there"),
            ("istanbul", "in İstanbul", "in [İstanbul]"), ("👍", "ok 👍🏽", "ok [👍🏽]"),
            ("uild", "rebuild it", "reb[uild] it"),
            ("build", "rebuild building", "rebuild [building]"), ("語語", "語語語語", "[語語][語語]"),
        ])
    func finds(word: String, text: String, marked: String) {
        let line = Highlight.line(SafeText(text, as: .line), words: [word], width: 60)
        #expect(line.spans.map(\.text.text).joined() == marked)
    }

    @Test("a hit far behind in a text of 64 KiB is shown, and no more of it than a row needs is looked at")
    func farHit() {
        let text = String(repeating: "слово ", count: 5_000) + "needle" + String(repeating: " и ещё", count: 1_000)
        let message = Fixture.message(1, .incoming, text, at: Fixture.time(20, 10, 0))
        let part = MessageWords.summary(of: message, around: ["needle"])
        #expect(part.text.contains("needle") && part.text.utf8.count < 3_000)
        let line = Highlight.line(part, words: ["needle"], width: 60)
        #expect(line.spans.map(\.text.text).joined().prefix(60).contains("[needle]"))
        #expect(MessageWords.quote(of: message).text.hasPrefix("слово слово"))
    }

    @Test("the found words are marked with brackets")
    func highlight() {
        let text = SafeText("Rebuild the Build and building", as: .line)
        let line = Highlight.line(text, words: ["build"], width: 60)
        #expect(line.spans.map(\.text.text).joined() == "Rebuild the [Build] and [building]")
    }

    @Test("Enter in the help runs the line under the cursor")
    func helpRuns() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.type("half")
        fixture.press("F1")
        fixture.type("transfers")
        fixture.press("Enter")
        guard case .transfers = fixture.state.place.overlay else {
            Issue.record("the transfers did not open")
            return
        }
        #expect(fixture.state.composer.input.text == "half")
    }

    @Test("every line of the help can be run")
    func everyHelpLine() async {
        var help = Fixture.main(columns: 80, rows: 24)
        help.type("half")
        help.press("F1")
        for item in CommandItem.all(.standard) {
            await Task.yield()
            var fixture = help
            fixture.effects = []
            fixture.press("Enter")
            help.press("Down")
            #expect(fixture.state.place.overlay != help.state.place.overlay, "\(item)")
            #expect(!fixture.errands.contains { if case .send? = $0.call { true } else { false } })
            _ = fixture.canvas
        }
    }

    @Test("a command chosen in the palette that needs arguments is typed, and the line is kept")
    func paletteNeedsArguments() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.type("half")
        fixture.press("Alt-x")
        fixture.type("/rename")
        fixture.press("Enter")
        #expect(fixture.state.composer.input.text == "/rename ")
        #expect(fixture.state.composer.killRing.newest == "half")
    }

    @Test("a command chosen in browse mode is completed in the input, and no letter of it acts on a message")
    func paletteLeavesBrowseMode() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("Esc", "Alt-x")
        fixture.type("/nick")
        fixture.press("Enter")
        fixture.effects = []
        fixture.type("Todd")
        #expect(fixture.state.place.browse == nil && fixture.state.composer.input.text == "/nick Todd")
        fixture.press("Enter")
        #expect(fixture.errands.contains(.call(.setOwnName("Todd"))))
        #expect(!fixture.errands.contains { if case .retract = $0 { true } else { false } })
    }

    @Test("what help and palette do to the input goes on in the input")
    func typedLineLeavesBrowseMode() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("/goto first")
        fixture.press("Esc", "Alt-x")
        fixture.type("find what I typed")
        fixture.press("Enter", "Enter")
        #expect(fixture.state.place.browse == nil && fixture.state.composer.input.text == "/goto first")
    }

    @Test("what the hint says brings the half-typed line back: undo instead of the command, yank after it")
    func keptLine() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.type("half")
        fixture.press("Alt-x")
        fixture.type("/nick")
        fixture.press("Enter")
        #expect(fixture.text.contains("Your line is safe: Ctrl-_ swaps it back in, Ctrl-y inserts it later"))
        var other = fixture
        other.press("Ctrl-_")
        #expect(other.state.composer.input.text == "half")
        fixture.enter("Todd")
        fixture.press("Ctrl-y")
        #expect(fixture.state.composer.input.text == "half")
    }

    @Test("what deletes or ends something for good is typed by help and palette, not done", arguments: ["F1", "Alt-x"])
    func finalCommands(key: String) {
        for name in ["/delete", "/decline", "/cancel", "/reject"] {
            var fixture = Fixture.main(columns: 80, rows: 24)
            fixture.addOffer()
            fixture.press(key)
            fixture.type(name)
            fixture.effects = []
            fixture.press("Enter")
            #expect(fixture.errands.isEmpty && fixture.state.composer.input.text == name + " ")
        }
    }

    private let erin = ContactRequest(
        id: 3, peerID: Fixture.peerID("h"), name: "Erin\u{202E}", address: nil, origin: "192.0.2.44:51022",
        received: Fixture.time(21, 9, 11))

    @Test("a request takes no keys until Alt-r, and is answered there")
    func requests() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.type("half")
        fixture.effects = []
        fixture.send(.chat(.requestsChanged([erin])))
        fixture.type("a")
        #expect(fixture.state.composer.input.text == "halfa")
        #expect(!fixture.errands.contains(.approve(3, name: nil)))
        fixture.press("Alt-r", "a")
        #expect(fixture.errands.contains(.approve(3, name: nil)))
        fixture.send(.done(.approve(3, name: nil), .reply(Fixture.peer(ContactID(9), "Erin", .unverified))))
        #expect(fixture.state.place.overlay == nil)
        #expect(fixture.state.composer.input.text == "halfa")
        #expect(fixture.state.place.openID == Fixture.alice)
    }

    @Test("a request that is blocked says who is blocked, and opens no chat")
    func blockRequest() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.send(.chat(.requestsChanged([erin])))
        fixture.press("Alt-r", "b")
        #expect(fixture.errands.contains(.call(.blockRequest(3))))
        fixture.send(.done(.call(.blockRequest(3)), .reply(Fixture.peer(ContactID(9), "Erin", .unverified))))
        #expect(fixture.state.place.overlay == nil)
        #expect(fixture.text.contains("Erin is blocked (/unblock Erin"))
        #expect(fixture.state.place.openID == Fixture.alice)
    }

    @Test("numbers are compared only when there is one to compare")
    func verify() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("/verify bob")
        fixture.press("1")
        #expect(!fixture.errands.contains(.call(.setVerified(Fixture.bob))))
        fixture.send(.answer(.safetyNumber(Fixture.bob, Fixture.safetyNumber)))
        #expect(fixture.text.contains("04821 77310 55902"))
        // A key change while the page is open: the number on the screen is not the one that would be confirmed.
        let other = Array(Fixture.safetyNumber.reversed())
        fixture.send(.answer(.safetyNumber(Fixture.bob, other)))
        fixture.press("1")
        #expect(!fixture.errands.contains(.call(.setVerified(Fixture.bob))))
        fixture.send(.answer(.safetyNumber(Fixture.bob, other)))
        fixture.press("1")
        #expect(fixture.errands.contains(.call(.setVerified(Fixture.bob))))
    }

    @Test("what a filter of the help leaves stands in one list, keys and commands, the best first")
    func filteredHelp() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("F1")
        fixture.type("search")
        #expect(fixture.text.contains("search this chat") && fixture.text.contains("/search [WORDS]"))
        #expect(!fixture.text.contains("page 1"))
    }

    @Test("the rows of a page and the way out stand apart")
    func readerFooter() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("/bind")
        #expect(fixture.text.contains(/rows 1-17 of [0-9]+ · Esc closes/))
    }
}
