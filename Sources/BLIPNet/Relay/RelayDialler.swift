// Connections to a relay: those on which we ask it for something, and those of sessions (REACH 3).

/// Where a relay is, and who it must be.
package struct RelayServer: Sendable, Hashable {
    package var host: String
    package var port: UInt16
    /// `nil`: whichever answers, for a caller that wants to look at it.
    package var id: RelayID?

    package init(host: String, port: UInt16, id: RelayID?) {
        self.host = host
        self.port = port
        self.id = id
    }

    package var endpoint: Endpoint { .host(host, port: port) }
}

/// Connects to one relay.
struct RelayDialler: Sendable {
    /// How long a step takes at most: TCP, TLS, an answer.
    static let step = Duration.seconds(5)

    let relay: RelayServer
    /// How to connect, and through which proxy.
    let options: LinkOptions

    /// A connection to the relay itself, after TLS.
    struct Line {
        let connection: TCPConnection
        /// The id of the relay that answered.
        let id: RelayID
        /// Where the relay is; `nil` with a proxy.
        let address: SocketAddress?
    }

    /// Connects with this certificate.
    func open(as identity: TLSIdentity) async throws(LinkError) -> Line {
        let connection = try await connect(to: nil, port: relay.port)
        var configuration = TLSConfiguration()
        configuration.identity = identity
        configuration.trust = relay.id.map(TrustPolicy.certificate) ?? .anyKey
        configuration.applicationProtocols = ["bep-relay"]
        configuration.reusesSessions = false
        do throws(NetError) {
            try await connection.upgradeToTLS(configuration, deadline: .now() + Self.step)
        } catch {
            throw failure(error)
        }
        let info = await connection.info
        guard let id = info?.tls?.peerCertificate else { throw failed(.violated(reason: "it has no certificate")) }
        return Line(connection: connection, id: id, address: try proxy == nil ? info?.remoteAddress : nil)
    }

    /// The stream of a session, which begins with the first byte of the other side. `address`: where the relay is.
    func join(_ invitation: RelayInvitation, at address: SocketAddress?) async throws(LinkError) -> DetachedStream {
        let connection = try await connect(to: address?.withPort(invitation.port), port: invitation.port)
        var answer: [UInt8]
        do throws(NetError) {
            let deadline = MonotonicTime.now() + Self.step
            try await connection.write(RelayMessage.joinSession(key: invitation.key).encoded(), deadline: deadline)
            // No byte more than the answer: what follows is the other side's. The reader refuses a longer one by its head.
            answer = try await connection.read(exactly: RelayMessage.headerBytes, deadline: deadline)
            let length = answer.suffix(4).reduce(0) { $0 << 8 | Int($1) }
            if (1...RelayMessage.maxPayloadBytes).contains(length) {
                answer += try await connection.read(exactly: length, deadline: deadline)
            }
        } catch {
            throw failure(error)
        }
        var reader = RelayReader()
        reader.append(answer)
        let message: RelayMessage?
        do throws(RelayViolation) { message = try reader.next() } catch {
            throw failed(.violated(reason: error.reason))
        }
        try check(message)
        do throws(NetError) { return try await connection.detach() } catch { throw failure(error) }
    }

    private func check(_ message: RelayMessage?) throws(LinkError) {
        guard case .response(let response)? = message else { throw failed(.violated(reason: "no answer to a key")) }
        switch response.code {
        case .success: break
        case .alreadyConnected: throw failed(.idTaken)
        case .notFound: throw failed(.peerSilent)
        default: throw failed(.violated(reason: response.words))
        }
    }

    // MARK: TCP

    private var proxy: HTTPProxy? {
        get throws(LinkError) {
            do throws(ProxyChoice.Unusable) { return try options.proxy.proxy(for: relay.endpoint) } catch {
                throw .proxyFailed(reason: "\(error.variable) names a proxy that cannot be used")
            }
        }
    }

    /// Connects to a port of the relay, at `address` where that is known.
    private func connect(to address: SocketAddress?, port: UInt16) async throws(LinkError) -> TCPConnection {
        var connect = options.connect
        connect.timeout = min(connect.timeout, Self.step)
        let endpoint = Endpoint.host(relay.host, port: port)
        if let proxy = try proxy {
            let tunnel = ProxyTunnel(
                proxy: proxy, target: endpoint.hostHeader, connect: connect, limits: options.webSocket)
            do throws(ProxyTunnel.Failure) { return try await tunnel.connectThrough() } catch {
                throw LinkError(error, of: proxy)
            }
        }
        let connection =
            address.map { TCPConnection.connect(to: [$0], options: connect) }
            ?? TCPConnection.connect(to: endpoint, options: connect)
        do throws(NetError) { try await connection.waitUntilConnected() } catch { throw failure(error) }
        return connection
    }

    // MARK: Failures

    func failed(_ problem: RelayProblem) -> LinkError {
        .relayFailed(RelayFailure(relay: relay.endpoint, problem: problem))
    }

    /// Translates a failure of the stream into an error of the relay.
    private func failure(_ error: NetError) -> LinkError {
        switch error {
        case .cancelled, .closedLocally, .closing: .closedLocally
        case .untrusted: failed(.otherKey)
        case .tls(let error): failed(.violated(reason: error.reason))
        default: failed(.silent)
        }
    }
}
