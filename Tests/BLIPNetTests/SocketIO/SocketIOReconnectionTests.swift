// What happens when the connection is lost, and how errors are told apart. SOCKETIO B9 to B11, B14 to B16.

import Glibc
import Synchronization
import TestSupport
import Testing

@testable import BLIPNet

@Suite(
    "Socket.IO connection", .serialized, .timeLimit(.minutes(10)),
    .enabled("\(SocketIOServerKind.reason)") { await SocketIOServerKind.areAvailable })
struct SocketIOReconnectionTests {
    @Test("emits wait for the first connection, in order and within limits")
    func queues() async throws {
        let port = try PlainServer.freePort()
        var options = SocketIOOptions(url: try WebSocketURL("http://127.0.0.1:\(port)"))
        options.proxy = .direct
        options.reconnection.maxDelay = .milliseconds(100)
        options.limits.maxQueuedEmits = 3
        let client = SocketIOClient(options)
        await #expect(throws: SocketIOError.notConnected) { try await client.emit("echo") }
        try await client.start()
        var emits: [Task<[SocketIOValue], any Error>] = []
        for number: Int64 in 1...3 {
            emits.append(Task { try await client.emitWithAck("echo", .integer(number), timeout: .seconds(60)) })
            try await eventually("it waits") { await client.session.queuedCount == number }
        }
        await #expect(throws: SocketIOError.limitExceeded("emits that wait", 3)) {
            try await client.emitWithAck("echo", 4)
        }
        let rig = try await SocketIORig(.five, port: port)
        for (index, emit) in emits.enumerated() { #expect(try await emit.value == [.integer(Int64(index + 1))]) }
        let echoes = rig.reports(of: "echo").map { $0["data"]?.arrayValue?.first?.integerValue }
        #expect(echoes == [1, 2, 3])
        await client.disconnect()
    }

    private final class Endings: Sendable {
        let count = Mutex(0)
    }

    @Test("disconnect returns, also when somebody connects again meanwhile")
    func startDuringDisconnect() async throws {
        let rig = try await SocketIORig(.five)
        let client = SocketIOClient(try rig.options())
        let endings = Endings()
        for round in 1...20 {
            try await client.start()
            Task {
                await client.disconnect()
                endings.count.withLock { $0 += 1 }
            }
            // Before it, while it closes, or behind it: all three happen.
            try await Task.sleep(for: .milliseconds(round % 3))
            try await client.start()
            try await eventually("it returns") { endings.count.withLock { $0 } == round }
        }
        await client.disconnect()
    }

    @Test("comes back when the server does, joins its namespaces again, and never has two connections")
    func comesBack() async throws {
        var rig = try await SocketIORig(.five)
        let client = SocketIOClient(try rig.options())
        let seen = Mutex<[SocketIOChange]>([])
        let changes = client.changes
        let watcher = Task { for await change in changes { seen.withLock { $0.append(change) } } }
        defer { watcher.cancel() }
        try await client.connect()
        let chat = client.namespace("/chat")
        try await chat.connect()
        for round in 1...3 {
            let port = rig.port
            try await rig.kill()
            try await eventually("the end is noticed") {
                seen.withLock { $0.filter { if case .closed = $0 { true } else { false } }.count >= round }
            }
            rig = try await SocketIORig(.five, port: port)
            #expect(try await chat.emitWithAck("echo", "back", timeout: .seconds(60)) == ["back"])
            #expect(try await client.emitWithAck("echo", "again", timeout: .seconds(60)) == ["again"])
        }
        await client.disconnect()
        try await eventually("all is told") { seen.withLock { $0.last == .stopped } }
        // Each attempt begins after the end of the one before.
        var isUp = false
        for change in seen.withLock({ $0 }) {
            switch change {
            case .connecting:
                #expect(!isUp)
                isUp = true
            case .closed: isUp = false
            default: break
            }
        }
    }

    @Test(
        "a server that hangs is noticed within interval, timeout and a second",
        arguments: SocketIOServerKind.allCases, SocketIOOptions.Transports.all)
    func noticesSilence(kind: SocketIOServerKind, transports: SocketIOOptions.Transports) async throws {
        let rig = try await SocketIORig(kind, arguments: ["--interval", "1", "--timeout", "2"])
        var options = try rig.options(transports)
        options.reconnection.isEnabled = false
        let client = SocketIOClient(options)
        let changes = client.changes
        try await client.connect()
        if transports == .upgrade { for await change in changes where change == .upgraded { break } }
        var isAlive = false
        for await change in changes where change == .heartbeat {
            isAlive = true
            break
        }
        #expect(isAlive)
        rig.signal(SIGSTOP)
        defer { rig.signal(SIGCONT) }
        let start = ContinuousClock.now
        var end: SocketIOError?
        for await change in changes {
            guard case .closed(let error) = change else { continue }
            end = error
            break
        }
        #expect(end == .timedOut("heartbeat"))
        // A machine under load is late by itself; what must not happen is that nobody notices.
        #expect(ContinuousClock.now - start < .seconds(1 + 2 + 1) + .seconds(10))
        await client.disconnect()
    }

