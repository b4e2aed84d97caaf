// Makes the stream on which a WebSocket client speaks: to the server itself, or through a tunnel of its proxy.

/// One connection for one request.
struct WebSocketDialer: Sendable {
    let request: WebSocketRequest

    /// Connects to the server of `url`.
    func dial(_ url: WebSocketURL) async throws(WebSocketError) -> DetachedStream {
        guard let proxy = try proxy(for: url), let target = url.tunnelTarget else {
            return try await detached(TCPConnection.connect(to: url.endpoint, options: request.connect))
        }
        var tunnel = ProxyTunnel(proxy: proxy, target: target, connect: request.connect, limits: request.limits)
        tunnel.credentials = request.credentials
        do throws(ProxyTunnel.Failure) { return try await tunnel.open() } catch {
            switch error {
            case .refused(let response): throw .refusedByProxy(response)
            case .violated(let reason): throw .proxyViolated(reason: reason)
            case .stream(let error): throw .link(LinkError(error))
            }
        }
    }

    private func proxy(for url: WebSocketURL) throws(WebSocketError) -> HTTPProxy? {
        do throws(ProxyChoice.Unusable) { return try request.proxy.proxy(for: url.endpoint) } catch {
            throw .unusableProxy(variable: error.variable)
        }
    }

    private func detached(_ connection: TCPConnection) async throws(WebSocketError) -> DetachedStream {
        do throws(NetError) { return try await connection.detach() } catch { throw .link(LinkError(error)) }
    }
}
