// A WebSocket server behind its handshake, and one in it: any bytes in any cut.

func fuzzWebSocket(_ bytes: UnsafeRawBufferPointer) {
    var input = FuzzInput(bytes)
    let isOpen = input.byte() & 1 == 1
    var connection = WebSocketConnection.server(
        WebSocketServerOptions(allowsNoSubprotocol: true), random: .system, now: MonotonicTime(nanoseconds: 0))
    var out = ByteQueue()
    func drain() {
        while connection.nextEvent() != nil {
            connection.withMessagePayload { payload in _ = connection.role == .server && payload.count >= 0 }
        }
        _ = connection.nextOutgoing(into: &out)
        out.removeAll()
    }
    if isOpen {
        let request: StaticString = """
            GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n
            """
        request.withUTF8Buffer { connection.receive(UnsafeRawBufferPointer($0), now: MonotonicTime(nanoseconds: 1)) }
        drain()
        precondition(connection.isOpen, "a correct request opens the connection")
    }
    while !input.isEmpty {
        connection.receive(input.piece(), now: MonotonicTime(nanoseconds: 2))
        drain()
    }
}
