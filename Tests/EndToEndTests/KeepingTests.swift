// Keeping a history, as people and scripts do it: dates, exports, copies, the doctor, deletion, logs.

import CLinux
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite struct KeepingTests {
        private static let secret = "zanzibarquux"

        /// Two homes, one of them served, with a few messages between them.
        private func pair() async throws -> (BlipchatHome, BlipchatHome, Server) {
            let alice = try BlipchatHome("alice")
            let bob = try BlipchatHome("bob")
            let server = try await Server(bob, "--accept-requests")
            try await alice.add(bob.address(), as: "bob")
            for text in ["one", "the \(Self.secret) two", "three https://example.org/x"] {
                #expect(try await alice.run("send", "bob", text).status == .exited(0))
            }
            return (alice, bob, server)
        }

        /// Whether any file of a home has the text, but for those whose names contain `except`.
        private func finds(_ text: String, in home: BlipchatHome) -> [String] {
            var found: [String] = []
            for name in ["history.sqlite", "history.sqlite-wal", "history.sqlite-shm", "log/blipchat.log"] {
                if TestFile.text("\(home.path)/\(name)").contains(text) { found.append(name) }
            }
            return found
        }

        @Test("commands on the screen leave the locks on its own history, without which others would delete the log")
        func locks() async throws {
            let alice = try await Screen(BlipchatHome("alice"))
            let number = try #require(try await alice.home.status().pid)
            var status = stat()
            #expect(stat(alice.home.path + "/history.sqlite", &status) == 0)
            let inode = status.st_ino
            let locks = {
                TestFile.text("/proc/locks").split(separator: "\n")
                    .filter { $0.contains(" \(number) ") && $0.contains(":\(inode) ") }.count
            }
            let before = locks()
            #expect(before > 0)
            try await alice.tmux.enter("/doctor")
            try await alice.tmux.waitFor("what the doctor says") { $0.contains("every row can be read") }
            #expect(locks() == before)
            let file = alice.home.folder.file("export.txt")
            try await alice.tmux.enter("/export -o \(file)")
            try await alice.tmux.waitFor("the export") { _ in TestFile.size(file) != nil }
            try await alice.tmux.enter("/backup \(alice.home.folder.file("copy"))")
            try await alice.tmux.waitFor("the copy") { _ in TestFile.size(alice.home.folder.file("copy")) != nil }
            #expect(locks() == before)
            try await alice.quit()
        }

        @Test("an import while a peer sends: everything is there once, and what was said before stands before")
        func importBesideArrivals() async throws {
            let carol = try await Server(BlipchatHome("carol"), "--accept-requests")
            let dave = try BlipchatHome("dave")
            try await dave.add(carol.home.address(), as: "carol")
            let old = dave.folder.file("old")
            try TestFile.write((1...300).map { "old \($0)\n" }.joined(), to: old)
            #expect(try await dave.run("send", "carol", "--lines", "-", input: old).status == .exited(0))
            let file = dave.folder.file("export.json")
            #expect(
                try await carol.home.run("export", "--format", "json", "-o", file).status == .exited(0))
            try await carol.stop()

            let alice = try await Server(BlipchatHome("alice"), "--accept-requests")
            let bob = try BlipchatHome("bob")
            try await bob.add(alice.home.address(), as: "alice")
            let new = bob.folder.file("new")
            try TestFile.write((1...300).map { "new \($0)\n" }.joined(), to: new)
            let sending = try bob.start("send", "alice", "--lines", "-", input: new)
            let imports = try (0..<2).map { _ in try alice.home.start("import", "--yes", file) }
            for process in [sending] + imports {
                let status = try await process.waitForExit()
                #expect(status == .exited(0), "\(process.errorOutput)")
            }
            #expect(try await alice.home.texts("bob") == (1...300).map { "new \($0)" })
            #expect(try await alice.home.texts("dave") == (1...300).map { "old \($0)" })
            try await alice.stop()
            #expect(try await alice.home.run("doctor").status == .exited(0))
        }

        @Test("history shows a message with those around it; search takes filters")
        func lookingAround() async throws {
            let (alice, _, server) = try await pair()
            let ids = try await alice.history("bob").map(\.id)
            let around = try await alice.run("history", "bob", "--around", ids[1], "-n", "2")
            #expect(around.lines.count == 2)
            #expect(around.lines.last?.hasSuffix("the \(Self.secret) two") == true)
            #expect(try await alice.run("history", "bob", "--around", ids[0]).lines.count == 3)
            #expect(
                try await alice.run("history", "bob", "--around", "00000000-0000-7000-8000-000000000001").status
                    == .exited(10))
            #expect(try await alice.run("history", "bob", "--around", "x").status == .exited(2))
            #expect(try await alice.run("search", "has:link").lines.count == 1)
            #expect(try await alice.run("search", "from:me on:today in:bob").lines.count == 3)
            #expect(try await alice.run("search", "from:Alice on:today in:bob").lines.count == 3)
            #expect(try await alice.run("search", "from:bob").status == .exited(1))
            // Filters alone will do, as options too.
            #expect(try await alice.run("search", "--since", "today", "--from", "Alice").lines.count == 3)
            let wrong = try await alice.run("search", "x in:nobody")
            expectOneSentence(wrong, 10, "nobody: no such contact")
            expectOneSentence(try await alice.run("search", "from:nobody", "x"), 10, "nobody: no such contact")
            expectOneSentence(try await alice.run("search", "--from", "nobody", "x"), 10, "nobody: no such contact")
            try await server.stop()
        }

        @Test("dates leave nothing out, whichever of two exports comes first and wherever a clock was wrong")
        func datesOfImports() async throws {
            /// An export of messages of one day each.
            func write(_ days: [String], to file: String, first number: Int) throws {
                var lines = [
                    #"{"v":1,"type":"export","program":"blipchat"}"#,
                    #"{"v":1,"type":"contact","name":"dee","addresses":[],"trust":"unverified","blocked":false}"#,
                ]
                for (offset, day) in days.enumerated() {
                    let id = "00000000-0000-7000-8000-00000000000\(number + offset)"
                    lines.append(
                        #"{"v":1,"type":"message","id":"\#(id)","conversation":"dee","direction":"incoming","sequence":"#
                            + "\(number + offset),"
                            + #""sent":"\#(day)T09:00:00.000Z","stored":"\#(day)T09:00:00.000Z","delivery":"read","text":"of \#(day)"}"#
                    )
                }
                lines.append(#"{"v":1,"type":"end","messages":\#(days.count),"operations":0}"#)
                try TestFile.write(lines.joined(separator: "\n") + "\n", to: file)
            }
            let cases: [(exports: [[String]], history: [String], search: String, found: [String])] = [
                (
                    [["2026-11-01", "2026-11-02"], ["2026-11-15", "2026-11-16"]], ["--since", "2026-11-15"],
                    "after:2026-11-10", ["2026-11-15", "2026-11-16"]
                ),
                (
                    [["2026-11-01", "1970-01-01", "2026-11-02", "2026-11-03"]],
                    ["--since", "2026-11-01", "--until", "2026-11-02"], "on:2026-11-01", ["2026-11-01"]
                ),
                (
                    [["2026-11-05", "2026-11-06", "2026-11-01", "2026-11-02", "2026-11-07"]],
                    ["--since", "2026-11-05", "--until", "2026-11-06"], "on:2026-11-05", ["2026-11-05"]
                ),
            ]
            for (exports, span, search, days) in cases {
                let home = try BlipchatHome("jo")
                var number = 1
                for days in exports {
                    let file = home.folder.file("export\(number).json")
                    try write(days, to: file, first: number)
                    number += days.count
                    let outcome = try await home.run("import", file)
                    #expect(outcome.status == .exited(0), "\(outcome.errorOutput)")
                }
                for options in [span, span + ["-n", "9"]] {
                    let process = try home.start(["history", "dee"] + options)
                    #expect(try await process.waitForExit() == .exited(0), "\(process.errorOutput)")
                    let lines = process.outputLines
                    #expect(lines.count == days.count, "\(options): \(lines)")
                    #expect(zip(lines, days).allSatisfy { $0.hasSuffix("of \($1)") }, "\(lines)")
                }
                #expect(try await home.run("search", search).lines.count == days.count)
            }
        }

        @Test("forget takes messages out of the files of a running instance; the peer keeps them")
        func forgetting() async throws {
            let (alice, bob, server) = try await pair()
            let id = try await bob.history("alice")[1].id
            #expect(!finds(Self.secret, in: bob).isEmpty)
            let outcome = try await bob.run("forget", "alice", id)
            #expect(outcome.status == .exited(0), "\(outcome.errorOutput)")
            #expect(outcome.output == "1 message deleted\n")
            #expect(finds(Self.secret, in: bob) == [])
            #expect(try await bob.texts("alice").count == 2)
            #expect(try await bob.run("forget", "alice", id).status == .exited(10))
            #expect(try await bob.run("forget", "alice").status == .exited(2))
            // The words of searches and of /goto.
            for day in ["yesterday", "today", "2026-01", "2026-01-01", "01.01.2026"] {
                let outcome = try await bob.run("forget", "alice", "--before", day)
                #expect(outcome.output == "0 messages deleted\n", "\(day)")
            }
            expectOneSentence(try await bob.run("forget", "alice", "--before", "soon"), 2, "soon", "yesterday")
            #expect(try await alice.texts("bob").count == 3)
            #expect(try await bob.run("keep", "alice").output == "forever, as config.toml says\n")
            #expect(try await bob.run("keep", "alice", "30").output == "30 days\n")
            #expect(try await bob.run("keep", "alice", "-3").status == .exited(2))
            // Everything is younger than that.
            #expect(try await bob.texts("alice").count == 2)
            #expect(try await bob.run("forget", "alice", "--all").output == "2 messages deleted\n")
            #expect(try await bob.texts("alice").isEmpty)
            // The chat goes on.
            #expect(try await alice.run("send", "bob", "four").status == .exited(0))
            #expect(try await bob.texts("alice") == ["four"])
            try await server.stop()
            #expect(try await bob.run("doctor").status == .exited(0))
        }

        @Test("export and import bring a history to another home, once")
        func exportAndImport() async throws {
            let (alice, bob, server) = try await pair()
            let file = bob.folder.file("export.json")
            #expect(try await bob.run("export", "--format", "json", "-o", file).status == .exited(0))
            let text = TestFile.text(file)
            #expect(try await bob.run("export", "--format", "json").output == text)
            let carol = try BlipchatHome("carol")
            for expected in ["3 messages", "0 messages"] {
                let outcome = try await carol.run("import", file)
                #expect(outcome.status == .exited(0), "\(outcome.errorOutput)")
                #expect(outcome.output.hasPrefix(expected))
                #expect(outcome.output.contains("blipchat calls the new contacts") == (expected == "3 messages"))
            }
            #expect(try await carol.texts("alice") == bob.texts("alice"))
            #expect(try await carol.run("export", "--format", "xml").status == .exited(2))
            // The running chat reads it itself, and knows it all.
            let beside = try await bob.run("import", file)
            #expect(beside.status == .exited(0), "\(beside.errorOutput)")
            #expect(beside.output.hasPrefix("0 messages"))
            #expect(try await bob.run("export", "--format", "json").output == text)
            let page = try await alice.run("export", "bob", "--format", "html", "-o", alice.folder.file("page.html"))
            #expect(page.status == .exited(0))
            #expect(TestFile.text(alice.folder.file("page.html")).contains("the \(Self.secret) two"))
            try await server.stop()
        }

        @Test("an import that would add contacts to those that are there asks, or is refused where nobody can answer")
        func importAsks() async throws {
            let (alice, bob, server) = try await pair()
            let file = bob.folder.file("export.json")
            #expect(try await bob.run("export", "--format", "json", "-o", file).status == .exited(0))
            let carol = try BlipchatHome("carol")
            try await carol.add("127.0.0.1:\(PlainServer.freePort())", as: "dave")
            expectOneSentence(try await carol.run("import", file), 2, "adds 1 contact (alice)", "--yes")
            expectOneSentence(
                try await carol.run("--no-input", "import", file), 2, "adds 1 contact (alice)", "--yes")
            expectOneSentence(try await carol.run("history", "alice"), 10, "no such contact")
            let running = try await Server(carol)
            expectOneSentence(try await carol.run("import", file), 2, "adds 1 contact (alice)", "--yes")
            let agreed = try await carol.run("import", "--yes", file)
            #expect(agreed.status == .exited(0), "\(agreed.errorOutput)")
            #expect(agreed.output.hasPrefix("3 messages"))
            // Now everybody in it is known.
            #expect(try await carol.run("import", file).status == .exited(0))
            try await running.stop()
            try await server.stop()
            _ = alice
        }

        @Test("backup works beside a running instance, and restore puts it back")
        func backupAndRestore() async throws {
            let (alice, bob, server) = try await pair()
            let copy = bob.folder.file("copy.sqlite")
            let outcome = try await bob.run("backup", copy)
            #expect(outcome.status == .exited(0), "\(outcome.errorOutput)")
            #expect(try await bob.run("backup", copy).status == .exited(7))
            #expect(try await alice.run("send", "bob", "four").status == .exited(0))
            #expect(try await bob.run("restore", copy).status == .exited(9))
            try await server.stop()
            let back = try await bob.run("restore", copy)
            #expect(back.status == .exited(0), "\(back.errorOutput)")
            #expect(back.output.hasPrefix("restored: 3 messages of 1 contact\n"))
            #expect(try await bob.texts("alice").count == 3)
            // And without an instance.
            #expect(try await bob.run("backup", bob.folder.file("second.sqlite")).status == .exited(0))
            // What came in between was acknowledged, so the peer does not send it again: a copy is a copy of its time.
            let again = try await Server(bob, "--accept-requests")
            #expect(try await alice.run("send", "bob", "five").status == .exited(0))
            try await again.stop()
        }

        @Test("doctor finds what is wrong, says what to do, and does it when asked")
        func doctor() async throws {
            let (_, bob, server) = try await pair()
            #expect(try await bob.run("doctor").status == .exited(0))
            try await server.stop()
            chmod("\(bob.path)/identity.key", 0o644)
            let exposed = try await bob.run("doctor")
            #expect(exposed.status == .exited(7))
            #expect(exposed.output.contains("others can use it"))
            #expect(try await bob.run("doctor", "--fix").status == .exited(0))
            chmod("\(bob.path)/history.sqlite", 0)
            chmod(bob.path, 0)
            let locked = try await bob.run("doctor")
            #expect(locked.status == .exited(7))
            #expect(locked.output.contains("\(bob.path): you cannot use it (mode 0)"), "\(locked.output)")
            #expect(try await bob.run("doctor", "--fix").status == .exited(0))
            #expect(try await bob.run("doctor").status == .exited(0))
            try TestFile.write("lisetn = \"x\"\n", to: "\(bob.path)/config.toml")
            let slip = try await bob.run("doctor", "--json")
            #expect(slip.status == .exited(2))
            #expect(slip.lines.allSatisfy { $0.hasPrefix("{\"v\":1,\"type\":\"check\",") })
            #expect(slip.output.contains("config.toml:1:1"))
            unlink("\(bob.path)/config.toml")
            #expect(try await bob.run("doctor").status == .exited(0))
        }

        @Test("a damaged history is shown with a sentence, and recovered")
        func damage() async throws {
            let (alice, bob, server) = try await pair()
            try await server.stop()
            // The first page of the search index; the messages are not touched.
            let path = "\(bob.path)/history.sqlite"
            var bytes = TestFile.read(path)
            let words = try #require(Self.offset(of: Array(Self.secret.utf8), in: bytes, last: true))
            for offset in (words / 4096 * 4096)..<(words / 4096 * 4096 + 4096) { bytes[offset] = 0xA5 }
            try TestFile.write(bytes, to: path)
            let shown = try await bob.run("history", "alice")
            #expect(shown.status == .exited(0) || shown.status == .exited(9), "\(shown.errorOutput)")
            #expect(shown.errorOutput.contains("is damaged"))
            #expect(shown.errorOutput.contains("doctor --recover"))
            let refused = try await bob.run("serve", "--listen", "127.0.0.1:0")
            #expect(refused.status == .exited(9))
            #expect(refused.errorOutput.contains("doctor --recover"))
            #expect(try await bob.run("doctor").status == .exited(9))
            // The screen shows it, too: read-only, with the way to recover.
            let terminal = try bob.terminal(columns: 120, rows: 40)
            try await eventually("the screen shows what can be read", state: { terminal.text }) {
                terminal.text.contains("read-only") && terminal.text.contains("alice")
            }
            try terminal.type("\u{11}")
            #expect(try await terminal.process.waitForExit() == .exited(0))
            #expect(TestFile.read(path) == bytes)
            let recovered = try await bob.run("doctor", "--recover")
            #expect(recovered.status == .exited(0), "\(recovered.output) \(recovered.errorOutput)")
            #expect(
                recovered.errorOutput.contains("saved 3 messages") || recovered.errorOutput.contains("saved 2 messages")
            )
            #expect(TestFile.read(path + ".old-1") == bytes)
            let again = try await Server(bob, "--accept-requests")
            #expect(try await bob.texts("alice").count >= 2)
            _ = alice
            try await again.stop()
        }

        private static func offset(of needle: [UInt8], in bytes: [UInt8], last: Bool) -> Int? {
            var found: Int?
            for start in 0...(bytes.count - needle.count)
            where bytes[start] == needle[0] && bytes[start..<(start + needle.count)].elementsEqual(needle) {
                found = start
                if !last { break }
            }
            return found
        }

        @Test("a newer history is refused by every command, and left as it is")
        func newerVersion() async throws {
            let (_, bob, server) = try await pair()
            try await server.stop()
            let path = "\(bob.path)/history.sqlite"
            var bytes = TestFile.read(path)
            bytes[63] = 99
            try TestFile.write(bytes, to: path)
            for command in [
                ["history", "alice"], ["serve"], ["backup", bob.folder.file("b")], ["doctor"], ["doctor", "--recover"],
            ] {
                let outcome = try await bob.start(command).waitForExit()
                #expect(outcome == .exited(9), "\(command)")
            }
            #expect(TestFile.read(path) == bytes)
        }

        @Test("neither the log nor what serve prints has a text, a file's name or a key in it")
        func silentLog() async throws {
            let (alice, bob, server) = try await pair()
            let file = alice.folder.file("\(Self.secret).txt")
            try TestFile.write("contents of \(Self.secret)", to: file)
            let offer = try alice.start(
                "send-file", "bob", file, "--caption", "caption \(Self.secret)", "--timeout", "5")
            try await eventually("the offer is there") {
                try await bob.run("transfers", "list").output.contains("offered")
            }
            #expect(try await bob.run("transfers", "accept", "1").status == .exited(0))
            #expect(try await offer.waitForExit() == .exited(0))
            #expect(try await bob.run("send", "alice", "answer \(Self.secret)", "--queue").status == .exited(0))
            try await server.stop()
            let log = TestFile.text("\(bob.path)/log/blipchat.log")
            // It has been written: who, and that there was something.
            #expect(log.contains("started"))
            #expect(log.contains("message from alice"))
            #expect(log.contains("file #1 from alice"))
            let printed = log + server.process.output + server.process.errorOutput
            #expect(!printed.contains(Self.secret))
            for line in TestFile.text("\(bob.path)/identity.key").split(separator: "\n") where line.utf8.count > 20 {
                #expect(!printed.contains(line))
            }
            #expect(!printed.contains("PRIVATE"))
            var status = stat()
            #expect(stat("\(bob.path)/log/blipchat.log", &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
        }
    }
}
