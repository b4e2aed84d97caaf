// The listings of the article "WebSocket".

import BLIPNet

/// Sends every message back. Runs on the event loop of the channel, with the message where it was received.
final class Echo: WebSocketHandler {
    func received(
        _ kind: WebSocketMessageKind, _ payload: UnsafeRawBufferPointer, on channel: isolated WebSocketChannel
    ) {
        channel.reply(kind, payload)
    }
}

/// Says something to an echo server, compressed, and returns what comes back.
func shout(_ text: String, to server: Endpoint) async throws -> WebSocketMessage? {
    var request = WebSocketRequest(url: try WebSocketURL("ws://\(server)/echo"), subprotocols: ["echo"])
    request.deflate = PermessageDeflate()
    request.fields.append(name: "User-Agent", value: "example")
    request.proxy = .direct
    let channel = try await WebSocketChannel.connect(request)
    try await channel.send(.text(text))
    let answer = try await channel.receive()
    channel.close()
    return answer
}

/// Lets in who knows the password (RFC 7617), and counts what they say.
func listenToFriends() throws -> WebSocketListener {
    var options = WebSocketListenerOptions()
    options.handshake.deflate = PermessageDeflate()
    return try WebSocketListener.listen(on: .host("127.0.0.1", port: 0), options: options) { request in
        if request.fields.values("Authorization") == ["Basic YWxpY2U6c2VzYW1l"] { return .accept() }
        var fields = HTTPFields()
        fields.append(name: "WWW-Authenticate", value: "Basic realm=\"friends\"")
        return .refuse(status: 401, reason: "who are you?", fields: fields)
    } accept: { channel in
        Task {
            var count = 0
            for try await message in channel.messages {
                count += message.byteCount
                try await channel.send(.text("\(count) bytes so far"))
            }
        }
        return nil
    }
}

/// Answers the server's question once; a wrong answer ends in `WebSocketError.refused`.
func visitFriends(at server: Endpoint, password: String) async throws -> WebSocketChannel {
    var request = WebSocketRequest(url: try WebSocketURL("ws://\(server)/"))
    request.proxy = .direct
    request.credentials = { challenge in
        challenge.realm == "friends" ? HTTPCredentials(user: "alice", password: password) : nil
    }
    return try await WebSocketChannel.connect(request)
}
