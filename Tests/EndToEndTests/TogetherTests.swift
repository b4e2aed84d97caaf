// Several commands at once on one home where no serve runs: the first one that comes runs the chat for all of them.

import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite struct TogetherTests {
        /// A home that knows bob, who is not there, and a command that holds it.
        private func watched() async throws -> (alice: BlipchatHome, watch: ChildProcess, port: UInt16) {
            let alice = try BlipchatHome("alice")
            let port = try PlainServer.freePort()
            try await alice.add("127.0.0.1:\(port)", as: "bob")
            let watch = try alice.start("watch", "--listen", "127.0.0.1:0")
            try await eventually("it watches", state: { watch.errorOutput }) {
                watch.errorOutput.contains("listening ")
            }
            return (alice, watch, port)
        }

        @Test("three messages at once to somebody who is not there: all are stored, each says 3")
        func atOnce() async throws {
            let alice = try BlipchatHome("alice")
            try await alice.add("127.0.0.1:\(PlainServer.freePort())", as: "bob")
            let sending = try ["one", "two", "three"].map { try alice.start("send", "bob", $0, "--timeout", "1") }
            var ids: Set<String> = []
            for process in sending {
                #expect(try await process.waitForExit() == .exited(3), "\(process.errorOutput)")
                #expect(process.outputLines.count == 1)
                ids.formUnion(process.outputLines.map(String.init))
            }
            let stored = try await alice.history("bob")
            #expect(stored.count == 3 && Set(stored.map(\.id)) == ids)
        }

        @Test("what is sent beside a watch goes through it, and status says who runs")
        func besideWatch() async throws {
            let (alice, watch, _) = try await watched()
            expectOneSentence(try await alice.run("send", "bob", "hello", "--timeout", "0.1"), 3, "queued")
            #expect(try await alice.texts("bob") == ["hello"])
            #expect(try await alice.status().pid == Int(watch.processID))
            try await eventually("the watch shows it") { watch.output.contains("hello") }
            watch.signal(SIGTERM)
            #expect(try await watch.waitForExit() == .exited(143))
            #expect(TestFile.size(alice.path + "/blipchat.sock") == nil)
        }

        @Test("a message and a file go on when the command that ran the chat ends, and are there once")
        func takeOver() async throws {
            let (alice, watch, port) = try await watched()
            let listening = try await alice.status().listening
            let second = try alice.start("watch")
            let file = alice.folder.file("data.bin")
            try TestFile.generate(file, size: 100_000)
            let message = try alice.start("send", "bob", "hello", "--timeout", "600")
            let offer = try alice.start("send-file", "bob", file, "--timeout", "600")
            try await eventually("both are stored") { try await alice.history("bob").count == 2 }
            watch.signal(SIGTERM)
            #expect(try await watch.waitForExit() == .exited(143))
            let bob = try await Server(BlipchatHome("bob"), port: port, "--accept-requests", "--accept-files", "1M")
            for process in [message, offer] {
                #expect(try await process.waitForExit() == .exited(0), "\(process.errorOutput)")
                #expect(process.outputLines.count == 1)
            }
            let lines = try await bob.home.history("alice")
            let printed = message.outputLines + offer.outputLines
            #expect(Set(lines.map(\.id)) == Set(printed.map(String.init)))
            #expect(lines.count == 2)
            try await eventually("the other watch goes on") {
                _ = try await bob.home.run("send", "alice", "late")
                return second.output.contains("late")
            }
            #expect(try await alice.status().listening == listening, "others know where that is")
            second.signal(SIGTERM)
            #expect(try await second.waitForExit() == .exited(143))
            try await bob.stop()
        }

        @Test("serve takes over from a command, and not from another serve")
        func serving() async throws {
            let (alice, watch, _) = try await watched()
            let serve = try alice.start("serve", "--listen", "127.0.0.1:0")
            watch.signal(SIGTERM)
            #expect(try await watch.waitForExit() == .exited(143))
            try await eventually("it serves", state: { serve.errorOutput }) { serve.output.hasPrefix("listening ") }
            expectOneSentence(try await alice.run("serve", "--listen", "127.0.0.1:0"), 9, "already running")
            serve.signal(SIGTERM)
            #expect(try await serve.waitForExit() == .exited(0))
        }

        @Test("messages and a file go on when serve ends in order, each is there once")
        func serveEnds() async throws {
            let alice = try BlipchatHome("alice")
            let port = try PlainServer.freePort()
            try await alice.add("127.0.0.1:\(port)", as: "bob")
            let file = alice.folder.file("data.bin")
            try TestFile.generate(file, size: 100_000)
            let serve = try await Server(alice)
            let message = try alice.start("send", "bob", "hello", "--timeout", "600")
            let offer = try alice.start("send-file", "bob", file, "--timeout", "600")
            let short = try alice.start("send", "bob", "short", "--timeout", "3")
            let begun = ContinuousClock.now
            try await eventually("all are stored") { try await alice.history("bob").count == 3 }
            // Some of these are connected and not read, some are stored, and some find nobody.
            let late = try (0..<6).map { try alice.start("send", "bob", "\($0)", "--timeout", "600") }
            try await serve.stop()
            #expect(try await short.waitForExit() == .exited(3))
            #expect(ContinuousClock.now - begun > .seconds(2.5), "it has waited for its time")
            #expect(short.errorOutput.contains("within 3 s"), "\(short.errorOutput)")
            let bob = try await Server(BlipchatHome("bob"), port: port, "--accept-requests", "--accept-files", "1M")
            for process in [message, offer] + late {
                #expect(try await process.waitForExit() == .exited(0), "\(process.errorOutput)")
                #expect(process.outputLines.count == 1)
            }
            let printed = ([message, offer, short] + late).flatMap(\.outputLines).map(String.init)
            try await eventually("all are there") { try await bob.home.history("alice").count == printed.count }
            #expect(Set(try await bob.home.history("alice").map(\.id)) == Set(printed))
            #expect(Set(try await alice.history("bob").map(\.id)) == Set(printed))
            try await bob.stop()
        }

        @Test("who waits for what is deleted, or whose contact is removed, is told at once", arguments: [true, false])
        func removed(withServe: Bool) async throws {
            let alice = try BlipchatHome("alice")
            try await alice.add("127.0.0.1:\(PlainServer.freePort())", as: "bob")
            let file = alice.folder.file("data.bin")
            try TestFile.generate(file, size: 100_000)
            let serve = withServe ? try await Server(alice) : nil
            let message = try alice.start("send", "bob", "hello", "--timeout", "600")
            let offer = try alice.start("send-file", "bob", file, "--timeout", "600")
            try await eventually("both are stored") { try await alice.history("bob").count == 2 }
            if withServe {
                #expect(try await alice.run("contacts", "remove", "bob", "--yes").status == .exited(0))
            } else {
                #expect(try await alice.run("forget", "bob", "--all").status == .exited(0))
            }
            #expect(try await message.waitForExit() == .exited(10), "\(message.errorOutput)")
            #expect(try await offer.waitForExit() == .exited(withServe ? 10 : 1), "\(offer.errorOutput)")
            let sentence = withServe ? "the contact was removed" : "was deleted here"
            #expect(message.errorOutput.contains(sentence), "\(message.errorOutput)")
            #expect(message.output.isEmpty)
            #expect(
                offer.errorOutput.contains(withServe ? sentence : "you cancelled the transfer"), "\(offer.errorOutput)")
            try await serve?.stop()
        }

        @Test("a message that is stored is queued, also where nobody can go on")
        func nobodyGoesOn() async throws {
            let (alice, watch, _) = try await watched()
            let message = try alice.start("send", "bob", "hello", "--timeout", "600")
            try await eventually("it is stored") { try await alice.history("bob").count == 1 }
            // A key that others may read is not used.
            chmod(alice.path + "/identity.key", 0o644)
            watch.signal(SIGTERM)
            #expect(try await watch.waitForExit() == .exited(143))
            #expect(try await message.waitForExit() == .exited(3))
            #expect(message.errorOutput.contains("identity.key") && message.errorOutput.contains("is queued"))
            #expect(message.outputLines.count == 1)
        }

        @Test("a command that dies while another one waits for it leaves the message queued, and that is said")
        func death() async throws {
            let (alice, watch, _) = try await watched()
            let message = try alice.start("send", "bob", "hello", "--timeout", "600")
            try await eventually("it is stored") { try await alice.history("bob").count == 1 }
            watch.signal(SIGKILL)
            #expect(try await message.waitForExit() == .exited(3))
            #expect(message.errorOutput.contains("queued"), "\(message.errorOutput)")
            let stored = try await alice.history("bob").map(\.id)
            #expect(message.outputLines.map(String.init) == stored)
        }
    }
}
