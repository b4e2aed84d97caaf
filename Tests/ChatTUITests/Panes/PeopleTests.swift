// People on the screen: list, details, requests with the number to compare, and the commands about them.

import ChatCore
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("People")
struct PeopleTests {
    private typealias Fixture = ScreenFixture

    private static let erin = ContactRequest(
        id: 3, peerID: Fixture.peerID("h"), name: "Erin", address: nil, origin: "192.0.2.44:51022",
        received: Fixture.time(21, 9, 11))

    /// The page of Erin's request with its number.
    private func asked() -> Fixture {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.type("half")
        fixture.send(.chat(.requestsChanged([Self.erin])))
        fixture.press("Alt-r")
        #expect(fixture.questions.contains(.requestNumber(Self.erin)))
        fixture.send(.answer(.requestNumber(Self.erin, Fixture.safetyNumber)))
        fixture.effects = []
        return fixture
    }

    @Test("Alt-r opens the page of the only request, with both halves of the number and what each key does")
    func requestPage() {
        let fixture = asked()
        #expect(fixture.text.contains("Contact request 3: Erin (name chosen by them)"))
        #expect(fixture.text.contains("from 192.0.2.44:51022 · first seen 09:11 · key not seen before"))
        #expect(fixture.text.contains("04821 77310 55902 18846 30217 99041"))
        #expect(fixture.text.contains("61175 20938 44410 72763 08519 33628"))
        #expect(fixture.text.contains("CONTACT REQUEST from \"Erin\" · nothing is shown until you accept"))
        #expect(fixture.state.composer.input.text == "half")
    }

