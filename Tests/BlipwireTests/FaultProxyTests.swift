// The proxy between real sockets: what goes through, what does not, and what it tells of it.

import BLIPNet
import Glibc
import TestSupport
import Testing
import Workbench

@testable import blipwire

@Suite struct FaultProxyTests {
    @Test("passes everything on, in both directions, and tells who hung up")
    func transparent() async throws {
        let server = try await WorkbenchServer(.tls)
        let proxy = try await Proxy(to: server)
        let outcome = try await BlipwireProgram.run(
            ["client", "wss://\(try proxy.address)/", "--big", "3000000", "--peer", try server.text("fingerprint")],
            in: server.folder)
        #expect(outcome.status == .exited(0), "\(outcome.output)\(outcome.errorOutput)")
        let report = try await proxy.stop(after: 1)
        #expect(report.count == 1)
        // After the close frames either side may be the first to hang up (RFC 6455 section 7.1.1).
        let end = try #require(report.first?["end"])
        #expect(end == .string("caller") || end == .string("target"))
        #expect(report.first?["fired"] == .string(""))
        #expect(try #require(report.first?.number("up")) > 3_000_000)
        try await server.stop()
    }

    @Test("lets exactly N bytes through before a cut, N + STEP before the next one, and leaves later calls alone")
    func cuts() async throws {
        let listener = try EchoServer()
        let proxy = try await Proxy(
            to: "127.0.0.1:\(listener.port)", "--faults", "cut@down:1000", "--sweep", "17", "--times", "2")
        for expected in [1_000, 1_017] {
            #expect(try await proxy.echo(5_000).count == expected)
        }
        #expect(try await proxy.echo(5_000) == EchoServer.pattern(5_000))
        let report = try await proxy.stop(after: 3)
        #expect(report.compactMap { $0.number("down") } == [1_000, 1_017, 5_000])
        #expect(report.map { $0["end"] } == [.string("cut"), .string("cut"), .string("caller")])
    }

    @Test("changes exactly one byte")
    func corrupts() async throws {
        let listener = try EchoServer()
        let proxy = try await Proxy(
            to: "127.0.0.1:\(listener.port)", "--faults", "corrupt=255@up:77,trickle@down:0,stall=0.05@down:500")
        var expected = EchoServer.pattern(1_000)
        expected[77] ^= 255
        #expect(try await proxy.echo(1_000) == expected)
        let report = try await proxy.stop()
        #expect(report.first?.text.contains("corrupt=255@up:77") == true, "\(report)")
    }

    @Test("says of a connection that was reset, went silent, or found nobody, how it ended")
    func ends() async throws {
        let listener = try EchoServer()
        for (fault, end) in [("reset@up:10", "reset"), ("silence@up:10", "silence")] {
            let proxy = try await Proxy(to: "127.0.0.1:\(listener.port)", "--faults", fault)
            #expect(try await proxy.echo(1_000, patience: fault.hasPrefix("silence") ? 0.3 : 30).count <= 10)
            let report = try await proxy.stop()
            #expect(report.first?["end"] == .string(end))
            #expect(report.first?.number("up") == 10)
        }
        let proxy = try await Proxy(to: "127.0.0.1:\(try PlainServer.freePort())")
        #expect(try await proxy.echo(10).isEmpty)
        #expect(try await proxy.stop().first?["end"] == .string("unreachable"))
    }

    @Test("ends when it is told to in the moment after it said that it listens")
    func endsAtOnce() async throws {
        for _ in 0..<10 { #expect(try await Proxy(to: "127.0.0.1:9").stop().isEmpty) }
    }

    @Test("says in one sentence what it cannot do")
    func sentences() async throws {
        let folder = try TemporaryDirectory()
        for (words, code, part) in [
            (["proxy", "--listen", "127.0.0.1:0"], 2, "--target: missing"),
            (["proxy", "--listen", "127.0.0.1:0", "--target", "h:1", "--faults", "cut@up"], 2, "`cut@up` is not"),
            (["proxy", "--listen", "unix:/x", "--target", "h:1"], 2, "is not HOST:PORT"),
            (["proxy", "--listen", "127.0.0.1:0", "--target", "no-such-host.invalid:1"], 7, "no-such-host.invalid:1"),
        ] as [([String], Int32, String)] {
            let outcome = try await BlipwireProgram.run(words, in: folder)
            #expect(outcome.status == .exited(code))
            #expect(outcome.errorOutput.contains(part), "\(outcome.errorOutput)")
        }
    }
}

/// `blipwire proxy`.
private final class Proxy {
    private let folder: TemporaryDirectory
    private let process: ChildProcess

