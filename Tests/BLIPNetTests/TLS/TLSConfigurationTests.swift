// What a configuration makes of a TLS session: which version, which peers are believed, what is resumed. SOCKETS A17.

import COpenSSL
import Glibc
import Testing

@testable import BLIPNet

@Suite("TLS configuration") struct TLSConfigurationTests {
    private static func client(_ authority: TestAuthority) throws -> TLSConfiguration {
        var configuration = TLSConfiguration()
        configuration.trust = .roots([try authority.pem()])
        return configuration
    }

    // MARK: Authorities and names

    @Test(
        "believes a server that a given root vouches for, whatever its key",
        arguments: [TestAuthority.KeyKind.p256, .rsa2048, .ed25519])
    func givenRoot(kind: TestAuthority.KeyKind) throws {
        let authority = try TestAuthority()
        let identity = try authority.issue(.init(names: "DNS:localhost", kind: kind))
        let pair = try TLSPair(client: Self.client(authority), server: .server(identity: identity))
        try pair.shakeHands()
        #expect(try pair.exchange())
        #expect(pair.client.peerFingerprint == identity.fingerprint)
        #expect(pair.server.peerFingerprint == nil)
    }

    @Test("follows a chain that the server sends along")
    func intermediate() throws {
        let root = try TestAuthority()
        let below = try TestAuthority("Intermediate", under: root)
        let pair = try TLSPair(client: Self.client(root), server: .server(identity: below.server()))
        try pair.shakeHands()
        #expect(try pair.exchange())
        // An authority in the middle may be given as the root, too.
        let short = try TLSPair(client: Self.client(below), server: .server(identity: below.server()))
        try short.shakeHands()
        #expect(short.client.isEstablished)
    }

    @Test("refuses authorities that it was not told of, and says so to both sides")
    func unknownAuthority() throws {
        let (ours, theirs) = (try TestAuthority(), try TestAuthority("Another Root"))
        let pair = try TLSPair(client: Self.client(ours), server: .server(identity: theirs.server()))
        let outcome = pair.outcome()
        #expect(outcome.client == .untrusted(reason: "unable to get local issuer certificate"))
        #expect(outcome.server == .handshakeFailed(reason: "tlsv1 alert unknown ca"))
        #expect(!pair.client.isEstablished && !pair.server.isEstablished)
        // The system has never heard of it either.
        let system = try TLSPair(client: TLSConfiguration(), server: .server(identity: theirs.server()))
        #expect(system.outcome().client == .untrusted(reason: "unable to get local issuer certificate"))
    }

    @Test(
        "checks the name of the server without being asked to",
        arguments: [
            ("localhost", true), ("LOCALHOST", true), ("localhost.", true), ("chat.example.org", true),
            ("a.b.example.org", false), ("example.org", false), ("127.0.0.1", true), ("127.0.0.2", false),
            ("::1", true), ("evil.test", false),
        ])
    func names(host: String, isRight: Bool) throws {
        let authority = try TestAuthority()
        let identity = try authority.server("DNS:localhost,DNS:*.example.org,IP:127.0.0.1,IP:::1")
        let pair = try TLSPair(client: Self.client(authority), server: .server(identity: identity), host: host)
        let error = pair.outcome().client
        if isRight {
            #expect(error == nil && pair.client.isEstablished)
        } else {
            let isAddress = host.allSatisfy { $0.isNumber || $0 == "." || $0 == ":" }
            #expect(error == .untrusted(reason: isAddress ? "IP address mismatch" : "hostname mismatch"))
            #expect(!pair.server.isEstablished)
        }
    }

