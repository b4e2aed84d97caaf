// Files between real processes: killed in the middle, without the newer system calls, and as scripts send and take them.

import CLinux
import Glibc
import TestSupport
import TestTraits
import Testing

extension EndToEnd {
    @Suite struct FileTests {
        /// Bob runs and takes files; Alice has him as a contact.
        private func pair(_ options: String..., limit: String? = nil, confined: Bool = true) async throws -> (
            alice: BlipchatHome, bob: BlipchatHome, server: Server
        ) {
            let alice = try BlipchatHome("alice")
            let bob = try BlipchatHome("bob")
            if let limit {
                #expect(mkdir(bob.path, 0o700) == 0)
                try TestFile.write("[net]\nlimit_down = \"\(limit)\"\n", to: bob.path + "/config.toml")
            }
            // A confined one writes to no folder that is named while it runs.
            if !confined {
                #expect(try await bob.run("config", "set", "security.sandbox", "false").status == .exited(0))
            }
            let server = try await Server(bob, options: ["--accept-requests"] + options)
            try await alice.add(bob.address(), as: "bob")
            return (alice, bob, server)
        }

        @Test("goes on where it was after kill -9 of either side", arguments: [true, false])
        func killed(receiver: Bool) async throws {
            let (alice, bob, first) = try await pair("--accept-files", "1G", limit: "100k")
            var server = first
            var sender = try await Server(alice)
            let source = alice.folder.file("long.bin")
            try TestFile.generate(source, size: 4_000_000)
            #expect(try await alice.run("send-file", "bob", source, "--queue").status == .exited(0))
            try await eventually("it has come some way") {
                try await bob.transfers().first.map { ($0.transferred ?? 0) > 100_000 } ?? false
            }
            let downloads = bob.path + "/downloads"
            let partial = try #require(TestFile.names(in: downloads).first { $0.hasSuffix(".blip-part") })
            // Held open, so that no other file can get its number.
            let descriptor = open(downloads + "/" + partial, O_RDONLY)
            defer { close(descriptor) }
            let (port, senderPort) = (try server.port, try sender.port)
            if receiver {
                try await server.kill()
                #expect(
                    Set(TestFile.names(in: downloads)).subtracting([partial, partial + "-map"]) == [],
                    "nothing that looks finished is there")
                server = try await Server(bob, port: port, "--accept-files", "1G")
            } else {
                try await sender.kill()
                sender = try await Server(alice, port: senderPort)
            }
            // Slow enough until here for any machine; now as fast as it goes.
            #expect(try await bob.run("transfers", "limit", "down", "off").status == .exited(0))
            try await eventually("it is complete on both sides", state: { server.process.errorOutput }) {
                let states = [try await alice.transfers().first?.state, try await bob.transfers().first?.state]
                return states == ["complete", "complete"]
            }
            #expect(TestFile.names(in: downloads) == ["long.bin"])
            #expect(try await sha256(downloads + "/long.bin") == sha256(source))
            var (began, ended) = (stat(), stat())
            #expect(fstat(descriptor, &began) == 0 && stat(downloads + "/long.bin", &ended) == 0)
            #expect(began.st_ino == ended.st_ino, "the same partial file was continued")
            try await sender.stop()
            try await server.stop()
        }

