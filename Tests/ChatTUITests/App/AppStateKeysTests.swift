// Slips of the fingers and news in the wrong moment: nothing goes to, or is done to, somebody who was not meant.

import ChatCore
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Keys in the wrong moment")
struct AppStateKeysTests {
    private typealias Fixture = ScreenFixture

    /// Bob and Bob Builder, the latter's chat open.
    private static func bobs() -> Fixture {
        var fixture = Fixture(
            columns: 80, rows: 24,
            conversations: [
                Fixture.conversation(Fixture.alice, "Bob", readUpTo: 1000),
                Fixture.conversation(Fixture.bob, "Bob Builder", readUpTo: 1000),
            ])
        fixture.press("Alt-2")
        fixture.answerPages(from: [])
        fixture.effects = []
        return fixture
    }

    @Test(
        "any other key withdraws a question, also one that says something in its place",
        arguments: ["n", "x", "y", "u"])
    func anotherKey(key: String) {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("Esc", "d")
        #expect(fixture.text.contains("d again to delete"))
        fixture.advance(.seconds(1))
        fixture.press(key)
        #expect(fixture.state.place.confirmation == nil)
        fixture.effects = []
        // Without a pause the two letters could be a line that is typed there by accident.
        fixture.advance(.seconds(1))
        fixture.press("d")
        #expect(fixture.errands.isEmpty && fixture.text.contains("d again to delete"))
    }

    @Test("a click that answers a question ends it")
    func clickedQuestion() throws {
        var fixture = Fixture.main(columns: 120, rows: 40)
        fixture.press("Esc")
        for step in 0..<3 {
            try fixture.click(on: "d delete")
            fixture.advance(.seconds(1))
            #expect(fixture.text.contains("d again to delete") == (step != 1))
        }
        #expect(fixture.errands.count { if case .retract = $0 { true } else { false } } == 1)
    }

    @Test(
        "a name of several words that nobody has is not the first word's",
        arguments: [
            "/block Bob Bilder", "/query Bob Xyz", "/disconnect Bob Bilder", "/remove Bob 2", "/ping Bob Bilder",
        ])
    func severalWords(line: String) {
        var fixture = Self.bobs()
        fixture.enter(line)
        #expect(fixture.errands.isEmpty && fixture.state.place.openID == Fixture.bob)
        #expect(fixture.text.contains("No contact is called Bob "))
    }

    @Test(
        "a name in quotes, and one with more blanks, is found",
        arguments: ["\"Bob Builder\"", "bob  builder", "BOB BUILDER"])
    func blanks(name: String) {
        var fixture = Self.bobs()
        fixture.enter("/msg \(name) hello")
        #expect(fixture.errands == [.call(.send("hello", to: Fixture.bob))])
        fixture.enter("/rename \(name) Carl")
        #expect(fixture.errands == [.rename(Fixture.bob, to: "Carl")])
    }

