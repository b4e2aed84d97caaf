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
    /// The peer sends on and on while its certificate is being judged.
    case tooMuchInput
    /// The transport ended without the peer's word that nothing follows: somebody may have cut the stream.
    case truncated
    /// The peer's certificate is not to be trusted; says why.
    case untrusted(reason: String)
    /// The peer has another key than the pinned one.
    case wrongKey(expected: SPKIFingerprint, presented: SPKIFingerprint)
    /// A configuration with which no session can be made, for example a server without a certificate; says why.
    case badConfiguration(reason: String)
    /// A key or certificate that cannot be used; says why.
    case invalidIdentity(reason: String)
    /// A sealed key that another passphrase opens.
    case wrongPassphrase
    /// OpenSSL refused something that has nothing to do with the peer (out of memory, a crippled build).
    case libraryFailed(call: String, reason: String)
}

extension TLSError {
    /// In words, for errors of the layers above.
    public var reason: String {
        switch self {
        case .notTLS: "the other side does not speak TLS"
        case .handshakeFailed(let reason): "TLS handshake: \(reason)"
        case .sessionFailed(let reason): reason
        case .closed: "closed"
        case .notEstablished: "not established"
        case .tooMuchOutput: "the peer makes us send more than it reads"
        case .tooMuchInput: "the peer does not wait for us to check its certificate"
        case .truncated: "the connection was cut off"
        case .untrusted(let reason): "certificate: \(reason)"
        case .wrongKey: "the peer has a different key from the expected one"
        case .badConfiguration(let reason): reason
        case .invalidIdentity(let reason): "certificate: \(reason)"
        case .wrongPassphrase: "the passphrase is wrong"
        case .libraryFailed(let call, let reason): "\(call): \(reason)"
        }
    }
}
