// The object that answers the requests of a peer. Implemented by the user of a link, called by `PeerLink`.

/// Answers the requests that arrive on a link. All calls come on the event loop of the link and hold up this link (no other)
/// until they return.
public protocol BLIPRequestHandler: AnyObject, Sendable {
    /// Where the body of this request is to go; `nil` collects it in memory, up to the limits of `BLIPLimits`.
    func makeBodySink(for head: BLIPMessageHead) -> (any BodySink)?

    /// Takes a complete request, in the order of arrival. Returns the response, or `nil` to answer later with
    /// `link.respond(to:with:)` from any thread (and for a no-reply request). Throwing answers with error 501, without
    /// the words of the error: they may say more than the peer is to know.
    func handle(_ request: BLIPIncomingRequest, on link: PeerLink) throws -> BLIPResponse?
}

extension BLIPRequestHandler {
    public func makeBodySink(for head: BLIPMessageHead) -> (any BodySink)? { nil }
}
