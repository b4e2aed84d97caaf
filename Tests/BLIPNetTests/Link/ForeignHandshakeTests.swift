// Upgrade requests as other implementations write them, recorded from their sockets.

import Testing

@testable import BLIPNet

/// What a foreign client has sent, and what the answer must contain.
struct ForeignCall: Sendable, CustomTestStringConvertible {
    var client: String
    var fields: [String]
    /// Computed from the key with Python's hashlib.
    var accept: String
    var extensions: String?

    var testDescription: String { client }
    var request: String { "GET / HTTP/1.1\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n" }

    static let recorded = [
        ForeignCall(
            client: "aiohttp 3.14",
            fields: [
                "Host: 127.0.0.1:7121", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: geVAmA4R3ux1kv3Zh5IkPQ==",
                "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits", "Accept: */*",
                "Accept-Encoding: gzip, deflate", "User-Agent: Python/3.11 aiohttp/3.14.5",
            ], accept: "CjSoQFtXat94eQhOl1Hd6UsZSeg=", extensions: "permessage-deflate"),
        ForeignCall(
            client: "nhooyr.io/websocket 1.8.7",
            fields: [
                "Host: 127.0.0.1:7121", "User-Agent: Go-http-client/1.1", "Connection: Upgrade",
                "Sec-Websocket-Extensions: permessage-deflate", "Sec-Websocket-Key: uYFmyuMzeTHmk57GYwigdA==",
                "Sec-Websocket-Version: 13", "Upgrade: websocket", "Accept-Encoding: gzip",
            ], accept: "qPc7KmUdl2dKzZQq32OEMZ868fE=", extensions: "permessage-deflate"),
        ForeignCall(
            client: "gorilla/websocket 1.5",
            fields: [
                "Host: 127.0.0.1:7121", "User-Agent: Go-http-client/1.1", "Connection: Upgrade",
                "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; client_no_context_takeover",
                "Sec-WebSocket-Key: /bVuDHXgFfFDDRkHq1KhFA==", "Sec-WebSocket-Version: 13", "Upgrade: websocket",
            ], accept: "JkLXxjQwieT57rjD0ByX0n2nz3M=",
            extensions: "permessage-deflate; server_no_context_takeover; client_no_context_takeover"),
        ForeignCall(
            client: "undici of node 20",
            fields: [
                "host: 127.0.0.1:7121", "connection: upgrade", "upgrade: websocket",
                "sec-websocket-key: bNNo3aR8iJiHHtWFYZV4uQ==", "sec-websocket-version: 13",
                "sec-websocket-extensions: permessage-deflate; client_max_window_bits", "accept: */*",
                "accept-language: *", "sec-fetch-mode: websocket", "user-agent: node", "pragma: no-cache",
                "cache-control: no-cache", "accept-encoding: gzip, deflate",
            ], accept: "IZWQPnaTB+wAnqEVMgdBvskeAxw=", extensions: "permessage-deflate"),
        // Says that it has no body, which is not the same as having one.
        ForeignCall(
            client: "java.net.http of JDK 17",
            fields: [
                "Connection: Upgrade", "Content-Length: 0", "Host: 127.0.0.1:7121", "Upgrade: websocket",
                "User-Agent: Java-http-client/17.0.15", "Sec-WebSocket-Key: cUVEtq7CgM609YekiixqSg==",
                "Sec-WebSocket-Version: 13",
            ], accept: "KoiFRnko99aikebcxnHo4N9Bkps=", extensions: nil),
    ]
}

@Suite("Handshakes of other implementations", .timeLimit(.minutes(5))) struct ForeignHandshakeTests {
    /// What golang.org/x/net/websocket sends; it cannot be told to leave the origin out.
    private static let goXNet = ForeignCall(
        client: "golang.org/x/net/websocket",
        fields: [
            "Host: 127.0.0.1:7120", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Key: bnd0BOEvzJI+9Yk5V70QUw==", "Origin: http://localhost/", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Protocol: BLIP_3+app_1",
        ], accept: "8NGBfs0pFVTlB6+HGG5ObpsD42c=")

    @Test("a caller with an origin is accepted only when the origin is listed")
    func origin() throws {
        #expect(try answer(to: Self.goXNet, LinkOptions()).hasPrefix("HTTP/1.1 403 "))
        var options = LinkOptions()
        options.allowedOrigins = ["http://localhost/"]
        let accepted = try answer(to: Self.goXNet, options)
        #expect(accepted.hasPrefix("HTTP/1.1 101 "))
        #expect(accepted.contains("\r\nSec-WebSocket-Accept: \(Self.goXNet.accept)\r\n"))
        options.allowedOrigins = ["http://localhost:80/"]
        #expect(try answer(to: Self.goXNet, options).hasPrefix("HTTP/1.1 403 "))
    }

    @Test("takes the calls of other clients, with and without compression", arguments: ForeignCall.recorded)
    func calls(_ call: ForeignCall) {
        for deflate in [nil, PermessageDeflate()] {
            var options = WebSocketServerOptions(allowsNoSubprotocol: true)
            options.deflate = deflate
            var connection = WebSocketConnection.server(options, now: MonotonicTime(nanoseconds: 0))
            Array(call.request.utf8).withUnsafeBytes { connection.receive($0, now: MonotonicTime(nanoseconds: 0)) }
            while connection.nextEvent() != nil {}
            #expect(connection.isOpen)
            var out = ByteQueue()
            while connection.nextOutgoing(into: &out) {}
            let lines = String(decoding: out.takeAll(), as: UTF8.self).split(separator: "\r\n")
            #expect(lines.contains("Sec-WebSocket-Accept: \(call.accept)"))
            let prefix = "Sec-WebSocket-Extensions: "
            let chosen = lines.first { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
            #expect(chosen == (deflate == nil ? nil : call.extensions))
        }
    }

    private func answer(to call: ForeignCall, _ options: LinkOptions) throws -> String {
        var stack = try ProtocolStack.server(options: options, now: MonotonicTime(nanoseconds: 0))
        Array(call.request.utf8).withUnsafeBytes { stack.receive($0, now: MonotonicTime(nanoseconds: 0)) }
        while stack.nextEvent() != nil {}
        var out = ByteQueue()
        while stack.nextOutgoing(into: &out) {}
        return String(decoding: out.takeAll(), as: UTF8.self)
    }
}
