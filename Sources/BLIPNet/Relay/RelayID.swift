// What a relay knows its users by, and they it: a hash of a whole certificate.

internal import COpenSSL

/// SHA-256 over a certificate as DER: 32 bytes. Every byte of the certificate counts, the name, the dates and the signature
/// too (unlike `SPKIFingerprint`).
public struct RelayID: Sendable, Hashable {
    public let bytes: [UInt8]

    /// Fails unless there are exactly 32 bytes.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == SHA256Digest.byteCount else { return nil }
        self.bytes = bytes
    }

    /// The id of whoever presents this certificate.
    package init(ofCertificate encoded: [UInt8]) { bytes = SHA256Digest.hash(encoded) }
}

extension RelayID {
    /// The id of an `X509 *`; `nil` when OpenSSL cannot write it down.
    init?(certificate: OpaquePointer) {
        var encoded: UnsafeMutablePointer<UInt8>?
        let count = i2d_X509(certificate, &encoded)
        guard count > 0, let encoded else {
            OpenSSLErrorQueue.clear()
            return nil
        }
        defer { CRYPTO_free(encoded, #file, #line) }
        self.init(ofCertificate: Array(UnsafeBufferPointer(start: encoded, count: Int(count))))
    }
}
