// The settings that all TLS sessions of one configuration and role share.

internal import COpenSSL

/// An `SSL_CTX`. Set up once in `init` and never changed afterwards; OpenSSL counts references to it from any thread,
/// so it may be shared.
final class TLSContext: Sendable {
    nonisolated(unsafe) let pointer: OpaquePointer
    /// Keeps the sessions to resume; `nil` when none may be resumed.
    let sessions: TLSSessionCache?
    /// Names of the application's protocols as the handshake encodes them. OpenSSL refers to them.
    private nonisolated(unsafe) let protocols: UnsafeMutableBufferPointer<UInt8>

    init(role: TLSRole, configuration: TLSConfiguration) throws(TLSError) {
        guard role == .client || configuration.identity != nil else {
            throw .badConfiguration(reason: "a TLS server needs a certificate")
        }
        let names = try Self.encode(configuration.applicationProtocols)
        OpenSSLErrorQueue.clear()
        guard let pointer = SSL_CTX_new(role == .client ? TLS_client_method() : TLS_server_method()) else {
            throw OpenSSLErrorQueue.failure(of: "SSL_CTX_new")
        }
        self.pointer = pointer
        protocols = .allocate(capacity: names.count)
        _ = protocols.initialize(from: names)
        sessions = role == .client && configuration.mayResume(role) ? TLSSessionCache() : nil
        try setBasics(configuration)
        try setIdentity(configuration.identity?.credentials)
        try setResumption(role, configuration)
        try setTrust(role, configuration)
        if role == .server { askBeforeWork() }
        if !names.isEmpty { try setProtocols(role) }
    }

    deinit {
        SSL_CTX_free(pointer)
        protocols.deallocate()
    }

    // MARK: Versions and ciphers

    /// The fastest first: AES-128 has hardware help wherever we run.
    private static let cipherSuites = "TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_256_GCM_SHA384"
    /// TLS 1.2: only ephemeral keys and authenticated encryption (RFC 9325 section 4.2).
    private static let oldCiphers = "ECDHE+AESGCM:ECDHE+CHACHA20"
    /// Chains of public servers have up to about 10 KB, certificates of our own about 300 bytes.
    private static let maxCertificateBytes = 65_536
    private static let maxPeerCertificateBytes = 16_384

    private func setBasics(_ configuration: TLSConfiguration) throws(TLSError) {
        guard copenssl_set_min_proto_version(pointer, configuration.minimumVersion.number) == 1,
            copenssl_set_max_proto_version(pointer, TLS1_3_VERSION) == 1,
            SSL_CTX_set_ciphersuites(pointer, Self.cipherSuites) == 1,
            SSL_CTX_set_cipher_list(pointer, Self.oldCiphers) == 1
        else { throw OpenSSLErrorQueue.failure(of: "SSL_CTX") }
        _ = SSL_CTX_set_options(pointer, copenssl_op_no_renegotiation())
        // The input BIO may move; buffers of an idle session are given back.
        _ = copenssl_set_mode(pointer, Int(SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER) | Int(SSL_MODE_RELEASE_BUFFERS))
        switch configuration.trust {
        case .system, .roots, .custom: setCertificateLimit(Self.maxCertificateBytes)
        case .pinned, .certificate, .anyKey: setCertificateLimit(Self.maxPeerCertificateBytes)
        }
        if configuration.takesOnlyEd25519, copenssl_set_signature_algorithms(pointer, "ed25519") != 1 {
            throw OpenSSLErrorQueue.failure(of: "SSL_CTX_set1_sigalgs_list")
        }
    }

    private func setCertificateLimit(_ byteCount: Int) {
        _ = SSL_CTX_ctrl(pointer, SSL_CTRL_SET_MAX_CERT_LIST, byteCount, nil)
    }

    private func setIdentity(_ credentials: TLSCredentials?) throws(TLSError) {
        guard let credentials else { return }
        guard SSL_CTX_use_certificate(pointer, credentials.certificate) == 1,
            SSL_CTX_use_PrivateKey(pointer, credentials.key) == 1
        else { throw OpenSSLErrorQueue.failure(of: "SSL_CTX_use_certificate") }
        for certificate in credentials.issuers {
            guard copenssl_add_chain_certificate(pointer, certificate) == 1 else {
                throw OpenSSLErrorQueue.failure(of: "SSL_CTX_add1_chain_cert")
            }
        }
    }

    private func setResumption(_ role: TLSRole, _ configuration: TLSConfiguration) throws(TLSError) {
        guard configuration.mayResume(role) else {
            // On resumption nobody's certificate would be seen: no tickets, no cache.
            guard SSL_CTX_set_num_tickets(pointer, 0) == 1 else {
                throw OpenSSLErrorQueue.failure(of: "SSL_CTX_set_num_tickets")
            }
            _ = copenssl_set_session_cache_mode(pointer, Int(SSL_SESS_CACHE_OFF))
            _ = SSL_CTX_set_options(pointer, copenssl_op_no_ticket())
            return
        }
        switch role {
        case .client:
            let mode = SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL
            _ = copenssl_set_session_cache_mode(pointer, Int(mode))
            SSL_CTX_sess_set_new_cb(pointer) { session, ticket in
                TLSSession.keep(ticket, of: session)
                return 0
            }
        case .server:
            // Tickets hold the whole state: a server keeps nothing.
            _ = copenssl_set_session_cache_mode(pointer, Int(SSL_SESS_CACHE_OFF))
        }
    }

