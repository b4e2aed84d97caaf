// How TLS is to be spoken: who we are, whom we believe, and which version at least.

/// The settings of TLS sessions, for either role. Sessions of one value (and of its copies that were not changed)
/// share one OpenSSL context, so a value is best made once and kept.
public struct TLSConfiguration: Sendable {
    /// Whether a server wants certificates of its clients.
    public enum ClientCertificates: Sendable, Equatable {
        /// The server asks clients for no certificate.
        case ignored
        /// A client may present one, which `trust` must accept.
        case optional
        /// A client must present one, which `trust` must accept.
        case required
    }

    /// Our key and certificate. A server must have one.
    public var identity: TLSIdentity? { didSet { contexts = TLSContextPool() } }
    /// Which peers are believed.
    public var trust = TrustPolicy.system { didSet { contexts = TLSContextPool() } }
    /// The name that a server must have in its certificate, and that we send to it (SNI, RFC 6066). `nil` means the
    /// host that was dialled.
    public var serverName: String?
    /// Whether `.system` and `.roots` compare the name of the server. Without it, any server with a certificate of
    /// those authorities is believed.
    package var checksServerName = true
    public var minimumVersion = TLSVersion.tls12 { didSet { contexts = TLSContextPool() } }
    /// The application's protocols in order of preference (ALPN, RFC 7301), each of 1 to 255 bytes. Empty: none is
    /// negotiated. A server with some refuses clients that have no common one, and serves those that do not ask.
    public var applicationProtocols: [String] = [] { didSet { contexts = TLSContextPool() } }
    /// On a server: whether clients present certificates.
    public var clientCertificates = ClientCertificates.ignored { didSet { contexts = TLSContextPool() } }
    /// Whether later connections to the same server may skip a part of the handshake. Only for `.system` and
    /// `.roots`, and only without certificates of clients: where keys are compared, each handshake shows the key.
    package var reusesSessions = true { didSet { contexts = TLSContextPool() } }

    /// Only keys of Ed25519 are believed, ours is one, too: a peer with another kind of key is refused in the handshake.
    var takesOnlyEd25519 = false { didSet { contexts = TLSContextPool() } }

    var contexts = TLSContextPool()

    /// The settings that a client should have: the authorities of the system, the name of the server, TLS 1.2 at least.
    public init() {}

    /// The settings that a server should have: a certificate, no questions.
    public static func server(identity: TLSIdentity) -> TLSConfiguration {
        var configuration = TLSConfiguration()
        configuration.identity = identity
        return configuration
    }

    /// The settings of the peers of links (DESIGN 5), in either role: TLS 1.3 only, both sides present certificates,
    /// nothing is resumed, only the key counts, and it is one of Ed25519. Without an `expected` key any is accepted,
    /// and the user looks at it.
    package static func pinned(identity: TLSIdentity, expected: SPKIFingerprint?) -> TLSConfiguration {
        var configuration = TLSConfiguration()
        configuration.identity = identity
        configuration.trust = expected.map(TrustPolicy.pinned) ?? .anyKey
        configuration.minimumVersion = .tls13
        configuration.clientCertificates = .required
        configuration.reusesSessions = false
        configuration.takesOnlyEd25519 = true
        configuration.contexts = identity.peerContexts
        return configuration
    }

    /// Whether OpenSSL itself judges the chain, during the handshake.
    var isJudgedByAuthorities: Bool {
        switch trust {
        case .system, .roots: true
        case .pinned, .certificate, .anyKey, .custom: false
        }
    }

    /// Whether sessions of `role` may be resumed.
    func mayResume(_ role: TLSRole) -> Bool {
        guard reusesSessions, isJudgedByAuthorities else { return false }
        return role == .client ? identity == nil : clientCertificates == .ignored
    }
}