    @Test("a namespace that the server ends is over, and with the last one the connection")
    func serverLeaves() async throws {
        let rig = try await SocketIORig(.five)
        let client = SocketIOClient(try rig.options())
        let changes = client.changes
        try await client.connect()
        try await client.emit("leave")
        var seen: [SocketIOChange] = []
        for await change in changes {
            seen.append(change)
            if change == .stopped { break }
        }
        #expect(seen.contains(.left(namespace: "/", .closedByServer)))
        // As Tests/Rigs/socketio_server.py announces it.
        #expect(seen.contains { if case .opened(_, .eio4, maxPayload: 4_000_000) = $0 { true } else { false } })
        // And it can be joined again.
        try await client.connect()
        #expect(try await client.emitWithAck("echo", 1) == [1])
        await client.disconnect()
    }

    // MARK: TLS

    private static func error(_ options: SocketIOOptions) async -> SocketIOError? {
        let client = SocketIOClient(options)
        do throws(SocketIOError) { try await client.connect() } catch { return error }
        await client.disconnect()
        return nil
    }

    @Test(
        "a self-signed certificate passes when it is given or its key is pinned, on polling and on the WebSocket",
        arguments: SocketIOServerKind.allCases, SocketIOOptions.Transports.all)
    func trusts(kind: SocketIOServerKind, transports: SocketIOOptions.Transports) async throws {
        let (certificate, key) = try TestAuthority.selfSigned("IP:127.0.0.1")
        let rig = try await SocketIORig(kind, identity: (certificate, key))
        var options = try rig.options(transports)
        options.tls.trust = .roots([certificate])
        #expect(await Self.error(options) == nil)
        options.tls.trust = .pinned(try SPKIFingerprint(certificatePEM: certificate))
        let client = SocketIOClient(options)
        let changes = client.changes
        try await client.connect()
        if transports == .upgrade { for await change in changes where change == .upgraded { break } }
        #expect(try await client.emitWithAck("echo", 1) == [1])
        await client.disconnect()
    }

    @Test(
        "another key, another host and a date that is over fail, on polling and on the WebSocket",
        arguments: [SocketIOOptions.Transports.pollingOnly, .webSocketOnly])
    func distrusts(transports: SocketIOOptions.Transports) async throws {
        let good = try TestAuthority.selfSigned("IP:127.0.0.1")
        let rig = try await SocketIORig(.five, identity: good)
        var options = try rig.options(transports)
        let other = try SPKIFingerprint(certificatePEM: try TestAuthority.selfSigned("IP:127.0.0.1").0)
        options.tls.trust = .pinned(other)
        let shown = try SPKIFingerprint(certificatePEM: good.0)
        #expect(await Self.error(options) == .tls(.wrongKey(expected: other, presented: shown)))
        // The system knows nothing of it.
        options.tls.trust = .system
        guard case .tls(.untrusted) = await Self.error(options) else {
            Issue.record("was trusted")
            return
        }
        for (names, validTo) in [("DNS:elsewhere.example", 3_600), ("IP:127.0.0.1", -60)] {
            let bad = try TestAuthority.selfSigned(names, validTo: validTo)
            let rig = try await SocketIORig(.five, identity: bad)
            var options = try rig.options(transports)
            options.tls.trust = .roots([bad.0])
            guard case .tls(.untrusted)? = await Self.error(options) else {
                Issue.record("\(names) was trusted")
                continue
            }
        }
    }
}

@Suite("Socket.IO errors") struct SocketIOErrorTests {
    private static func error(
        _ url: String, _ transports: SocketIOOptions.Transports = .upgrade, openTimeout: Duration = .seconds(20)
    ) async throws -> SocketIOError? {
        var options = SocketIOOptions(url: try WebSocketURL(url))
        options.proxy = .direct
        options.transports = transports
        options.limits.openTimeout = openTimeout
        let client = SocketIOClient(options)
        do throws(SocketIOError) { try await client.connect() } catch { return error }
        return nil
    }

