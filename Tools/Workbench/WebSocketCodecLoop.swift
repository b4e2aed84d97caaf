// WebSocket messages from one end of a connection to the other in memory, to measure the codec without any I/O.

internal import BLIPNet

/// A client and a server past their handshake. Every buffer is kept, as a driver keeps it.
package struct WebSocketCodecLoop {
    private var client: WebSocketConnection
    private var server: WebSocketConnection
    private var wire = ByteQueue()
    private let payload: [UInt8]
    private let now = MonotonicTime(nanoseconds: 0)

    /// The messages will have `byteCount` bytes. `nil` if the handshake fails.
    package init?(byteCount: Int) {
        payload = [UInt8](repeating: 0x61, count: byteCount)
        client = .client(WebSocketClientOptions(hostHeader: "localhost"), now: now)
        server = .server(WebSocketServerOptions(allowsNoSubprotocol: true), now: now)
        _ = client.nextOutgoing(into: &wire)
        guard case .opened = Self.pass(&wire, to: &server, now) else { return nil }
        _ = server.nextOutgoing(into: &wire)
        guard case .opened = Self.pass(&wire, to: &client, now) else { return nil }
    }

    /// Sends `rounds` messages in each direction, masked and unmasked, and returns how many arrived whole.
    package mutating func run(rounds: Int) -> Int {
        var arrived = 0
        for _ in 0..<rounds {
            if Self.move(payload, from: &client, to: &server, &wire, now) { arrived += 1 }
            if Self.move(payload, from: &server, to: &client, &wire, now) { arrived += 1 }
        }
        return arrived
    }

    private static func move(
        _ payload: [UInt8], from sender: inout WebSocketConnection, to receiver: inout WebSocketConnection,
        _ wire: inout ByteQueue, _ now: MonotonicTime
    ) -> Bool {
        payload.withUnsafeBytes { _ = sender.send(.binary, $0, into: &wire) }
        guard case .message = pass(&wire, to: &receiver, now) else { return false }
        let isWhole = receiver.withMessagePayload { $0.count } == payload.count
        return receiver.nextEvent() == nil && isWhole
    }

    /// The first event that the bytes bring about.
    private static func pass(
        _ wire: inout ByteQueue, to connection: inout WebSocketConnection, _ now: MonotonicTime
    ) -> WebSocketEvent? {
        wire.withUnsafeBytes { connection.receive($0, now: now) }
        wire.removeAll()
        return connection.nextEvent()
    }
}
