// Chatting without screens: serve, send, history, search, status, requests, as scripts use them.

import FoundationEssentials
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite struct HeadlessTests {
        @Test("what is about this home only calls nobody: not even blocking somebody shows that we are here")
        func quietCommands() async throws {
            let alice = try BlipchatHome("alice")
            // Adding somebody calls them, so they are not there yet.
            let port = try PlainServer.freePort()
            try await alice.add("127.0.0.1:\(port)", as: "bob")
            let server = try PlainServer(.silent, port: port)
            for command in [
                ["contacts", "rename", "bob", "rob"], ["keep", "rob", "7"], ["contacts", "block", "rob"],
                ["contacts", "unblock", "rob"], ["transfers", "list"], ["forget", "rob", "--all"], ["status"],
                ["contacts", "block", "rob"], ["contacts", "remove", "rob"],
            ] {
                let outcome = try await alice.shell("exec \"$0\" " + command.joined(separator: " "))
                #expect(outcome.status == .exited(0), "\(command): \(outcome.errorOutput)")
            }
            #expect(server.callCount == 0)
            #expect(try await alice.run("contacts", "list").output.isEmpty, "all of it was done")
        }

        @Test("records have the same fields with and without a running blipchat; who has blocked us is said to have")
        func sameFields() async throws {
            func names(_ line: Substring?) throws -> [String] {
                try JSONDecoder().decode(FieldNames.self, from: Data(try #require(line).utf8)).all
            }
            let alice = try BlipchatHome("alice")
            let bob = try BlipchatHome("bob")
            let server = try await Server(bob, "--accept-requests", "--foreground")
            try await alice.add(bob.address(), as: "bob")
            #expect(try await alice.run("send", "bob", "hello").status == .exited(0))
            let running = try await bob.run("status", "--json")
            #expect(try await bob.run("contacts", "block", "alice").status == .exited(0))
            try await eventually("it is said") {
                let refused = try await alice.run("send", "bob", "more", "--timeout", "1")
                #expect(refused.status == .exited(3))
                return refused.errorOutput.contains("refuses our calls (they have blocked you")
            }
            try await server.stop()
            let alone = try await bob.run("status", "--json")
            #expect(try names(running.lines.first) == names(alone.lines.first))
            #expect(running.output.contains(#""running":true"#) && alone.output.contains(#""running":false"#))
            for line in try await bob.run("export", "--json").lines {
                #expect(try names(line).contains("type"), "\(line)")
            }
        }

        @Test("delivers a message from process to process and shows it in both histories")
        func delivery() async throws {
            let alice = try BlipchatHome("alice")
            let bob = try BlipchatHome("bob")
            let server = try await Server(bob, "--accept-requests")
            try await alice.add(bob.address(), as: "bob")

            let outcome = try await alice.run("send", "bob", "hello", "bob")
            #expect(outcome.status == .exited(0), "\(outcome.errorOutput)")
            let id = String(try #require(outcome.lines.first))

            let received = try #require(try await bob.history("alice").first)
            #expect(received.v == 1)
            #expect(received.type == "message")
            #expect(received.id == id)
            #expect(received.conversation == "alice")
            #expect(received.from == "alice")
            #expect(received.text == "hello bob")
            #expect(received.received?.hasSuffix("Z") == true)
            let sent = try await alice.history("bob")
            #expect(sent.map(\.id) == [id])
            #expect(sent.map(\.from) == ["me"])
            #expect(sent.map(\.state) == ["delivered"])
            let record = try await alice.run("send", "bob", "again", "--json")
            #expect(record.lines.count == 1 && record.output.contains(#""state":"delivered""#))
            try await server.stop()
            let queued = try await alice.run("send", "bob", "later", "--json", "--timeout", "0.2")
            #expect(queued.status == .exited(3))
            #expect(queued.lines.count == 1 && queued.output.contains(#""state":"pending""#))
            // No time is not the same as no wish to know.
            for time in ["0", "0.0001"] {
                expectOneSentence(try await alice.run("send", "bob", "x", "--timeout", time), 3, "queued")
            }
            #expect(try await alice.run("send", "bob", "x", "--queue").status == .exited(0))
        }

        @Test("keeps what is sent to a peer that is down, and delivers it in order when both run again")
        func queue() async throws {
            let alice = try BlipchatHome("alice")
            let bob = try BlipchatHome("bob")
            var server = try await Server(bob, "--accept-requests")
            let port = try server.port
            try await alice.add(bob.address(), as: "bob")
            #expect(try await alice.run("send", "bob", "first").status == .exited(0))
            try await server.kill()

            for number in 1...5 {
                let outcome = try await alice.run("send", "bob", "line \(number)", "--timeout", "0.2")
                expectOneSentence(outcome, 3, "bob", "queued")
                #expect(outcome.lines.count == 1)
            }
            #expect(try await alice.status().queued == 5)
            #expect(try await alice.history("bob").last?.state == "pending")

            let sender = try await Server(alice)
            server = try await Server(bob, port: port, "--accept-requests")
            let wanted = ["first"] + (1...5).map { "line \($0)" }
            try await eventually("everything is delivered in order", state: { server.process.errorOutput }) {
                try await bob.texts("alice") == wanted
            }
            try await eventually("the sender knows") {
                try await alice.history("bob").allSatisfy { $0.state == "delivered" }
            }
            #expect(try await alice.status().queued == 0)
            try await sender.stop()
            try await server.stop()
        }

        @Test("goes through the running instance, whose status names peers, address and queue")
        func throughTheSocket() async throws {
            let alice = try BlipchatHome("alice")
            let bob = try BlipchatHome("bob")
            let server = try await Server(bob, "--accept-requests")
            let sender = try await Server(alice)
            try await alice.add(bob.address(), as: "Bob B.")
            let first = try await alice.run("send", "bob b.", "through the socket")
            #expect(first.status == .exited(0), "\(first.errorOutput)")

            let status = try await alice.status()
            #expect(status.running)
            #expect(status.pid == Int(sender.process.processID))
            #expect(status.listening == "127.0.0.1:\(try sender.port)")
            #expect(status.peers.map(\.name) == ["Bob B."])
            #expect(status.peers.map(\.link) == ["online"])
            #expect(try await alice.address().hasPrefix("blip://127.0.0.1:\(try sender.port)/"))

            let stopped = try BlipchatHome("carol")
            #expect(try await stopped.status().running == false)
            // Names that are not there, with the nearest one.
            expectOneSentence(try await alice.run("send", "Bob", "x"), 10, "no such contact")
            expectOneSentence(try await alice.run("contacts", "rename", "bib b.", "x"), 10, "did you mean Bob B.?")
            #expect(try await alice.run("contacts", "rename", "Bob B.", "bobby").status == .exited(0))
            #expect(try await alice.texts("bobby") == ["through the socket"])
            try await sender.stop()
            try await server.stop()
        }

        @Test("adding somebody again with another name gives them that name, if it is free")
        func addedAgain() async throws {
            let alice = try BlipchatHome("alice")
            let address = try await BlipchatHome("bob").address()
            try await alice.add(address, as: "bob")
            try await alice.add("127.0.0.1:1", as: "carol")
            #expect(try await alice.run("contacts", "add", address).output == "bob\n")
            #expect(try await alice.run("contacts", "add", address, "--name", "robert").output == "robert\n")
            #expect(try await alice.run("contacts", "show", "robert").status == .exited(0))
            #expect(try await alice.run("contacts", "add", "127.0.0.1:1", "--name", "Carol").output == "Carol\n")
            expectOneSentence(try await alice.run("contacts", "add", address, "--name", "carol"), 2, "already")
            #expect(try await alice.run("contacts", "list", "--names").output == "Carol\nrobert\n")
        }

        @Test("leaves unknown callers as requests until somebody approves or rejects them")
        func requests() async throws {
            let alice = try BlipchatHome("alice")
            let bob = try BlipchatHome("bob")
            let server = try await Server(bob)
            try await alice.add(bob.address(), as: "bob")
            expectOneSentence(try await alice.run("send", "bob", "let me in", "--timeout", "2"), 3, "queued")
            #expect(try await bob.run("contacts", "list").output.isEmpty)
            let request = try #require(try await bob.records(RequestLine.self, "requests", "list").first)
            #expect(request.name == "alice")
            // Whoever has another key than somebody whose name that looks like is told apart.
            try await bob.add("127.0.0.1:1", as: "A1ice")
            let list = try await bob.run("requests", "list").output
            #expect(list.contains("alice  ") && list.contains("looks like your contact A1ice, but has another key"))
            #expect(try await bob.run("--json", "requests", "list").output.contains("\"looks_like\":\"A1ice\""))
            #expect(
                try await bob.run("--json", "requests", "list").output
                    .contains("\"warning\":\"looks like your contact A1ice"))
            #expect(try await bob.run("contacts", "block", "A1ice").status == .exited(0))
            let told = try await bob.run("status").output.split(separator: "\n")
            #expect(told.contains { $0.hasPrefix("A1ice: offline") && $0.hasSuffix(", blocked") }, "\(told)")
            #expect(try await bob.run("contacts", "rename", "A1ice", "zed").status == .exited(0))
            #expect(try await bob.run("requests", "approve", "\(request.id)").status == .exited(0))
            #expect(try await bob.records(RequestLine.self, "requests").isEmpty)
            let sender = try await Server(alice)
            try await eventually("the message arrives after approval") {
                try await bob.run("history", "alice").output.contains("let me in")
            }
            expectOneSentence(try await bob.run("requests", "reject", "77"), 10, "there is no such request")
            try await sender.stop()
            try await server.stop()
        }

        @Test("finds old messages with nobody running, newest first, and says 1 when there is none")
        func offlineSearch() async throws {
            let alice = try BlipchatHome("alice")
            let bob = try BlipchatHome("bob")
            let server = try await Server(bob, "--accept-requests")
            try await alice.add(bob.address(), as: "bob")
            for text in ["the build log", "nothing here", "another build \u{1B}[31mred\u{202E}"] {
                #expect(try await alice.run("send", "bob", text).status == .exited(0))
            }
            try await server.stop()
            let hits = try await alice.records(HistoryLine.self, "search", "build")
            #expect(hits.compactMap(\.text) == ["another build \u{1B}[31mred\u{202E}", "the build log"])
            #expect(try await alice.run("search", "build", "--from", "bob").status == .exited(1))
            #expect(try await alice.run("search", "build", "in:bo").status == .exited(0))
            #expect(try await alice.run("search", "build", "in:bobby").status == .exited(10))
            #expect(try await alice.run("search", "absent").status == .exited(1))
            // Text for people, and JSON, never carry an escape sequence to the terminal.
            for options in [["search", "red"], ["--json", "search", "red"]] {
                let process = try alice.start(options)
                #expect(try await process.waitForExit() == .exited(0))
                #expect(
                    process.output.unicodeScalars.allSatisfy { $0 == "\n" || ($0.value >= 0x20 && $0 != "\u{202E}") })
            }
        }

        @Test("sends standard input as one message, or as one for each line")
        func standardInput() async throws {
            let alice = try BlipchatHome("alice")
            let bob = try BlipchatHome("bob")
            let server = try await Server(bob, "--accept-requests")
            try await alice.add(bob.address(), as: "bob")
            let input = alice.folder.file("input")
            try TestFile.write("one\ntwo\n", to: input)
            #expect(try await alice.run("send", "bob", "-", input: input).status == .exited(0))
            #expect(try await alice.run("send", "bob", "-", "--lines", input: input).status == .exited(0))
            #expect(try await bob.texts("alice") == ["one\ntwo", "one", "two"])
            let longest = String(repeating: "a", count: 65_536)
            try TestFile.write(longest + "\r\n", to: input)
            #expect(try await alice.run("send", "bob", "-", input: input).status == .exited(0))
            #expect(try await bob.texts("alice").last == longest)
            try TestFile.write([0xFF, 0xFE], to: input)
            expectOneSentence(try await alice.run("send", "bob", "-", input: input), 2, "not UTF-8")
            try TestFile.write([UInt8](repeating: 0x61, count: 65_537), to: input)
            expectOneSentence(try await alice.run("send", "bob", "-", input: input), 2, "65537")
            try await server.stop()
        }

        @Test("lines of another program go out as it writes them, and others use the home meanwhile")
        func streamedLines() async throws {
            let alice = try BlipchatHome("alice")
            let server = try await Server(BlipchatHome("bob"), "--accept-requests")
            try await alice.add(server.home.address(), as: "bob")
            let fifo = try Fifo(in: alice.folder)
            let process = try alice.start("send", "bob", "-", "--lines", input: fifo.path)
            func say(_ line: String) async throws {
                fifo.write(line + "\n")
                try await eventually("bob knows alice", state: { process.errorOutput }) {
                    try await server.home.run("contacts", "show", "alice").status == .exited(0)
                }
                try await eventually("bob has \(line)", state: { process.errorOutput }) {
                    try await server.home.texts("alice").last == line
                }
            }
            try await say("one")
            #expect(try await alice.run("send", "bob", "two").status == .exited(0))
            try await say("three")
            #expect(process.isRunning)
            fifo.hangUp()
            #expect(try await process.waitForExit() == .exited(0), "\(process.errorOutput)")
            #expect(process.outputLines.count == 2)
            #expect(try await server.home.texts("alice") == ["one", "two", "three"])
            // What is delivered is not said to be queued; it takes the command a moment to hear of it.
            let again = try Fifo(in: alice.folder)
            try await eventually("the command knows what is delivered") {
                let process = try alice.start("send", "bob", "-", "--lines", input: again.path)
                again.write("four\n")
                try await eventually("the line is there", state: { process.errorOutput }) {
                    let state = try await alice.history("bob").last?.state
                    return process.outputLines.count == 1 && state == "delivered"
                }
                process.signal(SIGINT)
                #expect(try await process.waitForExit() == .exited(130))
                return process.errorOutput.contains("interrupted (blipchat status")
            }
            try await server.stop()
        }

        @Test("lines before one that is no message are delivered before the command ends")
        func badLine() async throws {
            let alice = try BlipchatHome("alice")
            let server = try await Server(BlipchatHome("bob"), "--accept-requests")
            try await alice.add(server.home.address(), as: "bob")
            let fifo = try Fifo(in: alice.folder)
            let bytes = Array("one\ntwo\n".utf8) + [0xFF, 0x0A] + Array("three\n".utf8)
            fifo.write(bytes)
            let outcome = try await alice.run("send", "bob", "-", "--lines", input: fifo.path)
            expectOneSentence(outcome, 2, "standard input:3: not UTF-8 text", "the lines before it were sent")
            #expect(outcome.lines.count == 2)
            #expect(try await alice.history("bob").map(\.state) == ["delivered", "delivered"])
            #expect(try await server.home.texts("alice") == ["one", "two"])
            try await server.stop()
        }

        @Test("an interrupt while nothing is written yet is said, with its code")
        func interruptedLines() async throws {
            let alice = try BlipchatHome("alice")
            try await alice.add("127.0.0.1:1", as: "bob")
            let fifo = try Fifo(in: alice.folder)
            let process = try alice.start("send", "bob", "-", "--lines", "--timeout", "600", input: fifo.path)
            // A command that came first would run the chat itself, and the lines would go through that one.
            try await eventually("it listens") {
                FileManager.default.fileExists(atPath: alice.path + "/blipchat.sock")
            }
            try await eventually("it runs", state: { process.errorOutput }) {
                try await alice.run("send", "bob", "through it", "--queue", "-v").errorOutput.contains(
                    "through the running")
            }
            process.signal(SIGINT)
            #expect(try await process.waitForExit() == .exited(130))
            #expect(process.errorOutput.contains("interrupted"))
        }

        @Test("a line is stored as it comes, also while those before it wait for somebody who is away")
        func linesForAbsent() async throws {
            let alice = try BlipchatHome("alice")
            try await alice.add("127.0.0.1:1", as: "bob")
            let fifo = try Fifo(in: alice.folder)
            let process = try alice.start("send", "bob", "-", "--lines", "--timeout", "600", input: fifo.path)
            for count in 1...3 {
                fifo.write("line \(count)\n")
                try await eventually("\(count) are stored", state: { process.errorOutput }) {
                    try await alice.texts("bob").count == count
                }
            }
            try await eventually("the ids are printed") { process.outputLines.count == 3 }
            #expect(process.isRunning)
            let ids = process.outputLines.joined(separator: " ")
            process.signal(SIGTERM)
            #expect(try await process.waitForExit() == .exited(143))
            #expect(process.errorOutput.contains("interrupted; queued: \(ids) ("), "\(process.errorOutput)")
        }

        @Test("what changes something has a record of what it is then")
        func recordsOfChanges() async throws {
            let alice = try BlipchatHome("alice")
            try await alice.add("127.0.0.1:1", as: "bob")
            let server = try await Server(alice)
            let commands: [([String], String)] = [
                (["contacts", "rename", "bob", "ben"], #""type":"contact","name":"ben""#),
                (["contacts", "block", "ben"], #""blocked":true"#),
                (["contacts", "unblock", "ben"], #""blocked":false"#),
                (["transfers", "limit", "up", "500k"], #"{"v":1,"type":"limit","scope":"up","rate":500000}"#),
                (["transfers", "limit", "DOWN", "1M"], #"{"v":1,"type":"limit","scope":"down","rate":1000000}"#),
                (["transfers", "limit", "up", "off"], #"{"v":1,"type":"limit","scope":"up","rate":null}"#),
                (["config", "set", "ui.seconds", "on"], #""key":"ui.seconds","value":true,"set":true"#),
                (["config", "unset", "seconds"], #""key":"ui.seconds","value":false,"set":false"#),
                (["export", "ben", "-o", alice.folder.file("e.json"), "--format", "json"], #""type":"export""#),
                (["contacts", "remove", "ben", "--yes"], #""removed":true"#),
            ]
            for (words, part) in commands {
                let process = try alice.start(words + ["--json"])
                #expect(try await process.waitForExit() == .exited(0), "\(words) \(process.errorOutput)")
                #expect(process.output.contains(part), "\(words): \(process.output)")
                #expect(process.outputLines.count == 1)
            }
            try await server.stop()
        }

        @Test("queues all lines where the first one cannot be delivered, and says so once")
        func linesToNobody() async throws {
            let alice = try BlipchatHome("alice")
            try await alice.add("127.0.0.1:1", as: "bob")
            let input = alice.folder.file("input")
            let lines = (1...50).map { "line \($0)" }
            try TestFile.write(lines.joined(separator: "\n") + "\n", to: input)
            let outcome = try await alice.run("send", "bob", "-", "--lines", "--timeout", "1", input: input)
            expectOneSentence(outcome, 3, "queued")
            #expect(outcome.lines.count == 50)
            #expect(try await alice.texts("bob") == lines)
        }

        @Test("takes a home over from a process that was killed, and refuses one that another process holds")
        func lock() async throws {
            let alice = try BlipchatHome("alice")
            let first = try await Server(alice)
            let second = try await alice.run("serve", "--listen", "127.0.0.1:0")
            expectOneSentence(second, 9, "already running", "\(first.process.processID)")
            try await first.kill()
            let third = try await Server(alice)
            #expect(try await alice.status().pid == Int(third.process.processID))
            try await third.stop()
            #expect(TestFile.permissions(alice.path) == 0o700)
            for file in ["identity.key", "history.sqlite"] {
                #expect(TestFile.permissions("\(alice.path)/\(file)") == 0o600, "\(file)")
            }
            #expect(TestFile.size("\(alice.path)/blipchat.sock") == nil)
        }

        @Test("sends a file and waits until it is verified on the other side")
        func file() async throws {
            let alice = try BlipchatHome("alice")
            let bob = try BlipchatHome("bob")
            let server = try await Server(bob, "--accept-requests", "--accept-files", "10M")
            try await alice.add(bob.address(), as: "bob")
            let source = alice.folder.file("data.bin")
            try TestFile.generate(source, size: 3_000_000)
            let outcome = try await alice.run("send-file", "bob", source, "--caption", "for you")
            #expect(outcome.status == .exited(0), "\(outcome.errorOutput)")
            let received = try #require(try await bob.transfers().first)
            #expect(received.type == "file")
            #expect(received.state == "complete")
            #expect(received.direction == "incoming")
            #expect(received.size == 3_000_000)
            #expect(received.sha256 == (try await sha256(source)))
            let path = try #require(received.path)
            #expect(path == bob.path + "/downloads/data.bin")
            #expect(try await sha256(path) == received.sha256)
            // The same again does not overwrite.
            #expect(try await alice.run("send-file", "bob", source).status == .exited(0))
            #expect(TestFile.names(in: bob.path + "/downloads") == ["data (2).bin", "data.bin"])
            try await server.stop()
        }
    }
}

/// The names of the fields of a record, and of those of its peers.
private struct FieldNames: Decodable {
    private struct Name: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
    var all: [String]

    init(from decoder: any Decoder) throws {
        let record = try decoder.container(keyedBy: Name.self)
        all = record.allKeys.map(\.stringValue).sorted()
        let peers = try record.decodeIfPresent([FieldNames].self, forKey: Name(stringValue: "peers"))
        all += peers?.flatMap(\.all) ?? []
    }
}
