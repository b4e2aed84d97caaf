// The terms agreed on in a TLS handshake, for screens and logs.

internal import COpenSSL

/// How an established session protects its bytes.
public struct TLSDetails: Sendable, Equatable {
    public var version: TLSVersion
    /// OpenSSL's name of the cipher suite, for example `TLS_AES_128_GCM_SHA256`.
    public var cipher: String
    /// The application's protocol that both agreed on (ALPN); `nil` when none was negotiated.
    public var applicationProtocol: String?
    /// The key that the peer has proved to have; `nil` if it has shown none.
    public var peerFingerprint: SPKIFingerprint?
    /// The whole certificate of the peer; `nil` if it has shown none.
    package var peerCertificate: RelayID?
    /// A part of the handshake was skipped thanks to an earlier session.
    package var isResumed: Bool
}

extension TLSSession {
    /// `nil` before the session is established.
    package var details: TLSDetails? {
        guard isEstablished, let version = TLSVersion(number: SSL_version(session)),
            let cipher = SSL_CIPHER_get_name(SSL_get_current_cipher(session))
        else { return nil }
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(session, &name, &count)
        let selected = UnsafeBufferPointer(start: name, count: Int(count))
        return TLSDetails(
            version: version, cipher: String(cString: cipher),
            applicationProtocol: selected.isEmpty ? nil : String(decoding: selected, as: UTF8.self),
            peerFingerprint: peerFingerprint, peerCertificate: peerCertificate,
            isResumed: SSL_session_reused(session) == 1)
    }

    private var peerCertificate: RelayID? {
        guard let certificate = SSL_get1_peer_certificate(session) else { return nil }
        defer { X509_free(certificate) }
        return RelayID(certificate: certificate)
    }

    /// 32 bytes that only the two ends of this session know, and that differ from session to session (RFC 5705, RFC 8446
    /// section 7.5), without a context. `nil` before the session is established.
    package func exporter(label: String) -> [UInt8]? {
        guard isEstablished else { return nil }
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = label.utf8.count
        guard SSL_export_keying_material(session, &bytes, bytes.count, label, count, nil, 0, 0) == 1 else { return nil }
        return bytes
    }
}
