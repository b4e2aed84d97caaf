// The rules above all keys (PRODUCT, "The screen"): somebody presses keys at a terminal, and the screen is read.
// Rules 6 to 8 are about the keys alone: ChatTUITests have them. Docs/testing.md lists the suites of each rule.

import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite struct RuleTests {
        @Test("rule 1: news move neither the focus nor the half-typed line, and take no keys")
        func newsLeaveTheUserAlone() async throws {
            let people = try await TwoScreens()
            let (alice, bob) = (people.alice, people.bob)
            try await alice.tmux.type("half a th")
            try await bob.tmux.enter("are you there?")
            try await alice.waitForLine("bob", "are you there?")
            let file = bob.home.folder.file("offer.txt")
            try TestFile.write("take me", to: file)
            try await bob.tmux.enter("/send \(file)")
            try await alice.tmux.waitFor("the offer, on the status line and in the chat") {
                $0.row(with: "OFFER #1 from bob: offer.txt") != nil && $0.row(with: "#1 offer.txt") != nil
            }
            let carol = try BlipchatHome("carol")
            let stranger = try await Server(carol)
            try await carol.add(alice.home.address(), as: "alice")
            let asked = try await alice.tmux.waitFor("the request") { $0.contains("CONTACT REQUEST from \"carol\"") }
            #expect(asked.row(with: "bob> half a th") != nil, "\(asked)")

            // What the user has opened stays open, and its keys mean the same.
            try await alice.tmux.press("F1")
            try await alice.tmux.waitFor("the help") { $0.contains("┌─ Help") }
            try await bob.tmux.enter("look up!")
            try await alice.tmux.type("relo")
            let help = try await alice.tmux.waitFor("the filter") { $0.row(with: "┌─ Help", "relo") != nil }
            #expect(!help.contains("look up!"), "\(help)")
            try await alice.tmux.press("Escape")
            try await alice.waitForLine("bob", "look up!")

            // Letters, also those that answer questions elsewhere, and Enter are for the line.
            try await alice.tmux.type("ought yn1")
            try await alice.tmux.press("Enter")
            try await bob.waitForLine("alice", "half a thought yn1")
            #expect(try await alice.home.transfers().first?.state == "offered")
            #expect(try await alice.home.records(RequestLine.self, "requests", "list").map(\.name) == ["carol"])
            try await stranger.stop()
            try await alice.quit()
            try await bob.quit()
        }

        @Test("rule 2: ~ stands only at what a crash cannot take away; then come > or ✓, and ✓✓")
        func storedThenShown() async throws {
            let people = try await TwoScreens()
            let (alice, bob) = (people.alice, people.bob)
            let port = try await bob.port()
            try await bob.quit()
            try await alice.tmux.waitFor("the loss") { $0.contains("offline") }
            for number in 1...3 {
                try await alice.tmux.enter("kept line \(number)")
                try await alice.waitForLine("~", "kept line \(number)")
                try await alice.kill()
                try await alice.start()
                try await alice.waitForLine("~", "kept line \(number)")
            }
            let server = try await Server(bob.home, port: port)
            for number in 1...3 { try await alice.waitForLine(" ✓ ", "kept line \(number)") }
            try await server.stop()
            try await bob.start(port: port)
            for number in 1...3 { try await alice.waitForLine("✓✓", "kept line \(number)") }
            try await alice.quit()
            try await bob.quit()
        }

        @Test("rule 3: the chat keeps 40 columns beside its panes at every width, and nothing is ever blank")
        func widths() async throws {
            let home = try BlipchatHome("alice")
            _ = try await home.address()
            try await home.add("127.0.0.1:\(PlainServer.freePort())", as: "bob")
            let screen = try await Screen(home, columns: 130, rows: 40)
            try await screen.tmux.enter("a line for bob")
            try await screen.waitForLine("~", "a line for bob")
            try await screen.tmux.type("draft")
            for (columns, rows, panes) in [
                (130, 40, 2), (110, 30, 2), (109, 30, 1), (80, 24, 1), (60, 12, 1), (59, 24, 0), (40, 10, 0),
                (20, 5, 0), (20, 4, 0), (19, 10, 0), (30, 3, 0), (12, 2, 0),
            ] {
                try await screen.tmux.resize(columns: columns, rows: rows)
                let size = "\(columns)x\(rows)"
                // Until it is painted anew tmux shows what it has left of the last picture.
                let picture = try await screen.tmux.waitFor("the screen at \(size)") { picture in
                    picture.contains("draft") && (rows < 3 || picture.contains("a line"))
                        && picture.borders == picture.expectedBorders(panes: panes, columns: columns)
                }
                let edges = [-1] + picture.borders + [columns]
                let widest = zip(edges.dropFirst(), edges).map { $0 - $1 - 1 }.max() ?? 0
                #expect(widest >= min(40, columns), "\(size):\n\(picture)")
            }
            try await screen.tmux.resize(columns: 80, rows: 24)
            try await screen.waitForLine("~", "a line for bob")
            try await screen.quit()
        }

        @Test("rule 4: trust and encryption are words, and a changed key stops what is sent until it is compared")
        func words() async throws {
            let people = try await TwoScreens(givesKey: false)
            let (alice, bob) = (people.alice, people.bob)
            try await alice.tmux.waitFor("the words") { $0.row(with: "bob · unverified · online · TLS direct") != nil }
            try await alice.tmux.resize(columns: 40, rows: 10)
            try await alice.tmux.waitFor("the words where it is narrow") {
                $0.row(with: "bob · unverified · TLS") != nil
            }
            try await alice.tmux.resize(columns: 80, rows: 24)
            try await alice.tmux.enter("/verify")
            try await alice.tmux.waitFor("the number") { $0.contains("Both screens must show") }
            try await alice.tmux.press("1")
            try await alice.tmux.waitFor("the new word") { $0.row(with: "bob · verified · online") != nil }

            // Another key answers at bob's address.
            let port = try await bob.port()
            try await bob.quit()
            unlink(bob.home.path + "/identity.key")
            try await bob.tmux.reopen()
            try await bob.start(port: port)
            try await alice.tmux.press("F5")
            try await alice.tmux.waitFor("the warning") { $0.row(with: "bob · KEY CHANGED") != nil }
            try await alice.tmux.enter("not for strangers")
            try await alice.waitForLine("~", "not for strangers")
            try await alice.tmux.press("F5")
            let picture = try await alice.tmux.waitFor("it still waits") {
                $0.row(with: "~", "not for strangers") != nil
            }
            #expect(picture.contains("KEY CHANGED"), "\(picture)")
            #expect(try await alice.home.status().queued == 1)
            #expect(try await !bob.home.texts("alice").contains("not for strangers"))
            try await alice.quit()
            try await bob.quit()
        }

        @Test("rule 5: a transfer has one number everywhere, and its last line says where, which hash and how long")
        func transferLine() async throws {
            let people = try await TwoScreens()
            let (alice, bob) = (people.alice, people.bob)
            try await alice.tmux.resize(columns: 130, rows: 40)
            let source = bob.home.folder.file("report.bin")
            try TestFile.generate(source, size: 3 << 20)
            try await alice.tmux.enter("/limit down 300k")
            try await bob.tmux.enter("/send \(source)")
            try await alice.tmux.waitFor("the offer") { $0.contains("OFFER #1") }
            try await alice.tmux.enter("/accept 1")
            try await alice.tmux.waitFor("the moving line") { $0.row(with: "↓ report.bin", "%", "#1") != nil }
            try await alice.tmux.enter("/pause 1")
            try await alice.tmux.waitFor("the paused line") { $0.row(with: "↓ report.bin", "paused", "#1") != nil }
            try await alice.tmux.press("M-t")
            try await alice.tmux.waitFor("the pane") { $0.row(with: "#1 ↓ bob", "report.bin") != nil }
            try await alice.tmux.press("Escape")
            let listed = try #require(try await alice.home.transfers().first)
            #expect(listed.number == 1 && listed.state == "paused")
            try await alice.tmux.enter("/limit down off")
            try await alice.tmux.enter("/resume 1")
            let done = try await alice.tmux.waitFor("the last line") { $0.row(with: "report.bin", "· done ·") != nil }
            let text = done.text(from: "report.bin")
            let hash = try await sha256(source)
            #expect(text.contains("sha256 \(hash.prefix(4)) \(hash.dropFirst(4).prefix(4))"), "\(done)")
            #expect(text.contains("downloads/report.bin") && text.contains("#1"), "\(done)")
            #expect(text.contains { $0.isNumber } && text.contains(" s"), "\(done)")
            try await alice.quit()
            try await bob.quit()
        }

        @Test("rule 9: commands beside an open screen go through it, and both tell the same history")
        func facesTogether() async throws {
            let people = try await TwoScreens()
            let (alice, bob) = (people.alice, people.bob)
            try await alice.tmux.type("half a th")
            let sent = try await alice.home.run("send", "bob", "from the command line")
            #expect(sent.status == .exited(0), "\(sent.errorOutput)")
            try await alice.waitForLine("✓", "me from the command line")
            try await bob.waitForLine("alice", "from the command line")
            try await alice.tmux.type("ought")
            try await alice.tmux.press("Enter")
            try await bob.waitForLine("alice", "half a thought")
            let texts = ["from the command line", "half a thought"]
            #expect(try await alice.home.texts("bob") == texts)
            #expect(try await bob.home.texts("alice") == texts)
            try await alice.quit()
            try await bob.quit()
            #expect(try await alice.home.texts("bob") == texts)
        }
    }
}

extension TerminalScreen {
    /// The columns of the lines between the panes: those with `│` in the first row below the title.
    fileprivate var borders: [Int] {
        guard rows.count > 1 else { return [] }
        return rows[1].enumerated().filter { $0.element == "│" }.map(\.offset)
    }

    /// Where they have to be: behind the list, and before the details.
    fileprivate func expectedBorders(panes: Int, columns: Int) -> [Int] {
        switch panes {
        case 2: [22, columns - 31]
        case 1: [16]
        default: []
        }
    }

    /// The text of the rows from the first one with `word` on, without the breaks between them and the panes beside.
    fileprivate func text(from word: String) -> String {
        guard let first = rows.lastIndex(where: { $0.contains(word) && $0.contains("↓") }) else { return "" }
        return rows[first...].prefix(4).map { row in
            let parts = row.split(separator: "│", omittingEmptySubsequences: false)
            let chat = parts.count > 1 ? parts[1] : Substring(row)
            return chat.split(separator: " ").joined(separator: " ")
        }.joined(separator: " ")
    }
}
