// How a client gets from a request to an open channel: through a proxy, redirects and challenges. Every request has a
// connection of its own.

extension WebSocketChannel {
    /// Opens a WebSocket. Returns when the server has answered the upgrade; cancelling the task ends the attempt with
    /// `.link(.closedLocally)`. Messages go to `handler`, or wait for `receive` if there is none.
    public static func connect(
        _ request: WebSocketRequest, handler: (any WebSocketHandler)? = nil
    ) async throws(WebSocketError) -> WebSocketChannel {
        try request.validate()
        var call = WebSocketCall(request)
        while true {
            let channel = try await open(call, request, handler: handler)
            switch await channel.handshake() {
            case .opened: return channel
            case .failed(let error): throw error
            case .refused(let response):
                channel.disconnect()
                switch try call.take(response) {
                case .again: continue
                case .authenticate(let challenge):
                    guard let credentials = await request.answer(challenge, urlCredentials: call.url.credentials),
                        call.answer(challenge, with: credentials, random: .system)
                    else { throw .refused(response) }
                }
            }
        }
    }

    /// Makes the connection for one request.
    private static func open(
        _ call: WebSocketCall, _ request: WebSocketRequest, handler: (any WebSocketHandler)?
    ) async throws(WebSocketError) -> WebSocketChannel {
        let dialled = try await WebSocketDialer(request: request).dial(call.url)
        var options = WebSocketClientOptions(
            hostHeader: call.url.hostHeader, path: call.url.target, subprotocols: request.subprotocols,
            limits: request.limits)
        options.extraFields = call.requestFields
        options.deflate = request.deflate
        let now = MonotonicTime.now()
        var stack = WebSocketStack(
            webSocket: .client(options, now: now), tls: try session(call.url, request.tls), expectedPeer: nil,
            closeTimeout: request.limits.closeTimeout, now: now)
        // Bytes that a proxy has sent after its answer come from the server.
        dialled.unread.withUnsafeBytes { stack.receive($0, now: now) }
        let channel = WebSocketChannel(
            loop: dialled.loop, socket: dialled.socket, stack: stack, windows: request.windows,
            lingerTimeout: request.limits.closeTimeout, url: call.url, tls: call.url.isEncrypted ? request.tls : nil)
        await channel.use(handler)
        return channel
    }

    /// TLS with the server of `url`; `nil` for a plain one.
    private static func session(
        _ url: WebSocketURL, _ configuration: TLSConfiguration
    ) throws(WebSocketError) -> TLSSession? {
        guard url.isEncrypted else { return nil }
        do throws(TLSError) {
            return try TLSSession(role: .client, configuration: configuration, host: url.serverName)
        } catch {
            throw .tls(error)
        }
    }

    private func use(_ handler: (any WebSocketHandler)?) { self.handler = handler }
}

extension WebSocketRequest {
    /// Our credentials for the sender of `challenge`: those in its URL, else those that the caller supplies.
    func answer(_ challenge: HTTPChallenge, urlCredentials: HTTPCredentials?) async -> HTTPCredentials? {
        if let urlCredentials { return urlCredentials }
        return await credentials?(challenge)
    }
}
