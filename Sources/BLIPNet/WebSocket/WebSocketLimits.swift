// How much a WebSocket peer may make us hold, and how long it may take (PROTOCOL 2, RELIABILITY 3).

/// The limits of one connection. The defaults suit a general WebSocket; a BLIP link lowers the message size.
public struct WebSocketLimits: Sendable, Equatable {
    /// Bytes of a whole incoming message; one more closes with 1009.
    public var maxMessageBytes = 16 << 20
    /// Frames that one incoming message may be cut into; one more closes with 1008.
    var maxFragments = 131_072
    /// Bytes that the frame headers of one incoming message may take in all; more closes with 1008.
    var maxFragmentOverhead = 1 << 20
    /// Payload bytes of one outgoing frame; a larger message is sent in fragments of this size. `nil` sends every
    /// message as one frame.
    var maxFrameBytesOut: Int?
    /// Pongs that wait for the wire. Further pings replace one another, so that the last one is always answered
    /// (RFC 6455 section 5.5.3).
    var maxQueuedPongs = 32
    /// Bytes of an HTTP head, the empty line included.
    package var maxHeadBytes = 16_384
    /// Fields of an HTTP head.
    package var maxHeadFields = 100
    /// From the start of the connection to the end of the handshake.
    public var handshakeTimeout = Duration.seconds(10)
    /// Silence of the peer after which it is pinged; `nil` turns keepalive off.
    public var keepaliveInterval: Duration? = .seconds(20)
    /// How long the peer may be silent while nothing but pings passes: the interval doubles up to this with each ping that is
    /// answered, and is `keepaliveInterval` again with the next message. `nil`: it never grows.
    package var keepaliveAtRest: Duration?
    /// Further silence after which the peer counts as dead.
    public var keepaliveTimeout = Duration.seconds(20)
    /// How long the peer may take to answer our close frame.
    public var closeTimeout = Duration.seconds(5)

    public init() {}

    /// Bytes on the wire of a compressed message. Data that cannot be compressed grows, with the smallest memory level
    /// of zlib by less than this.
    var maxCompressedBytes: Int {
        let (sum, overflow) = maxMessageBytes.addingReportingOverflow(maxMessageBytes / 8 + maxMessageBytes / 64 + 64)
        return overflow ? .max : sum
    }
}
