// Servers whose application decides about a request, and what else may be said in both heads of a handshake.

import Testing

@testable import BLIPNet

@Suite struct WebSocketUpgradeDecisionTests {
    private static let start = WebSocketFixtures.time(0)

    private static func asking(_ extra: String = "", subprotocols: [String] = ["a", "b"]) -> WatchedWebSocket {
        var options = WebSocketServerOptions(subprotocols: subprotocols, allowsNoSubprotocol: true)
        options.asksBeforeUpgrade = true
        var server = WatchedWebSocket(connection: .server(options, now: start))
        server.receive(WebSocketFixtures.request(target: "/chat?room=1&x=%20", extra: extra))
        return server
    }

    private static func fields(_ pairs: (String, String)...) -> HTTPFields {
        var fields = HTTPFields()
        for (name, value) in pairs { fields.append(name: name, value: value) }
        return fields
    }

    private static func text(_ queue: ByteQueue) -> String {
        queue.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    @Test("the application sees the whole request, path and query included, and nothing goes out before its answer")
    func asks() {
        let server = Self.asking("Cookie: k=v\r\nAuthorization: Basic eA==\r\n")
        guard case .event(.upgradeRequested(let head)) = server.seen.first else {
            Issue.record("\(server.seen)")
            return
        }
        #expect(head.target == "/chat?room=1&x=%20" && server.connection.requestTarget == head.target)
        #expect(head.fields.single("cookie") == "k=v" && head.fields.single("authorization") == "Basic eA==")
        #expect(server.seen.count == 1 && server.sent.isEmpty && !server.connection.isOpen)
    }

    @Test("accepts with the application's subprotocol and fields, and then reads what the client has sent")
    func accepts() {
        var server = Self.asking("Sec-WebSocket-Protocol: c, b, a\r\n")
        server.receive(WebSocketFixtures.frame(0x82, [1]))
        #expect(server.seen.count == 1)
        server.connection.answer(.accept(subprotocol: "c", fields: Self.fields(("Set-Cookie", "k=v"))))
        server.connection.answer(.refuse(status: 403))
        server.drain()
        #expect(server.seen.dropFirst() == [.event(.opened(subprotocol: "c")), .message(.binary, [1])])
        let answer = Self.text(server.sent)
        #expect(answer.hasPrefix("HTTP/1.1 101 ") && answer.hasSuffix("\r\n\r\n"))
        #expect(answer.contains("\r\nSec-WebSocket-Protocol: c\r\n") && answer.contains("\r\nSet-Cookie: k=v\r\n"))
    }

    @Test("leaves the subprotocol to the options, if the application wants that")
    func acceptsByOptions() {
        var server = Self.asking("Sec-WebSocket-Protocol: b, a\r\n")
        server.connection.answer(.accept())
        server.drain()
        #expect(server.seen.last == .event(.opened(subprotocol: "a")))
    }

    @Test(
        "refuses with any status from 300 on, with a reason and fields", arguments: [300, 302, 401, 403, 418, 503, 599])
    func refuses(status: Int) {
        var server = Self.asking()
        let fields = Self.fields(("WWW-Authenticate", "Basic realm=\"x\""))
        server.connection.answer(.refuse(status: status, reason: "not today", fields: fields))
        server.drain()
        #expect(server.closure == .refusedClient(status: status, reason: "not today"))
        let answer = Self.text(server.sent)
        #expect(answer.hasPrefix("HTTP/1.1 \(status) ") && answer.hasSuffix("\r\n\r\nnot today\n"))
        #expect(answer.contains("\r\nWWW-Authenticate: Basic realm=\"x\"\r\n"))
        #expect(answer.contains("\r\nContent-Length: 10\r\n") && answer.contains("\r\nConnection: close\r\n"))
    }

    @Test("a redirect names the place to go to, and a client hands it to its caller")
    func redirect() {
        var server = Self.asking()
        server.connection.answer(.redirect(to: "wss://other.example/chat"))
        server.drain()
        var client = WatchedWebSocket(connection: .client(WebSocketClientOptions(hostHeader: "x"), now: Self.start))
        client.receive(server.sent.takeAll())
        guard case .refusedByServer(let head) = client.closure else {
            Issue.record("\(String(describing: client.closure))")
            return
        }
        #expect(head.status == 307 && head.fields.single("Location") == "wss://other.example/chat")
    }

    @Test(
        "an answer that would break the protocol becomes 500",
        arguments: [
            .refuse(status: 200), .refuse(status: 101), .refuse(status: 600), .accept(subprotocol: "never offered"),
        ] as [UpgradeDecision])
    func misuse(decision: UpgradeDecision) {
        var server = Self.asking("Sec-WebSocket-Protocol: a\r\n")
        server.connection.answer(decision)
        server.drain()
        #expect(server.refusedStatus == 500)
    }

    @Test("a request that breaks a rule is refused without asking")
    func rulesFirst() {
        for extra in ["Origin: http://evil.example\r\n", "Content-Length: 1\r\n", "Sec-WebSocket-Protocol: a b\r\n"] {
            let server = Self.asking(extra)
            #expect(server.refusedStatus != nil && server.seen.count == 1)
        }
    }

    @Test("an application that does not answer does not hold the client for ever")
    func deadline() {
        var server = Self.asking()
        #expect(server.connection.deadline == WebSocketFixtures.time(10))
        server.connection.handleTimeout(now: WebSocketFixtures.time(10))
        server.connection.answer(.accept())
        server.drain()
        #expect(server.seen.last == .event(.closed(.timedOut(.handshake))))
        #expect(server.sent.isEmpty)
    }

    @Test("a client that does not wait for the answer cannot fill memory")
    func haste() {
        var server = Self.asking()
        server.receive([UInt8](repeating: 0, count: 20_000))
        #expect(server.refusedStatus == 400)
        #expect(server.connection.input.capacity == 0)
    }

    @Test("answering when nothing was asked does nothing")
    func unasked() {
        var server = WatchedWebSocket.openServer()
        server.connection.answer(.refuse(status: 403))
        server.drain()
        #expect(server.connection.isOpen && server.seen.isEmpty && server.sent.isEmpty)
    }

    // MARK: Fields and origins

    @Test("a client sends further fields, but none that would change the handshake")
    func extraFields() throws {
        var options = WebSocketClientOptions(hostHeader: "localhost")
        options.extraFields = Self.fields(
            ("Cookie", "k=v"), ("X-Evil", "a\r\nInjected: 1\0"), ("Host", "evil"), ("sec-websocket-version", "8"),
            ("Content-Length", "5"), ("Transfer-Encoding", "chunked"), ("not a name", "x"), ("", "x"),
            ("Authorization", "Basic eA=="))
        var client = WatchedWebSocket(connection: .client(options, now: Self.start))
        client.flush()
        var server = WatchedWebSocket(
            connection: .server(WebSocketServerOptions(allowsNoSubprotocol: true), now: Self.start))
        server.receive(client.sent.takeAll())
        #expect(server.seen == [.event(.opened(subprotocol: nil))])
        let fields = try #require(server.connection.requestHead).fields
        #expect(fields.single("Cookie") == "k=v" && fields.single("Authorization") == "Basic eA==")
        #expect(fields.single("X-Evil") == "a  Injected: 1")
        #expect(fields.all.count == 8)
    }

    @Test("a client shows what the server has said in its answer")
    func responseHead() {
        var server = Self.asking()
        var client = WatchedWebSocket(
            connection: .client(
                WebSocketClientOptions(hostHeader: "x"), random: WebSocketFixtures.random(seed: 3), now: Self.start))
        client.flush()
        var options = WebSocketServerOptions(allowsNoSubprotocol: true)
        options.asksBeforeUpgrade = true
        server = WatchedWebSocket(connection: .server(options, now: Self.start))
        server.receive(client.sent.takeAll())
        server.connection.answer(.accept(fields: Self.fields(("X-Version", "7"))))
        server.drain()
        client.receive(server.sent.takeAll())
        #expect(client.seen == [.event(.opened(subprotocol: nil))])
        #expect(client.connection.responseHead?.fields.single("x-version") == "7")
    }

    @Test("web pages from anywhere are let in where that is wanted")
    func anyOrigin() {
        var options = WebSocketServerOptions(allowsNoSubprotocol: true)
        options.allowsAnyOrigin = true
        var server = WatchedWebSocket(connection: .server(options, now: Self.start))
        server.receive(WebSocketFixtures.request(extra: "Origin: http://anywhere.example\r\n"))
        #expect(server.seen == [.event(.opened(subprotocol: nil))])
        #expect(server.connection.requestHead?.fields.single("Origin") == "http://anywhere.example")
    }
}
