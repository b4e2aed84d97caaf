// TLS, WebSocket and BLIP of one connection as one value: bytes from the socket go in, events for the link's user
// and bytes for the socket come out. No clock, no descriptor, no thread; `PeerLink` (or a simulation) drives it.

/// The protocol layers of one link.
///
/// The driver's part: call `receive` with what the socket yields, then `nextEvent` until it is `nil`, then
/// `nextOutgoing` as long as the socket has room, then wait for bytes, room or `deadline`. After `.opened` nothing is
/// delivered until the driver has called `start`.
public struct ProtocolStack {
    /// What comes out of the stack, in order. `.closed` comes exactly once and last.
    public enum Event: Sendable {
        /// Both handshakes are over.
        case opened(subprotocol: String?, remoteFingerprint: SPKIFingerprint?)
        case request(BLIPIncomingRequest)
        case response(number: UInt64, BLIPResponse)
        case requestFailed(number: UInt64, LinkError)
        /// The link has ended; what `nextOutgoing` still yields says so to the peer.
        case closed(LinkError)
    }

    enum State: Equatable {
        case handshake
        /// Open, but the driver has not called `start`.
        case opened
        case running
        /// We are to close when everything queued is sent.
        case flushing(code: UInt16, reason: String)
        /// Our close frame is queued or sent, the peer's has not come.
        case closing
        case ended
    }

    let tls: TLSSession?
    var webSocket: WebSocketConnection
    var blip: BLIPConnection?
    var state = State.handshake
    var isClosedReported = false
    /// Why the stack ended; set together with `.ended`.
    var end: LinkError?
    var hasSentCloseNotify = false
    var isTransportGone = false
    var isIdentityChecked: Bool
    var now: MonotonicTime
    var handshakeDeadline: MonotonicTime?
    private var pingsSent: UInt64 = 0
    private var pingSentAt: MonotonicTime?
    private var measuredRoundTrip: Duration?
    var flushDeadline: MonotonicTime?

    let options: LinkOptions
    let isClient: Bool
    /// Decrypted bytes between TLS and WebSocket, plain bytes between WebSocket and TLS, one frame between BLIP and
    /// WebSocket: kept only to reuse their storage.
    var plainIn = ByteQueue()
    var plainOut = ByteQueue()
    var frame = ByteQueue()

    /// How many bytes of small frames are put into one TLS record.
    static let gatheredBytes = 4096

    /// The calling side. `host` is what stands in the HTTP `Host` field.
    public static func client(
        host: String, options: LinkOptions, random: RandomSource = .system, now: MonotonicTime
    ) throws(LinkError) -> ProtocolStack {
        let webSocket = WebSocketConnection.client(
            WebSocketClientOptions(
                hostHeader: host, path: options.path,
                subprotocols: [BLIPDialect.blip3.subprotocol(application: options.application)],
                limits: options.webSocket),
            random: random, now: now)
        return try ProtocolStack(isClient: true, webSocket: webSocket, options: options, now: now)
    }

    /// The called side.
    public static func server(
        options: LinkOptions, random: RandomSource = .system, now: MonotonicTime
    ) throws(LinkError) -> ProtocolStack {
        let webSocket = WebSocketConnection.server(
            WebSocketServerOptions(
                subprotocols: [BLIPDialect.blip3.subprotocol(application: options.application)], path: options.path,
                limits: options.webSocket),
            random: random, now: now)
        return try ProtocolStack(isClient: false, webSocket: webSocket, options: options, now: now)
    }

    private init(
        isClient: Bool, webSocket: WebSocketConnection, options: LinkOptions, now: MonotonicTime
    ) throws(LinkError) {
        do throws(TLSError) {
            tls = try options.identity.map { identity throws(TLSError) in
                try TLSSession(role: isClient ? .client : .server, identity: identity)
            }
        } catch {
            throw .notBLIP(reason: "TLS cannot start here: \(error.reason)")
        }
        self.isClient = isClient
        self.webSocket = webSocket
        self.options = options
        self.now = now
        isIdentityChecked = options.identity == nil
        handshakeDeadline = now + options.handshakeTimeout
    }

    // MARK: What the driver asks

