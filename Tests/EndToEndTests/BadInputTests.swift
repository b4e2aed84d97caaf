// What goes wrong gets one clear sentence and an exit code, and nothing hangs.

import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite struct BadInputTests {
        @Test("answers wrong command lines with one sentence and code 2")
        func usage() async throws {
            let alice = try BlipchatHome("alice")
            expectOneSentence(try await alice.run("--jsno"), 2, "--jsno: unknown option", "did you mean --json?")
            expectOneSentence(try await alice.run("hsitory"), 2, "no such command or contact", "did you mean history?")
            expectOneSentence(
                try await alice.run("sned", "bob", "hello"), 2, "no such command or contact", "did you mean send?")
            expectOneSentence(try await alice.run("contacts", "ad", "x"), 2, "did you mean contacts add?")
            expectOneSentence(try await alice.run("completion"), 2, "an argument is missing")
            expectOneSentence(try await alice.run("send", "bob"), 2, "text: missing")
            expectOneSentence(try await alice.run("serve", "--listen", "no port"), 2, "HOST:PORT")
            expectOneSentence(try await alice.run("history", "\u{1B}[31mbob"), 10, "no such contact")
            let version = try await alice.run("version")
            #expect(version.status == .exited(0) && version.output.hasPrefix("blipchat "))
            for command in [["help"], ["--help"], ["send", "--help"], ["help", "contacts"]] {
                let process = try alice.start(command)
                #expect(try await process.waitForExit() == .exited(0))
                #expect(process.output.hasPrefix("Usage: blipchat"))
            }
        }

        @Test("takes no words and no folder that are not UTF-8: repaired ones would be others than the user's")
        func bytes() async throws {
            let alice = try BlipchatHome("alice")
            try await alice.add("127.0.0.1:\(PlainServer.freePort())", as: "bob")
            // The shell makes the byte E9, which is no UTF-8.
            func run(_ line: String) async throws -> CommandOutcome {
                try await alice.shell("e=$(printf 'caf\\351'); " + line)
            }
            let advice = "not UTF-8 text (write it in UTF-8; if a file is called that"
            expectOneSentence(try await run("exec \"$0\" send bob \"$e\""), 2, "caf\u{FFFD}: ", advice)
            expectOneSentence(try await run("exec \"$0\" send-file bob \"$e.txt\""), 2, "caf\u{FFFD}.txt: ", advice)
            let folder = try await run("BLIPCHAT_HOME=\"$BLIPCHAT_HOME/$e\" exec \"$0\" id")
            expectOneSentence(folder, 2, "BLIPCHAT_HOME: not UTF-8 text")
            #expect(try await alice.run("search", "caf").status == .exited(1))
            #expect(try await run("OTHER=\"$e\" exec \"$0\" id").status == .exited(0))
        }

        @Test("a home that is a file is not taken for an empty one, and stays as it is")
        func fileAsHome() async throws {
            let alice = try BlipchatHome("alice")
            let file = alice.folder.file("home")
            try TestFile.write("mine", to: file)
            chmod(file, 0o644)
            func run(_ home: String, _ words: String) async throws -> CommandOutcome {
                try await alice.shell("BLIPCHAT_HOME='\(home)' exec \"$0\" \(words)")
            }
            for words in ["contacts list", "transfers list", "export", "search x", "history bob", "status", "id"] {
                let outcome = try await run(file, words)
                #expect(outcome.status == .exited(7) && outcome.errorOutput.contains(file), "\(words): \(outcome)")
            }
            #expect(try await run(file + "/sub", "contacts list").status == .exited(7))
            let doctor = try await run(file, "doctor --fix")
            #expect(doctor.status == .exited(7) && doctor.output.contains("\(file) is not a folder"), "\(doctor)")
            var status = stat()
            #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o644)
        }

        @Test("a full device that takes no id says that the message is stored")
        func fullDevice() async throws {
            let alice = try BlipchatHome("alice")
            try await alice.add("127.0.0.1:\(PlainServer.freePort())", as: "bob")
            let outcome = try await alice.shell("exec \"$0\" send bob x --queue > /dev/full")
            expectOneSentence(outcome, 7, "standard output: cannot be written", "is stored and goes out")
        }

        @Test("takes no pipe or folder for a file, and - only where standard input or output is meant")
        func notFiles() async throws {
            let alice = try BlipchatHome("alice")
            try await alice.add("127.0.0.1:\(PlainServer.freePort())", as: "bob")
            let pipe = alice.folder.file("pipe")
            #expect(mkfifo(pipe, 0o600) == 0)
            for command in ["import", "restore"] {
                let outcome = try await alice.run(command, pipe)
                #expect(outcome.errorOutput.contains("not a regular file"), "\(outcome.errorOutput)")
                expectOneSentence(try await alice.run(command, "-"), 2, "-: cannot be standard input or output here")
            }
            expectOneSentence(try await alice.run("backup", "-"), 2, "name a file")
            expectOneSentence(try await alice.run("receive", "-o", pipe, "--accept", "1k"), 2, "not a folder")
            expectOneSentence(try await alice.run("export", "-o", alice.folder.path), 7, "")
            expectOneSentence(try await alice.run("send-file", "bob", "/proc/version"), 7, "not a regular file")
        }

        @Test("sends nothing of what cannot be sent whole, and nothing that shows nothing")
        func unsendable() async throws {
            let alice = try BlipchatHome("alice")
            try await alice.add("127.0.0.1:\(PlainServer.freePort())", as: "bob")
            for text in [" ", "\u{200B}", "\n\t"] {
                expectOneSentence(try await alice.run("send", "bob", text, "--queue"), 2, "the message is empty")
            }
            let lines = alice.folder.file("lines")
            try TestFile.write("one\n" + String(repeating: "x", count: 65_537) + "\nthree\n", to: lines)
            let outcome = try await alice.run("send", "bob", "-", "--lines", "--queue", input: lines)
            expectOneSentence(outcome, 2, "standard input:2: 65537 bytes", "nothing was sent")
            try TestFile.write("one\n \n\u{200B}\nthree\n", to: lines)
            #expect(try await alice.run("send", "bob", "-", "--lines", "--queue", input: lines).status == .exited(0))
            #expect(try await alice.texts("bob") == ["one", "three"])
        }

        @Test("slips that changed or found nothing say so")
        func slips() async throws {
            let alice = try BlipchatHome("alice")
            try await alice.add("127.0.0.1:\(PlainServer.freePort())", as: "bob")
            expectOneSentence(
                try await alice.run("config", "unset", "ui.theme"), 1, "ui.theme: not set", "list --set")
            expectOneSentence(try await alice.run("search", " "), 2, "nothing to search for")
            expectOneSentence(try await alice.run("search"), 2, "nothing to search for")
            expectOneSentence(
                try await alice.run("transfers", "limit", "sideways", "5k"), 2, "sideways", "write up, down")
            let nowhere = alice.folder.file("none/x")
            expectOneSentence(try await alice.run("backup", nowhere), 7, nowhere, "(check the path")
            expectOneSentence(try await alice.run("restore", nowhere), 7, nowhere, "there is no such file")
            #expect(try await alice.run("config", "set", "edit_mode", "vi").status == .exited(0))
            #expect(try await alice.run("config", "get", "ui.edit_mode").output == "vi\n")
            let closed = try await alice.shell("exec \"$0\" contacts add 127.0.0.1:1 --name carol >&-")
            expectOneSentence(closed, 7, "standard output")
            #expect(try await alice.run("contacts", "list", "--names").output == "bob\n")
        }

        @Test("a name that is given and taken is refused; one that a peer chose gets a number")
        func takenName() async throws {
            let alice = try BlipchatHome("alice")
            try await alice.add("127.0.0.1:\(PlainServer.freePort())", as: "bob")
            let other = try "127.0.0.1:\(PlainServer.freePort())"
            expectOneSentence(
                try await alice.run("contacts", "add", other, "--name", "BOB"), 2, "a contact is already called \"bob\""
            )
            #expect(try await alice.run("contacts", "list").output.split(separator: "\n").count == 1)
        }

        @Test(
            "refuses wrong addresses",
            arguments: ["blip://", "http://h:1", "h:99999", "blip://h:1/short", "h:", "[::1", "\u{1B}]0;x\u{7}"])
        func addresses(address: String) async throws {
            let alice = try BlipchatHome("alice")
            expectOneSentence(try await alice.run("contacts", "add", "--", address), 2, "blip://HOST:PORT")
            let own = try await alice.address()
            expectOneSentence(try await alice.run("contacts", "add", own), 2, "your own")
        }

        @Test("says why a peer cannot be reached: refused, silent, or something else than blipchat")
        func unreachable() async throws {
            let alice = try BlipchatHome("alice")
            let silent = try PlainServer(.silent)
            let web = try PlainServer(.answers("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"))
            try await alice.add("127.0.0.1:\(PlainServer.freePort())", as: "refused")
            try await alice.add("127.0.0.1:\(silent.port)", as: "silent")
            try await alice.add("127.0.0.1:\(web.port)", as: "web")
            try await alice.add("no-such-host.invalid:1", as: "nowhere")
            expectOneSentence(try await alice.run("send", "refused", "x", "--timeout", "5"), 3, "refused")
            expectOneSentence(try await alice.run("send", "silent", "x", "--timeout", "1"), 3, "queued")
            expectOneSentence(try await alice.run("send", "web", "x", "--timeout", "5"), 3, "not blipchat")
            expectOneSentence(try await alice.run("send", "nowhere", "x", "--timeout", "5"), 3, "no-such-host.invalid")
            #expect(try await alice.history("web").map(\.state) == ["pending"])
        }

        @Test("sends nothing to a peer with another key than the pinned one")
        func otherKey() async throws {
            let alice = try BlipchatHome("alice")
            let bob = try BlipchatHome("bob")
            let carol = try BlipchatHome("carol")
            let carolID = try #require(try await carol.address().split(separator: "/").last)
            // Carol's key is the first that answers there, and is trusted.
            let first = try await Server(carol, "--accept-requests")
            let port = try first.port
            try await alice.add("127.0.0.1:\(port)", as: "carol")
            #expect(try await alice.run("send", "carol", "hello").status == .exited(0))
            try await first.stop()
            let server = try await Server(bob, port: port, "--accept-requests")
            // A key that came with the address is that of the contact: who answers with another one is somebody else.
            let doraID = try #require(try await BlipchatHome("dora").address().split(separator: "/").last)
            try await alice.add("blip://127.0.0.1:\(port)/\(doraID)", as: "dora")
            expectOneSentence(
                try await alice.run("send", "dora", "secret", "--timeout", "2"), 3,
                "somebody else answers at 127.0.0.1:\(port)")
            #expect(try await alice.run("contacts", "show", "dora").output.contains("unverified"))
            expectOneSentence(try await alice.run("contacts", "accept-key", "dora"), 5, "no other key")
            expectOneSentence(try await alice.run("send", "carol", "secret"), 5, "a different key")
            #expect(try await alice.run("status").output.contains("KEY CHANGED: nothing is sent"))
            #expect(try await alice.history("carol").map(\.state) == ["delivered", "pending"])
            #expect(try await bob.run("search", "secret").status == .exited(1))

            // Both numbers are shown; the new key is accepted only with its own number, or on purpose without one.
            let shown = try await alice.run("contacts", "verify", "carol")
            #expect(shown.lines.contains("key-changed") && shown.lines.contains("the key that answers now:"))
            #expect(shown.lines.count == 9)
            let old = shown.lines[0..<3].joined(separator: " ")
            let new = shown.lines[5..<8].joined(separator: " ")
            #expect(old != new)
            expectOneSentence(try await alice.run("contacts", "accept-key", "carol", old), 5, "the numbers differ")
            expectOneSentence(try await alice.run("contacts", "verify", "carol", new), 5, "accept-key")
            expectOneSentence(try await alice.run("send", "carol", "more"), 5, "accept-key")
            expectOneSentence(try await alice.run("send", "carol", "more", "--timeout", "0"), 5, "accept-key")
            let accepted = try await alice.run("contacts", "accept-key", "carol", new)
            #expect(accepted.status == .exited(0) && accepted.lines == ["verified"])
            expectOneSentence(try await alice.run("contacts", "accept-key", "carol"), 5, "no other key")
            let details = try await alice.run("contacts", "show", "carol").output
            #expect(details.contains("old key    \(carolID.prefix(52))"))
            #expect(try await alice.run("send", "carol", "last").status == .exited(0))
            #expect(try await alice.history("carol").allSatisfy { $0.state == "delivered" })
            try await server.stop()
        }

        @Test("leaves a damaged, a newer and an unreadable history alone, with code 9 or 7")
        func histories() async throws {
            let alice = try BlipchatHome("alice")
            _ = try await alice.address()
            let path = alice.path + "/history.sqlite"
            try TestFile.write(String(repeating: "this is no database. ", count: 500), to: path)
            let before = TestFile.read(path)
            expectOneSentence(try await alice.run("contacts", "list"), 9, "history.sqlite", "damaged")
            let served = try await alice.run("serve", "--listen", "127.0.0.1:0")
            expectOneSentence(served, 9, "blipchat: history: ", "damaged")
            #expect(served.errorOutput.split(separator: "history.sqlite").count == 2, "the file is named once")
            expectOneSentence(try await alice.run("send", "bob", "x"), 9, "damaged")
            #expect(TestFile.read(path) == before)
            // One that has lost everything is no new one.
            try TestFile.write("", to: path)
            for command in [["contacts", "list"], ["send", "bob", "x"], ["serve", "--listen", "127.0.0.1:0"]] {
                let process = try alice.start(command)
                #expect(try await process.waitForExit() == .exited(9), "\(command)")
                #expect(process.errorOutput.contains("it is empty; restore a copy"), "\(process.errorOutput)")
            }
            #expect(try await alice.run("doctor").status == .exited(9))
            #expect(TestFile.size(path) == 0)
            // The version stands in the header at byte 60.
            let other = try BlipchatHome("other")
            let server = try await Server(other)
            try await server.stop()
            let newer = other.path + "/history.sqlite"
            var bytes = TestFile.read(newer)
            bytes.replaceSubrange(60..<64, with: [0, 0, 0x7F, 0xFF])
            try TestFile.write(bytes, to: newer)
            expectOneSentence(try await other.run("serve", "--listen", "127.0.0.1:0"), 9, "newer")
            #expect(TestFile.read(newer) == bytes)
        }

        @Test("refuses a key file that others may read, and one that contains no key")
        func keys() async throws {
            let alice = try BlipchatHome("alice")
            _ = try await alice.address()
            chmod(alice.path + "/identity.key", 0o644)
            expectOneSentence(try await alice.run("id"), 7, "identity.key")
            chmod(alice.path + "/identity.key", 0o600)
            try TestFile.write("no key", to: alice.path + "/identity.key")
            expectOneSentence(try await alice.run("id"), 7, "contains no key")
        }

        @Test("names line and column of a slip in config.toml")
        func configuration() async throws {
            let alice = try BlipchatHome("alice")
            _ = try await alice.address()
            try TestFile.write("# mine\nnaem = \"Alice\"\n", to: alice.path + "/config.toml")
            expectOneSentence(try await alice.run("id"), 2, "config.toml:2:1", "did you mean name?")
            try TestFile.write("name = \"Alice A.\"\n", to: alice.path + "/config.toml")
            #expect(try await alice.address().hasSuffix("#Alice%20A."))
        }

        @Test("refuses to listen where it must not, and takes another port only when none was asked for")
        func ports() async throws {
            let alice = try BlipchatHome("alice")
            let taken = try PlainServer(.silent)
            expectOneSentence(
                try await alice.run("serve", "--listen", "127.0.0.1:\(taken.port)"), 7, "127.0.0.1:\(taken.port)")
            expectOneSentence(
                try await alice.run("serve", "--listen", "192.0.2.1:0"), 7, "blipchat: listen: ", "192.0.2.1:0")
        }

        @Test("says that a home cannot be made or is a file")
        func homes() async throws {
            let alice = try BlipchatHome("alice")
            try TestFile.write("x", to: alice.folder.file("file"))
            expectOneSentence(try await alice.run("--data-dir", alice.folder.file("file"), "id"), 7, "not a folder")
            expectOneSentence(try await alice.run("--data-dir", alice.folder.file("file/x"), "id"), 7, "file")
            expectOneSentence(try await alice.run("--data-dir", "/proc/nope", "id"), 7, "/proc/nope")
        }

        @Test("offers only files that are there, and says when one cannot be read")
        func files() async throws {
            let alice = try BlipchatHome("alice")
            try await alice.add("127.0.0.1:\(PlainServer.freePort())", as: "bob")
            expectOneSentence(try await alice.run("send-file", "bob", "/no/such/file"), 7, "/no/such/file")
            expectOneSentence(try await alice.run("send-file", "bob", "/dev/null"), 7, "not a regular file")
            let file = alice.folder.file("file")
            try TestFile.write("x", to: file)
            expectOneSentence(try await alice.run("send-file", "bob", file, "--timeout", "0.5"), 3, "queued")
            expectOneSentence(try await alice.run("transfers", "accept", "9"), 10, "there is no such transfer")
            expectOneSentence(try await alice.run("transfers", "accept", "x"), 2, "not a number")
            #expect(try await alice.run("transfers", "cancel", "1").status == .exited(0))
            #expect(try await alice.transfers().map(\.state) == ["cancelled"])
        }

        @Test("ends a transfer whose file changed or vanished, and refuses a folder that cannot be written")
        func transfers() async throws {
            let alice = try BlipchatHome("alice")
            let bob = try BlipchatHome("bob")
            // Confined ones have a second name of the file, and write to no other folder.
            for home in [alice, bob] {
                #expect(try await home.run("config", "set", "security.sandbox", "false").status == .exited(0))
            }
            let receiver = try await Server(bob, "--accept-requests")
            let sender = try await Server(alice)
            try await alice.add(bob.address(), as: "bob")
            for name in ["changed", "gone", "good"] {
                let file = alice.folder.file(name)
                try TestFile.generate(file, size: 100_000)
                #expect(try await alice.run("send-file", "bob", file, "--queue").status == .exited(0))
            }
            try await eventually("the offers arrive") { try await bob.transfers().count == 3 }
            try TestFile.generate(alice.folder.file("changed"), size: 100_001)
            unlink(alice.folder.file("gone"))
            for number in ["#1", "2"] {
                #expect(try await bob.run("transfers", "accept", number).status == .exited(0))
            }
            try await eventually("both have failed on both sides") {
                let states = try await bob.transfers() + alice.transfers()
                return states.filter { $0.state == "failed" && $0.reason != nil }.count == 4
            }
            #expect(TestFile.names(in: bob.path + "/downloads") == [])
            let blocked = bob.folder.file("file")
            try TestFile.write("x", to: blocked)
            expectOneSentence(
                try await bob.run("transfers", "accept", "3", "--into", blocked + "/below"), 7, "cannot write")
            let folder = try bob.folder.makeFolder("elsewhere")
            #expect(try await bob.run("transfers", "accept", "3", "--into", folder).status == .exited(0))
            try await eventually("it is there after all") {
                // A file has its name before its row says that it is complete.
                try await bob.transfers().contains { $0.state == "complete" } && TestFile.names(in: folder) == ["good"]
            }
            expectOneSentence(try await bob.run("transfers", "pause", "3"), 2, "complete")
            try await sender.stop()
            try await receiver.stop()
        }

        @Test("stays quiet when the reader of its output goes away")
        func brokenPipe() async throws {
            let alice = try BlipchatHome("alice")
            let script = "\(alice.command) help | true; \(alice.command) help | head -1; echo done"
            let process = try ChildProcess(
                ["/bin/sh", "-c", script], environment: alice.environment, folder: alice.folder)
            #expect(try await process.waitForExit() == .exited(0))
            #expect(process.errorOutput.isEmpty)
            #expect(process.output.hasSuffix("done\n"))
        }
    }
}
