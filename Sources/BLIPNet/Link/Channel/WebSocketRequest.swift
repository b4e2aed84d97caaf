// The request of a WebSocket client (SOCKETS C1 to C3): where to, with which fields, and as whom.

/// A request for a WebSocket.
public struct WebSocketRequest: Sendable {
    /// Answers the challenge of a server or proxy; `nil` ends the attempt.
    public typealias Credentials = @Sendable (HTTPChallenge) async -> HTTPCredentials?

    public var url: WebSocketURL
    /// Further fields, for example `Authorization`, `Cookie`, `Origin` or `User-Agent`. The first two are left out when
    /// a redirect leads to another server.
    public var fields = HTTPFields()
    /// The subprotocols that we speak, the preferred one first; each an HTTP token.
    public var subprotocols: [String]
    /// The compression that we offer.
    public var deflate: PermessageDeflate?
    /// Asked when the server of `url` or the proxy wants to know who we are and the URL does not say it; once for each.
    /// A server that we have been redirected to does not get an answer.
    public var credentials: Credentials?
    /// For `wss`: by default the authorities of the system, and the host of the URL in the certificate.
    public var tls = TLSConfiguration()
    public var proxy = ProxyChoice.environment
    /// How many redirects are followed; 0 follows none.
    public var maxRedirects = 5
    public var limits = WebSocketLimits()
    package var windows = WebSocketWindows()
    /// How each connection is made: addresses, interface, time.
    public var connect: ConnectOptions

    public init(url: WebSocketURL, subprotocols: [String] = []) {
        self.url = url
        self.subprotocols = subprotocols
        connect = ConnectOptions()
        connect.stream = .webSocket
        connect.timeout = .seconds(10)
    }

    /// From the start of each connection to its being established, the name resolution included.
    package var connectTimeout: Duration {
        get { connect.timeout }
        set { connect.timeout = newValue }
    }

    /// The fields that the handshake writes itself.
    private static let reservedFields = [
        "Host", "Connection", "Upgrade", "Sec-WebSocket-Key", "Sec-WebSocket-Version", "Sec-WebSocket-Protocol",
        "Sec-WebSocket-Extensions", "Sec-WebSocket-Accept", "Content-Length", "Transfer-Encoding",
        "Proxy-Authorization",
    ]

    /// Throws `.badRequest` for a request that must not be sent.
    func validate() throws(WebSocketError) {
        if let problem = fields.problem(reserved: Self.reservedFields, for: "handshake") { throw .badRequest(problem) }
        guard subprotocols.allSatisfy({ HTTPSyntax.isToken($0.utf8) }) else {
            throw .badRequest("a subprotocol is an HTTP token")
        }
    }
}
