// Which peers are believed to be who they are.

/// How the certificate of a peer is judged. The judgement is made on every handshake, also where an earlier session
/// is resumed, and no byte of the application passes in either direction before it.
public enum TrustPolicy: Sendable {
    /// By the certificate authorities of this system, and by the name of the server. The directories are OpenSSL's,
    /// or those that `SSL_CERT_FILE` and `SSL_CERT_DIR` name.
    case system
    /// By these certificates in PEM, and no others, and by the name of the server. Each may be an authority or the
    /// peer's own certificate.
    case roots([String])
    /// The peer must have this key; names, dates and issuers play no part.
    case pinned(SPKIFingerprint)
    /// The peer must have exactly this certificate; its key alone is not enough. Relays are known so.
    case certificate(RelayID)
    /// Any peer with a certificate and its private key. The user of the connection has to look at the fingerprint.
    case anyKey
    /// The closure decides, in its own time; it learns what `system` would have said. The connection waits for it. A
    /// decision that comes after the end of the connection has no effect.
    case custom(@Sendable (CertificateChain) async -> Bool)
}
