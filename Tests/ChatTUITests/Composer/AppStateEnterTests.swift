// A line goes where it was typed for, and nothing that was typed is lost on the way: keys that are bound, edits and
// answers that are begun and given up, line mode, pastes that were taken back, a program that is about to end.

import ChatCore
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("What becomes of a typed line")
struct AppStateEnterTests {
    private typealias Fixture = ScreenFixture

    private static func own(_ text: String, _ position: Int64 = 30) -> ChatMessage {
        Fixture.message(position, .outgoing, text, at: Fixture.time(21, 9, 7))
    }

    /// The main screen with a newest message of ours.
    private static func screen(_ text: String) -> Fixture {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.send(.chat(.messageAdded(own(text))))
        return fixture
    }

    @Test("a key that is bound to /query or /close leaves the half-typed line with its chat", arguments: [true, false])
    func boundKey(opens: Bool) {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.state.surface.set(\.keys, to: ["F9": opens ? "/query bob" : "/close"])
        fixture.type("for alice")
        fixture.press("F9")
        #expect(fixture.state.place.openID == (opens ? Fixture.bob : nil) && fixture.state.composer.input.isEmpty)
        fixture.press("Alt-1")
        #expect(fixture.state.place.openID == Fixture.alice && fixture.state.composer.input.text == "for alice")
    }

