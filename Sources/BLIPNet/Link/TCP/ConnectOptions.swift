// How a connection is to be made, and what it is to be like.

/// Which addresses of a host are tried, and how (Happy Eyeballs, RFC 8305).
public struct AddressPolicy: Sendable, Equatable {
    public enum Family: Sendable, Equatable {
        case ipv4
        case ipv6
    }

    public var allowsIPv4 = true
    public var allowsIPv6 = true
    /// Whether addresses that nobody outside has are tried (`SocketAddress.isInside`): this machine, private networks.
    package var allowsInside = true
    /// The family that is tried first; `nil` leaves it to the resolver's order (RFC 6724).
    public var preferred: Family?
    /// How long an attempt runs alone before the next address is tried beside it. At least 10 ms (RFC 8305 section 5).
    var attemptDelay = Duration.milliseconds(250)

    package init() {}
}

/// The options of an established stream. Options that the kernel does not know for a kind of socket (TCP options of a
/// UNIX-domain socket) have no effect there.
public struct StreamOptions: Sendable, Equatable {
    /// The kernel's probes on a silent connection.
    public struct Keepalive: Sendable, Equatable {
        /// Silence before the first probe, the time between probes (whole seconds), and how many go unanswered before
        /// the kernel drops the connection.
        public var idle = Duration.seconds(60)
        package var interval = Duration.seconds(10)
        package var count: Int32 = 3

        public init() {}
    }

    /// Sends small pieces at once instead of gathering them (TCP_NODELAY).
    var noDelay = true
    /// `nil` switches probing off.
    public var keepalive: Keepalive? = Keepalive()
    /// How long sent data may stay unacknowledged before the kernel drops the connection (TCP_USER_TIMEOUT): a peer
    /// that vanished is noticed so soon, but one that only does not read counts as vanished, too (tcp(7)). `nil` leaves
    /// it to the kernel (about 15 minutes, and no limit for slow readers).
    public var userTimeout: Duration?
    /// How many bytes per second are sent at most (SO_MAX_PACING_RATE: the kernel spreads the segments over time, so the
    /// network's queues stay short and what is urgent is not stuck in them). `nil` means no limit; TCP only.
    public var maxSendRate: UInt64?
    /// Whether we may still write when the peer has ended its direction. Without it, the end of the peer's direction
    /// closes the connection; what has arrived can still be read.
    public var allowHalfClose = false
    /// How many bytes are taken from the kernel before somebody asks for them. More only on demand.
    public var readAhead = 65_536

    /// How many unsent bytes the kernel takes (TCP_NOTSENT_LOWAT); `nil` leaves it to the kernel.
    var unsentLowWater: Int32?
    /// The same for a peer on this machine.
    var localUnsentLowWater: Int32?
    /// The kernel's buffers between two sockets of this machine; `nil` leaves them to the kernel.
    var localBuffer: Int32?

    public init() {}
}

/// How to connect.
public struct ConnectOptions: Sendable, Equatable {
    public var addressPolicy = AddressPolicy()
    /// Where the connection comes from: the name of an interface (`eth0`), an address of ours (`192.168.4.35`), either
    /// with a port (`lo:8082`, `[::1]:8082`), only a port (`:8082`), or `localhost` or `loopback`.
    public var localInterface: String?
    /// Our port; 0 lets the kernel choose. Another one than in `localInterface` is an error.
    package var localPort: UInt16 = 0
    /// From the call to the established connection, the name resolution included.
    public var timeout = Duration.seconds(30)
    public var stream = StreamOptions()

    public init() {}
}