    @Test("a key that was meant for a request that has gone decides nothing about the next one")
    func goneRequest() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        let second = ContactRequest(
            id: 4, peerID: Fixture.peerID("g"), name: "Alice", address: nil, origin: "192.0.2.45:51022",
            received: Fixture.time(21, 9, 11))
        fixture.send(.chat(.requestsChanged([Self.erin, second])))
        fixture.press("Alt-r", "j")
        #expect(fixture.text.contains("Alice  looks like your contact Alice, but has another key"))
        fixture.effects = []
        fixture.press("a")
        fixture.send(.chat(.requestsChanged([Self.erin])))
        fixture.press("a")
        #expect(fixture.errands == [.approve(4, name: nil)])
        fixture.press("a")
        #expect(fixture.errands == [.approve(4, name: nil), .approve(3, name: nil)])
    }

    @Test("chats are listed as they were added, newest first or unread first; their numbers stay")
    func listOrder() {
        var fixture = Fixture.main(columns: 120, rows: 30)
        func positions(_ order: ScreenSettings.ListOrder) -> [ContactID] {
            fixture.state.surface.set(\.listOrder, to: order)
            return ChatOrder.indices(fixture.state).map { fixture.state.world.chats[$0].id }
        }
        for (index, position) in [4, 9, 7, 2].enumerated() {
            let message = Fixture.message(Int64(position), .incoming, "x", at: Fixture.time(21, 9, 0))
            fixture.state.world.chats[index].set(\.lastMessage, to: message)
            fixture.state.world.chats[index].set(\.unreadCount, to: index == 3 ? 1 : 0)
        }
        let all = [Fixture.alice, Fixture.bob, Fixture.carol, Fixture.dave]
        #expect(positions(.added).prefix(4) == all[...])
        #expect(positions(.newest).prefix(4) == [all[1], all[2], all[0], all[3]])
        #expect(Set(positions(.unread).prefix(2)) == [Fixture.dave, fixture.state.place.openID ?? Fixture.dave])
        fixture.state.surface.set(\.listOrder, to: .newest)
        fixture.press("Alt-k")
        #expect(GoToPane.goToMatches("", fixture.state).first?.id == Fixture.bob)
        fixture.press("Esc", "Alt-1")
        #expect(fixture.state.place.openID == Fixture.alice)
    }

    @Test("all requests are answered at once, after one question; the page of a request has the key that asks")
    func severalRequests() {
        var fixture = Fixture.main(columns: 120, rows: 30)
        let second = ContactRequest(
            id: 4, peerID: Fixture.peerID("g"), name: "Gus", address: nil, origin: "192.0.2.45:51022",
            received: Fixture.time(21, 9, 11))
        fixture.send(.chat(.requestsChanged([Self.erin, second])))
        for (line, errands) in [
            ("/approve all", [Errand.approve(3, name: nil), .approve(4, name: nil)]),
            ("/reject 3-9", [.call(.rejectRequest(3)), .call(.rejectRequest(4))]),
        ] {
            fixture.enter(line)
            #expect(
                fixture.errands.isEmpty && fixture.text.contains("\(SafeText(Self.erin.name, as: .name).text), Gus."))
            fixture.enter(line)
            #expect(fixture.errands == [.several(errands)])
        }
        // One that could not be answered stays.
        let failure = ErrandFailure(errand: .call(.rejectRequest(4)), error: .store(.diskFull))
        fixture.send(.done(.several([.call(.rejectRequest(3)), .call(.rejectRequest(4))]), .failures([failure])))
        #expect(fixture.state.world.requests.map(\.id) == [4])
        fixture.send(.chat(.requestsChanged([Self.erin, second])))
        fixture.send(.done(.several([.call(.rejectRequest(3)), .call(.rejectRequest(4))]), .failures([])))
        #expect(fixture.state.world.requests.isEmpty && fixture.text.contains("2 requests are refused"))
        fixture.send(.chat(.requestsChanged([second])))
        fixture.press("Alt-r")
        #expect(fixture.text.contains("key \(second.peerID.text)"), "\(fixture.text)")
    }

    @Test("from a request's page Esc leads back to the list that it was opened from, as long as there is one")
    func backToList() {
        let second = ContactRequest(
            id: 4, peerID: Fixture.peerID("g"), name: "Gus", address: nil, origin: "192.0.2.45:51022",
            received: Fixture.time(21, 9, 11))
        for key in ["Esc", "q"] {
            var fixture = Fixture.main(columns: 80, rows: 24)
            fixture.send(.chat(.requestsChanged([Self.erin, second])))
            fixture.press("Alt-r", "j", "Enter")
            #expect(fixture.text.contains("Gus") && !fixture.text.contains("Contact requests (2)"))
            fixture.press(key)
            #expect(fixture.text.contains("Contact requests (2)"), "\(key): \(fixture.text)")
            #expect(fixture.text.contains("> 4 Gus"))
            fixture.press("Esc")
            #expect(fixture.state.place.overlay == nil)
            fixture.press("Alt-r", "Enter")
            fixture.send(.chat(.requestsChanged([])))
            fixture.press("Esc")
            #expect(fixture.state.place.overlay == nil)
        }
    }

    @Test("who was removed is named, although they are no contact any more")
    func removedName() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.send(.done(.remove(ContactID(99), name: "Eve"), .nothing))
        #expect(fixture.text.contains("Deleted Eve and your history with them"))
    }

    @Test("the whole number is on the screen at every width", arguments: [30, 40, 60, 80, 120])
    func wholeNumber(columns: Int) {
        var fixture = Fixture.main(columns: columns, rows: 24)
        fixture.send(.chat(.requestsChanged([Self.erin])))
        fixture.press("Alt-r")
        fixture.send(.answer(.requestNumber(Self.erin, Fixture.safetyNumber)))
        for group in Fixture.safetyNumber { #expect(fixture.text.contains(group)) }
    }

    /// Alice, whose key has changed, on the page of /verify.
    private func changed(columns: Int, rows: Int) -> ScreenFixture {
        var alice = Fixture.conversation(Fixture.alice, "Alice", readUpTo: 1000)
        alice.peer.trust = .keyChanged
        alice.peer.newPeerID = Fixture.peerID("c")
        var fixture = Fixture(columns: columns, rows: rows, conversations: [alice])
        fixture.answerPages(from: [])
        fixture.type("/verify Alice")
        fixture.press("Enter")
        #expect(fixture.questions.contains(.newKeyNumber(Fixture.alice, Fixture.peerID("c"))))
        fixture.effects = []
        return fixture
    }

    private static let newNumber = (0..<12).map { String(90_000 + $0) }

    @Test("a changed key: both numbers, what it means, and every way out", arguments: [(80, 24), (120, 40), (40, 24)])
    func changedKey(columns: Int, rows: Int) {
        var fixture = changed(columns: columns, rows: rows)
        fixture.press("1")
        #expect(fixture.errands.isEmpty, "nobody accepts a number that is not there yet")
        fixture.send(.answer(.safetyNumber(Fixture.alice, Fixture.safetyNumber)))
        fixture.send(.answer(.newKeyNumber(Fixture.alice, Fixture.peerID("c"), Self.newNumber)))
        for group in Self.newNumber + Fixture.safetyNumber { #expect(fixture.text.contains(group)) }
        #expect(fixture.text.contains("KEY CHANGED: Alice"))
        #expect(fixture.text.contains("somebody is in between") || columns < 62)
        for key in ["1 ", "2 ", "a ", "o ", "3 "] { #expect(fixture.text.contains(key)) }
    }

    static let newKeyAnswers: [(String, Errand?)] = [
        ("1", .call(.acceptNewKey(ScreenFixture.peerID("c"), of: ScreenFixture.alice, verified: true))),
        ("a", .call(.acceptNewKey(ScreenFixture.peerID("c"), of: ScreenFixture.alice, verified: false))),
        ("2", .call(.setBlocked(ScreenFixture.alice, true))), ("b", .call(.setBlocked(ScreenFixture.alice, true))),
        ("3", nil),
        ("o", .call(.setVerified(ScreenFixture.alice))),
    ]

    @Test(
        "1 accepts the new key verified, a unverified, o stays with the old one, 2 and b refuse it, 3 leaves it",
        arguments: newKeyAnswers)
    func changedKeyAnswers(key: String, errand: Errand?) {
        var fixture = changed(columns: 80, rows: 24)
        fixture.send(.answer(.safetyNumber(Fixture.alice, Fixture.safetyNumber)))
        fixture.send(.answer(.newKeyNumber(Fixture.alice, Fixture.peerID("c"), Self.newNumber)))
        fixture.press(key)
        #expect(fixture.errands == [errand].compactMap(\.self))
        #expect(fixture.state.place.overlay == nil)
    }

    @Test("the page of a key that was decided at another screen blocks nobody", arguments: ["2", "b"])
    func decidedMeanwhile(key: String) {
        var fixture = changed(columns: 80, rows: 24)
        fixture.send(.answer(.newKeyNumber(Fixture.alice, Fixture.peerID("c"), Self.newNumber)))
        fixture.state.world.chats[0].set(\.peer.peerID, to: Fixture.peerID("c"))
        fixture.state.world.chats[0].set(\.peer.newPeerID, to: nil)
        fixture.state.world.chats[0].set(\.peer.trust, to: .verified)
        fixture.press(key)
        #expect(fixture.errands.isEmpty)
        #expect(fixture.text.contains("Already decided elsewhere: Alice is verified"))
        fixture.press(key)
        #expect(fixture.errands == [.call(.setBlocked(Fixture.alice, true))], "what is shown now is decided")
    }

    @Test("a request with the key that waits as a contact's new one says so")
    func requestOfNewKey() {
        var fixture = changed(columns: 120, rows: 40)
        fixture.press("Esc")
        var request = Self.erin
        request.peerID = Fixture.peerID("c")
        fixture.send(.chat(.requestsChanged([request])))
        fixture.press("Alt-r", "Enter")
        #expect(fixture.text.contains("THE NEW KEY OF Alice: /verify Alice to decide"))
    }

    @Test("who is added again is a contact already: where they are called, and that their name stays")
    func addedAgain() {
        var fixture = Fixture.main(columns: 120, rows: 30)
        guard var peer = fixture.state.openChat?.peer else {
            Issue.record("no chat is open")
            return
        }
        peer.addresses = [PeerAddress(host: "192.0.2.7", port: 4777, peerID: peer.peerID)]
        fixture.send(.done(.call(.addContact(PeerAddress(host: "192.0.2.7", port: 4777), name: "Ally")), .reply(peer)))
        #expect(fixture.text.contains("Alice is already a contact"))
        #expect(fixture.text.contains("192.0.2.7:4777"))
        #expect(fixture.text.contains("/rename"))
    }

    @Test("a removed contact takes its transfers along")
    func removedTransfers() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.addTransfers()
        #expect(fixture.state.world.transfers.groups.contains { $0.contact == Fixture.alice })
        fixture.send(.answer(.conversations([Fixture.conversation(Fixture.bob, "Bob", readUpTo: 1000)])))
        #expect(!fixture.state.world.transfers.groups.contains { $0.contact == Fixture.alice })
        #expect(fixture.state.world.transfers.openOffers.allSatisfy { $0.contact != Fixture.alice })
        #expect(fixture.state.world.transfers.running.allSatisfy { $0.contact != Fixture.alice })
        fixture.press("Alt-t")
        #expect(!fixture.text.contains(" ? "))
    }

    @Test("a key that has changed once more meanwhile is not accepted")
    func changedAgain() {
        var fixture = changed(columns: 80, rows: 24)
        fixture.send(.answer(.newKeyNumber(Fixture.alice, Fixture.peerID("c"), Self.newNumber)))
        fixture.state.world.chats[0].set(\.peer.newPeerID, to: Fixture.peerID("d"))
        fixture.press("1")
        #expect(fixture.errands.isEmpty)
        #expect(fixture.questions.contains(.newKeyNumber(Fixture.alice, Fixture.peerID("d"))))
    }

    static let answersByKey: [(String, Errand)] = [
        ("1", Errand.approve(3, name: nil, verified: true)), ("2", .call(.blockRequest(3))),
        ("3", .approve(3, name: nil)), ("b", .call(.blockRequest(3))), ("r", .call(.rejectRequest(3))),
    ]

    @Test(
        "1 accepts and verifies, 2 and b block, 3 accepts unverified, r refuses",
        arguments: PeopleTests.answersByKey)
    func answers(key: String, errand: Errand) {
        var fixture = asked()
        fixture.press(key)
        #expect(fixture.errands == [errand])
        #expect(fixture.state.place.overlay == nil)
        #expect(fixture.state.composer.input.text == "half")
    }

    @Test("Esc leaves a request undecided; 1 does nothing before the number is there")
    func undecided() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.send(.chat(.requestsChanged([Self.erin])))
        fixture.press("Alt-r")
        fixture.effects = []
        fixture.press("1")
        #expect(fixture.errands.isEmpty && fixture.state.place.overlay != nil)
        fixture.press("Esc")
        #expect(fixture.errands.isEmpty && fixture.state.place.overlay == nil)
    }

    @Test("a request that another key has taken the place of is not decided")
    func replaced() {
        var fixture = asked()
        var other = Self.erin
        other.peerID = Fixture.peerID("k")
        fixture.send(.chat(.requestsChanged([other])))
        fixture.effects = []
        fixture.press("1")
        #expect(fixture.errands.isEmpty)
        #expect(fixture.text.contains("That request is gone"))
    }

    @Test("of several requests Enter opens one; a name like a contact's is pointed out")
    func several() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        // A Cyrillic A.
        let twin = ContactRequest(
            id: 4, peerID: Fixture.peerID("k"), name: "\u{410}lice", address: nil, origin: "192.0.2.45:1",
            received: Fixture.time(21, 9, 12))
        fixture.send(.chat(.requestsChanged([Self.erin, twin])))
        fixture.press("Alt-r", "j", "Enter")
        #expect(fixture.text.contains("looks like your contact Alice, but has another key"))
    }

    @Test("the list shows mentions, mute, away and blocked as text")
    func list() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        #expect(fixture.text.contains("4 Dave     @1○"))
        #expect(fixture.text.contains("[2:3 4:@1]"))
        fixture.state.world.chats[1].set(\.peer.mutedUntil, to: .endless)
        #expect(fixture.text.contains("2 Bob      z3○"))
        var away = LinkDetails(remoteAddress: "127.0.0.1:4985", isEncrypted: true)
        away.away = "lunch"
        fixture.send(.chat(.linkChanged(Fixture.carol, .online(away))))
        #expect(fixture.text.contains("3 Carol      ◐"))
    }

    @Test("a message that names us counts as a mention until it is read; a part of a word does not")
    func mentions() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        func say(_ text: String, _ number: Int64) {
            fixture.send(
                .chat(
                    .messageAdded(
                        Fixture.message(number, .incoming, text, at: Fixture.time(21, 9, 8), contact: Fixture.carol))))
        }
        say("no joke", 50)
        #expect(fixture.text.contains("3 Carol     1●"))
        say("thanks Jo!", 51)
        #expect(fixture.text.contains("3 Carol    @1●"))
        fixture.press("Alt-3")
        fixture.answerPages(from: [
            Fixture.message(51, .incoming, "thanks Jo!", at: Fixture.time(21, 9, 8), contact: Fixture.carol)
        ])
        fixture.press("Alt-1")
        #expect(fixture.text.contains("3 Carol      ●"))
    }

    @Test("mentions from before this start are asked for when the chat that is opened has its page")
    func earlierMentions() throws {
        var fixture = Fixture(
            columns: 80, rows: 24, conversations: [Fixture.conversation(Fixture.carol, "Carol", unread: 2)])
        let request = try #require(fixture.state.openChat?.window.paging.request)
        func asked() -> Int { fixture.questions.count { if case .mentions = $0 { true } else { false } } }
        fixture.send(.clock)
        #expect(fixture.state.world.lacksMentions && asked() == 0)
        fixture.send(.answer(.page(request, [])))
        #expect(asked() == 1)
        fixture.send(.answer(.conversations([Fixture.conversation(Fixture.carol, "Carol", unread: 2)])))
        #expect(asked() == 1)
    }

    @Test(
        "names are found as words",
        arguments: [
            ("Jo", "Jo?", true), ("Jo", "@jo", true), ("Jo", "jojo", false), ("Jo", "ajo", false),
            ("Jo", "jo_x", false),
            ("Zoë", "hi zoë", true), ("", "x", false),
        ])
    func mentionWords(name: String, text: String, isMention: Bool) {
        #expect(NameMention.occurs(of: name, in: text) == isMention)
    }

    @Test("a muted contact neither rings nor notifies until the time is over")
    func muted() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.state.surface.set(\.bell, to: .all)
        fixture.state.world.chats[2].set(\.peer.mutedUntil, to: Fixture.time(21, 9, 30))
        func say(_ number: Int64) {
            fixture.effects = []
            fixture.send(
                .chat(
                    .messageAdded(
                        Fixture.message(number, .incoming, "x", at: Fixture.time(21, 9, 8), contact: Fixture.carol))))
        }
        say(50)
        #expect(!fixture.effects.contains(.bell))
        fixture.advance(.seconds(3600))
        say(51)
        #expect(fixture.effects.contains(.bell))
    }

    @Test("a request of the key that answers for a contact is decided about with the contact", arguments: ["1", "3"])
    func requestOfNewKey(key: String) {
        var fixture = Fixture.main(columns: 80, rows: 24)
        var bob = Fixture.conversation(Fixture.bob, "Bob", trust: .keyChanged)
        bob.peer.newPeerID = Fixture.peerID("i")
        fixture.send(.answer(.conversations([Fixture.conversation(Fixture.alice, "Alice"), bob])))
        let request = ContactRequest(
            id: 4, peerID: Fixture.peerID("i"), name: "bob", address: nil, origin: "192.0.2.8:5000",
            received: Fixture.time(21, 9, 5))
        fixture.send(.chat(.requestsChanged([request])))
        fixture.press("Alt-r")
        fixture.send(.answer(.requestNumber(request, Fixture.safetyNumber)))
        fixture.effects = []
        fixture.press(key)
        #expect(!fixture.errands.contains { if case .approve = $0 { true } else { false } })
        guard case .verify(let pane) = fixture.state.place.overlay, case .contact(Fixture.bob) = pane.subject else {
            Issue.record("not the page of the contact: \(fixture.text)")
            return
        }
        #expect(fixture.text.contains("This is the new key of Bob"))
    }

    @Test("the details pane says since when somebody is verified, that they are away, and how fast the link is")
    func details() {
        var fixture = Fixture.main(columns: 120, rows: 40)
        #expect(fixture.text.contains("verified 12 Nov 2026"))
        #expect(fixture.text.contains("direct, TLS 1.3, 12 ms"))
        var away = LinkDetails(remoteAddress: "127.0.0.1:4985", isEncrypted: true)
        away.away = "back at two"
        fixture.send(.chat(.linkChanged(Fixture.alice, .online(away))))
        #expect(fixture.text.contains("“back at two”"))
        // News of the link do not say how fast it is.
        #expect(fixture.text.contains("12 ms"))
        fixture.send(.chat(.linkChanged(Fixture.alice, .offline(reason: "the connection was lost"))))
        #expect(fixture.text.contains("last seen 21 Nov 09:07"))
    }

    @Test("a link is asked how fast it is some seconds after it was made")
    func roundTrip() {
        var fixture = Fixture.main(columns: 120, rows: 40)
        fixture.send(.chat(.linkChanged(Fixture.alice, .offline(reason: nil))))
        let details = LinkDetails(remoteAddress: "127.0.0.1:4985", isEncrypted: true)
        fixture.send(.chat(.linkChanged(Fixture.alice, .online(details))))
        fixture.effects = []
        fixture.advance(.seconds(3))
        #expect(fixture.questions.contains(.links([Fixture.alice])))
    }

    static let errandsByLine: [(String, Errand)] = [
        ("/away lunch time", Errand.call(.setAway("lunch time"))), ("/away", .call(.setAway(""))),
        ("/nick Jo B.", .call(.setOwnName("Jo B."))), ("/nick 'Jo B.'", .call(.setOwnName("Jo B."))),
        ("/disconnect bob", .call(.disconnect(Fixture.bob))),
        ("/disconnect", .call(.disconnect(Fixture.alice))),
        ("/mute bob", .call(.setMuted(Fixture.bob, until: .endless))),
        ("/mute bob off", .call(.setMuted(Fixture.bob, until: nil))),
        ("/mute bob 2h", .call(.setMuted(Fixture.bob, until: Fixture.time(21, 11, 7)))),
        ("/autoaccept bob on", .call(.setAutomaticAcceptance(.max, from: Fixture.bob))),
        ("/autoaccept bob on 10M", .call(.setAutomaticAcceptance(10_000_000, from: Fixture.bob))),
        ("/autoaccept bob off", .call(.setAutomaticAcceptance(0, from: Fixture.bob))),
        ("/autoaccept bob default", .call(.setAutomaticAcceptance(nil, from: Fixture.bob))),
    ]

    @Test("what somebody who is blocked has offered is no offer that can be answered")
    func blockedOffer() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.addOffer()
        #expect(!fixture.state.world.openOffers.isEmpty)
        let index =
            fixture.state.world.chats.firstIndex { $0.id == fixture.state.world.transfers.openOffers[0].contact } ?? 0
        fixture.state.world.chats[index].set(\.peer.isBlocked, to: true)
        fixture.advance(.seconds(20))
        #expect(fixture.state.place.shownOffer == nil)
        #expect(!fixture.text.contains("Alt-y accept") && !fixture.text.contains("OFFER #"), "\(fixture.text)")
        fixture.press("Alt-y")
        #expect(!fixture.errands.contains { if case .accept = $0 { true } else { false } })
    }

    @Test("/autoaccept says which word is none of its own")
    func acceptanceSlip() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("/autoaccept bob maybe")
        #expect(fixture.text.contains("Expected on [MAXSIZE], off or default, not \"maybe\""))
    }

    @Test("whoever is not away cannot come back")
    func back() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("/back")
        #expect(fixture.text.contains("You are not away"))
        #expect(!fixture.errands.contains(.call(.setAway(nil))))
        fixture.state.world.setIdentity(\.away, to: "")
        fixture.enter("/back")
        #expect(fixture.errands.contains(.call(.setAway(nil))))
    }

    @Test(
        "commands about people ask the chat for what they say",
        arguments: PeopleTests.errandsByLine)
    func commands(line: String, errand: Errand) {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter(line)
        #expect(fixture.errands.contains(errand))
    }

    static let questionsByLine: [(String, Question)] = [
        ("/ping bob", Question.call(.ping(Fixture.bob))), ("/stats", .call(.traffic(with: Fixture.alice))),
        ("/backup ~/b.sqlite", .backUp("/home/jo/b.sqlite")), ("/doctor", .command(ProgramCommand(["doctor"]))),
        ("/import ~/x.json", .command(ProgramCommand(["import", "/home/jo/x.json"]))),
        (
            "/export alice ~/a.json",
            .command(ProgramCommand(["export", "Alice", "--format", "json", "-o", "/home/jo/a.json"]))
        ),
        ("/export /tmp/all.txt", .command(ProgramCommand(["export", "--format", "text", "-o", "/tmp/all.txt"]))),
    ]

    @Test(
        "commands that take their time are asked beside the errands",
        arguments: PeopleTests.questionsByLine)
    func questions(line: String, question: Question) {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter(line)
        #expect(fixture.questions.contains(question))
    }

    @Test("what a command of the command line says is shown as lines from outside")
    func output() {
        var fixture = Fixture.main(columns: 200, rows: 24)
        let output = ProgramOutput(lines: ["ok      key: fine", "\u{1B}[31mBROKEN"], exitCode: 9)
        fixture.state.surface.terminalIs(TerminalCapabilities(colors: 16, unicode: true, links: true, name: "xterm"))
        fixture.state.surface.setTerminal(\.graphics, to: .sixel)
        let widths = TerminalWidths(measured: [.emojiPresentation: 2, .joined: 4, .ambiguous: 1])
        fixture.state.surface.setTerminal(\.widths, to: widths)
        fixture.send(.answer(.output(ProgramCommand(["doctor"]), output)))
        #expect(fixture.text.contains("terminal xterm: 16 colours, Unicode, pictures as sixels, links, mouse"))
        #expect(fixture.text.contains("widths in columns: VS16 2, ZWJ 4 (replaced), ambiguous 1;"))
        #expect(fixture.text.contains("key: fine"))
        #expect(fixture.text.contains("␛[31mBROKEN"))
    }

    @Test("/stats shows frames, queues and the round trip; /whois all that is known")
    func stats() {
        var fixture = Fixture.main(columns: 120, rows: 40)
        var traffic = LinkTraffic(age: .seconds(90), roundTrip: .milliseconds(7))
        traffic.queued = 5
        traffic.waiting = 2
        traffic.framesSent = 12_345
        traffic.bytesSent = 1_000
        traffic.bytesSavedSent = 2_460
        fixture.send(.answer(.reply(.traffic(contact: Fixture.alice), traffic)))
        #expect(fixture.text.contains("sent 12,345 frames"))
        #expect(fixture.text.contains("queued 5, 2 of them"))
        #expect(fixture.text.contains("round trip 7 ms"))
        #expect(fixture.text.contains("compression ratio 3.5:1 sent, 1.0:1 received"))
        fixture.enter("/whois")
        #expect(fixture.text.contains("verified since 12 Nov 2026"))
    }

    @Test("/whois says why somebody is away, and when they were last seen only while they are not there")
    func whoisPresence() {
        var fixture = Fixture.main(columns: 120, rows: 40)
        fixture.state.world.chats[0].set(\.peer.lastSeen, to: Fixture.time(20, 8, 0))
        var details = LinkDetails(remoteAddress: "127.0.0.1:4985", isEncrypted: true, roundTrip: nil)
        details.away = "lunch\u{1B}[31m"
        fixture.send(.chat(.linkChanged(Fixture.alice, .online(details))))
        fixture.enter("/whois")
        #expect(fixture.text.contains("away: lunch␛[31m"))
        #expect(!fixture.text.contains("last seen"))
        fixture.send(.chat(.linkChanged(Fixture.alice, .offline(reason: nil))))
        fixture.press("Ctrl-l")
        fixture.enter("/whois")
        #expect(fixture.text.contains("last seen 21 Nov 09:07"))
    }

    @Test("what a command of the command line has written, and that it failed, is said in the screen's words")
    func programResults() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        let export = ProgramCommand(["export", "--format", "json", "-o", "/tmp/all.json"])
        fixture.send(.answer(.output(export, ProgramOutput(lines: [], exitCode: 0))))
        #expect(fixture.text.contains("/export: written to /tmp/all.json"))
        let failure = ProgramOutput(lines: ["blipchat: /x: cannot be read"], exitCode: 7)
        fixture.send(.answer(.output(ProgramCommand(["import", "/x"]), failure)))
        #expect(fixture.text.contains("-- /x: cannot be read"))
        #expect(fixture.text.contains("/import failed: /x: cannot be read"))
    }

    @Test("/status says who is blocked")
    func statusBlocked() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.state.world.chats[0].set(\.peer.isBlocked, to: true)
        fixture.enter("/status")
        #expect(fixture.text.contains("Alice: blocked, verified"))
    }

    @Test("/qr shows the address as a code where there is room, else as text")
    func qr() throws {
        func answer(_ fixture: inout Fixture) throws {
            guard case .qrCode(let address)? = fixture.questions.last else { return }
            fixture.send(.answer(.qrCode(address, .success(try QRCode(address)))))
        }
        var fixture = Fixture.main(columns: 120, rows: 40)
        fixture.enter("/qr")
        try answer(&fixture)
        #expect(fixture.text.contains("█ ▄▄▄▄▄ █"))
        #expect(fixture.text.contains("blip://192.0.2.10"))
        fixture.press("Esc")
        #expect(fixture.state.place.overlay == nil)
        fixture = Fixture.main(columns: 60, rows: 12)
        fixture.enter("/qr")
        try answer(&fixture)
        #expect(fixture.text.contains("The code needs a window of"))
    }

    @Test("times and sizes of the commands are read with their units")
    func units() {
        #expect(Units.seconds(of: "30m") == 1800 && Units.seconds(of: "2H") == 7200 && Units.seconds(of: "15") == 900)
        #expect(Units.seconds(of: "0m") == nil && Units.seconds(of: "x") == nil && Units.seconds(of: "1y") == nil)
        #expect(Units.seconds(of: "999999999w") == 315_360_000)
        #expect(Units.milliseconds(.microseconds(900)) == "<1 ms" && Units.milliseconds(.milliseconds(2100)) == "2.1 s")
    }

    @Test("nobody is told to confirm a number that is not there")
    func noNumberYet() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.state.world.chats[1].set(\.peer.peerID, to: nil)
        fixture.enter("/verify bob")
        #expect(fixture.text.contains("nothing to compare"))
        #expect(!fixture.text.contains("1 match") && fixture.text.contains(" 2 differ"))
        fixture.press("Esc")
        fixture.enter("/verify carol")
        #expect(fixture.text.contains(" 1 match  2 differ"))
    }
}
