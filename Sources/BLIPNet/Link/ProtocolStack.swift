// TLS, WebSocket and BLIP of one connection as one value: bytes from the socket go in, events for the link's user
// and bytes for the socket come out. No clock, no descriptor, no thread; `PeerLink` (or a simulation) drives it.

/// The protocol layers of one link.
///
/// The driver's part: call `receive` with what the socket yields, then `nextEvent` until it is `nil`, then
/// `nextOutgoing` as long as the socket has room, then wait for bytes, room or `deadline`. After `.opened` nothing is
/// delivered until the driver has called `start`.
package struct ProtocolStack: StreamStack {
    /// The output of the stack, in order. `.closed` comes exactly once and last.
    package enum Event: Sendable {
        /// Both handshakes are over.
        case opened(subprotocol: String?, remoteFingerprint: SPKIFingerprint?)
        case request(BLIPIncomingRequest)
        case response(number: UInt64, BLIPResponse)
        case requestFailed(number: UInt64, LinkError)
        /// The link has ended; the bytes that `nextOutgoing` still yields say so to the peer.
        case closed(LinkError)
    }

    var lower: WebSocketStack
    /// From `start` to the end.
    var blip: BLIPConnection?
    /// The traffic that has passed between BLIP and WebSocket.
    package private(set) var counters = LinkCounters()
    /// The dialect that the peers have agreed on, from `.opened` on.
    package private(set) var dialect: BLIPDialect?
    private let options: LinkOptions
    private let negotiation: DialectNegotiation
    private let tracer: LinkTracer?
    /// Open, but the driver has not called `start`.
    private var isWaitingForStart = false
    /// One frame between BLIP and WebSocket: kept only to reuse its storage.
    private var frame = ByteQueue()

    /// The calling side. `host` is the value of the HTTP `Host` field.
    package static func client(
        host: String, options: LinkOptions, random: RandomSource = .system, now: MonotonicTime
    ) throws(LinkError) -> ProtocolStack {
        let webSocket = WebSocketConnection.client(
            WebSocketClientOptions(
                hostHeader: host, path: options.path,
                subprotocols: options.negotiation.subprotocols,
                limits: options.webSocket),
            random: random, now: now)
        return try ProtocolStack(role: .client, webSocket: webSocket, options: options, now: now)
    }

    /// The called side.
    package static func server(
        options: LinkOptions, random: RandomSource = .system, now: MonotonicTime
    ) throws(LinkError) -> ProtocolStack {
        var accepted = WebSocketServerOptions(
            subprotocols: options.negotiation.subprotocols,
            allowsNoSubprotocol: options.negotiation.allowsNoSubprotocol,
            path: options.acceptsAnyPath ? nil : options.path, allowedOrigins: options.allowedOrigins,
            limits: options.webSocket)
        accepted.allowsUnknownSubprotocols = false
        let webSocket = WebSocketConnection.server(accepted, random: random, now: now)
        return try ProtocolStack(role: .server, webSocket: webSocket, options: options, now: now)
    }

    private init(
        role: TLSRole, webSocket: WebSocketConnection, options: LinkOptions, now: MonotonicTime
    ) throws(LinkError) {
        let tls: TLSSession?
        do throws(TLSError) {
            tls = try options.identity.map { identity throws(TLSError) in
                try TLSSession(role: role, identity: identity, expecting: options.expectedPeer)
            }
        } catch {
            throw .notBLIP(reason: "TLS cannot start here: \(error.reason)")
        }
        lower = WebSocketStack(
            webSocket: webSocket, tls: tls, expectedPeer: options.expectedPeer, closeTimeout: options.closeTimeout,
            now: now)
        self.options = options
        negotiation = options.negotiation
        tracer = options.trace.map(LinkTracer.init)
    }

    // MARK: Questions of the driver

    /// Begins to deliver requests, after `.opened`. `makeSink` decides where the bodies of requests go; `taken` is called
    /// on any thread when a slow consumer has taken bytes, and the driver then calls `noteTaken`.
    package mutating func start(
        taken: @escaping @Sendable () -> Void = {},
        makeSink: @escaping @Sendable (BLIPMessageHead) -> (any BodySink)?
    ) {
        guard isWaitingForStart, !lower.isEnded, let dialect else { return }
        isWaitingForStart = false
        blip = BLIPConnection(dialect: dialect, limits: options.blip, taken: taken, makeSink: makeSink)
        noteTime(lower.now)
    }

    /// Turns the peer away after `.opened`: close code 1008.
    package mutating func refuse(reason: String) {
        guard isWaitingForStart, !lower.isEnded else { return }
        lower.abort(code: WebSocketCloseCode.policyViolation, reason: reason, as: .closedLocally)
    }

    /// Queues a request and returns its number; `nil` when the stack is not running any more.
    package mutating func send(_ request: BLIPRequest, sink: (any BodySink)?, noReply: Bool) -> UInt64? {
        guard lower.isOpen else { return nil }
        return blip?.send(request, sink: sink, noReply: noReply)
    }

    /// Queues the response to a request of the peer.
    package mutating func respond(to number: UInt64, with response: BLIPResponse) {
        blip?.respond(to: number, with: response)
    }

    /// Forgets a request of ours.
    package mutating func cancel(_ number: UInt64) { blip?.cancel(number) }

    /// The peer is no stranger any more (`BLIPLimits.maxUnpackedBeforeAdmission`).
    package mutating func admit() { blip?.admit() }

    /// The driver tells the time before it sends: `AckPace` measures round trips by it.
    mutating func noteTime(_ now: MonotonicTime) { blip?.noteTime(now) }

    /// Measures the round trip; the outcome is in `roundTrip` when the peer has answered.
    package mutating func ping(now: MonotonicTime) {
        if blip != nil { lower.ping(now: now) }
    }

    /// The time from a ping to its pong: of the last `ping`, else of the last keepalive ping.
    package var roundTrip: Duration? { lower.roundTrip }

    /// Slow consumers have taken bytes.
    package mutating func noteTaken(now: MonotonicTime) {
        blip?.noteTaken(now: now)
    }

    /// How far the handshake has come.
    var handshakeStage: HandshakeStage { lower.handshakeStage }

    /// Server: asked when a whole ClientHello is there, before any work is done for it; `false` ends the stack.
    func admitHello(_ admits: @escaping @Sendable () -> Bool) { lower.admitHello(admits) }

    /// Nothing is read, by our own choice: that nothing comes says nothing about the peer.
    package mutating func excuseSilence(now: MonotonicTime) { lower.excuseSilence(now: now) }

    /// Nothing more should be read from the socket until `noteTaken` (see `DeferredBodySink`), or until `deadline`.
    package var isReadingPaused: Bool { !lower.isEnded && blip?.isReadingPaused == true }

    /// Ends the link in order: first sends what is queued (as long as `closeTimeout`), then says goodbye. In the
    /// dialects that have a `Bye` the goodbye begins with it, and what is in flight is finished before the end. `leaves`: the
    /// peer's goodbye is not waited for.
    package mutating func close(code: UInt16, reason: String, leaves: Bool = false, now: MonotonicTime) {
        guard !isWaitingForStart else {
            refuse(reason: reason)
            return
        }
        if let tracer, !lower.isEnded { tracer.note(.closing(code: code, reason: reason)) }
        if lower.isOpen { blip?.sayBye() }
        lower.close(code: code, reason: reason, leaves: leaves, now: now)
    }

    /// Whether nothing more will come out and the transport may be half-closed.
    package var isEnded: Bool { lower.isEnded }

    // MARK: In: socket -> TLS -> WebSocket -> BLIP -> event

    /// Takes bytes from the socket.
    package mutating func receive(_ bytes: UnsafeRawBufferPointer, now: MonotonicTime) {
        lower.receive(bytes, now: now)
    }

    /// The same for bytes that came before this stack was there.
    mutating func receive(_ early: [UInt8], now: MonotonicTime) {
        if !early.isEmpty { early.withUnsafeBytes { receive($0, now: now) } }
    }

    /// The same for bytes that `read` puts where they are needed.
    package mutating func receive(
        upTo capacity: Int, now: MonotonicTime, _ read: (UnsafeMutableRawBufferPointer) -> Int
    ) {
        lower.receive(upTo: capacity, now: now, read)
    }

    /// The socket has ended: the peer sends nothing more.
    package mutating func receiveEnd() { lower.receiveEnd() }

    var missingBytes: Int { lower.missingBytes }

    /// The socket has failed.
    package mutating func transportFailed(_ error: LinkError) { lower.transportFailed(error) }

    /// Yields what the received bytes meant; `nil` when everything is delivered.
    package mutating func nextEvent() -> Event? {
        while true {
            if !lower.isEnded {
                switch blip?.nextEvent() {
                case .request(let request): return .request(request)
                case .response(let number, let response): return .response(number: number, response)
                case .requestFailed(let number, let error): return .requestFailed(number: number, error)
                case nil: break
                }
                if isWaitingForStart || blip?.defersFrames == true { return nil }
            }
            switch lower.nextEvent() {
            case .opened(let subprotocol, let fingerprint):
                dialect = negotiation.dialect(subprotocol: subprotocol)
                guard dialect != nil else {
                    let reason = "no common subprotocol"
                    lower.abort(code: WebSocketCloseCode.policyViolation, reason: reason, as: .notBLIP(reason: reason))
                    continue
                }
                isWaitingForStart = true
                tracer?.note(.opened(subprotocol: subprotocol, remoteFingerprint: fingerprint))
                return .opened(subprotocol: subprotocol, remoteFingerprint: fingerprint)
            case .message(let kind): deliver(kind)
            // The options of a link never ask.
            case .upgradeRequested: continue
            case .closed(let reason):
                _ = blip?.disconnect(reason)
                blip = nil
                tracer?.note(.closed(reason))
                return .closed(reason)
            // A link knows its peers by their keys: nobody is asked.
            case .trustQuestion: lower.answerTrust(false)
            case nil: return nil
            }
        }
    }

    /// A WebSocket message is a BLIP frame.
    private mutating func deliver(_ kind: WebSocketMessageKind) {
        do throws(BLIPViolation) {
            guard kind == .binary else {
                throw BLIPViolation(
                    closeCode: WebSocketCloseCode.unsupportedData, reason: "a text message; BLIP frames are binary")
            }
            try Self.deliver(from: lower, to: &blip, counting: &counters, tracer)
        } catch {
            lower.abort(
                code: error.closeCode, reason: error.reason, as: .peerViolated(layer: "BLIP", reason: error.reason))
        }
    }

    /// Hands the payload over in place.
    private static func deliver(
        from lower: borrowing WebSocketStack, to blip: inout BLIPConnection?, counting counters: inout LinkCounters,
        _ tracer: LinkTracer?
    ) throws(BLIPViolation) {
        let now = lower.now
        try lower.withMessagePayload { frame throws(BLIPViolation) in
            counters.framesReceived &+= 1
            counters.bytesReceived &+= UInt64(frame.count)
            if let tracer, let blip { tracer.note(.received, frame, in: blip.dialect) }
            try blip?.receive(frame: frame, now: now)
            counters.bytesSavedReceived = blip?.reader.bytesSaved ?? 0
        }
    }

    // MARK: Out: BLIP -> WebSocket -> TLS -> socket

    /// Appends the next bytes for the socket, about one TLS record; `false` when there is nothing to send now. To
    /// be called only when the socket has room: what is produced cannot be overtaken any more.
    package mutating func nextOutgoing(into out: inout ByteQueue) -> Bool {
        Self.nextOutgoing(into: &out, &lower, &blip, &frame, counting: &counters, tracer)
    }

    /// How large a frame of a normal message may be, in bytes: whatever comes after it waits for all of it.
    package mutating func limitFrames(to bytes: Int) {
        blip?.limitFrames(to: bytes)
        lower.limitFrames(to: bytes)
    }

    private static func nextOutgoing(
        into out: inout ByteQueue, _ lower: inout WebSocketStack, _ blip: inout BLIPConnection?,
        _ frame: inout ByteQueue, counting counters: inout LinkCounters, _ tracer: LinkTracer?
    ) -> Bool {
        lower.nextOutgoing(into: &out) { webSocket, out in
            guard blip?.nextFrame(into: &frame) == true else {
                return blip?.isQuiet == false ? .nothingNow : .nothingLeft
            }
            counters.framesSent &+= 1
            counters.bytesSent &+= UInt64(frame.count)
            counters.bytesSavedSent = blip?.writer.bytesSaved ?? 0
            if let tracer, let blip { frame.withUnsafeBytes { tracer.note(.sent, $0, in: blip.dialect) } }
            _ = frame.withUnsafeBytes { webSocket.send(.binary, $0, into: &out) }
            frame.removeAll()
            return .frames
        }
    }

    // MARK: Time

    /// When `handleTimeout` wants to be called.
    package var deadline: MonotonicTime? {
        guard !lower.isEnded else { return nil }
        guard let own = blip?.deadline else { return lower.deadline }
        return lower.deadline.map { min($0, own) } ?? own
    }

    /// Does what is due at `now`; harmless when nothing is.
    package mutating func handleTimeout(now: MonotonicTime) {
        guard !lower.isEnded else { return }
        lower.handleTimeout(now: now)
        blip?.handleTimeout(now: now)
    }
}

extension LinkOptions {
    var negotiation: DialectNegotiation {
        DialectNegotiation(dialects: dialects, applications: [application] + otherApplications)
    }
}