        @Test(
            "syncs the file, gives it its name without replacing, syncs the folder, and only then says complete",
            .looksIntoBlipchat)
        func order() async throws {
            let alice = try BlipchatHome("alice")
            let bob = try BlipchatHome("bob")
            let traced = try await TracedServer(
                bob, ["-e", "trace=openat2,pwrite64,fsync,fdatasync,renameat2"], "--accept-requests", "--accept-files",
                "1G")
            try await alice.add(bob.address(), as: "bob")
            let source = alice.folder.file("order.bin")
            try TestFile.generate(source, size: 1_500_000)
            let outcome = try await alice.run("send-file", "bob", source, "--timeout", "60")
            #expect(outcome.status == .exited(0), "\(outcome.errorOutput)")
            let calls = try await traced.stop()
            let created = try #require(
                calls.first { $0.contains("openat2(") && $0.contains("blip-part\"") && $0.contains("O_CREAT") })
            #expect(created.contains("O_EXCL") && created.contains("O_NOFOLLOW") && created.contains("RESOLVE_BENEATH"))
            #expect(created.contains("mode=0600"))
            let file = try #require(created.split(separator: " ").last)
            let renamed = try #require(calls.firstIndex { $0.contains("renameat2(") && $0.contains("\"order.bin\"") })
            #expect(calls[renamed].contains("RENAME_NOREPLACE"))
            let lastWrite = try #require(calls[..<renamed].lastIndex { $0.contains("pwrite64(\(file),") })
            let synced = try #require(calls[lastWrite..<renamed].firstIndex { $0.contains("fsync(\(file)") })
            #expect(synced > lastWrite)
            let folder = try #require(calls[renamed].split(separator: "(").last?.split(separator: ",").first)
            let folderSynced = try #require(calls[renamed...].firstIndex { $0.contains("fsync(\(folder)") })
            // The row that says so is committed after that.
            #expect(
                calls[folderSynced...].dropFirst().contains { $0.contains("sync(") && !$0.contains("fsync(\(folder)") })
        }

        @Test(
            "takes files without openat2 and renameat2, unknown to the kernel or refused by a sandbox",
            arguments: ["ENOSYS", "EPERM"])
        func withoutNewCalls(error: String) async throws {
            let alice = try BlipchatHome("alice")
            let bob = try BlipchatHome("bob")
            let traced = try await TracedServer(
                bob,
                ["-e", "trace=openat2,renameat2", "-e", "inject=openat2,renameat2:error=\(error)"],
                "--accept-requests", "--accept-files", "1G")
            try await alice.add(bob.address(), as: "bob")
            let source = alice.folder.file("x.txt")
            try TestFile.generate(source, size: 700_000)
            for _ in 0..<2 {
                let outcome = try await alice.run("send-file", "bob", source, "--timeout", "60")
                #expect(outcome.status == .exited(0), "\(outcome.errorOutput)")
            }
            let calls = try await traced.stop()
            #expect(calls.count { $0.contains("renameat2(") && $0.contains("INJECTED") } >= 2)
            #expect(TestFile.names(in: bob.path + "/downloads") == ["x (2).txt", "x.txt"])
            for name in ["x (2).txt", "x.txt"] {
                let path = bob.path + "/downloads/" + name
                #expect(try await sha256(path) == sha256(source))
                #expect(TestFile.permissions(path) == 0o600)
            }
        }

        /// A file of the kernel: 4096 bytes by its size, 6 by what can be read.
        private static let short = "/sys/devices/virtual/net/lo/mtu"

        @Test(
            "a file that is shorter than its size says has changed; it is not tried for ever",
            .enabled(if: access(short, R_OK) == 0, "there is no such file here"))
        func shorterThanItSays() async throws {
            let (alice, bob, server) = try await pair("--accept-files", "1G")
            let outcome = try await alice.run("send-file", "bob", Self.short, "--timeout", "60")
            #expect(outcome.status == .exited(7), "\(outcome.errorOutput)")
            #expect(outcome.errorOutput.contains("mtu: failed (the file changed"), "\(outcome.errorOutput)")
            // The sender knows it first, and may have gone before bob was told: then bob hears it when they meet again.
            let again = try await alice.run("send", "bob", "sorry", "--timeout", "60")
            #expect(again.status == .exited(0), "\(again.errorOutput)")
            try await eventually(
                "nothing is left at bob's",
                state: { "\(TestFile.names(in: bob.path + "/downloads")) \(server.process.errorOutput)" }
            ) { TestFile.names(in: bob.path + "/downloads") == [] }
            try await server.stop()
        }

        @Test("a link is offered under its own name, with what it leads to")
        func link() async throws {
            let (alice, bob, server) = try await pair("--accept-files", "1G")
            let secret = alice.folder.file("2026-draft-final.txt")
            try TestFile.write("text", to: secret)
            let link = alice.folder.file("report.txt")
            #expect(symlink(secret, link) == 0)
            #expect(try await alice.run("send-file", "bob", link, "--timeout", "60").status == .exited(0))
            #expect(TestFile.names(in: bob.path + "/downloads") == ["report.txt"])
            #expect(TestFile.text(bob.path + "/downloads/report.txt") == "text")
            try await server.stop()
        }

        @Test(
            "a file that arrives damaged ends with code 6 and is not there",
            .looksIntoBlipchat)
        func damaged() async throws {
            let (alice, bob, server) = try await pair("--accept-files", "1G")
            let source = alice.folder.file("f.bin")
            try TestFile.generate(source, size: 300_000)
            // Once 100 bytes of the file are claimed to have been read that were not.
            let command = [
                "strace", "-f", "-o", alice.folder.file("strace"), "-P", source, "-e", "trace=pread64", "-e",
                "inject=pread64:retval=100:when=1", alice.command, "send-file", "bob", source, "--timeout", "60",
            ]
            let process = try ChildProcess(command, environment: alice.environment, folder: alice.folder)
            #expect(try await process.waitForExit() == .exited(6), "\(process.errorOutput)")
            #expect(TestFile.text(alice.folder.file("strace")).contains("INJECTED"))
            #expect(process.errorOutput.contains("the received bytes differ"), "\(process.errorOutput)")
            #expect(TestFile.names(in: bob.path + "/downloads") == [])
            #expect(try await bob.transfers().first?.state == "failed")
            #expect(try await alice.run("send-file", "bob", source, "--timeout", "60").status == .exited(0))
            try await server.stop()
        }

        @Test("sends a folder and several files at once, and says what was left out")
        func folder() async throws {
            let (alice, bob, server) = try await pair("--accept-files", "1G")
            let folder = try alice.folder.makeFolder("photos")
            #expect(mkdir(folder + "/2024", 0o755) == 0)
            try TestFile.write("one", to: folder + "/one.txt")
            try TestFile.write("two", to: folder + "/2024/two.txt")
            #expect(symlink("/etc/passwd", folder + "/link") == 0)
            let single = alice.folder.file("single.txt")
            try TestFile.write("three", to: single)
            chmod(single, 0o755)
            let outcome = try await alice.run("send-file", "bob", folder + "/", single, "--timeout", "60")
            #expect(outcome.status == .exited(0), "\(outcome.errorOutput)")
            #expect(outcome.lines.count == 3)
            #expect(outcome.errorOutput.contains("2 files, 1 link or device left out\n"), "\(outcome.errorOutput)")
            let downloads = bob.path + "/downloads"
            #expect(TestFile.names(in: downloads) == ["photos", "single.txt"])
            #expect(TestFile.text(downloads + "/photos/one.txt") == "one")
            #expect(TestFile.text(downloads + "/photos/2024/two.txt") == "two")
            #expect(TestFile.names(in: downloads + "/photos") == ["2024", "one.txt"])
            #expect(TestFile.permissions(downloads + "/single.txt") == 0o600)
            expectOneSentence(try await alice.run("send-file", "bob", folder + "/2024/none"), 7, "cannot read")
            expectOneSentence(try await alice.run("send-file", "bob", folder, "--name", "x"), 2, "--name")
            try await server.stop()
            // What could not be offered is told, also when the others have to wait.
            let empty = alice.folder.file("empty")
            #expect(mkdir(empty, 0o700) == 0)
            let mixed = try await alice.run("send-file", "bob", single, empty, "--timeout", "0.2")
            #expect(mixed.status == .exited(7), "\(mixed.errorOutput)")
            #expect(mixed.errorOutput.contains("has no files to send"), "\(mixed.errorOutput)")
        }

        @Test("lists every transfer that there was, whether blipchat runs or not")
        func longList() async throws {
            let (alice, _, server) = try await pair()
            try await server.stop()
            let count = 1_010
            let lines = (1...count).map { number in
                let digits = String(number)
                let id = "00000000-0000-7000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
                return "{\"type\":\"file\",\"id\":\"\(id)\",\"conversation\":\"bob\","
                    + "\"direction\":\"incoming\",\"sent\":\"2026-11-20T10:00:00Z\",\"stored\":\"2026-11-20T10:00:00Z\","
                    + "\"delivery\":\"read\",\"name\":\"n\(number)\",\"size\":1,\"state\":\"complete\"}\n"
            }
            let start = "{\"v\":1,\"type\":\"export\"}\n{\"v\":1,\"type\":\"contact\",\"name\":\"bob\"}\n"
            let file = alice.folder.file("transfers.jsonl")
            let end = "{\"type\":\"end\",\"messages\":\(count),\"operations\":0}\n"
            try TestFile.write(start + lines.joined() + end, to: file)
            let imported = try await alice.run("import", file)
            #expect(imported.status == .exited(0), "\(imported.errorOutput)")
            #expect(try await alice.transfers().count == count)
            let running = try await Server(alice)
            #expect(try await alice.transfers().count == count)
            #expect(try await alice.run("transfers", "list", "--unfinished").lines.isEmpty)
            try await running.stop()
        }

        @Test("sends standard input under a name, and keeps no copy of it")
        func standardInput() async throws {
            let (alice, bob, server) = try await pair("--accept-files", "1G")
            let input = alice.folder.file("input")
            try TestFile.generate(input, size: 400_000)
            expectOneSentence(try await alice.run("send-file", "bob", "-", input: input), 2, "--name")
            expectOneSentence(try await alice.run("send-file", "bob", "-", "--name", "../x", input: input), 2, "../x")
            #expect(TestFile.names(in: alice.path + "/spool") == [])
            let outcome = try await alice.run(
                "send-file", "bob", "-", "--name", "from pipe.bin", "--timeout", "60", input: input)
            #expect(outcome.status == .exited(0), "\(outcome.errorOutput)")
            #expect(try await sha256(bob.path + "/downloads/from pipe.bin") == sha256(input))
            #expect(TestFile.names(in: alice.path + "/spool") == [])
            // What is only queued is kept until it has been sent.
            let port = try server.port
            try await server.stop()
            let queued = try await alice.run(
                "send-file", "bob", "-", "--name", "later.bin", "--timeout", "0.2", input: input)
            expectOneSentence(queued, 3, "queued")
            #expect(TestFile.names(in: alice.path + "/spool").count == 1)
            let sender = try await Server(alice)
            let again = try await Server(bob, port: port, "--accept-files", "1G")
            try await eventually("it is sent, and the copy removed") {
                try await alice.transfers().first?.state == "complete"
                    && TestFile.names(in: alice.path + "/spool") == []
            }
            #expect(try await sha256(bob.path + "/downloads/later.bin") == sha256(input))
            try await sender.stop()
            try await again.stop()
            // Another key answers than the one that came with the address, which is somebody else: nothing is sent, and what
            // is offered waits for bob.
            unlink(bob.path + "/identity.key")
            let stranger = try await Server(bob, port: port)
            let refused = try await alice.run(
                "send-file", "bob", "-", "--name", "held.bin", "--timeout", "2", input: input)
            expectOneSentence(refused, 3, "somebody else answers at 127.0.0.1:\(port)")
            #expect(TestFile.names(in: alice.path + "/spool").count == 1)
            try await stranger.stop()
        }

        @Test("receives one file for a script: through a running instance, and as an instance of its own")
        func receive() async throws {
            let (alice, bob, server) = try await pair(confined: false)
            let source = alice.folder.file("gift.bin")
            try TestFile.generate(source, size: 300_000)
            #expect(try await alice.run("send", "bob", "hello").status == .exited(0))
            expectOneSentence(try await bob.run("receive"), 2, "--accept")
            expectOneSentence(try await bob.run("receive", "--accept", "1M", "--timeout", "0.2"), 1, "nobody")
            expectOneSentence(try await bob.run("receive", "--accept", "1M", "--from", "zoe"), 10, "zoe")

            let target = bob.folder.file("into")
            let receiver = try bob.start("receive", "--once", "--accept", "1M", "--from", "alice", "-o", target)
            let sender = try alice.start("send-file", "bob", source, "--timeout", "60")
            #expect(try await receiver.waitForExit() == .exited(0), "\(receiver.errorOutput)")
            #expect(receiver.output == target + "/gift.bin\n")
            #expect(try await sender.waitForExit() == .exited(0), "\(sender.errorOutput)")
            #expect(try await sha256(target + "/gift.bin") == sha256(source))

            // Larger than --accept: left alone, for somebody to decide.
            let small = try bob.start("receive", "--once", "--accept", "100k")
            let second = try alice.start("send-file", "bob", source, "--timeout", "60")
            try await eventually("it is left alone") { small.errorOutput.contains("larger than --accept") }
            let number = try #require(try await bob.transfers().first?.number)
            #expect(try await bob.run("transfers", "decline", "\(number)").status == .exited(0))
            #expect(try await second.waitForExit() == .exited(4), "\(second.errorOutput)")
            #expect(try await small.waitForExit() == .exited(1), "\(small.errorOutput)")
            #expect(small.errorOutput.contains("you declined the file"), "\(small.errorOutput)")

            let port = try server.port
            try await server.stop()
            let own = try bob.start("receive", "-o", "-", "--accept", "1M", "--listen", "127.0.0.1:\(port)")
            // A folder cannot be written out: it is left for somebody to decide.
            let folder = try alice.folder.makeFolder("folder")
            try TestFile.write("one", to: folder + "/one.txt")
            let whole = try alice.start("send-file", "bob", folder)
            try await eventually("it is left alone") { own.errorOutput.contains("part of a folder") }
            let third = try await alice.run("send-file", "bob", source, "--timeout", "60")
            #expect(third.status == .exited(0), "\(third.errorOutput)")
            whole.signal(SIGTERM)
            #expect(try await bob.transfers().first { $0.name == "one.txt" }?.state == "offered")
            #expect(try await own.waitForExit() == .exited(0), "\(own.errorOutput)")
            let written = bob.folder.file("written")
            try TestFile.write(own.outputBytes, to: written)
            #expect(try await sha256(written) == sha256(source))
            #expect(TestFile.names(in: bob.path).allSatisfy { !$0.hasPrefix("receive-") })
            // A home that takes everything by itself does not put it elsewhere than the command says.
            #expect(try await bob.run("config", "set", "files.ask", "false").status == .exited(0))
            let left = try #require(try await bob.transfers().first { $0.name == "one.txt" }?.number)
            #expect(try await bob.run("transfers", "decline", "\(left)").status == .exited(0))
            let other = bob.folder.file("other")
            let taking = try bob.start(
                "receive", "--once", "--accept", "1M", "-o", other, "--listen", "127.0.0.1:\(port)")
            let fourth = try await alice.run("send-file", "bob", source, "--timeout", "60")
            #expect(fourth.status == .exited(0), "\(fourth.errorOutput)")
            #expect(try await taking.waitForExit() == .exited(0), "\(taking.errorOutput)")
            #expect(taking.output == other + "/gift.bin\n")
            // A signal ends it in order, with the code that says so.
            let idle = try bob.start("receive", "--accept", "1M", "--listen", "127.0.0.1:0")
            try await eventually("it runs") { idle.errorOutput.contains("listening") }
            idle.signal(SIGINT)
            #expect(try await idle.waitForExit() == .exited(130))
        }

        @Test("limits the rate of what runs, and shows it")
        func limits() async throws {
            let (alice, bob, server) = try await pair("--accept-files", "1G")
            #expect(try await bob.run("transfers", "limit", "down", "100k").status == .exited(0))
            expectOneSentence(try await bob.run("transfers", "limit", "down", "fast"), 2, "not a rate")
            expectOneSentence(try await bob.run("transfers", "limit", "sideways", "1k"), 2, "sideways")
            expectOneSentence(try await bob.run("transfers", "limit", "77", "1k"), 10, "77")
            expectOneSentence(try await alice.run("transfers", "limit", "up", "1k"), 1, "blipchat is not running")
            let watch = try bob.start(["--json", "transfers", "watch"])
            let tiny = alice.folder.file("tiny")
            try TestFile.write("x", to: tiny)
            try await eventually("the watch has begun") {
                _ = try await alice.run("send-file", "bob", tiny, "--timeout", "60")
                return watch.output.contains("tiny")
            }
            let source = alice.folder.file("slow.bin")
            try TestFile.generate(source, size: 250_000)
            let begun = ContinuousClock.now
            #expect(try await alice.run("send-file", "bob", source, "--timeout", "60").status == .exited(0))
            #expect(ContinuousClock.now - begun > .milliseconds(2000))
            try await eventually("it was watched") {
                watch.output.contains("\"type\":\"progress\"") && watch.output.contains("slow.bin")
            }
            watch.signal(SIGTERM)
            #expect(try await watch.waitForExit() == .exited(143))
            try await server.stop()
        }
    }
}

/// `blipchat serve` under strace.
private final class TracedServer {
    private let home: BlipchatHome
    private let process: ChildProcess
    private let log: String

    init(_ home: BlipchatHome, _ options: [String], _ arguments: String...) async throws {
        self.home = home
        log = home.folder.file("strace")
        let command = ["strace", "-f", "-s", "200", "-o", log] + options + [home.command, "serve"]
        process = try ChildProcess(
            command + ["--listen", "127.0.0.1:0"] + arguments, environment: home.environment, folder: home.folder)
        let process = process
        try await eventually("serve under strace is ready", state: { process.errorOutput }) {
            process.output.hasPrefix("listening ") && process.output.hasSuffix("\n")
        }
    }

    /// Ends it and returns the calls, one on each line, in the order in which they began.
    func stop() async throws -> [Substring] {
        let pid = try #require(try await home.status().pid)
        kill(Int32(pid), SIGTERM)
        let status = try await process.waitForExit()
        #expect(status == .exited(0))
        return TestFile.text(log).split(separator: "\n")
    }
}
