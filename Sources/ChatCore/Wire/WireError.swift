// Why a request or response of a peer could not be read; becomes a 400 reply in RequestRouter's callers.

import BLIPNet

/// A chat request or response that breaks PROTOCOL 4. The texts go to the peer's programmer, never to our screen.
enum WireError: Error, Sendable, Equatable {
    /// A property that must be there is not.
    case missing(String)
    /// A property is there but its value is not of the right form or out of range.
    case malformed(String)
    /// The body is longer than `limit` bytes.
    case bodyTooLong(limit: Int)
    /// The body is not UTF-8 (or is empty where text must be).
    case badText

    /// The error response that says so.
    var response: BLIPResponse {
        switch self {
        case .missing(let name): .failure(.badRequest, "\(name) is missing")
        case .malformed(let name): .failure(.badRequest, "\(name) is malformed")
        case .bodyTooLong(let limit): .failure(.badRequest, "the text is longer than \(limit) bytes")
        case .badText: .failure(.badRequest, "the body is not text")
        }
    }
}
