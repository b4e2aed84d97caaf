// TLS 1.3 over memory: encrypted bytes in and out on one side, plain bytes on the other, no descriptor (DESIGN 5).
// Between the socket below and WebSocket above; `ProtocolStack` joins them.

internal import COpenSSL

/// One TLS session. Confined to one owner: a link and its queue.
///
/// Both sides present a certificate, and any certificate is accepted: TLS proves that the peer has the private key,
/// and the owner compares `peerFingerprint` with the one that it expects before it believes anything.
/// After an error has been thrown the session is dead and throws it again; `nextOutgoing` may still hold the alert
/// for the peer.
public final class TLSSession {
    public enum Role: Sendable, Equatable {
        case client
        case server
    }

    let session: OpaquePointer
    /// Encrypted bytes from the transport, and for it. Owned by the session.
    private let incoming: OpaquePointer
    private let outgoing: OpaquePointer
    private var failure: TLSError?
    private var hasReceived = false
    private var hasSentCloseNotify = false

    /// The handshake is complete on our side. A client gets here before the server has judged its certificate.
    public private(set) var isEstablished = false
    /// Who the peer is, once the handshake is complete.
    public private(set) var peerFingerprint: SPKIFingerprint?
    /// The peer has said that nothing follows. An end of the transport without it may be an attacker's.
    public private(set) var receivedCloseNotify = false

    /// Bytes that one TLS record holds at most.
    public static let maxRecordPayload = 16_384
    /// Unread output above which a peer that keeps causing more is cut off. A driver that stops reading while its
    /// output is full never gets there.
    var maxUnreadOutput = 1 << 20

    /// A client's first flight waits in `nextOutgoing`.
    public convenience init(role: Role, identity: TLSIdentity) throws(TLSError) {
        try self.init(role: role, context: role == .client ? identity.context.client : identity.context.server)
    }

    /// A session with any `SSL_CTX`; the session keeps its own reference to it.
    init(role: Role, context: OpaquePointer) throws(TLSError) {
        OpenSSLErrorQueue.clear()
        guard let session = SSL_new(context) else {
            throw OpenSSLErrorQueue.failure(of: "SSL_new")
        }
        guard let incoming = BIO_new(BIO_s_mem()) else {
            SSL_free(session)
            throw OpenSSLErrorQueue.failure(of: "BIO_new")
        }
        guard let outgoing = BIO_new(BIO_s_mem()) else {
            SSL_free(session)
            BIO_free(incoming)
            throw OpenSSLErrorQueue.failure(of: "BIO_new")
        }
        SSL_set_bio(session, incoming, outgoing)
        self.session = session
        self.incoming = incoming
        self.outgoing = outgoing
        switch role {
        case .client: SSL_set_connect_state(session)
        case .server: SSL_set_accept_state(session)
        }
        if role == .client { try advanceHandshake() }
    }

    deinit { SSL_free(session) }

    // MARK: From the transport up

    /// Takes bytes from the transport, in any cut, and drives the handshake. Call `read` until it returns 0
    /// afterwards: what is not read stays in memory.
    public func receive(_ encrypted: UnsafeRawBufferPointer) throws(TLSError) {
        if let failure { throw failure }
        guard let first = encrypted.first else { return }
        if !hasReceived {
            hasReceived = true
            // A record of a handshake or an alert; everything else is another protocol.
            guard first == 0x16 || first == 0x15 else { throw fail(.notTLS) }
        }
        OpenSSLErrorQueue.clear()
        var rest = encrypted
        while !rest.isEmpty {
            let count = BIO_write(incoming, rest.baseAddress, Int32(clamping: rest.count))
            guard count > 0 else { throw fail(OpenSSLErrorQueue.failure(of: "BIO_write")) }
            rest = UnsafeRawBufferPointer(rebasing: rest[Int(count)...])
        }
        if !isEstablished { try advanceHandshake() }
    }

