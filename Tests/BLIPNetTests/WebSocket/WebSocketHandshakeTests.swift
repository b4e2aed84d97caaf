// The opening handshake: what a server refuses and how, and what a client believes.

import Testing

@testable import BLIPNet

@Suite struct WebSocketHandshakeTests {
    private static let start = WebSocketFixtures.time(0)

    /// A server's reaction to a request.
    private static func serve(
        _ request: [UInt8], options: WebSocketServerOptions = WebSocketServerOptions(allowsNoSubprotocol: true)
    ) -> WatchedWebSocket {
        var server = WatchedWebSocket(connection: .server(options, now: start))
        server.receive(request)
        return server
    }

    private static func text(_ queue: ByteQueue) -> String {
        queue.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    @Test("answers the example of RFC 6455 section 1.3")
    func acceptValue() {
        #expect(WebSocketHandshake.acceptValue(forKey: WebSocketFixtures.key) == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        let server = Self.serve(WebSocketFixtures.request())
        #expect(
            Self.text(server.sent)
                == "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n")
    }

    struct Refused: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var request: [UInt8]
        var status: Int

        init(_ description: String, _ request: [UInt8], _ status: Int) {
            testDescription = description
            self.request = request
            self.status = status
        }
    }

    private static func without(_ field: String, _ extra: String = "") -> [UInt8] {
        WebSocketFixtures.request(without: field, extra: extra)
    }
    private static func with(_ extra: String) -> [UInt8] { WebSocketFixtures.request(extra: extra) }

    static let refused: [Refused] = [
        Refused("no Host", without("Host"), 400),
        Refused("two Hosts", with("host: other\r\n"), 400),
        Refused("no key", without("Sec-WebSocket-Key"), 400),
        Refused("two keys", with("Sec-WebSocket-Key: \(WebSocketFixtures.key)\r\n"), 400),
        Refused("key of 15 bytes", without("Sec-WebSocket-Key", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAA\r\n"), 400),
        Refused(
            "key of 17 bytes", without("Sec-WebSocket-Key", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAAA=\r\n"), 400),
        Refused(
            "key with loose bits", without("Sec-WebSocket-Key", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAB==\r\n"), 400),
        Refused(
            "key that is not base64", without("Sec-WebSocket-Key", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAA!AA==\r\n"),
            400),
        Refused("version 8", without("Sec-WebSocket-Version", "Sec-WebSocket-Version: 8\r\n"), 426),
        Refused("version +13", without("Sec-WebSocket-Version", "Sec-WebSocket-Version: +13\r\n"), 426),
        Refused("no version", without("Sec-WebSocket-Version"), 426),
        Refused("two versions", with("Sec-WebSocket-Version: 13\r\n"), 426),
        Refused("no Upgrade", without("Upgrade"), 426),
        Refused("another Upgrade", without("Upgrade", "Upgrade: h2c\r\n"), 426),
        Refused("no Connection", without("Connection"), 426),
        Refused("POST", WebSocketFixtures.request(method: "POST"), 405),
        Refused("HTTP/1.0", WebSocketFixtures.request(version: "HTTP/1.0"), 505),
        Refused("target without a slash", WebSocketFixtures.request(target: "x"), 400),
        Refused("target with a fragment", WebSocketFixtures.request(target: "/#a"), 400),
        Refused("folded field", with("A: b\r\n c\r\n"), 400),
        Refused("space before the colon", with("A : b\r\n"), 400),
        Refused("NUL", with("A: b\0\r\n"), 400),
        Refused("bare CR", with("A: b\rc\r\n"), 400),
        Refused("bare LF", with("A: b\nC: d\r\n"), 400),
        Refused("a body by length", with("Content-Length: 5\r\n"), 400),
        Refused("a body by chunks", with("Transfer-Encoding: chunked\r\n"), 400),
        Refused("a web page", with("Origin: http://evil.example\r\n"), 403),
        Refused("a file", with("Origin: null\r\n"), 403),
        Refused("the same subprotocol twice", with("Sec-WebSocket-Protocol: a, a\r\n"), 400),
        Refused("a subprotocol that is no token", with("Sec-WebSocket-Protocol: a b\r\n"), 400),
        Refused("an extension that is no token", with("Sec-WebSocket-Extensions: a b\r\n"), 400),
        Refused("101 fields", with(String(repeating: "A: b\r\n", count: 96)), 431),
        Refused("17 KiB", with("A: " + String(repeating: "b", count: 17_000) + "\r\n"), 431),
        Refused("another protocol", [0x16, 0x03, 0x01, 0x02, 0x00], 400),
    ]

    @Test("refuses with the right status and says goodbye", arguments: refused)
    func refuses(refused: Refused) {
        let server = Self.serve(refused.request)
        #expect(server.refusedStatus == refused.status)
        #expect(server.seen.count == 1)
        let answer = Self.text(server.sent)
        #expect(answer.hasPrefix("HTTP/1.1 \(refused.status) "))
        #expect(answer.contains("\r\nConnection: close\r\n"))
        if refused.status == 426 { #expect(answer.contains("\r\nSec-WebSocket-Version: 13\r\n")) }
        if refused.status == 405 { #expect(answer.contains("\r\nAllow: GET\r\n")) }
    }

    @Test("takes 100 fields, other letter cases, lists, a length of 0 and an absolute target")
    func accepts() {
        for request in [
            Self.with(String(repeating: "A: b\r\n", count: 95)), Self.without("Upgrade", "UPGRADE: WebSocket\r\n"),
            Self.without("Connection", "Connection: foo\r\nConnection: UPGRADE\r\n"),
            Self.with("Content-Length: 0\r\n"),
            WebSocketFixtures.request(target: "http://localhost/x"),
            WebSocketFixtures.request(target: "ws://localhost"),
        ] {
            #expect(Self.serve(request).seen == [.event(.opened(subprotocol: nil))])
        }
    }

    @Test("a listed origin is let in, alone")
    func origins() {
        let options = WebSocketServerOptions(allowsNoSubprotocol: true, allowedOrigins: ["https://chat.example"])
        let good = Self.with("Origin: https://CHAT.example\r\n")
        #expect(Self.serve(good, options: options).seen == [.event(.opened(subprotocol: nil))])
        let longer = Self.with("Origin: https://chat.example.evil\r\n")
        #expect(Self.serve(longer, options: options).refusedStatus == 403)
        let both = Self.with("Origin: https://chat.example\r\nOrigin: https://evil\r\n")
        #expect(Self.serve(both, options: options).refusedStatus == 403)
    }

    @Test("chooses the server's favourite among the offered subprotocols, or refuses when there must be one")
    func subprotocols() {
        let options = WebSocketServerOptions(subprotocols: ["b", "a"])
        let offered = Self.with("Sec-WebSocket-Protocol: x, a\r\nSec-WebSocket-Protocol: b\r\n")
        let server = Self.serve(offered, options: options)
        #expect(server.seen == [.event(.opened(subprotocol: "b"))])
        #expect(Self.text(server.sent).contains("\r\nSec-WebSocket-Protocol: b\r\n"))
        #expect(Self.serve(Self.with("Sec-WebSocket-Protocol: x\r\n"), options: options).refusedStatus == 400)
        #expect(Self.serve(Self.with(""), options: options).refusedStatus == 400)
        // Subprotocols are case-sensitive.
        #expect(Self.serve(Self.with("Sec-WebSocket-Protocol: A\r\n"), options: options).refusedStatus == 400)
    }

    @Test("only the path that is served exists")
    func paths() {
        let options = WebSocketServerOptions(allowsNoSubprotocol: true, path: "/chat")
        #expect(Self.serve(WebSocketFixtures.request(target: "/chat?x=y"), options: options).closure == nil)
        #expect(Self.serve(WebSocketFixtures.request(target: "/other"), options: options).refusedStatus == 404)
    }

    // MARK: Client

    private static func client(_ options: WebSocketClientOptions) -> WatchedWebSocket {
        var client = WatchedWebSocket(
            connection: .client(options, random: WebSocketFixtures.random(seed: 3), now: start))
        client.flush()
        return client
    }

    private static func key(in request: String) -> String {
        let marker = "Sec-WebSocket-Key: "
        let line = request.split(separator: "\r\n").first { $0.hasPrefix(marker) } ?? ""
        return String(line.dropFirst(marker.count))
    }

    @Test("sends a request that a strict server accepts, whatever host and path contain")
    func request() throws {
        let options = WebSocketClientOptions(
            hostHeader: "[::1]:80\r\nEvil: 1", path: "grüße\r\nX: y?a=b c", subprotocols: ["a", "b"])
        let request = Self.text(Self.client(options).sent)
        #expect(request.hasPrefix("GET /gr%C3%BC%C3%9Fe%0D%0AX:%20y?a=b%20c HTTP/1.1\r\n"))
        #expect(request.contains("\r\nHost: [::1]:80%0D%0AEvil:%201\r\n"))
        #expect(request.contains("\r\nSec-WebSocket-Protocol: a, b\r\n"))
        #expect(Base64.decode(Self.key(in: request))?.count == 16)
        let server = Self.serve(Array(request.utf8), options: WebSocketServerOptions(subprotocols: ["b"]))
        #expect(server.seen == [.event(.opened(subprotocol: "b"))])
    }

    /// What a client makes of an answer; `ACCEPT` in it stands for the right hash.
    private static func judge(_ answer: String) -> WatchedWebSocket {
        var client = client(WebSocketClientOptions(hostHeader: "x", subprotocols: ["a", "b"]))
        let accept = WebSocketHandshake.acceptValue(forKey: key(in: text(client.sent)))
        client.sent.removeAll()
        let parts = answer.split(separator: "ACCEPT", omittingEmptySubsequences: false)
        client.receive(Array(parts.joined(separator: accept).utf8))
        return client
    }

    private static let good =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: WebSocket\r\nConnection: upgrade\r\nSec-WebSocket-Accept: ACCEPT\r\n"

    @Test("believes a correct answer, with or without a subprotocol")
    func believes() {
        #expect(Self.judge(Self.good + "\r\n").seen == [.event(.opened(subprotocol: nil))])
        let chosen = Self.judge(Self.good + "Sec-WebSocket-Protocol: b\r\n\r\n")
        #expect(chosen.seen == [.event(.opened(subprotocol: "b"))])
    }

    @Test(
        "waits for the last word behind interim responses",
        arguments: [
            "HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n",
            "HTTP/1.1 102\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 199 x\r\n\r\n",
        ])
    func interim(answers: String) {
        let client = Self.judge(answers + Self.good + "Sec-WebSocket-Protocol: a\r\n\r\n")
        #expect(client.seen == [.event(.opened(subprotocol: "a"))])
        let waiting = Self.judge(answers)
        #expect(waiting.seen.isEmpty && waiting.closure == nil)
        guard case .refusedByServer(let head) = Self.judge(answers + "HTTP/1.1 404 No\r\n\r\n").closure else {
            Issue.record("not refused")
            return
        }
        #expect(head.status == 404)
    }

    @Test("takes interim responses within the limit of a head, all together")
    func endlessInterim() {
        let hint = "HTTP/1.1 103 Early Hints\r\nX: \(String(repeating: "x", count: 3_000))\r\n\r\n"
        #expect(Self.judge(String(repeating: hint, count: 5) + Self.good + "\r\n").closure == nil)
        let client = Self.judge(String(repeating: hint, count: 6) + Self.good + "\r\n")
        #expect(client.closure == .handshakeFailed(reason: "head too large"))
    }

    @Test(
        "does not believe anything else",
        arguments: [
            "HTTP/1.1 101 x\r\nConnection: upgrade\r\nSec-WebSocket-Accept: ACCEPT\r\n\r\n",
            "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ACCEPT\r\n\r\n",
            "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n",
            "HTTP/1.1 101 x\r\nUpgrade: websocket, h2c\r\nConnection: upgrade\r\nSec-WebSocket-Accept: ACCEPT\r\n\r\n",
            "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n",
            good + "Sec-WebSocket-Accept: ACCEPT\r\n\r\n", good + "Sec-WebSocket-Protocol: c\r\n\r\n",
            good + "Sec-WebSocket-Protocol: a\r\nSec-WebSocket-Protocol: b\r\n\r\n",
            good + "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n", good + "Content-Length: 3\r\n\r\n",
            good + "Transfer-Encoding: chunked\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n", "\u{15}\u{3}\u{3}",
        ])
    func disbelieves(answer: String) {
        let client = Self.judge(answer)
        guard case .handshakeFailed = client.closure else {
            Issue.record("\(String(describing: client.closure))")
            return
        }
        #expect(client.sent.isEmpty)
    }

    @Test("hands an HTTP answer that is not an upgrade to the caller")
    func refusedByServer() {
        let client = Self.judge("HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 2\r\n\r\nhi")
        guard case .refusedByServer(let head) = client.closure else {
            Issue.record("\(String(describing: client.closure))")
            return
        }
        #expect(head.status == 302)
        #expect(head.fields.single("location") == "/x")
        #expect(client.seen.count == 1)
    }
}
