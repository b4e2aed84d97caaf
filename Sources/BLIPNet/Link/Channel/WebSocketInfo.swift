// The facts known about an open WebSocket, for its users and for logs.

/// Both ends of a channel and what they have agreed on.
public struct WebSocketInfo: Sendable, Equatable {
    /// Where the channel leads, as it was called: after redirects. `nil` on the side of the server.
    package var url: WebSocketURL?
    /// The client's request; `nil` on the side of the client.
    public var request: HTTPRequestHead?
    /// The address of the other end (of the proxy, if there is one), as `Endpoint.description` writes it.
    public var remoteAddress: String
    package var localAddress: String
    public var isEncrypted: Bool
    /// The key that the other end has proved to have; `nil` on a plain channel, and if it has shown none.
    public var remoteFingerprint: SPKIFingerprint?
    /// The subprotocol that both agreed on.
    public var subprotocol: String?
    /// The compression that both agreed on.
    public var deflate: PermessageDeflate?
}
