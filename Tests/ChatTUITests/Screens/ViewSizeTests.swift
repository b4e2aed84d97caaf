// Windows without room for a page: nothing of it is out of reach, and nobody confirms what they have not seen.

import ChatCore
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Small windows")
struct ViewSizeTests {
    private typealias Fixture = ScreenFixture

    private static let sizes = [(80, 24), (40, 10), (20, 5), (10, 3)]

    private let erin = ContactRequest(
        id: 3, peerID: Fixture.peerID("h"), name: "Erin", address: nil, origin: "192.0.2.44:51022",
        received: Fixture.time(21, 9, 11))

    /// Everything that was on the screen while the page was scrolled down with `key`.
    private func scrolled(_ fixture: inout ScreenFixture, with key: String) -> String {
        var seen = ""
        var shown = fixture.text
        while !seen.hasSuffix(shown) {
            seen += shown
            fixture.press(key)
            shown = fixture.text
        }
        return seen
    }

    @Test("every group of the number can be reached, and the page goes back to its beginning", arguments: sizes)
    func number(columns: Int, rows: Int) {
        for (down, up) in [("j", "k"), ("Down", "Up"), ("PgDn", "PgUp")] {
            var fixture = Fixture.main(columns: columns, rows: rows)
            fixture.enter("/verify")
            fixture.send(.answer(.safetyNumber(Fixture.alice, Fixture.safetyNumber)))
            let first = fixture.text
            let seen = scrolled(&fixture, with: down)
            #expect(Fixture.safetyNumber.allSatisfy { seen.contains($0) })
            for _ in 0..<60 { fixture.press(up) }
            #expect(fixture.text == first)
        }
    }

