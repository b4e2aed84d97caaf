// What systemd hands over and hears, played by sockets of the test's own.

import ChatSettings
import Glibc
import TestSupport
import Testing

@testable import ChatHost

@Suite("The service manager") struct ServiceManagerTests {
    private func manager(_ environment: [String: String]) throws(CommandError) -> ServiceManager {
        try ServiceManager(environment: environment, controlPath: "/run/user/1/blipchat/default.sock")
    }

    @Test("hears each state, at a path and at an abstract name", arguments: [false, true])
    func states(isAbstract: Bool) async throws {
        let folder = try TemporaryDirectory()
        let socket = try NotifySocket(isAbstract ? "@blipchat-test-\(getpid())" : folder.file("notify"))
        let manager = try manager(["NOTIFY_SOCKET": socket.address])
        await manager.tell(.ready("listening [::]:4985"))
        #expect(try await socket.next() == "READY=1\nSTATUS=listening [::]:4985")
        await manager.tell(.reloading)
        let reloading = try await socket.next()
        #expect(reloading.wholeMatch(of: /RELOADING=1\nMONOTONIC_USEC=[1-9][0-9]+/) != nil, "\(reloading)")
        await manager.tell(.stopping)
        #expect(try await socket.next() == "STOPPING=1")
    }

    @Test("a reader that lags is waited for, and hears everything in order")
    func lags() async throws {
        let folder = try TemporaryDirectory()
        let socket = try NotifySocket(folder.file("notify"))
        let manager = try manager(["NOTIFY_SOCKET": socket.address])
        // More than a datagram socket holds (net.unix.max_dgram_qlen).
        let count = 2000
        let telling = Task { for number in 0..<count { await manager.tell(.ready("\(number)")) } }
        for number in 0..<count { #expect(try await socket.next() == "READY=1\nSTATUS=\(number)") }
        await telling.value
    }

    @Test("the watchdog hears a sign of life again and again while the work returns, and none when it hangs")
    func watchdog() async throws {
        let folder = try TemporaryDirectory()
        let socket = try NotifySocket(folder.file("notify"))
        let manager = try manager(["NOTIFY_SOCKET": socket.address, "WATCHDOG_USEC": "20000"])
        #expect(manager.watchdog == .milliseconds(20))
        let works = Task { await manager.keepAlive {} }
        for _ in 0..<3 {
            #expect(try await eventuallyGet("a sign of life") { socket.poll() } == "WATCHDOG=1")
        }
        works.cancel()
        await works.value
        while socket.poll() != nil {}
        let hangs = Task { await manager.keepAlive { try? await Task.sleep(for: .seconds(3600)) } }
        try await Task.sleep(for: .milliseconds(100))
        #expect(socket.poll() == nil)
        hangs.cancel()
        await hangs.value
    }

    @Test("without systemd nothing is told, watched or handed over")
    func alone() async throws {
        let manager = try manager([:])
        #expect(manager.watchdog == nil && manager.control == nil)
        await manager.tell(.stopping)
    }

    @Test("variables that are about another process mean nothing")
    func others() throws {
        let other = "\(getppid())"
        let manager = try manager(
            ["WATCHDOG_USEC": "20000", "WATCHDOG_PID": other, "LISTEN_PID": other, "LISTEN_FDS": "1"])
        #expect(manager.watchdog == nil && manager.control == nil)
    }

    @Test(
        "what cannot be used is refused with its name",
        arguments: [
            (["NOTIFY_SOCKET": "vsock:2:1"], "NOTIFY_SOCKET vsock:2:1"),
            (["LISTEN_FDS": "x"], "LISTEN_FDS x"),
            (["LISTEN_FDS": "70000"], "LISTEN_FDS 70000"),
        ])
    func refused(environment: [String: String], subject: String) throws {
        let error = try #require(throws: CommandError.self) {
            try manager(environment.merging(["LISTEN_PID": "\(getpid())"]) { $1 })
        }
        #expect(error.exit == .usage && error.subject == subject)
    }

    @Test("a line goes to the journal only where that is what our descriptor leads to")
    func journal() throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("stream")
        let descriptor = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        var status = stat()
        #expect(fstat(descriptor, &status) == 0)
        let stream = "\(status.st_dev):\(status.st_ino)"
        #expect(Journal.isBehind(descriptor, ["JOURNAL_STREAM": stream]))
        #expect(!Journal.isBehind(descriptor, ["JOURNAL_STREAM": "\(status.st_dev):\(status.st_ino + 1)"]))
        #expect(!Journal.isBehind(descriptor, [:]))
    }
}
