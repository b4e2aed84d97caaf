// What the screen asks of the terminal beside the picture, as bytes and on a pseudo-terminal.

import ChatCore
import Glibc
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Terminal sequences")
struct TerminalSequencesTests {
    private func notification(_ form: ScreenSettings.Desktop, _ title: String, _ body: String) -> String {
        TerminalSequences.notification(
            SafeText(title, as: .line), SafeText(body, as: .line), as: form, unicode: true)
    }

    @Test("a notification has the form that the settings name, and nothing in it ends it")
    func notifications() {
        #expect(notification(.osc9, "Al\u{07};ice", "hi\u{1B}\\") == "\u{1B}]9;Al␇ice: hi␛\\\u{1B}\\")
        #expect(notification(.osc777, "a;b", "c") == "\u{1B}]777;notify;ab;c\u{1B}\\")
        #expect(
            notification(.osc99, "a", "b") == "\u{1B}]99;i=blipchat:d=0;a\u{1B}\\\u{1B}]99;i=blipchat:p=body;b\u{1B}\\")
        #expect(notification(.command, "a", "b") == "")
        #expect(notification(.osc9, String(repeating: "é", count: 500), "").utf8.count == 4 + 256 + 2)
        // What is doubled inside ends the outer sequence nowhere.
        #expect(
            TerminalSequences.throughTmux(notification(.osc9, "a", "b"))
                == "\u{1B}Ptmux;\u{1B}\u{1B}]9;a: b\u{1B}\u{1B}\\\u{1B}\\")
        #expect(TerminalSequences.throughTmux(notification(.off, "a", "b")).isEmpty)
    }

    @Test("each terminal gets the form of notification that it knows")
    func notificationForms() {
        func form(_ type: String?, program: String? = nil, isTmux: Bool = false) -> ScreenSettings.Desktop {
            TerminalEnvironment(type: type, program: program, isTmux: isTmux).notificationForm
        }
        #expect(form("xterm-kitty") == .osc99)
        #expect(form("xterm-256color", program: "vte") == .osc777)
        #expect(form("foot") == .osc777)
        #expect(form("xterm-256color", program: "WezTerm") == .osc9)
        #expect(form("screen-256color") == .off)
        #expect(form("screen-256color", isTmux: true) == .osc9)
        #expect(form("linux") == .off)
        #expect(form(nil) == .off)
    }

    @Test("the clipboard gets base64, wrapped for GNU screen, and no more than terminals take")
    func clipboard() {
        #expect(TerminalSequences.clipboard("héllo", throughScreen: false) == "\u{1B}]52;c;aMOpbGxv\u{1B}\\")
        let long = TerminalSequences.clipboard(String(repeating: "x", count: 100), throughScreen: true) ?? ""
        #expect(long.hasPrefix("\u{1B}P\u{1B}]52;c;eHh4") && long.hasSuffix("\u{07}\u{1B}\\"))
        #expect(long.contains("\u{1B}\\\u{1B}P"))
        #expect(TerminalSequences.clipboard(String(repeating: "x", count: 74_001), throughScreen: false) == nil)
    }

    @Test(
        "base64 as in RFC 4648",
        arguments: [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")])
    func base64(text: String, expected: String) {
        #expect(Array(text.utf8).base64 == expected)
    }

    @Test("colour and glyph settings stand over the environment")
    func settings() {
        var settings = ScreenSettings()
        let environment = TerminalEnvironment(type: "xterm", noColor: true)
        #expect(environment.applying(settings) == environment)
        settings.color = .always
        settings.glyphs = .ascii
        #expect(environment.applying(settings) == TerminalEnvironment(type: "xterm", noColor: false, unicode: false))
        settings.color = .never
        #expect(TerminalEnvironment(type: "xterm").applying(settings).noColor)
    }
}

extension RealTerminals {
    @ScreenActor
    @Suite("Terminal commands")
    struct TerminalCommandTests {
        @Test("copies, notifies, changes the cursor and takes the mouse, and gives all of it back")
        func commands() throws {
            let fixture = try TerminalFixture()
            try fixture.start()
            fixture.terminal.perform(.copy("hello"))
            fixture.terminal.perform(.notify(title: SafeText("Alice", as: .name), body: .empty, .osc777))
            fixture.terminal.perform(.cursorShape(.bar))
            fixture.terminal.perform(.mouse(true))
            fixture.drain()
            #expect(fixture.screen.clipboard == ["aGVsbG8="])
            #expect(fixture.screen.notifications == ["777;notify;Alice;"])
            #expect(fixture.screen.cursorShape == "6 ")
            #expect(fixture.screen.modes.isSuperset(of: ["?1000", "?1006"]))
            fixture.terminal.stop()
            fixture.drain()
            #expect(fixture.screen.cursorShape == "0 ")
            #expect(fixture.screen.modes.isDisjoint(with: ["?1000", "?1006", "?1004", "?2004"]))
            #expect(fixture.screen.violations == [])
        }

        @Test("writes none of it to a terminal that would show it", arguments: ["linux", "vt100"])
        func plainTerminals(type: String) throws {
            let fixture = try TerminalFixture(environment: TerminalEnvironment(type: type))
            try fixture.start()
            fixture.terminal.perform(.copy("hello"))
            fixture.terminal.perform(.notify(title: SafeText("Alice", as: .name), body: .empty, .auto))
            fixture.terminal.perform(.cursorShape(.bar))
            fixture.terminal.perform(.mouse(true))
            fixture.terminal.stop()
            fixture.drain()
            let written = String(decoding: fixture.written, as: UTF8.self)
            for sequence in ["\u{1B}]52", "\u{1B}]9", "\u{1B}]777", "?1000", "?2004", "?1004", " q", "\u{1B}[8l"] {
                #expect(!written.contains(sequence))
            }
        }

        @Test("text leads where its style says, and no longer when it is plain again")
        func links() throws {
            let fixture = try TerminalFixture(columns: 40, rows: 6)
            try fixture.start()
            defer { fixture.terminal.stop() }
            let link = Link("https://example.org/x;y")
            func canvas(_ linked: [Int], _ rows: Int = 6) -> Canvas {
                var canvas = Canvas(size: fixture.terminal.size)
                for row in 0..<rows {
                    let text = SafeText("see 漢字 here", as: .line)
                    let shown = linked.contains(row) ? text.linked(to: link) : text
                    canvas.draw(shown, at: Point(column: 2, row: row), style: Style(.cyan))
                }
                return canvas
            }
            for linked in [[1], [1, 2], [2], [0, 5], [], [3], [3, 4]] {
                let picture = canvas(linked)
                fixture.present(picture)
                #expect(fixture.screen.text == picture.text())
                for row in 0..<6 {
                    let expected = linked.contains(row) ? Set([link.terminalURI]) : []
                    #expect(Set(fixture.screen.links[row].compactMap { $0 }) == expected, "row \(row) of \(linked)")
                }
            }
            #expect(fixture.screen.links[3][2..<15].allSatisfy { $0 == link.terminalURI })
            #expect(fixture.screen.violations == [])
        }

        @Test(
            "GNU screen gets no links, and no mouse, with which it would hold Esc back; also inside of tmux",
            arguments: [
                TerminalEnvironment(type: "screen"),
                TerminalEnvironment(type: "screen", program: "tmux", isTmux: true, hasScreenSession: true),
            ])
        func screenGetsNoLinks(environment: TerminalEnvironment) throws {
            let fixture = try TerminalFixture(environment: environment)
            try fixture.start()
            defer { fixture.terminal.stop() }
            fixture.terminal.perform(.mouse(true))
            #expect(!fixture.terminal.capabilities.mouse)
            var canvas = Canvas(size: fixture.terminal.size)
            let text = SafeText(literal: "x").linked(to: Link("https://example.org"))
            canvas.draw(text, at: Point(column: 0, row: 0))
            fixture.present(canvas)
            let written = String(decoding: fixture.written, as: UTF8.self)
            #expect(!written.contains("\u{1B}]8") && !written.contains("?1000h"))
        }
    }
}
