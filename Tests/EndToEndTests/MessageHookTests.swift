// `serve --on-message`: a program of the user's for each message that comes.

import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite struct MessageHookTests {
        /// A program of Bob's, which gets each message.
        private func program(_ bob: BlipchatHome, _ script: String) throws -> String {
            let path = bob.folder.file("hook")
            // By its name in the end: a child of another test may hold the file open that is being written.
            try TestFile.write("#!/usr/bin/env python3\nimport json, os, sys, time\n" + script, to: path + ".new")
            #expect(chmod(path + ".new", 0o700) == 0)
            #expect(rename(path + ".new", path) == 0)
            return path
        }

        @Test("it gets each message as a line of JSON, those of one conversation in their order, and can answer")
        func messages() async throws {
            let (alice, bob) = (try BlipchatHome("alice"), try BlipchatHome("bob"))
            let list = bob.folder.file("list")
            let path = try program(
                bob,
                """
                record = json.loads(sys.stdin.readline())
                assert not sys.stdin.read()
                open("\(list)", "a").write(record["text"] + "\\n")
                if record["text"] == "fail": sys.exit("no such thing")
                """)
            let server = try await Server(bob, "--accept-requests", "--on-message", path)
            try await alice.add(bob.address(), as: "bob")
            let said = (1...8).map { "line \($0)" } + ["fail", "the last one"]
            for text in said { #expect(try await alice.run("send", "bob", text).status == .exited(0)) }
            try await eventually("all have been handed over", state: { server.process.errorOutput }) {
                TestFile.text(list).split(separator: "\n").map(String.init) == said
            }
            try await eventually("what it says of its failure is in the log", state: { server.process.errorOutput }) {
                server.process.errorOutput.contains("\(path) failed with code 1: no such thing")
            }
            // What the owner writes is nothing that comes.
            #expect(try await bob.run("send", "alice", "mine", "--queue").status == .exited(0))
            #expect(TestFile.text(list).split(separator: "\n").count == said.count)
            try await server.stop()
        }

        @Test("one that hangs holds up neither the messages of others nor the end of serve")
        func hangs() async throws {
            let (alice, bob) = (try BlipchatHome("alice"), try BlipchatHome("bob"))
            let list = bob.folder.file("list")
            let path = try program(
                bob,
                """
                open("\(list)", "a").write(json.loads(sys.stdin.readline())["text"] + "\\n")
                time.sleep(50)
                """)
            let server = try await Server(bob, "--accept-requests", "--on-message", path)
            try await alice.add(bob.address(), as: "bob")
            #expect(try await alice.run("send", "bob", "one").status == .exited(0))
            try await eventually("it runs") { TestFile.text(list) == "one\n" }
            #expect(try await alice.run("send", "bob", "two").status == .exited(0))
            #expect(try await bob.texts("alice") == ["one", "two"])
            #expect(TestFile.text(list) == "one\n", "one after the other")
            try await server.stop()
        }

        @Test("what cannot be run is said at once", arguments: ["/nowhere/hook", "/tmp", "no-such-program-anywhere"])
        func noProgram(program: String) async throws {
            let bob = try BlipchatHome("bob")
            let outcome = try await bob.run("serve", "--listen", "127.0.0.1:0", "--on-message", program)
            expectOneSentence(outcome, 2, "is no program that can be run")
        }
    }
}
