// Our identity: for peers of a link an Ed25519 key pair in a self-signed certificate (DESIGN 5), for other servers and
// clients whatever an authority has signed.

/// A private key with its certificate, ready for sessions in both roles. The PEM text is a secret.
public struct TLSIdentity: Sendable, Equatable {
    /// The fingerprint by which peers know this identity.
    public let fingerprint: SPKIFingerprint
    let credentials: TLSCredentials
    /// The contexts of all `TLSConfiguration.pinned` values of this identity.
    let peerContexts = TLSContextPool()

    /// A new identity that nobody has had before. `commonName` (at most 64 characters) is the subject of the certificate, which
    /// everybody can read and nobody here looks at.
    public static func generate(commonName: String = "peer") throws(TLSError) -> TLSIdentity {
        try TLSIdentity(TLSCredentials.generate(commonName: commonName))
    }

    /// Reads what `pem()` has written: a PKCS#8 key and its certificate, in either order.
    public init(pem: String) throws(TLSError) { try self.init(TLSCredentials(pem: pem)) }

    /// Reads a private key of any kind (not encrypted), and its certificate followed by those of its issuers, as
    /// authorities hand them out. Throws `.invalidIdentity`.
    public init(keyPEM: String, chainPEM: String) throws(TLSError) {
        try self.init(TLSCredentials(keyPEM: keyPEM, chainPEM: chainPEM))
    }

    /// Reads what `backup(passphrase:)` has written. Throws `.wrongPassphrase` when the passphrase is another one, and
    /// `.invalidIdentity` for a text that no passphrase opens. Takes a fraction of a second.
    package init(backup: String, passphrase: Passphrase) throws(TLSError) {
        try self.init(TLSCredentials(backup: backup, passphrase: passphrase))
    }

    /// Whether `pem` needs a passphrase: it is what `backup(passphrase:)` writes.
    package static func isSealed(_ pem: String) -> Bool { TLSCredentials.isSealed(pem) }

    /// Key and certificate in one PEM text that only the passphrase opens: PKCS#8 with PBES2 (RFC 8018), scrypt (RFC
    /// 7914, N = 2^14, r = 8, p = 5) and AES-256; `openssl pkey` reads it too. Takes a fraction of a second, so not
    /// for an event loop.
    package func backup(passphrase: Passphrase) throws(TLSError) -> String {
        try credentials.backup(passphrase: passphrase)
    }

    /// Key and certificate in one PEM text, for a file that only its owner may read. Throws `.failed` when OpenSSL has no
    /// memory left.
    public func pem() throws(TLSError) -> String { try credentials.pem() }

    /// The fingerprint identifies the key; the same key may have had several certificates.
    public static func == (left: Self, right: Self) -> Bool {
        left.fingerprint == right.fingerprint && left.credentials.hasSameCertificates(as: right.credentials)
    }

    init(_ credentials: TLSCredentials) throws(TLSError) {
        fingerprint = try SPKIFingerprint(certificate: credentials.certificate)
        self.credentials = credentials
    }
}
