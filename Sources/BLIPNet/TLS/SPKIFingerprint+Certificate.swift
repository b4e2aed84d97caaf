// The fingerprint of a certificate that OpenSSL holds.

internal import COpenSSL

extension SPKIFingerprint {
    /// The fingerprint of the first certificate in a PEM text: what peers know an identity by, also where its key is sealed.
    /// Throws `.invalidIdentity` when there is none.
    package init(certificatePEM pem: String) throws(TLSError) {
        let certificates = try TLSCredentials.certificates(pem: pem)
        defer { for certificate in certificates { X509_free(certificate) } }
        guard let first = certificates.first else { throw .invalidIdentity(reason: "no usable certificate") }
        try self.init(certificate: first)
    }

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