    /// Begins to deliver requests, after `.opened`. `makeSink` decides where the bodies of requests go.
    public mutating func start(makeSink: @escaping @Sendable (BLIPMessageHead) -> (any BodySink)?) {
        guard state == .opened else { return }
        blip = BLIPConnection(dialect: .blip3, limits: options.blip, makeSink: makeSink)
        state = .running
    }

    /// Turns the peer away after `.opened`: close code 1008.
    public mutating func refuse(reason: String) {
        guard state == .opened else { return }
        webSocket.close(code: WebSocketCloseCode.policyViolation, reason: reason, now: now)
        finish(.closedLocally)
    }

    /// Queues a request and returns its number; `nil` when the stack is not running any more.
    public mutating func send(_ request: BLIPRequest, sink: (any BodySink)?, noReply: Bool) -> UInt64? {
        guard state == .running else { return nil }
        return blip?.send(request, sink: sink, noReply: noReply)
    }

    /// Queues the response to a request of the peer.
    public mutating func respond(to number: UInt64, with response: BLIPResponse) {
        blip?.respond(to: number, with: response)
    }

    /// Forgets a request of ours.
    public mutating func cancel(_ number: UInt64) { blip?.cancel(number) }

    /// Measures the round trip; the outcome is in `roundTrip` when the peer has answered.
    public mutating func ping(now: MonotonicTime) {
        guard state == .running else { return }
        pingsSent &+= 1
        pingSentAt = now
        webSocket.ping(withUnsafeBytes(of: pingsSent.bigEndian, Array.init))
    }

    /// A pong that is not the keepalive's: the answer to our last `ping`, or nothing of interest.
    mutating func receivePong(_ payload: [UInt8]) {
        guard let sentAt = pingSentAt, payload == withUnsafeBytes(of: pingsSent.bigEndian, Array.init) else { return }
        pingSentAt = nil
        measuredRoundTrip = now - sentAt
    }

    /// The time from a ping to its pong: of the last `ping`, else of the last keepalive ping.
    public var roundTrip: Duration? { measuredRoundTrip ?? webSocket.roundTrip }

    /// Ends the link in order: first sends what is queued (as long as `closeTimeout`), then says goodbye.
    public mutating func close(code: UInt16, reason: String, now: MonotonicTime) {
        self.now = now
        switch state {
        case .handshake: finish(.closedLocally)
        case .opened: refuse(reason: reason)
        case .running:
            state = .flushing(code: code, reason: reason)
            flushDeadline = now + options.closeTimeout
        case .flushing, .closing, .ended: break
        }
    }

    // MARK: Time

    /// When `handleTimeout` wants to be called.
    public var deadline: MonotonicTime? {
        guard state != .ended else { return nil }
        return [handshakeDeadline, flushDeadline, webSocket.deadline, blip?.deadline].compactMap { $0 }.min()
    }

    /// Does what is due at `now`; harmless when nothing is.
    public mutating func handleTimeout(now: MonotonicTime) {
        self.now = now
        guard state != .ended else { return }
        if let handshakeDeadline, handshakeDeadline <= now {
            finish(.timedOut("handshake"))
            return
        }
        if let flushDeadline, flushDeadline <= now { beginCloseHandshake() }
        webSocket.handleTimeout(now: now)
        blip?.handleTimeout(now: now)
    }

    /// What was to be sent is sent, or its time is over: now the WebSocket close handshake.
    mutating func beginCloseHandshake() {
        guard case .flushing(let code, let reason) = state else { return }
        flushDeadline = nil
        state = .closing
        webSocket.close(
            code: WebSocketCloseCode.isAllowedOnWire(code) ? code : WebSocketCloseCode.normal, reason: reason,
            now: now)
    }

    // MARK: The end

    /// Whether nothing more will come out and the transport may be half-closed.
    public var isEnded: Bool { state == .ended }

    /// Ends the stack for `reason`; the first reason counts. Queued messages are dropped.
    mutating func finish(_ reason: LinkError) {
        guard state != .ended else { return }
        state = .ended
        end = reason
        handshakeDeadline = nil
        flushDeadline = nil
        _ = blip?.disconnect()
        blip = nil
    }
}
