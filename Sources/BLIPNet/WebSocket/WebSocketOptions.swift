// The wishes of the two sides of a WebSocket handshake.

/// The wishes of a client.
package struct WebSocketClientOptions: Sendable {
    /// The value of the `Host` field: host name or bracketed address, with `:port` unless it is the default one.
    /// Bytes that a host cannot contain are sent percent-encoded.
    package var hostHeader: String
    /// Path and query of the request, beginning with `/`. Bytes that a URL cannot contain are sent percent-encoded.
    package var path: String
    /// The subprotocols that we speak, the preferred one first; each an HTTP token.
    package var subprotocols: [String]
    /// Further fields of the request, such as cookies and authorization. Those of the handshake itself (`Host`,
    /// `Connection`, `Sec-WebSocket-...`), those that announce a body, and names that are not HTTP are left out.
    package var extraFields = HTTPFields()
    /// The compressions that we offer, the preferred one first: the server chooses. None: messages are sent as they
    /// are.
    package var deflateOffers: [PermessageDeflate] = []
    package var limits: WebSocketLimits

    /// The only, or preferred, compression that we offer.
    package var deflate: PermessageDeflate? {
        get { deflateOffers.first }
        set { deflateOffers = newValue.map { [$0] } ?? [] }
    }

    package init(
        hostHeader: String, path: String = "/", subprotocols: [String] = [],
        limits: WebSocketLimits = WebSocketLimits()
    ) {
        precondition(subprotocols.allSatisfy { HTTPSyntax.isToken($0.utf8) }, "a subprotocol is an HTTP token")
        self.hostHeader = hostHeader
        self.path = path
        self.subprotocols = subprotocols
        self.limits = limits
    }
}

/// The requests and options that a server accepts.
public struct WebSocketServerOptions: Sendable {
    /// The subprotocols that we speak, the preferred one first; each an HTTP token.
    public var subprotocols: [String]
    /// Accept a client with which no subprotocol is common, `opened(subprotocol: nil)`; otherwise it gets 400.
    public var allowsNoSubprotocol: Bool
    /// With `allowsNoSubprotocol`: also one that offers subprotocols, all of them unknown here.
    var allowsUnknownSubprotocols = true
    /// The only path that exists here; any other gets 404. `nil` accepts every path.
    public var path: String?
    /// Requests that carry an `Origin` (they come from web pages) are refused with 403 unless it is one of these.
    public var allowedOrigins: [String]
    /// Web pages from anywhere are let in.
    public var allowsAnyOrigin = false
    /// Every request that is correct becomes an event `upgradeRequested`, and the application decides.
    package var asksBeforeUpgrade = false
    /// The compression that we agree to, if the client offers it; `nil` declines.
    public var deflate: PermessageDeflate?
    public var limits: WebSocketLimits

    public init(
        subprotocols: [String] = [], allowsNoSubprotocol: Bool = false, path: String? = nil,
        allowedOrigins: [String] = [], limits: WebSocketLimits = WebSocketLimits()
    ) {
        precondition(subprotocols.allSatisfy { HTTPSyntax.isToken($0.utf8) }, "a subprotocol is an HTTP token")
        self.subprotocols = subprotocols
        self.allowsNoSubprotocol = allowsNoSubprotocol
        self.path = path
        self.allowedOrigins = allowedOrigins
        self.limits = limits
    }
}