    convenience init(to server: WorkbenchServer, _ options: String...) async throws {
        let place = try server.url.split(separator: "/").last ?? ""
        try await self.init(String(place), options)
    }

    convenience init(to target: String, _ options: String...) async throws { try await self.init(target, options) }

    private init(_ target: String, _ options: [String]) async throws {
        folder = try TemporaryDirectory()
        let process = try BlipwireProgram.start(
            ["proxy", "--listen", "127.0.0.1:0", "--target", target, "--json"] + options, in: folder)
        self.process = process
        try await eventually("the proxy listens", state: { process.errorOutput }) { process.output.hasSuffix("\n") }
    }

    var address: String {
        get throws {
            let record = try #require(process.outputLines.first.flatMap { JSONRecord(parsing: Array($0.utf8)) })
            guard case .string(let address) = record["address"] else { throw ConditionNotMet("an address") }
            return address
        }
    }

    /// Sends `count` bytes and reads until as many came back, the end, or silence for `patience` seconds.
    func echo(_ count: Int, patience: Double = 30) async throws -> [UInt8] {
        guard let endpoint = Endpoint(try address) else { throw ConditionNotMet("an endpoint") }
        let connection = TCPConnection.connect(to: endpoint)
        defer { connection.close() }
        do {
            _ = try await connection.waitUntilConnected()
            try await connection.write(EchoServer.pattern(count))
        } catch {
            // The proxy hangs up at once when its target cannot be reached.
            return []
        }
        var received: [UInt8] = []
        while received.count < count {
            guard
                let part = try? await connection.readSome(
                    max: count - received.count, deadline: .now() + .seconds(patience)),
                !part.isEmpty
            else { break }
            received += part
        }
        return received
    }

    /// Ends it when it has told of the end of so many connections, and returns what it told of all.
    func stop(after ended: Int = 0) async throws -> [JSONRecord] {
        let process = process
        try await eventually("the proxy has seen the end of \(ended)", state: { process.output }) {
            process.output.utf8.count { $0 == UInt8(ascii: "\n") } > ended
        }
        process.signal(SIGTERM)
        #expect(try await process.waitForExit() == .exited(0), "\(process.errorOutput)")
        return process.output.split(separator: "\n").dropFirst().compactMap { line in
            // Lists are written, not read: the records of this command have one.
            JSONRecord(parsing: Array(line.replacingList.utf8))
        }
    }
}

extension Substring {
    /// The list of faults as one text, which our reader of flat objects understands.
    fileprivate var replacingList: String {
        guard let open = firstIndex(of: "["), let close = lastIndex(of: "]") else { return String(self) }
        let list = self[index(after: open)..<close].filter { $0 != "\"" }
        return self[..<open] + "\"" + list + "\"" + self[index(after: close)...]
    }
}

/// Sends everything back.
private final class EchoServer: Sendable {
    private let listener: TCPListener
    private let task: Task<Void, Never>

    init() throws {
        let listener = try TCPListener.listen(on: .host("127.0.0.1", port: 0))
        self.listener = listener
        task = Task {
            for await connection in listener {
                Task {
                    while let part = try? await connection.readSome(max: 65_536), !part.isEmpty {
                        try? await connection.write(part)
                    }
                    connection.close()
                }
            }
        }
    }

    deinit { listener.close() }

    var port: UInt16 { if case .host(_, let port) = listener.localEndpoint { port } else { 0 } }

    static func pattern(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) } }
}
