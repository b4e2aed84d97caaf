// `blipchat serve` as systemd runs it: what it tells, the socket that it is given, and the lines of the journal.

import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite struct SystemdTests {
        /// `serve` with further variables; `inherited`: a program of Python's that has it inherit something.
        private func serve(
            _ home: BlipchatHome, _ variables: [String: String], inherited: String = ""
        ) throws -> ChildProcess {
            let program = """
                import os, socket, sys
                \(inherited)
                os.environ["LISTEN_PID"] = str(os.getpid())
                os.execv(sys.argv[1], ["blipchat", "serve", "--listen", "127.0.0.1:0"])
                """
            return try ChildProcess(
                ["/usr/bin/python3", "-c", program, home.command],
                environment: home.environment.merging(variables) { $1 }, folder: home.folder)
        }

        @Test("it tells when it is ready, when it reads its settings, that it lives and when it stops")
        func states() async throws {
            let home = try BlipchatHome("alice")
            let socket = try NotifySocket(home.folder.file("notify"))
            let process = try serve(home, ["NOTIFY_SOCKET": socket.address, "WATCHDOG_USEC": "100000"])
            let ready = try await socket.next()
            #expect(ready.hasPrefix("READY=1\nSTATUS=listening 127.0.0.1:"), "\(ready)")
            #expect(ready.hasSuffix(process.output.split(separator: "\n").first ?? "?"))
            #expect(try await eventuallyGet("a sign of life") { socket.poll() } == "WATCHDOG=1")
            process.signal(SIGHUP)
            #expect(try await socket.next().hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
            #expect(try await socket.next() == ready)
            process.signal(SIGTERM)
            #expect(try await socket.next() == "STOPPING=1")
            #expect(try await process.waitForExit() == .exited(0))
        }

        @Test("it answers at the socket that systemd has opened, leaves it there, and nobody else takes its place")
        func activation() async throws {
            let home = try BlipchatHome("alice")
            let path = home.path + "/blipchat.sock"
            #expect(mkdir(home.path, 0o700) == 0)
            // Plays systemd: keeps the socket, and starts serve when somebody calls.
            let program = """
                import os, select, socket, subprocess, sys
                listener = socket.socket(socket.AF_UNIX)
                listener.bind(sys.argv[2])
                os.chmod(sys.argv[2], 0o600)
                listener.listen()
                print("open", flush=True)
                for start in range(2):
                    select.select([listener], [], [])
                    child = os.fork()
                    if child == 0:
                        os.dup2(listener.fileno(), 3)
                        os.set_inheritable(3, True)
                        os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1")
                        os.execv(sys.argv[1], ["blipchat", "serve", "--listen", "127.0.0.1:0"])
                    print("started", child, flush=True)
                    print("ended", os.waitpid(child, 0)[1], flush=True)
                """
            let systemd = try ChildProcess(
                ["/usr/bin/python3", "-c", program, home.command, path], environment: home.environment,
                folder: home.folder)
            try await eventually("it listens", state: { systemd.errorOutput }) { systemd.output.hasPrefix("open\n") }
            // It does not go through the socket, and must not take its place either.
            let rival = try await home.run("serve", "--listen", "127.0.0.1:0")
            #expect(rival.status == .exited(9), "\(rival.errorOutput)")
            #expect(rival.errorOutput.contains("systemd listens here"), "\(rival.errorOutput)")
            for start in 1...2 {
                // A question waits only for so long, and the answer of a machine that is busy comes later.
                try await eventually("serve \(start) answers", state: { systemd.output + systemd.errorOutput }) {
                    try await home.run("status").output.contains("running (process")
                }
                let number = try #require(
                    systemd.output.split(separator: "\n").last { $0.hasPrefix("started ") }?.split(separator: " ").last)
                #expect(kill(try #require(Int32(number)), SIGTERM) == 0)
                try await eventually("serve \(start) has ended", state: { systemd.output }) {
                    systemd.output.split(separator: "\n").filter { $0 == "ended 0" }.count == start
                }
                #expect(access(path, F_OK) == 0)
            }
            #expect(try await systemd.waitForExit() == .exited(0))
        }

        @Test("a socket of another home is refused by name")
        func foreignSocket() async throws {
            let home = try BlipchatHome("alice")
            let other = home.folder.file("other.sock")
            let process = try serve(
                home, ["LISTEN_FDS": "1"],
                inherited: """
                    listener = socket.socket(socket.AF_UNIX)
                    listener.bind("\(other)")
                    listener.listen()
                    os.dup2(listener.fileno(), 3)
                    os.set_inheritable(3, True)
                    """)
            #expect(try await process.waitForExit() == .exited(2))
            #expect(process.errorOutput.contains("systemd has opened \(other), not \(home.path)/blipchat.sock"))
        }

        @Test("the journal gets levels and no times")
        func journal() async throws {
            let home = try BlipchatHome("alice")
            let process = try serve(
                home, ["JOURNAL_STREAM": "1:1"],
                inherited: """
                    status = os.fstat(2)
                    os.environ["JOURNAL_STREAM"] = "%d:%d" % (status.st_dev, status.st_ino)
                    """)
            try await eventually("it is ready", state: { process.errorOutput }) { process.output.hasSuffix("\n") }
            process.signal(SIGHUP)
            try await eventually("it has read its settings", state: { process.errorOutput }) {
                process.errorOutput.hasSuffix("\n")
            }
            process.signal(SIGTERM)
            #expect(try await process.waitForExit() == .exited(0))
            for line in process.errorOutput.split(separator: "\n") {
                #expect(line.wholeMatch(of: /<[3-6]>[^0-9].*/) != nil, "\(line)")
            }
        }

        @Test(
            "its units work under a real systemd --user: start, reload, watchdog, stop, socket",
            .enabled(if: isPossible, "only root with systemd (apt install systemd) can start one of its own"),
            .hasMountNamespaces)
        func units() async throws {
            let home = try BlipchatHome("alice")
            let rig = try ChildProcess(
                ["\(TestFile.repository)/Tests/Rigs/systemd.sh", home.command],
                environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": home.folder.path], folder: home.folder)
            let status = try await rig.waitForExit(timeout: .seconds(240))
            #expect(
                status == .exited(0) && rig.output.hasSuffix("started by its socket\n"),
                "\(rig.output)\(rig.errorOutput)")
        }

        private static let isPossible =
            geteuid() == 0 && access("/usr/lib/systemd/systemd", X_OK) == 0 && access("/sys/fs/cgroup", W_OK) == 0
    }
}
