// The key table, the user's changes to it, and the hints that are made from both.

import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Keymap")
struct KeymapTests {
    private typealias Fixture = ScreenFixture

    @Test("every key of the table is a key, and no two commands of one context share one")
    func table() {
        var seen: [KeyContext: [KeySequence: AppCommand]] = [:]
        for binding in KeyBindings.all {
            for name in binding.keys {
                guard let keys = KeySequence(named: name) else {
                    Issue.record("\(name) is not a key")
                    continue
                }
                #expect(seen[binding.context]?[keys] == nil, "\(name) is bound twice in \(binding.context)")
                seen[binding.context, default: [:]][keys] = binding.command
                if binding.context.takesText { #expect(!keys.typesText, "\(name) cannot be typed any more") }
            }
        }
    }

    @Test("a key means what its context says, then what the more general ones say")
    func contexts() {
        let keymap = Keymap.standard
        #expect(keymap.resolve([Key("j")], in: .transfers) == .action(.command(.down), .transfers))
        #expect(keymap.resolve([Key("j")], in: .main) == .nothing)
        #expect(keymap.resolve([Key("n", .control)], in: .transfers) == .action(.command(.down), .transfers))
        #expect(keymap.resolve([Key("n", .control)], in: .main) == .action(.command(.nextChat), .anywhere))
        #expect(keymap.resolve([Key("a", .alt)], in: .transfers) == .action(.command(.nextUnread), .anywhere))
        #expect(keymap.resolve([Key(.function(1))], in: .search) == .action(.command(.searchSyntax), .search))
    }

    @Test("names of actions are read back", arguments: AppCommand.allCases)
    func names(command: AppCommand) {
        #expect(AppCommand(named: command.name) == command)
        #expect(AppCommand(named: command.name.uppercased()) == command)
        #expect(command.name.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" })
    }

    @Test("a name is the words of its case with hyphens")
    func spelling() {
        #expect(AppCommand.nextUnread.name == "next-unread")
        #expect(AppCommand.chat10.name == "chat10")
    }

    @Test("the user's key takes the place of what it did before")
    func overriding() {
        let keymap = Keymap(overrides: ["Alt-Enter": "next-unread", "F8": "", "transfers:x": "pause-or-resume"])
        #expect(keymap.command(for: Key(.enter, .alt), in: .main) == .nextUnread)
        #expect(keymap.command(for: Key("a", .alt), in: .main) == .nextUnread)
        #expect(keymap.command(for: Key(.function(8)), in: .main) == nil)
        #expect(keymap.command(for: Key("x"), in: .transfers) == .pauseOrResume)
        #expect(keymap.command(for: Key("x"), in: .main) == nil)
    }

    @Test("a key may run a slash command, and a key that takes no text belongs to the pane of its action")
    func lines() {
        let keymap = Keymap(overrides: ["F9": "/status", "Z": "cancel-transfer"])
        #expect(keymap.resolve([Key(.function(9))], in: .main) == .action(.line("/status"), .anywhere))
        #expect(keymap.command(for: Key("Z"), in: .transfers) == .cancelTransfer)
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.state.surface.set(\.keys, to: ["F9": "/whois"])
        fixture.type("half-typed")
        fixture.press("F9")
        #expect(fixture.text.contains("contact since"))
        #expect(fixture.state.composer.input.text == "half-typed")
    }

    @Test(
        "what means nothing is refused in words",
        arguments: [
            ("Hyper-a", "quit", "Hyper-a is not a key"), ("Alt-j", "next-unraed", "did you mean next-unread?"),
            ("x", "quit", "x types text there"), ("main:x", "send", "x types text there"), ("", "quit", "is not a key"),
            ("Alt-j", "\u{1B}[2J", "there is no action"),
        ])
    func refused(key: String, action: String, words: String) {
        let problem = KeySettings.problem(key: key, action: action)
        #expect(problem?.contains(words) == true, "\(problem ?? "accepted")")
        #expect(problem?.unicodeScalars.allSatisfy { $0.value >= 0x20 } == true)
        #expect(Keymap(overrides: [key: action]) == .standard)
    }

    @Test("of a sequence of keys only the whole means something")
    func sequences() {
        let keymap = Keymap(overrides: ["Ctrl-x Ctrl-w": "quit"])
        #expect(keymap.resolve([Key("x", .control)], in: .main) == .prefix)
        #expect(
            keymap.resolve([Key("x", .control), Key("w", .control)], in: .main) == .action(.command(.quit), .anywhere))
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.state.surface.set(\.keys, to: ["Ctrl-x Ctrl-w": "quit"])
        fixture.type("keep")
        fixture.press("Ctrl-x", "a")
        #expect(fixture.state.composer.input.text == "keep")
        fixture.press("a")
        #expect(fixture.state.composer.input.text == "keepa")
        fixture.press("Ctrl-x", "Ctrl-w")
        #expect(fixture.effects.contains(.quit))
    }

    @Test("help and hint line show the keys as they are bound")
    func shown() {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.state.surface.set(\.keys, to: ["Alt-j": "next-unread", "Alt-k": ""])
        #expect(fixture.text.contains("Alt-j next unread"))
        #expect(!fixture.text.contains("Alt-k"))
        let items = CommandItem.all(fixture.state.surface.keymap)
        #expect(items.contains { $0.label == "Alt-j" && $0.title == "next unread" })
    }

    @Test("every hint that is drawn is a key of the table and stands where it says", arguments: [30, 40, 80, 120])
    func hints(columns: Int) {
        for key in [nil, "Alt-t", "Alt-s", "Alt-k", "F1"] {
            var fixture = Fixture.main(columns: columns, rows: 24)
            if let key { fixture.press(key) }
            let line = HintLine(fixture.state, columns: columns)
            let last = fixture.text.split(separator: "\n").last.map(Array.init) ?? []
            #expect(!line.hints.isEmpty)
            for hint in line.hints where hint.column + hint.width <= columns {
                let drawn = String(last[hint.column..<min(hint.column + hint.width, last.count)])
                #expect(drawn == "\(hint.label) \(hint.words)")
            }
        }
    }
}
