// One program, three faces (PRODUCT, rule 9): screen, line mode and commands beside a running serve, on one history.

import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite struct FacesTests {
        /// Two homes that run serve and know each other.
        private func pair() async throws -> (alice: Server, bob: Server) {
            let bob = try await Server(BlipchatHome("bob"), options: ["--accept-requests"])
            let alice = try await Server(BlipchatHome("alice"))
            try await alice.home.add(try await bob.home.address(), as: "bob")
            let status = try await alice.home.run("status", "bob", "--wait", "online", "--timeout", "60")
            #expect(status.status == .exited(0), "\(status.output)")
            return (alice, bob)
        }

        @Test("shows the chat of a running serve on several screens and in line mode at once, and serve goes on")
        func attaching() async throws {
            let (alice, bob) = try await pair()
            let socket = alice.home.path + "/blipchat.sock"
            #expect(TestFile.permissions(socket) == 0o600)
            let first = try await TmuxSession(environment: alice.home.environment)
            try await first.enter("clear; \(alice.home.command) bob; echo exit=$?")
            try await first.waitFor("the first screen") { $0.contains("Attached to the blipchat running here") }
            let second = try await TmuxSession(columns: 120, rows: 40, environment: alice.home.environment)
            try await second.enter("clear; \(alice.home.command) bob; echo exit=$?")
            try await second.waitFor("the second screen") { $0.contains("F1 help") }
            let plain = try await TmuxSession(environment: alice.home.environment)
            try await plain.enter("clear; \(alice.home.command) --plain bob; echo exit=$?")
            try await plain.waitFor("line mode") { $0.contains("bob is online") }

            try await first.enter("from the screen")
            try await second.waitFor("the line on the other screen") { $0.row(with: "✓", "from the screen") != nil }
            try await plain.waitFor("the line in line mode") { $0.contains("delivered to bob: from the screen") }
            try await plain.enter("from line mode")
            try await first.waitFor("the line on the screen") { $0.row(with: "✓", "from line mode") != nil }
            #expect(try await bob.home.run("send", "alice", "from afar").status == .exited(0))
            for session in [first, second, plain] {
                try await session.waitFor("the answer") { $0.row(with: "bob", "from afar") != nil }
            }
            let texts = ["from the screen", "from line mode", "from afar"]
            #expect(try await alice.home.texts("bob") == texts)

            try await first.press("C-q")
            try await first.waitFor("the shell is back") { $0.contains("exit=0") }
            try await plain.enter("/quit")
            try await plain.waitFor("the shell is back") { $0.contains("exit=0") }
            #expect(try await alice.home.run("send", "bob", "still there").status == .exited(0))
            try await second.waitFor("the new line") { $0.row(with: "✓", "still there") != nil }
            // The chat ends under the screen, which says so, and finds the next one.
            let port = try alice.port
            try await alice.stop()
            try await second.waitFor("the news") { $0.contains("has quit") }
            let next = try await Server(alice.home, port: port)
            try await second.waitFor("the chat again") { $0.contains("The chat is running again") }
            try await second.enter("and on")
            try await second.waitFor("the line after") { $0.row(with: "✓", "and on") != nil }
            try await second.press("C-q")
            try await second.waitFor("the shell is back") { $0.contains("exit=0") }
            try await next.stop()
            try await bob.stop()
        }

        @Test("of two screens that show one chat the other one goes on when the first is left or dies")
        func heirs() async throws {
            let (alice, bob) = try await pair()
            try await alice.stop()
            let command = "clear; \(alice.home.command) --listen 127.0.0.1:0 bob; echo exit=$?"
            let first = try await TmuxSession(environment: alice.home.environment)
            try await first.enter(command)
            try await first.waitFor("the first screen") { $0.contains("online") }
            let second = try await TmuxSession(environment: alice.home.environment)
            try await second.enter(command)
            try await second.waitFor("the second screen") { $0.contains("Attached to the blipchat running here") }
            let third = try await TmuxSession(environment: alice.home.environment)
            try await third.enter(command)
            try await third.waitFor("the third screen") { $0.contains("Attached to the blipchat running here") }

            // What is set on one of them counts on all, whoever runs the chat.
            try await third.enter("/set ui.title off")
            try await third.waitFor("the setting") { $0.contains("ui.title = false") }
            try await second.enter("/bind F9 /version")
            for session in [first, third] {
                try await eventually("the key is known") {
                    try await session.press("F9")
                    return try await session.screen().contains("blipchat 0.")
                }
            }

            // Nor does anybody else see that another process runs it.
            let listening = try await alice.home.status().listening
            let far = try await TmuxSession(environment: bob.home.environment)
            try await far.enter("clear; \(bob.home.command) alice")
            try await first.enter("/away lunch")
            try await far.waitFor("alice is away") { $0.rows.first?.contains("away") == true }
            try await first.press("C-q")
            try await first.waitFor("the shell is back") { $0.contains("exit=0") }
            for session in [second, third] { try await session.waitFor("a link") { $0.contains("online") } }
            try await second.enter("one is left")
            for session in [second, third] {
                try await session.waitFor("the line") { $0.row(with: "✓", "one is left") != nil }
            }
            try await far.waitFor("the line, and that alice is away still") { screen in
                screen.row(with: "alice", "one is left") != nil && screen.rows.first?.contains("away") == true
            }
            #expect(try await alice.home.status().listening == listening)
            // Whichever has it now is stopped: no riddle for the other one.
            let lock = TestFile.text(alice.home.path + "/blipchat.lock")
            let holder = try #require(Int32(String(lock.prefix { $0.isNumber })))
            kill(holder, SIGSTOP)
            var left: TmuxSession?
            try await eventually("one is stopped") {
                if try await second.screen().contains("exit=147") { left = third }
                if try await third.screen().contains("exit=147") { left = second }
                return left != nil
            }
            let heir = try #require(left)
            try await heir.enter("written to a stopped one")
            try await heir.waitFor("the riddle's answer, and the line") {
                $0.contains("Your line was not stored") && $0.contains("bob> written to a stopped one")
            }
            // Then it dies, and nothing that was written is lost.
            kill(holder, SIGKILL)
            try await heir.waitFor("the news") { $0.contains("the chat continues here") }
            try await heir.waitFor("a link") { $0.contains("online") }
            try await eventually("the line before") {
                let screen = try await heir.screen()
                // What had gone to the stopped one already is in the input again.
                if screen.contains("bob> written to a stopped one") { try await heir.press("Enter") }
                return screen.row(with: "✓", "written to a stopped one") != nil
            }
            try await heir.enter("and on")
            try await heir.waitFor("the line after") { $0.row(with: "✓", "and on") != nil }
            try await heir.press("C-q")
            try await heir.waitFor("the shell is back") { $0.contains("exit=0") }
            let texts = ["one is left", "written to a stopped one", "and on"]
            #expect(try await alice.home.texts("bob") == texts)
            try await bob.stop()
        }

        @Test("who wants to leave is not held by a chat that is stopped, and what was typed is found again")
        func leavingStopped() async throws {
            let alice = try await Server(BlipchatHome("alice"))
            try await alice.home.add("127.0.0.1:9", as: "bob")
            let screen = try await TmuxSession(environment: alice.home.environment)
            try await screen.enter("clear; \(alice.home.command) bob; echo exit=$?")
            try await screen.waitFor("the screen") { $0.contains("Attached to the blipchat running here") }
            let other = try alice.home.terminal("bob")
            try await eventually("the other screen", state: { other.text }) { other.text.contains("bob>") }
            alice.process.signal(SIGSTOP)
            // Commands and further screens say so at once.
            let stopped = try await alice.home.run("send", "bob", "x", "--queue")
            expectOneSentence(stopped, 8, "is stopped")
            try await screen.type("half a line")
            try other.type("another half")
            try await eventually("it is there", state: { other.text }) { other.text.contains("half") }
            try await screen.press("C-q")
            try await screen.waitFor("the answer") { $0.contains("does not answer") || $0.contains("exit=") }
            try await screen.press("C-q")
            try await screen.waitFor("the shell is back") { $0.contains("exit=0") && $0.contains("press Up next time") }
            other.process.signal(SIGTERM)
            #expect(try await other.process.waitForExit() == .exited(128 + SIGTERM))
            alice.process.signal(SIGCONT)
            let lines = TestFile.text(alice.home.path + "/input_history")
            #expect(lines.contains("half a line") && lines.contains("another half"), "\(lines)")
            try await alice.stop()
        }

        @Test("reads lines from a pipe, without a key at the start, and prints no control characters")
        func plainPipe() async throws {
            let home = try BlipchatHome("alice")
            let input = home.folder.file("input")
            try TestFile.write("/add 127.0.0.1:9 bob\n/contacts\n/nonsense\n/notify test\n/doctor\n", to: input)
            let process = try ChildProcess(
                [home.command, "--plain", "--listen", "127.0.0.1:0"], environment: home.environment,
                folder: home.folder, input: input)
            #expect(try await process.waitForExit() == .exited(0), "\(process.errorOutput)")
            #expect(process.output.contains("There is no /nonsense"))
            #expect(process.output.contains("Line mode never rings") && process.output.contains("line mode: "))
            #expect(process.output.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\n" })
            #expect(try await home.run("contacts", "list", "--names").output == "bob\n")
            // Nothing is sent to somebody whose key was not compared when that is asked for.
            expectOneSentence(try await home.run("send", "bob", "x", "--require-verified"), 5, "unverified")
            #expect(try await home.texts("bob").isEmpty)
        }

        @Test("what is piped into line mode is sent, also when nobody reads what it prints")
        func unreadLines() async throws {
            let alice = try BlipchatHome("alice")
            let bob = try BlipchatHome("bob")
            try await alice.add(try await bob.address(), as: "bob")
            let result = try await alice.shell(
                "printf 'one\ntwo\n' | \"$0\" --plain --listen 127.0.0.1:0 bob | head -1 >/dev/null; printf 'three\n' | \"$0\" --plain --listen 127.0.0.1:0 bob | true"
            )
            #expect(result.errorOutput.isEmpty || !result.errorOutput.contains("closed"), "\(result.errorOutput)")
            #expect(try await alice.texts("bob") == ["one", "two", "three"])
        }

        @Test("line mode ends when what was asked is answered and written, and reads its settings again on SIGHUP")
        func plainEnd() async throws {
            let home = try BlipchatHome("alice")
            try await home.add("127.0.0.1:9", as: "bob")
            #expect(try await home.run("send", "bob", "needle", "--queue").status == .exited(0))
            let input = home.folder.file("input")
            let copy = home.folder.file("copy.sqlite")
            let export = home.folder.file("copy.json")
            // Each line is about what those before it have done, and each question has its answer.
            let talk = "alpha\nbeta\n/search alpha\n/history 1\n/search needle\n/history 3\n"
            try TestFile.write(talk + "/backup \(copy)\n/export \(export)\n/search needle\n", to: input)
            let process = try ChildProcess(
                [home.command, "--plain", "--listen", "127.0.0.1:0"], environment: home.environment,
                folder: home.folder, input: input)
            #expect(try await process.waitForExit() == .exited(0), "\(process.errorOutput)")
            #expect(process.output.contains("The whole history is in"))
            #expect(process.output.split(separator: "\n").count { $0.hasPrefix("Found") } == 3, "\(process.output)")
            let said = process.output.split(separator: "\n").filter {
                $0.hasSuffix("beta") && !$0.contains("delivered")
            }
            #expect(said.count >= 3, "as it was sent, by /history 1 and by /history 3: \(process.output)")
            #expect(TestFile.text(export).contains("needle"))
            #expect(TestFile.names(in: home.folder.path).filter { $0.hasSuffix(".part") }.isEmpty)
            #expect(try await home.run("restore", copy).status == .exited(0))
            #expect(try await home.texts("bob") == ["needle", "alpha", "beta"])

            // A standard input that goes on.
            let pipe = home.folder.file("pipe")
            #expect(mkfifo(pipe, 0o600) == 0)
            let end = open(pipe, O_RDWR | O_CLOEXEC)
            defer { close(end) }
            let waiting = try home.start(["--plain", "--listen", "127.0.0.1:0"], input: pipe)
            try await eventually("it runs") { try await home.run("status").output.contains("listening") }
            waiting.signal(SIGHUP)
            try await eventually("it says so") { waiting.output.contains("The settings have been reloaded") }
            waiting.signal(SIGTERM)
            #expect(try await waiting.waitForExit() == .exited(143))
        }

        @Test("follows what happens, beside a running chat and without one, until a signal ends it")
        func watch() async throws {
            let (alice, bob) = try await pair()
            let lines = try bob.home.start(["watch", "alice"])
            let records = try bob.home.start(["--json", "watch"])
            try await eventually("both watch", state: { "\(lines.errorOutput)\(records.errorOutput)" }) {
                _ = try await alice.home.run("send", "bob", "are you watching?")
                return lines.output.contains("are you watching?") && records.output.contains("\"type\":\"message\"")
            }
            lines.signal(SIGINT)
            #expect(try await lines.waitForExit() == .exited(130))
            records.signal(SIGTERM)
            #expect(try await records.waitForExit() == .exited(143))
            try await bob.stop()
            let port = try bob.port
            let own = try bob.home.start(["watch", "--listen", "127.0.0.1:\(port)"])
            try await eventually("it takes calls") { own.errorOutput.contains("listening") }
            #expect(try await alice.home.run("send", "bob", "without serve", "--timeout", "60").status == .exited(0))
            try await eventually("it says so") { own.output.contains("without serve") }
            // It may go on for days, and keeps nobody from a screen.
            let input = bob.home.folder.file("lines")
            try TestFile.write("/version\n", to: input)
            let plain = try bob.home.start(["--plain", "alice"], input: input)
            #expect(try await plain.waitForExit() == .exited(0), "\(plain.errorOutput)")
            #expect(plain.output.contains("Attached to the blipchat running here"))
            own.signal(SIGTERM)
            #expect(try await own.waitForExit() == .exited(143))
            try await alice.stop()
        }

        @Test("waits for somebody to be online, and answers 1 when the time is over")
        func waiting() async throws {
            let home = try BlipchatHome("alice")
            try await home.add("127.0.0.1:9", as: "bob")
            let outcome = try await home.run("status", "bob", "--wait", "online", "--timeout", "0.3")
            #expect(outcome.status == .exited(1))
            #expect(outcome.output.contains("bob: offline"))
            expectOneSentence(try await home.run("status", "--wait", "offline"), 2, "--wait offline", "online")
        }

        @Test("shows the address as a QR code")
        func qr() async throws {
            let home = try BlipchatHome("alice")
            let outcome = try await home.run("id", "qr")
            #expect(outcome.status == .exited(0))
            #expect(outcome.lines.count > 20)
            #expect(outcome.lines.last.map(String.init) == (try await home.address()))
        }
    }
}
