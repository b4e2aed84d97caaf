// Why an incoming message is abandoned while its connection lives on, and the error that each side gets.

/// Why an incoming message is not delivered though the connection lives on.
enum IncomingFailure: Error, Equatable {
    /// Its properties or its compressed body cannot be read.
    case malformed(String)
    /// A limit on what is kept in memory.
    case tooLarge(String)
    /// Our sink threw.
    case sinkFailed(String)
    /// We have too much to answer, or of unfinished messages, already: it may be sent again.
    case refused(String)
    /// No frame came for too long.
    case timedOut
    /// Nobody waits for it.
    case unwanted

    /// The answer to a request that failed so.
    var response: BLIPResponse {
        switch self {
        case .malformed(let reason): .failure(.badRequest, reason)
        case .tooLarge(let reason): .failure(.tooLarge, reason)
        case .sinkFailed: .failure(.handlerFailed, "the body could not be stored")
        case .refused(let reason): .failure(.tooManyRequests, reason)
        case .timedOut: .failure(.unspecified, "the request stopped arriving for too long")
        case .unwanted: .failure(.unspecified)
        }
    }

    /// The error of our request whose response failed this way; the sink of a failed body gets the same.
    var linkError: LinkError {
        switch self {
        case .malformed(let reason): .peerViolated(layer: "BLIP", reason: reason)
        case .tooLarge(let reason), .refused(let reason): .limitExceeded(reason)
        case .sinkFailed(let reason): .bodyFailed(reason: reason)
        case .timedOut: .timedOut("reply")
        case .unwanted: .closedLocally
        }
    }
}