    @Test("a key that is bound to a text sends it beside the half-typed line, and to nobody who is blocked")
    func boundText() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.state.surface.set(\.keys, to: ["F9": "//on my way"])
        fixture.type("half")
        fixture.effects = []
        fixture.press("F9")
        #expect(
            fixture.errands == [.call(.send("/on my way", to: Fixture.alice))]
                && fixture.state.composer.input.text == "half")
        // Nor is what the input is about touched.
        fixture.state.surface.set(\.keys, to: ["F9": "/plain on my way"])
        fixture.press("Esc", "r")
        fixture.effects = []
        fixture.press("F9")
        #expect(
            fixture.errands == [.call(.send("on my way", to: Fixture.alice))]
                && fixture.state.composer.input.text == "half")
        #expect(fixture.state.openChat?.composing != nil)
        fixture.press("Esc")
        fixture.state.world.chats[0].set(\.peer.isBlocked, to: true)
        fixture.effects = []
        fixture.press("F9")
        #expect(fixture.errands.isEmpty && fixture.text.contains("is blocked"))
    }

    @Test("the end of the program stores each draft again, and keeps an edit whose place a draft has")
    func leaving() {
        var fixture = Self.screen("old")
        fixture.type("draft")
        fixture.advance(.seconds(2))
        fixture.press("Alt-2")
        fixture.type("for bob")
        fixture.advance(.seconds(2))
        fixture.effects = []
        fixture.press("Ctrl-q")
        // Another screen of this home may have emptied it by sending.
        #expect(
            fixture.errands.filter(\.isDraft).sorted { "\($0)" < "\($1)" }
                == [.call(.setDraft("draft", for: Fixture.alice)), .call(.setDraft("for bob", for: Fixture.bob))])
        #expect(fixture.kept.isEmpty)

        fixture = Self.screen("old")
        fixture.type("draft")
        fixture.press("Esc", "e")
        fixture.type(" and new")
        // Both are kept from the first moment on: a crash asks nobody.
        #expect(fixture.kept == ["draft"])
        fixture.effects = []
        fixture.press("Ctrl-q")
        let edit = "/edit #\(Self.own("old").id.short) old and new"
        #expect(fixture.errands.filter(\.isDraft) == [.call(.setDraft(edit, for: Fixture.alice))])

        // The same in a chat that was left.
        fixture = Self.screen("old")
        fixture.type("draft")
        fixture.press("Esc", "e")
        fixture.type(" and new")
        fixture.press("Alt-2")
        #expect(fixture.kept == ["draft"])
        fixture.effects = []
        fixture.press("Ctrl-q")
        #expect(fixture.errands.filter(\.isDraft) == [.call(.setDraft(edit, for: Fixture.alice))])

        // What the other screen has stored, and perhaps sent since, is not stored again.
        fixture = Fixture.main(columns: 80, rows: 24)
        fixture.state.world = fixture.state.world.onSecondScreen()
        fixture.send(.answer(.draft(Fixture.alice, "theirs")))
        fixture.effects = []
        fixture.press("Ctrl-q")
        #expect(fixture.errands.filter(\.isDraft).isEmpty && fixture.kept.isEmpty)

        fixture = Self.screen("old")
        fixture.state.world = fixture.state.world.onSecondScreen()
        fixture.type("mine")
        fixture.effects = []
        fixture.press("Ctrl-q")
        #expect(fixture.kept == ["mine"], "the first screen may leave another draft")
    }

    @Test("in line mode a command that leaves the chat takes no draft along, and none away")
    func lineMode() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.send(.answer(.draft(Fixture.alice, "kept")))
        fixture.effects = []
        fixture.send(.line("/query bob"))
        fixture.advance(.seconds(2))
        #expect(fixture.state.place.openID == Fixture.bob && fixture.state.composer.input.isEmpty)
        #expect(
            !fixture.errands.contains { if case .setDraft? = $0.call { true } else { false } }, "\(fixture.errands)")
        fixture.send(.line("/query alice"))
        #expect(fixture.state.composer.input.text == "kept")
        fixture.send(.line("hello"))
        #expect(
            fixture.errands.last == .call(.send("hello", to: Fixture.alice))
                && fixture.state.composer.input.text == "kept")
    }

    @Test("in line mode what answers no question about a number is not sent either", arguments: ["later", "no", ""])
    func decidesLater(line: String) {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.send(.line("/verify"))
        fixture.send(.answer(.safetyNumber(Fixture.alice, Fixture.safetyNumber)))
        fixture.effects = []
        fixture.send(.line(line))
        #expect(fixture.errands.isEmpty && fixture.state.place.overlay == nil)
        #expect(fixture.state.place.status?.text.contains("Nothing decided") == true)
        fixture.send(.line(line + "!"))
        #expect(fixture.errands == [.call(.send(line + "!", to: Fixture.alice))])
    }

    @Test("a text that begins like a command is edited as the text it is", arguments: ["/me waves", "/quit", "/etc"])
    func editsOfSlashes(text: String) {
        var fixture = Self.screen(text)
        fixture.press("Esc", "e")
        fixture.type("!")
        fixture.effects = []
        fixture.press("Enter")
        #expect(fixture.errands == [.call(.edit(Self.own(text), to: text + "!"))])
        #expect(!fixture.state.ending.isQuitting && fixture.state.openChat?.composing == nil)
    }

    @Test("/me is what an edit or an answer becomes; other commands are commands in one, too")
    func commandsMeanwhile() {
        var fixture = Self.screen("text")
        fixture.press("Esc", "e", "Ctrl-u")
        fixture.effects = []
        fixture.enter("/me waves")
        #expect(fixture.errands == [.call(.edit(Self.own("text"), to: "/me waves"))])
        fixture.press("Esc", "r")
        fixture.effects = []
        fixture.enter("/version")
        #expect(fixture.errands.isEmpty && fixture.state.openChat?.composing != nil)
        fixture.enter("/me nods")
        #expect(
            fixture.errands == [.call(.send("/me nods", to: Self.own("text").contact, replyTo: Self.own("text").id))])
    }

    @Test(
        "while an action is edited, other commands are commands, and a slip is no text",
        arguments: ["/qiut", "/version"])
    func slipInAnAction(line: String) {
        var fixture = Self.screen("/me sings")
        fixture.press("Esc", "e", "Ctrl-u")
        fixture.effects = []
        fixture.enter(line)
        #expect(!fixture.errands.contains { if case .edit? = $0.call { true } else { false } })
        #expect(fixture.state.openChat?.composing != nil)
    }

    @Test("an edit that changes nothing is none, and after an edit nobody is typing any more")
    func unchangedEdit() {
        var fixture = Self.screen("text")
        fixture.press("Esc", "e")
        fixture.effects = []
        fixture.press("Enter")
        #expect(fixture.errands.isEmpty && fixture.text.contains("Nothing changed"))
        fixture.press("Esc", "e")
        fixture.type("s")
        fixture.effects = []
        fixture.press("Enter")
        #expect(
            fixture.errands == [
                .call(.setTyping(false, to: Fixture.alice)), .call(.edit(Self.own("text"), to: "texts")),
            ])
    }

    @Test("what an edit interrupts comes back: the line, and what it was an answer to")
    func interruptedAnswer() throws {
        var fixture = Self.screen("text")
        fixture.press("Esc", "k", "r")
        fixture.type("half")
        let asked = try #require(fixture.state.openChat?.composing)
        var effects: [AppEffect] = []
        MessageActions.perform(.edit(nil), on: Self.own("text"), &fixture.state, &effects)
        fixture.type(" changed")
        MessageActions.perform(.edit(nil), on: Self.own("text"), &fixture.state, &effects)
        #expect(fixture.state.composer.killRing.newest == "text changed" && fixture.state.composer.input.text == "text")
        fixture.press("Esc")
        #expect(fixture.state.composer.input.text == "half" && fixture.state.openChat?.composing == asked)
    }

    @Test("the stored draft during an edit is the edit, or the line that waits for its end while nothing is changed")
    func draftDuringEdit() {
        var fixture = Self.screen("text")
        fixture.type("half")
        fixture.press("Esc", "e")
        #expect(fixture.kept == ["half"])
        fixture.effects = []
        fixture.advance(.seconds(2))
        #expect(fixture.errands.contains(.call(.setDraft("half", for: Fixture.alice))))
        fixture.type("!")
        fixture.effects = []
        fixture.advance(.seconds(2))
        #expect(
            fixture.errands.contains(.call(.setDraft("/edit #\(Self.own("text").id.short) text!", for: Fixture.alice))))
        fixture.effects = []
        fixture.press("Enter")
        fixture.advance(.seconds(2))
        #expect(
            fixture.errands.contains(.call(.setDraft("half", for: Fixture.alice)))
                && fixture.state.composer.input.text == "half")
        // What is in the input is not what Up brings back.
        fixture.press("Ctrl-u")
        fixture.type("half")
        fixture.press("Up")
        #expect(fixture.state.composer.input.text == "text!")
    }

    @Test("a paste that was taken back is neither asked about nor sent as a file")
    func undonePaste() {
        let lines = (1...30).map { "line \($0)" }.joined(separator: "\n")
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.send(.input(.paste(lines)))
        fixture.press("Ctrl-_")
        #expect(fixture.state.composer.input.isEmpty && fixture.state.composer.input.pastedLines == 0)
        fixture.effects = []
        fixture.press("Ctrl-t")
        #expect(fixture.errands.allSatisfy { if case .sendTextFile = $0 { false } else { true } })
        fixture.press("Esc")
        fixture.send(.input(.paste(lines)))
        fixture.press("Ctrl-c")
        fixture.effects = []
        fixture.enter("hi")
        #expect(fixture.errands.contains(.call(.send("hi", to: Fixture.alice))))
        // And one that comes back is asked about again.
        fixture.send(.input(.paste(lines)))
        fixture.press("Ctrl-c", "Ctrl-_")
        fixture.effects = []
        fixture.press("Enter")
        #expect(fixture.errands.allSatisfy { if case .send? = $0.call { false } else { true } })
        #expect(fixture.text.contains("30 pasted lines"))
    }

    @Test("a text of lines that could not be offered as a file comes back as the paste that it was")
    func refusedTextFile() {
        let lines = "/etc\n" + (1...30).map { "line \($0)" }.joined(separator: "\n")
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.send(.failed(.sendTextFile(lines, name: "paste.txt", to: Fixture.alice), .store(.diskFull)))
        #expect(fixture.state.composer.input.text == lines && fixture.state.composer.input.pastedLines == 31)
        fixture.press("Ctrl-c")
        fixture.send(.failed(.call(.send("/quit is a word", to: Fixture.alice)), .store(.diskFull)))
        #expect(fixture.state.composer.input.text == "//quit is a word")
        fixture.press("Ctrl-c")
        fixture.send(.failed(.call(.send("/me waves", to: Fixture.alice)), .store(.diskFull)))
        #expect(fixture.state.composer.input.text == "/me waves")
    }

    @Test("deleting is undone in one go, and what can be undone is bounded")
    func undo() {
        var line = InputLine(String(repeating: "x", count: 300_000))
        for _ in 0..<50 { line.deleteBackward() }
        line.undo()
        #expect(line.characters.count == 300_000)
        for _ in 0..<20 {
            line.insert("ab")
            line.deleteBackward()
        }
        var undone = 0
        while undone < 100 {
            let before = line
            line.undo()
            if line == before { break }
            undone += 1
        }
        #expect(undone < 5)
    }

    @Test("who is asked to wait for the end loses nothing: keys and lines do nothing any more")
    func quitting() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("Ctrl-q")
        fixture.effects = []
        fixture.type("bye")
        fixture.press("Enter")
        fixture.send(.input(.paste("x")))
        fixture.send(.line("bye"))
        #expect(fixture.effects.isEmpty && fixture.state.composer.input.isEmpty)
        #expect(fixture.text.contains("Finishing up"))
        fixture.press("Ctrl-z", "Ctrl-l")
        #expect(fixture.effects == [.suspend, .redraw])
        // A second time: not for a chat that does not answer. What it fails to take is found again by Up.
        fixture.effects = []
        fixture.press("Ctrl-q")
        #expect(fixture.effects == [.giveUp] && !fixture.state.ending.hasLeftUndone)
        fixture.send(.failed(.call(.setTyping(false, to: Fixture.alice)), .instanceLost(reason: "x")))
        #expect(!fixture.state.ending.hasLeftUndone)
        fixture.send(.failed(.call(.send("on its way", to: Fixture.alice)), .instanceLost(reason: "x")))
        #expect(fixture.effects.contains(.keepLine("on its way")) && fixture.state.ending.hasLeftUndone)
    }

    @Test("the half-typed line of a contact that was removed elsewhere is kept, and so is what an edit interrupted")
    func removedContact() {
        var fixture = Self.screen("text")
        fixture.type("half")
        fixture.press("Esc", "e")
        fixture.type(" changed")
        fixture.send(.answer(.conversations([Fixture.conversation(Fixture.bob, "Bob")])))
        #expect(fixture.state.composer.killRing.newest == "text changed")
        #expect(fixture.state.composer.killRing.entries.contains("half"))
        #expect(fixture.text.contains("Your line is safe"))
    }

    @Test("a name that is completed in a message is not quoted, one in a command is")
    func completedNames() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.send(.answer(.conversations([Fixture.conversation(Fixture.alice, "Alice B. Miller")])))
        fixture.type("hi Ali")
        fixture.press("Tab")
        #expect(fixture.state.composer.input.text == "hi Alice B. Miller ")
        fixture.press("Ctrl-u")
        fixture.type("/query Ali")
        fixture.press("Tab")
        #expect(fixture.state.composer.input.text == "/query \"Alice B. Miller\" ")
    }

    @Test("the last key that sends cannot be taken away by /unbind either")
    func lastSendingKey() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter("/bind F9 send")
        fixture.enter("/bind Enter newline")
        fixture.type("/unbind F9")
        fixture.press("F9")
        #expect(fixture.state.surface.settings.keys["F9"] == "send")
        #expect(fixture.text.contains("the only key that sends"))
    }
}

extension Errand {
    fileprivate var isDraft: Bool { if case .setDraft? = call { true } else { false } }
}

extension ScreenFixture {
    /// The lines that go into the history of what was typed.
    fileprivate var kept: [String] {
        effects.compactMap { if case .keepLine(let line) = $0 { line } else { nil } }
    }
}
