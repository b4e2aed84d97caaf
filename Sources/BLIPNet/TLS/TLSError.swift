// Why TLS ended.

/// The errors of the TLS layer. The texts are OpenSSL's reasons, for logs and for the peer's programmer.
public enum TLSError: Error, Sendable, Equatable {
    /// The other side answers in something that is not TLS.
    case notTLS
    /// The handshake failed: no common version, a certificate without its key, a peer that sent none, an alert.
    case handshakeFailed(reason: String)
    /// After the handshake: a record that was altered or damaged, or an alert of the peer.
    case sessionFailed(reason: String)
    /// The peer has closed its direction in order, or we have closed ours; nothing can be written any more.
    case closed
    /// `write` before the handshake was complete.
    case notEstablished
    /// The peer makes us produce more than it reads.
    case tooMuchOutput
    /// A key or certificate that cannot be used; says why.
    case invalidIdentity(reason: String)
    /// OpenSSL refused something that has nothing to do with the peer (out of memory, a crippled build).
    case libraryFailed(call: String, reason: String)
}
