// /set, /unset, /reload, /theme and /notify: what they ask for, and what a change does to the screen.

import ChatCore
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Settings") struct SettingsTests {
    private typealias Fixture = ScreenFixture

    @Test(
        "the commands ask for changes of the file",
        arguments: [
            ("/set", .show(nil)), ("/set ui.theme", .show("ui.theme")),
            ("/set ui.theme dark", .set(key: "ui.theme", words: "dark")),
            ("/set notify.command notify-send 'a b'", .set(key: "notify.command", words: "notify-send 'a b'")),
            ("/unset ui.theme", .unset(key: "ui.theme")), ("/reload", .reload), ("/theme", .themes),
            ("/theme light", .set(key: "ui.theme", words: "light")), ("/notify", .show("notify")),
            ("/notify off", .set(key: "notify.bell", words: "off")),
            ("/notify mention bob", .set(key: "contact.\"Bob\".notify", words: "mention")),
            ("/notify default bob", .unset(key: "contact.\"Bob\".notify")),
            ("/notify quiet 22:00-07:00", .set(key: "notify.quiet_hours", words: "22:00-07:00")),
            ("/notify quiet off", .set(key: "notify.quiet_hours", words: "\"\"")),
            ("/notify desktop osc9", .set(key: "notify.desktop", words: "osc9")),
            ("/notify text on", .set(key: "notify.show_text", words: "on")),
        ] as [(String, SettingsRequest)])
    func requests(line: String, request: SettingsRequest) {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter(line)
        #expect(fixture.errands.contains(.settings(request)), "\(fixture.errands)")
    }

    @Test("/notify test rings and notifies, /notify with something else explains itself")
    func notifyWords() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.state.surface.set(\.bell, to: .off)
        fixture.enter("/notify test")
        #expect(fixture.text.contains("Rings and notifies the desktop by"))
        #expect(fixture.text.contains("notify.bell is off"))
        #expect(fixture.effects.contains(.bell))
        fixture.enter("/notify loudly")
        #expect(fixture.text.contains("/notify off|mention|all [WHO]"))
    }

    @Test("a change is on the screen at once, and so is its theme")
    func adopting() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        var settings = fixture.state.surface.settings
        settings.mouse = false
        settings.preview = .auto
        settings.theme = "dark"
        let request = SettingsRequest.set(key: "ui.theme", words: "dark")
        fixture.effects = []
        fixture.send(
            .done(
                .settings(request),
                .settings(SettingsReply(["ui.theme = \"dark\""], settings: settings, theme: .dark))))
        #expect(fixture.state.surface.settings == settings)
        #expect(fixture.effects.contains(.terminal(.mouse(false))))
        #expect(fixture.effects.contains(.terminal(.previews(.auto))))
        #expect(fixture.text.contains("ui.theme = \"dark\""))
        #expect(fixture.canvas[Point(column: 79, row: 5)].style.background == Theme.dark[.text].background)
    }

    @Test(
        "what a command has said in its own words is not said again as a line of config.toml",
        arguments: [
            ("/bind Alt-j next-unread", "keys.Alt-j", "Alt-j: next-unread"),
            ("/alias hi /me waves", "alias.hi", "/hi: /me waves"),
        ])
    func ownWords(line: String, key: String, words: String) {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.enter(line)
        guard case .settings(let request)? = fixture.errands.last else {
            Issue.record("nothing is set: \(fixture.errands)")
            return
        }
        #expect(request.key == key)
        fixture.send(
            .done(
                .settings(request),
                .settings(SettingsReply(["\(key) = \"x\""], settings: fixture.state.surface.settings))))
        #expect(fixture.text.contains(words))
        #expect(!fixture.text.contains("\(key) ="))
        // Where it cannot be kept, both are to be known.
        fixture.enter(line)
        fixture.send(.done(.settings(request), .settings(SettingsReply(["the disk is full"], isError: true))))
        #expect(fixture.text.contains("the disk is full"))
        #expect(fixture.text.contains("it is not saved"))
    }

    @Test("what cannot be set is said, and nothing changes")
    func refusal() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        let before = fixture.state.surface.settings
        fixture.send(
            .done(
                .settings(.set(key: "ui.thme", words: "x")),
                .settings(SettingsReply(["ui.thme: unknown key (did you mean ui.theme?)"], isError: true))))
        #expect(fixture.state.surface.settings == before)
        #expect(fixture.text.contains("did you mean ui.theme?"))
    }

    @Test("SIGHUP with a terminal that is there reads the settings again")
    func reloadSignal() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.effects = []
        fixture.send(.input(.reload))
        #expect(fixture.errands == [.settings(.reload)])
    }

    @Test("Tab completes the keys of settings, also by their last part")
    func completion() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        let names = FixedNames(keys: ["ui.theme", "ui.time", "ui.unicode.width", "notify.bell"])
        fixture.state.surface = fixture.state.surface.rebuilt(settingNames: names)
        fixture.type("/set ui.th")
        fixture.press("Tab")
        #expect(fixture.state.composer.input.text == "/set ui.theme ")
        fixture.press("Ctrl-u")
        fixture.type("/unset wid")
        fixture.press("Tab")
        #expect(fixture.state.composer.input.text == "/unset ui.unicode.width ")
    }

    @Test("whether a contact is told that we are typing is for the chat to decide: it may have a setting of its own")
    func typing() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("Ctrl-u")
        fixture.state.surface.set(\.sendsTyping, to: false)
        fixture.effects = []
        fixture.type("hello")
        #expect(fixture.errands.contains(.call(.setTyping(true, to: Fixture.alice))))
    }

    @Test("it is said that nothing goes to an unverified contact when only verified ones are written to")
    func requiresVerified() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.state.surface.set(\.requiresVerified, to: true)
        fixture.press("Alt-2")
        #expect(fixture.text.contains("nothing goes to Bob until you compare (/verify)"))
    }

    @Test("panes are shown as the settings say, and the chat keeps its 40 columns")
    func panes() {
        func layout(_ columns: Int, _ change: (inout ScreenSettings) -> Void, hidden: Bool = false) -> ScreenLayout {
            var fixture = Fixture.main(columns: columns, rows: 24)
            fixture.state.surface.change(change)
            if hidden { fixture.state.surface.toggle(.list) }
            return ScreenLayout(fixture.state)
        }
        #expect(layout(80) { $0.list = .off }.list == nil)
        #expect(layout(80, { $0.list = .off }, hidden: true).list != nil)
        #expect(layout(58) { $0.list = .on }.list?.size.columns == 16)
        #expect(layout(52) { $0.list = .on }.list?.size.columns == 11)
        #expect(layout(45) { $0.list = .on }.list == nil)
        #expect(layout(120) { $0.listWidth = 40 }.list?.size.columns == 40)
        #expect(layout(90) { $0.details = .on }.details != nil)
        #expect(layout(120) { $0.details = .off }.details == nil)
        #expect(layout(80) { $0.hints = false }.hint == nil)
        for columns in 20..<130 {
            let layout = layout(columns) {
                $0.list = .on
                $0.details = .on
                $0.listWidth = 30
            }
            #expect(layout.chat.size.columns >= min(columns, 40))
        }
    }
}
