// How a Socket.IO client reaches its server: where, by which transports, as whom, and how it comes back (SOCKETIO B10 to B15).

/// The settings of a `SocketIOClient`.
public struct SocketIOOptions: Sendable {
    /// Gives what goes along with the CONNECT of a namespace, at every connection anew: tokens run out. An object, or
    /// `nil` for nothing. If it throws, the namespace ends with `SocketIOError.invalid("auth")`.
    public typealias Auth = @Sendable (_ namespace: String) async throws -> SocketIOValue?

    /// Which transports may be used.
    public typealias Transports = EngineIOTransports

    /// The server: `http` or `https` (`ws` and `wss` mean the same). Its query goes along with every request; its path is
    /// not used, because `path` says where Socket.IO is, and namespaces are joined by name.
    public var url: WebSocketURL
    /// Where the server has Socket.IO, percent-encoded, beginning with `/`.
    public var path = "/socket.io/"
    /// Further names and values for the query of every request, not percent-encoded. The log shows the names only.
    public var query: [(name: String, value: String)] = []
    /// Further fields of every request, for example `Authorization`, `Origin` or `User-Agent`.
    public var fields = HTTPFields()
    /// The namespace that `SocketIOClient.connect` joins.
    public var namespace = "/"
    public var auth: Auth?
    public var transports = Transports.upgrade
    /// `nil` finds out by asking.
    public var revision: EngineIORevision?
    public var limits = SocketIOLimits()
    /// How long an acknowledgement may take where the call does not say it.
    public var ackTimeout = Duration.seconds(10)
    /// The trust for polling and the WebSocket alike: the authorities of the system, given ones, or one key.
    public var tls = TLSConfiguration()
    public var proxy = ProxyChoice.environment
    /// Asked when the server or the proxy wants to know who we are and the URL does not say it.
    public var credentials: WebSocketRequest.Credentials?
    /// How each connection is made: addresses, interface, time.
    public var connect: ConnectOptions
    public var reconnection = SocketIOReconnection()
    /// Gets what happens: requests, answers, messages, states; without a secret in it. Called on the event loop of the client,
    /// so it should return soon. `nil` costs nothing.
    public var trace: (@Sendable (SocketIOTrace) -> Void)?

    public init(url: WebSocketURL) {
        self.url = url
        connect = ConnectOptions()
        connect.stream = .webSocket
        connect.timeout = .seconds(10)
    }

    var session: SocketIOSession.Options {
        var options = SocketIOSession.Options()
        options.transports = transports
        options.revision = revision
        options.limits = limits
        return options
    }

    /// The longest answer of polling: a packet and all of its attachments, in Base64.
    var maxBodyBytes: Int {
        let (sum, overflow) = limits.maxPacketBytes.addingReportingOverflow(limits.maxAttachmentBytes)
        return overflow ? .max / 2 : sum / 3 * 4 + 65_536
    }
}

/// When a client that has lost its connection tries again.
public struct SocketIOReconnection: Sendable, Equatable {
    /// `false` leaves a lost connection as it is.
    public var isEnabled = true
    /// The first wait is a random time up to this, each further one up to twice as much as the one before, so that the
    /// clients of a server that was restarted do not all come at once.
    public var firstDelay = Duration.seconds(1)
    /// No wait is longer.
    public var maxDelay = Duration.seconds(30)
    /// How long a connection must have lasted before the waits begin anew: a server that ends each connection at once
    /// is not called again and again.
    public var stableInterval = Duration.seconds(10)
    /// After this many failed attempts in a row the client stops trying; with `nil` it never stops.
    public var maxAttempts: Int?

    public init() {}
}