    @Test("a configured name counts more than the dialled one; without any there is no session")
    func configuredName() throws {
        let authority = try TestAuthority()
        var configuration = try Self.client(authority)
        #expect(throws: TLSError.badConfiguration(reason: "there is no name to look for in the server's certificate")) {
            try TLSSession(role: .client, configuration: configuration, host: nil)
        }
        configuration.serverName = "inner.test"
        let pair = try TLSPair(
            client: configuration, server: .server(identity: authority.server("DNS:inner.test")), host: "1.2.3.4")
        try pair.shakeHands()
        #expect(pair.client.isEstablished)
        #expect(
            SSL_get_servername(pair.server.session, TLSEXT_NAMETYPE_host_name).map { String(cString: $0) }
                == "inner.test")
        configuration.serverName = nil
        configuration.checksServerName = false
        let careless = try TLSPair(
            client: configuration, server: .server(identity: authority.server("DNS:inner.test")), host: "other.test")
        try careless.shakeHands()
        #expect(careless.client.isEstablished)
    }

    @Test("refuses certificates that are over, that are not valid yet, or that are for clients")
    func unfit() throws {
        let authority = try TestAuthority()
        for (request, reason) in [
            (TestAuthority.Request(names: "DNS:localhost", validTo: -60), "certificate has expired"),
            (.init(names: "DNS:localhost", validFrom: 600), "certificate is not yet valid"),
            (.init(names: "DNS:localhost", usage: "clientAuth"), "unsuitable certificate purpose"),
        ] {
            let pair = try TLSPair(client: Self.client(authority), server: .server(identity: authority.issue(request)))
            #expect(pair.outcome().client == .untrusted(reason: reason))
        }
    }

    // MARK: Keys

    @Test("a pinned key is believed whoever has signed it, another is not, and the other side is told nothing")
    func pinned() throws {
        let identity = try TestAuthority().server("DNS:elsewhere.test")
        var configuration = TLSConfiguration()
        configuration.trust = .pinned(identity.fingerprint)
        let pair = try TLSPair(client: configuration, server: .server(identity: identity))
        try pair.shakeHands()
        #expect(try pair.exchange())
        let other = try TLSIdentity.generate().fingerprint
        configuration.trust = .pinned(other)
        configuration.identity = try TLSIdentity.generate()
        var server = TLSConfiguration.server(identity: identity)
        server.clientCertificates = .required
        server.trust = .anyKey
        let wrong = try TLSPair(client: configuration, server: server)
        let outcome = wrong.outcome()
        #expect(outcome.client == .wrongKey(expected: other, presented: identity.fingerprint))
        #expect(wrong.server.peerFingerprint == nil && !wrong.server.isEstablished)
    }

    @Test("peers of blipchat: one context per identity, TLS 1.3, both show their keys")
    func peers() throws {
        let (anna, ben) = (try TLSIdentity.generate(), try TLSIdentity.generate())
        let one = TLSConfiguration.pinned(identity: anna, expected: ben.fingerprint)
        let another = TLSConfiguration.pinned(identity: anna, expected: nil)
        #expect(one.contexts === another.contexts)
        let pair = try TLSPair(client: one, server: .pinned(identity: ben, expected: anna.fingerprint), host: nil)
        try pair.shakeHands()
        #expect(try pair.exchange())
        #expect(pair.client.details?.version == .tls13)
        #expect(pair.server.peerFingerprint == anna.fingerprint)
        let stranger = try TLSPair(
            client: .pinned(identity: .generate(), expected: nil),
            server: .pinned(identity: ben, expected: anna.fingerprint), host: nil)
        guard case .wrongKey? = stranger.outcome().server else {
            Issue.record("a stranger got in")
            return
        }
    }

    @Test(
        "peers of blipchat take no other kind of key, on either side",
        arguments: [TestAuthority.KeyKind.p256, .rsa2048])
    func otherKinds(kind: TestAuthority.KeyKind) throws {
        var request = TestAuthority.Request()
        request.kind = kind
        let foreign = try TestAuthority().issue(request)
        let ben = try TLSIdentity.generate()
        var server = TLSConfiguration.server(identity: foreign)
        server.trust = .anyKey
        server.clientCertificates = .required
        let called = try TLSPair(client: .pinned(identity: ben, expected: nil), server: server, host: nil)
        _ = called.outcome()
        #expect(!called.client.isEstablished && called.server.peerFingerprint == nil)
        var client = TLSConfiguration()
        client.identity = foreign
        client.trust = .anyKey
        let calling = try TLSPair(client: client, server: .pinned(identity: ben, expected: nil), host: nil)
        _ = calling.outcome()
        #expect(!calling.server.isEstablished)
    }

    // MARK: A decision from outside

    @Test("an outside decision holds up every byte in both directions until it is made")
    func question() throws {
        let identity = try TestAuthority().server()
        var configuration = TLSConfiguration()
        configuration.trust = .custom { _ in true }
        let pair = try TLSPair(client: configuration, server: .server(identity: identity))
        while try pair.transfer(pair.client, pair.server) || pair.transfer(pair.server, pair.client) {}
        let chain = try #require(pair.client.trustQuestion)
        #expect(chain.leaf.fingerprint == identity.fingerprint)
        #expect(chain.leaf.subject == "CN=test" && chain.leaf.issuer == "CN=Test Root")
        #expect(chain.serverName == "localhost")
        #expect(chain.problem == "unable to get local issuer certificate")
        #expect(!pair.client.isEstablished && !pair.server.isEstablished)
        #expect(throws: TLSError.notEstablished) { try [UInt8(1)].withUnsafeBytes { try pair.client.write($0) } }
        #expect(try TLSPair.read(pair.client).isEmpty)
        try pair.client.answerTrust(true)
        #expect(pair.client.trustQuestion == nil && pair.client.isEstablished)
        try pair.shakeHands()
        #expect(try pair.exchange())
    }

    @Test("what a server sends while it is judged waits, up to a limit")
    func impatientPeer() throws {
        let (client, server) = (try TLSIdentity.generate(), try TLSIdentity.generate())
        var judging = TLSConfiguration.pinned(identity: server, expected: nil)
        judging.trust = .custom { _ in true }
        let pair = try TLSPair(client: .pinned(identity: client, expected: nil), server: judging, host: nil)
        while try pair.transfer(pair.client, pair.server) || pair.transfer(pair.server, pair.client) {}
        #expect(pair.client.isEstablished && pair.server.trustQuestion != nil)
        let bytes = [UInt8](repeating: 9, count: 100_000)
        try bytes.withUnsafeBytes { try pair.client.write($0) }
        _ = try pair.transfer(pair.client, pair.server)
        #expect(try TLSPair.read(pair.server).isEmpty)
        try pair.server.answerTrust(true)
        #expect(try TLSPair.read(pair.server) == bytes)

        let flooded = try TLSPair(client: .pinned(identity: client, expected: nil), server: judging, host: nil)
        while try flooded.transfer(flooded.client, flooded.server) || flooded.transfer(flooded.server, flooded.client) {
        }
        #expect(throws: TLSError.tooMuchInput) {
            for _ in 0..<20 {
                try bytes.withUnsafeBytes { try flooded.client.write($0) }
                _ = try flooded.transfer(flooded.client, flooded.server)
            }
        }
    }

    @Test("a decision against the peer ends the session before it has learned who we are")
    func refused() throws {
        var configuration = TLSConfiguration()
        configuration.identity = try TLSIdentity.generate()
        configuration.trust = .custom { _ in false }
        var server = TLSConfiguration.server(identity: try TestAuthority().server())
        server.clientCertificates = .required
        server.trust = .anyKey
        let pair = try TLSPair(client: configuration, server: server)
        try pair.shakeHands()
        #expect(throws: TLSError.untrusted(reason: "refused")) { try pair.client.answerTrust(false) }
        #expect(throws: TLSError.untrusted(reason: "refused")) { try TLSPair.read(pair.client) }
        try pair.shakeHands()
        #expect(!pair.server.isEstablished && pair.server.peerFingerprint == nil)
    }

    // MARK: Clients' certificates

    @Test("a server asks for certificates only if it is told to, and judges them by its roots")
    func clientCertificates() throws {
        let authority = try TestAuthority()
        let clients = try TestAuthority("Clients")
        var server = TLSConfiguration.server(identity: try authority.server())
        server.trust = .roots([try clients.pem()])
        var client = try Self.client(authority)
        for (asked, own, isServed) in [
            (TLSConfiguration.ClientCertificates.ignored, nil, true), (.optional, nil, true),
            (.required, nil, false), (.ignored, try TLSIdentity.generate(), true),
            (.optional, try TLSIdentity.generate(), false), (.required, try clients.client(), true),
            (.optional, try clients.client(), true), (.required, try clients.server(), false),
        ] as [(TLSConfiguration.ClientCertificates, TLSIdentity?, Bool)] {
            server.clientCertificates = asked
            client.identity = own
            let pair = try TLSPair(client: client, server: server)
            #expect((pair.outcome().server == nil) == isServed, "\(asked)")
            #expect(pair.server.isEstablished == isServed)
            #expect(pair.server.peerFingerprint == (isServed && asked != .ignored ? own?.fingerprint : nil))
        }
    }

    @Test("a server without a certificate cannot be")
    func serverWithoutIdentity() {
        #expect(throws: TLSError.badConfiguration(reason: "a TLS server needs a certificate")) {
            try TLSSession(role: .server, configuration: TLSConfiguration())
        }
    }

    // MARK: Versions and protocols

    @Test("speaks TLS 1.2 where that is all the other side has, unless 1.3 is demanded; nothing older")
    func versions() throws {
        let identity = try TestAuthority().issue(.init(names: "DNS:localhost", kind: .p256))
        for (version, minimum, isServed) in [
            (TLS1_3_VERSION, TLSVersion.tls12, true), (TLS1_2_VERSION, .tls12, true), (TLS1_2_VERSION, .tls13, false),
            (TLS1_1_VERSION, .tls12, false),
        ] {
            let context = try #require(SSL_CTX_new(TLS_client_method()))
            defer { SSL_CTX_free(context) }
            _ = copenssl_set_min_proto_version(context, TLS1_VERSION)
            _ = copenssl_set_max_proto_version(context, version)
            SSL_CTX_set_security_level(context, 0)
            var configuration = TLSConfiguration.server(identity: identity)
            configuration.minimumVersion = minimum
            let client = try TLSSession(role: .client, context: context)
            let server = try TLSSession(role: .server, configuration: configuration)
            let pair = TLSPair(client: client, server: server)
            let error = pair.outcome().server
            #expect(error == (isServed ? nil : .handshakeFailed(reason: "unsupported protocol")))
            guard isServed else { continue }
            let details = try #require(server.details)
            #expect(details.version == TLSVersion(number: version))
            #expect(details.cipher.contains("GCM"))
        }
    }

    @Test("agrees on an application protocol, the server's preference first; without a common one there is no session")
    func applicationProtocols() throws {
        let authority = try TestAuthority()
        var server = TLSConfiguration.server(identity: try authority.server())
        var client = try Self.client(authority)
        for (offered, known, expected) in [
            (["http/1.1", "h2"], ["h2", "http/1.1"], "h2"), (["a"], ["b", "a"], "a"), ([], ["a"], nil),
            (["a"], [], nil),
        ] as [([String], [String], String?)] {
            client.applicationProtocols = offered
            server.applicationProtocols = known
            let pair = try TLSPair(client: client, server: server)
            try pair.shakeHands()
            #expect(pair.client.details?.applicationProtocol == expected)
            #expect(pair.server.details?.applicationProtocol == expected)
        }
        client.applicationProtocols = ["x"]
        server.applicationProtocols = ["y"]
        let pair = try TLSPair(client: client, server: server)
        #expect(pair.outcome().client == .handshakeFailed(reason: "tlsv1 alert no application protocol"))
        client.applicationProtocols = [""]
        #expect(throws: TLSError.self) { try TLSSession(role: .client, configuration: client, host: "localhost") }
    }

    // MARK: Resumption

    /// One connection, with a byte each way so that tickets get across.
    private static func connection(_ client: TLSConfiguration, _ server: TLSConfiguration) throws -> TLSPair {
        let pair = try TLSPair(client: client, server: server)
        try pair.shakeHands()
        #expect(try pair.exchange())
        return pair
    }

    @Test("resumes a session with the same server, and with no other", arguments: [false, true])
    func resumes(isOldVersion: Bool) throws {
        let authority = try TestAuthority()
        let server = TLSConfiguration.server(identity: try authority.server("DNS:localhost,DNS:other.test"))
        let client = try Self.client(authority)
        if isOldVersion {
            let context = try client.contexts.context(.client, client)
            _ = copenssl_set_max_proto_version(context.pointer, TLS1_2_VERSION)
        }
        #expect(try Self.connection(client, server).client.details?.isResumed == false)
        let second = try Self.connection(client, server)
        #expect(second.client.details?.isResumed == true)
        #expect(second.client.peerFingerprint == server.identity?.fingerprint)
        let other = try TLSPair(client: client, server: server, host: "other.test")
        try other.shakeHands()
        #expect(other.client.details?.isResumed == false)
    }

    @Test("a resumed session is judged again: a certificate that is over by now ends it")
    func resumedIsJudged() throws {
        let authority = try TestAuthority()
        let server = TLSConfiguration.server(identity: try authority.issue(.init(names: "DNS:localhost")))
        let client = try Self.client(authority)
        _ = try Self.connection(client, server)
        let pair = try TLSPair(client: client, server: server)
        // For this session it is tomorrow.
        X509_VERIFY_PARAM_set_time(SSL_get0_param(pair.client.session), time(nil) + 86_400)
        #expect(pair.outcome().client == .untrusted(reason: "certificate has expired"))
        #expect(!pair.client.isEstablished)
    }

    @Test("nothing is resumed where keys count, where clients show theirs, and where it is switched off")
    func resumesNothing() throws {
        let authority = try TestAuthority()
        let identity = try authority.server()
        var pinned = TLSConfiguration()
        pinned.trust = .pinned(identity.fingerprint)
        var off = try Self.client(authority)
        off.reusesSessions = false
        var withKey = try Self.client(authority)
        withKey.identity = try TLSIdentity.generate()
        for client in [pinned, off, withKey] {
            for _ in 0..<3 {
                let pair = try Self.connection(client, .server(identity: identity))
                #expect(pair.client.details?.isResumed == false)
            }
        }
        var server = TLSConfiguration.server(identity: identity)
        server.reusesSessions = false
        let client = try Self.client(authority)
        for _ in 0..<3 { #expect(try Self.connection(client, server).client.details?.isResumed == false) }
    }

    @Test("sessions of one value share a context; a changed value has its own")
    func sharing() throws {
        let authority = try TestAuthority()
        let one = try Self.client(authority)
        var copy = one
        #expect(copy.contexts === one.contexts)
        copy.serverName = "other.test"
        #expect(copy.contexts === one.contexts)
        copy.minimumVersion = .tls13
        #expect(copy.contexts !== one.contexts)
    }

    // MARK: The end

    @Test("an end of the transport without a word is an error, an announced one is not")
    func truncation() throws {
        let authority = try TestAuthority()
        let pair = try TLSPair(client: Self.client(authority), server: .server(identity: authority.server()))
        #expect(throws: TLSError.handshakeFailed(reason: "the peer ended the connection")) {
            try pair.server.receiveEnd()
        }
        let open = try TLSPair(client: Self.client(authority), server: .server(identity: authority.server()))
        try open.shakeHands()
        open.client.closeNotify()
        _ = try open.transfer(open.client, open.server)
        #expect(try TLSPair.read(open.server).isEmpty)
        try open.server.receiveEnd()
        #expect(throws: TLSError.truncated) { try open.client.receiveEnd() }
    }

    @Test("roots must be certificates")
    func badRoots() throws {
        for roots in [[], ["nonsense"], [""]] {
            var configuration = TLSConfiguration()
            configuration.trust = .roots(roots)
            #expect(throws: TLSError.self) {
                try TLSSession(role: .client, configuration: configuration, host: "localhost")
            }
        }
    }
}

extension TLSPair {
    init(client: TLSSession, server: TLSSession) {
        self.client = client
        self.server = server
    }
}
