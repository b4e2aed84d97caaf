// The events that a BLIP connection reports to its driver, and the head of a message, known before its body.

/// The start of an incoming message, known once its properties are complete.
public struct BLIPMessageHead: Sendable {
    package var number: UInt64
    var isResponse: Bool
    public var properties: BLIPProperties
    package var isUrgent: Bool
    package var isNoReply: Bool
    /// The first frame was compressed.
    package var isCompressed: Bool
    /// Set when this is an error response.
    package var error: BLIPErrorCode?

    package init(
        number: UInt64, isResponse: Bool, properties: BLIPProperties, isUrgent: Bool = false,
        isNoReply: Bool = false, isCompressed: Bool = false, error: BLIPErrorCode? = nil
    ) {
        self.number = number
        self.isResponse = isResponse
        self.properties = properties
        self.isUrgent = isUrgent
        self.isNoReply = isNoReply
        self.isCompressed = isCompressed
        self.error = error
    }
}

/// Something complete that happened on a BLIP connection.
package enum BLIPEvent: Sendable {
    /// The peer asks; answer with `respond(to:with:)` unless it is a no-reply request.
    case request(BLIPIncomingRequest)
    /// The peer answered our request `number`; error responses come here too.
    case response(number: UInt64, BLIPResponse)
    /// Our request `number` gets no answer: a body source or sink of ours threw (`bodyFailed`), a limit of ours was
    /// reached (`limitExceeded`), the response was malformed (`peerViolated`) or stopped arriving (`timedOut`).
    case requestFailed(number: UInt64, LinkError)
}
