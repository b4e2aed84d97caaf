// Two people at two terminals: adding, approving, chatting, files, crashes, and looking back with nobody there.

import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite struct ScreenTests {
        @Test("lets two people add each other by address and chat both ways with delivered and read marks")
        func chat() async throws {
            let people = try await TwoScreens()
            try await people.alice.tmux.enter("hello bob")
            try await people.bob.waitForLine("alice", "hello bob")
            try await people.alice.waitForLine("✓✓", "hello bob")
            try await people.bob.tmux.enter("hello alice")
            try await people.alice.waitForLine("bob", "hello alice")
            try await people.bob.waitForLine("✓✓", "hello alice")
            // A half-typed line is not touched by what arrives.
            try await people.bob.tmux.type("half a th")
            try await people.alice.tmux.enter("second line")
            try await people.bob.waitForLine("second line")
            try await people.bob.tmux.type("ought")
            try await people.bob.tmux.press("Enter")
            try await people.alice.waitForLine("half a thought")
            #expect(
                try await people.bob.home.texts("alice") == [
                    "hello bob", "hello alice", "second line", "half a thought",
                ])
            try await people.alice.quit()
            try await people.bob.quit()
        }

        @Test("changes, takes back and reacts to messages, on both screens and in the history of both")
        func changes() async throws {
            let people = try await TwoScreens()
            for line in ["frist", "secret"] {
                try await people.alice.tmux.enter(line)
                try await people.bob.waitForLine("alice", line)
            }
            try await people.alice.tmux.enter("/edit 2 first")
            try await people.bob.waitForLine("alice", "first (edited)")
            try await people.alice.tmux.enter("/delete")
            try await people.bob.waitForLine("alice", "(deleted)")
            try await people.bob.tmux.enter("/react :+1:")
            try await people.alice.waitForLine("👍", "bob")
            let texts = ["first", ""]
            #expect(try await people.alice.home.texts("bob") == texts)
            #expect(try await people.bob.home.texts("alice") == texts)
            try await people.alice.quit()
            try await people.bob.quit()
        }

        @Test("sends 300 MiB while lines typed meanwhile arrive at once, and both sides have the same SHA-256")
        func fileAndChat() async throws {
            let people = try await TwoScreens()
            let source = people.alice.home.folder.file("big.bin")
            try TestFile.generate(source, size: 300 << 20)
            try await people.alice.tmux.enter("/send \(source)")
            try await people.bob.tmux.waitFor("the offer") { $0.contains("OFFER #1") }
            // Alt-y is armed 700 ms after the offer appears; pressing it again once accepted does nothing.
            try await eventually("the offer is accepted") {
                try await people.bob.tmux.press("M-y")
                return try await people.bob.home.transfers().first?.state != "offered"
            }
            try await people.bob.tmux.waitFor("a moving bar") { $0.row(with: "big.bin", "%") != nil }
            for number in 1...3 {
                try await people.alice.tmux.enter("typed meanwhile \(number)")
                try await people.alice.waitForLine("✓", "typed meanwhile \(number)")
            }
            try await people.bob.tmux.waitFor("the file is there", timeout: .seconds(300)) {
                $0.row(with: "big.bin", "done") != nil
            }
            try await people.alice.tmux.waitFor("the sender knows") { $0.row(with: "big.bin", "done") != nil }
            let received = try #require(try await people.bob.home.transfers().first)
            #expect(received.state == "complete")
            #expect(received.sha256 == (try await sha256(source)))
            #expect(try await sha256(#require(received.path)) == received.sha256)
            // The lines went between the frames of the file: they were stored before it was complete.
            let finished = try #require(received.finished)
            let lines = try await people.bob.home.history("alice").filter { $0.type == "message" }
            #expect(lines.compactMap(\.text) == (1...3).map { "typed meanwhile \($0)" })
            #expect(lines.allSatisfy { $0.received.map { $0 < finished } ?? false }, "\(lines), file at \(finished)")
        }

        @Test("resumes a transfer after kill -9, and sends what was typed meanwhile once and in order")
        func crash() async throws {
            let people = try await TwoScreens()
            let bob = people.bob
            let alice = people.alice
            let port = try await bob.port()
            let source = alice.home.folder.file("big.bin")
            let size = 300 << 20
            try TestFile.generate(source, size: size)
            try await alice.tmux.enter("before")
            try await bob.waitForLine("before")
            try await alice.tmux.enter("/send \(source)")
            try await bob.tmux.waitFor("the offer") { $0.contains("OFFER #1") }
            try await eventually("the transfer moves") {
                try await bob.tmux.press("M-y")
                return try await bob.home.transfers().first?.transferred ?? 0 > 10 << 20
            }
            try await bob.kill()
            let stored = try #require(try await bob.home.transfers().first)
            #expect(stored.state == "running" || stored.state == "accepted")
            let partial = try #require(TestFile.names(in: bob.home.path + "/downloads").first)
            #expect(partial.hasPrefix(".big.bin.") && partial.hasSuffix(".blip-part"))

            try await alice.tmux.waitFor("the loss") { $0.contains("offline") }
            for number in 1...3 { try await alice.tmux.enter("while you were away \(number)") }
            try await alice.waitForLine("~", "while you were away 3")
            #expect(try await alice.home.status().queued >= 3)

            try await bob.start(port: port)
            try await bob.waitForLine("while you were away 3")
            try await alice.waitForLine("✓", "while you were away 3")
            // What was on the disk is not sent again: the first that is heard of it is not the beginning.
            let resumed = try #require(try await bob.home.transfers().first?.transferred)
            #expect(resumed >= stored.transferred ?? 0)
            #expect(resumed > 0)
            try await bob.tmux.waitFor("the file is there", timeout: .seconds(300)) {
                $0.row(with: "big.bin", "done") != nil
            }
            let received = try #require(try await bob.home.transfers().first)
            #expect(received.sha256 == (try await sha256(source)))
            #expect(try await sha256(#require(received.path)) == received.sha256)
            #expect(TestFile.names(in: bob.home.path + "/downloads") == ["big.bin"])
            let wanted = ["before"] + (1...3).map { "while you were away \($0)" }
            #expect(try await bob.home.texts("alice") == wanted)
            #expect(try await alice.home.texts("bob") == wanted)
        }

        @Test("scrolls and searches an old conversation with nobody there")
        func offline() async throws {
            let alice = try BlipchatHome("alice")
            let bob = try BlipchatHome("bob")
            let server = try await Server(bob, "--accept-requests")
            try await alice.add(bob.address(), as: "bob")
            let input = alice.folder.file("input")
            let lines = (1...300).map { $0 == 17 ? "the word rhubarb" : "old line \($0)" }
            try TestFile.write(lines.joined(separator: "\n"), to: input)
            let outcome = try await alice.run("send", "bob", "-", "--lines", "--timeout", "60", input: input)
            #expect(outcome.status == .exited(0), "\(outcome.errorOutput)")
            try await server.stop()

            let screen = try await Screen(alice)
            try await screen.waitForLine("old line 300")
            try await eventually("the oldest line", state: { "\(String(describing: try? await screen.tmux.screen()))" })
            {
                try await screen.tmux.press("PageUp")
                return try await screen.tmux.screen().rows.contains { $0.hasSuffix("old line 1") }
            }
            try await screen.tmux.press("M-End")
            try await screen.waitForLine("old line 300")
            try await screen.tmux.enter("/search rhubarb")
            try await screen.waitForLine("rhubarb")
            try await screen.tmux.waitFor("one hit") { $0.contains("1 hit") || $0.contains("1 of 1") }
            try await screen.tmux.press("Escape")
            try await screen.tmux.waitFor("the chat again") { !$0.contains("context") }
            try await screen.tmux.enter("typed alone")
            try await screen.waitForLine("~", "typed alone")
            try await screen.quit()
        }

        @Test("talks to the demo's echo, takes its picture, and leaves nothing behind")
        func demo() async throws {
            let home = try BlipchatHome("dora")
            let tmux = try await TmuxSession(environment: home.environment.merging(["TMPDIR": home.folder.path]) { $1 })
            try await tmux.enter("clear; \(home.command) demo; echo exit=$?")
            try await tmux.waitFor("the picture's offer") { $0.contains("OFFER #1 from echo") }
            try await tmux.enter("anybody there?")
            try await tmux.waitFor("the answer") { $0.contains("You wrote: anybody there?") }
            try await eventually("the picture is there") {
                try await tmux.press("M-y")
                return try await tmux.screen().row(with: "rings.png", "done") != nil
            }
            let file = home.folder.file("notes.txt")
            try TestFile.write("some notes", to: file)
            try await tmux.enter("/send \(file)")
            try await tmux.waitFor("the echo's thanks") { $0.contains("Thank you: I got all 10 bytes") }
            try await tmux.press("C-q")
            try await tmux.waitFor("the shell is back") { $0.contains("exit=0") }
            #expect(TestFile.names(in: home.folder.path).filter { $0.contains("demo") } == [])
            #expect(TestFile.size(home.path) == nil)
        }

        @Test("the demo looks and types as the user has it, and changes nothing of the user's")
        func demoSettings() async throws {
            let home = try BlipchatHome("dora")
            #expect(try await home.run("id").status == .exited(0))
            let settings = """
                name = "Dora"
                listen = "127.0.0.1:1"
                [ui]
                theme = "mine"
                hints = false
                time = "h:mm a"
                [files]
                dir = "\(home.path)/elsewhere"
                [keys]
                "Alt-j" = "help"
                [alias]
                wave = "/me waves"

                """
            try TestFile.write(settings, to: home.path + "/config.toml")
            mkdir(home.path + "/themes", 0o700)
            try TestFile.write("title = \"bold red\"\n", to: home.path + "/themes/mine.toml")
            let before = TestFile.names(in: home.path)
            let history = TestFile.text(home.path + "/history.sqlite")
            let tmux = try await TmuxSession(environment: home.environment.merging(["TMPDIR": home.folder.path]) { $1 })
            try await tmux.enter("clear; \(home.command) demo; echo exit=$?")
            try await tmux.waitFor("the demo, in the user's name, without hints") {
                $0.contains("me: Dora") && $0.contains(" AM") != $0.contains(" PM") && !$0.contains("F1 help")
            }
            try await tmux.enter("/wave")
            try await tmux.waitFor("the alias") { $0.contains("* Dora waves") }
            try await tmux.enter("/theme")
            try await tmux.waitFor("the theme") { $0.contains("mine") && $0.contains("(this one)") }
            try await tmux.press("M-j")
            try await tmux.waitFor("the key") { $0.contains("Help · everything you can do here") }
            try await tmux.press("Escape")
            try await tmux.waitFor("the chat again") { !$0.contains("Help · everything") }
            try await tmux.enter("/set ui.hints true")
            // The key that the user has bound stands there.
            try await tmux.waitFor("the hints of this demo") { $0.contains("Alt-j help") }
            try await tmux.press("C-q")
            try await tmux.waitFor("the shell is back") { $0.contains("exit=0") }
            #expect(TestFile.text(home.path + "/config.toml") == settings)
            // How wide this terminal draws its characters holds for every chat.
            #expect(TestFile.names(in: home.path).filter { $0 != "terminals" } == before)
            #expect(TestFile.text(home.path + "/history.sqlite") == history)
        }
    }
}
