// Why an HTTP request got no answer.

/// The errors of `HTTPClient`. An answer with a status of an error is none: it is an answer.
enum HTTPClientError: Error, Sendable, Equatable {
    /// The request must not be sent as it is; says why.
    case badRequest(String)
    /// Another request is under way.
    case busy
    /// The task that waited was cancelled.
    case cancelled
    /// The connection could not be made, or ended, or the server took too long.
    case stream(NetError)
    /// The server answers in something that is not HTTP.
    case response(HTTPResponseError)
    /// The proxy on the way makes no tunnel.
    case proxy(LinkError)
    /// The environment variable names a proxy that we cannot speak to.
    case unusableProxy(variable: String)

    init(_ error: NetError) { self = error == .cancelled ? .cancelled : .stream(error) }
}
