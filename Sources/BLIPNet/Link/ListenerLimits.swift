// How many callers a listener takes, decided before anything is spent on them (RELIABILITY 3).

/// The limits of one listener. A listener that is full drops the oldest caller that has not finished TLS, and takes the
/// new one: whoever only sits there keeps nobody out.
public struct ListenerLimits: Sendable, Equatable {
    /// Connections that are open or in their handshake, in all.
    public var maxConnections = 128
    /// Handshakes that may be running at the same time, from all addresses together.
    public var maxHandshakes = 128
    /// Handshakes that one address may have running at the same time, an IPv6 network of 64 bits counting as one
    /// (`SocketAddress.network`); does not count for UNIX-domain sockets.
    public var maxHandshakesPerAddress = 8
    /// TLS handshakes that may begin per second, from all addresses together; up to this many may begin at once. A handshake
    /// begins with its whole ClientHello: before that a caller costs next to nothing.
    public var handshakesPerSecond = 50
    /// The same for each network of callers: 24 bits of IPv4, 64 bits of IPv6 (`SocketAddress.neighbourhood`).
    public var handshakesPerSecondPerNetwork = 20
    /// How long a caller may be silent. Does not count for UNIX-domain sockets, nor does `helloTime`.
    package var firstByteTime = Duration.seconds(2)
    /// How long a caller may take until its whole ClientHello is there.
    package var helloTime = Duration.seconds(3)

    public init() {}
}
