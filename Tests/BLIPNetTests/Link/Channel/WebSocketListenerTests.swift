// Tests of WebSocket listeners over real sockets (SOCKETS C5): who is let in, and what the others are told.

import TestSupport
import Testing

@testable import BLIPNet

@Suite struct WebSocketListenerTests {
    @Test("knows one path only, if it is told so")
    func path() async throws {
        let server = try ChannelServer(configure: { $0.handshake.path = "/chat" })
        #expect(await connectError(try server.request("/chat")) == nil)
        #expect(await connectError(try server.request("/chat?x")) == nil)
        #expect(await refusalStatus(try server.request("/other")) == 404)
    }

    @Test("lets web pages in from listed origins only")
    func origins() async throws {
        let server = try ChannelServer(configure: { $0.handshake.allowedOrigins = ["https://good.example"] })
        for (origin, expected) in [("https://good.example", nil), ("https://bad.example", 403)] {
            var request = try server.request()
            request.fields.append(name: "Origin", value: origin)
            #expect(await refusalStatus(request) == expected)
        }
    }

    @Test("asks the application, which may take its time")
    func decisions() async throws {
        let server = try ChannelServer(decide: { head, _ in
            await Task.yield()
            switch head.target {
            case "/yes":
                var fields = HTTPFields()
                fields.append(name: "X-Greeting", value: "hello")
                return .accept(subprotocol: "b", fields: fields)
            case "/no": return .refuse(status: 403, reason: "not you")
            default: return .refuse(status: 200, reason: "not a refusal")
            }
        })
        var request = try server.request("/yes")
        request.subprotocols = ["a", "b"]
        let channel = try await WebSocketChannel.connect(request)
        #expect(channel.info.subprotocol == "b")
        #expect(try await server.channel().info.request?.target == "/yes")
        channel.close()
        #expect(await refusalStatus(try server.request("/no")) == 403)
        #expect(await refusalStatus(try server.request("/odd")) == 500)
    }

    @Test("takes no more callers than its limits say")
    func limits() async throws {
        let server = try ChannelServer(isSilent: true, configure: { $0.admission.maxConnections = 2 })
        let first = try await server.connect()
        let second = try await server.connect()
        guard case .link? = await connectError(try server.request()) else {
            Issue.record("a third one")
            return
        }
        first.close()
        try await eventually("room for another") { await server.listener.connectionCount < 2 }
        let third = try await server.connect()
        for channel in [second, third] { channel.close() }
    }

    @Test("stops listening when it is closed, and leaves open channels alone")
    func closing() async throws {
        let server = try ChannelServer()
        let channel = try await server.connect()
        server.listener.close()
        guard case .link? = await connectError(try server.request()) else {
            Issue.record("still listening")
            return
        }
        try await channel.send(.text("still here"))
        #expect(try await channel.receive() == .text("still here"))
        channel.close()
    }

    @Test("drops callers that never ask for a WebSocket")
    func silence() async throws {
        let server = try ChannelServer(configure: { $0.handshake.limits.handshakeTimeout = .milliseconds(100) })
        let connection = TCPConnection.connect(to: server.listener.localEndpoint)
        try await connection.waitUntilConnected()
        // A refusal or just the end.
        while try await !connection.readSome().isEmpty {}
        try await eventually("the caller is gone") { await server.listener.connectionCount == 0 }
    }
}
