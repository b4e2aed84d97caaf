// The answer to a request, with its body.

/// A whole response.
struct HTTPResponse: Sendable, Equatable {
    var head: HTTPResponseHead
    var body: [UInt8] = []
    /// Whether another request may follow on the connection.
    var keepsConnection = false
    /// How long the server keeps an idle connection, if it says so (`Keep-Alive: timeout=5`).
    var keepAliveTimeout: Duration?
}

/// Why the bytes of a server are no response.
enum HTTPResponseError: Error, Sendable, Equatable {
    case head(HTTPHeadError)
    /// The head does not say where the body ends, or says it twice; says how.
    case ambiguousLength(String)
    /// A malformed chunk, with what is wrong with it.
    case malformedChunk(String)
    /// More bytes than `HTTPLimits.maxBodyBytes`.
    case bodyTooLarge(limit: Int)
    /// The connection ended in the middle.
    case cutOff

    /// For people.
    var reason: String {
        switch self {
        case .head(let error): error.reason
        case .ambiguousLength(let what): what
        case .malformedChunk(let what): what
        case .bodyTooLarge(let limit): "the body is larger than \(limit) bytes"
        case .cutOff: "the connection ended in the middle of the answer"
        }
    }
}