    /// Appends up to `max` decrypted bytes to `plain` and returns how many there were; 0 until more is received.
    /// What stood before a broken record is still delivered; the call after that throws.
    public func read(into plain: inout ByteQueue, max: Int) throws(TLSError) -> Int {
        if let failure { throw failure }
        guard isEstablished, !receivedCloseNotify else { return 0 }
        var total = 0
        while total < max {
            OpenSSLErrorQueue.clear()
            var result: Int32 = 0
            let room = min(max - total, Self.maxRecordPayload)
            let count = plain.appendUninitialized(capacity: room) { buffer in
                var count = 0
                result = SSL_read_ex(session, buffer.baseAddress, buffer.count, &count)
                return result == 1 ? count : 0
            }
            guard result == 1 else {
                try endOfReading(result, hasBytes: total > 0)
                break
            }
            total += count
        }
        return total
    }

    private func endOfReading(_ result: Int32, hasBytes: Bool) throws(TLSError) {
        switch SSL_get_error(session, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE:
            // Requests to renew keys are answered by OpenSSL while it reads.
            guard unreadOutput <= maxUnreadOutput else { throw fail(.tooMuchOutput) }
        case SSL_ERROR_ZERO_RETURN: receivedCloseNotify = true
        default:
            let error = fail(.sessionFailed(reason: OpenSSLErrorQueue.drain()))
            if !hasBytes { throw error }
        }
    }

    // MARK: From above to the transport

    /// Encrypts `plain`, one record for each 16,384 bytes. Only after the handshake.
    public func write(_ plain: UnsafeRawBufferPointer) throws(TLSError) {
        if let failure { throw failure }
        guard isEstablished else { throw .notEstablished }
        guard !hasSentCloseNotify else { throw .closed }
        var rest = plain
        while !rest.isEmpty {
            OpenSSLErrorQueue.clear()
            var count = 0
            guard SSL_write_ex(session, rest.baseAddress, min(rest.count, Self.maxRecordPayload), &count) == 1 else {
                throw fail(.sessionFailed(reason: OpenSSLErrorQueue.drain()))
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    /// Moves all encrypted bytes that wait for the transport to `out`; `false` when there are none.
    public func nextOutgoing(into out: inout ByteQueue) -> Bool {
        let waiting = unreadOutput
        guard waiting > 0 else { return false }
        let count = out.appendUninitialized(capacity: waiting) { buffer in
            Int(BIO_read(outgoing, buffer.baseAddress, Int32(clamping: buffer.count)))
        }
        return count > 0
    }

    /// Says that nothing follows. The peer may still send.
    public func closeNotify() {
        guard isEstablished, failure == nil, !hasSentCloseNotify else { return }
        hasSentCloseNotify = true
        OpenSSLErrorQueue.clear()
        SSL_shutdown(session)
        OpenSSLErrorQueue.clear()
    }

    // MARK: Handshake

    private func advanceHandshake() throws(TLSError) {
        OpenSSLErrorQueue.clear()
        let result = SSL_do_handshake(session)
        if result == 1 {
            try establish()
            return
        }
        switch SSL_get_error(session, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: break
        default: throw fail(.handshakeFailed(reason: OpenSSLErrorQueue.drain()))
        }
    }

    private func establish() throws(TLSError) {
        guard let certificate = SSL_get1_peer_certificate(session) else {
            throw fail(.handshakeFailed(reason: "the peer has no certificate"))
        }
        defer { X509_free(certificate) }
        do throws(TLSError) {
            peerFingerprint = try SPKIFingerprint(certificate: certificate)
        } catch {
            throw fail(error)
        }
        isEstablished = true
    }

    /// Remembers the first error; from then on there is no other.
    private func fail(_ error: TLSError) -> TLSError {
        if failure == nil { failure = error }
        return failure ?? error
    }

    private var unreadOutput: Int { Int(clamping: copenssl_bio_ctrl_pending(outgoing)) }
}
