// Names of keys, as help, /bind and the configuration write them.

import Testing

@testable import ChatTUI

@Suite("Key")
struct KeyTests {
    @Test(
        "reads the names that it writes",
        arguments: [
            "a", "A", "Alt-a", "Alt-A", "Ctrl-q", "Ctrl-_", "Alt-/", "Alt-?", "Alt-1", "Space", "Ctrl-Space", "Enter",
            "Alt-Enter", "Tab", "Shift-Tab", "Esc", "Alt-Up", "Ctrl-Left", "Ctrl-Alt-Down", "PgUp", "Alt-PgUp", "Home",
            "Alt-End", "F1", "F12", "Shift-F5", "Delete", "Alt-Backspace", "-", "Ctrl--", "é",
        ])
    func names(name: String) throws {
        #expect(try #require(Key(named: name)).name == name)
    }

    @Test("reads other ways to write a key")
    func otherNames() {
        #expect(Key(named: "ctrl-Q") == Key("q", .control))
        #expect(Key(named: "M-x") == Key("x", .alt))
        #expect(Key(named: "pageup") == Key(.pageUp))
        #expect(Key(named: "f10") == Key(.function(10)))
        #expect(Key(named: "C-M-a") == Key("a", [.control, .alt]))
    }

    @Test(
        "refuses what is no key",
        arguments: ["", "Hyper-a", "Ctrl-", "F0", "F25", "F+5", "ab", "\u{1B}", "\u{9B}", "Alt-nope"])
    func refuses(name: String) { #expect(Key(named: name) == nil) }

    @Test("types text only without Alt and Ctrl")
    func typedText() {
        #expect(Key("é").typedText == "é")
        #expect(Key("a", .alt).typedText == nil)
        #expect(Key("a", .control).typedText == nil)
        #expect(Key(.enter).typedText == nil)
    }
}