    @Test("/export is about the contact that is named, and writes to a path that is one")
    func export() {
        var fixture = Self.bobs()
        fixture.enter("/export Bob Builder /tmp/x.txt")
        #expect(
            fixture.questions == [
                .command(ProgramCommand(["export", "Bob Builder", "--format", "text", "-o", "/tmp/x.txt"]))
            ])
        for line in ["/export bob", "/export Bob Builder2 /tmp/x.txt", "/export bob /tmp/my file.json"] {
            fixture.enter(line)
            #expect(fixture.questions.isEmpty, "\(line)")
        }
    }

    @Test(
        "words that a command does not know are not dropped",
        arguments: [
            "/limit up 500 k", "/autoaccept bob on 20 M", "/mute bob 2 h", "/backup /tmp/my backup.sqlite",
            "/import /tmp/my file.json", "/back now", "/mute bob off now",
            "/close bob", "/version 2", "/quit now",
        ])
    func furtherWords(line: String) {
        var fixture = Self.bobs()
        fixture.enter(line)
        #expect(fixture.errands.isEmpty && fixture.questions.isEmpty)
        #expect(
            fixture.text.contains("what is \"") && fixture.state.place.openID != nil && !fixture.state.ending.isQuitting
        )
    }

    @Test("an away text that is too long is said to be one")
    func longAway() {
        var fixture = Self.bobs()
        fixture.enter("/away " + String(repeating: "x", count: 257))
        #expect(fixture.errands.isEmpty && fixture.text.contains("too long: 257 bytes,"))
        fixture.enter("/away " + String(repeating: "x", count: 256))
        #expect(fixture.errands.count == 1)
    }

    @Test("a name that nobody can have goes neither to the chat nor into the settings")
    func badOwnName() {
        for name in ["\"\"", "A\u{202E}b", String(repeating: "x", count: 65)] {
            var fixture = Self.bobs()
            fixture.enter("/nick \(name)")
            #expect(fixture.errands.isEmpty && fixture.text.contains("cannot be a name"), "\(name)")
        }
    }

    @Test("a word that is no number is no folder to accept a file into", arguments: ["alles", "Alice", "1x"])
    func accept(word: String) {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.send(
            .chat(
                .messageAdded(
                    Fixture.fileMessage(
                        Fixture.transfer(30, .incoming, "a.txt", size: 5, .offered), position: 130,
                        at: Fixture.time(21, 9, 6)))))
        fixture.enter("/accept \(word)")
        #expect(fixture.errands.isEmpty && fixture.text.contains("\(word) is not a transfer"))
    }

    @Test(
        "a number that is no place in the list is nobody",
        arguments: ["-9223372036854775808", "0", "99999999999999999999"])
    func numbers(number: String) {
        var fixture = Self.bobs()
        fixture.enter("/query \(number)")
        #expect(fixture.text.contains("No contact is called"))
    }

    @Test(
        "a line of before that is only looked at is no draft: the typed one is stored, comes back and outlives sending")
    func recalled() {
        var fixture = Self.bobs()
        fixture.enter("sent before")
        fixture.type("the draft")
        fixture.press("Up")
        #expect(fixture.state.composer.input.text == "sent before")
        fixture.advance(.seconds(2))
        #expect(fixture.errands.contains(.call(.setDraft("the draft", for: Fixture.bob))))
        #expect(!fixture.errands.contains(.call(.setDraft("sent before", for: Fixture.bob))))
        fixture.press("Alt-1", "Alt-2")
        #expect(fixture.state.composer.input.text == "the draft")
        fixture.press("Up", "Enter")
        #expect(
            fixture.errands.last == .call(.send("sent before", to: Fixture.bob))
                || fixture.errands.contains(.call(.send("sent before", to: Fixture.bob))))
        #expect(fixture.state.composer.input.text == "the draft")
        fixture.press("Up")
        fixture.type("!")
        fixture.press("Ctrl-u", "Ctrl-y")
        #expect(fixture.state.composer.killRing.newest == "sent before!")
    }

    @Test("news do not hide a question that the next key answers; any other key still withdraws it")
    func question() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("Esc", "d")
        let asked = fixture.state.place.status?.text
        fixture.send(.chat(.requestsChanged([])))
        fixture.send(.done(.call(.setOwnName("x")), .nothing))
        #expect(fixture.state.place.status?.text == asked)
        fixture.advance(.milliseconds(500))
        fixture.press("k", "j")
        fixture.effects = []
        fixture.press("d")
        #expect(fixture.errands.isEmpty && fixture.text.contains("Delete this message"))
    }

    @Test("the contact under the cursor of a list is meant, whoever comes or goes", arguments: [true, false])
    func picker(isGone: Bool) {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("Esc", "f")
        fixture.press("Down", "Down")
        let chosen = fixture.state.place.overlay?.pane.contactUnderCursor(in: fixture.state)
        #expect(chosen == Fixture.carol)
        var left = fixture.state.world.chats.map(\.conversation).filter { $0.peer.id != Fixture.bob }
        if isGone { left.removeAll { $0.peer.id == Fixture.carol } }
        fixture.send(.answer(.conversations(left)))
        fixture.effects = []
        fixture.press("Enter")
        // The question is answered.
        fixture.advance(.milliseconds(500))
        fixture.press("Enter")
        let sent = fixture.errands.compactMap { if case .send(let contact, _, nil)? = $0.call { contact } else { nil } }
        #expect(sent == (isGone ? [] : [Fixture.carol]))
    }

    @Test(
        "a message that was deleted or changed while its list was open is not forwarded as it was",
        arguments: [true, false])
    func forwarded(isDeleted: Bool) throws {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("Esc", "f")
        var message = try #require(
            fixture.state.place.browse.flatMap { browse in
                fixture.state.openChat?.window.message(.id(browse.selected.id))
            })
        if isDeleted { message.isRetracted = true } else { message.content = .text("changed") }
        fixture.send(.chat(.messageChanged(message)))
        fixture.effects = []
        fixture.press("Enter")
        fixture.advance(.milliseconds(500))
        fixture.press("Enter")
        let texts = fixture.errands.compactMap { if case .send(_, let text, nil)? = $0.call { text } else { nil } }
        #expect(texts == (isDeleted ? [] : ["changed"]))
    }

    @Test("Enter before the answer to what is typed now waits for it, and does not jump to an earlier hit")
    func earlyEnter() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("Alt-s")
        fixture.type("a")
        guard case .ask(.search(let first, let one))? = fixture.effects.last else {
            Issue.record("nothing is searched")
            return
        }
        let hit = { (number: Int) in SearchResult(hits: [Fixture.history[number]], searched: 9, isTruncated: false) }
        fixture.send(.answer(.search(first, generation: one, hit(0), took: .zero)))
        fixture.type("b")
        guard case .ask(.search(let second, let two))? = fixture.effects.last else {
            Issue.record("nothing is searched")
            return
        }
        fixture.press("Enter")
        #expect(fixture.state.place.overlay != nil)
        fixture.send(.answer(.search(second, generation: two, hit(3), took: .zero)))
        #expect(fixture.state.place.overlay == nil)
        #expect(fixture.state.openChat?.window.highlight == Fixture.history[3].key)
    }

    @Test("browse mode keeps the message that its keys act on in sight while news come")
    func browsed() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("Esc")
        let selected = fixture.state.place.browse?.selected.id
        for number in 0..<40 as Range<Int64> {
            let news = Fixture.message(500 + number, .incoming, "news \(number)", at: Fixture.time(21, 9, 8))
            fixture.send(.chat(.messageAdded(news)))
        }
        #expect(fixture.state.place.browse?.selected.id == selected)
        #expect(!fixture.text.contains("news 39"))
    }

    @Test("the only key that leads back cannot be taken away")
    func escape() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("/unbind Esc")
        #expect(fixture.text.contains("Esc is the only key that goes back from lists"))
        fixture.press("Alt-s", "Esc")
        #expect(fixture.state.place.overlay == nil)
    }

    @Test("a pasted command asks before it is carried out, as any paste does")
    func pastedCommand() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.send(.input(.paste("/msg bob first\nsecond")))
        fixture.effects = []
        fixture.press("Enter")
        #expect(fixture.errands.isEmpty)
        fixture.press("Enter")
        #expect(fixture.errands.contains(.call(.send("first\nsecond", to: Fixture.bob))))
    }

    @Test(
        "the port of a link is no part of its last label",
        arguments: [
            ("http://пример.рф:8080/x", "http://xn--e1afmkfd.xn--p1ai:8080/x"), ("http://a.de:80", "http://a.de:80"),
            ("http://[::1]:80/", "http://[::1]:80/"),
        ])
    func port(text: String, uri: String) {
        #expect(Link(text).terminalURI == uri)
    }

    @Test("who was muted or blocked meanwhile is not told of any more", arguments: [true, false])
    func muted(blocks: Bool) {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.state.surface.set(\.desktop, to: .osc9)
        fixture.press("Alt-2")
        for number in 0..<3 as Range<Int64> {
            fixture.send(
                .chat(.messageAdded(Fixture.message(600 + number, .incoming, "x", at: Fixture.time(21, 9, 8)))))
        }
        if blocks {
            fixture.state.world.chats[0].set(\.peer.isBlocked, to: true)
        } else {
            fixture.state.world.chats[0].set(\.peer.mutedUntil, to: .endless)
        }
        fixture.effects = []
        fixture.advance(.seconds(30))
        #expect(!fixture.effects.contains { if case .terminal(.notify) = $0 { true } else { false } })
    }

    @Test("the unread line counts from the first message that was not seen, not from an older line")
    func unreadLine() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        func come(_ number: Int64) {
            fixture.send(
                .chat(.messageAdded(Fixture.message(700 + number, .incoming, "n\(number)", at: Fixture.time(21, 9, 8))))
            )
        }
        fixture.press("Alt-s")
        come(1)
        come(2)
        fixture.press("Esc")
        come(3)
        fixture.press("Alt-s")
        come(4)
        fixture.press("Esc")
        #expect(fixture.state.openChat?.window.unreadLine?.count == 1)
        #expect(fixture.text.contains("── 1 new"))
    }

    @Test("keys that were half typed do not swallow what comes after a paste", arguments: ["Ctrl-x", "Ctrl-v"])
    func halfTyped(key: String) {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press(key)
        fixture.send(.input(.paste("pasted")))
        fixture.type("hi")
        #expect(fixture.state.composer.input.text == "pastedhi")
    }

    @Test("a setting that deletes messages asks first")
    func keep() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        func enter(_ line: String, asks request: SettingsRequest) {
            fixture.effects = []
            fixture.enter(line)
            #expect(fixture.errands == [.settings(request)])
            fixture.send(.done(.settings(request), .settings(.question)))
            #expect(fixture.text.contains("This deletes messages older than that"))
        }
        enter("/set history.keep 30", asks: .set(key: "history.keep", words: "30"))
        // Another one is asked about again.
        enter("/set keep 3", asks: .set(key: "keep", words: "3"))
        fixture.effects = []
        fixture.enter("/set keep 3")
        #expect(fixture.errands == [.settings(.confirmed(.set(key: "keep", words: "3")))])
        enter("/unset contact.Bob.keep", asks: .unset(key: "contact.Bob.keep"))
        fixture.enter("/version")
        enter("/unset contact.Bob.keep", asks: .unset(key: "contact.Bob.keep"))
    }

    @Test("a setting for somebody who is no contact is a slip; one with the sign of the file is none")
    func owners() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.effects = []
        fixture.enter("/set contact.nobody.notify off")
        #expect(fixture.errands.isEmpty && fixture.text.contains("No contact is called nobody (/contacts lists them)"))
        fixture.enter("/set contact.\"bob\".notify off")
        #expect(fixture.errands == [.settings(.set(key: "contact.\"bob\".notify", words: "off"))])
        fixture.effects = []
        fixture.enter("/set ui.hints = false")
        #expect(fixture.errands == [.settings(.set(key: "ui.hints", words: "false"))])
    }

    @Test("what a key has switched stays when another setting is changed")
    func mouse() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("Alt-m")
        let isOn = fixture.state.surface.settings.mouse
        var settings = ScreenSettings()
        settings.hints = false
        fixture.effects = []
        fixture.send(.done(.settings(.reload), .settings(SettingsReply([], settings: settings))))
        #expect(fixture.state.surface.settings.mouse == isOn && !fixture.state.surface.settings.hints)
        #expect(!fixture.effects.contains { if case .terminal(.mouse) = $0 { true } else { false } })
    }

    @Test("what is too long for the clipboard is not said to be copied")
    func clipboard() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        for number in 0..<2 as Range<Int64> {
            let text = String(repeating: "x", count: 50_000)
            fixture.send(
                .chat(.messageAdded(Fixture.message(800 + number, .incoming, text, at: Fixture.time(21, 9, 8)))))
        }
        fixture.press("Esc", "v", "k")
        fixture.effects = []
        fixture.press("y")
        #expect(!fixture.effects.contains { if case .terminal(.copy) = $0 { true } else { false } })
        #expect(fixture.text.contains("Too much for the terminal's clipboard"))
    }

    @Test("a range that goes beyond what is loaded says that only a part of it is selected")
    func range() {
        let long = (1...900 as ClosedRange<Int64>).map {
            Fixture.message($0, .incoming, "line \($0)", at: Fixture.time(20, 10, 0))
        }
        var fixture = Fixture(
            columns: 80, rows: 24, conversations: [Fixture.conversation(Fixture.alice, "Alice", readUpTo: 900)])
        fixture.effects = fixture.state.world.chats[0].window.paging.request.map { [.ask(.page($0))] } ?? []
        fixture.answerPages(from: long)
        fixture.press("Esc", "v", "k")
        #expect(fixture.text.contains("2 selected (y copy"))
        fixture.press("g")
        for _ in 0..<4 { fixture.answerPages(from: long) }
        #expect(fixture.text.contains("selected, the rest is not loaded"))
    }

    @Test("an answer that begins with two slashes means the same after a restart")
    func answerDraft() {
        let composing = Composing.reply(to: Fixture.history[0])
        for line in ["//usr/bin", "/usr", "/away lunch", "//me x", "a\nb"] {
            #expect(Composing.parts(ofDraft: composing.draft(line, keepsLines: true))?.text == line)
        }
        // Among the typed lines it is a command, whose text has no sign of its own.
        let typed = Composing.typed(InputLine("//usr/bin"), answering: Fixture.history[0])
        #expect(typed == "/reply #\(Fixture.history[0].id.short) /usr/bin")
    }

    @Test("the go-to list has every contact, and draws those that are seen, with their numbers")
    func manyContacts() {
        let conversations = (1...300 as ClosedRange<Int64>).map {
            Fixture.conversation(ContactID($0), "Contact \($0)", readUpTo: 1000)
        }
        var fixture = Fixture(columns: 80, rows: 24, conversations: conversations)
        fixture.press("Alt-k")
        #expect(fixture.text.contains("1 Contact 1 ") && !fixture.text.contains("Contact 300"))
        for _ in 0..<299 { fixture.press("Down") }
        #expect(fixture.text.contains("300 Contact 300"))
        fixture.press("Enter")
        #expect(fixture.state.place.openID == ContactID(300))
    }
}
