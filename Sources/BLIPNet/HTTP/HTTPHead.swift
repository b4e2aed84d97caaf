// Request and response heads as values: the part of an HTTP/1.1 message before the empty line.

/// The head of a request.
public struct HTTPRequestHead: Sendable, Equatable {
    package var method: String
    /// Path and query, or an absolute URL.
    public var target: String
    public var fields = HTTPFields()
}

/// The head of a response.
public struct HTTPResponseHead: Sendable, Equatable {
    /// 100 to 999.
    public var status: Int
    public var reason: String
    public var fields = HTTPFields()

    /// Another response follows; this one says something in the meantime (RFC 9110 section 15.2). 101 is the last word
    /// of HTTP on its connection.
    package var isInterim: Bool { (100...199).contains(status) && status != 101 }
}

/// Why a head is refused.
package enum HTTPHeadError: Error, Sendable, Equatable {
    /// More bytes than the limit.
    case tooLarge
    /// More fields than the limit.
    case tooManyFields
    /// An HTTP version that is not 1.1.
    case unsupportedVersion
    /// Not HTTP, or HTTP that is written in a way that two readers may understand differently; says what.
    case malformed(String)

    /// The status that tells a client.
    package var status: Int {
        switch self {
        case .tooLarge, .tooManyFields: 431
        case .unsupportedVersion: 505
        case .malformed: 400
        }
    }

    /// For the peer's programmer.
    package var reason: String {
        switch self {
        case .tooLarge: "head too large"
        case .tooManyFields: "too many header fields"
        case .unsupportedVersion: "HTTP version is not 1.1"
        case .malformed(let what): what
        }
    }
}
