// Makes the stream on which a WebSocket client speaks: to the server itself, or through a tunnel of its proxy.

internal import Glibc

/// One connection for one request.
struct WebSocketDialer: Sendable {
    let request: WebSocketRequest

    /// Connects to the server of `url`.
    func dial(_ url: WebSocketURL) async throws(WebSocketError) -> DetachedStream {
        guard let proxy = try proxy(for: url), let target = url.tunnelTarget else {
            return try await detached(TCPConnection.connect(to: url.endpoint, options: request.connect))
        }
        return try await tunnel(to: target, through: proxy)
    }

    private func proxy(for url: WebSocketURL) throws(WebSocketError) -> HTTPProxy? {
        do throws(ProxyChoice.Unusable) {
            return try request.proxy.proxy(for: url) { name in getenv(name).map { String(cString: $0) } }
        } catch {
            throw .unusableProxy(variable: error.variable)
        }
    }

    // MARK: Proxies

    /// Asks the proxy for a tunnel; once more if it wants to know who we are.
    private func tunnel(to target: String, through proxy: HTTPProxy) async throws(WebSocketError) -> DetachedStream {
        var tunnel = HTTPTunnel(target: target)
        while true {
            let connection = TCPConnection.connect(to: proxy.endpoint, options: request.connect)
            let response = try await ask(tunnel, on: connection)
            if HTTPTunnel.isOpen(response) { return try await detached(connection) }
            connection.close()
            guard tunnel.authorization == nil,
                let challenge = HTTPAuthentication.chosenChallenge(in: response, of: .proxy),
                let credentials = await request.answer(challenge, urlCredentials: proxy.credentials),
                let authorization = HTTPAuthentication.answer(
                    to: challenge, with: credentials, method: HTTPTunnel.method, target: target, random: .system)
            else { throw .refusedByProxy(response) }
            tunnel.authorization = authorization
        }
    }

    private func ask(
        _ tunnel: HTTPTunnel, on connection: TCPConnection
    ) async throws(WebSocketError) -> HTTPResponseHead {
        let head: [UInt8]
        do throws(NetError) {
            try await connection.waitUntilConnected()
            let deadline = MonotonicTime.now() + request.limits.handshakeTimeout
            try await connection.write(tunnel.request, deadline: deadline)
            head = try await connection.read(
                through: Array("\r\n\r\n".utf8), max: request.limits.maxHeadBytes, deadline: deadline)
        } catch {
            connection.close()
            if case .delimiterNotFound = error { throw .proxyViolated(reason: HTTPHeadError.tooLarge.reason) }
            throw .link(LinkError(error))
        }
        do throws(HTTPHeadError) {
            return try HTTPTunnel.response(head, maxFields: request.limits.maxHeadFields)
        } catch {
            connection.close()
            throw .proxyViolated(reason: error.reason)
        }
    }

    private func detached(_ connection: TCPConnection) async throws(WebSocketError) -> DetachedStream {
        do throws(NetError) { return try await connection.detach() } catch { throw .link(LinkError(error)) }
    }
}
