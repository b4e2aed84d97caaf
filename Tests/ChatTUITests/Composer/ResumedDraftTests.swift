// Drafts of answers and edits after a restart, and lines that could not be carried out: nothing typed is lost.

import ChatCore
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Drafts that go on")
struct ResumedDraftTests {
    private typealias Fixture = ScreenFixture

    /// The program has just started, and the store has this draft for the open chat.
    private func started(_ draft: String) -> Fixture {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("Ctrl-u")
        fixture.effects = []
        fixture.send(.answer(.draft(Fixture.alice, draft)))
        return fixture
    }

    private func retracted(_ number: Int) -> ChatMessage {
        var message = Fixture.history[number - 1]
        message.isRetracted = true
        message.content = .text("")
        return message
    }

    @Test("an answer is an answer again, and what is left of it is stored as before")
    func reply() {
        let draft = "/reply #\(Fixture.messageID(4).short) my third"
        var fixture = started(draft)
        #expect(fixture.text.contains("reply> my third"))
        #expect(fixture.text.contains("Replying to: the one from last night"))
        #expect(fixture.state.openChat?.composing?.draft("my third", keepsLines: true) == draft)
        fixture.effects = []
        fixture.press("Enter")
        #expect(
            fixture.errands.contains(
                .call(.send("my third", to: Fixture.history[3].contact, replyTo: Fixture.history[3].id))))
    }

    @Test("also when the message was deleted meanwhile: it goes out as it does without a restart")
    func replyToDeleted() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("Ctrl-u")
        fixture.send(.chat(.messageChanged(retracted(4))))
        fixture.send(.answer(.draft(Fixture.alice, "/reply #\(Fixture.messageID(4).short) my third")))
        #expect(fixture.text.contains("reply> my third") && fixture.text.contains("(deleted)"))
        fixture.effects = []
        fixture.press("Enter")
        #expect(fixture.errands.contains(.call(.send("my third", to: retracted(4).contact, replyTo: retracted(4).id))))
    }

    @Test("an edit is an edit again, while its message is there; a text with a slash stays a text")
    func edit() {
        let id = Fixture.messageID(5).short
        var fixture = started("/edit #\(id) //etc is a path")
        #expect(fixture.text.contains("edit> //etc is a path"))
        fixture.effects = []
        fixture.press("Enter")
        #expect(fixture.errands.contains(.call(.edit(Fixture.history[4], to: "/etc is a path"))))
        let reply = started("/reply #\(id) //etc is a path")
        #expect(reply.text.contains("reply> //etc is a path"))
    }

    @Test("a command that was half typed in an answer is a command again, and no text")
    func commandInReply() {
        var fixture = started("/reply #\(Fixture.messageID(4).short) /away lunch")
        #expect(fixture.text.contains("reply> /away lunch"))
        fixture.effects = []
        fixture.press("Enter")
        #expect(fixture.errands.contains(.call(.setAway("lunch"))))
        #expect(!fixture.errands.contains { if case .send(_, _, _?)? = $0.call { true } else { false } })
    }

    @Test(
        "a line with a number that is none is in the input again", arguments: ["/reply 0 a", "/edit 1", "/reply -1 x"])
    func wrongNumbers(line: String) {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("Ctrl-u")
        fixture.enter(line)
        #expect(fixture.state.composer.input.text == line)
    }

    @Test(
        "what is about no message that is there stays the line it was",
        arguments: [
            "/reply #00000000 hello", "/reply hello", "/edit 2 hello", "/me waves", "//reply #00000000 x",
        ])
    func others(draft: String) {
        var fixture = started(draft)
        if case .message(let reference, _, let action, _)? = fixture.questions.last {
            fixture.send(.answer(.message(nil, reference, Fixture.alice, action, line: nil)))
        }
        #expect(fixture.state.composer.input.text == draft && fixture.state.openChat?.composing == nil)
        #expect(fixture.state.place.status == nil)
    }

    @Test("an answer of the store that comes late changes nothing of what is typed by then")
    func late() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("Ctrl-u")
        let draft = "/reply #\(Fixture.messageID(4).short) my third"
        fixture.send(.answer(.draft(Fixture.alice, "/reply #00000000 hello")))
        fixture.type("!")
        fixture.send(
            .answer(
                .message(Fixture.history[3], .shortID("00000000"), Fixture.alice, .resume(draft: draft), line: nil)))
        #expect(
            fixture.state.composer.input.text == "/reply #00000000 hello!" && fixture.state.openChat?.composing == nil)
    }

    @Test("a line that cannot be done with its message is in the input again")
    func givenBack() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("Ctrl-u")
        fixture.send(.chat(.messageChanged(retracted(4))))
        let line = "/reply #\(Fixture.messageID(4).short) a long answer"
        fixture.enter(line)
        #expect(fixture.state.composer.input.text == line && fixture.text.contains("That message was deleted"))
        // As it was typed, whatever is kept of lines.
        fixture.press("Ctrl-u")
        fixture.state.surface.set(\.historyCount, to: 0)
        fixture.enter("/edit 99 a long text")
        #expect(fixture.state.composer.input.text == "/edit 99 a long text")
        fixture.press("Ctrl-u")
        fixture.enter("/reply -1 no line")
        #expect(fixture.state.composer.input.text == "/reply -1 no line")
    }

    @Test("a key's line that cannot be done puts nothing into the input")
    func boundLine() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("Ctrl-u")
        fixture.enter("/whois alice")
        fixture.state.surface.set(\.keys, to: ["F9": "/reply 99 thanks"])
        fixture.press("F9")
        #expect(fixture.text.contains("There are fewer than 99 messages"))
        #expect(fixture.state.composer.input.isEmpty)
    }

    @Test("a line about which the store answers late: it stands in its own chat, and takes nothing's place")
    func lateLine() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("Ctrl-u")
        let line = "/reply 500 a long answer"
        func answer() {
            fixture.send(.answer(.message(nil, .last(500, .any), Fixture.alice, .reply("a long answer"), line: line)))
        }
        fixture.type("what is typed by then")
        answer()
        #expect(fixture.state.composer.input.text == "what is typed by then")
        #expect(fixture.text.contains("Your unused line is in the kill ring"))
        fixture.press("Ctrl-a")
        fixture.press("Ctrl-y")
        #expect(fixture.state.composer.input.text == line + "what is typed by then")
        fixture.press("Ctrl-u")
        fixture.press("Ctrl-k")
        fixture.enter("/query bob")
        answer()
        #expect(fixture.state.place.openID == Fixture.bob && fixture.state.composer.input.isEmpty)
        #expect(fixture.text.contains("Nothing was done: the chat with Alice is no longer open"))
        fixture.enter("/query alice")
        #expect(fixture.state.composer.input.text == line)
    }

    // MARK: Texts that look like actions

    @Test("what is meant as it stands is no action, whatever it begins with")
    func literal() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("Ctrl-u")
        fixture.enter("//me waves")
        #expect(fixture.errands.contains(.call(.send(" /me waves", to: Fixture.alice))))
        fixture.enter("/plain /me waves")
        #expect(fixture.errands.contains(.call(.send(" /me waves", to: Fixture.alice))))
        fixture.enter("//media is a folder")
        #expect(fixture.errands.contains(.call(.send("/media is a folder", to: Fixture.alice))))
        // It stays a text when it is edited.
        let sent = Fixture.message(90, .outgoing, " /me waves", at: Fixture.time(21, 9, 6))
        fixture.send(.chat(.messageAdded(sent)))
        #expect(!fixture.text.contains("* me waves") && fixture.text.contains("/me waves"))
        fixture.press("Esc", "k", "e")
        for _ in 0..<6 where fixture.state.openChat?.composing?.message.id != sent.id {
            fixture.press("Esc", "Esc", "j", "e")
        }
        #expect(fixture.state.composer.input.text == " /me waves")
        fixture.type("!")
        fixture.effects = []
        fixture.press("Enter")
        #expect(fixture.errands.contains(.call(.edit(sent, to: " /me waves!"))))
    }

    @Test("/edit says which message it changes: it may be far away")
    func editSays() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("Ctrl-u")
        fixture.enter("/edit 2 better words")
        #expect(fixture.errands.contains { if case .edit? = $0.call { true } else { false } })
        #expect(fixture.text.contains("Editing your message of "))
    }

    // MARK: Files with words

    @Test("the words of a file are copied and forwarded with it")
    func captions() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("Ctrl-u")
        var file = Fixture.transfer(31, .incoming, "small.bin", size: 10, .complete)
        file.caption = "look at this"
        file.path = "/home/jo/Downloads/small.bin"
        fixture.send(.chat(.messageAdded(Fixture.fileMessage(file, position: 91, at: Fixture.time(21, 9, 6)))))
        fixture.enter("/forward 1 bob")
        #expect(fixture.errands.contains(.sendFiles([file.path ?? ""], caption: "look at this", to: Fixture.bob)))
        fixture.press("Esc")
        fixture.effects = []
        fixture.press("y")
        #expect(fixture.effects.contains(.terminal(.copy("small.bin\nlook at this"))))
    }
}
