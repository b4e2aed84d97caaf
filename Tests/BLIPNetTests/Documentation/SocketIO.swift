// The listings of the article "Socket.IO".

import BLIPNet

/// Says something in a chat room, and returns the next `count` lines of everybody there.
func say(_ line: String, at server: WebSocketURL, thenRead count: Int) async throws -> [String] {
    var options = SocketIOOptions(url: server)
    options.proxy = .direct
    let client = SocketIOClient(options)
    let messages = client.events(named: "chatMessage")
    try await client.connect()
    _ = try await client.emitWithAck("chatMessage", ["message": .string(line), "sender": "example"])
    var lines: [String] = []
    for await message in messages {
        lines.append(message.arguments.first?["message"]?.stringValue ?? "")
        if lines.count == count { break }
    }
    await client.disconnect()
    return lines
}

/// Joins a namespace that wants a token, which is fetched anew for each connection, and hands over bytes.
func upload(
    _ picture: [UInt8], to server: WebSocketURL, certificate: String,
    token: @escaping @Sendable () async throws -> String
) async throws -> [SocketIOValue] {
    var options = SocketIOOptions(url: server)
    options.proxy = .direct
    options.tls.trust = .roots([certificate])
    options.auth = { namespace in
        namespace == "/admin" ? ["token": .string(try await token())] : nil
    }
    let client = SocketIOClient(options)
    let administrators = client.namespace("/admin")
    try await administrators.connect(timeout: .seconds(10))
    let answer = try await administrators.emitWithAck("echo", ["name": "picture", "data": .bytes(picture)])
    await client.disconnect()
    return answer
}
