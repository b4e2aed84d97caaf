// Line mode: what each step prints, and a whole session over a recording service.

import ChatCore
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Line mode", .timeLimit(.minutes(10)))
struct PlainTests {
    private typealias Fixture = ScreenFixture

    /// A state with Alice's chat open and loaded.
    private func fixture() -> Fixture {
        var fixture = Fixture(
            columns: 80, rows: 24,
            conversations: [
                // Bob's chat is opened first, as the only unread one.
                Fixture.conversation(Fixture.alice, "Alice"), Fixture.conversation(Fixture.bob, "Bob", unread: 1),
            ])
        _ = lines(&fixture, .line("/query alice"))
        fixture.answerPages(from: Fixture.history.filter { if case .text = $0.content { true } else { false } })
        return fixture
    }

    private func lines(_ fixture: inout Fixture, _ action: AppAction) -> [String] {
        let before = fixture.state
        fixture.send(action)
        return PlainTranscript(before: before, after: fixture.state, action: action).lines.map {
            $0.terminalString()
        }
    }

    @Test("says what was decided about contacts elsewhere, once, and nothing of that about what was asked for here")
    func decidedElsewhere() {
        var fixture = fixture()
        var news = PeerNews()
        func send(_ action: AppAction) -> [String] {
            fixture.send(action)
            return news.lines(after: action, in: fixture.state).map { $0.terminalString() }
        }
        var alice = Fixture.conversation(Fixture.alice, "Alice")
        var bob = Fixture.conversation(Fixture.bob, "Bob")
        bob.peer.trust = .unverified
        func list(_ conversations: [Conversation]) -> [String] { send(.answer(.conversations(conversations))) }
        #expect(list([alice, bob]).isEmpty)
        #expect(list([alice, bob]).isEmpty)
        bob.peer.isBlocked = true
        bob.peer.trust = .verified
        alice.peer.name = "Al"
        alice.peer.mutedUntil = .endless
        #expect(list([alice, bob]) == ["Alice is now called Al", "Al is muted", "Bob is blocked", "Bob is verified"])
        #expect(list([alice, bob]).isEmpty)
        bob.peer.isBlocked = false
        bob.peer.peerID = Fixture.peerID("q")
        #expect(list([alice, bob]) == ["Bob may call again", "Bob has a new key, verified"])
        // What is written in a chat is no decision; what is asked for here has words of its own.
        _ = send(.line("hello"))
        #expect(list([alice]) == ["Deleted Bob and your history with them"])
        #expect(list([alice, bob]) == ["Bob is now a contact (verified)"])
        _ = send(.line("/block bob"))
        bob.peer.isBlocked = true
        #expect(list([alice, bob]).isEmpty)
        fixture.advance(.seconds(3))
        _ = send(.done(.call(.setBlocked(Fixture.bob, true)), .nothing))
        fixture.advance(.seconds(3))
        // What was read before that is followed by what is read after it.
        bob.peer.isBlocked = false
        #expect(list([alice, bob]).isEmpty)
        fixture.advance(.seconds(3))
        bob.peer.isBlocked = true
        #expect(list([alice, bob]) == ["Bob is blocked"])
    }

    @Test("prints a chat when it opens: who it is with, then the last messages, each once")
    func opening() {
        var fixture = Fixture(
            columns: 80, rows: 24,
            conversations: [
                // The first unread one is open already.
                Fixture.conversation(Fixture.alice, "Alice", unread: 1),
                Fixture.conversation(Fixture.bob, "Bob", unread: 2),
            ])
        #expect(lines(&fixture, .line("/query bob")) == ["Chat with Bob: verified", "2 new"])
        let history = (1...12).map {
            Fixture.message(
                $0, .incoming, "number \($0)", at: Fixture.time($0 < 6 ? 20 : 21, 9, 0), contact: Fixture.bob)
        }
        let asked = fixture.effects
        guard
            case .page(let request)? = asked.lazy.compactMap({ if case .ask(let q) = $0 { q } else { nil } }).first(
                where: { if case .page = $0 { true } else { false } })
        else {
            Issue.record("no page was asked for")
            return
        }
        let shown = lines(&fixture, .answer(.page(request, history)))
        #expect(shown.count == PlainTranscript.recentCount)
        #expect(shown.first == "20 Nov 09:00 Bob: number 3")
        #expect(shown.last == "09:00 Bob: number 12")
    }

