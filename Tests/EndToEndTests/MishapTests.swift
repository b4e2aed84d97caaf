// What a script does not expect: variables that are not set, descriptors that are closed, homes that cannot be looked into,
// full disks. Nothing is taken for something else.

import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite struct MishapTests {
        @Test("an empty path is no path: it does not mean the working folder")
        func emptyPaths() async throws {
            let alice = try BlipchatHome("alice")
            try await alice.add("127.0.0.1:1", as: "bob")
            expectOneSentence(try await alice.run("send-file", "bob", ""), 2, "path: empty")
            #expect(try await alice.history("bob").isEmpty)
            for words in [["backup"], ["import"], ["restore"], ["export", "-o"], ["--config"]] {
                let process = try alice.start(words + [""] + (words == ["--config"] ? ["status"] : []))
                #expect(try await process.waitForExit() == .exited(2), "\(words)")
                #expect(process.errorOutput.hasPrefix("blipchat: path: empty"), "\(process.errorOutput)")
            }
        }

        @Test("nobody else is \"me\"")
        func reservedName() async throws {
            let alice = try BlipchatHome("alice")
            let bob = try BlipchatHome("bob")
            let server = try await Server(bob, "--accept-requests")
            let address = try await bob.address()
            expectOneSentence(try await alice.run("contacts", "add", address, "--name", "Me"), 2, "means you in")
            let added = try await alice.run("contacts", "add", String(address.prefix { $0 != "#" }) + "?name=me")
            #expect(added.output == "me 2\n")
            #expect(try await alice.run("send", "me 2", "hello").status == .exited(0))
            expectOneSentence(try await alice.run("send", "me", "hello"), 10, "no such contact")
            expectOneSentence(try await alice.run("contacts", "rename", "me 2", "ME"), 2, "means you in")
            try await server.stop()
        }

        @Test("a history that is taken away under a running chat: what was delivered is there at the next start")
        func historyTakenAway() async throws {
            for how in ["removed", "replaced"] {
                let alice = try BlipchatHome("alice")
                let bob = try BlipchatHome("bob")
                let server = try await Server(bob, "--accept-requests")
                try await alice.add(bob.address(), as: "bob")
                #expect(try await alice.run("send", "bob", "before").status == .exited(0))
                let file = bob.path + "/history.sqlite"
                if how == "removed" {
                    for suffix in ["", "-wal", "-shm"] { unlink(file + suffix) }
                } else {
                    let other = try BlipchatHome("carol")
                    try await other.add("127.0.0.1:1", as: "dave")
                    #expect(rename(other.path + "/history.sqlite", file) == 0)
                }
                let sent = try await alice.run("send", "bob", "after", "--timeout", how == "removed" ? "60" : "5")
                #expect(sent.status == .exited(how == "removed" ? 0 : 3), "\(how): \(sent.errorOutput)")
                try await server.stop()
                if how == "removed" {
                    #expect(try await bob.texts("alice") == ["before", "after"])
                } else {
                    expectOneSentence(try await bob.run("history", "alice"), 10, "no such contact")
                    #expect(try await bob.run("restore", file + ".old-1").status == .exited(0))
                    // What came right behind hello may have been written before that was noticed. It was not acknowledged.
                    let texts = try await bob.texts("alice")
                    #expect(texts == ["before"] || texts == ["before", "after"], "\(texts)")
                }
            }
        }

        @Test("a closed standard descriptor is an error where it is used, and no file of ours gets its number")
        func closedDescriptors() async throws {
            let alice = try BlipchatHome("alice")
            try await alice.add("127.0.0.1:1", as: "bob")
            let text = try await alice.shell("exec \"$0\" send bob - --queue <&-")
            expectOneSentence(text, 7, "standard input: cannot be read")
            let file = try await alice.shell("exec \"$0\" send-file bob - --name x --timeout 0.1 <&-")
            expectOneSentence(file, 7, "standard input: cannot be read")
            #expect(try await alice.history("bob").isEmpty)
            let folder = alice.folder.file("x")
            try TestFile.write("x", to: folder)
            for words in ["send bob hi", "send-file bob \(folder)"] {
                let outcome = try await alice.shell("exec \"$0\" \(words) --queue >&-")
                expectOneSentence(outcome, 7, "standard output: cannot be written")
            }
            #expect(try await alice.history("bob").isEmpty, "nothing was sent")
            #expect(try await alice.run("send", "bob", "hi", "--queue").status == .exited(0))
            let lock = TestFile.text(alice.path + "/blipchat.lock")
            #expect(lock.allSatisfy { $0.isNumber || $0 == "\n" }, "\(lock)")
            #expect(try await alice.shell("exec \"$0\" history bob 2>&- <&-").lines.count == 1)
        }

        @Test(
            "a home on a read-only medium can be read, and what would change it says why it cannot",
            .hasMountNamespaces)
        func readOnlyHome() async throws {
            let alice = try BlipchatHome("alice")
            try await alice.add("127.0.0.1:\(PlainServer.freePort())", as: "bob")
            #expect(try await alice.run("send", "bob", "kept", "--queue").status == .exited(0))
            /// Runs a command over a copy of the home that cannot be written.
            func run(_ command: String) async throws -> CommandOutcome {
                try await alice.shell(
                    """
                    export D="$HOME/fixed 1%?#" B="$0"; mkdir -p "$D"
                    exec unshare -m sh -c 'mount -t tmpfs none "$D" && cp -a "$BLIPCHAT_HOME" "$D/home" &&
                        mount -o remount,ro "$D" && BLIPCHAT_HOME="$D/home" exec "$B" \(command)'
                    """)
            }
            for command in ["history bob", "search kept", "export bob", "--json history bob"] {
                let outcome = try await run(command)
                #expect(outcome.status == .exited(0), "\(command): \(outcome.errorOutput)")
                #expect(outcome.output.contains("kept"))
            }
            #expect(try await run("contacts list").output.contains("bob"))
            let refused = try await run("send bob more --queue")
            #expect(refused.status == .exited(7) && refused.errorOutput.contains("ead-only file system"), "\(refused)")
        }

        @Test("what is interrupted while it waits says what stays queued; what was not read whole leaves nothing")
        func interrupted() async throws {
            let alice = try BlipchatHome("alice")
            try await alice.add("127.0.0.1:\(PlainServer.freePort())", as: "bob")
            for (number, code) in [(SIGINT, Int32(130)), (SIGTERM, 143)] {
                let process = try alice.start(["send", "bob", "\(number)", "--timeout", "60"])
                let queued = try await eventuallyGet("the message is stored") {
                    try await alice.history("bob").first { $0.text == "\(number)" }
                }
                process.signal(number)
                #expect(try await process.waitForExit() == .exited(code))
                #expect(process.errorOutput.contains("interrupted; queued: \(queued.id) "), "\(process.errorOutput)")
                #expect(process.output.isEmpty)
            }
            // nohup and scripts in the background: who ignores a signal goes on ignoring it.
            let stubborn = try ChildProcess(
                ["sh", "-c", "trap '' INT; exec \"$0\" send bob third --timeout 3", alice.command],
                environment: alice.environment, folder: alice.folder)
            _ = try await eventuallyGet("the message is stored") {
                try await alice.history("bob").first { $0.text == "third" }
            }
            stubborn.signal(SIGINT)
            #expect(try await stubborn.waitForExit() == .exited(3))
            let pipe = alice.folder.file("pipe")
            #expect(mkfifo(pipe, 0o600) == 0)
            let writer = open(pipe, O_RDWR)
            defer { close(writer) }
            let reading = try alice.start(["send-file", "bob", "-", "--name", "x"], input: pipe)
            let text = [UInt8](repeating: 65, count: 60_000)
            #expect(write(writer, text, text.count) == text.count)
            var left: Int32 = 1
            try await eventually("it is read") { ioctl(writer, UInt(FIONREAD), &left) == 0 && left == 0 }
            reading.signal(SIGTERM)
            _ = try await reading.waitForExit()
            #expect(TestFile.names(in: alice.path + "/spool") == [])
        }

        @Test("a reader that has gone and a file that may not grow are errors of one call, not signals that end us")
        func signals() async throws {
            let alice = try BlipchatHome("alice")
            // Opened for both ways a pipe needs nobody at its other end; then its only reader goes.
            let pipe = "mkfifo pipe && exec 3<>pipe 4>pipe 3<&- && exec \"$0\" help >&4"
            let gone = try await alice.shell("cd \"\(alice.folder.path)\" && \(pipe)")
            #expect(gone.status == .exited(141), "\(gone.errorOutput)")
            let full = try await alice.shell("ulimit -f 0; exec \"$0\" help")
            #expect(full.status == .exited(7))
        }

        @Test("a home that cannot be looked into is an error, not an empty one")
        func lockedHome() async throws {
            let alice = try BlipchatHome("alice")
            // A link to itself: nobody may enter it, not even root.
            #expect(symlink(alice.path, alice.path) == 0)
            let commands = [
                ["status"], ["contacts", "list"], ["requests", "list"], ["export"], ["history", "bob"],
                ["search", "x"],
                ["backup", alice.folder.file("copy")], ["transfers", "list"],
            ]
            for words in commands {
                let process = try alice.start(words)
                #expect(try await process.waitForExit() == .exited(7), "\(words)")
                #expect(process.output.isEmpty && process.errorOutput.contains(alice.path), "\(process.errorOutput)")
            }
        }

        @Test("a file that came but cannot be written out stays, and the doctor names it")
        func unwritable() async throws {
            let alice = try BlipchatHome("alice")
            let bob = try await Server(BlipchatHome("bob"), "--accept-requests")
            let file = alice.folder.file("data.bin")
            try TestFile.generate(file, size: 100_000)
            try await alice.add(bob.home.address(), as: "bob")
            let receiver = try ChildProcess(
                ["/bin/sh", "-c", "exec \"$0\" receive -o - --accept 1M >/dev/full", bob.home.command],
                environment: bob.home.environment, folder: bob.home.folder)
            #expect(try await alice.run("send-file", "bob", file, "--timeout", "600").status == .exited(0))
            #expect(try await receiver.waitForExit() == .exited(7))
            let path = try #require(try await bob.home.transfers().first?.path)
            #expect(receiver.errorOutput.contains("the file is still at \(path)"), "\(receiver.errorOutput)")
            #expect(TestFile.read(path) == TestFile.read(file))
            try await bob.stop()
            let doctor = try await bob.home.run("doctor")
            #expect(doctor.status == .exited(0) && doctor.output.contains("LOOK    received"))
            #expect(doctor.output.contains(path))

            // What a command has left that was killed before the file came.
            let left = bob.home.path + "/receive-AbCd12"
            #expect(mkdir(left, 0o700) == 0)
            #expect(try await bob.home.run("doctor").output.contains("\(left) is empty"))
            #expect(try await bob.home.run("doctor", "--fix").status == .exited(0))
            #expect(TestFile.names(in: bob.home.path).filter { $0.hasPrefix("receive-") }.count == 1)
            #expect(TestFile.read(path) == TestFile.read(file))
        }

        @Test(
            "on a full disk the history is read, the rest says that the disk is full; nothing is called damaged",
            .enabled(if: SmallDisk.isPossible, "needs root, to mount a small file system"))
        func fullDisk() async throws {
            let disk = try await SmallDisk()
            let alice = try BlipchatHome("alice", in: disk.path)
            try await alice.add("127.0.0.1:1", as: "bob")
            #expect(try await alice.run("send", "bob", "one", "--queue").status == .exited(0))
            disk.fill()
            #expect(try await alice.texts("bob") == ["one"])
            #expect(try await alice.run("search", "one").lines.count == 1)
            #expect(try await alice.run("export").output.contains("one"))
            expectOneSentence(try await alice.run("send", "bob", "two", "--queue"), 7, "the disk is full")
            let doctor = try await alice.run("doctor")
            #expect(doctor.status == .exited(7))
            #expect(doctor.output.contains("history file: the disk is full") && !doctor.output.contains("restore"))
            unlink(disk.path + "/filler")
            #expect(try await alice.run("send", "bob", "two", "--queue").status == .exited(0))

            // What a process that was killed has left in the log is read, too, and stays there.
            let server = try await Server(alice)
            #expect(try await alice.run("send", "bob", "three", "--queue").status == .exited(0))
            try await server.kill()
            unlink(alice.path + "/history.sqlite-shm")
            let log = TestFile.read(alice.path + "/history.sqlite-wal")
            #expect(!log.isEmpty)
            disk.fill()
            #expect(try await alice.texts("bob") == ["one", "two", "three"])
            #expect(TestFile.read(alice.path + "/history.sqlite-wal") == log)
            try await disk.remountReadOnly()
            #expect(try await alice.run("doctor").status == .exited(7))
            try await disk.unmount()
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// `unshare -m` works here.
    static var hasMountNamespaces: Self {
        .enabled("nothing can be mounted here") {
            try await BlipchatHome("any").shell("unshare -m true").status == .exited(0)
        }
    }
}
