// Why a WebSocket could not be opened.

/// An error on the way from a URL to an open channel.
public enum WebSocketError: Error, Sendable, Equatable {
    /// The request cannot be sent as it is: a field that belongs to the handshake, a field with a line break.
    case badRequest(String)
    /// The server answered with another status than 101: an HTTP error, 401 after the one retry, a redirect that is
    /// not followed.
    case refused(HTTPResponseHead)
    /// More redirects than `maxRedirects`.
    case tooManyRedirects
    /// The server sends us somewhere where we do not go; says where and why.
    case redirectRefused(location: String, reason: String)
    /// The proxy does not make a tunnel; its answer.
    case refusedByProxy(HTTPResponseHead)
    /// The proxy answers in something that is not HTTP; says what.
    case proxyViolated(reason: String)
    /// The environment variable names a proxy that we cannot speak to.
    case unusableProxy(variable: String)
    /// TLS failed; above all `.untrusted` and `.wrongKey`.
    case tls(TLSError)
    /// The connection could not be made, or ended during the handshake.
    case link(LinkError)
}
