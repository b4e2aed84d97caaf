// How a link is to be made: who we are, whom we expect, limits and times. The same value serves connecting and
// listening.

/// The settings of a link.
public struct LinkOptions: Sendable {
    /// Our key and certificate. `nil` means no TLS at all (plain `ws`, for loopback and UNIX sockets).
    public var identity: TLSIdentity?
    /// The only peer that is accepted when we connect; any other key ends in `LinkError.wrongIdentity`. `nil` accepts
    /// every key, `LinkInfo.remoteFingerprint` then says which one it was.
    public var expectedPeer: SPKIFingerprint?
    /// The dialects of BLIP that we speak, the preferred one first; not empty. We offer all of them when we call and
    /// pick the first that the peer offers when we are called. A peer that calls it just `BLIP`, or names nothing,
    /// means the first of `.blip2013` and `.blip2` in this list.
    public var dialects: [BLIPDialect] = [.blip3]
    /// The path of the WebSocket URL.
    public var path = "/"
    /// Listening: callers may ask for any path.
    package var acceptsAnyPath = false
    /// The application part of the WebSocket subprotocol (`BLIP_3+<application>`, PROTOCOL 3.2): what the requests mean, and
    /// in which version. Both sides must have the same. Choose a name of your own.
    public var application = "app_1"
    /// Listening: callers may mean one of these instead; `LinkInfo.application` says what they mean.
    package var otherApplications: [String] = []
    /// A call that carries an `Origin` (web pages do, and some libraries) is refused unless it is one of these.
    public var allowedOrigins: [String] = []
    public var blip = BLIPLimits()
    public var webSocket: WebSocketLimits
    /// How a peer is called: addresses, interface, time. Its options for the stream apply to the links of callers, too.
    public var connect: ConnectOptions
    /// The proxy through which hosts are called. Peers are called directly unless something else is said here.
    public var proxy = ProxyChoice.direct
    /// How many requests of ours may wait for their responses; one more fails with `LinkError.limitExceeded`.
    var maxWaitingRequests = 65_536
    /// Gets what happens on each link: frames, states, and why it ends. Called on the event loop of the link, so it should
    /// return soon. A link that everybody has let go of ends without a word. `nil` costs nothing.
    public var trace: (@Sendable (LinkTrace) -> Void)?

    public init(identity: TLSIdentity? = nil, expectedPeer: SPKIFingerprint? = nil) {
        self.identity = identity
        self.expectedPeer = expectedPeer
        connect = ConnectOptions()
        connect.stream = .link
        connect.timeout = .seconds(10)
        webSocket = WebSocketLimits()
        webSocket.maxMessageBytes = blip.maxFrameIn
    }

    /// From the start of connecting to the established TCP connection, the name resolution included.
    package var connectTimeout: Duration {
        get { connect.timeout }
        set { connect.timeout = newValue }
    }

    /// How many bytes per second a link sends at most; `nil` means no limit. On a link that is slower than what its
    /// network could take, urgent messages still overtake the others, because bodies wait here and not in the network.
    package var maxSendRate: UInt64? {
        get { connect.stream.maxSendRate }
        set { connect.stream.maxSendRate = newValue }
    }

    /// From the established connection to the end of the TLS and WebSocket handshakes.
    package var handshakeTimeout: Duration {
        get { webSocket.handshakeTimeout }
        set { webSocket.handshakeTimeout = newValue }
    }

    /// Silence of the peer after which it is pinged; `nil` turns keepalive off.
    package var keepaliveInterval: Duration? {
        get { webSocket.keepaliveInterval }
        set { webSocket.keepaliveInterval = newValue }
    }

    /// Further silence after which the peer counts as dead.
    package var keepaliveTimeout: Duration {
        get { webSocket.keepaliveTimeout }
        set { webSocket.keepaliveTimeout = newValue }
    }

    /// For a link through a proxy, a relay or Tor: TCP sees only the way to them, so the peer's ACKs pace us.
    var throughOthers: LinkOptions {
        var options = self
        options.blip.pacesByAcks = true
        return options
    }

    /// For a link through a relay. The relay's kernel answers ours, whatever has become of the other side: only their own bytes
    /// show that they are there, and a link that carries something is watched closely (REACH 7: back within 15 s).
    var throughRelay: LinkOptions {
        var options = throughOthers
        options.keepaliveInterval = keepaliveInterval.map { min($0, Self.silenceOfRelayed) }
        options.keepaliveTimeout = min(keepaliveTimeout, Self.answerOfRelayed)
        return options
    }

    private static let silenceOfRelayed = Duration.seconds(4)
    private static let answerOfRelayed = Duration.seconds(5)

    /// How long an orderly close may take to send what is queued, and again for the peer's answer.
    package var closeTimeout: Duration {
        get { webSocket.closeTimeout }
        set { webSocket.closeTimeout = newValue }
    }
}
