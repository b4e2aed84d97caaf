// Contacts whose names are made to look like those of others (PRODUCT "Hostile text" 3), wherever contacts are listed.

import ChatCore
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Names that look alike") struct TwinNamesTests {
    private typealias Fixture = ScreenFixture

    @Test(
        "the later one is marked in the list, the title, the details and /contacts, and only while both are there",
        arguments: [80, 120])
    func marked(columns: Int) {
        let bob = Fixture.conversation(Fixture.alice, "Bob", readUpTo: 1000)
        let twin = Fixture.conversation(Fixture.bob, "B\u{43E}b", readUpTo: 1000)
        var fixture = Fixture(columns: columns, rows: 30, conversations: [bob, twin])
        #expect(fixture.text.contains("2 B\u{43E}b ≈Bob"))
        #expect(!fixture.text.contains("looks like"))
        fixture.press("Alt-2")
        fixture.answerPages(from: [])
        let title = fixture.text.split(separator: "\n").first.map(String.init) ?? ""
        #expect(title.hasPrefix(" B\u{43E}b · looks like Bob · "))
        #expect(fixture.text.split(separator: "looks like Bob").count == (columns >= 110 ? 3 : 2))
        fixture.type("/contacts")
        fixture.press("Enter")
        #expect(fixture.text.contains("2 B\u{43E}b (looks like Bob): "))
        #expect(!fixture.text.contains("1 Bob (looks like"))
        fixture.send(.answer(.conversations([twin])))
        fixture.press("Alt-1")
        #expect(!fixture.text.contains("≈"))
    }

    @Test(
        "forms of letters that look like the plain ones are taken for them",
        arguments: [
            "\u{FF21}lice", "\u{FF21}\u{FF4C}\u{FF49}\u{FF43}\u{FF45}", "\u{1D400}lice", "\u{1D4EA}lice",
            "\u{24D0}lice",
            "A\u{217C}ice", "\u{13AA}lice", "Alice.", "Alice\u{B7}", "\u{C0}lice", "A\u{300}lice", "Al\u{200D}ice",
            "Al1ce",
        ])
    func forms(name: String) {
        #expect(NameLikeness.areAlike("Alice", name))
        #expect(!NameLikeness.areAlike("Alina", name) && !NameLikeness.areAlike("", name))
    }

    @Test(
        "a name with letters of two alphabets in one word is marked, whoever it may be meant to look like",
        arguments: [
            ("\u{430}lice", "Cyrillic and Latin"), ("p\u{430}ypal", "Latin and Cyrillic"),
            ("\u{391}lice", "Greek and Latin"),
            ("A\u{200D}\u{406}ce", "Latin and Cyrillic"), ("Jo \u{570}ome", "Armenian and Latin"),
            ("e\u{301}\u{430}", "Latin and Cyrillic"), ("Alice", nil), ("J\u{F6}rg", nil),
            ("\u{410}\u{43D}\u{43D}\u{430} Smith", nil),
            ("Jo-\u{3A9}", nil), ("\u{7530}\u{4E2D} Taro", nil), ("a1\u{430}", nil), ("", nil),
        ] as [(String, String?)])
    func mixture(name: String, alphabets: String?) {
        #expect(NameLikeness.mixture(in: name) == alphabets.map { "mixes \($0) letters" })
    }

    @Test(
        "a name that says what only the screen says of people is marked, and its signs are",
        arguments: [
            ("bob · verified", "bob ‹·› verified", "verified"), ("bob . VERIFIED", "bob ‹.› VERIFIED", "verified"),
            ("not unverified", "not unverified", "unverified"),
            ("bob ✓✓", "bob ‹✓›‹✓›", nil), ("bob \u{30FB} hi", "bob ‹\u{30FB}› hi", nil),
            ("J. R. Dobbs", "J. R. Dobbs", nil), ("Col·laborador", "Col·laborador", nil),
            ("KEY CHANGED", "KEY CHANGED", "KEY CHANGED"), ("Alice", "Alice", nil),
            // What stands in front of our own lines, in the chat, in line mode, in `history` and `watch`.
            ("~ me", "~ me", "me"), ("++ me", "++ me", "me"), ("me, read", "me, read", "me"),
            ("me >", "me >", "me"), ("me to bob delivered", "me to bob delivered", "me"),
            ("09:07 m\u{435}", "09:07 m\u{435}", "me"), ("Mela", "Mela", nil), ("Some me", "Some me", nil),
        ] as [(String, String, String?)])
    func pretence(name: String, shown: String, word: String?) {
        let text = SafeText(name, as: .name)
        #expect(text.text == shown)
        #expect(text.width == SafeText(shown, as: .line).width)
        // They are found by what is seen of them.
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.send(.answer(.conversations([Fixture.conversation(Fixture.bob, name)])))
        #expect(fixture.state.world.contact(named: shown) == Fixture.bob)
        #expect(NameLikeness.pretence(in: name) == word.map { "says \"\($0)\"" })
        #expect(NameLikeness.pretence(in: "me") == "says \"me\"" && NameLikeness.pretence(in: "mel") == nil)
    }

    @Test("a contact that is made now is marked at once, before the store has told of it")
    func madeNow() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("Ctrl-u")
        let peer = Fixture.peer(ContactID(77), "A1ice", .unverified)
        fixture.send(.done(.approve(4, name: nil), .reply(peer)))
        #expect(fixture.text.hasPrefix(" A1ice · looks like Alice · "), "\(fixture.text)")
    }

    @Test("a request whose key is a contact's by now is like that contact's name with good reason")
    func sameKey() {
        let request = ContactRequest(
            id: 3, peerID: Fixture.peerID("c"), name: "Erin", address: nil, origin: "192.0.2.7",
            received: Fixture.time(21, 9, 0))
        var erin = Fixture.peer(ContactID(9), "Erin", .unverified)
        erin.peerID = Fixture.peerID("c")
        #expect(NameLikeness.warning(of: request, among: [erin]) == nil)
        erin.peerID = Fixture.peerID("d")
        #expect(
            NameLikeness.warning(of: request, among: [erin])?.text
                == "looks like your contact Erin, but has another key")
    }

    @Test("the words for a request warn of the name, wherever they are said")
    func requestWords() {
        let fixture = Fixture.main(columns: 80, rows: 24)
        for (name, warning) in [
            ("A1ice", "    looks like your contact Alice, but has another key"),
            ("verified", "    the name says \"verified\""),
            ("D\u{430}n", "    the name mixes Latin and Cyrillic letters"),
            ("Erin ✓", "    the name has the mark ✓"), ("\u{2714} Erin", "    the name has the mark \u{2714}"),
            ("☑ Erin", "    the name has the mark ☑"), ("Erin 🔒", "    the name has the mark 🔒"),
            ("BlipChat Support", "    the name says \"blipchat\""),
            ("b l i p c h a t", "    the name says \"blipchat\""),
            ("Erin", nil),
        ] as [(String, String?)] {
            let request = ContactRequest(
                id: 3, peerID: Fixture.peerID("c"), name: name, address: nil, origin: "192.0.2.7",
                received: Fixture.time(21, 9, 0))
            let lines = RequestSentences(state: fixture.state).lines(of: request).map(\.text)
            #expect(lines.count == (warning == nil ? 3 : 4))
            if let warning { #expect(lines.contains(warning), "\(lines)") }
        }
    }

    @Test("such a name is marked in the title, /contacts and /whois, and in a request")
    func mixtureShown() {
        let carol = Fixture.conversation(Fixture.alice, "Carol", readUpTo: 1000)
        let bob = Fixture.conversation(Fixture.bob, "B\u{43E}b", readUpTo: 1000)
        var fixture = Fixture(columns: 80, rows: 24, conversations: [carol, bob])
        fixture.press("Alt-2")
        fixture.answerPages(from: [])
        #expect(fixture.text.hasPrefix(" B\u{43E}b · mixes Latin and Cyrillic letters · "))
        fixture.type("/contacts")
        fixture.press("Enter")
        #expect(fixture.text.contains("2 B\u{43E}b (mixes Latin and Cyrillic letters): "))
        fixture.type("/whois")
        fixture.press("Enter")
        #expect(fixture.text.contains("mixes Latin and Cyrillic letters\n") && !fixture.text.contains("somebody else"))
        let request = ContactRequest(
            id: 3, peerID: Fixture.peerID("c"), name: "D\u{430}n", address: nil, origin: "192.0.2.7",
            received: Fixture.time(21, 9, 0))
        fixture.send(.answer(.requests([request])))
        fixture.press("Alt-r")
        #expect(fixture.text.contains("the name mixes Latin and Cyrillic letters"))
    }

    @Test("names without letters are alike only when they are the same", arguments: [("...", "''"), ("日本", "日本人")])
    func noLetters(left: String, right: String) {
        #expect(!NameLikeness.areAlike(left, right) && NameLikeness.areAlike(left, left))
    }

    @Test("a name is the contact's that is shown with it, also when invisible characters are in it")
    func invisible() {
        let hidden = Fixture.conversation(Fixture.alice, "Bo\u{200D}b", readUpTo: 1000)
        let other = Fixture.conversation(Fixture.bob, "Bob 2", readUpTo: 1000)
        var fixture = Fixture(columns: 80, rows: 24, conversations: [hidden, other])
        for name in ["Bob", "bob", "Bo\u{200D}b"] {
            fixture.enter("/msg \(name) hello")
            #expect(fixture.errands.contains(.call(.send("hello", to: Fixture.alice))), "\(name)")
        }
        fixture.enter("/block Bob")
        #expect(fixture.errands.contains(.call(.setBlocked(Fixture.alice, true))))
    }

    @Test("names are alike by what they look like, whatever the letters are")
    func twins() {
        func peer(_ id: Int64, _ name: String) -> Peer {
            Peer(
                id: ContactID(id), peerID: nil, name: name, addresses: [], trust: .unverified,
                added: Timestamp(milliseconds: 0))
        }
        let peers = [peer(3, "p\u{430}ul"), peer(1, "Paul"), peer(2, "Anna"), peer(4, "PAU1"), peer(5, "Paula")]
        #expect(NameLikeness.twins(among: peers) == [ContactID(3): "Paul", ContactID(4): "Paul"])
    }
}
