// The fingerprint of a certificate that OpenSSL holds.

internal import COpenSSL

extension SPKIFingerprint {
    /// SHA-256 over the SubjectPublicKeyInfo of `certificate` (an `X509 *`), as DER.
    init(certificate: OpaquePointer) throws(TLSError) {
        var encoded: UnsafeMutablePointer<UInt8>?
        let count = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &encoded)
        guard count > 0, let encoded else { throw OpenSSLErrorQueue.failure(of: "i2d_X509_PUBKEY") }
        defer { CRYPTO_free(encoded, #file, #line) }
        let digest = SHA256Digest()
        digest.update(UnsafeRawBufferPointer(start: encoded, count: Int(count)))
        guard let fingerprint = SPKIFingerprint(digest.finish()) else {
            throw .libraryFailed(call: "EVP_DigestFinal_ex", reason: "digest of another length")
        }
        self = fingerprint
    }
}
