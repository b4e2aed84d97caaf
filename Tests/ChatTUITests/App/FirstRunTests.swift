// The page of the first start: fields, boxes, our address, refusals, small windows.

import ChatCore
import TestSupport
import Testing

@testable import ChatTUI
@testable import ChatWords

extension FirstRunDefaults {
    /// What the golden screens show.
    static var jo: Self {
        Self(
            FirstRunChoices(name: "Jo", listenPort: 4985, downloads: "/home/jo/Downloads"),
            reachableHost: "192.0.2.10", peerID: ScreenFixture.peerID("j"),
            keyPath: "/home/jo/.local/share/blipchat/default/identity.key", home: "/home/jo")
    }
}

@Suite("First page", .timeLimit(.minutes(10)))
struct FirstRunTests {
    /// A form at which keys are pressed.
    struct Page {
        var form: FirstRunForm
        var steps: [FirstRunStep] = []

        init(_ defaults: FirstRunDefaults = .jo) { form = FirstRunForm(defaults) }

        mutating func press(_ names: String...) {
            for name in names {
                guard let key = Key(named: name) else {
                    Issue.record("no key \(name)")
                    continue
                }
                form.receive(.key(key)).map { steps.append($0) }
            }
        }

        mutating func paste(_ text: String) { form.receive(.paste(text)).map { steps.append($0) } }

        /// Tab until the field has the focus, then another text in it.
        mutating func fill(_ field: FirstRunForm.Field, _ text: String) {
            go(to: field)
            press("Ctrl-u")
            paste(text)
        }

        mutating func go(to field: FirstRunForm.Field) {
            for _ in form.fields where form.focus != field { press("Tab") }
            #expect(form.focus == field)
        }

        var choices: FirstRunChoices? {
            if case .answer(.start(let choices))? = steps.last { choices } else { nil }
        }

        func text(columns: Int = 80, rows: Int = 24) -> String {
            let screen = FirstRunScreen(form: form, capabilities: TerminalCapabilities(colors: 0, unicode: true))
            return ScreenFixture.text(screen.draw(size: Size(columns: columns, rows: rows)))
        }
    }

    @Test("an address that leads only into this network is said to be so", arguments: ["192.168.1.7", "192.0.2.10"])
    func inside(host: String) {
        var defaults = FirstRunDefaults.jo
        defaults.reachableHost = host
        let words = "Only people in this network can call your address; /reach helps."
        #expect(Page(defaults).text().contains(words) == host.hasPrefix("192.168."))
        #expect(Page(defaults).text().contains("blip://\(host):4985"))
    }

    @Test("fields are checked, and the first wrong one is named and has the focus")
    func checks() {
        var page = Page()
        page.fill(.port, "99999")
        page.press("Enter")
        #expect(page.form.problem?.field == .port && page.steps.isEmpty)
        #expect(page.text().contains("! a port is a number, 0 (any free one) to 65535"))
        page.fill(.port, "0")
        page.fill(.address, "blip://192.0.2.1/short")
        page.press("Enter")
        #expect(page.form.problem?.field == .address && page.form.focus == .address)
        page.press("Ctrl-u", "Enter")
        var expected = FirstRunDefaults.jo.choices
        expected.listenPort = 0
        #expect(page.steps == [.answer(.start(expected))])
        page.press("Alt-d", "Esc")
        #expect(page.steps.suffix(2) == [.answer(.demo), .answer(.quit)])
    }

    @Test("a name that could not be kept, somebody's name in place of an address, days that are none are refused")
    func refusals() {
        for (field, words) in [
            (FirstRunForm.Field.name, "Eve\u{200E}"), (.name, "a\u{202E}b"), (.name, "  "), (.name, "/invite"),
            (.name, String(repeating: "n", count: 65)), (.address, "notanaddress"), (.downloads, "relative/x"),
            (.days, "0"), (.days, "forever"), (.days, "99999"), (.host, " "), (.host, "[::1]"), (.host, "127.0.0.1:80"),
        ] {
            var page = Page()
            for box in [FirstRunForm.Field.everywhere, .forever] {
                page.go(to: box)
                page.press("Space")
            }
            page.fill(field, words)
            page.press("Enter")
            #expect(page.steps.isEmpty && page.form.problem?.field == field, "\(field) \(words)")
            #expect(page.form.focus == field)
        }
    }

