// TLS over memory: encrypted bytes in and out on one side, plain bytes on the other, no descriptor (DESIGN 5).
// Between the socket below and WebSocket above; `ProtocolStack` and `TCPConnection` join them.

internal import COpenSSL

/// One TLS session. Confined to one owner: a connection and its event loop.
///
/// A session is established when the handshake is complete and the peer is trusted (`TLSConfiguration.trust`); before
/// that no byte of the application passes in either direction. Where somebody outside decides, `trustQuestion` has the
/// chain to judge, and everything waits for `answerTrust`.
/// After an error has been thrown the session is dead and throws it again; `nextOutgoing` may still hold the alert
/// for the peer.
package final class TLSSession {
    let session: OpaquePointer
    /// Encrypted bytes from the transport, and for it.
    private let transport: TLSBuffers
    let role: TLSRole
    /// Kept because OpenSSL's context refers to what it owns.
    private let context: TLSContext?
    let trust: TrustPolicy
    /// The name that the certificate of a server must have; `nil` when no name counts.
    let checkedName: String?
    private var failure: TLSError?
    private(set) var hasReceived = false
    private var records = TLSRecordCounter()
    private var hasSentCloseNotify = false
    private var isHandshakeComplete = false
    /// Server: asked when a whole ClientHello is there, before any work is done for it; `false` ends the session.
    var admitsHello: (@Sendable () -> Bool)?
    /// Server: a whole ClientHello has come, and was admitted.
    private(set) var hasHello = false
    /// The error for which a callback ended the handshake from inside.
    private var refusal: TLSError?

    /// The handshake is complete on our side and the peer is trusted. A client gets here before the server has judged
    /// its certificate.
    package private(set) var isEstablished = false
    /// The peer's fingerprint, once the handshake is complete; `nil` if it has shown no certificate.
    private(set) var peerFingerprint: SPKIFingerprint?
    /// The chain that somebody outside must judge before the session is established.
    private(set) var trustQuestion: CertificateChain?
    /// The peer has said that nothing follows. An end of the transport without it may be an attacker's.
    private(set) var receivedCloseNotify = false

    /// Bytes that one TLS record holds at most.
    static let maxRecordPayload = 16_384
    /// Bytes that a record may be larger than its payload (RFC 8446 section 5.2, RFC 5246 section 6.2.3).
    private static let maxRecordOverhead = 5 + 256
    /// Bytes of the largest record.
    static let largestRecord = maxRecordPayload + maxRecordOverhead
    /// Unread output above which a peer that keeps causing more is cut off, and unread input above which one that does
    /// not wait for our judgement is. A driver that stops reading meanwhile never gets there.
    var maxUnreadOutput = 1 << 20

    /// A session between the peers of a link. With an `expected` key another one ends the handshake in `.wrongKey`, before
    /// the peer has seen our certificate; without, the owner looks at `peerFingerprint`. A client's first flight waits in
    /// `nextOutgoing`.
    package convenience init(
        role: TLSRole, identity: TLSIdentity, expecting expected: SPKIFingerprint? = nil
    ) throws(TLSError) {
        try self.init(role: role, configuration: .pinned(identity: identity, expected: expected))
    }

    /// A session as `configuration` says. `host` is where a client has called: the name of the server unless the
    /// configuration has another.
    package convenience init(role: TLSRole, configuration: TLSConfiguration, host: String? = nil) throws(TLSError) {
        let context = try configuration.contexts.context(role, configuration)
        let name = role == .client ? configuration.serverName ?? host : nil
        let checksName = role == .client && configuration.isJudgedByAuthorities && configuration.checksServerName
        if checksName, name == nil {
            throw .badConfiguration(reason: "there is no name to look for in the server's certificate")
        }
        try self.init(role: role, context: context, trust: configuration.trust, checkedName: checksName ? name : nil)
        try begin(serverName: name)
    }

    /// A session with any `SSL_CTX`; the session keeps its own reference to it.
    convenience init(role: TLSRole, context: OpaquePointer) throws(TLSError) {
        try self.init(role: role, pointer: context, context: nil, trust: .anyKey, checkedName: nil)
        try begin(serverName: nil)
    }

    private convenience init(
        role: TLSRole, context: TLSContext, trust: TrustPolicy, checkedName: String?
    ) throws(TLSError) {
        try self.init(
            role: role, pointer: context.pointer, context: context, trust: trust, checkedName: checkedName)
    }

    private init(
        role: TLSRole, pointer: OpaquePointer, context: TLSContext?, trust: TrustPolicy, checkedName: String?
    ) throws(TLSError) {
        OpenSSLErrorQueue.clear()
        let transport = try TLSBuffers()
        guard let session = SSL_new(pointer) else {
            BIO_free(transport.bio)
            throw OpenSSLErrorQueue.failure(of: "SSL_new")
        }
        SSL_set_bio(session, transport.bio, transport.bio)
        self.session = session
        self.transport = transport
        self.role = role
        self.context = context
        self.trust = trust
        self.checkedName = checkedName
    }

    deinit { SSL_free(session) }

    /// Everything before the first byte.
    private func begin(serverName: String?) throws(TLSError) {
        SSL_set_ex_data(session, 0, Unmanaged.passUnretained(self).toOpaque())
        switch role {
        case .server: SSL_set_accept_state(session)
        case .client:
            SSL_set_connect_state(session)
            if let checkedName { try expectName(checkedName) }
            if let serverName { try announceName(serverName) }
            if let sessions = context?.sessions, let checkedName { sessions.resume(session, for: checkedName) }
            try advanceHandshake()
        }
    }

    /// OpenSSL has got something to resume this session with later.
    static func keep(_ ticket: OpaquePointer?, of session: OpaquePointer?) {
        guard let session, let ticket, let owner = owner(of: session) else { return }
        guard let sessions = owner.context?.sessions, let name = owner.checkedName else { return }
        sessions.keep(copyOf: ticket, for: name)
    }

    // MARK: From the transport up

    /// Bytes that are still to come of a record that has begun; nothing of it can be read before. 0 where none has.
    var missingOfRecord: Int { records.missing }

    /// Takes bytes from the transport, in any cut, and drives the handshake. Call `read` until it returns 0
    /// afterwards: what is not read stays in memory.
    package func receive(_ encrypted: UnsafeRawBufferPointer) throws(TLSError) {
        if let failure { throw failure }
        guard let first = encrypted.first else { return }
        if !hasReceived {
            hasReceived = true
            // A record of a handshake or an alert; everything else is another protocol.
            guard first == 0x16 || first == 0x15 else { throw fail(.notTLS) }
        }
        records.pass(encrypted)
        transport.append(encrypted)
        if !isHandshakeComplete {
            try advanceHandshake()
        } else if trustQuestion != nil, bufferedInput > maxUnreadOutput {
            throw fail(.tooMuchInput)
        }
    }

    /// The transport has ended. Throws unless the peer has said before that nothing follows; call `read` until it
    /// returns 0 first.
    func receiveEnd() throws(TLSError) {
        if let failure { throw failure }
        guard !receivedCloseNotify else { return }
        throw fail(isEstablished ? .truncated : .handshakeFailed(reason: "the peer ended the connection"))
    }

    /// Takes bytes from the transport and appends all that they decrypt to, to `plain`: `receive` and `read` without a
    /// copy in between. When a record is broken, this appends the bytes before it and throws.
    package func receive(_ encrypted: UnsafeRawBufferPointer, into plain: inout ByteQueue) throws(TLSError) {
        if isEstablished, failure == nil, !receivedCloseNotify, transport.unreadCount == 0 {
            let most = records.begun + encrypted.count
            records.pass(encrypted)
            _ = try transport.withInput(encrypted) { () throws(TLSError) in
                try readAll(into: &plain, max: .max, most: most)
            }
        } else {
            try receive(encrypted)
            _ = try read(into: &plain, max: .max)
        }
        if let failure { throw failure }
    }

    /// Appends up to `max` decrypted bytes to `plain` and returns how many there were; 0 until more is received.
    /// The bytes before a broken record are still delivered; the call after that throws.
    package func read(into plain: inout ByteQueue, max: Int) throws(TLSError) -> Int {
        if let failure { throw failure }
        guard isEstablished, !receivedCloseNotify else { return 0 }
        let most = records.begun + transport.unreadCount + Int(SSL_pending(session))
        return try transport.withInput { () throws(TLSError) in try readAll(into: &plain, max: max, most: most) }
    }

    /// `most`: how many bytes there can be. A connection on which little happens keeps little memory.
    private func readAll(into plain: inout ByteQueue, max: Int, most: Int) throws(TLSError) -> Int {
        var total = 0
        OpenSSLErrorQueue.clear()
        while total < max {
            var result: Int32 = 0
            let room = min(max - total, Self.maxRecordPayload, Swift.max(most - total, 1))
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
            guard transport.unsentCount <= maxUnreadOutput else { throw fail(.tooMuchOutput) }
        case SSL_ERROR_ZERO_RETURN: receivedCloseNotify = true
        default:
            let error = fail(.sessionFailed(reason: OpenSSLErrorQueue.drain()))
            if !hasBytes { throw error }
        }
    }

    // MARK: From above to the transport

    /// Encrypts `plain`, one record for each 16,384 bytes, and appends it to `out`, after the bytes that wait already.
    /// Only after the handshake.
    package func write(_ plain: UnsafeRawBufferPointer, into out: inout ByteQueue) throws(TLSError) {
        let records = plain.count / Self.maxRecordPayload + 1
        try transport.withOutput(&out, capacity: plain.count + records * Self.maxRecordOverhead) {
            () throws(TLSError) in try write(plain)
        }
    }

    /// The same for a later `nextOutgoing`.
    package func write(_ plain: UnsafeRawBufferPointer) throws(TLSError) {
        if let failure { throw failure }
        guard isEstablished else { throw .notEstablished }
        guard !hasSentCloseNotify else { throw .closed }
        var rest = plain
        OpenSSLErrorQueue.clear()
        while !rest.isEmpty {
            var count = 0
            guard SSL_write_ex(session, rest.baseAddress, min(rest.count, Self.maxRecordPayload), &count) == 1 else {
                throw fail(.sessionFailed(reason: OpenSSLErrorQueue.drain()))
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    /// Moves all encrypted bytes that wait for the transport to `out`; `false` when there are none.
    package func nextOutgoing(into out: inout ByteQueue) -> Bool {
        // The last flight of a client says who we are: only to a peer that we believe.
        guard trustQuestion == nil else { return false }
        return transport.takeOutput(into: &out)
    }

    /// Says that nothing follows. The peer may still send.
    func closeNotify() {
        guard isEstablished, failure == nil, !hasSentCloseNotify else { return }
        hasSentCloseNotify = true
        OpenSSLErrorQueue.clear()
        SSL_shutdown(session)
        OpenSSLErrorQueue.clear()
    }

    // MARK: Handshake

    private func advanceHandshake() throws(TLSError) {
        OpenSSLErrorQueue.clear()
        let result = transport.withInput { SSL_do_handshake(session) }
        if result == 1 {
            isHandshakeComplete = true
            try judge()
            return
        }
        switch SSL_get_error(session, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: break
        default:
            if let refusal {
                OpenSSLErrorQueue.clear()
                discardOutput()
                throw fail(refusal)
            }
            let verdict = SSL_get_verify_result(session)
            let reason = OpenSSLErrorQueue.drain()
            throw fail(
                verdict == X509_V_OK ? .handshakeFailed(reason: reason) : .untrusted(reason: Self.text(verdict)))
        }
    }

    /// OpenSSL has the certificate of the peer of `session`, in the middle of the handshake: is it the expected one?
    static func hasExpectedKey(_ certificate: OpaquePointer?, in session: UnsafeMutableRawPointer?) -> Bool {
        guard let session, let owner = owner(of: OpaquePointer(session)) else { return true }
        if case .certificate(let expected) = owner.trust {
            guard certificate.flatMap(RelayID.init(certificate:)) != expected else { return true }
            owner.refusal = .untrusted(reason: "it has another certificate than the expected one")
            return false
        }
        guard case .pinned(let expected) = owner.trust else { return true }
        guard let certificate, let presented = try? SPKIFingerprint(certificate: certificate) else {
            owner.refusal = .untrusted(reason: "its key cannot be read")
            return false
        }
        guard presented == expected else {
            owner.refusal = .wrongKey(expected: expected, presented: presented)
            return false
        }
        return true
    }

    /// OpenSSL has a whole ClientHello for `session`: is work to be done for it?
    static func takesHello(of session: OpaquePointer?) -> Bool {
        guard let session, let owner = owner(of: session) else { return true }
        // It comes again after a request for another key share; both count as one handshake.
        guard !owner.hasHello else { return true }
        guard owner.admitsHello?() != false else {
            owner.refusal = .handshakeFailed(reason: "too many handshakes at once")
            return false
        }
        owner.hasHello = true
        return true
    }

    private static func owner(of session: OpaquePointer) -> TLSSession? {
        SSL_get_ex_data(session, 0).map { Unmanaged<TLSSession>.fromOpaque($0).takeUnretainedValue() }
    }

    /// The handshake is complete: is this the peer that we want?
    private func judge() throws(TLSError) {
        let chain = peerCertificates()
        defer { for certificate in chain { X509_free(certificate) } }
        guard let certificate = chain.first else {
            // OpenSSL has seen to it that a certificate is missing only where it may.
            guard role == .server, SSL_get_verify_mode(session) & SSL_VERIFY_FAIL_IF_NO_PEER_CERT == 0 else {
                throw fail(.handshakeFailed(reason: "the peer has no certificate"))
            }
            isEstablished = true
            return
        }
        do throws(TLSError) {
            let fingerprint = try SPKIFingerprint(certificate: certificate)
            peerFingerprint = fingerprint
            switch trust {
            case .anyKey: break
            case .certificate(let expected):
                guard RelayID(certificate: certificate) == expected else {
                    throw .untrusted(reason: "it has another certificate than the expected one")
                }
            case .pinned(let expected):
                guard expected == fingerprint else { throw .wrongKey(expected: expected, presented: fingerprint) }
            case .system, .roots:
                // OpenSSL has judged the chain, unless it had no part in this handshake.
                if SSL_session_reused(session) == 1, let problem = try problem(of: chain) {
                    throw .untrusted(reason: problem)
                }
            case .custom:
                trustQuestion = try CertificateChain(chain, serverName: askedName, problem: problem(of: chain))
                return
            }
        } catch {
            discardOutput()
            throw fail(error)
        }
        isEstablished = true
    }

    /// The decision about `trustQuestion`. Afterwards the session is established, or dead with `.untrusted`.
    func answerTrust(_ isTrusted: Bool) throws(TLSError) {
        if let failure { throw failure }
        guard trustQuestion != nil else { return }
        trustQuestion = nil
        guard isTrusted else {
            discardOutput()
            throw fail(.untrusted(reason: "refused"))
        }
        isEstablished = true
    }

    /// Drops the bytes that wait for a peer that we do not believe: they are never sent.
    private func discardOutput() { transport.discardOutput() }

    /// Remembers the first error; from then on there is no other.
    private func fail(_ error: TLSError) -> TLSError {
        if failure == nil { failure = error }
        return failure ?? error
    }

    /// Encrypted bytes that have not been read.
    var bufferedInput: Int { transport.unreadCount }
}