    /// A server that gives every request the same answer.
    private final class SameAnswer: Sendable {
        let url: String
        private let task: Task<Void, Never>

        init(_ answer: String) throws {
            let listener = try TCPListener.listen(on: .host("127.0.0.1", port: 0))
            url = "http://\(listener.localEndpoint)"
            task = Task {
                for await connection in listener {
                    Task {
                        while (try? await connection.read(through: .blankLine, max: 10_000)) != nil {
                            try? await connection.write(Array(answer.utf8))
                        }
                    }
                }
            }
        }

        deinit { task.cancel() }
    }

    private static func answer(_ status: String, _ fields: String = "", body: String) -> String {
        "HTTP/1.1 \(status)\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    @Test("what answers is told apart: HTML, another protocol, a redirect, an error, nobody")
    func answers() async throws {
        let html = try SameAnswer(Self.answer("200 OK", body: "<html>"))
        #expect(try await Self.error(html.url) == .notSocketIO)
        #expect(try await Self.error(html.url, .webSocketOnly) == .refused(status: 200, code: nil))
        let redirect = try SameAnswer(Self.answer("302 Found", "Location: http://example.org/\r\n", body: ""))
        #expect(try await Self.error(redirect.url) == .refused(status: 302, code: nil))
        #expect(try await Self.error(redirect.url, .webSocketOnly) == .refused(status: 302, code: nil))
        let refusal = try SameAnswer(Self.answer("403 Forbidden", body: "{\"code\":4,\"message\":\"no\"}"))
        #expect(try await Self.error(refusal.url) == .refused(status: 403, code: 4))
        for transports in [SocketIOOptions.Transports.pollingOnly, .webSocketOnly] {
            let mail = try PlainServer(.answers("220 mail ready\r\n"))
            guard case .link? = try await Self.error("http://127.0.0.1:\(mail.port)", transports) else {
                Issue.record("no error")
                continue
            }
            let port = try PlainServer.freePort()
            let nobody = try #require(try await Self.error("http://127.0.0.1:\(port)", transports))
            #expect(nobody.endedBy == .network)
        }
    }

    @Test("a server that says nothing is given up in time", arguments: SocketIOOptions.Transports.all)
    func stalls(transports: SocketIOOptions.Transports) async throws {
        let server = try PlainServer(.silent)
        let url = "http://127.0.0.1:\(server.port)"
        #expect(try await Self.error(url, transports, openTimeout: .milliseconds(200)) == .timedOut("open"))
    }

    @Test("the waits grow to their limit, are random within it, and begin anew only after a connection that lasted")
    func backoff() {
        let most = RandomSource { $0.initializeMemory(as: UInt8.self, repeating: 0xFF) }
        let least = RandomSource { $0.initializeMemory(as: UInt8.self, repeating: 0) }
        var options = SocketIOReconnection()
        options.maxDelay = .seconds(5)
        options.maxAttempts = 6
        var backoff = SocketIOBackoff(options)
        var now = MonotonicTime(nanoseconds: 0)
        #expect(backoff.nextDelay(now: now, random: most) == .seconds(1))
        #expect(backoff.nextDelay(now: now, random: least) == .zero)
        #expect(backoff.nextDelay(now: now, random: most) == .seconds(4))
        #expect(backoff.nextDelay(now: now, random: most) == .seconds(5))
        backoff.opened(now: now)
        now = now + .seconds(9)
        #expect(backoff.nextDelay(now: now, random: most) == .seconds(5))
        backoff.opened(now: now)
        now = now + .seconds(10)
        #expect(backoff.nextDelay(now: now, random: most) == .seconds(1))
        for _ in 0..<5 { #expect(backoff.nextDelay(now: now, random: most) != nil) }
        #expect(backoff.nextDelay(now: now, random: most) == nil)
    }

    @Test("targets carry the query of the URL and of the options, encoded; the log shows their names only")
    func targets() throws {
        var options = SocketIOOptions(url: try WebSocketURL("https://h/ignored?a=b%20c"))
        options.path = "/x/"
        options.query = [("to ken", "1&2")]
        let target = SocketIOTarget(options)
        let items = [EngineIOQueryItem("EIO", "4"), EngineIOQueryItem("sid", "a+b")]
        #expect(target.target(items) == "/x/?EIO=4&sid=a%2Bb&a=b%20c&to%20ken=1%262")
        #expect(target.redacted(items) == "/x/?EIO=4&sid=***&a=***&to ken=***")
        #expect(target.origin.description == "wss://h/")
    }
}
