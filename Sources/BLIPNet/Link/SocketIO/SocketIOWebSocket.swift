// The WebSocket of a connection, from its request to its end.

/// The state that a `SocketIOConnection` keeps of its WebSocket.
struct SocketIOWebSocket {
    /// How many bytes may wait to be sent; the last message may go beyond it.
    static let window = 64 << 10

    let number: Int
    let outbox = SocketIOOutbox()
    /// Opens it, and reads from it.
    var task: Task<Void, Never>?
    var channel: WebSocketChannel?

    var hasRoom: Bool { outbox.byteCount < Self.window }

    func send(_ kind: WebSocketMessageKind, _ bytes: [UInt8]) {
        switch kind {
        case .text: outbox.put(.text(String(decoding: bytes, as: UTF8.self)))
        case .binary: outbox.put(.binary(bytes))
        }
    }

    /// Closes in order: what waits is sent before. After a time it ends in any case.
    func close(on loop: EventLoop, within patience: Duration) {
        outbox.finish()
        guard let channel else {
            // Still being opened.
            task?.cancel()
            return
        }
        // The channel allows the other end as much again for its answer.
        _ = loop.schedule(at: .now() + patience * 2) { channel.disconnect() }
    }

    func disconnect() {
        outbox.finish()
        task?.cancel()
        channel?.disconnect()
    }
}
