// What scripts rely on: an input that another program made non-blocking, time-outs, ids, incomplete folders, questions.

import FoundationEssentials
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite struct ScriptTests {
        /// Runs a command whose standard input is a pipe with O_NONBLOCK, through which the parts come one by one.
        private func feed(_ home: BlipchatHome, _ words: [String], _ parts: [String]) async throws -> CommandOutcome {
            let script = """
                import fcntl, os, subprocess, sys, time
                r, w = os.pipe()
                fcntl.fcntl(r, fcntl.F_SETFL, os.O_NONBLOCK)
                os.set_inheritable(w, False)
                process = subprocess.Popen([sys.argv[1]] + sys.argv[3:], stdin=r)
                os.close(r)
                for part in sys.argv[2].split("|"):
                    time.sleep(0.3)
                    try: os.write(w, part.encode())
                    except OSError: break
                time.sleep(0.3)
                os.close(w)
                sys.exit(process.wait())
                """
            let process = try ChildProcess(
                ["python3", "-c", script, home.command, parts.joined(separator: "|")] + words,
                environment: home.environment, folder: home.folder)
            let status = try await process.waitForExit()
            return CommandOutcome(status: status, output: process.output, errorOutput: process.errorOutput)
        }

        @Test("a standard input that does not block is waited for, by every command that reads it")
        func inputThatDoesNotBlock() async throws {
            let (alice, bob) = (try BlipchatHome("alice"), try BlipchatHome("bob"))
            let server = try await Server(bob, "--accept-requests", "--accept-files", "1M")
            try await alice.add(bob.address(), as: "bob")
            let commands: [([String], [String])] = [
                (["send", "bob", "-"], ["one\n", "more\n"]),
                (["send", "bob", "-", "--lines"], ["two\n", "th", "ree\n"]),
                (["send-file", "bob", "-", "--name", "x.bin"], ["five", "six"]),
                (["--plain", "bob"], ["seven\n", "eight\n"]),
            ]
            for (words, parts) in commands {
                let outcome = try await feed(alice, words, parts)
                #expect(outcome.status == .exited(0), "\(words): \(outcome.errorOutput)")
            }
            try await eventually("all of it has come") {
                try await bob.texts("alice") == ["one\nmore", "two", "three", "seven", "eight"]
            }
            #expect(TestFile.text(bob.path + "/downloads/x.bin") == "fivesix")
            try await server.stop()
        }

        @Test("--timeout holds for a file that nobody takes, too: 3, and the offer stays")
        func standstill() async throws {
            let (alice, bob) = (try BlipchatHome("alice"), try BlipchatHome("bob"))
            let server = try await Server(bob, "--accept-requests")
            try await alice.add(bob.address(), as: "bob")
            #expect(try await alice.run("send", "bob", "hello").status == .exited(0))
            try TestFile.write("x", to: alice.folder.file("x"))
            let outcome = try await alice.run("send-file", "bob", alice.folder.file("x"), "--timeout", "2")
            expectOneSentence(outcome, 3, "not there within 2 s", "transfers list")
            #expect(try await alice.transfers().first?.state == "offered")
            try await server.stop()
        }

        @Test(
            "files of a folder that cannot go are named with their reasons, also with -q, and it ends with 7; the others go"
        )
        func incompleteFolder() async throws {
            let (alice, bob) = (try BlipchatHome("alice"), try BlipchatHome("bob"))
            let server = try await Server(bob, "--accept-requests", "--accept-files", "1M")
            try await alice.add(bob.address(), as: "bob")
            var path = "top"
            _ = try alice.folder.makeFolder(path)
            for depth in 1...40 {
                try TestFile.write("\(depth)", to: alice.folder.file("\(path)/f\(depth)"))
                path += "/d"
                _ = try alice.folder.makeFolder(path)
            }
            let outcome = try await alice.run("-q", "send-file", "bob", alice.folder.file("top"))
            #expect(outcome.status == .exited(7))
            #expect(outcome.lines.count == 32, "an id for each that goes")
            let named = outcome.errorOutput.split(separator: "\n")
            #expect(named.count == 9, "\(outcome.errorOutput)")
            for depth in 33...40 {
                #expect(
                    named.contains { $0.contains("/f\(depth): not sent: it is more than 32 folders deep") }, "\(depth)")
            }
            #expect(named.last?.contains("incomplete: 8 files in it not sent") == true)
            #expect(try await bob.transfers().count { $0.state == "complete" } == 32)
            // Whole ones are no different from before.
            let whole = try await alice.run("-q", "send-file", "bob", alice.folder.file("top/d/d/d/d/d/d/d/d/d/d"))
            #expect(whole.status == .exited(0) && whole.errorOutput.isEmpty, "\(whole.errorOutput)")
            try await server.stop()
        }

        @Test("a message under an id of one's own is stored once, whoever stores it; other words under it are refused")
        func ownID() async throws {
            let (alice, bob) = (try BlipchatHome("alice"), try BlipchatHome("bob"))
            let server = try await Server(bob, "--accept-requests")
            try await alice.add(bob.address(), as: "bob")
            let id = "0190aaaa-bbbb-7ccc-8ddd-eeeeffff0001"
            for round in 1...3 {
                let own = round == 2 ? try await Server(alice) : nil
                let outcome = try await alice.run("send", "bob", "--id", id.uppercased(), "once")
                #expect(outcome.status == .exited(0) && outcome.output == id + "\n", "\(outcome.errorOutput)")
                try await own?.stop()
            }
            expectOneSentence(try await alice.run("send", "bob", "--id", id, "twice"), 2, "another message has the id")
            expectOneSentence(try await alice.run("send", "bob", "--id", "mine", "x"), 2, "--id mine")
            expectOneSentence(try await alice.run("send", "bob", "-", "--lines", "--id", id), 2, "only for one message")
            #expect(try await alice.texts("bob") == ["once"])
            #expect(try await bob.texts("alice") == ["once"])
            try await server.stop()
        }

        @Test("a process that dies with a message in its hands leaves no doubt: the message is sent, once")
        func lostProcess() async throws {
            let (alice, bob) = (try BlipchatHome("alice"), try BlipchatHome("bob"))
            let server = try await Server(bob, "--accept-requests")
            try await alice.add(bob.address(), as: "bob")
            // Takes one request, and dies without a word.
            let script = """
                import os, socket, sys
                path = os.environ["BLIPCHAT_HOME"] + "/blipchat.sock"
                if os.path.exists(path): os.unlink(path)
                listener = socket.socket(socket.AF_UNIX)
                listener.bind(path)
                os.chmod(path, 0o600)
                listener.listen(5)
                print("ready", flush=True)
                end = listener.accept()[0]
                end.recv(65536)
                os.unlink(path)
                os._exit(1)
                """
            let dying = try ChildProcess(
                ["python3", "-c", script], environment: alice.environment, folder: alice.folder)
            try await eventually("it listens", state: { dying.errorOutput }) { dying.output == "ready\n" }
            let outcome = try await alice.run("send", "bob", "hello")
            #expect(try await dying.waitForExit() == .exited(1))
            #expect(outcome.status == .exited(0), "\(outcome.errorOutput)")
            #expect(outcome.lines.count == 1)
            #expect(try await bob.texts("alice") == ["hello"])
            #expect(try await alice.history("bob").map(\.id) == outcome.lines.map(String.init))
            try await server.stop()
        }

        @Test("a contact with a history is removed when somebody says so: --yes, or yes on the terminal")
        func removal() async throws {
            let alice = try BlipchatHome("alice")
            try await alice.add("127.0.0.1:1", as: "bob")
            #expect(try await alice.run("send", "bob", "kept", "--queue").status == .exited(0))
            let unasked = try await alice.run("contacts", "remove", "bob")
            expectOneSentence(unasked, 2, "deletes the contact and the chat", "(1 message)", "--yes")
            for (answer, code) in [("n\r", 1), ("\r", 1), ("y\r", 0)] as [(String, Int32)] {
                #expect(try await alice.texts("bob") == ["kept"])
                let terminal = try alice.terminal("contacts", "remove", "bob")
                try await eventually("it asks", state: { terminal.text }) { terminal.text.contains("[y/N]") }
                try terminal.type(answer)
                #expect(try await terminal.process.waitForExit() == .exited(code), "\(terminal.text)")
            }
            #expect(try await alice.run("contacts", "list").output.isEmpty)
            // Where nothing was written there is nothing to ask about.
            try await alice.add("127.0.0.1:1", as: "eve")
            #expect(try await alice.run("contacts", "remove", "eve").status == .exited(0))
            try await alice.add("127.0.0.1:1", as: "ann")
            #expect(try await alice.run("send", "ann", "x", "--queue").status == .exited(0))
            #expect(try await alice.run("contacts", "remove", "ann", "--yes").status == .exited(0))
        }

        @Test("who is blocked here gets nothing: 1, because it was our own user who said no")
        func blocked() async throws {
            let alice = try BlipchatHome("alice")
            try await alice.add("127.0.0.1:1", as: "bob")
            #expect(try await alice.run("contacts", "block", "bob").status == .exited(0))
            expectOneSentence(try await alice.run("send", "bob", "x"), 1, "blocked")
        }

        @Test(
            "an export has pins, how long a conversation is kept, mutes and when somebody was seen, and brings them back"
        )
        func wholeExport() async throws {
            let (alice, bob, copy) = (try BlipchatHome("alice"), try BlipchatHome("bob"), try BlipchatHome("copy"))
            let server = try await Server(bob, "--accept-requests")
            try await alice.add(bob.address(), as: "bob")
            for text in ["one", "two"] { #expect(try await alice.run("send", "bob", text).status == .exited(0)) }
            try await server.stop()
            let lines = try Fifo(in: bob.folder)
            let plain = try bob.start("--plain", "alice", input: lines.path)
            lines.write("/pin 1\n/mute alice\n")
            try await eventually("both are done", state: { plain.output + plain.errorOutput }) {
                let all = try await bob.run("export", "--format", "json").output
                return all.contains("\"pinned\"") && all.contains("\"muted_until\"")
            }
            lines.hangUp()
            #expect(try await plain.waitForExit() == .exited(0))
            #expect(try await bob.run("keep", "alice", "3650").status == .exited(0))
            let (one, two) = (bob.folder.file("one.json"), bob.folder.file("two.json"))
            #expect(try await bob.run("export", "--format", "json", "-o", one).status == .exited(0))
            for member in ["\"pinned\"", "\"keep\":\"3650\"", "\"muted_until\":\"forever\""] {
                #expect(TestFile.text(one).contains(member), "\(member)")
            }
            #expect(!TestFile.text(one).contains("\"last_seen\":null"))
            #expect(try await copy.run("import", one).status == .exited(0))
            #expect(try await copy.run("export", "--format", "json", "-o", two).status == .exited(0))
            #expect(TestFile.text(one) == TestFile.text(two))
            #expect(try await copy.run("keep", "alice").output == "3650 days\n")
        }

        @Test("an import says what is older than the home keeps it, with the contact and the way to keep it")
        func expiringImport() async throws {
            let (old, new) = (try BlipchatHome("old"), try BlipchatHome("new"))
            let id = "01900000-0000-7000-8000-000000000001"
            try TestFile.write(
                """
                {"v":1,"type":"export","program":"blipchat"}
                {"v":1,"type":"contact","name":"bob","peer_id":null,"addresses":[],"trust":"unverified","blocked":false,"added":"2017-01-01T00:00:00.000Z"}
                {"v":1,"type":"message","id":"\(id)","conversation":"bob","direction":"incoming","sequence":1,"sent":"2017-07-14T02:40:00.000Z","stored":"2017-07-14T02:40:00.000Z","delivery":"read","text":"old"}
                {"v":1,"type":"end","messages":1,"operations":0}

                """, to: old.folder.file("export.json"))
            for isRunning in [false, true] {
                let home = isRunning ? new : old
                #expect(try await home.run("config", "set", "history.keep", "30").status == .exited(0))
                let server = isRunning ? try await Server(home) : nil
                let outcome = try await home.run("import", old.folder.file("export.json"))
                #expect(outcome.status == .exited(0), "\(outcome.errorOutput)")
                #expect(outcome.output.contains("1 message with bob will be deleted"), "\(outcome.output)")
                #expect(outcome.output.contains("keep WHO forever"))
                try await server?.stop()
            }
            let quiet = try BlipchatHome("quiet")
            #expect(try await !quiet.run("import", old.folder.file("export.json")).output.contains("will be deleted"))
        }

        @Test("watch says of each record what is new; progress has the number and the size of its file")
        func events() async throws {
            struct Record: Decodable {
                var type: String
                var event: String?
                var text: String?
                var number: Int?
                var size: Int?
            }
            let (alice, bob) = (try BlipchatHome("alice"), try BlipchatHome("bob"))
            let server = try await Server(bob, "--accept-requests", "--accept-files", "100M")
            try await alice.add(bob.address(), as: "bob")
            #expect(try await alice.run("send", "bob", "before").status == .exited(0))
            let watch = try bob.start("watch", "--json")
            func records() throws -> [Record] {
                try watch.output.split(separator: "\n", omittingEmptySubsequences: true).compactMap {
                    $0.hasPrefix("{") && $0.hasSuffix("}")
                        ? try JSONDecoder().decode(Record.self, from: Data($0.utf8)) : nil
                }
            }
            try await eventually("it follows") {
                #expect(try await alice.run("send", "bob", "again").status == .exited(0))
                return try records().contains { $0.event == "added" }
            }
            let lines = try Fifo(in: alice.folder)
            let plain = try alice.start("--plain", "bob", input: lines.path)
            lines.write("/edit 1 changed\n/react 1 :+1:\n")
            try await eventually("edit and reaction are told", state: { watch.output }) {
                let events = try records().filter { $0.type == "message" && $0.text == "changed" }.compactMap(\.event)
                return events.contains("edited") && events.contains("reaction")
            }
            lines.hangUp()
            #expect(try await plain.waitForExit() == .exited(0))
            #expect(try records().allSatisfy { $0.type != "message" || $0.event != nil })
            let big = alice.folder.file("big")
            try TestFile.write(String(repeating: "x", count: 8_000_000), to: big)
            let sending = try await alice.run("send-file", "bob", big, "--json")
            #expect(sending.status == .exited(0))
            for record in try records() where record.type == "progress" {
                #expect(record.number != nil && record.size == 8_000_000)
            }
            watch.signal(SIGTERM)
            #expect(try await watch.waitForExit() == .exited(143))
            try await server.stop()
        }
    }
}
