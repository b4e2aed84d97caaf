// Upgrade requests as other implementations write them, recorded from their sockets.

import Testing

@testable import BLIPNet

@Suite("Handshakes of other implementations") struct ForeignHandshakeTests {
    /// What golang.org/x/net/websocket sends; it cannot be told to leave the origin out.
    private static let goXNet = """
        GET / HTTP/1.1\r
        Host: 127.0.0.1:7120\r
        Upgrade: websocket\r
        Connection: Upgrade\r
        Sec-WebSocket-Key: bnd0BOEvzJI+9Yk5V70QUw==\r
        Origin: http://localhost/\r
        Sec-WebSocket-Version: 13\r
        Sec-WebSocket-Protocol: BLIP_3+blipchat_1\r
        \r\n
        """

    @Test("a caller with an origin is accepted only when the origin is listed")
    func origin() throws {
        #expect(try answer(to: Self.goXNet, LinkOptions()).hasPrefix("HTTP/1.1 403 "))
        var options = LinkOptions()
        options.allowedOrigins = ["http://localhost/"]
        #expect(try answer(to: Self.goXNet, options).hasPrefix("HTTP/1.1 101 "))
        options.allowedOrigins = ["http://localhost:80/"]
        #expect(try answer(to: Self.goXNet, options).hasPrefix("HTTP/1.1 403 "))
    }

    private func answer(to request: String, _ options: LinkOptions) throws -> String {
        var stack = try ProtocolStack.server(options: options, now: MonotonicTime(nanoseconds: 0))
        Array(request.utf8).withUnsafeBytes { stack.receive($0, now: MonotonicTime(nanoseconds: 0)) }
        while stack.nextEvent() != nil {}
        var out = ByteQueue()
        while stack.nextOutgoing(into: &out) {}
        return String(decoding: out.takeAll(), as: UTF8.self)
    }
}
