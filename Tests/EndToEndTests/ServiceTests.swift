// `blipchat serve` for a long time and in bad times: memory, descriptors, and readers who stop reading.

import CLinux
import Glibc
import TestSupport
import TestTraits
import Testing

/// A raw connection to a control socket.
final class ControlLine {
    private let descriptor: Int32
    private var rest: [UInt8] = []

    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        // A full backlog is an error here, not a reason to wait for ever.
        var patience = timeval(tv_sec: 2, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8).prefix(107)) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw SystemFailure("connect \(path)") }
    }

    deinit { close(descriptor) }

    func send(_ line: String) throws {
        let text = line + "\n"
        guard write(descriptor, text, text.utf8.count) == text.utf8.count else { throw SystemFailure("write") }
    }

    /// As `SessionGreeting.currentProtocol`.
    private static let protocolNumber = 10

    /// Begins a session.
    func greet() throws {
        try send(#"{"hello":{"protocol":\#(Self.protocolNumber)}}"#)
        #expect(try line().contains(#""protocol":\#(Self.protocolNumber),"#))
    }

    /// What a call is answered with: `"value":...` or `"error":...`.
    func reply(to call: String) throws -> String {
        try send(#"{"call":1,"what":\#(call)}"#)
        while true {
            let line = try line()
            if line.hasPrefix(#"{"reply":1,"#) { return line }
        }
    }

    /// The next line; throws at the end.
    func line() throws -> String {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest.removeFirst(end + 1) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            var part = [UInt8](repeating: 0, count: 65_536)
            let count = read(descriptor, &part, part.count)
            guard count > 0 else { throw SystemFailure("read") }
            rest += part[..<count]
        }
    }
}

extension EndToEnd {
    @Suite struct ServiceTests {
        /// What a process holds in memory, in bytes.
        private func memory(of process: ChildProcess) throws -> Int {
            let fields = TestFile.text("/proc/\(process.processID)/statm").split(separator: " ")
            return try #require(fields.dropFirst().first.flatMap { Int($0) }) * 4096
        }

        @Test("a command that has been answered leaves no memory behind, and neither does a call of a screen")
        func soak() async throws {
            let home = try BlipchatHome("alice")
            let server = try await Server(home)
            func ask(_ count: Int) throws {
                for _ in 0..<count {
                    let line = try ControlLine(home.path + "/blipchat.sock")
                    try line.greet()
                    try line.send(#"{"call":1,"what":{"conversations":{}}}"#)
                    while try !line.line().contains(#""reply":1,"#) {}
                }
            }
            let session = try ControlLine(home.path + "/blipchat.sock")
            try session.greet()
            var number = 0
            func call(_ count: Int) throws {
                for _ in 0..<count {
                    number += 1
                    try session.send(#"{"call":\#(number),"what":{"identity":{}}}"#)
                    while try !session.line().contains("\"reply\":\(number),") {}
                }
            }
            try ask(500)
            try call(500)
            let before = try memory(of: server.process)
            try ask(3000)
            let between = try memory(of: server.process)
            #expect(between - before < 8 << 20, "commands: \(before) -> \(between)")
            try call(3000)
            let after = try memory(of: server.process)
            #expect(after - between < 8 << 20, "calls: \(between) -> \(after)")
            try await server.stop()
        }

        @Test(
            "a moment without descriptors is over when they are back",
            .looksIntoBlipchat)
        func descriptors() async throws {
            let home = try BlipchatHome("alice")
            let process = try ChildProcess(
                ["/bin/sh", "-c", "ulimit -n 48; exec \"$0\" serve --listen 127.0.0.1:0", home.command],
                environment: home.environment, folder: home.folder)
            try await eventually("it is ready", state: { process.errorOutput }) { process.output.hasSuffix("\n") }
            var held: [ControlLine]? = []
            // The backlog takes a few more than there are descriptors for.
            while let count = held?.count, count < 60, let line = try? ControlLine(home.path + "/blipchat.sock") {
                held?.append(line)
            }
            let taken = 48 - 5
            try await eventually("callers have all that they may have") {
                (try? Self.openDescriptors(of: process)) ?? 0 >= taken
            }
            // What runs beneath us opens one now and then, and ends the process when it cannot; the chat itself opens a socket
            // that tells of networks, and avahi's library three. Callers that took the last ones would keep them.
            try await Task.sleep(for: .milliseconds(300))
            try await eventually(
                "the last ones are free", state: { "\(String(describing: try? Self.openDescriptors(of: process)))" }
            ) {
                try taken...taken + 4 ~= Self.openDescriptors(of: process)
            }
            #expect(process.isRunning)
            held = nil
            try await eventually("it answers again", state: { process.errorOutput }) {
                try await home.run("status").output.contains("running (process")
            }
            process.signal(SIGTERM)
            #expect(try await process.waitForExit() == .exited(0))
        }

        /// A connection that says nothing; `nil` when there is none at once.
        private static func call(_ port: UInt16) -> Int32? {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            guard descriptor >= 0 else { return nil }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let isConnected = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            if !isConnected { close(descriptor) }
            return isConnected ? descriptor : nil
        }

        private static func openDescriptors(of process: ChildProcess) throws -> Int {
            guard let stream = opendir("/proc/\(process.processID)/fd") else { throw SystemFailure("opendir") }
            defer { closedir(stream) }
            var count = -2
            while readdir(stream) != nil { count += 1 }
            return count
        }

        @Test(
            "where it starts, commands reach it, also after strangers held all they could get",
            .looksIntoBlipchat, arguments: 30...36)
        func fewDescriptors(limit: Int) async throws {
            let home = try BlipchatHome("alice")
            let process = try ChildProcess(
                ["/bin/sh", "-c", "ulimit -n \(limit); exec \"$0\" serve --listen 127.0.0.1:0", home.command],
                environment: home.environment, folder: home.folder)
            try await eventually("it is ready, or has ended", state: { process.errorOutput }) {
                process.output.hasSuffix("\n") || !process.isRunning
            }
            guard process.isRunning else {
                #expect(limit < 34 && process.errorOutput.contains("raise the limit"), "\(process.errorOutput)")
                return
            }
            let port = try #require(process.output.split(separator: ":").last.flatMap { UInt16($0.dropLast()) })
            let strangers = (0..<60).compactMap { _ in Self.call(port) }
            #expect(strangers.count > 20)
            try await eventually("they hold all that they may have") {
                try Self.openDescriptors(of: process) >= limit - 9
            }
            for stranger in strangers { close(stranger) }
            try await eventually("commands reach it", state: { process.errorOutput }) {
                try await home.run("status").output.contains("listening 127.0.0.1:")
            }
            process.signal(SIGTERM)
            #expect(try await process.waitForExit() == .exited(0))
        }

        @Test("with too few descriptors it says so and does not start", arguments: [8, 12, 16, 20, 24, 26])
        func tooFew(limit: Int) async throws {
            let home = try BlipchatHome("alice")
            let process = try ChildProcess(
                ["/bin/sh", "-c", "ulimit -n \(limit); exec \"$0\" serve --listen 127.0.0.1:0", home.command],
                environment: home.environment, folder: home.folder)
            let outcome = try await process.waitForExit()
            let text = CommandOutcome(status: outcome, output: process.output, errorOutput: process.errorOutput)
            expectOneSentence(text, 7, "open files")
        }

        @Test(
            "whoever has stopped reading what it prints neither holds it up nor keeps it alive",
            arguments: [["serve", "--listen", "127.0.0.1:0"], ["watch", "--listen", "127.0.0.1:0"]])
        func nobodyReads(_ command: [String]) async throws {
            let home = try BlipchatHome("alice")
            // A pipe that is full from the beginning, and that nobody reads.
            let pipe = try Fifo(in: home.folder)
            let filler = open(pipe.path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
            defer { close(filler) }
            while write(filler, [UInt8](repeating: 65, count: 4096), 4096) > 0 {}
            while write(filler, "A", 1) > 0 {}
            let out = command[0] == "watch" ? "1>'\(pipe.path)'" : ""
            let line = "exec \"$0\" \(command.joined(separator: " ")) \(out) 2>'\(pipe.path)'"
            let process = try ChildProcess(
                ["/bin/sh", "-c", line, home.command], environment: home.environment, folder: home.folder)
            try await eventually("it runs") { try await home.run("status").output.contains("running (process") }
            for number in 0..<20 {
                try await home.add("127.0.0.1:\(1000 + number)", as: "c\(number)")
            }
            #expect(try await home.run("send", "c1", "x", "--queue").status == .exited(0))
            process.signal(SIGTERM)
            let status = try await process.waitForExit()
            #expect(status == .exited(0) || status == .exited(143), "\(status)")
        }
    }
}
