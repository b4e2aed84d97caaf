// The input beside plain editing: pastes, Ctrl-r, Ctrl-v, the editor, aliases, keys bound at run time, emoji by name.

import ChatCore
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Writing")
struct WritingTests {
    private typealias Fixture = ScreenFixture

    private static func lines(_ count: Int) -> String {
        (1...count).map { "line \($0)" }.joined(separator: "\n")
    }

    // MARK: Pastes

    @Test("the hint about a paste says what Enter does, and goes with a draft that is sent as a file")
    func pasteHint() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.send(.input(.paste(Self.lines(2))))
        #expect(fixture.text.contains("2 lines, one draft: Enter twice sends them as one message"))
        fixture.press("Ctrl-c")
        #expect(!fixture.text.contains("one draft"))
        fixture.send(.input(.paste(Self.lines(30))))
        #expect(fixture.text.contains("30 lines, one draft: Enter twice sends it, Ctrl-t sends a file"))
        fixture.press("Ctrl-t")
        #expect(fixture.state.composer.input.isEmpty && !fixture.text.contains("one draft"))
    }

    @Test("what is typed while no chat is open is kept when one is opened, beside that chat's own draft")
    func lobbyLine() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.type("for Alice")
        fixture.press("Alt-2")
        fixture.enter("/close")
        fixture.type("for nobody yet")
        fixture.press("Alt-1")
        #expect(fixture.state.composer.input.text == "for Alice")
        #expect(fixture.text.contains("Your line is safe: Ctrl-y brings it back"))
        fixture.press("Ctrl-y")
        #expect(fixture.state.composer.input.text == "for Alicefor nobody yet")
    }

    @Test("what is typed before the chats are read stays in the input when the first of them opens")
    func earlyLine() {
        var fixture = Fixture(columns: 80, rows: 24)
        fixture.state.world = World(identity: fixture.state.world.identity)
        fixture.type("quick")
        fixture.send(.answer(.conversations([Fixture.conversation(Fixture.bob, "Bob")])))
        #expect(fixture.state.place.openID == Fixture.bob && fixture.state.composer.input.text == "quick")
        fixture.send(.answer(.draft(Fixture.bob, "from yesterday")))
        #expect(
            fixture.state.composer.input.text == "quick" && fixture.state.composer.killRing.newest == "from yesterday")
        #expect(fixture.text.contains("Your earlier draft is safe: Ctrl-y brings it back"))
    }

    @Test("a paste of several lines is one draft; Enter asks once, then sends one message")
    func paste() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.effects = []
        fixture.send(.input(.paste(Self.lines(3))))
        #expect(fixture.errands.isEmpty)
        fixture.effects = []
        fixture.press("Enter")
        #expect(fixture.errands.isEmpty)
        #expect(fixture.text.contains("Enter again sends them as one message"))
        fixture.press("Left")
        fixture.press("Enter")
        #expect(fixture.errands.isEmpty, "another key takes the question back")
        fixture.press("Enter")
        #expect(fixture.errands == [.call(.send(Self.lines(3), to: Fixture.alice))])
    }

    @Test("one pasted line, and lines that were typed, go out at once")
    func noQuestion() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.send(.input(.paste("only one\n")))
        fixture.effects = []
        fixture.press("Enter")
        #expect(fixture.errands.count == 1)
        fixture.type("a")
        fixture.press("Alt-Enter")
        fixture.type("b")
        fixture.effects = []
        fixture.press("Enter")
        #expect(fixture.errands == [.call(.send("a\nb", to: Fixture.alice))])
    }

    @Test("more than twenty pasted lines are offered as a file")
    func pasteAsFile() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.send(.input(.paste(Self.lines(20))))
        fixture.press("Ctrl-t")
        #expect(!fixture.errands.contains { if case .sendTextFile = $0 { true } else { false } })
        fixture = Fixture.main(columns: 80, rows: 24)
        fixture.send(.input(.paste(Self.lines(21))))
        #expect(fixture.text.contains("Ctrl-t sends a file"))
        fixture.effects = []
        fixture.press("Ctrl-t")
        let wanted = Errand.sendTextFile(Self.lines(21), name: "paste-2026-11-21-0907.txt", to: Fixture.alice)
        #expect(fixture.errands.contains(wanted))
        #expect(fixture.state.composer.input.isEmpty)
        fixture.send(.failed(wanted, .cannotWrite(path: "/x", errno: 28)))
        #expect(fixture.state.composer.input.text == Self.lines(21))
    }

    @Test("a paste that is too long for a message is offered as a file")
    func longPaste() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        let text = String(repeating: "x", count: 65_537)
        fixture.send(.input(.paste(text)))
        #expect(fixture.text.contains("Ctrl-t sends a file"))
        fixture.press("Enter")
        #expect(fixture.state.composer.input.text == text)
        fixture.effects = []
        fixture.press("Ctrl-t")
        #expect(fixture.errands.contains { if case .sendTextFile(text, _, _) = $0 { true } else { false } })
        #expect(fixture.state.composer.input.isEmpty)
    }

    @Test(
        "of a paste into a filter or a question no more is taken than a line", arguments: ["Alt-x", "Alt-k", "Alt-s"])
    func pasteIntoOverlay(key: String) {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press(key)
        for _ in 0..<3 { fixture.send(.input(.paste(String(repeating: "tm", count: 1 << 19)))) }
        #expect(fixture.state.place.overlay != nil)
        #expect(!fixture.text.isEmpty)
    }

    @Test("a paste is undone as one change")
    func undoPaste() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.type("ab")
        fixture.send(.input(.paste("x\ny")))
        fixture.press("Ctrl-_")
        #expect(fixture.state.composer.input.text == "ab")
    }

    // MARK: Typed lines

    @Test("Ctrl-r finds what was typed; Enter takes the line and sends nothing; undo brings the draft back")
    func searchTyped() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        for line in ["the build is red", "lunch?", "the build is green"] { fixture.enter(line) }
        fixture.type("half")
        fixture.press("Ctrl-r")
        fixture.type("BUILD")
        #expect(fixture.text.contains("the build is red"))
        #expect(!fixture.text.contains("lunch?"))
        fixture.press("Ctrl-r")
        fixture.effects = []
        fixture.press("Enter")
        #expect(fixture.state.composer.input.text == "the build is red")
        #expect(fixture.errands.allSatisfy { if case .send? = $0.call { false } else { true } })
        fixture.press("Ctrl-_")
        #expect(fixture.state.composer.input.text == "half")
    }

    @Test("Esc leaves Ctrl-r with the draft as it was")
    func leaveSearch() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("one")
        fixture.type("half")
        fixture.press("Ctrl-r", "o", "Esc")
        #expect(fixture.state.composer.input.text == "half")
        #expect(fixture.state.place.overlay == nil)
    }

    @Test("entered lines are kept for the next run, `history` of them, each once in a row")
    func keeps() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.state.surface.set(\.historyCount, to: 2)
        fixture.enter("one")
        #expect(fixture.effects.contains(.keepLine("one")))
        fixture.enter("one")
        #expect(!fixture.effects.contains(.keepLine("one")))
        fixture.enter("two")
        fixture.enter("three")
        #expect(fixture.state.composer.history.lines == ["two", "three"])
        fixture.state.surface.set(\.historyCount, to: 0)
        fixture.enter("four")
        #expect(!fixture.effects.contains(.keepLine("four")))
    }

    // MARK: Keys

    @Test(
        "Ctrl-v types the next key as it is",
        arguments: [("Enter", "\n"), ("Tab", "\t"), ("Ctrl-a", "\u{1}"), ("Alt-a", "a"), ("Esc", "\u{1B}"), ("/", "/")])
    func literal(key: String, text: String) {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.effects = []
        fixture.press("x", "Ctrl-v", key, "y")
        #expect(fixture.state.composer.input.text == "x\(text)y")
        #expect(fixture.errands.allSatisfy { if case .setTyping? = $0.call { true } else { false } })
        _ = fixture.canvas
    }

    @Test("with enter=newline Enter breaks the line, and the keys of the newline send")
    func enterIsNewline() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.state.surface.set(\.enter, to: .newline)
        fixture.press("a", "Enter", "b")
        fixture.effects = []
        fixture.press("Alt-Enter")
        #expect(fixture.errands.contains(.call(.send("a\nb", to: Fixture.alice))))
        let items = CommandItem.all(fixture.state.surface.keymap)
        #expect(items.contains { $0.label == "Enter" && $0.title == "new line" })
    }

    @Test("up_edits_last edits the last own text, whatever it begins with, on an empty line only")
    func upEditsLast() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("Up")
        #expect(fixture.state.composer.input.isEmpty)
        fixture.state.surface.set(\.upEditsLast, to: true)
        fixture.press("Up")
        #expect(fixture.state.composer.input.text == "(kept on disk until alice is reachable)")
        #expect(fixture.text.contains("edit> (kept on disk"))
        fixture.press("Esc")
        let own = Fixture.message(30, .outgoing, "2 beers", at: Fixture.time(21, 9, 7))
        fixture.send(.chat(.messageAdded(own)))
        fixture.press("Up")
        fixture.type(" please")
        fixture.press("Enter")
        #expect(fixture.errands.last == .call(.edit(own, to: "2 beers please")))
        fixture.state.composer.write(InputLine("typed"))
        fixture.press("Up")
        #expect(fixture.state.openChat?.composing == nil)
    }

    @Test("the editor gets the draft and gives it back; what fails leaves the draft alone", arguments: ["Alt-e", nil])
    func editor(key: String?) {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.type("half")
        if let key { fixture.press(key) } else { fixture.press("Ctrl-x", "Ctrl-e") }
        #expect(fixture.effects.contains(.edit("half")))
        fixture.send(.edited(.failed("vi was not found")))
        #expect(fixture.state.composer.input.text == "half")
        #expect(fixture.text.contains("vi was not found"))
        fixture.send(.edited(.text("half\nand more")))
        #expect(fixture.state.composer.input.text == "half\nand more")
        fixture.press("Ctrl-_")
        #expect(fixture.state.composer.input.text == "half")
    }

    @Test("emoji are completed by name behind a colon")
    func emoji() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.type("well :rocke")
        fixture.press("Tab")
        #expect(fixture.state.composer.input.text == "well 🚀 ")
        fixture.state.composer.write(InputLine("at 10:30"))
        fixture.press("Tab")
        #expect(fixture.state.composer.input.text == "at 10:30")
    }

    // MARK: Slash commands

    @Test("Up and Down go by the rows that are seen, before they leave the line for those of before")
    func rows() {
        var fixture = Fixture.main(columns: 40, rows: 24)
        fixture.press("Ctrl-u")
        fixture.enter("/version")
        // A row has 38 columns behind `> `.
        let words = String((0..<80).map { index in Character(Unicode.Scalar(UInt8(97 + index % 26))) })
        fixture.type(words)
        fixture.press("Left")
        #expect(fixture.state.composer.input.cursor == 79)
        fixture.press("Up")
        #expect(fixture.state.composer.input.cursor == 41 && fixture.state.composer.input.text == words)
        fixture.press("Up", "Down", "Up")
        #expect(fixture.state.composer.input.cursor == 3)
        fixture.press("Up")
        #expect(fixture.state.composer.input.text == "/version")
        fixture.press("Down")
        #expect(fixture.state.composer.input.text == words)
        // Wide characters, and a line that was ended.
        fixture.press("Ctrl-u")
        fixture.send(.input(.paste(String(repeating: "\u{4E2D}", count: 20) + "\nab")))
        fixture.press("Up")
        #expect(fixture.state.composer.input.cursor == 20, "behind the only one of its row")
        fixture.press("Up")
        #expect(fixture.state.composer.input.cursor == 1)
        fixture.press("Down", "Down")
        #expect(fixture.state.composer.input.cursor == 23)
    }

    @Test("/bind binds, shows and lists; /unbind takes away; mistakes are said")
    func bind() {
        var fixture = Fixture.main(columns: 120, rows: 40)
        fixture.enter("/bind Alt-j next-unread")
        #expect(fixture.errands.contains(.settings(.set(key: "keys.Alt-j", words: "next-unread"))))
        fixture.press("Alt-j")
        #expect(fixture.state.place.openID == Fixture.bob)
        fixture.press("Alt-1")
        fixture.enter("/bind Alt-j")
        #expect(fixture.text.contains("Alt-j  next-unread"))
        fixture.enter("/unbind Alt-j")
        // Nothing of the table was at that key: nothing of it stays in the file.
        #expect(fixture.errands.last == .settings(.unset(key: "keys.Alt-j")))
        fixture.press("Alt-1", "Alt-j")
        #expect(fixture.state.place.openID == Fixture.alice)
        fixture.enter("/unbind Alt-j")
        #expect(fixture.text.contains("Alt-j did nothing"))
        fixture.enter("/unbind Alt-t")
        #expect(fixture.errands.last == .settings(.set(key: "keys.Alt-t", words: "\"\"")))
        fixture.press("Alt-t")
        #expect(fixture.state.place.overlay == nil)
        fixture.enter("/bind")
        #expect(fixture.text.contains("All keys"))
        fixture.type("/")
        fixture.type("browse:y")
        #expect(fixture.text.contains("browse:y  copy"))
        fixture.press("Esc", "Esc")
        fixture.enter("/bind Alt-j next-unraed")
        #expect(fixture.text.contains("did you mean next-unread?"))
        fixture.enter("/bind \"Ctrl-x q\" quit")
        fixture.enter("/bind Ctrl-x")
        #expect(fixture.text.contains("starts Ctrl-x Ctrl-e  editor") && fixture.text.contains("starts Ctrl-x q  quit"))
        fixture.press("Ctrl-x", "q")
        #expect(fixture.effects.contains(.quit))
    }

    @Test("/bind says which sequences a key takes away that begins them")
    func hidesSequences() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("/bind Ctrl-x next-unread")
        #expect(fixture.text.contains("No longer on any key: Ctrl-x Ctrl-e  editor"))
    }

    @Test("what was said while no chat was open stands in the chat that opens before what came later")
    func earlierNotices() throws {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("/close")
        fixture.enter("/version")
        fixture.advance(.seconds(60))
        var history = Fixture.history
        var later = Fixture.message(900, .incoming, "later", at: fixture.moment.wall)
        later.stored = fixture.moment.wall
        history.append(later)
        fixture.state.world.chats[0].window = ChatWindow()
        fixture.press("Alt-1")
        fixture.answerPages(from: history)
        let text = fixture.text
        let said = try #require(text.firstRange(of: "-- blipchat"))
        let message = try #require(text.firstRange(of: "later"))
        #expect(said.lowerBound < message.lowerBound)
        #expect(fixture.state.openChat?.window.isAtBottom == true)
    }

    @Test(
        "/bind refuses what can never be pressed",
        arguments: [
            ("\"Ctrl-a b\" quit", "Ctrl-a alone is line-start"), ("\"Esc x\" quit", "bind Alt-x"),
            ("\"Ctrl-x Ctrl-e b\" quit", "Ctrl-x Ctrl-e alone"),
        ])
    func unreachable(binding: String, words: String) {
        var fixture = Fixture.main(columns: 120, rows: 40)
        fixture.enter("/bind \(binding)")
        #expect(fixture.text.contains(words) && fixture.errands.isEmpty && fixture.state.surface.settings.keys.isEmpty)
    }

    @Test("/bind says when few terminals can send a key, and a key that begins a sequence of the table ends it")
    func seldom() {
        var fixture = Fixture.main(columns: 120, rows: 40)
        fixture.enter("/bind Ctrl-1 quit")
        #expect(fixture.text.contains("Few terminals can send Ctrl-1"))
        fixture.enter("/bind Ctrl-x palette")
        #expect(fixture.text.contains("Ctrl-x: palette"))
        fixture.press("Ctrl-x")
        #expect(fixture.state.place.overlay?.pane.keyContext == .list)
        #expect(fixture.state.surface.keymap.label(of: .editor) == "Alt-e")
        #expect(!fixture.state.surface.keymap.bindings.contains { $0.keys.contains("Ctrl-x Ctrl-e") })
        fixture.press("Esc")
        fixture.enter("/bind \"Ctrl-o a\" send")
        fixture.enter("/bind Ctrl-o quit")
        #expect(fixture.text.contains("Ctrl-o would wait for longer keys"))
    }

    @Test("a name of several words is completed whole, and what opens a word is no part of it")
    func completePhrases() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.state.world.chats[1].set(\.peer.name, to: "Bob Builder")
        fixture.type("ask Bob Bu")
        fixture.press("Tab")
        #expect(fixture.state.composer.input.text == "ask Bob Builder ")
        fixture.press("Ctrl-c")
        fixture.type("/query bob bu")
        fixture.press("Tab")
        #expect(fixture.state.composer.input.text == "/query \"Bob Builder\" ")
        for (typed, whole) in [
            ("/query Bob  Bu", "/query \"Bob Builder\" "), ("/forward 1 Bob Bu", "/forward 1 \"Bob Builder\" "),
            ("say \"Bob Bu", "say \"Bob Builder "), ("(Bob Bu", "(Bob Builder "),
        ] {
            fixture.press("Ctrl-c")
            fixture.type(typed)
            fixture.press("Tab")
            #expect(fixture.state.composer.input.text == whole)
        }
        fixture.press("Ctrl-c")
        fixture.type("he said \"al")
        fixture.press("Tab")
        #expect(fixture.state.composer.input.text == "he said \"\(fixture.state.world.chats[0].peer.name) ")
        fixture.press("Ctrl-c")
        fixture.type("don't ask al")
        fixture.press("Tab")
        #expect(fixture.state.composer.input.text == "don't ask \(fixture.state.world.chats[0].peer.name) ")
    }

    @Test("/bind completes the names of actions")
    func completeAction() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.type("/bind Alt-j next-un")
        fixture.press("Tab")
        #expect(fixture.state.composer.input.text == "/bind Alt-j next-unread ")
    }

    @Test("an alias runs its line with its arguments, sends a text, and is listed and forgotten")
    func alias() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("/alias w /whois")
        fixture.enter("/w bob")
        #expect(fixture.text.contains("Bob: unverified"))
        fixture.enter("/alias tell /msg $1 tell me: $2")
        fixture.enter("/tell bob when?")
        #expect(fixture.errands.contains(.call(.send("tell me: when?", to: Fixture.bob))))
        fixture.enter("/alias shrug ¯\\_(ツ)_/¯")
        fixture.enter("/shrug")
        #expect(fixture.errands.contains(.call(.send("¯\\_(ツ)_/¯", to: Fixture.alice))))
        fixture.enter("/alias")
        #expect(fixture.text.contains("/w  /whois"))
        fixture.enter("/alias w -")
        fixture.enter("/w bob")
        #expect(fixture.errands.isEmpty)
        #expect(fixture.state.composer.input.text == "/w bob")
    }

    @Test(
        "an alias cannot take the place of a command, nor stand for none",
        arguments: ["quit /whois", "x /whoisx", "a/b /quit"])
    func badAlias(words: String) {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("/alias \(words)")
        #expect(fixture.state.surface.settings.aliases.isEmpty)
    }

    @Test(
        "arguments of an alias stand where $1 and $* are, else behind",
        arguments: [
            ("/msg bob", "hi", "/msg bob hi"), ("/msg $1 re: $2", "bob \"a b\"", "/msg bob re: a b"),
            ("/me says $*", "a  b", "/me says a  b"), ("cost: $5", "", "cost: "), ("$", "x", "$ x"),
        ])
    func expand(line: String, arguments: String, expected: String) {
        #expect(SlashAlias.expand(line, arguments: arguments) == expected)
    }

    @Test("/plain sends what it is given, whatever it looks like")
    func plain() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("/plain /me is not a command here")
        #expect(fixture.errands.contains(.call(.send(" /me is not a command here", to: Fixture.alice))))
    }
}
