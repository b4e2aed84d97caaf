// Opens a stream to a server through an HTTP proxy (RFC 9110 section 9.3.6): for links and for WebSocket clients.

internal import Glibc

/// One tunnel.
struct ProxyTunnel: Sendable {
    /// Why there is none.
    enum Failure: Error {
        /// The proxy's answer.
        case refused(HTTPResponseHead)
        /// It answers in something that is not HTTP; says what.
        case violated(reason: String)
        case stream(NetError)
    }

    let proxy: HTTPProxy
    /// `host:port` of the server.
    let target: String
    var connect: ConnectOptions
    /// Bounds the proxy's answer.
    var limits: WebSocketLimits
    /// Our credentials, when the proxy asks and its own value does not have them.
    var credentials: (@Sendable (HTTPChallenge) async -> HTTPCredentials?)?

    /// Opens a stream for a driver of its own.
    func open() async throws(Failure) -> DetachedStream {
        let connection = try await connectThrough()
        do throws(NetError) { return try await connection.detach() } catch { throw .stream(error) }
    }

    /// Asks the proxy; once more if it wants to know who we are. Returns the connection that leads to the server.
    func connectThrough() async throws(Failure) -> TCPConnection {
        let connect = try connectToProxy()
        var tunnel = HTTPTunnel(target: target)
        while true {
            let connection = TCPConnection.connect(to: proxy.endpoint, options: connect)
            let response = try await ask(tunnel, on: connection)
            if HTTPTunnel.isOpen(response) { return connection }
            connection.close()
            guard tunnel.authorization == nil,
                let challenge = HTTPAuthentication.chosenChallenge(in: response, of: .proxy),
                let known = await answer(challenge),
                let authorization = HTTPAuthentication.answer(
                    to: challenge, with: known, method: HTTPTunnel.method, target: target, random: .system)
            else { throw .refused(response) }
            tunnel.authorization = authorization
        }
    }

    /// Our user has chosen the proxy, so it may have a private address. The server may not, unless `connect` allows it; of a name
    /// only the proxy can tell.
    private func connectToProxy() throws(Failure) -> ConnectOptions {
        var options = connect
        if !options.addressPolicy.allowsInside, case .host(let host, _)? = Endpoint(target),
            SocketAddress(host: host, port: 0)?.isInside == true
        {
            throw .stream(.dns(host: host, reason: "no address that may be called"))
        }
        options.addressPolicy.allowsInside = true
        return options
    }

    private func answer(_ challenge: HTTPChallenge) async -> HTTPCredentials? {
        if let own = proxy.credentials { return own }
        return await credentials?(challenge)
    }

    private func ask(_ tunnel: HTTPTunnel, on connection: TCPConnection) async throws(Failure) -> HTTPResponseHead {
        let deadline: MonotonicTime
        do throws(NetError) {
            try await connection.waitUntilConnected()
            deadline = .now() + limits.handshakeTimeout
            try await connection.write(tunnel.request, deadline: deadline)
        } catch {
            connection.close()
            throw .stream(error)
        }
        var room = limits.maxHeadBytes
        while true {
            let head = try await readHead(from: connection, max: room, deadline: deadline)
            room -= head.count
            do throws(HTTPHeadError) {
                let response = try HTTPTunnel.response(head, maxFields: limits.maxHeadFields)
                if !response.isInterim { return response }
            } catch {
                connection.close()
                throw .violated(reason: error.reason)
            }
        }
    }

    /// A whole head, the empty line included.
    private func readHead(
        from connection: TCPConnection, max: Int, deadline: MonotonicTime
    ) async throws(Failure) -> [UInt8] {
        let end = Array("\r\n\r\n".utf8)
        guard max >= end.count else {
            connection.close()
            throw .violated(reason: HTTPHeadError.tooLarge.reason)
        }
        do throws(NetError) {
            return try await connection.read(through: end, max: max, deadline: deadline)
        } catch {
            connection.close()
            if case .delimiterNotFound = error { throw .violated(reason: HTTPHeadError.tooLarge.reason) }
            throw .stream(error)
        }
    }
}

extension LinkError {
    init(_ failure: ProxyTunnel.Failure, of proxy: HTTPProxy) {
        switch failure {
        case .refused(let head):
            let reason = head.reason.isEmpty ? "" : " \(head.reason)"
            self = .proxyFailed(reason: "\(proxy.endpoint) answers \(head.status)\(reason)")
        case .violated(let reason): self = .proxyFailed(reason: "\(proxy.endpoint) is not an HTTP proxy: \(reason)")
        case .stream(.cancelled), .stream(.closedLocally), .stream(.closing): self = .closedLocally
        case .stream(.connectTimedOut), .stream(.readTimedOut), .stream(.writeTimedOut):
            self = .proxyFailed(reason: "\(proxy.endpoint) does not answer")
        case .stream(.posix(_, let number)):
            self = .proxyFailed(reason: "\(proxy.endpoint): \(String(cString: strerror(number)))")
        case .stream(.dns(let host, let reason)):
            self = .proxyFailed(reason: "\(host) cannot be resolved: \(reason)")
        case .stream(let error): self = LinkError(error)
        }
    }
}