    // MARK: Trust

    private func setTrust(_ role: TLSRole, _ configuration: TLSConfiguration) throws(TLSError) {
        switch (role, configuration.clientCertificates) {
        case (.server, .ignored):
            SSL_CTX_set_verify(pointer, SSL_VERIFY_NONE, nil)
            return
        case (.server, .optional): SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
        default: SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
        }
        switch configuration.trust {
        case .system: try useSystemRoots()
        case .roots(let certificates): try useRoots(certificates)
        case .custom:
            try useSystemRoots()
            compareKeys()
        case .pinned, .certificate, .anyKey: compareKeys()
        }
    }

    /// Only the key of the peer's certificate counts, or the bytes of all of it where a whole certificate is expected; TLS
    /// itself checks that the peer has the private key. A session with a pinned key compares it here, inside of the handshake: a client with another key in front of it never shows its
    /// own certificate.
    private func compareKeys() {
        SSL_CTX_set_cert_verify_callback(
            pointer,
            { store, _ in
                let session = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx())
                let isExpected = TLSSession.hasExpectedKey(X509_STORE_CTX_get0_cert(store), in: session)
                X509_STORE_CTX_set_error(store, isExpected ? X509_V_OK : X509_V_ERR_APPLICATION_VERIFICATION)
                return isExpected ? 1 : 0
            }, nil)
    }

    /// When a whole ClientHello is there, and before any work is done for it, a session may refuse to continue.
    private func askBeforeWork() {
        SSL_CTX_set_client_hello_cb(
            pointer,
            { session, _, _ in TLSSession.takesHello(of: session) ? SSL_CLIENT_HELLO_SUCCESS : SSL_CLIENT_HELLO_ERROR },
            nil)
    }

    private func useSystemRoots() throws(TLSError) {
        guard SSL_CTX_set_default_verify_paths(pointer) == 1 else {
            throw OpenSSLErrorQueue.failure(of: "SSL_CTX_set_default_verify_paths")
        }
    }

    private func useRoots(_ texts: [String]) throws(TLSError) {
        let store = SSL_CTX_get_cert_store(pointer)
        // A given certificate is trusted even if it is not one of an authority.
        X509_STORE_set_flags(store, UInt(X509_V_FLAG_PARTIAL_CHAIN))
        var count = 0
        for text in texts {
            let certificates = try TLSCredentials.certificates(pem: text)
            defer { for certificate in certificates { X509_free(certificate) } }
            for certificate in certificates {
                guard X509_STORE_add_cert(store, certificate) == 1 else {
                    throw OpenSSLErrorQueue.failure(of: "X509_STORE_add_cert")
                }
                count += 1
            }
        }
        guard count > 0 else { throw .badConfiguration(reason: "no root certificate was given") }
    }

    // MARK: ALPN

    private static func encode(_ protocols: [String]) throws(TLSError) -> [UInt8] {
        var names: [UInt8] = []
        for name in protocols {
            let bytes = Array(name.utf8)
            guard (1...255).contains(bytes.count) else {
                throw .badConfiguration(reason: "the name of an application protocol has 1 to 255 bytes")
            }
            names.append(UInt8(bytes.count))
            names += bytes
        }
        // A list has a length of 16 bits (RFC 7301 section 3.1).
        guard names.count <= 65_533 else { throw .badConfiguration(reason: "too many application protocols") }
        return names
    }

    private func setProtocols(_ role: TLSRole) throws(TLSError) {
        switch role {
        case .client:
            // This function returns 0 when it succeeds.
            guard SSL_CTX_set_alpn_protos(pointer, protocols.baseAddress, UInt32(protocols.count)) == 0 else {
                throw OpenSSLErrorQueue.failure(of: "SSL_CTX_set_alpn_protos")
            }
        case .server:
            SSL_CTX_set_alpn_select_cb(
                pointer,
                { _, selected, selectedCount, offered, offeredCount, context in
                    guard let context else { return SSL_TLSEXT_ERR_ALERT_FATAL }
                    let names = Unmanaged<TLSContext>.fromOpaque(context).takeUnretainedValue().protocols
                    var name: UnsafeMutablePointer<UInt8>?
                    let outcome = SSL_select_next_proto(
                        &name, selectedCount, names.baseAddress, UInt32(names.count), offered, offeredCount)
                    // Without a common one the server refuses (RFC 7301 section 3.2).
                    guard outcome == OPENSSL_NPN_NEGOTIATED else { return SSL_TLSEXT_ERR_ALERT_FATAL }
                    selected?.pointee = UnsafePointer(name)
                    return SSL_TLSEXT_ERR_OK
                }, Unmanaged.passUnretained(self).toOpaque())
        }
    }
}
