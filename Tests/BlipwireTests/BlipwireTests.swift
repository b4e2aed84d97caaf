// The real program in both roles: client against server in every dialect and over every transport, and against
// servers that are wrong.

import BLIPNet
import Glibc
import TestSupport
import Testing
import Workbench

@testable import blipwire

@Suite(.serialized) struct BlipwireTests {
    @Test("every profile works between two of us", arguments: Dialect.allCases, Transport.allCases)
    func client(dialect: Dialect, transport: Transport) async throws {
        let server = try await WorkbenchServer(transport, "--dialect", dialect.rawValue)
        let outcome = try await BlipwireProgram.run(
            [
                "client", try server.url, "--dialect", dialect.rawValue, "--big", "3000000", "--concurrency", "40",
                "--json",
            ], in: server.folder)
        #expect(outcome.status == .exited(0), "\(outcome.output)\(outcome.errorOutput)")
        let records = outcome.lines.compactMap { JSONRecord(parsing: Array($0.utf8)) }
        #expect(records.count == outcome.lines.count)
        #expect(records.first?["event"] == .string("connected"))
        #expect(records.first?["dialect"] == .string(dialect.rawValue))
        #expect(records.first?["fingerprint"] == server.record["fingerprint"])
        let checks = records.filter { $0["event"] == .string("check") }
        #expect(checks.count == 13)
        for check in checks { #expect(check["ok"] == .bool(true), "\(check.text)") }
        #expect(records.last?["event"] == .string("summary"))
        #expect(records.last?["failed"] == .integer(0))
        try await server.stop()
    }

    @Test("every measurement ends with its figures", arguments: Dialect.allCases)
    func bench(dialect: Dialect) async throws {
        let server = try await WorkbenchServer(.plain, "--dialect", dialect.rawValue)
        for (what, key) in [
            ("seq", "per_second"), ("pipe", "per_second"), ("big", "mb_per_second"), ("pull", "mb_per_second"),
            ("bigz", "mb_per_second"), ("urgent", "p99_us"), ("urgent2", "p99_us"),
        ] {
            let outcome = try await BlipwireProgram.run(
                [
                    "bench", try server.url, "--what", what, "--bytes", "1000000", "--seconds", "1", "--samples", "20",
                    "--dialect", dialect.rawValue, "--json",
                ], in: server.folder)
            #expect(outcome.status == .exited(0), "\(what): \(outcome.errorOutput)")
            let record = try #require(JSONRecord(parsing: Array(outcome.output.utf8)), "\(outcome.output)")
            #expect(record["what"] == .string(what))
            #expect(try #require(record.number(key)) > 0)
        }
        try await server.stop()
    }

    @Test("prints sentences for people")
    func sentences() async throws {
        let server = try await WorkbenchServer(.tls)
        let outcome = try await BlipwireProgram.run(
            ["client", try server.url + "any/path?x", "--big", "100", "--peer", try server.text("fingerprint")],
            in: server.folder)
        #expect(outcome.status == .exited(0), "\(outcome.output)\(outcome.errorOutput)")
        #expect(outcome.lines.first?.contains(try server.text("fingerprint")) == true)
        #expect(outcome.lines.dropFirst().dropLast().allSatisfy { $0.hasPrefix("ok   ") })
        #expect(outcome.lines.last == "all 13 succeeded")
        try await server.stop()
        #expect(server.process.errorOutput.isEmpty)
    }

    /// A server that `blipwire client` can talk to.
    private var blipwireOptions: LinkOptions {
        var options = LinkOptions()
        options.application = "blipchat_1"
        return options
    }

    @Test("names each check that a wrong server fails, and returns 1")
    func wrongServer() async throws {
        let folder = try TemporaryDirectory()
        let listener = try LinkListener.listen(on: .host("127.0.0.1", port: 0), options: blipwireOptions) { _ in
            LyingHandler()
        }
        let outcome = try await BlipwireProgram.run(
            ["client", "ws://\(listener.localEndpoint)/", "--big", "1000", "--concurrency", "3", "--timeout", "30"],
            in: folder)
        listener.close()
        #expect(outcome.status == .exited(1), "\(outcome.errorOutput)")
        #expect(outcome.lines.contains { $0.hasPrefix("FAIL echo: the body came back changed") })
        #expect(outcome.lines.contains { $0.hasPrefix("FAIL rusage: ") })
        #expect(outcome.lines.last?.hasSuffix(" of 13 failed") == true)
    }

    @Test("fails a check whose answer never comes")
    func silence() async throws {
        let folder = try TemporaryDirectory()
        let listener = try LinkListener.listen(on: .host("127.0.0.1", port: 0), options: blipwireOptions) { _ in
            SilentHandler()
        }
        let outcome = try await BlipwireProgram.run(
            ["client", "ws://\(listener.localEndpoint)/", "--big", "10", "--timeout", "1"], in: folder)
        listener.close()
        #expect(outcome.status == .exited(1), "\(outcome.errorOutput)")
        #expect(outcome.lines.contains { $0.hasPrefix("FAIL echo: not done within") })
    }

    @Test("makes an identity file once and keeps it")
    func identity() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("key.pem")
        let first = try await WorkbenchServer(.tls, "--identity", file)
        let fingerprint = try first.text("fingerprint")
        #expect(TestFile.permissions(file) == 0o600)
        try await first.stop()
        let second = try await WorkbenchServer(.tls, "--identity", file)
        #expect(try second.text("fingerprint") == fingerprint)
        let outcome = try await BlipwireProgram.run(
            ["bench", try second.url, "--what", "seq", "--seconds", "1", "--peer", String(repeating: "0", count: 64)],
            in: folder)
        try expectSentence(outcome, 5, "has key \(fingerprint)")
        try await second.stop()
        try TestFile.write("no key", to: file)
        let refused = try await BlipwireProgram.run(
            ["serve", "--listen", "127.0.0.1:0", "--identity", file], in: folder)
        try expectSentence(refused, 7, "\(file): contains no usable key")
    }

