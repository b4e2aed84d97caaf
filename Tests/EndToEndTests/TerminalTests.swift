// The terminal is left as it was found, and one that cannot be used is refused before anything changes.

import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite struct TerminalTests {
        /// Leaves the alternate screen and bracketed paste behind.
        private func expectRestored(
            _ terminal: PseudoTerminal, sourceLocation: SourceLocation = #_sourceLocation
        ) {
            #expect(terminal.settingsNow == terminal.settingsBefore, sourceLocation: sourceLocation)
            let text = terminal.text
            #expect(isLast("\u{1B}[?1049l", after: "\u{1B}[?1049h", in: text), sourceLocation: sourceLocation)
            #expect(isLast("\u{1B}[?2004l", after: "\u{1B}[?2004h", in: text), sourceLocation: sourceLocation)
        }

        /// Whether `off` occurs, and no `on` behind its last place.
        private func isLast(_ off: String, after on: String, in text: String) -> Bool {
            func lastPlace(_ wanted: String) -> Int? {
                let bytes = Array(text.utf8)
                let pattern = Array(wanted.utf8)
                guard bytes.count >= pattern.count else { return nil }
                return stride(from: bytes.count - pattern.count, through: 0, by: -1).first { start in
                    bytes[start..<(start + pattern.count)].elementsEqual(pattern)
                }
            }
            guard let end = lastPlace(off), let start = lastPlace(on) else { return false }
            return end > start
        }

        private func settled() async throws -> BlipchatHome {
            let home = try BlipchatHome("alice")
            _ = try await home.address()
            return home
        }

        @Test("restores the terminal when the user quits, and after a signal", arguments: [0, SIGTERM, SIGINT])
        func leaving(signal: Int32) async throws {
            let home = try await settled()
            let terminal = try home.terminal("--listen", "127.0.0.1:0")
            try await eventually("the screen", state: { terminal.text }) { terminal.text.contains("me: alice") }
            #expect(terminal.settingsNow != terminal.settingsBefore)
            if signal == 0 { try terminal.type("\u{11}") } else { terminal.process.signal(signal) }
            let status = try await terminal.process.waitForExit()
            #expect(status == .exited(signal == 0 ? 0 : 128 + signal))
            expectRestored(terminal)
        }

        @Test("a signal ends the editor too, and what was saved there is the draft", arguments: [false, true])
        func signalInEditor(ignoresSignals: Bool) async throws {
            let home = try await settled()
            let bob = try BlipchatHome("bob")
            try await home.add(try await bob.address(), as: "bob")
            let folder = try home.folder.makeFolder("drafts")
            let editor = home.folder.file("editor")
            let trap = ignoresSignals ? "trap '' TERM; " : ""
            let script = "echo 'written there' > \"$1\"; echo EDITING; \(trap)sleep 600"
            try TestFile.write(script, to: editor)
            var environment = home.environment
            environment["VISUAL"] = "sh \(editor)"
            environment["TMPDIR"] = folder
            let arguments = [home.command, "--listen", "127.0.0.1:0"]
            let terminal = try PseudoTerminal(arguments, environment: environment, columns: 80, rows: 24)
            try await eventually("the screen", state: { terminal.text }) { terminal.text.contains("bob>") }
            try terminal.type("half\u{1B}e")
            try await eventually("the editor", state: { terminal.text }) { terminal.text.contains("EDITING") }
            terminal.process.signal(SIGTERM)
            #expect(try await terminal.process.waitForExit() == .exited(128 + SIGTERM))
            expectRestored(terminal)
            #expect(rmdir(folder) == 0, "no file is left behind")
            let later = try home.terminal("--listen", "127.0.0.1:0")
            try await eventually("the draft", state: { later.text }) { later.text.contains("written there") }
            try later.type("\u{11}")
            #expect(try await later.process.waitForExit() == .exited(0))
        }

        @Test("leaves the shell a row of its own on a terminal that cannot bring the old screen back")
        func plainTerminal() async throws {
            let home = try await settled()
            let terminal = try home.terminal("--listen", "127.0.0.1:0", term: "vt100")
            try await eventually("the screen", state: { terminal.text }) { terminal.text.contains("me: alice") }
            try terminal.type("\u{11}")
            #expect(try await terminal.process.waitForExit() == .exited(0))
            #expect(terminal.settingsNow == terminal.settingsBefore)
            try await eventually("the shell has a row of its own", state: { terminal.text }) {
                terminal.text.utf8.suffix(2).elementsEqual("\r\n".utf8)
            }
        }

        @Test("restores the terminal when the first-run page is left, and writes nothing")
        func firstRun() async throws {
            let home = try BlipchatHome("alice")
            let terminal = try home.terminal()
            try await eventually("the page") { terminal.text.contains("Welcome") }
            try terminal.type("\u{1B}")
            #expect(try await terminal.process.waitForExit() == .exited(0))
            expectRestored(terminal)
            #expect(TestFile.size(home.path) == nil)
        }

        @Test(
            "keeps the address that the settings listen at when the first-run page changes the port, and opens no other"
        )
        func firstRunListen() async throws {
            let home = try BlipchatHome("alice")
            let port = try PlainServer.freePort()
            #expect(mkdir(home.path, 0o700) == 0)
            try TestFile.write("listen = \"127.0.0.1:1\"\n", to: home.path + "/config.toml")
            let terminal = try home.terminal()
            try await eventually("the page") { terminal.text.contains("[ ] all addresses") }
            try terminal.type("\t\t\t\u{15}\(port)\r")
            try await eventually("the screen", state: { terminal.text }) { terminal.text.contains("Nobody to talk to") }
            try terminal.type("\u{11}")
            #expect(try await terminal.process.waitForExit() == .exited(0))
            let settings = TestFile.text(home.path + "/config.toml")
            #expect(settings.contains("listen = \"127.0.0.1:\(port)\""), "\(settings)")
        }

        @Test("the first-run page shows a port that is free, and the chat listens there")
        func firstRunPort() async throws {
            // Where the standard port is free, it is taken now.
            let taken = try? PlainServer(.silent, port: 4985)
            defer { withExtendedLifetime(taken) {} }
            let home = try BlipchatHome("alice")
            let terminal = try home.terminal()
            try await eventually("the page", state: { terminal.text }) { terminal.text.contains("[x] all addresses") }
            #expect(!terminal.text.contains("port 4985"))
            try terminal.type("Ann\r")
            try await eventually("the screen", state: { terminal.text }) { terminal.text.contains("Nobody to talk to") }
            let address = try #require(try await home.run("id").lines.first)
            try terminal.type("\u{11}")
            #expect(try await terminal.process.waitForExit() == .exited(0))
            #expect(!terminal.text.contains("Cannot listen") && address.hasSuffix("#Ann"), "\(address)")
            let port = address.drop { $0 != ":" }.dropFirst(3).drop { $0 != ":" }.dropFirst().prefix { $0 != "/" }
            #expect(TestFile.text(home.path + "/config.toml").contains("listen = \"[::]:\(port)\""), "\(address)")
        }

        @Test(
            "forty lines that come in one read are one draft, whatever the terminal can mark",
            arguments: ["xterm-256color", "tmux-256color", "linux"])
        func unmarkedPaste(type: String) async throws {
            let home = try await settled()
            try await home.add("127.0.0.1:\(PlainServer.freePort())", as: "bob")
            let terminal = try home.terminal("bob", "--listen", "127.0.0.1:0", term: type)
            try await eventually("the screen", state: { terminal.text }) { terminal.text.contains("me: alice") }
            try terminal.type((1...40).map { "secret line \($0)" }.joined(separator: "\r"))
            try await eventually("the draft", state: { terminal.text }) { terminal.text.contains("40 lines") }
            // The chat takes a key that follows a paste within 5 ms as a part of the paste.
            try await Task.sleep(for: .milliseconds(50))
            try terminal.type("\u{11}")
            #expect(try await terminal.process.waitForExit() == .exited(0))
            #expect(try await home.texts("bob").isEmpty)
        }

        @Test("what is decided on the first-run page is kept, and the address that it showed is ours")
        func firstRunChoices() async throws {
            let home = try BlipchatHome("alice")
            let port = try PlainServer.freePort()
            let tmux = try await TmuxSession(columns: 80, rows: 24, environment: home.environment)
            try await tmux.enter("clear; \(home.command); echo exit=$?")
            try await tmux.waitFor("the page") { $0.contains("Welcome to blipchat") }
            // Name, then one address and its port, files without asking into another folder, and a month of history.
            try await tmux.press("C-u")
            try await tmux.type("Ann")
            try await tmux.press("Tab", "Space", "Tab", "C-u")
            try await tmux.type("127.0.0.1")
            try await tmux.press("Tab", "C-u")
            try await tmux.type("\(port)")
            try await tmux.press("Tab", "Space", "Tab", "C-u")
            try await tmux.type("/proc/nope")
            try await tmux.press("Tab", "Space", "Tab", "C-u")
            try await tmux.type("30")
            try await tmux.press("Enter")
            try await tmux.waitFor("the folder is refused") {
                $0.contains("! cannot be created, no such file or directory:")
            }
            #expect(TestFile.size(home.path) == nil, "nothing is written")
            try await tmux.press("C-u")
            try await tmux.type(home.folder.file("new/files"))
            // The demo leads back to what was typed.
            try await tmux.press("M-d")
            try await tmux.waitFor("the demo") { $0.contains("This is the demo") }
            try await tmux.press("C-q")
            try await tmux.waitFor("the page again") { $0.contains("[ ] keep forever, or 30") && $0.contains("Ann") }
            try await tmux.waitFor("the address") { $0.contains("blip://127.0.0.1:\(port)/") }
            let shown = try await tmux.screen().rows.first { $0.contains("blip://") } ?? ""
            try await tmux.press("Enter")
            try await tmux.waitFor("the chat") { $0.contains("Nobody to talk to") }
            try await tmux.press("C-q")
            try await tmux.waitFor("the shell is back") { $0.contains("exit=0") }
            let settings = TestFile.text(home.path + "/config.toml")
            for line in [
                "name = \"Ann\"", "listen = \"127.0.0.1:\(port)\"", "ask = false", "keep = 30",
                "dir = \"\(home.folder.file("new/files"))\"",
            ] {
                #expect(settings.contains(line), "\(line) in \(settings)")
            }
            let address = try await home.run("id").lines.first ?? ""
            let beginning = try #require(shown.split(separator: " ").first { $0.hasPrefix("blip://") })
            #expect(address.hasPrefix(beginning.prefix { $0 != "…" }), "\(address) was shown as \(beginning)")
        }

        @Test(
            "refuses a terminal that cannot place its cursor, or is of no known kind",
            arguments: ["dumb", "no-such", ""])
        func unusable(term: String) async throws {
            let home = try await settled()
            let terminal = try home.terminal("--listen", "127.0.0.1:0", term: term)
            #expect(try await terminal.process.waitForExit() == .exited(7))
            // The terminal may hand over what was written a moment after the end.
            try await eventually("it says why", state: { terminal.text }) {
                terminal.text.hasPrefix("blipchat: terminal: ")
            }
            #expect(!terminal.text.contains("\u{1B}"))
            #expect(terminal.settingsNow == terminal.settingsBefore)
        }

        @Test("refuses standard input or output that is no terminal")
        func noTerminal() async throws {
            let home = try await settled()
            expectOneSentence(try await home.run("--listen", "127.0.0.1:0"), 7, "terminal")
            let fresh = try BlipchatHome("bob")
            expectOneSentence(try await fresh.run(), 7, "terminal")
            #expect(TestFile.size(fresh.path + "/identity.key") == nil)
        }

        @Test("says what is wrong with the history before the terminal is touched")
        func damagedHistory() async throws {
            let home = try await settled()
            try TestFile.write(String(repeating: "no database ", count: 1000), to: home.path + "/history.sqlite")
            let terminal = try home.terminal("--listen", "127.0.0.1:0")
            #expect(try await terminal.process.waitForExit() == .exited(9))
            try await eventually("it says why", state: { terminal.text }) { terminal.text.contains("damaged") }
            #expect(!terminal.text.contains("\u{1B}"))
        }

        @Test("draws with ASCII alone when the configuration says so, and opens with the contact that was named")
        func glyphs() async throws {
            let home = try await settled()
            for name in ["zoe", "adam"] {
                try await home.add("127.0.0.1:\(PlainServer.freePort())", as: name)
            }
            try TestFile.write("[ui]\nglyphs = \"ascii\"\n", to: home.path + "/config.toml")
            let terminal = try home.terminal("zoe", "--listen", "127.0.0.1:0")
            try await eventually("the chat with zoe", state: { terminal.text }) { terminal.text.contains("zoe>") }
            try terminal.type("\u{1B}[200~bell\u{7}\u{1B}[31mred\u{1B}[201~\r")
            try await eventually("control characters by name", state: { terminal.text }) {
                terminal.text.contains("^G^[") && terminal.text.contains("[31mred")
            }
            #expect(terminal.output.allSatisfy { $0 < 0x80 })
            try terminal.type("\u{11}")
            #expect(try await terminal.process.waitForExit() == .exited(0))
        }

        @Test("asks nothing when it may not")
        func noInput() async throws {
            let home = try BlipchatHome("alice")
            let terminal = try home.terminal("--no-input")
            #expect(try await terminal.process.waitForExit() == .exited(2))
            #expect(!terminal.text.contains("\u{1B}"))
        }

        @Test("a screen on a home that is in use attaches to the chat there, and leaves it running")
        func secondScreen() async throws {
            let home = try await settled()
            let server = try await Server(home)
            let terminal = try home.terminal()
            try await eventually("the screen", state: { terminal.text }) { terminal.text.contains("me: alice") }
            try terminal.type("\u{11}")
            #expect(try await terminal.process.waitForExit() == .exited(0))
            expectRestored(terminal)
            #expect(try await home.run("status").status == .exited(0))
            try await server.stop()
        }

        @Test("a shell gets the terminal in order when the program is stopped, and fg paints it again")
        func suspending() async throws {
            let home = try await settled()
            let tmux = try await TmuxSession(environment: home.environment)
            func settings(_ file: String) async throws -> String {
                try await tmux.enter("stty -a > \(home.folder.file(file)); echo \(file)=$?")
                try await tmux.waitFor("the settings") { $0.contains("\(file)=0") }
                return TestFile.text(home.folder.file(file))
            }
            try await tmux.enter("PS1='shell> ' bash --norc --noprofile -i")
            try await tmux.waitFor("bash") { $0.contains("shell>") }
            let before = try await settings("before")
            try await tmux.enter("clear; \(home.command) --listen 127.0.0.1:0")
            try await tmux.waitFor("the screen") { $0.contains("F1 help") }
            let number = try #require(try await home.status().pid)
            for stop in ["key", "signal"] {
                try await tmux.type("half-typed")
                try await tmux.waitFor("the line") { $0.contains("half-typed") }
                if stop == "key" { try await tmux.press("C-z") } else { kill(pid_t(number), SIGTSTP) }
                try await tmux.waitFor("the shell, after the \(stop)") {
                    $0.contains("Stopped") && !$0.contains("F1 help")
                }
                let now = try await settings(stop)
                #expect(now == before, "after the \(stop)")
                try await tmux.enter("clear; fg")
                try await tmux.waitFor("the screen again, after the \(stop)") {
                    $0.contains("F1 help") && $0.contains("half-typed")
                }
                try await tmux.press("C-u")
                try await tmux.waitFor("the empty line") { !$0.contains("half-typed") }
            }
            try await tmux.press("C-q")
            try await tmux.waitFor("the end") { !$0.contains("F1 help") }
            try await tmux.enter("echo end=$?")
            try await tmux.waitFor("the exit code") { $0.contains("end=0") }
            #expect(try await settings("after") == before)
        }

        @Test(
            "in GNU screen the program is drawn and Esc works at once",
            .enabled(if: access("/usr/bin/screen", X_OK) == 0))
        func gnuScreen() async throws {
            let home = try await settled()
            let sockets = home.folder.file("sockets")
            mkdir(sockets, 0o700)
            let tmux = try await TmuxSession(environment: home.environment)
            try await tmux.enter("SCREENDIR=\(sockets) screen -U -c /dev/null /bin/sh")
            try await tmux.waitFor("a shell in screen") { $0.rows.first?.hasPrefix("prompt>") == true }
            try await tmux.enter("clear; \(home.command) --listen 127.0.0.1:0; echo exit=$?")
            try await tmux.waitFor("the screen") { $0.contains("F1 help") && $0.contains("me: alice") }
            for _ in 0..<3 {
                try await tmux.press("F1")
                try await tmux.waitFor("the help") { $0.contains("Help ·") }
                try await tmux.press("Escape")
                try await tmux.waitFor("no help") { !$0.contains("Help ·") && $0.contains("F1 help") }
            }
            try await tmux.press("C-q")
            try await tmux.waitFor("the shell") { $0.contains("exit=0") }
            try await tmux.enter("exit")
            try await tmux.waitFor("the end of screen") { $0.contains("terminating") }
        }

        @Test("the doctor at a terminal tells how wide it draws, or that no screen has measured it yet")
        func widths() async throws {
            let home = try await settled()
            let tmux = try await TmuxSession(columns: 200, environment: home.environment)
            try await tmux.enter("clear; \(home.command) doctor | tail -n 2")
            try await tmux.waitFor("what is not known") {
                $0.row(with: "terminal: tmux-256color in tmux", "widths not measured yet") != nil
                    && $0.contains("the screen measures them when it starts here")
            }
            try await tmux.enter("clear; \(home.command) --listen 127.0.0.1:0")
            try await tmux.waitFor("the screen") { $0.contains("F1 help") }
            try await eventually("it has measured") { TestFile.text(home.path + "/terminals") != "" }
            try await tmux.press("C-q")
            try await tmux.waitFor("the end") { !$0.contains("F1 help") }
            try await tmux.enter("clear; \(home.command) doctor | tail -n 2")
            try await tmux.waitFor("what was measured") {
                $0.row(with: "terminal: tmux-256color in tmux", "widths in columns as measured: VS16") != nil
            }
            // Nobody at a terminal asks for that.
            #expect(try await !home.run("doctor").output.contains("terminal:"))
        }

        @Test("survives any size and gets its screen back", arguments: [(1, 1), (5, 2), (20, 4), (300, 100)])
        func sizes(columns: Int, rows: Int) async throws {
            let home = try await settled()
            let terminal = try home.terminal("--listen", "127.0.0.1:0")
            try await eventually("the screen") { terminal.text.contains("me: alice") }
            terminal.resize(columns: UInt16(columns), rows: UInt16(rows))
            try terminal.type("typing on\r/help\r")
            let seen = terminal.output.count
            terminal.resize(columns: 80, rows: 24)
            try await eventually("it paints again") { terminal.output.count > seen }
            // Right behind what was typed it may count as a part of a paste, which asks first.
            try await eventually("it ends") {
                if terminal.process.poll() == nil { try? terminal.type("\u{11}") }
                return terminal.process.poll() != nil
            }
            #expect(try await terminal.process.waitForExit() == .exited(0))
            expectRestored(terminal)
        }
    }
}
