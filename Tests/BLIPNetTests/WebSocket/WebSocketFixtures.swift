// What the WebSocket tests share: bytes built without the product's code, and one end of a connection that is watched.

import Synchronization

@testable import BLIPNet

enum WebSocketFixtures {
    static let key = "dGhlIHNhbXBsZSBub25jZQ=="
    static let maskKey: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]

    /// Randomness that is the same in every run.
    static func random(seed: UInt64) -> RandomSource {
        let state = StateBox(seed)
        return RandomSource { buffer in
            for index in buffer.indices { buffer[index] = state.next() }
        }
    }

    /// A correct request; `extra` are whole lines with their CRLF, `without` names a field to leave out.
    static func request(
        target: String = "/", without: String = "", extra: String = "", method: String = "GET",
        version: String = "HTTP/1.1"
    ) -> [UInt8] {
        var text = "\(method) \(target) \(version)\r\n"
        for (name, value) in [
            ("Host", "localhost"), ("Upgrade", "websocket"), ("Connection", "keep-alive, Upgrade"),
            ("Sec-WebSocket-Version", "13"), ("Sec-WebSocket-Key", key),
        ] where name != without {
            text += "\(name): \(value)\r\n"
        }
        return Array((text + extra + "\r\n").utf8)
    }

    /// One frame, built by the letter of RFC 6455 section 5.2. `first` is the byte with FIN, RSV and opcode.
    static func frame(_ first: UInt8, _ payload: [UInt8] = [], mask: [UInt8]? = maskKey) -> [UInt8] {
        var bytes = [first]
        let maskBit: UInt8 = mask == nil ? 0 : 0x80
        if payload.count <= 125 {
            bytes.append(maskBit | UInt8(payload.count))
        } else if payload.count <= 0xFFFF {
            bytes += [maskBit | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        } else {
            bytes.append(maskBit | 127)
            for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(payload.count >> shift & 0xFF)) }
        }
        guard let mask else { return bytes + payload }
        return bytes + mask + payload.enumerated().map { $0.element ^ mask[$0.offset % 4] }
    }

    static func time(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }
}

private final class StateBox: Sendable {
    private let state: Mutex<UInt64>
    init(_ seed: UInt64) { state = Mutex(seed) }
    func next() -> UInt8 {
        state.withLock {
            $0 = $0 &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: $0 >> 56)
        }
    }
}

/// One end of a connection whose events are kept, messages with their payload.
struct WatchedWebSocket {
    enum Seen: Equatable {
        case event(WebSocketEvent)
        case message(WebSocketMessageKind, [UInt8])
    }

    var connection: WebSocketConnection
    var seen: [Seen] = []
    /// Everything that went to the transport.
    var sent = ByteQueue()
    /// Answer each message with the same message.
    var echoes = false

    /// A server whose handshake is over, or a client's counterpart by hand.
    static func openServer(
        limits: WebSocketLimits = WebSocketLimits(), echoes: Bool = false, deflate: PermessageDeflate? = nil,
        offer: String = "permessage-deflate; client_max_window_bits"
    ) -> WatchedWebSocket {
        var options = WebSocketServerOptions(allowsNoSubprotocol: true, limits: limits)
        options.deflate = deflate
        let random = WebSocketFixtures.random(seed: 1)
        var end = WatchedWebSocket(
            connection: .server(options, random: random, now: WebSocketFixtures.time(0)), echoes: echoes)
        end.receive(WebSocketFixtures.request(extra: "Sec-WebSocket-Extensions: \(offer)\r\n"))
        end.seen.removeAll()
        end.sent.removeAll()
        return end
    }

    /// A client whose handshake is over.
    static func openClient(limits: WebSocketLimits = WebSocketLimits()) -> WatchedWebSocket {
        openPair(clientLimits: limits).client
    }

    /// Both ends of a connection whose handshake is over. `serverDeflate` defaults to what the client offers.
    static func openPair(
        clientLimits: WebSocketLimits = WebSocketLimits(), serverLimits: WebSocketLimits = WebSocketLimits(),
        deflate: PermessageDeflate? = nil, serverDeflate: PermessageDeflate? = nil
    ) -> (client: WatchedWebSocket, server: WatchedWebSocket) {
        var clientOptions = WebSocketClientOptions(hostHeader: "localhost", limits: clientLimits)
        clientOptions.deflate = deflate
        var serverOptions = WebSocketServerOptions(allowsNoSubprotocol: true, limits: serverLimits)
        serverOptions.deflate = serverDeflate ?? deflate
        let now = WebSocketFixtures.time(0)
        var client = WatchedWebSocket(
            connection: .client(clientOptions, random: WebSocketFixtures.random(seed: 2), now: now))
        var server = WatchedWebSocket(connection: .server(serverOptions, now: now))
        client.flush()
        server.receive(client.sent.takeAll())
        client.receive(server.sent.takeAll())
        client.seen.removeAll()
        server.seen.removeAll()
        return (client, server)
    }

    /// Takes bytes in pieces of at most `chunk`, all events after each, and collects what goes out.
    mutating func receive(_ bytes: [UInt8], chunk: Int = .max, now: MonotonicTime = WebSocketFixtures.time(0)) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(chunk)
            rest = rest.dropFirst(piece.count)
            piece.withUnsafeBytes { connection.receive($0, now: now) }
            drain()
        }
    }

    mutating func drain() {
        while let event = connection.nextEvent() {
            if case .message(let kind) = event {
                let payload = connection.withMessagePayload { Array($0) }
                seen.append(.message(kind, payload))
                flush()
                if echoes { payload.withUnsafeBytes { _ = connection.send(kind, $0, into: &sent) } }
            } else {
                seen.append(.event(event))
            }
        }
        flush()
    }

    mutating func flush() { _ = connection.nextOutgoing(into: &sent) }

    mutating func send(_ kind: WebSocketMessageKind, _ payload: [UInt8]) -> Bool {
        payload.withUnsafeBytes { connection.send(kind, $0, into: &sent) }
    }

    /// The closure among the events, if there is one.
    var closure: WebSocketClosure? {
        for case .event(.closed(let closure)) in seen { return closure }
        return nil
    }

    /// What a violation ended with.
    var violationCode: UInt16? {
        if case .peerViolated(let code, _) = closure { return code }
        return nil
    }

    /// The HTTP status that refused the client.
    var refusedStatus: Int? {
        if case .refusedClient(let status, _) = closure { return status }
        return nil
    }
}
