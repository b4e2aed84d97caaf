// Bell and notifications: for what, with which words, how often, and never when they are not wanted.

import ChatCore
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Announcing") struct AnnouncingTests {
    private typealias Fixture = ScreenFixture

    /// The chat with Alice is open, nobody looks at the terminal, and everything rings.
    private func fixture(_ change: (inout ScreenSettings) -> Void = { _ in }) -> ScreenFixture {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.send(.input(.focus(false)))
        fixture.state.surface.set(\.bell, to: .all)
        fixture.state.surface.change(change)
        fixture.effects = []
        return fixture
    }

    private func arrives(
        _ text: String, _ number: Int64 = 100, from contact: ContactID = Fixture.bob, in fixture: inout ScreenFixture
    ) {
        let message = Fixture.message(number, .incoming, text, at: Fixture.time(21, 9, 7), contact: contact)
        fixture.send(.chat(.messageAdded(message)))
    }

    private func bodies(_ effects: [AppEffect]) -> [String] {
        effects.compactMap { if case .terminal(.notify(_, let body, _)) = $0 { body.text } else { nil } }
    }

    @Test("a message rings and is told without its text")
    func message() {
        var fixture = fixture()
        arrives("the secret", in: &fixture)
        #expect(fixture.effects.contains(.bell))
        #expect(bodies(fixture.effects) == ["Bob: new message"])
        arrives("hello Jo!", from: Fixture.carol, in: &fixture)
        #expect(bodies(fixture.effects).last == "Carol: mentions you")
    }

    @Test("the text is told only when the user wants it, filtered")
    func text() {
        var fixture = fixture { $0.notifyShowsText = true }
        arrives("the\u{1B}]0;x\u{07}\nsecret", in: &fixture)
        let body = bodies(fixture.effects).first ?? ""
        #expect(body.hasPrefix("Bob: the␛]0;x␇") && body.hasSuffix("secret") && !body.contains("\n"), "\(body)")
    }

    @Test("what is before the user's eyes is not told, what is behind something is")
    func looking() {
        var fixture = fixture()
        fixture.send(.input(.focus(true)))
        arrives("you see me", 101, from: Fixture.alice, in: &fixture)
        #expect(!fixture.effects.contains(.bell) && bodies(fixture.effects).isEmpty)
        arrives("and me not", 102, from: Fixture.bob, in: &fixture)
        #expect(fixture.effects.contains(.bell) && bodies(fixture.effects) == ["Bob: new message"])
        fixture.effects = []
        fixture.advance(.seconds(20))
        fixture.press("F1")
        arrives("help is over me", 103, from: Fixture.alice, in: &fixture)
        #expect(bodies(fixture.effects) == ["Alice: new message"])
    }

    @Test("without a word in the settings every message of a chat rings while nobody looks, and mentions need no name")
    func standard() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.send(.input(.focus(false)))
        fixture.effects = []
        arrives("hello", from: Fixture.alice, in: &fixture)
        #expect(fixture.effects.contains(.bell) && bodies(fixture.effects) == ["Alice: new message"])
    }

    @Test("a terminal that reports no focus: after a minute without a key nobody is thought to look")
    func noFocusReports() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("a")
        fixture.effects = []
        arrives("at once", 100, from: Fixture.alice, in: &fixture)
        #expect(!fixture.effects.contains(.bell))
        fixture.advance(.seconds(61))
        arrives("later", 101, from: Fixture.alice, in: &fixture)
        #expect(fixture.effects.contains(.bell) && bodies(fixture.effects) == ["Alice: new message"])
        // One key, and somebody is there; where the focus is reported, that alone counts.
        fixture.press("b")
        fixture.advance(.seconds(20))
        fixture.effects = []
        arrives("seen", 102, from: Fixture.alice, in: &fixture)
        #expect(!fixture.effects.contains(.bell))
        fixture.send(.input(.focus(true)))
        fixture.advance(.seconds(600))
        fixture.effects = []
        arrives("seen, too", 103, from: Fixture.alice, in: &fixture)
        #expect(!fixture.effects.contains(.bell))
    }

    @Test("what tmux and GNU screen need is known by their variables")
    func multiplexers() throws {
        #expect(Multiplexer(environment: ["TERM": "xterm", "TMUX": ""]) == nil)
        let tmux = try #require(Multiplexer(environment: ["TMUX": "/tmp/x,1,0", "STY": "1.pts"]))
        #expect(tmux == .tmux)
        for option in ["allow-passthrough on", "focus-events on", "set-clipboard on", "bell-action any"] {
            #expect(tmux.advice.contains { $0.contains("set -g \(option)") } && tmux.shortAdvice.contains(option))
        }
        #expect(try #require(Multiplexer(environment: ["STY": "1.pts"])).advice.contains { $0.contains("vbell off") })
    }

    @Test("the bell rings for what it is set to", arguments: ScreenSettings.Bell.allCases)
    func bell(level: ScreenSettings.Bell) {
        var fixture = fixture { $0.bell = level }
        arrives("hello", in: &fixture)
        #expect(fixture.effects.contains(.bell) == (level == .all))
        fixture.effects = []
        fixture.advance(.seconds(5))
        arrives("hello jo", 101, in: &fixture)
        #expect(fixture.effects.contains(.bell) == (level != .off))
    }

    @Test("a contact may be louder or quieter than the others")
    func byContact() {
        var fixture = fixture {
            $0.bell = .off
            $0.notifyByName = ["bob": .all, "carol": .off]
        }
        arrives("hello", from: Fixture.carol, in: &fixture)
        #expect(!fixture.effects.contains(.bell) && bodies(fixture.effects).isEmpty)
        arrives("hello", from: Fixture.bob, in: &fixture)
        #expect(fixture.effects.contains(.bell) && bodies(fixture.effects).count == 1)
    }

    @Test("nothing rings in the quiet hours, which may pass midnight", arguments: ["08:00-10:00", "22:00-09:30"])
    func quietHours(hours: String) throws {
        let quiet = try #require(ScreenSettings.QuietHours(hours))
        var fixture = fixture { $0.quietHours = quiet }
        arrives("hello jo", in: &fixture)
        #expect(!fixture.effects.contains(.bell) && bodies(fixture.effects).isEmpty)
        fixture.advance(.seconds(3600))
        arrives("hello jo", 101, in: &fixture)
        #expect(fixture.effects.contains(.bell) && !bodies(fixture.effects).isEmpty)
    }

    @Test("a flood rings now and then, and comes as one notification with a count")
    func flood() {
        var fixture = fixture()
        for number in 100..<200 as Range<Int64> { arrives("x", number, in: &fixture) }
        #expect(fixture.effects.filter { $0 == .bell }.count == 1)
        #expect(bodies(fixture.effects) == ["Bob: new message"])
        #expect(fixture.state.deadline <= fixture.moment.uptime + .seconds(10))
        fixture.advance(.seconds(10))
        #expect(bodies(fixture.effects) == ["Bob: new message", "Bob: 99 more new messages"])
        fixture.advance(.seconds(60))
        #expect(bodies(fixture.effects).count == 2)
    }

    @Test("a folder is told once, with its name and the number of its files", arguments: [true, false])
    func folder(showsText: Bool) {
        var fixture = fixture { $0.notifyShowsText = showsText }
        for number in 100..<200 as Range<Int64> {
            var file = Fixture.transfer(number, .incoming, "f\(number).jpg", size: 9, .offered, contact: Fixture.bob)
            file.place = FolderPlace(set: Fixture.messageID(1), path: "photos/2024", files: 100, bytes: 900)
            let message = Fixture.fileMessage(file, position: number, at: Fixture.time(21, 9, 7))
            fixture.send(.chat(.messageAdded(message)))
            fixture.advance(.milliseconds(200))
        }
        fixture.advance(.seconds(10))
        #expect(bodies(fixture.effects) == ["Bob: offers " + (showsText ? "photos/ (100 files)" : "a folder")])
        #expect(fixture.effects.filter { $0 == .bell }.count == 1)
    }

    @Test("what has been read meanwhile is not told any more")
    func readMeanwhile() {
        var fixture = fixture()
        for number in 100..<110 as Range<Int64> { arrives("x", number, in: &fixture) }
        fixture.effects = []
        fixture.state.world.chats[1].set(\.unreadCount, to: 0)
        fixture.advance(.seconds(10))
        #expect(bodies(fixture.effects).isEmpty)
    }

    @Test("a command gets the title and the words behind its own words")
    func command() throws {
        var fixture = fixture {
            $0.desktop = .command
            $0.notifyCommand = "notify-send -a 'my chat'"
        }
        arrives("$(reboot) `x`", in: &fixture)
        #expect(fixture.effects.contains(.spawn(["notify-send", "-a", "my chat", "blipchat", "Bob: new message"])))
        let name = try #require(fixture.state.world.chats.firstIndex { $0.id == Fixture.bob })
        fixture.state.world.chats[name].set(\.peer.name, to: "--icon=x")
        fixture.advance(.seconds(60))
        fixture.effects = []
        arrives("again", 30, in: &fixture)
        #expect(
            fixture.effects.contains(.spawn(["notify-send", "-a", "my chat", "blipchat", " --icon=x: new message"])))
        fixture.send(.launchFailed(program: "notify-send", errno: 2))
        #expect(fixture.text.contains("Cannot start notify-send: no such file or directory"))
        #expect(fixture.state.place.status?.text.hasSuffix(" (/set notify.command to another)") == true)
    }

    @Test("desktop = off tells nothing")
    func noDesktop() {
        var fixture = fixture { $0.desktop = .off }
        arrives("hello", in: &fixture)
        #expect(bodies(fixture.effects).isEmpty && fixture.effects.contains(.bell))
    }

    @Test(
        "a mention is the name as a word of its own",
        arguments: [
            ("jo", "hi Jo", true), ("Jo", "jo: look", true), ("Jo", "@jo", true), ("Jo", "john", false),
            ("Jo", "banjo", false), ("Ann Lee", "ask ann lee!", true), ("Ann Lee", "ann leeds", false),
            ("Jo", "", false), ("", "x", false), ("Zoë", "frag zoë", true), ("Jo", "jojo jo_ jo", true),
        ])
    func mention(name: String, text: String, isMention: Bool) {
        #expect(NameMention.occurs(of: name, in: text) == isMention)
    }

    @Test(
        "the words of a command are parted as people expect, without a shell",
        arguments: [
            ("a b", ["a", "b"]), ("  a\tb ", ["a", "b"]), ("a 'b c' \"d \\\" e\"", ["a", "b c", "d \" e"]),
            ("a\\ b", ["a b"]), ("''", [""]), ("", []), ("$(x) | y", ["$(x)", "|", "y"]), ("'a", nil), ("a\\", nil),
        ] as [(String, [String]?)])
    func commandLine(line: String, words: [String]?) {
        #expect(CommandLine.words(of: line) == words)
    }
}
