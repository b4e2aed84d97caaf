// One WebSocket connection (RFC 6455), client or server, as a value without I/O: bytes in, events and bytes out.
// Between TLS (or the bare socket) below and BLIP above; `ProtocolStack` joins them.

/// The state machine of a connection, opening handshake included.
///
/// Give it what the transport has received (`receive`), take events until there is none (`nextEvent`), and write what
/// `nextOutgoing` and `send` append to the transport. Bytes are taken apart lazily in `nextEvent`, so what is sent in
/// answer to one message stands on the wire before anything that a later frame brings about.
public struct WebSocketConnection: Sendable {
    /// Which side of the handshake this is. Clients mask what they send (RFC 6455 section 5.3).
    public enum Role: Sendable, Equatable {
        case client
        case server
    }

    enum State: Sendable {
        case connecting(WebSocketClientHandshake)
        case accepting(WebSocketServerHandshake)
        case open
        /// We have sent a close frame and wait for the peer's until the deadline.
        case closing(deadline: MonotonicTime)
        case closed
    }

    public let role: Role
    let limits: WebSocketLimits
    var state: State
    /// Received and not looked at yet.
    var input = ByteQueue()
    var headScanner: HTTPHeadScanner
    var decoder: WebSocketFrameDecoder
    /// Handshake bytes and control frames that wait for the transport.
    var outgoing = ByteQueue()
    var queuedPongs = 0
    /// The newest ping that found the queue of pongs full.
    var overflowedPong: [UInt8]?
    var keys: MaskKeySource
    let handshakeDeadline: MonotonicTime
    var keepalive: WebSocketKeepalive
    /// An end that did not come from the peer's bytes and that `nextEvent` has still to report.
    var pendingClosure: WebSocketClosure?
    /// Server, after the handshake: path and query that the client asked for.
    public internal(set) var requestTarget: String?

    /// A connection whose transport has just been opened by us; its request waits in `nextOutgoing`.
    public static func client(
        _ options: WebSocketClientOptions, random: RandomSource = .system, now: MonotonicTime
    ) -> WebSocketConnection {
        let handshake = WebSocketClientHandshake(options: options, random: random)
        var connection = WebSocketConnection(
            role: .client, state: .connecting(handshake), limits: options.limits, random: random, now: now)
        handshake.writeRequest(into: &connection.outgoing)
        return connection
    }

    /// A connection whose transport a client has just opened.
    public static func server(
        _ options: WebSocketServerOptions, random: RandomSource = .system, now: MonotonicTime
    ) -> WebSocketConnection {
        WebSocketConnection(
            role: .server, state: .accepting(WebSocketServerHandshake(options: options)), limits: options.limits,
            random: random, now: now)
    }

    private init(role: Role, state: State, limits: WebSocketLimits, random: RandomSource, now: MonotonicTime) {
        self.role = role
        self.state = state
        self.limits = limits
        headScanner = HTTPHeadScanner(maxByteCount: limits.maxHeadBytes, start: role == .client ? "HTTP/" : "")
        decoder = WebSocketFrameDecoder(expectsMask: role == .server, limits: limits)
        keys = MaskKeySource(random: random)
        handshakeDeadline = now + limits.handshakeTimeout
        keepalive = WebSocketKeepalive(limits: limits, now: now)
    }

    /// The handshake is complete and nobody has closed: messages may be sent.
    public var isOpen: Bool {
        if case .open = state { return true }
        return false
    }

    /// How long the peer took to answer the last keepalive ping.
    public var roundTrip: Duration? { keepalive.roundTrip }

    /// Appends one message as a single frame to `out`, masked in place for a client.
    /// Returns `false` and appends nothing unless the connection is open.
    @discardableResult
    public mutating func send(
        _ kind: WebSocketMessageKind, _ payload: UnsafeRawBufferPointer, into out: inout ByteQueue
    ) -> Bool {
        guard isOpen else { return false }
        WebSocketFrameHeader.writeFrame(kind.opcode, payload, mask: nextMask(), into: &out)
        return true
    }

    /// Queues a ping with at most 125 bytes; its pong comes back as an event. Ignored unless the connection is open,
    /// or while unsent pings and pongs fill a head's worth of bytes.
    public mutating func ping(_ payload: [UInt8]) {
        precondition(payload.count <= WebSocketFrameHeader.maxControlPayload, "a ping holds at most 125 bytes")
        guard isOpen, outgoing.count < limits.maxHeadBytes else { return }
        queueControlFrame(.ping, payload)
    }

    /// Moves whatever waits (handshake, pongs, pings, close frame) to `out`; `false` when nothing did.
    /// It goes ahead of messages: call this before `send`.
    public mutating func nextOutgoing(into out: inout ByteQueue) -> Bool {
        queueOverflowedPong()
        guard !outgoing.isEmpty else { return false }
        outgoing.withUnsafeBytes { out.append($0) }
        outgoing.removeAll()
        queuedPongs = 0
        return true
    }

    mutating func queueControlFrame(_ opcode: WebSocketOpcode, _ payload: [UInt8]) {
        let mask = nextMask()
        payload.withUnsafeBytes { WebSocketFrameHeader.writeFrame(opcode, $0, mask: mask, into: &outgoing) }
    }

    private mutating func nextMask() -> WebSocketMask? { role == .client ? keys.next() : nil }
}
