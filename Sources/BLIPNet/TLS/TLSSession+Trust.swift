// The questions that a session asks OpenSSL about the name and the certificates of its peer.

internal import COpenSSL
internal import Glibc

extension TLSSession {
    // MARK: Names

    /// The server's certificate must be for `name`, a host name or a numeric address.
    func expectName(_ name: String) throws(TLSError) {
        let isExpected: Bool
        if let address = Self.numericAddress(name) {
            isExpected = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), address) == 1
        } else {
            SSL_set_hostflags(session, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
            isExpected = SSL_set1_host(session, Self.withoutFinalDot(name)) == 1
        }
        guard isExpected, !name.isEmpty else { throw .badConfiguration(reason: "\(name) cannot be a server's name") }
    }

    /// Tells the server which of its names we want (RFC 6066 section 3: never a numeric address).
    func announceName(_ name: String) throws(TLSError) {
        guard Self.numericAddress(name) == nil else { return }
        let name = Self.withoutFinalDot(name)
        // Longer ones do not fit into the extension.
        guard !name.isEmpty, name.utf8.count <= 255, copenssl_set_server_name(session, name) == 1 else {
            OpenSSLErrorQueue.clear()
            throw .badConfiguration(reason: "\(name) cannot be a server's name")
        }
    }

    /// The name that the client sent to the server, or that the server must have.
    var askedName: String? {
        checkedName ?? SSL_get_servername(session, TLSEXT_NAMETYPE_host_name).map { String(cString: $0) }
    }

    /// The address without a zone, if `name` is one.
    private static func numericAddress(_ name: String) -> String? {
        let address = String(name.prefix { $0 != "%" })
        var bytes = in6_addr()
        let isAddress = inet_pton(AF_INET, address, &bytes) == 1 || inet_pton(AF_INET6, address, &bytes) == 1
        return isAddress ? address : nil
    }

    private static func withoutFinalDot(_ name: String) -> String {
        name.last == "." ? String(name.dropLast()) : name
    }

    // MARK: Certificates

    /// The certificates that the peer has presented, as `X509 *`, its own first; the caller frees them.
    func peerCertificates() -> [OpaquePointer] {
        guard let leaf = SSL_get1_peer_certificate(session) else { return [] }
        var certificates = [leaf]
        let chain = SSL_get_peer_cert_chain(session)
        // The chain of a server has its own certificate in front, that of a client has not.
        for index in 0..<max(0, copenssl_certificate_count(chain)) {
            guard let certificate = copenssl_certificate(chain, index) else { continue }
            if index == 0, X509_cmp(certificate, leaf) == 0 { continue }
            X509_up_ref(certificate)
            certificates.append(certificate)
        }
        return certificates
    }

    /// Why the authorities of the session's context do not vouch for `chain`; `nil` when they do.
    func problem(of chain: [OpaquePointer]) throws(TLSError) -> String? {
        guard let leaf = chain.first else { return "there is no certificate" }
        OpenSSLErrorQueue.clear()
        guard let context = X509_STORE_CTX_new() else { throw OpenSSLErrorQueue.failure(of: "X509_STORE_CTX_new") }
        defer { X509_STORE_CTX_free(context) }
        let store = SSL_CTX_get_cert_store(SSL_get_SSL_CTX(session))
        guard X509_STORE_CTX_init(context, store, leaf, SSL_get_peer_cert_chain(session)) == 1,
            X509_STORE_CTX_set_default(context, role == .client ? "ssl_server" : "ssl_client") == 1,
            X509_VERIFY_PARAM_set1(X509_STORE_CTX_get0_param(context), SSL_get0_param(session)) == 1
        else { throw OpenSSLErrorQueue.failure(of: "X509_STORE_CTX_init") }
        defer { OpenSSLErrorQueue.clear() }
        if X509_verify_cert(context) == 1 {
            guard let name = askedName, checkedName == nil, role == .client else { return nil }
            return Self.isCertificate(leaf, for: name) ? nil : Self.text(Int(X509_V_ERR_HOSTNAME_MISMATCH))
        }
        return Self.text(Int(X509_STORE_CTX_get_error(context)))
    }

    private static func isCertificate(_ certificate: OpaquePointer, for name: String) -> Bool {
        if let address = numericAddress(name) { return X509_check_ip_asc(certificate, address, 0) == 1 }
        let flags = UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS)
        return X509_check_host(certificate, withoutFinalDot(name), 0, flags, nil) == 1
    }

    /// OpenSSL's words for the outcome of a verification.
    static func text(_ verdict: Int) -> String {
        X509_verify_cert_error_string(verdict).map { String(cString: $0) } ?? "error \(verdict)"
    }
}
