// Why a link ended or could not be made, and who ended it.

/// The end of a link. Every request that waits when the link ends fails with it.
public enum LinkError: Error, Sendable, Equatable {
    /// We closed it.
    case closedLocally
    /// The peer closed it in order, with a WebSocket close code (RFC 6455 section 7.4; 1005 when it gave none).
    case closedByPeer(code: UInt16, reason: String)
    /// The connection ended without a word: end of stream or reset.
    case disconnected
    /// The peer broke the protocol; `layer` names which ("TLS", "WebSocket", "BLIP", "HTTP").
    case peerViolated(layer: String, reason: String)
    /// Something did not happen in time; says what ("connect", "handshake", "keepalive", "reply").
    case timedOut(String)
    /// The system refused: `call` failed with `errno`.
    case transport(call: String, errno: Int32)
    /// The host name could not be resolved; the resolver's words.
    case unresolvable(host: String, reason: String)
    /// The other side has another key than the pinned one.
    case wrongIdentity(expected: SPKIFingerprint, presented: SPKIFingerprint)
    /// The other side answers, but it does not speak our protocol (no TLS, an HTTP error, no common subprotocol).
    case notBLIP(reason: String)
    /// The proxy that is on the way makes no tunnel; says which one and why.
    case proxyFailed(reason: String)
    /// A relay is of no use, or whom we call is not there.
    case relayFailed(RelayFailure)
    /// Tor is of no use, or whom we call by it is not there.
    case onionFailed(OnionProblem)
    /// A streamed body of ours could not be read, or a sink of ours could not take the bytes.
    case bodyFailed(reason: String)
    /// A limit of ours was reached: before anything was sent (queue full, too many properties), or by a response that
    /// is too large to be kept in memory.
    case limitExceeded(String)
}
