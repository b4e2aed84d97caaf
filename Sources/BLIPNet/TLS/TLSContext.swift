// The settings that all TLS sessions of one identity share (DESIGN 5).

internal import COpenSSL

/// An `SSL_CTX` per role. Set up once in `init` and never changed afterwards; OpenSSL counts references to it from
/// any thread, so it may be shared.
final class TLSContext: Sendable {
    nonisolated(unsafe) let client: OpaquePointer
    nonisolated(unsafe) let server: OpaquePointer

    init(credentials: TLSCredentials) throws(TLSError) {
        let client = try Self.make(TLS_client_method(), credentials)
        do throws(TLSError) {
            server = try Self.make(TLS_server_method(), credentials)
        } catch {
            SSL_CTX_free(client)
            throw error
        }
        self.client = client
    }

    deinit {
        SSL_CTX_free(client)
        SSL_CTX_free(server)
    }

    private static func make(
        _ method: OpaquePointer?, _ credentials: TLSCredentials
    ) throws(TLSError) -> OpaquePointer {
        OpenSSLErrorQueue.clear()
        guard let context = SSL_CTX_new(method) else { throw OpenSSLErrorQueue.failure(of: "SSL_CTX_new") }
        guard copenssl_set_min_proto_version(context, TLS1_3_VERSION) == 1,
            copenssl_set_max_proto_version(context, TLS1_3_VERSION) == 1,
            SSL_CTX_use_certificate(context, credentials.certificate) == 1,
            SSL_CTX_use_PrivateKey(context, credentials.key) == 1,
            // On resumption nobody's certificate would be seen: no tickets, no cache.
            SSL_CTX_set_num_tickets(context, 0) == 1,
            SSL_CTX_set_ciphersuites(context, cipherSuites) == 1
        else {
            SSL_CTX_free(context)
            throw OpenSSLErrorQueue.failure(of: "SSL_CTX")
        }
        _ = copenssl_set_session_cache_mode(context, Int(SSL_SESS_CACHE_OFF))
        _ = SSL_CTX_set_options(context, copenssl_op_no_ticket())
        // The input BIO may move; buffers of an idle session are given back.
        _ = copenssl_set_mode(
            context, Int(SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER) | Int(SSL_MODE_RELEASE_BUFFERS))
        _ = SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_CERT_LIST, maxCertificateBytes, nil)
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
        // Every certificate is good: TLS itself checks that the peer has its private key, and the fingerprint is
        // compared with the pinned one after the handshake.
        SSL_CTX_set_cert_verify_callback(
            context,
            { store, _ in
                X509_STORE_CTX_set_error(store, X509_V_OK)
                return 1
            }, nil)
        return context
    }

    /// The fastest first: AES-128 has hardware help wherever we run.
    private static let cipherSuites = "TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_256_GCM_SHA384"
    /// Our own certificates have about 300 bytes.
    private static let maxCertificateBytes = 16_384
}
