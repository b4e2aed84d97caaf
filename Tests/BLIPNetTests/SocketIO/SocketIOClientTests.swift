// The client against real servers: what it sends and gets, on every transport, in both protocols. SOCKETIO B1 to B13.

import Synchronization
import TestSupport
import Testing

@testable import BLIPNet

@Suite(
    "Socket.IO client", .serialized, .timeLimit(.minutes(10)),
    .enabled("\(SocketIOServerKind.reason)") { await SocketIOServerKind.areAvailable })
struct SocketIOClientTests {
    /// The first `count` events that a sequence has.
    private static func first(_ count: Int, of events: SocketIOEvents) async -> [SocketIOEvent] {
        var taken: [SocketIOEvent] = []
        for await event in events {
            taken.append(event)
            if taken.count == count { break }
        }
        return taken
    }

    @Test(
        "events, acknowledgements and bytes pass in both directions, in order",
        arguments: SocketIOServerKind.allCases, SocketIOOptions.Transports.all)
    func passes(kind: SocketIOServerKind, transports: SocketIOOptions.Transports) async throws {
        let rig = try await SocketIORig(kind)
        let client = SocketIOClient(try rig.options(transports))
        let messages = client.events(named: "chatMessage")
        let customs = client.events(named: "customEvent")
        let pictures = client.events(named: "binaryEvent")
        try await client.connect()
        guard case .open(_, kind.revision) = await client.status else {
            Issue.record("\(await client.status)")
            return
        }

        let line: SocketIOValue = ["message": "hi 😀 €", "timestamp": 1_700_000_000_123, "sender": "me"]
        #expect(try await client.emitWithAck("chatMessage", line) == ["ok"])
        #expect(await Self.first(1, of: messages).first?.arguments == [line])

        // 64 KiB of bytes, there, back as an event, and back in the acknowledgement.
        let bytes = (0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let picture: SocketIOValue = ["binaryData": .bytes(bytes), "text": "a picture"]
        #expect(try await client.emitWithAck("binaryEvent", picture) == [picture])
        #expect(await Self.first(1, of: pictures).first?.arguments == [picture])

        // Ten at once, each with its own answer. Numbers at the end stay arguments.
        let answers = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number: Int64 in 0..<10 {
                group.addTask {
                    try await client.emitWithAck("echo", "n", .integer(number)) == ["n", .integer(number)]
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers == Array(repeating: true, count: 10))

        let sender = Task { for number: Int64 in 0..<100 { try await client.emit("customEvent", .integer(number)) } }
        #expect(await Self.first(100, of: customs).map { $0.arguments } == (0..<100).map { [.integer($0)] })
        try await sender.value
        await client.disconnect()
        #expect(await client.status == .closed)
        try await eventually("the server has seen the end") { !rig.reports(of: "disconnect").isEmpty }
    }

    @Test("the session moves to the WebSocket, and its cookies go along", arguments: SocketIOServerKind.allCases)
    func upgrades(kind: SocketIOServerKind) async throws {
        let rig = try await SocketIORig(kind)
        var options = try rig.options()
        options.query = [("token", "a b&c")]
        options.fields.append(name: "X-Test", value: "yes")
        let client = SocketIOClient(options)
        let changes = client.changes
        try await client.connect()
        for await change in changes where change == .upgraded { break }
        #expect(await client.status == .open(.webSocket, kind.revision))
        #expect(try await client.emitWithAck("echo", 1) == [1])
        let connect = try #require(rig.reports(of: "connect").first)
        #expect(connect["token"]?.stringValue == "a b&c")
        #expect(connect["header"]?.stringValue == "yes")
        let request = try #require(rig.reports(of: "websocket").first)
        #expect(request["cookie"]?.stringValue?.hasPrefix("io=") == true)
        #expect(request["header"]?.stringValue == "yes")
        await client.disconnect()
    }

    @Test("a server that offers no WebSocket is polled", arguments: SocketIOServerKind.allCases)
    func staysWithPolling(kind: SocketIOServerKind) async throws {
        let rig = try await SocketIORig(kind, arguments: ["--no-upgrades"])
        let client = SocketIOClient(try rig.options())
        try await client.connect()
        for number: Int64 in 0..<5 {
            #expect(try await client.emitWithAck("echo", .integer(number)) == [.integer(number)])
        }
        #expect(await client.status == .open(.polling, kind.revision))
        await client.disconnect()
    }

    @Test(
        "namespaces share the connection; a refused one leaves the others alone", arguments: SocketIOServerKind.allCases
    )
    func namespaces(kind: SocketIOServerKind) async throws {
        let rig = try await SocketIORig(kind)
        let tokens = Mutex(["wrong", "sesame"])
        var options = try rig.options()
        options.auth = { namespace in
            guard namespace == "/admin" else { return nil }
            return ["token": .string(tokens.withLock { $0.removeFirst() })]
        }
        // Protocol 4 has no place for the token but the query.
        if kind == .four { options.query = [("token", "wrong")] }
        let client = SocketIOClient(options)
        try await client.connect()
        let admin = client.namespace("/admin")
        do {
            try await admin.connect()
            Issue.record("was let in")
        } catch {
            guard case .namespaceRefused = error else { throw error }
            #expect(error.endedBy == .peer)
        }
        #expect(try await client.emitWithAck("echo", "still here") == ["still here"])
        if kind == .five {
            try await admin.connect()
            #expect(try await admin.emitWithAck("echo", true, .null) == [true, .null])
            #expect(rig.reports(of: "connect").last?["auth"]?["token"]?.stringValue == "sesame")
        }
        let chat = client.namespace("/chat")
        let messages = chat.events(named: "chatMessage")
        try await chat.connect()
        try await client.emit("chatMessage", "in /")
        try await chat.emit("chatMessage", "in /chat")
        #expect(await Self.first(1, of: messages).map { $0.arguments } == [["in /chat"]])
        await chat.leave()
        await #expect(throws: SocketIOError.notConnected) { try await chat.emit("chatMessage", "late") }
        #expect(try await client.emitWithAck("echo", 2) == [2])
        await client.disconnect()
    }

    @Test("what a server says before its CONNECT is not lost")
    func earlyEvents() async throws {
        let rig = try await SocketIORig(.five)
        let client = SocketIOClient(try rig.options())
        let slow = client.namespace("/slow")
        let early = slow.events(named: "early")
        try await slow.connect()
        #expect(await Self.first(1, of: early).map { $0.arguments } == [["hello"]])
        await client.disconnect()
    }

    @Test(
        "an event that asks for an acknowledgement gets one, with bytes, once", arguments: SocketIOServerKind.allCases)
    func acknowledges(kind: SocketIOServerKind) async throws {
        let rig = try await SocketIORig(kind)
        let client = SocketIOClient(try rig.options())
        let questions = client.events(named: "question")
        let answers = client.events(named: "answered")
        try await client.connect()
        try await client.emit("ask", "why")
        let question = try #require(await Self.first(1, of: questions).first)
        #expect(question.wantsAcknowledgement && question.arguments == ["why"])
        try await client.acknowledge(question, "because", .bytes([1, 2, 3]))
        #expect(await Self.first(1, of: answers).map { $0.arguments } == [["because", .bytes([1, 2, 3])]])
        await #expect(throws: SocketIOError.notConnected) { try await client.acknowledge(question, "again") }
        await client.disconnect()
    }

    @Test("an acknowledgement that does not come is given up in time, and at the end of the connection")
    func lateAcknowledgements() async throws {
        let rig = try await SocketIORig(.five)
        var options = try rig.options()
        options.reconnection.isEnabled = false
        let client = SocketIOClient(options)
        let changes = client.changes
        try await client.connect()
        await #expect(throws: SocketIOError.timedOut("ack")) {
            try await client.emitWithAck("silent", timeout: .milliseconds(100))
        }
        let pending = Task { try await client.emitWithAck("silent", timeout: .seconds(600)) }
        try await Task.sleep(for: .milliseconds(50))
        try await client.emit("kick")
        await #expect(throws: SocketIOError.self) { try await pending.value }
        for await change in changes where change == .stopped { break }
        await #expect(throws: SocketIOError.notConnected) { try await client.emit("echo") }
    }

    @Test("a task that is cancelled waits no longer; the client goes on")
    func cancels() async throws {
        let rig = try await SocketIORig(.five)
        let client = SocketIOClient(try rig.options())
        try await client.connect()
        let waiting = Task { try await client.emitWithAck("silent", timeout: .seconds(600)) }
        let reading = Task { await Self.first(1, of: client.events(named: "never")) }
        try await Task.sleep(for: .milliseconds(50))
        waiting.cancel()
        reading.cancel()
        await #expect(throws: SocketIOError.cancelled) { try await waiting.value }
        #expect(await reading.value.isEmpty)
        #expect(try await client.emitWithAck("echo", 1) == [1])
        await client.disconnect()
    }

    @Test("letting go of a client ends its connection and its sequences")
    func letsGo() async throws {
        let rig = try await SocketIORig(.five)
        // Servers notice the end of polling late, that of a WebSocket at once.
        var client: SocketIOClient? = SocketIOClient(try rig.options(.webSocketOnly))
        let events = try #require(client?.events())
        try await client?.connect()
        client = nil
        #expect(await Self.first(1, of: events).isEmpty)
        try await eventually("the server has seen the end") { !rig.reports(of: "disconnect").isEmpty }
    }

    @Test(
        "a reader that is slow holds the server up, and misses nothing", arguments: SocketIOOptions.Transports.all)
    func slowReader(transports: SocketIOOptions.Transports) async throws {
        let rig = try await SocketIORig(.five)
        let client = SocketIOClient(try rig.options(transports))
        let events = client.events(named: "customEvent")
        try await client.connect()
        for number: Int64 in 0..<1_000 { try await client.emit("customEvent", .integer(number)) }
        try await eventually("enough events wait") { events.inbox.isFull }
        #expect(await Self.first(1_000, of: events).map { $0.arguments } == (0..<1_000).map { [.integer($0)] })
        await client.disconnect()
    }

    @Test("a proxy carries polling and the WebSocket")
    func proxies() async throws {
        let rig = try await SocketIORig(.five)
        let proxy = try ConnectProxy()
        var options = try rig.options()
        options.proxy = .proxy(try #require(HTTPProxy(proxy.address)))
        let client = SocketIOClient(options)
        let changes = client.changes
        try await client.connect()
        for await change in changes where change == .upgraded { break }
        #expect(try await client.emitWithAck("echo", 1) == [1])
        #expect(
            proxy.requests.count >= 3 && proxy.requests.allSatisfy { $0.hasPrefix("CONNECT 127.0.0.1:\(rig.port) ") })
        await client.disconnect()
    }

    @Test(
        "no line of the log has a session id, a token, a cookie or what was said",
        arguments: SocketIOServerKind.allCases)
    func redacts(kind: SocketIOServerKind) async throws {
        let rig = try await SocketIORig(kind)
        let lines = Mutex<[String]>([])
        var options = try rig.options()
        options.url = try WebSocketURL("http://127.0.0.1:\(rig.port)/?key=hidden-one")
        options.query = [("token", "hidden-two")]
        options.fields.append(name: "Cookie", value: "a=hidden-three")
        options.auth = { _ in ["token": "hidden-four"] }
        options.trace = { trace in lines.withLock { $0.append(trace.description) } }
        let client = SocketIOClient(options)
        let changes = client.changes
        try await client.connect()
        for await change in changes where change == .upgraded { break }
        _ = try await client.emitWithAck("echo", "hidden-five")
        await client.disconnect()
        let log = lines.withLock { $0 }
        let cookie = try #require(rig.reports(of: "websocket").first?["cookie"]?.stringValue)
        #expect(cookie.contains("a=hidden-three") && cookie.contains("io="))
        let sid = try #require(cookie.split(separator: "io=").last)
        #expect(log.contains { $0.contains("sid=***") } && log.contains { $0.contains("token=***") })
        #expect(log.allSatisfy { !$0.contains("hidden") && !$0.contains(sid) })
    }

    @Test("the article's room and its namespace with a token")
    func article() async throws {
        let rig = try await SocketIORig(.five)
        #expect(try await say("hello", at: try rig.url(), thenRead: 1) == ["hello"])
        let (certificate, key) = try TestAuthority.selfSigned("IP:127.0.0.1")
        let secure = try await SocketIORig(.five, identity: (certificate, key))
        let answer = try await upload([1, 2, 3], to: try secure.url(), certificate: certificate) { "sesame" }
        #expect(answer == [["name": "picture", "data": .bytes([1, 2, 3])]])
    }
}
