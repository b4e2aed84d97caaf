// TLS sessions in memory: with each other, with peers that lack something, and with altered bytes.

import COpenSSL
import Testing

@testable import BLIPNet

@Suite struct TLSSessionTests {
    /// Two sessions whose bytes cross by hand.
    private struct Pair {
        let client: TLSSession
        let server: TLSSession

        init(_ client: TLSIdentity, _ server: TLSIdentity) throws {
            self.client = try TLSSession(role: .client, identity: client)
            self.server = try TLSSession(role: .server, identity: server)
        }

        init(clientContext: OpaquePointer, _ server: TLSIdentity) throws {
            client = try TLSSession(role: .client, context: clientContext)
            self.server = try TLSSession(role: .server, identity: server)
        }

        func shakeHands(chunk: Int = .max) throws {
            while try transfer(client, server, chunk: chunk) || transfer(server, client, chunk: chunk) {}
        }

        /// Carries what waits at one end to the other.
        func transfer(_ from: TLSSession, _ to: TLSSession, chunk: Int = .max) throws -> Bool {
            var wire = ByteQueue()
            guard from.nextOutgoing(into: &wire) else { return false }
            try TLSSessionTests.feed(wire.takeAll(), to: to, chunk: chunk)
            return true
        }
    }

    private static func feed(_ bytes: [UInt8], to session: TLSSession, chunk: Int = .max) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            try rest.prefix(chunk).withUnsafeBytes { try session.receive($0) }
            rest = rest.dropFirst(chunk)
        }
    }

    private static func encrypted(_ bytes: [UInt8], by session: TLSSession) throws -> [UInt8] {
        try bytes.withUnsafeBytes { try session.write($0) }
        var wire = ByteQueue()
        _ = session.nextOutgoing(into: &wire)
        return wire.takeAll()
    }

    private static func readAll(_ session: TLSSession, step: Int = .max) throws -> [UInt8] {
        var plain = ByteQueue()
        while try session.read(into: &plain, max: step) > 0 {}
        return plain.takeAll()
    }

    @Test("where keys are locked there is room for those of thousands of links")
    func manyKeys() throws {
        OpenSSLLibrary.lockKeys()
        #expect(OpenSSLLibrary.locksKeys)
        let identity = try TLSIdentity.generate()
        // A client has made its key when its first flight waits.
        let sessions = try (0..<3000).map { _ in try TLSSession(role: .client, identity: identity) }
        #expect(sessions.count == 3000)
    }

    @Test("a session knows what is missing of a record that has begun")
    func missing() throws {
        let pair = try Pair(TLSIdentity.generate(), TLSIdentity.generate())
        try pair.shakeHands()
        let text = [UInt8](repeating: 7, count: 3000)
        let record = try Self.encrypted(text, by: pair.client)
        #expect(pair.server.missingOfRecord == 0)
        var plain = ByteQueue()
        for (piece, missing) in [(record[..<1000], record.count - 1000), (record[1000...], 0)] {
            try piece.withUnsafeBytes { try pair.server.receive($0, into: &plain) }
            #expect(pair.server.missingOfRecord == missing)
            #expect(plain.isEmpty == (missing > 0))
        }
        #expect(plain.takeAll() == text)
    }

    @Test(
        "both ends learn who the other is and exchange bytes, however the wire cuts them", arguments: [1, 7, 100_000])
    func talk(chunk: Int) throws {
        let (anna, ben) = (try TLSIdentity.generate(), try TLSIdentity.generate())
        let pair = try Pair(anna, ben)
        #expect(!pair.client.isEstablished && pair.client.peerFingerprint == nil)
        try pair.shakeHands(chunk: chunk)
        #expect(pair.client.isEstablished && pair.server.isEstablished)
        #expect(pair.client.peerFingerprint == ben.fingerprint)
        #expect(pair.server.peerFingerprint == anna.fingerprint)
        let bytes = (0..<40_000).map { UInt8(truncatingIfNeeded: $0 &* 13) }
        for (from, to) in [(pair.client, pair.server), (pair.server, pair.client)] {
            try Self.feed(Self.encrypted(bytes, by: from), to: to, chunk: chunk)
            #expect(try Self.readAll(to) == bytes)
            #expect(try Self.readAll(to).isEmpty)
        }
    }

    @Test("reads no more than it is asked for, and writes records of at most 16 KiB")
    func bounded() throws {
        let identity = try TLSIdentity.generate()
        let pair = try Pair(identity, identity)
        try pair.shakeHands()
        let wire = try Self.encrypted([UInt8](repeating: 1, count: 50_000), by: pair.client)
        var position = 0
        var records = 0
        while position + 5 <= wire.count {
            let length = Int(wire[position + 3]) << 8 | Int(wire[position + 4])
            #expect(length <= 16_384 + 256)
            position += 5 + length
            records += 1
        }
        #expect(records == 4 && position == wire.count)
        try Self.feed(wire, to: pair.server)
        var plain = ByteQueue()
        #expect(try pair.server.read(into: &plain, max: 100) == 100)
        #expect(try pair.server.read(into: &plain, max: 20_000) == 20_000)
        #expect(try pair.server.read(into: &plain, max: .max) == 29_900)
        #expect(plain.count == 50_000)
    }

    @Test("makes TLS 1.3 sessions that nobody can resume")
    func noTickets() throws {
        let identity = try TLSIdentity.generate()
        let pair = try Pair(identity, identity)
        try pair.shakeHands()
        #expect(String(cString: SSL_get_version(pair.client.session)) == "TLSv1.3")
        // A ticket would come with the first bytes of the server.
        try Self.feed(Self.encrypted([1], by: pair.server), to: pair.client)
        #expect(try Self.readAll(pair.client) == [1])
        #expect(SSL_SESSION_is_resumable(SSL_get_session(pair.client.session)) == 0)
        #expect(SSL_session_reused(pair.client.session) == 0)
    }

    @Test("refuses a client that has no certificate, on the server's side")
    func noClientCertificate() throws {
        let context = try #require(SSL_CTX_new(TLS_client_method()))
        defer { SSL_CTX_free(context) }
        let pair = try Pair(clientContext: context, TLSIdentity.generate())
        do {
            try pair.shakeHands()
            Issue.record("the handshake went through")
        } catch TLSError.handshakeFailed(let reason) {
            #expect(reason == "peer did not return a certificate")
        }
        #expect(!pair.server.isEstablished && pair.server.peerFingerprint == nil)
        // The client believed that it was through; the alert tells it otherwise.
        _ = try pair.transfer(pair.server, pair.client)
        #expect(throws: TLSError.sessionFailed(reason: "tlsv13 alert certificate required")) {
            try Self.readAll(pair.client)
        }
    }

    @Test("refuses TLS 1.2")
    func oldVersion() throws {
        let context = try #require(SSL_CTX_new(TLS_client_method()))
        defer { SSL_CTX_free(context) }
        _ = copenssl_set_max_proto_version(context, TLS1_2_VERSION)
        let pair = try Pair(clientContext: context, TLSIdentity.generate())
        #expect(throws: TLSError.handshakeFailed(reason: "unsupported protocol")) { try pair.shakeHands() }
        #expect(throws: TLSError.handshakeFailed(reason: "tlsv1 alert protocol version")) {
            _ = try pair.transfer(pair.server, pair.client)
        }
    }

    @Test("tells a peer that does not speak TLS at its first byte", arguments: [TLSRole.client, .server])
    func notTLS(role: TLSRole) throws {
        for text in ["GET / HTTP/1.1\r\n", "HTTP/1.1 400 Bad Request\r\n", "SSH-2.0", "\u{0}"] {
            let session = try TLSSession(role: role, identity: .generate())
            #expect(throws: TLSError.notTLS) { try Self.feed(Array(text.utf8), to: session) }
            #expect(throws: TLSError.notTLS) { try Self.feed([0x16], to: session) }
        }
    }

    @Test("garbage that looks like TLS ends in an error")
    func garbage() throws {
        for role in [TLSRole.client, .server] {
            let session = try TLSSession(role: role, identity: .generate())
            let garbage: [UInt8] = [0x16, 3, 3, 0, 40] + [UInt8](repeating: 0xA5, count: 400)
            #expect(throws: TLSError.self) { try Self.feed(garbage, to: session) }
            #expect(!session.isEstablished)
        }
    }

    @Test("a record that was altered anywhere is never data")
    func altered() throws {
        let identity = try TLSIdentity.generate()
        let secret = Array("attack at dawn".utf8)
        let length = secret.count + 5 + 17
        for position in 0..<length {
            let pair = try Pair(identity, identity)
            try pair.shakeHands()
            var wire = try Self.encrypted(secret, by: pair.client)
            #expect(wire.count == length)
            wire[position] ^= 0x01
            // Another record behind it: a changed length may make the first one wait for more.
            wire += try Self.encrypted([UInt8](repeating: 7, count: 1_000), by: pair.client)
            try Self.feed(wire, to: pair.server)
            var plain = ByteQueue()
            #expect(throws: TLSError.self, "byte \(position)") {
                while try pair.server.read(into: &plain, max: .max) > 0 {}
            }
            #expect(plain.isEmpty)
        }
    }

    @Test("what stood before a broken record is delivered, then comes the error, and it stays")
    func brokenAfterGood() throws {
        let identity = try TLSIdentity.generate()
        let pair = try Pair(identity, identity)
        try pair.shakeHands()
        let good = try Self.encrypted([1, 2, 3], by: pair.client)
        var bad = try Self.encrypted([4, 5, 6], by: pair.client)
        bad[bad.count - 1] ^= 1
        try Self.feed(good + bad, to: pair.server)
        var plain = ByteQueue()
        #expect(try pair.server.read(into: &plain, max: .max) == 3)
        for _ in 0..<2 {
            #expect(throws: TLSError.sessionFailed(reason: "decryption failed or bad record mac")) {
                try pair.server.read(into: &plain, max: .max)
            }
        }
        #expect(plain.takeAll() == [1, 2, 3])
        // The peer is told.
        _ = try pair.transfer(pair.server, pair.client)
        #expect(throws: TLSError.sessionFailed(reason: "sslv3 alert bad record mac")) { try Self.readAll(pair.client) }
    }

    @Test("errors of one session, or of anything else on the thread, do not reach another")
    func separateErrors() throws {
        let identity = try TLSIdentity.generate()
        let healthy = try Pair(identity, identity)
        try healthy.shakeHands()
        let broken = try TLSSession(role: .server, identity: identity)
        #expect(throws: TLSError.self) {
            try Self.feed([0x16, 3, 3, 0, 4] + [UInt8](repeating: 0xA5, count: 40), to: broken)
        }
        let bio = try #require(BIO_new(BIO_s_mem()))
        defer { BIO_free(bio) }
        for _ in 0..<3 {
            #expect(PEM_read_bio_X509(bio, nil, nil, nil) == nil)
            #expect(ERR_peek_error() != 0)
            #expect(try Self.readAll(healthy.server).isEmpty)
            #expect(PEM_read_bio_X509(bio, nil, nil, nil) == nil)
            let wire = try Self.encrypted([1], by: healthy.client)
            #expect(PEM_read_bio_X509(bio, nil, nil, nil) == nil)
            try Self.feed(wire, to: healthy.server)
            #expect(try Self.readAll(healthy.server) == [1])
        }
        ERR_clear_error()
    }

    @Test("close notify is told apart from silence, and the other direction stays open")
    func closeNotify() throws {
        let identity = try TLSIdentity.generate()
        let pair = try Pair(identity, identity)
        try pair.shakeHands()
        try Self.feed(Self.encrypted([1], by: pair.client), to: pair.server)
        pair.client.closeNotify()
        pair.client.closeNotify()
        _ = try pair.transfer(pair.client, pair.server)
        #expect(!pair.server.receivedCloseNotify)
        #expect(try Self.readAll(pair.server) == [1])
        #expect(try Self.readAll(pair.server).isEmpty)
        #expect(pair.server.receivedCloseNotify)
        #expect(throws: TLSError.closed) { try Self.encrypted([1], by: pair.client) }
        try Self.feed(Self.encrypted([2], by: pair.server), to: pair.client)
        #expect(try Self.readAll(pair.client) == [2])
        #expect(!pair.client.receivedCloseNotify)
    }

    @Test("nothing can be written or read before the handshake is over")
    func early() throws {
        let session = try TLSSession(role: .client, identity: .generate())
        #expect(throws: TLSError.notEstablished) { try Self.encrypted([1], by: session) }
        #expect(try Self.readAll(session).isEmpty)
        session.closeNotify()
    }

    @Test("a peer that makes us answer without reading is cut off")
    func unreadOutput() throws {
        let identity = try TLSIdentity.generate()
        let pair = try Pair(identity, identity)
        try pair.shakeHands()
        pair.server.maxUnreadOutput = 5_000
        #expect(throws: TLSError.tooMuchOutput) {
            for _ in 0..<1_000 {
                #expect(SSL_key_update(pair.client.session, SSL_KEY_UPDATE_REQUESTED) == 1)
                #expect(SSL_do_handshake(pair.client.session) == 1)
                _ = try pair.transfer(pair.client, pair.server)
                _ = try Self.readAll(pair.server)
            }
        }
    }
}