    @Test("says goodbye to every link when it ends", arguments: [Transport.tls, .plain])
    func goodbye(transport: Transport) async throws {
        let server = try await WorkbenchServer(transport)
        let links = [try await server.connect(.blip3), try await server.connect(.blip3)]
        try await server.stop()
        for link in links {
            #expect(await link.waitUntilClosed() == .closedByPeer(code: 1001, reason: "going away"))
        }
    }

    @Test("ws-echo speaks TLS and says goodbye when it ends", arguments: [false, true])
    func echoServer(isEncrypted: Bool) async throws {
        let folder = try TemporaryDirectory()
        let options = isEncrypted ? ["--tls", "--identity", folder.file("key.pem")] : []
        let server = try BlipwireProgram.start(["ws-echo", "--listen", "127.0.0.1:0", "--json"] + options, in: folder)
        try await eventually("ws-echo is ready", state: { server.errorOutput }) { server.output.hasSuffix("\n") }
        let record = try #require(JSONRecord(parsing: Array(server.output.utf8)))
        guard case .string(let address) = record["address"] else { throw ConditionNotMet("an address") }
        var request = WebSocketRequest(url: try WebSocketURL("\(isEncrypted ? "wss" : "ws")://\(address)/"))
        if isEncrypted {
            let identity = try TLSIdentity(pem: try #require(try IdentityFile.read(folder.file("key.pem"))))
            #expect(record["fingerprint"] == .string(identity.fingerprint.bytes.hex))
            request.tls.trust = .pinned(identity.fingerprint)
        }
        let channel = try await WebSocketChannel.connect(request)
        try await channel.send(.text("back"))
        #expect(try await channel.receive() == .text("back"))
        server.signal(SIGTERM)
        #expect(await channel.waitUntilClosed() == .closedByPeer(code: 1001, reason: "going away"))
        #expect(try await server.waitForExit() == .exited(0), "\(server.errorOutput)")
        let refused = try await BlipwireProgram.run(
            ["ws-echo", "--listen", "127.0.0.1:0", "--identity", "file"], in: folder)
        try expectSentence(refused, 2, "--identity: needs --tls")
    }

    @Test("leaves no socket file behind")
    func socketFile() async throws {
        let server = try await WorkbenchServer(.unix)
        let path = server.folder.file("socket")
        #expect(access(path, F_OK) == 0)
        try await server.stop()
        #expect(access(path, F_OK) != 0)
    }

    @Test("says in one sentence why it cannot do what it was asked for")
    func sentencesOfErrors() async throws {
        let folder = try TemporaryDirectory()
        let port = try PlainServer.freePort()
        let web = try PlainServer(.answers("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
        for (words, code, part) in [
            ([], 2, "COMMAND: missing"), (["ecoh"], 2, "ecoh: no such command"),
            (["client"], 2, "blipwire client: an argument is missing"), (["serve"], 2, "--listen: missing"),
            (["bench", "ws://h/", "--what", "\u{1B}[31m"], 2, "is not one of seq|pipe"),
            (["client", "ws://127.0.0.1:\(port)/"], 8, "ws://127.0.0.1:\(port)/: connect: Connection refused"),
            (["client", "ws://no-such-host.invalid/"], 8, "no-such-host.invalid: cannot be resolved"),
            (["client", "ws://127.0.0.1:\(web.port)/"], 8, "does not speak our protocol"),
            (["client", "unix:/no/such/socket"], 8, "unix:/no/such/socket: connect: No such file"),
            (["serve", "--listen", "127.0.0.1:\(web.port)", "--insecure"], 7, "127.0.0.1:\(web.port): bind:"),
            (["serve", "--listen", "127.0.0.1:0", "--identity", "/no/such/key"], 7, "/no/such/key: No such file"),
        ] as [([String], Int32, String)] {
            try expectSentence(try await BlipwireProgram.run(words, in: folder), code, part)
        }
        for words in [["--help"], ["help"], ["help", "serve"], ["client", "--help"], ["bench", "-h"]] {
            let outcome = try await BlipwireProgram.run(words, in: folder)
            #expect(outcome.status == .exited(0))
            #expect(outcome.output.hasPrefix("Usage: blipwire"))
            #expect(outcome.errorOutput.isEmpty)
        }
    }

    private func expectSentence(
        _ outcome: CommandOutcome, _ code: Int32, _ part: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(outcome.status == .exited(code), "\(outcome.errorOutput)", sourceLocation: sourceLocation)
        let lines = outcome.errorOutput.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 2 && lines.last == "", "\(outcome.errorOutput)", sourceLocation: sourceLocation)
        #expect(outcome.errorOutput.hasPrefix("blipwire"), sourceLocation: sourceLocation)
        #expect(outcome.errorOutput.contains(part), "\(outcome.errorOutput)", sourceLocation: sourceLocation)
        #expect(!outcome.errorOutput.utf8.contains(0x1B), sourceLocation: sourceLocation)
    }
}

/// Never answers.
private final class SilentHandler: BLIPRequestHandler {
    func handle(_ request: BLIPIncomingRequest, on link: PeerLink) -> BLIPResponse? { nil }
}
