// An HTTP/1.1 client for one server: one request at a time, over a connection that it keeps.

/// Sends requests, one after the other. The codec is `HTTPResponseReader`; this puts it on a connection.
///
/// A kept connection may end while nobody uses it. A request that meets that is sent again on a new one, if the server
/// cannot have carried it out: it was not sent at all, or it is one that changes nothing (GET) and not a byte of an
/// answer has come. A POST that was sent is never sent again.
actor HTTPClient {
    /// Where the server is, and how it is reached.
    struct Settings: Sendable {
        /// The server, plain or with TLS. Each request has a target of its own.
        var origin: WebSocketURL
        var tls = TLSConfiguration()
        var proxy = ProxyChoice.environment
        /// Our credentials, when the server or the proxy asks and its URL does not have them.
        var credentials: WebSocketRequest.Credentials?
        var connect = ConnectOptions()
        var limits = HTTPLimits()
        /// For TLS, and for the answer of a proxy.
        var handshakeTimeout = Duration.seconds(10)
        /// How long an idle connection is trusted: less than the 5 s after which common servers end one, so that no POST
        /// meets that end.
        var maxIdle = Duration.seconds(4)
    }

    private struct Kept {
        let connection: TCPConnection
        let goodUntil: MonotonicTime
    }

    /// The outcome of one try.
    private enum Outcome {
        case response(HTTPResponse)
        /// Nothing has happened on the server.
        case unsent(HTTPClientError)
        case failed(HTTPClientError)
    }

    nonisolated let loop = EventLoop.next()
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let settings: Settings
    private let random: RandomSource
    private var kept: Kept?
    private var isBusy = false
    /// How the server has asked who we are: later requests answer it at once.
    private var challenge: HTTPChallenge?
    private var credentials: HTTPCredentials?

    init(_ settings: Settings, random: RandomSource = .system) {
        self.settings = settings
        self.random = random
    }

    deinit { kept?.connection.close() }

    /// Sends a request and returns its whole answer. Cancelling the task ends the connection and the request.
    func send(_ request: HTTPRequest, deadline: MonotonicTime? = nil) async -> Result<HTTPResponse, HTTPClientError> {
        if let problem = request.problem { return .failure(.badRequest(problem)) }
        guard !isBusy else { return .failure(.busy) }
        isBusy = true
        defer { isBusy = false }
        let first = await sendOnce(request, deadline)
        guard case .success(let response) = first, await learn(from: response) else { return first }
        return await sendOnce(request, deadline)
    }

    /// Ends the kept connection.
    func close() {
        kept?.connection.close()
        kept = nil
    }

    // MARK: Credentials

    /// Takes the question of a 401; `true` if the request is to be sent again with an answer to it.
    private func learn(from response: HTTPResponse) async -> Bool {
        guard let asked = HTTPAuthentication.chosenChallenge(in: response.head, of: .server),
            challenge == nil || asked.parameters["stale"]?.lowercased() == "true",
            let known = await who(asks: asked)
        else { return false }
        challenge = asked
        credentials = known
        return true
    }

    private func who(asks challenge: HTTPChallenge) async -> HTTPCredentials? {
        if let own = settings.origin.credentials { return own }
        return await settings.credentials?(challenge)
    }

    private func authorized(_ request: HTTPRequest) -> HTTPRequest {
        guard let challenge, let credentials,
            let answer = HTTPAuthentication.answer(
                to: challenge, with: credentials, method: request.method.rawValue, target: request.target,
                random: random)
        else { return request }
        var request = request
        request.fields = request.fields.replacing(HTTPAuthenticator.server.answerField, with: answer)
        return request
    }

    // MARK: One request

    /// Sends on the kept connection, if that is still good, else on a new one.
    private func sendOnce(
        _ request: HTTPRequest, _ deadline: MonotonicTime?
    ) async -> Result<HTTPResponse, HTTPClientError> {
        let request = authorized(request)
        if let connection = await takeKept() {
            switch await exchange(request, on: connection, deadline) {
            case .response(let response): return .success(response)
            case .failed(let error): return .failure(error)
            case .unsent: break
            }
        }
        switch await connect() {
        case .failure(let error): return .failure(error)
        case .success(let connection):
            switch await exchange(request, on: connection, deadline) {
            case .response(let response): return .success(response)
            case .failed(let error), .unsent(let error): return .failure(error)
            }
        }
    }

    private func takeKept() async -> TCPConnection? {
        guard let kept = kept.take() else { return nil }
        // Ended, or with bytes that nobody has asked for (a server that says 408 before it closes).
        guard await kept.connection.isQuiet, kept.goodUntil > .now() else {
            kept.connection.close()
            return nil
        }
        return kept.connection
    }

    private func exchange(
        _ request: HTTPRequest, on connection: TCPConnection, _ deadline: MonotonicTime?
    ) async -> Outcome {
        var writeError: NetError?
        do throws(NetError) {
            try await connection.write(request.encoded(host: settings.origin.hostHeader), deadline: deadline)
        } catch {
            writeError = error
        }
        // A server that refuses a large body answers before it has read all of it: the answer counts.
        var reader = HTTPResponseReader(method: request.method, limits: settings.limits)
        do throws(HTTPResponseError) {
            while true {
                let bytes: [UInt8]
                do throws(NetError) { bytes = try await connection.readSome(deadline: deadline) } catch {
                    connection.close()
                    return failure(writeError ?? error, request, reader)
                }
                let response = bytes.isEmpty ? try reader.receiveEnd() : try reader.receive(bytes)
                guard let response else { continue }
                keep(connection, after: response, isIntact: writeError == nil && !bytes.isEmpty)
                return .response(response)
            }
        } catch {
            connection.close()
            if error == .cutOff, !reader.hasBegun { return failure(writeError ?? .closedByPeer, request, reader) }
            return .failed(.response(error))
        }
    }

    private func failure(_ error: NetError, _ request: HTTPRequest, _ reader: HTTPResponseReader) -> Outcome {
        // A GET changes nothing. Time that is over does not come back, and a task that was cancelled wants nothing more.
        let mayRepeat = request.method != .post && !reader.hasBegun
        switch error {
        case .closedByPeer, .closedLocally, .posix:
            return mayRepeat ? .unsent(HTTPClientError(error)) : .failed(HTTPClientError(error))
        default: return .failed(HTTPClientError(error))
        }
    }

    private func keep(_ connection: TCPConnection, after response: HTTPResponse, isIntact: Bool) {
        guard isIntact, response.keepsConnection else {
            connection.close()
            return
        }
        // A second less than the server allows: a request takes time to arrive.
        let theirs = response.keepAliveTimeout.map { $0 - .seconds(1) } ?? settings.maxIdle
        kept = Kept(connection: connection, goodUntil: .now() + min(theirs, settings.maxIdle))
    }

    // MARK: Connecting

    private func connect() async -> Result<TCPConnection, HTTPClientError> {
        switch await dial() {
        case .failure(let error): return .failure(error)
        case .success(let connection):
            do throws(NetError) {
                try await connection.waitUntilConnected()
                guard settings.origin.isEncrypted else { return .success(connection) }
                var tls = settings.tls
                // Behind a proxy the connection does not know whom it leads to.
                tls.serverName = tls.serverName ?? settings.origin.serverName
                try await connection.upgradeToTLS(tls, deadline: .now() + settings.handshakeTimeout)
                return .success(connection)
            } catch {
                connection.close()
                return .failure(HTTPClientError(error))
            }
        }
    }

    private func dial() async -> Result<TCPConnection, HTTPClientError> {
        let proxy: HTTPProxy?
        do throws(ProxyChoice.Unusable) { proxy = try settings.proxy.proxy(for: settings.origin.endpoint) } catch {
            return .failure(.unusableProxy(variable: error.variable))
        }
        guard let proxy, let target = settings.origin.tunnelTarget else {
            return .success(TCPConnection.connect(to: settings.origin.endpoint, options: settings.connect))
        }
        var limits = WebSocketLimits()
        limits.handshakeTimeout = settings.handshakeTimeout
        var tunnel = ProxyTunnel(proxy: proxy, target: target, connect: settings.connect, limits: limits)
        tunnel.credentials = settings.credentials
        do throws(ProxyTunnel.Failure) { return .success(try await tunnel.connectThrough()) } catch {
            if case .stream(.cancelled) = error { return .failure(.cancelled) }
            return .failure(.proxy(LinkError(error, of: proxy)))
        }
    }
}

extension TCPConnection {
    /// The connection is open, and there are no unread bytes on it.
    fileprivate var isQuiet: Bool { end == nil && !isTransportEnded && !isInputEnded && input.isEmpty }
}
