// The certificates that a peer has shown, for those who decide whether to believe it.

internal import COpenSSL

/// The certificates that a peer has presented, its own first.
public struct CertificateChain: Sendable, Equatable {
    /// One X.509 certificate (RFC 5280).
    public struct Certificate: Sendable, Equatable {
        /// The certificate as DER.
        public let encoded: [UInt8]
        /// The fingerprint that identifies its key.
        public let fingerprint: SPKIFingerprint
        /// The names of its holder and of its signer, in one line each, as RFC 2253 writes names.
        public let subject: String
        public let issuer: String
    }

    /// Never empty.
    public let certificates: [Certificate]
    /// The name that the server was to have; `nil` when the client asked for no name.
    public let serverName: String?
    /// Why the authorities of this system do not vouch for the chain and the name; `nil` when they do.
    public let problem: String?

    /// The peer's own certificate.
    package var leaf: Certificate { certificates[0] }

    init(_ certificates: [OpaquePointer], serverName: String?, problem: String?) throws(TLSError) {
        precondition(!certificates.isEmpty, "a chain without a certificate")
        var described: [Certificate] = []
        for certificate in certificates { described.append(try Certificate(certificate)) }
        self.certificates = described
        self.serverName = serverName
        self.problem = problem
    }
}

extension CertificateChain.Certificate {
    /// Describes an `X509 *`.
    init(_ certificate: OpaquePointer) throws(TLSError) {
        OpenSSLErrorQueue.clear()
        var der: UnsafeMutablePointer<UInt8>?
        let count = i2d_X509(certificate, &der)
        guard count > 0, let der else { throw OpenSSLErrorQueue.failure(of: "i2d_X509") }
        defer { CRYPTO_free(der, #file, #line) }
        encoded = Array(UnsafeBufferPointer(start: der, count: Int(count)))
        fingerprint = try SPKIFingerprint(certificate: certificate)
        subject = try Self.text(X509_get_subject_name(certificate))
        issuer = try Self.text(X509_get_issuer_name(certificate))
    }

    /// A name in one line; control characters are escaped.
    private static func text(_ name: OpaquePointer?) throws(TLSError) -> String {
        guard let bio = BIO_new(BIO_s_mem()) else { throw OpenSSLErrorQueue.failure(of: "BIO_new") }
        defer { BIO_free(bio) }
        guard copenssl_print_name(bio, name) >= 0 else {
            throw OpenSSLErrorQueue.failure(of: "X509_NAME_print_ex")
        }
        var data: UnsafeMutablePointer<CChar>?
        let count = copenssl_bio_get_mem_data(bio, &data)
        return String(decoding: UnsafeRawBufferPointer(start: data, count: max(0, count)), as: UTF8.self)
    }
}