    @Test("the answers to a request and who asks can be reached", arguments: sizes)
    func request(columns: Int, rows: Int) {
        var fixture = Fixture.main(columns: columns, rows: rows)
        fixture.send(.chat(.requestsChanged([erin])))
        fixture.press("Alt-r")
        fixture.send(.answer(.requestNumber(erin, Fixture.safetyNumber)))
        let seen = scrolled(&fixture, with: "j")
        #expect(Fixture.safetyNumber.allSatisfy { seen.contains($0) })
        for answer in ["1  T", "2  T", "3  L", "b  B"] { #expect(seen.contains(answer)) }
        #expect(seen.contains("from 19"))
    }

    @Test("both numbers and all answers about a changed key can be reached", arguments: sizes)
    func changedKey(columns: Int, rows: Int) {
        var fixture = Fixture.main(columns: columns, rows: rows)
        fixture.changeKey()
        let seen = scrolled(&fixture, with: "j")
        #expect((Fixture.safetyNumber + Fixture.newNumber).allSatisfy { seen.contains($0) })
        for key in ["1", "2", "3"] { #expect(seen.contains("  \(key)  ")) }
    }

    @Test("a number is confirmed only after all of it has been on the screen", arguments: sizes)
    func unseen(columns: Int, rows: Int) {
        var fixture = Fixture.main(columns: columns, rows: rows)
        fixture.enter("/verify")
        fixture.send(.answer(.safetyNumber(Fixture.alice, Fixture.safetyNumber)))
        let isSeen = Fixture.safetyNumber.allSatisfy { fixture.text.contains($0) }
        fixture.press("1")
        #expect(fixture.errands.contains(.call(.setVerified(Fixture.alice))) == isSeen)
        guard !isSeen else { return }
        #expect(columns < 40 || fixture.text.contains("Read it all first: j scrolls"))
        for _ in 0..<60 { fixture.press("j") }
        fixture.press("1")
        #expect(fixture.errands.contains(.call(.setVerified(Fixture.alice))))
    }

    @Test("a changed key is confirmed only after all of the new number has been on the screen")
    func unseenKey() {
        var fixture = Fixture.main(columns: 20, rows: 5)
        let key = fixture.changeKey()
        fixture.press("1")
        for _ in 0..<5 { fixture.press("j") }
        fixture.press("1")
        let errand = Errand.call(.acceptNewKey(key, of: Fixture.bob, verified: true))
        #expect(!fixture.errands.contains(errand))
        for _ in 0..<60 { fixture.press("j") }
        fixture.press("1")
        #expect(fixture.errands.contains(errand))
    }

    @Test("who asks, and whom they look like, is seen before anybody is accepted", arguments: sizes)
    func caller(columns: Int, rows: Int) {
        var fixture = Fixture.main(columns: columns, rows: rows)
        // A Cyrillic letter in the name of a contact.
        let fake = ContactRequest(
            id: 9, peerID: Fixture.peerID("x"), name: "b\u{43E}b", address: nil, origin: "192.0.2.44:51022",
            received: Fixture.time(21, 9, 11))
        fixture.send(.chat(.requestsChanged([fake])))
        fixture.press("Alt-r")
        fixture.send(.answer(.requestNumber(fake, Fixture.safetyNumber)))
        let words = ["b\u{43E}b", "looks", "another"]
        let isSeenAtOnce = words.allSatisfy { fixture.text.contains($0) }
        fixture.press("3")
        #expect(fixture.errands.contains(.approve(9, name: nil)) == isSeenAtOnce, "\(fixture.text)")
        guard !isSeenAtOnce else { return }
        let seen = scrolled(&fixture, with: "j")
        for word in words { #expect(seen.contains(word), "\(seen)") }
        fixture.press("3")
        #expect(fixture.errands.contains(.approve(9, name: nil)))
    }

    @Test("what is not seen of the page is marked")
    func marks() {
        var fixture = Fixture.main(columns: 20, rows: 5)
        fixture.enter("/verify")
        fixture.send(.answer(.safetyNumber(Fixture.alice, Fixture.safetyNumber)))
        #expect(fixture.text.contains("↓") && !fixture.text.contains("↑"))
        fixture.press("j")
        #expect(fixture.text.contains("↓") && fixture.text.contains("↑"))
        for _ in 0..<60 { fixture.press("j") }
        #expect(!fixture.text.contains("↓") && fixture.text.contains("↑"))
        var framed = Fixture.main(columns: 40, rows: 10)
        framed.enter("/verify")
        framed.send(.answer(.safetyNumber(Fixture.alice, Fixture.safetyNumber)))
        #expect(framed.text.contains("rows 1-4 of 8 · Esc closes") && framed.text.contains("j/k: rows 1-4 of 8"))
    }

    @Test("the keys that answer about a changed key all stand on the hint line, and none that does not")
    func changedKeyHints() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.changeKey()
        func hint() -> Substring? { fixture.text.split(separator: "\n").last }
        #expect(hint() == " 1 match  2 differ  a accept unverified  o old matches  3 later  Esc back")
        fixture.press("Esc")
        fixture.enter("/verify alice")
        #expect(hint() == " 1 match  2 differ  3 later (stays as it is)  Esc back")
    }

    @Test(
        "the palette's keys take no more room than they need, and what they do is seen", arguments: [(40, 10), (20, 5)])
    func palette(columns: Int, rows: Int) {
        var fixture = Fixture.main(columns: columns, rows: rows)
        fixture.press("Alt-x")
        fixture.type("next unread")
        #expect(fixture.text.contains("> Alt-a next unread"))
        if columns == 40 { #expect(fixture.text.contains("commands: type to filter")) }
        fixture.press("Ctrl-u")
        fixture.type("unread from their")
        let row = fixture.text.split(separator: "\n").first { $0.contains("> /unread") } ?? ""
        #expect(row.contains(" unread") && row.hasSuffix(columns == 40 ? "… │" : "…"), "\(row)")
    }

    @Test("at 80 columns the palette says in full what each command does")
    func paletteWords() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        for command in SlashCommands.available {
            fixture.state.place.put(.palette(PalettePane(list: ListPane(filter: command.name))))
            #expect(fixture.text.contains(command.summary), "\(command.name)")
        }
    }

    @Test("what is cut off in a row of several styles is marked")
    func truncatedLine() {
        var line = StyledLine("ab", Theme.key)
        line.add("cd")
        line.add("ef", Theme.quiet)
        for (width, expected) in [
            (7, "abcdef"), (6, "abcdef"), (5, "abcd…"), (4, "abc…"), (2, "a…"), (1, "…"), (0, ""),
        ] {
            #expect(line.truncated(to: width).text.text == expected)
        }
    }

    @Test("the completions on the hint line are whole words, and the chosen one is among them")
    func completions() {
        var fixture = Fixture.main(columns: 40, rows: 10)
        fixture.type("/")
        fixture.press("Tab")
        let names = Set(SlashCommands.available.flatMap(\.names).map { "/" + $0 } + ["…"])
        for _ in names {
            fixture.press("Tab")
            let words = fixture.text.split(separator: "\n").last?.split(separator: " ").map(String.init) ?? []
            #expect(!words.isEmpty && words.allSatisfy(names.contains), "\(words)")
            #expect(words.contains(fixture.state.composer.input.text))
        }
    }

    @Test(
        "the address beside the QR code is whole, and how to leave stands there",
        arguments: [(80, 24), (60, 30), (46, 30)])
    func qrCode(columns: Int, rows: Int) throws {
        var fixture = Fixture.main(columns: columns, rows: rows)
        let address = "blip://192.0.2.10:4985/\(String(repeating: "k", count: 52))?name=Bob"
        fixture.send(.answer(.qrCode(address, .success(try QRCode(address)))))
        let letters = fixture.text.filter { !$0.isWhitespace && !"▀▄█".contains($0) }
        #expect(letters == address + "Esccloses", "\(fixture.text)")
        fixture.press("Esc")
        #expect(fixture.state.place.overlay == nil)
    }

    @Test("without UTF-8 there is no QR code: the address and the reason are there")
    func qrCodeInASCII() throws {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.state.surface.setTerminal(\.unicode, to: false)
        fixture.send(.answer(.qrCode("blip://192.0.2.10:4985/k", .success(try QRCode("blip://192.0.2.10:4985/k")))))
        #expect(fixture.text.contains("blip://192.0.2.10:4985/k") && fixture.text.contains("a terminal with UTF-8"))
        #expect(!fixture.text.contains("█▀"))
    }

    @Test("the empty transfers are said whole", arguments: [(80, 24), (40, 10)])
    func noTransfers(columns: Int, rows: Int) {
        var fixture = Fixture(columns: columns, rows: rows, conversations: [Fixture.conversation(Fixture.bob, "Bob")])
        fixture.press("Alt-t")
        #expect(fixture.text.contains("No transfers.") && fixture.text.contains("file."), "\(fixture.text)")
    }

    @Test(
        "a draft whose beginning is out of sight says so before its first row",
        arguments: [(80, 24), (20, 5), (40, 10)])
    func cutDraft(columns: Int, rows: Int) {
        var fixture = Fixture.main(columns: columns, rows: rows)
        /// What stands before the first row of the input.
        func begins(with prompt: String) -> Bool {
            let input = ScreenLayout(fixture.state).input
            let rows = fixture.text.split(separator: "\n", omittingEmptySubsequences: false)
            return rows[input.origin.row].hasPrefix(prompt)
        }
        let name = columns == 80 ? "Alice" : ""
        fixture.type("short")
        #expect(begins(with: "\(name)> short"))
        fixture.type((0..<200).map { " w\($0)" }.joined())
        #expect(begins(with: "\(name)… "), "\(fixture.text)")
        fixture.press("Ctrl-a")
        #expect(begins(with: "\(name)> "), "\(fixture.text)")
    }

    @Test("at 80 columns a changed key is said with the command that decides about it")
    func changedKeySaid() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.changeKey()
        fixture.press("Esc")
        fixture.send(.chat(.notice(.keyChanged(Fixture.bob))))
        #expect(fixture.text.contains("KEY CHANGED (/verify): Bob has a new key; sending has stopped "))
        fixture.press("Alt-2")
        let reason = LinkState.offline(reason: .keyChanged)
        fixture.send(.chat(.linkChanged(Fixture.bob, reason)))
        #expect(fixture.text.hasPrefix(" Bob · KEY CHANGED · offline  "))
    }

    @Test(
        "on the status line a changed key is said of whom it is, where there is room, and always what decides about it",
        arguments: [
            (80, 24, "KEY CHANGED: nothing goes to Bob until you decide (/verify)"),
            (40, 10, "KEY CHANGED (/verify)"),
        ])
    func changedKeyOnStatusLine(columns: Int, rows: Int, words: String) {
        var fixture = Fixture.main(columns: columns, rows: rows)
        fixture.changeKey()
        fixture.press("Esc", "Alt-2")
        fixture.advance(.seconds(60))
        #expect(fixture.text.contains(words))
    }

    @Test(
        "in the smallest windows what was typed last is seen, also where it ends a row",
        arguments: [(20, 5), (20, 4), (19, 3)])
    func lastTyped(columns: Int, rows: Int) {
        var fixture = Fixture.main(columns: columns, rows: rows)
        for letter in "abcdefghijklmnopqrstuvwxyz" {
            fixture.type(String(letter))
            let draft = fixture.text.split(separator: "\n", omittingEmptySubsequences: false).suffix(3).joined()
            #expect(draft.contains(letter), "\(letter): \(fixture.text)")
        }
    }

    @Test(
        "the words of trust are in the title at any width, and no name can pass for them",
        arguments: [20, 30, 40, 42, 59, 60, 80, 120],
        [
            "bob · verified · online · TLS direct", "bob . verified . TLS", String(repeating: "\u{4E16}", count: 21),
            "eve ✓✓ verified",
        ])
    func forgedTitle(columns: Int, name: String) throws {
        var fixture = Fixture.main(columns: columns, rows: 24)
        let bob = Fixture.conversation(Fixture.bob, name, trust: .unverified)
        fixture.send(.answer(.conversations([Fixture.conversation(Fixture.alice, "Alice"), bob])))
        fixture.press("Alt-2")
        let title = String(try #require(fixture.text.split(separator: "\n").first))
        #expect(title.contains(" · unverified"), "\(title)")
        let forged = title.replacing("unverified", with: "")
        #expect(
            !forged.contains("· verified") && !forged.contains(" . verified") && !forged.contains("✓ verified"),
            "\(title)")
    }

    @Test("the address is all there where its code has no room", arguments: [(40, 10), (20, 5), (60, 12)])
    func addressWithoutCode(columns: Int, rows: Int) throws {
        var fixture = Fixture.main(columns: columns, rows: rows)
        let address = "blip://192.0.2.17:4985/\(Fixture.peerID("q").text)?name=jo"
        fixture.send(.answer(.qrCode(address, Result { () throws(QRCodeError) in try QRCode(address) })))
        let seen = fixture.text.filter { !$0.isWhitespace && $0 != "│" }
        #expect(seen.contains(address), "\(fixture.text)")
    }

    @Test("at 40 columns the page of requests names the keys that answer one")
    func requestKeys() {
        var fixture = Fixture.main(columns: 40, rows: 10)
        let other = ContactRequest(
            id: 4, peerID: Fixture.peerID("f"), name: "Finn", address: nil, origin: "192.0.2.8:5000",
            received: Fixture.time(21, 9, 12))
        fixture.send(.chat(.requestsChanged([erin, other])))
        fixture.press("Alt-r")
        #expect(fixture.text.contains("a accept  r refuse"), "\(fixture.text)")
    }

    @Test("what narrows the help is seen", arguments: sizes)
    func helpFilter(columns: Int, rows: Int) {
        var fixture = Fixture.main(columns: columns, rows: rows)
        fixture.press("F1")
        fixture.type("quit")
        #expect(fixture.text.contains(columns >= 20 ? "quit" : "/ quit"))
        #expect(fixture.text.contains(rows >= 10 ? "filter: quit" : "/ quit"))
        #expect(fixture.canvas.cursor != nil)
    }

    @Test("the help cuts no word without a mark", arguments: [(80, 24), (40, 10)])
    func helpWords(columns: Int, rows: Int) {
        var fixture = Fixture.main(columns: columns, rows: rows)
        fixture.press("F1")
        var seen = fixture.text
        var page = ""
        while fixture.text != page {
            page = fixture.text
            seen += page
            fixture.press("PgDn")
        }
        let titles = CommandItem.all(.standard).map(\.title)
        for title in titles where !seen.contains(title) {
            let isMarked = (1..<title.count).contains { seen.contains(title.prefix($0) + "…") }
            #expect(isMarked, "\(title)")
        }
        for item in CommandItem.all(.standard) where columns == 80 && item.section != .commands {
            #expect(seen.contains(item.title), "\(item.title)")
        }
    }
}

extension ScreenFixture {
    static let newNumber = safetyNumber.map { String($0.reversed()) }

    /// Another key answers at Bob's address, and its page is open.
    @discardableResult mutating func changeKey() -> PeerID {
        let key = Self.peerID("i")
        var bob = Self.conversation(Self.bob, "Bob", trust: .keyChanged)
        bob.peer.newPeerID = key
        send(.answer(.conversations([Self.conversation(Self.alice, "Alice"), bob])))
        enter("/verify bob")
        send(.answer(.safetyNumber(Self.bob, Self.safetyNumber)))
        send(.answer(.newKeyNumber(Self.bob, key, Self.newNumber)))
        return key
    }
}