    @Test(
        "what is wrong is said at any size, and on the page the row is marked",
        arguments: [(80, 24), (40, 10), (20, 5), (20, 2)])
    func problem(columns: Int, rows: Int) {
        var page = Page()
        page.fill(.name, "")
        page.press("Enter")
        let text = page.text(columns: columns, rows: rows)
        #expect(text.contains("! a name has 1 to"))
        #expect(text.contains(rows == 24 ? "! Name others see" : columns == 40 ? "Your name" : "name"))
        page.press("J")
        #expect(!page.text(columns: columns, rows: rows).contains("!"))
    }

    @Test("boxes are checked with Space, bring their fields, and are part of the answer")
    func boxes() {
        var page = Page()
        #expect(page.text().contains("Listen             [x] all addresses  port 4985"))
        #expect(!page.form.fields.contains(.host) && !page.form.fields.contains(.days))
        page.go(to: .everywhere)
        #expect(page.text().contains("Space: listen on one address only"))
        page.press("x", "Backspace")
        #expect(page.form.checked.contains(.everywhere), "only Space changes a box")
        page.press("Space")
        page.fill(.host, "127.0.0.1")
        #expect(page.text().contains("[ ] all addresses  at 127.0.0.1█"))
        page.go(to: .asks)
        page.press("Space")
        #expect(page.text().contains("Accepts all files!"))
        page.go(to: .forever)
        page.press("Space")
        page.fill(.days, "30")
        #expect(page.text().contains("[ ] keep forever, or 30█   days"))
        page.press("Enter")
        #expect(
            page.choices
                == FirstRunChoices(
                    name: "Jo", listenHost: "127.0.0.1", listenPort: 4985, asksForFiles: false,
                    downloads: "/home/jo/Downloads", keep: .days(30)))
        // What is unchecked again counts no longer, whatever stands in its field.
        page.fill(.days, "nonsense")
        page.go(to: .forever)
        page.press("Space", "Enter")
        #expect(page.choices?.keep == .forever)
    }

    @Test("a click checks a box, and puts the cursor into a field")
    func clicks() throws {
        var page = Page()
        let size = Size(columns: 80, rows: 24)
        for box in [FirstRunForm.Field.everywhere, .asks, .forever] {
            let screen = FirstRunScreen(form: page.form, capabilities: TerminalCapabilities(colors: 8, unicode: true))
            let points = (0..<24).flatMap { row in (0..<80).map { Point(column: $0, row: row) } }
            let drawn = screen.draw(size: size)
            let place = try #require(
                points.first { point in
                    if case .field(let target) = drawn.target(at: point) { target.name == .form(box) } else { false }
                })
            page.form.click(box, at: screen.field(at: place, size: size)?.offset ?? 0)
            #expect(page.form.focus == box && !page.form.checked.contains(box))
        }
        page.form.click(.host, at: 3)
        #expect(page.form.focus == .host && page.form.line(.host).cursor == 3)
    }

    @Test("our address is there before the chat is, follows the fields, and is copied and drawn by a key")
    func address() {
        var page = Page()
        let id = FirstRunDefaults.jo.peerID
        #expect(page.form.ownAddress == "blip://192.0.2.10:4985/\(id)#Jo")
        #expect(page.text().contains("blip://192.0.2.10:4985/"))
        page.press("Ctrl-y", "Alt-q")
        let address = "blip://192.0.2.10:4985/\(id)#Jo"
        #expect(page.steps == [.copy(address), .code(address)])
        page.fill(.name, "Anna Ö")
        page.fill(.port, "7000")
        #expect(page.form.ownAddress == "blip://192.0.2.10:7000/\(id)#Anna%20%C3%96")
        page.go(to: .everywhere)
        page.press("Space")
        page.fill(.host, "::1")
        #expect(page.form.ownAddress == "blip://[::1]:7000/\(id)#Anna%20%C3%96")
        // What names every address is none that somebody else could call.
        for host in ["0.0.0.0", "::"] {
            page.fill(.host, host)
            #expect(page.form.ownAddress?.hasPrefix("blip://192.0.2.10:7000/") == true)
        }
        page.fill(.host, "[::1]")
        #expect(page.form.ownAddress == nil)
        page.fill(.host, "::1")
        page.fill(.port, "0")
        page.steps = []
        page.press("Ctrl-y", "Alt-q")
        #expect(page.steps.isEmpty && page.form.ownAddress == nil)
        #expect(page.text().contains("No address until the port is known"))
    }

    @Test("where --listen says where calls are taken, that is shown and not asked")
    func fixedListen() {
        var defaults = FirstRunDefaults.jo
        defaults.isListenFixed = true
        defaults.choices.listenHost = "127.0.0.1"
        defaults.choices.listenPort = 7001
        var page = Page(defaults)
        #expect(page.text().contains("Listen             127.0.0.1, port 7001 (--listen, this time)"))
        #expect(page.text().contains("blip://127.0.0.1:7001/"))
        #expect(page.form.fields == [.name, .asks, .downloads, .forever, .address, .demo])
        page.press("Enter")
        #expect(page.choices == defaults.choices)
    }

    @Test("F1 says what each field means, until it is pressed again", arguments: [(80, 24), (40, 10), (30, 7)])
    func help(columns: Int, rows: Int) {
        var page = Page()
        page.go(to: .forever)
        page.press("Space")
        page.go(to: .name)
        let before = page.text(columns: columns, rows: rows)
        page.press("F1")
        var said: Set<String> = []
        for _ in page.form.fields {
            let hint = page.form.hint ?? ""
            #expect(said.insert(hint).inserted && !hint.isEmpty)
            let words = hint.split(separator: " ").prefix(3).joined(separator: " ")
            #expect(page.text(columns: columns, rows: rows).contains(words), "\(hint)")
            page.press("Tab")
        }
        page.press("F1")
        #expect(page.text(columns: columns, rows: rows) == before)
    }

    @Test("F1 on the first key tells of every field and key; Esc closes that and leaves the page, a letter is typed")
    func helpFirst() {
        var page = Page()
        page.press("F1")
        for words in ["Help · the first page", "Contacts see this name", "Add someone now", "write nothing"] {
            #expect(page.text().contains(words), "\(words)")
        }
        page.press("Esc")
        #expect(page.steps.isEmpty && page.text().contains("Welcome to blipchat"))
        page.press("F1", "A")
        #expect(page.form.line(.name).text == "A" && page.text().contains("Welcome to blipchat"))
        page.press("F1", "Enter", "Esc")
        #expect(page.steps == [.answer(.quit)])
    }

    @Test("what is typed or pasted takes the place of what was proposed; whoever moves the cursor edits it")
    func proposals() {
        var defaults = FirstRunDefaults.jo
        defaults.choices.name = "vm"
        var page = Page(defaults)
        #expect(page.text().contains("it replaces this one"))
        page.press("J", "o")
        #expect(page.form.line(.name).text == "Jo")
        page = Page(defaults)
        page.paste("Anna")
        #expect(page.form.line(.name).text == "Anna")
        page = Page(defaults)
        page.press("End", "2")
        #expect(page.form.line(.name).text == "vm2")
        page = Page(defaults)
        page.press("Backspace")
        #expect(page.form.line(.name).text.isEmpty)
        // The others, too, and coming back to a field keeps what was typed there.
        page = Page(defaults)
        page.press("J")
        page.go(to: .port)
        page.press("7")
        page.go(to: .downloads)
        page.press("/")
        page.go(to: .name)
        page.press("o", "Enter")
        #expect(page.choices?.name == "Jo" && page.choices?.listenPort == 7 && page.choices?.downloads == "/")
        // Untouched it is what it says.
        page = Page(defaults)
        page.press("Enter")
        #expect(page.choices?.name == "vm")
        page = Page(defaults)
        page.form.click(.name, at: 0)
        page.press("x")
        #expect(page.form.line(.name).text == "xvm")
    }

    @Test("an address that was copied from a narrow screen is whole, whatever came with it")
    func pastedAddress() {
        let id = FirstRunDefaults.jo.peerID.text
        var page = Page()
        page.go(to: .address)
        page.paste("  blip://192.0.2.10:4985/\(id.prefix(20))  │\n│ \(id.dropFirst(20))\n│#Al ")
        page.press("Enter")
        #expect(page.choices?.someone == "blip://192.0.2.10:4985/\(id)#Al")
    }

    @Test("somebody is added by whatever /join takes, with or without the command before it")
    func introduction() throws {
        let said = try #require(SpokenInvitation("tiger-lemon-orbit-cable@relay.example.org"))
        let id = FirstRunDefaults.jo.peerID.text
        let address = try PeerAddress(parsing: "blip://192.0.2.10:4985/\(id)#Al")
        let room = try RoomURL(parsing: "sio+tls://chat.example/garden")
        for (typed, errand) in [
            ("tiger-lemon-orbit-cable@relay.example.org", Errand.call(.meet(said, name: nil))),
            ("/join tiger lemon orbit cable@relay.example.org", .call(.meet(said, name: nil))),
            ("/add \(address)", .call(.addContact(address, name: nil))),
            ("\(address)", .call(.addContact(address, name: nil))),
            ("sio+tls://chat.example/garden", .call(.joinRoom(room, name: nil))),
        ] {
            var page = Page()
            page.go(to: .address)
            page.paste(typed + "\n")
            page.press("Enter")
            let someone = try #require(page.choices?.someone, "\(typed)")
            #expect(try Introduction.errand(for: someone) == errand, "\(typed)")
        }
        for (typed, words) in [
            ("tiger-lemno-orbit-cable", ReachWords.mistyped), ("bob", "neither an address"), ("sio+tls://", "room"),
        ] {
            var page = Page()
            page.fill(.address, typed)
            page.press("Enter")
            #expect(page.steps.isEmpty && page.form.problem?.words.contains(words) == true, "\(typed)")
        }
    }

    @Test(
        "every field is reached in a small window, which marks that there are more",
        arguments: [(40, 10), (20, 5), (20, 2)])
    func small(columns: Int, rows: Int) {
        var page = Page()
        #expect(page.text(columns: columns, rows: rows).contains("↓"))
        let words =
            columns < 40
            ? ["name Jo", "[x] all addr", "port 4985", "[x] ask", "files ~/Down", "[x] keep", "add"]
            : [
                "Your name  Jo", "[x] all addr", "Port       4985", "[x] ask", "Files to   ~/Dow", "[x] keep",
                "Add ADDRESS",
            ]
        for word in words {
            #expect(page.text(columns: columns, rows: rows).replacing("█", with: "").contains(word))
            page.press("Tab")
        }
        let last = page.text(columns: columns, rows: rows)
        #expect(last.contains("↑") && !last.contains("↓"))
        #expect(last.contains(rows >= 7 ? "Alt-d: demo" : "Enter start"))
    }

    // MARK: The running page

    @ScreenActor
    @Test("returns what was typed and gives the terminal back; after the demo it is there again")
    func answers() async throws {
        let terminal = ScriptedTerminal()
        let application = FirstRunApplication(terminal: terminal, defaults: .jo)
        let demo = Task { try await application.run() }
        #expect(await terminal.waits(for: "Welcome to blipchat"))
        terminal.type("Johanna")
        terminal.press("Alt-d")
        #expect(try await demo.value == .demo)
        #expect(terminal.isStopped)
        let before = terminal.presentCount
        let run = Task { try await application.run() }
        #expect(await terminal.waits { $0.presentCount > before && $0.text.contains("Johanna") })
        terminal.press("Enter")
        var expected = FirstRunDefaults.jo.choices
        expected.name = "Johanna"
        #expect(try await run.value == .start(expected))
    }

    @ScreenActor
    @Test("stays when the machine has something against it, and keeps what was typed")
    func examined() async throws {
        let terminal = ScriptedTerminal()
        let application = FirstRunApplication(terminal: terminal, defaults: .jo) {
            answer throws(FirstRunProblem) in
            guard case .start(let choices) = answer, choices.listenPort == 4985 else { return }
            throw .port("port 4985 cannot be had: it is taken")
        }
        let run = Task { try await application.run() }
        #expect(await terminal.waits(for: "Welcome to blipchat"))
        terminal.type("Johanna")
        terminal.press("Enter")
        #expect(await terminal.waits(for: "! port 4985 cannot be had: it is taken"))
        terminal.press("Ctrl-u")
        terminal.type("4986")
        terminal.press("Enter")
        var expected = FirstRunDefaults.jo.choices
        (expected.name, expected.listenPort) = ("Johanna", 4986)
        #expect(try await run.value == .start(expected))
    }

    @ScreenActor
    @Test("copies the address, shows its code until a key, and ends with the signal that ends it")
    func code() async throws {
        let terminal = ScriptedTerminal()
        let application = FirstRunApplication(terminal: terminal, defaults: .jo)
        let run = Task { try await application.run() }
        #expect(await terminal.waits(for: "Welcome to blipchat"))
        terminal.press("Ctrl-y")
        #expect(await terminal.waits(for: "Copied, if the terminal allows it"))
        let address = "blip://192.0.2.10:4985/\(FirstRunDefaults.jo.peerID)#Jo"
        #expect(terminal.commands.contains(.copy(address)))
        terminal.press("Alt-q")
        #expect(await terminal.waits { !$0.text.contains("Welcome to blipchat") })
        terminal.press("x")
        #expect(await terminal.waits(for: "Name others see    Jo"))
        terminal.press("Alt-q")
        terminal.send(.terminate(signal: 15))
        #expect(try await run.value == .ended(signal: 15))
    }
}
