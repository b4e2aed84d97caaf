// One WebSocket connection (RFC 6455), client or server, as a value without I/O: bytes in, events and bytes out.
// Between TLS (or the bare socket) below and BLIP above; `ProtocolStack` joins them.

/// The state machine of a connection, opening handshake included.
///
/// Give it what the transport has received (`receive`), take events until there is none (`nextEvent`), and write what
/// `nextOutgoing` and `send` append to the transport. Bytes are taken apart lazily in `nextEvent`, so the answer to one
/// message is on the wire before anything that a later frame brings about.
///
/// It belongs to one driver: copies would share the streams of the compression.
package struct WebSocketConnection {
    /// Which side of the handshake this is. Clients mask what they send (RFC 6455 section 5.3).
    package enum Role: Sendable, Equatable {
        case client
        case server
    }

    enum State {
        indirect case connecting(WebSocketClientHandshake)
        indirect case accepting(WebSocketServerHandshake)
        /// The application has been asked.
        indirect case deciding(WebSocketServerHandshake, WebSocketServerHandshake.Acceptance)
        case open
        /// We have sent a close frame and wait for the peer's until the deadline.
        case closing(deadline: MonotonicTime)
        case closed
    }

    package let role: Role
    let limits: WebSocketLimits
    var state: State
    /// Bytes received and not decoded yet.
    var input: ByteQueue
    var headScanner: HTTPHeadScanner
    var decoder: WebSocketFrameDecoder
    /// Handshake bytes and control frames that wait for the transport.
    var outgoing = ByteQueue()
    var queuedPongs = 0
    /// The newest ping that found the queue of pongs full.
    var overflowedPong: [UInt8]?
    var writer: WebSocketMessageWriter
    let handshakeDeadline: MonotonicTime
    var keepalive: WebSocketKeepalive
    /// Something that did not come from the peer's bytes and that `nextEvent` has still to report.
    var pendingEvent: WebSocketEvent?
    /// Server, once the request is there: the head of the client's request.
    var requestHead: HTTPRequestHead?
    /// Client, after the handshake: the head of the server's answer.
    var responseHead: HTTPResponseHead?
    /// After the handshake: the compression that both sides have agreed on.
    package internal(set) var deflate: PermessageDeflate?

    /// Server, once the request is there: path and query that the client asked for.
    package var requestTarget: String? { requestHead?.target }

    /// A connection whose transport has just been opened by us; its request waits in `nextOutgoing`.
    package static func client(
        _ options: WebSocketClientOptions, random: RandomSource = .system, now: MonotonicTime
    ) -> WebSocketConnection {
        let handshake = WebSocketClientHandshake(options: options, random: random)
        var connection = WebSocketConnection(
            role: .client, state: .connecting(handshake), limits: options.limits, random: random, now: now)
        handshake.writeRequest(into: &connection.outgoing)
        return connection
    }

    /// A connection whose transport a client has just opened.
    package static func server(
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
        writer = WebSocketMessageWriter(role: role, limits: limits, random: random)
        // Room for a message that is whole in the input, and for bytes that may have come with it.
        let (inputLimit, overflow) = limits.maxMessageBytes.addingReportingOverflow(64 << 10)
        input = ByteQueue(growthLimit: overflow ? .max : inputLimit)
        handshakeDeadline = now + limits.handshakeTimeout
        keepalive = WebSocketKeepalive(limits: limits, isServer: role == .server, now: now)
    }

    /// The handshake is complete and nobody has closed: messages may be sent.
    package var isOpen: Bool {
        if case .open = state { return true }
        return false
    }

    /// How long the peer took to answer the last keepalive ping.
    package var roundTrip: Duration? { keepalive.roundTrip }

    /// Appends one message to `out`: compressed if that was agreed on, in fragments if `maxFrameBytesOut` says so,
    /// masked for a client. The caller makes sure that a text is UTF-8, and that no other message is being sent in
    /// pieces. Returns `false` and appends nothing unless the connection is open.
    @discardableResult
    package mutating func send(
        _ kind: WebSocketMessageKind, _ payload: UnsafeRawBufferPointer, into out: inout ByteQueue
    ) -> Bool {
        guard isOpen else { return false }
        keepalive.sentMessage()
        writer.write(kind, payload, into: &out)
        return true
    }

    /// Appends the next piece of a message whose length is not known yet, as a frame of its own. All pieces of a
    /// message are of one `kind`, a text may be cut anywhere, and the last piece (`endsMessage`) may be empty.
    /// Returns `false` and appends nothing unless the connection is open.
    @discardableResult
    package mutating func send(
        _ kind: WebSocketMessageKind, piece: UnsafeRawBufferPointer, endsMessage: Bool, into out: inout ByteQueue
    ) -> Bool {
        guard isOpen else { return false }
        keepalive.sentMessage()
        writer.write(kind, piece: piece, endsMessage: endsMessage, into: &out)
        return true
    }

    /// Queues a ping with at most 125 bytes; its pong comes back as an event. Ignored unless the connection is open,
    /// or while unsent pings and pongs fill a head's worth of bytes.
    package mutating func ping(_ payload: [UInt8]) {
        precondition(payload.count <= WebSocketFrameHeader.maxControlPayload, "a ping holds at most 125 bytes")
        guard isOpen, outgoing.count < limits.maxHeadBytes else { return }
        queueControlFrame(.ping, payload)
    }

    /// Moves whatever waits (handshake, pongs, pings, close frame) to `out`; `false` when nothing did.
    /// It goes ahead of messages: call this before `send`.
    package mutating func nextOutgoing(into out: inout ByteQueue) -> Bool {
        queueOverflowedPong()
        guard !outgoing.isEmpty else { return false }
        outgoing.withUnsafeBytes { out.append($0) }
        outgoing.removeAll()
        queuedPongs = 0
        return true
    }

    mutating func queueControlFrame(_ opcode: WebSocketOpcode, _ payload: [UInt8]) {
        payload.withUnsafeBytes { writer.writeControl(opcode, $0, into: &outgoing) }
    }

    /// The handshake is over: messages may be compressed from here on, if that was agreed on.
    mutating func use(_ agreed: PermessageDeflate?) {
        deflate = agreed
        guard let agreed else { return }
        let role = role
        decoder.enableInflating { agreed.makeInflater(for: role) }
        writer.enableDeflating(threshold: agreed.threshold) { agreed.makeDeflater(for: role) }
    }

    /// Gives back the memory that is kept to be used again: for a connection on which nothing happens.
    mutating func releaseUnused() {
        input.releaseUnused()
        outgoing.releaseUnused()
        decoder.releaseUnused()
        writer.releaseUnused()
    }
}
