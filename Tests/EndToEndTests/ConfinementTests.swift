// `blipchat serve` where the kernel has Landlock: what it cannot open any more, and that everything goes on all the same.

import CLinux
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite(.enabled(if: clinux_landlock_version() > 0, "this kernel has no Landlock"))
    struct ConfinementTests {
        /// Both run, and Bob takes what Alice sends. Alice has a hidden file and a visible one.
        private final class Pair {
            let alice: BlipchatHome
            let bob: BlipchatHome
            let sender: Server
            let receiver: Server
            let hidden: String
            let visible: String

            init(settings: String = "") async throws {
                alice = try BlipchatHome("alice")
                bob = try BlipchatHome("bob")
                hidden = try alice.folder.makeFolder(".ssh") + "/id"
                visible = try alice.folder.makeFolder("Documents") + "/letter.txt"
                try TestFile.write("secret", to: hidden)
                try TestFile.write("dear", to: visible)
                try #require(mkdir(alice.path, 0o700) == 0)
                try TestFile.write(settings, to: alice.path + "/config.toml")
                receiver = try await Server(bob, "--accept-requests", "--accept-files", "1M")
                try await alice.add(bob.address(), as: "bob")
                sender = try await Server(alice)
            }

            /// What `serve` itself says when it is asked to offer a file, without a front end that helps.
            func offerByServe(_ path: String) throws -> String {
                let line = try ControlLine(alice.path + "/blipchat.sock")
                try line.greet()
                return try line.reply(to: #"{"sendFile":{"contact":1,"path":"\#(path)","caption":""}}"#)
            }

            func send(_ path: String) async throws -> CommandOutcome {
                try await alice.run("send-file", "bob", path, "--timeout", "60")
            }

            /// What Bob has under a name.
            func received(_ name: String) -> String { TestFile.text(bob.path + "/downloads/" + name) }

            var spool: [String] { TestFile.names(in: alice.path + "/spool") }

            func doctor() async throws -> String {
                let line = try await alice.run("doctor").lines.first { $0.contains("sandbox:") }
                return String(try #require(line))
            }

            func stop() async throws {
                try await sender.stop()
                try await receiver.stop()
            }
        }

        @Test("serve cannot open a hidden file; send-file hands it over, and nothing stays of that")
        func hidden() async throws {
            let pair = try await Pair()
            let answer = try pair.offerByServe(pair.hidden)
            #expect(answer.contains(#""error":{"outOfReach":"#), "\(answer)")
            #expect(try await pair.alice.transfers().isEmpty)
            let outcome = try await pair.send(pair.hidden)
            #expect(outcome.status == .exited(0), "\(outcome.errorOutput)")
            #expect(pair.received("id") == "secret")
            try await eventually("the second name is gone") { pair.spool.isEmpty }
            #expect(TestFile.text(pair.hidden) == "secret")
            try await pair.stop()
        }

        @Test("a visible file is sent from where it is, also one that is new in a folder that was there")
        func visible() async throws {
            let pair = try await Pair()
            let new = pair.alice.folder.file("Documents/new.txt")
            try TestFile.write("new", to: new)
            for path in [pair.visible, new] {
                let answer = try pair.offerByServe(path)
                #expect(answer.contains(#""value":"#), "\(answer)")
            }
            try await eventually("both are there") {
                pair.received("letter.txt") == "dear" && pair.received("new.txt") == "new"
            }
            #expect(try await pair.alice.transfers().map(\.path).contains(pair.visible))
            try await pair.stop()
        }

        @Test("what is new beside those folders goes out, too; of a new folder it is said what to do")
        func new() async throws {
            let pair = try await Pair()
            let files = ["one.txt", "two.txt"].map { pair.alice.folder.file($0) }
            for file in files { try TestFile.write("new", to: file) }
            let outcome = try await pair.alice.run(
                "send-file", "bob", files[0], pair.visible, files[1], "--timeout", "60")
            #expect(outcome.status == .exited(0), "\(outcome.errorOutput)")
            #expect(["one.txt", "letter.txt", "two.txt"].map(pair.received) == ["new", "dear", "new"])
            let folder = try pair.alice.folder.makeFolder("later")
            try TestFile.write("x", to: folder + "/x")
            expectOneSentence(try await pair.send(folder), 7, folder, "security.sandbox")
            try await eventually("no second names are left") { pair.spool.isEmpty }
            // The key has a second name nowhere.
            expectOneSentence(try await pair.send(pair.alice.path + "/identity.key"), 2, "your key")
            try await pair.stop()
        }

        @Test("an offer of a hidden file that was made before the start goes out after it")
        func offeredBefore() async throws {
            let pair = try await Pair()
            try await pair.sender.stop()
            try await pair.receiver.stop()
            #expect(try await pair.alice.run("send-file", "bob", pair.hidden, "--queue").status == .exited(0))
            let receiver = try await Server(
                pair.bob, port: pair.receiver.port, "--accept-requests", "--accept-files", "1M")
            let sender = try await Server(pair.alice)
            try await eventually("it is there") { pair.received("id") == "secret" }
            try await sender.stop()
            try await receiver.stop()
        }

        @Test("the doctor and status say it of the one that runs, whatever stands in its environment")
        func doctor() async throws {
            let pair = try await Pair()
            #expect(try await pair.doctor().contains("running blipchat confines itself"))
            #expect(try await pair.alice.run("status", "--json").output.contains(#""confined":true"#))
            try await pair.sender.stop()
            let environment = pair.alice.environment.merging(["BLIPCHAT_KEPT": "1"]) { $1 }
            let process = try ChildProcess(
                [pair.alice.command, "serve", "--listen", "127.0.0.1:0"], environment: environment,
                folder: pair.alice.folder)
            try await eventually("it is ready", state: { process.errorOutput }) { process.output.hasSuffix("\n") }
            #expect(try await pair.doctor().contains("does not confine itself"))
            process.signal(SIGTERM)
            #expect(try await process.waitForExit() == .exited(0))
            try await pair.receiver.stop()
        }

        @Test("one setting switches it off")
        func off() async throws {
            let pair = try await Pair(settings: "[security]\nsandbox = false\n")
            #expect(try await pair.doctor().contains("does not confine itself; security.sandbox is off"))
            let answer = try pair.offerByServe(pair.hidden)
            #expect(answer.contains(#""value":"#), "\(answer)")
            try await eventually("it is there") { pair.received("id") == "secret" }
            try await pair.stop()
        }

        @Test("other downloads folders are for the next start, and a copy of the history goes anywhere")
        func elsewhere() async throws {
            let pair = try await Pair()
            let folder = try pair.alice.folder.makeFolder("elsewhere")
            #expect(try await pair.alice.run("config", "set", "files.dir", folder).status == .exited(0))
            pair.sender.process.signal(SIGHUP)
            try await eventually("it says so", state: { pair.sender.process.errorOutput }) {
                pair.sender.process.errorOutput.contains("files go to \(folder) from the next start on")
            }
            let copy = pair.alice.folder.file("Documents/copy.sqlite")
            let outcome = try await pair.alice.run("backup", copy)
            #expect(outcome.status == .exited(0), "\(outcome.errorOutput)")
            #expect((TestFile.size(copy) ?? 0) > 0)
            try await pair.receiver.stop()
            let receiver = try await Server(pair.bob, port: pair.receiver.port)
            #expect(try await pair.alice.run("send-file", "bob", pair.visible, "--queue").status == .exited(0))
            try await eventually("it is offered") { try await !pair.bob.transfers().isEmpty }
            let offered = try #require(try await pair.bob.transfers().first?.number)
            let into = try pair.bob.folder.makeFolder("into")
            expectOneSentence(
                try await pair.bob.run("transfers", "accept", "\(offered)", "--into", into), 7, into, "security.sandbox"
            )
            #expect(try await pair.bob.run("transfers", "accept", "\(offered)").status == .exited(0))
            try await eventually("it is there") { pair.received("letter.txt") == "dear" }
            try await pair.sender.stop()
            try await receiver.stop()
        }
    }
}