    @Test("/history N says the last N messages, also when asked again, and the open chat is told of")
    func stretches() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        let last = lines(&fixture, .line("/history 3"))
        #expect(last.count == 3 && last == lines(&fixture, .line("/history 3")), "\(last)")
        #expect(lines(&fixture, .line("/history 2")) == Array(last.dropFirst()))
        #expect(lines(&fixture, .line("/query alice")) == ["The chat with Alice is already open"])
        #expect(lines(&fixture, .line("/query bob")).first?.hasPrefix("Chat with Bob: ") == true)
    }

    @Test("the new text of a message is said whole, and who is away and back")
    func wholeNews() {
        let before = Fixture.main(columns: 80, rows: 24)
        var message = Fixture.history[0]
        let text =
            "The meeting is moved, please read this carefully, it is not at three but at FIVE in the other building"
        message.content = .text(text)
        message.edited = Fixture.time(21, 9, 7)
        let lines = MessageSentences(state: before.state, message: message).changes(since: Fixture.history[0])
        #expect(lines.map(\.text).joined().contains(text))
        guard case .online(var details) = before.state.openChat?.link else {
            Issue.record("nobody is online")
            return
        }
        details.away = "lunch"
        var after = before
        after.send(.chat(.linkChanged(Fixture.alice, .online(details))))
        let away = PlainTranscript(
            before: before.state, after: after.state, action: .chat(.linkChanged(Fixture.alice, .online(details))))
        #expect(away.lines.map(\.text).contains("Alice is away: lunch"))
        let back = PlainTranscript(
            before: after.state, after: before.state, action: .chat(.linkChanged(Fixture.alice, .online(details))))
        #expect(back.lines.map(\.text).contains("Alice is back"))
    }

    @Test("what was deleted before it was sent has not failed")
    func takenBack() {
        let fixture = fixture()
        var message = Fixture.message(101, .outgoing, "", at: Fixture.time(21, 9, 7), .takenBack)
        message.isRetracted = true
        let sentences = MessageSentences(state: fixture.state, message: message).lines(withDay: false)
        #expect(sentences.map(\.text) == ["09:07 me: (deleted before it was sent)"])
    }

    @Test("an offer that has reached the other disk is no delivered file")
    func offerDelivered() {
        var fixture = fixture()
        let offer = Fixture.transfer(9, .outgoing, "notes.txt", size: 5, .offered)
        var message = Fixture.fileMessage(offer, position: 20, at: Fixture.time(21, 9, 7))
        message.state = .sent
        #expect(lines(&fixture, .chat(.messageAdded(message))) == ["09:07 me, waiting: #9 notes.txt, 5 B, offered"])
        message.state = .delivered
        #expect(lines(&fixture, .chat(.messageChanged(message))) == ["offered to Alice: notes.txt"])
        let sentences = MessageSentences(state: fixture.state, message: message).lines(withDay: false)
        #expect(sentences.map(\.text) == ["09:07 me: #9 notes.txt, 5 B, offered"])
    }

    @Test("prints messages as they come, with the chat that they belong to, and what becomes of own ones")
    func messages() {
        var fixture = fixture()
        let time = Fixture.time(21, 9, 8)
        let other = Fixture.message(100, .incoming, "psst", at: time, contact: Fixture.bob)
        #expect(lines(&fixture, .chat(.messageAdded(other))) == ["09:08 Bob (in another chat): psst"])
        var own = Fixture.message(101, .outgoing, "two\nlines", at: time, .pending)
        #expect(lines(&fixture, .chat(.messageAdded(own))) == ["09:08 me, waiting: two", "    lines"])
        own.state = .sent
        #expect(lines(&fixture, .chat(.messageChanged(own))) == [])
        own.state = .delivered
        #expect(lines(&fixture, .chat(.messageChanged(own))) == ["delivered to Alice: two␤lines"])
        own.reactions = [Reaction(direction: .incoming, emoji: "👍")]
        #expect(lines(&fixture, .chat(.messageChanged(own))) == ["Alice reacted 👍 to: two␤lines"])
        var theirs = Fixture.message(102, .incoming, "frist", at: time)
        _ = lines(&fixture, .chat(.messageAdded(theirs)))
        theirs.content = .text("first")
        theirs.edited = time
        #expect(lines(&fixture, .chat(.messageChanged(theirs))) == ["Alice changed \"frist\" to: first"])
        theirs.isRetracted = true
        theirs.content = .text("")
        #expect(lines(&fixture, .chat(.messageChanged(theirs))) == ["Alice deleted: first"])
    }

    @Test("says in words what a screen draws: actions, quotes, edits, reactions, pins")
    func phrases() {
        var fixture = fixture()
        let time = Fixture.time(21, 9, 8)
        let question = Fixture.message(100, .outgoing, "shall we?", at: time)
        _ = lines(&fixture, .chat(.messageAdded(question)))
        var answer = Fixture.message(101, .incoming, "/me nods", at: time, replyTo: 100)
        #expect(
            lines(&fixture, .chat(.messageAdded(answer)))
                == [#"09:08 Alice, replying to me "shall we?" (action): nods"#])
        answer.reactions = [Reaction(direction: .outgoing, emoji: "👍")]
        #expect(lines(&fixture, .chat(.messageChanged(answer))) == ["me reacted 👍 to: nods"])
        answer.reactions = [Reaction(direction: .outgoing, emoji: "❤")]
        #expect(lines(&fixture, .chat(.messageChanged(answer))) == ["me reacted ❤ instead of 👍 to: nods"])
        answer.pinned = time
        #expect(lines(&fixture, .chat(.messageChanged(answer))) == ["pinned: nods"])
        answer.edited = time
        answer.content = .text("/me nods twice")
        #expect(lines(&fixture, .chat(.messageChanged(answer))) == [#"Alice changed "nods" to: nods twice"#])
        let whole = MessageSentences(state: fixture.state, message: answer).lines(withDay: false).map(\.text)
        #expect(
            whole == [#"09:08 Alice, replying to me "shall we?" (action; edited; ❤ from me; pinned): nods twice"#])
        answer.reactions = []
        #expect(lines(&fixture, .chat(.messageChanged(answer))) == ["me took ❤ back from: nods twice"])
        answer.pinned = nil
        #expect(lines(&fixture, .chat(.messageChanged(answer))) == ["no longer pinned: nods twice"])
        let unknown = Fixture.message(102, .incoming, "yes", at: time, replyTo: 7_000)
        #expect(lines(&fixture, .chat(.messageAdded(unknown))) == ["09:08 Alice, replying to an earlier message: yes"])
    }

    @Test("says once what our user has done to a message, whether the answer or the news come first")
    func ownChanges() {
        for answerFirst in [true, false] {
            var fixture = fixture()
            let theirs = Fixture.message(100, .incoming, "/me nods", at: Fixture.time(21, 9, 8))
            _ = lines(&fixture, .chat(.messageAdded(theirs)))
            var liked = theirs
            liked.reactions = [Reaction(direction: .outgoing, emoji: "👍")]
            let own = Fixture.message(101, .outgoing, "frist", at: Fixture.time(21, 9, 8))
            _ = lines(&fixture, .chat(.messageAdded(own)))
            var edited = own
            edited.content = .text("first")
            edited.edited = Fixture.time(21, 9, 9)
            var deleted = edited
            deleted.isRetracted = true
            // Older than anything in memory: only the errand knows what it was.
            let far = Fixture.message(-70, .incoming, "long ago", at: Fixture.time(20, 9, 8))
            var farLiked = far
            farLiked.reactions = liked.reactions
            let cases: [(Errand, ChatMessage, [String])] = [
                (.call(.react(to: theirs, with: "👍")), liked, ["me reacted 👍 to: nods"]),
                (.call(.edit(own, to: "first")), edited, [#"me changed "frist" to: first"#]),
                (
                    .retract(edited, of: 1), deleted,
                    [
                        "me deleted: first", "Deleted your message of 21 Nov 09:08 here; for Alice once online",
                    ]
                ),
                (.call(.react(to: far, with: "👍")), farLiked, ["me reacted 👍 to: long ago"]),
            ]
            for (errand, message, expected) in cases {
                let actions: [AppAction] = [.done(errand, .reply(message)), .chat(.messageChanged(message))]
                let printed = (answerFirst ? actions : actions.reversed()).flatMap { lines(&fixture, $0) }
                #expect(printed.sorted() == expected.sorted(), "\(errand)")
            }
        }
    }

    @Test("/pins prints what is pinned as the chat does, actions as phrases")
    func pins() {
        var fixture = fixture()
        fixture.effects = []
        #expect(lines(&fixture, .line("/pins")) == [])
        guard case .pins(_, let generation)? = fixture.questions.last else {
            Issue.record("no pins were asked for")
            return
        }
        var message = Fixture.message(90, .incoming, "/me nods", at: Fixture.time(21, 9, 8))
        message.pinned = Fixture.time(21, 9, 8)
        let shown = lines(&fixture, .answer(.pins([message], generation: generation)))
        #expect(shown == ["Pinned messages:", "09:08 Alice (action; pinned): nods"])
    }

    @Test("waits for what it asked: pins and links are printed once, when they have come, as lines")
    func waiting() {
        var fixture = fixture()
        fixture.effects = []
        #expect(lines(&fixture, .line("/links")) == [])
        guard case .messageLinks(_, _, let generation)? = fixture.questions.last else {
            Issue.record("no links were asked for")
            return
        }
        #expect(fixture.state.place.overlay?.pane.isWaiting == true)
        let message = Fixture.message(90, .incoming, "see file:///srv/x", at: Fixture.time(21, 9, 8))
        let shown = lines(&fixture, .answer(.messageLinks([message], opening: nil, generation: generation)))
        #expect(shown == ["Links:", "  1 /srv/x (file)"])
        #expect(fixture.state.place.overlay?.pane.isWaiting == false)
    }

    @Test("says offers, requests, and who comes and goes in words with the command that answers them")
    func news() {
        var fixture = fixture()
        let offer = Fixture.transfer(8, .incoming, "photo.jpg", size: 2_200_000, .offered)
        let message = Fixture.fileMessage(offer, position: 100, at: Fixture.time(21, 9, 8))
        let shown = lines(&fixture, .chat(.messageAdded(message)))
        #expect(shown.count == 1)
        #expect(shown[0].contains("#8 photo.jpg") && shown[0].contains("/accept 8 or /decline 8"))
        let request = ContactRequest(
            id: 3, peerID: Fixture.peerID("f"), name: "Mallory", address: nil, origin: "192.0.2.9",
            received: Fixture.time(21, 9, 8))
        let asked = lines(&fixture, .chat(.requestsChanged([request])))
        #expect(asked.first?.contains("CONTACT REQUEST 3 from Mallory") == true)
        #expect(asked.last == "    /approve 3 or /reject 3")
        // No sentence that names a key of the screen.
        #expect(!asked.contains { $0.contains("Alt-") })
        let link = LinkState.online(LinkDetails(remoteAddress: "192.0.2.1:4985", isEncrypted: true))
        #expect(lines(&fixture, .chat(.linkChanged(Fixture.bob, link))) == ["Bob is online"])
        #expect(lines(&fixture, .chat(.linkChanged(Fixture.bob, link))) == [])
        #expect(
            lines(&fixture, .chat(.linkChanged(Fixture.bob, .offline(reason: "nobody listens there"))))
                == ["Bob is offline: nobody listens there"])
    }

    @Test("the page of a request says who asks, what is to be said of them, the number, and each answer")
    func requestPage() {
        var fixture = fixture()
        let fake = ContactRequest(
            id: 9, peerID: Fixture.peerID("x"), name: "b\u{43E}b", address: nil, origin: "192.0.2.44:51022",
            received: Fixture.time(21, 9, 11))
        // One that was there before line mode began is said, too.
        let atStart = lines(&fixture, .answer(.requests([fake])))
        #expect(atStart.first?.contains("CONTACT REQUEST 9") == true && atStart.last == "    /approve 9 or /reject 9")
        _ = lines(&fixture, .line("/requests"))
        let page = lines(&fixture, .answer(.requestNumber(fake, Fixture.safetyNumber))).joined(separator: "\n")
        for words in [
            "CONTACT REQUEST 9 from b\u{43E}b", "192.0.2.44:51022", "looks like", Fixture.safetyNumber[11], "Enter 1 ",
            "3 to accept", "/reject 9",
        ] { #expect(page.contains(words), "\(page)") }
    }

    @Test("without UTF-8 /qr prints the address and the reason, no blocks", arguments: [true, false])
    func qrCode(unicode: Bool) throws {
        var fixture = fixture()
        fixture.state.surface.setTerminal(\.unicode, to: unicode)
        let address = "blip://192.0.2.10:4985/k"
        let shown = lines(&fixture, .answer(.qrCode(address, .success(try QRCode(address)))))
        #expect(shown.first == address)
        #expect(shown.contains { $0.contains("█") } == unicode)
        #expect(shown.contains(QRScreen.needsUnicode) != unicode)
    }

    @Test("runs slash commands and prints what a screen would open: help, transfers, searches, requests")
    func commands() {
        var fixture = fixture()
        let help = lines(&fixture, .line("/help"))
        for command in SlashCommands.offered { #expect(help.contains { $0.hasPrefix(command.line) }) }
        _ = lines(&fixture, .printed)
        #expect(fixture.state.place.overlay == nil)
        #expect(lines(&fixture, .line("/contacts")).count == 2)
        #expect(lines(&fixture, .line("/transfers")) == ["No transfers"])
        let typo = lines(&fixture, .line("/contcts"))
        #expect(typo.count == 1 && typo[0].contains("Did you mean /contacts?"))
        fixture.effects = []
        #expect(lines(&fixture, .line("/search plan")) == [])
        let query = fixture.questions.lazy.compactMap { question -> (SearchQuery, Int)? in
            if case .search(let query, let generation) = question { (query, generation) } else { nil }
        }.first
        guard let (query, generation) = query else {
            Issue.record("nothing was searched")
            return
        }
        let result = SearchResult(hits: [Fixture.history[0]], searched: 10, isTruncated: false)
        let found = lines(
            &fixture, .answer(.search(query, generation: generation, result, took: .milliseconds(1))))
        #expect(found.first == "Found 1, newest first:")
        #expect(found.last?.contains("the plan is at") == true)
    }

    @Test("prints the place that a command goes to, and returns to the end")
    func places() {
        var fixture = fixture()
        let long = (200...260).map {
            Fixture.message($0, .incoming, "number \($0)", at: Fixture.time(21, 9, 8))
        }
        for message in long { _ = lines(&fixture, .chat(.messageAdded(message))) }
        let first = lines(&fixture, .line("/goto first"))
        #expect(first.contains { $0.contains("the plan is at") || $0.contains("number 2") })
        #expect(first.count <= PlainTranscript.recentCount + 1)
        #expect(fixture.state.openChat?.window.isAtBottom == false)
        #expect(lines(&fixture, .printed) == [])
        #expect(fixture.state.openChat?.window.isAtBottom == true)
    }

    @Test(
        "every pane that a key opens says what is in it, without drawing anything",
        arguments: [
            ("Alt-k", "Alice"), ("Alt-x", "go to"), ("Alt-t", "No transfers"), ("Ctrl-t", "/send PATH"),
        ])
    func spoken(key: String, words: String) {
        var fixture = fixture()
        fixture.press(key)
        let shown = fixture.state.place.overlay?.pane.spoken(fixture.state, after: .clock).map(\.text) ?? []
        #expect(shown.contains { $0.contains(words) }, "\(shown)")
        #expect(!shown.contains { $0.contains("this one? 4.1 MB") || $0.contains("│") })
    }

    @Test("prints pages and codes whole, and nothing of what lies around them on a screen")
    func pages() throws {
        var fixture = fixture()
        let info = lines(&fixture, .line("/info"))
        #expect(info.first == "About this message:" && info.contains { $0.hasPrefix("from ") })
        #expect(!info.contains { $0.contains("Esc") || $0.contains("j/k") || $0.contains("Alice>") })
        _ = lines(&fixture, .printed)
        #expect(lines(&fixture, .line("/log")).first == "What the status line said:")
        _ = lines(&fixture, .printed)
        _ = lines(&fixture, .line("/qr"))
        let address = "blip://192.0.2.10:4985"
        let code = try QRCode(address)
        let printed = lines(&fixture, .answer(.qrCode(address, .success(code))))
        #expect(printed == [address] + code.halfBlocks)
        _ = lines(&fixture, .printed)
        #expect(lines(&fixture, .line("/send")).last == "Say which files: /send PATH… [-- TEXT]")
    }

    @Test("what is known of an edited message waits for its earlier texts")
    func editedInfo() throws {
        var fixture = fixture()
        var edited = Fixture.message(40, .outgoing, "second", at: Fixture.time(21, 9, 8))
        edited.edited = Fixture.time(21, 9, 9)
        _ = lines(&fixture, .chat(.messageAdded(edited)))
        #expect(lines(&fixture, .line("/info")) == [])
        let versions = [
            TextVersion(text: "first", written: Fixture.time(21, 9, 8)),
            TextVersion(text: "second", written: Fixture.time(21, 9, 9)),
        ]
        let info = lines(&fixture, .answer(.versions(versions, edited)))
        #expect(info.contains { $0.contains("first") } && info.contains { $0.contains("second") })
    }

    @Test("sends lines, runs nothing that was mistyped, and keeps the draft that a screen has left")
    func entering() {
        var fixture = fixture()
        fixture.state.composer.write(InputLine("half a th"))
        fixture.effects = []
        _ = lines(&fixture, .line("hello there"))
        #expect(fixture.errands == [.call(.send("hello there", to: Fixture.alice))])
        #expect(fixture.state.composer.input.text == "half a th")
        fixture.effects = []
        _ = lines(&fixture, .line("/qiut"))
        _ = lines(&fixture, .line(""))
        #expect(fixture.errands == [])
        _ = lines(&fixture, .line("//quit is a word"))
        #expect(fixture.errands == [.call(.send("/quit is a word", to: Fixture.alice))])
    }

    @Test("prints nothing that a terminal could obey, whatever peers send")
    func hostile() {
        var fixture = fixture()
        let raw = "a\u{1B}[31m\u{9B}2J\u{202E}x\u{07}\r\nb\u{1B}]0;t\u{07}"
        var printed: [String] = []
        printed += lines(
            &fixture, .chat(.messageAdded(Fixture.message(100, .incoming, raw, at: Fixture.time(21, 9, 8)))))
        let offer = Fixture.transfer(9, .incoming, raw, size: 1, .offered, reason: .other(raw))
        printed += lines(
            &fixture, .chat(.messageAdded(Fixture.fileMessage(offer, position: 101, at: Fixture.time(21, 9, 8)))))
        printed += lines(&fixture, .chat(.linkChanged(Fixture.bob, .connecting)))
        printed += lines(
            &fixture,
            .chat(
                .linkChanged(Fixture.bob, .online(LinkDetails(remoteAddress: raw, isEncrypted: false)))))
        printed += lines(&fixture, .chat(.linkChanged(Fixture.bob, .offline(reason: .bodyFailed(reason: raw)))))
        let request = ContactRequest(
            id: 3, peerID: Fixture.peerID("f"), name: raw, address: nil, origin: raw, received: Fixture.time(21, 9, 8))
        printed += lines(&fixture, .chat(.requestsChanged([request])))
        printed += lines(&fixture, .chat(.notice(.cannotListen(endpoint: raw, reason: .bodyFailed(reason: raw)))))
        for command in ["/requests", "/transfers", "/status", "/\(raw)", "/whois bob"] {
            printed += lines(&fixture, .line(command))
            _ = lines(&fixture, .printed)
        }
        #expect(printed.count > 10)
        for line in printed {
            let isSafe = line.unicodeScalars.allSatisfy {
                $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) && $0.value != 0x202E
            }
            #expect(isSafe, "\(line.debugDescription)")
        }
    }
}

@ScreenActor
@Suite("A session in line mode", .timeLimit(.minutes(10)))
struct PlainApplicationTests {
    /// Everything that was printed.
    private final class Paper {
        var lines: [String] = []

        func waits(for words: String) async -> Bool {
            let end = ContinuousClock.now + .seconds(60)
            while ContinuousClock.now < end, !lines.contains(where: { $0.contains(words) }) {
                try? await Task.sleep(for: .milliseconds(2))
            }
            return lines.contains { $0.contains(words) }
        }
    }

    @Test("sends what was entered before the chats were read, in order, and leaves at the end of the input")
    func session() async {
        let service = RecordingService(history: Array(ScreenFixture.history.prefix(5)))
        let paper = Paper()
        let options = ChatApplicationOptions(
            home: "/", version: "1", clock: .fixed(seconds: 0), contact: "Bob", notices: ["Welcome"])
        let application = PlainApplication(service: service, options: options) {
            paper.lines.append($0.terminalString())
            return true
        }
        let (input, source) = AsyncStream<PlainInput>.makeStream()
        for line in ["first", "second", "/msg alice third"] { source.yield(.line(line)) }
        let run = Task { await application.run(input) }
        #expect(await paper.waits(for: "second"))
        #expect(await paper.waits(for: "third"))
        source.yield(.end)
        #expect(await run.value == 0)
        #expect(paper.lines.first == "Welcome")
        #expect(paper.lines.contains("Chat with Bob: verified"))
        let sent = await service.log.filter { $0.hasPrefix("send") }
        #expect(sent == ["send first", "send second", "send third"])
        #expect(application.farewell?.contains("queued") == true)
    }

    @Test("an answer to the question about a changed key is no line of the chat")
    func changedKey() async {
        let service = RecordingService(newKey: ScreenFixture.peerID("c"))
        let paper = Paper()
        let options = ChatApplicationOptions(home: "/", version: "1", clock: .fixed(seconds: 0), contact: "Bob")
        let application = PlainApplication(service: service, options: options) {
            paper.lines.append($0.terminalString())
            return true
        }
        let (input, source) = AsyncStream<PlainInput>.makeStream()
        let run = Task { await application.run(input) }
        source.yield(.line("/verify"))
        #expect(await paper.waits(for: "a to accept it unverified"))
        source.yield(.line("a"))
        #expect(await paper.waits(for: "has a new key, unverified"))
        source.yield(.end)
        #expect(await run.value == 0)
        let done = await service.log.filter { $0.hasPrefix("accept") || $0.hasPrefix("send") }
        #expect(done == ["accept \(ScreenFixture.peerID("c").text), unverified"])
    }

    @Test("what comes from a pipe is sent to its end, also when nobody reads what is printed")
    func unread() async {
        let service = RecordingService()
        let options = ChatApplicationOptions(home: "/", version: "1", clock: .fixed(seconds: 0), contact: "Bob")
        let application = PlainApplication(service: service, options: options, isInteractive: false) { _ in false }
        let (input, source) = AsyncStream<PlainInput>.makeStream()
        let run = Task { await application.run(input) }
        source.yield(.line("first"))
        while await !service.log.contains("send first") { await Task.yield() }
        #expect(application.isUnread)
        source.yield(.line("second"))
        source.yield(.end)
        _ = await run.value
        #expect(await service.log.filter { $0.hasPrefix("send") } == ["send first", "send second"])
    }

    @Test("a message of thousands of lines is folded in line mode, too")
    func folded() {
        let text = (1...1000).map { "line \($0)" }.joined(separator: "\n")
        var fixture = ScreenFixture.main(columns: 80, rows: 24)
        fixture.state.surface = fixture.state.surface.rebuilt(isLineMode: true)
        let message = ScreenFixture.message(7, .incoming, text, at: ScreenFixture.time(21, 9, 7))
        let lines = MessageSentences(state: fixture.state, message: message).lines(withDay: false)
        #expect(lines.count == 201)
        #expect(lines.last?.text == "    … 800 more lines (blipchat history prints them)")
    }

    @Test("ends when nobody reads the lines, and with the signal's code when one comes")
    func endings() async {
        let options = ChatApplicationOptions(home: "/", version: "1", clock: .fixed(seconds: 0))
        let closed = PlainApplication(service: RecordingService(), options: options) { _ in false }
        _ = await closed.run(AsyncStream { _ in })
        #expect(closed.isUnread)
        let signalled = PlainApplication(service: RecordingService(), options: options) { _ in true }
        let (input, source) = AsyncStream<PlainInput>.makeStream()
        source.yield(.terminate(signal: 15))
        #expect(await signalled.run(input) == 143)
    }
}
