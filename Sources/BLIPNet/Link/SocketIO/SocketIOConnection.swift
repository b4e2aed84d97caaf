// The transports of one connection: carries out what the session wants, and says what comes of it.
// Polling has two HTTP connections, one for the GET that waits and one for POSTs; the WebSocket has its own.

internal import Glibc

/// One connection to a Socket.IO server, from its first request until nothing of it is left. It runs on the event loop of its
/// client, which calls it without waiting.
actor SocketIOConnection {
    enum Report: Sendable {
        /// For the session. `failure` is the error itself, where the input has only its words.
        case input(EngineIOInput, failure: SocketIOError?)
        /// The WebSocket has taken what it was given.
        case hasRoom
        /// Every request and every socket is over. Nothing follows.
        case gone
    }

    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let options: SocketIOOptions
    private let target: SocketIOTarget
    private let tracer: SocketIOTracer?
    private let report: @Sendable (Report) -> Void
    private let poller: HTTPClient
    private let poster: HTTPClient
    private var cookies = HTTPCookieJar()
    private var requests: [HTTPRequest.Method: Task<Void, Never>] = [:]
    /// A GET that is not sent before there is room for its answer.
    private var heldGet: [EngineIOQueryItem]?
    private var webSocket: SocketIOWebSocket?
    private var lastSocket = 0
    /// Tasks that have not ended.
    private var runningCount = 0
    private var isPaused = false
    private var roomWaiter: CheckedContinuation<Void, Never>?
    private var isEnded = false
    private var isGone = false

    /// `report` is called on `loop`.
    init(
        _ options: SocketIOOptions, loop: EventLoop, tracer: SocketIOTracer?,
        report: @escaping @Sendable (Report) -> Void
    ) {
        self.options = options
        self.loop = loop
        self.tracer = tracer
        self.report = report
        target = SocketIOTarget(options)
        var settings = HTTPClient.Settings(origin: target.origin)
        settings.tls = options.tls
        settings.proxy = options.proxy
        settings.credentials = options.credentials
        settings.connect = options.connect
        settings.limits.maxBodyBytes = options.maxBodyBytes
        poller = HTTPClient(settings)
        poster = HTTPClient(settings)
    }

    // MARK: Actions

    func perform(_ action: EngineIOAction) {
        switch action {
        case .get(let query):
            if isPaused { heldGet = query } else { get(query) }
        case .post(let query, let payload):
            var request = HTTPRequest(method: .post, target: target.target(query), body: payload.body)
            request.fields.append(name: "Content-Type", value: payload.contentType)
            send(request, query)
        case .openWebSocket(let query): openWebSocket(query)
        case .sendWebSocket(let kind, let bytes):
            tracer?.note(isOutgoing: true, kind, bytes)
            webSocket?.send(kind, bytes)
        case .closeWebSocket: closeWebSocket()
        case .end: end()
        }
    }

    /// Whether the WebSocket takes another message at once.
    var hasRoom: Bool { webSocket?.hasRoom ?? true }

    /// The client reads no more from the server until somebody has read these.
    func pause(_ isPaused: Bool) {
        guard isPaused != self.isPaused else { return }
        self.isPaused = isPaused && !isEnded
        guard !self.isPaused else { return }
        roomWaiter?.resume()
        roomWaiter = nil
        if let query = heldGet.take() { get(query) }
    }

    /// The client is gone: nobody hears what follows.
    func abandon() {
        webSocket?.disconnect()
        end()
    }

    private func end() {
        guard !isEnded else { return }
        pause(false)
        heldGet = nil
        isEnded = true
        for request in requests.values { request.cancel() }
        closeWebSocket()
        Task { [poller, poster] in
            await poller.close()
            await poster.close()
        }
        leaveIfDone()
    }

    private func leaveIfDone() {
        guard isEnded, runningCount == 0, !isGone else { return }
        isGone = true
        // Not while the client is calling.
        loop.execute { [report] in report(.gone) }
    }

    private func tell(_ input: EngineIOInput, failure: SocketIOError? = nil) {
        guard !isEnded else { return }
        if let failure { tracer?.note(.failed(failure)) }
        report(.input(input, failure: failure))
    }

    /// Starts a task that the end waits for.
    private func run(_ body: @escaping @Sendable (isolated SocketIOConnection) async -> Void) -> Task<Void, Never> {
        runningCount += 1
        return Task {
            await body(self)
            finished()
        }
    }

    private func finished() {
        runningCount -= 1
        leaveIfDone()
    }

    // MARK: Polling

    private func get(_ query: [EngineIOQueryItem]) {
        send(HTTPRequest(target: target.target(query)), query)
    }

    private func send(_ request: HTTPRequest, _ query: [EngineIOQueryItem]) {
        guard !isEnded else { return }
        var request = request
        let url = target.origin.with(target: request.target)
        for field in fields(for: url).all { request.fields.append(name: field.name, value: field.value) }
        let (method, client) = (request.method, request.method == .post ? poster : poller)
        tracer?.note(
            .request(method: method.rawValue, target: target.redacted(query), byteCount: request.body.count))
        requests[method] = run { [request] connection in
            let result = await client.send(request)
            connection.answered(method, result, from: url)
        }
    }

    private func answered(
        _ method: HTTPRequest.Method, _ result: Result<HTTPResponse, HTTPClientError>, from url: WebSocketURL
    ) {
        requests[method] = nil
        switch result {
        case .success(let response):
            tracer?.note(
                .response(method: method.rawValue, status: response.head.status, byteCount: response.body.count))
            cookies.take(response.head.fields, from: url, now: Self.date)
            let (status, body) = (response.head.status, response.body)
            tell(method == .post ? .posted(status: status, body: body) : .got(status: status, body: body))
        case .failure(let error):
            let failure = SocketIOError(error)
            let words = "\(failure)"
            tell(method == .post ? .postFailed(words) : .getFailed(words), failure: failure)
        }
    }

    /// The user's fields, and the cookies for `url`.
    private func fields(for url: WebSocketURL) -> HTTPFields {
        var all = options.fields.values("Cookie")
        if let header = cookies.header(for: url, now: Self.date) { all.append(header) }
        return all.isEmpty ? options.fields : options.fields.replacing("Cookie", with: all.joined(separator: "; "))
    }

    /// Seconds since 1970, for cookies.
    private static var date: Int64 { Int64(time(nil)) }

    // MARK: WebSocket

    private func openWebSocket(_ query: [EngineIOQueryItem]) {
        guard !isEnded else { return }
        tracer?.note(.webSocketOpening(target: target.redacted(query)))
        var request = WebSocketRequest(url: target.url(query))
        request.fields = fields(for: request.url)
        request.tls = options.tls
        request.proxy = options.proxy
        request.credentials = options.credentials
        request.connect = options.connect
        request.maxRedirects = 0
        let limits = options.limits
        request.limits.maxMessageBytes = max(limits.maxPacketBytes, limits.maxAttachmentBytes) + 2
        request.limits.closeTimeout = limits.closeTimeout
        // Engine.IO has a heartbeat of its own.
        request.limits.keepaliveInterval = nil
        lastSocket += 1
        let number = lastSocket
        webSocket = SocketIOWebSocket(number: number)
        webSocket?.task = run { [request] connection in
            let result = await Self.open(request)
            await connection.use(number, result)
        }
    }

    private static func open(_ request: WebSocketRequest) async -> Result<WebSocketChannel, WebSocketError> {
        do throws(WebSocketError) {
            return .success(try await WebSocketChannel.connect(request))
        } catch {
            return .failure(error)
        }
    }

    /// Whether the WebSocket with this number is the one in use; what others say is of no interest.
    private func isCurrent(_ number: Int) -> Bool { webSocket?.number == number && !isEnded }

    private func use(_ number: Int, _ result: Result<WebSocketChannel, WebSocketError>) async {
        switch result {
        case .success(let channel):
            guard isCurrent(number), let outbox = webSocket?.outbox else {
                channel.disconnect()
                return
            }
            webSocket?.channel = channel
            _ = run { [loop, report] _ in
                await outbox.drain(into: channel, window: SocketIOWebSocket.window) {
                    loop.execute { report(.hasRoom) }
                }
            }
            tracer?.note(.webSocketOpened)
            tell(.webSocketOpened)
            await read(channel, number)
        case .failure(.refused(let head)):
            guard isCurrent(number) else { return }
            tracer?.note(.response(method: "GET", status: head.status, byteCount: 0))
            tell(.webSocketRefused(status: head.status, body: []))
        case .failure(let error):
            guard isCurrent(number) else { return }
            let failure = SocketIOError(error)
            tell(.webSocketClosed("\(failure)"), failure: failure)
        }
    }

    /// Hands on what comes, until the end. Once the WebSocket is being closed, what comes is dropped.
    private func read(_ channel: WebSocketChannel, _ number: Int) async {
        while true {
            if isPaused {
                await withCheckedContinuation { waiter in
                    if isPaused { roomWaiter = waiter } else { waiter.resume() }
                }
            }
            let message = await channel.nextMessage()
            guard case .success(let message?) = message else { break }
            guard isCurrent(number) else { continue }
            let bytes: [UInt8] =
                switch message {
                case .text(let text): Array(text.utf8)
                case .binary(let bytes): bytes
                }
            tracer?.note(isOutgoing: false, message.kind, bytes)
            tell(.webSocketMessage(message.kind, bytes))
        }
        let end = await channel.waitUntilClosed()
        guard isCurrent(number) else { return }
        webSocket?.outbox.finish()
        webSocket = nil
        let failure = SocketIOError.link(end)
        tell(.webSocketClosed("\(failure)"), failure: failure)
    }

    private func closeWebSocket() {
        guard let socket = webSocket.take() else { return }
        socket.close(on: loop, within: options.limits.closeTimeout)
    }
}
