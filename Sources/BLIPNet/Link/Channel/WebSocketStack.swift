// TLS and WebSocket of one connection as one value: bytes from the socket go in, messages for the user and bytes for
// the socket come out. No clock, no descriptor, no thread. `WebSocketChannel` drives it; `ProtocolStack` puts BLIP on it.

/// The layers below the messages of one WebSocket connection; TLS is left out of a plain one.
///
/// The driver's part: call `receive` with what the socket yields, then `nextEvent` until it is `nil`, then
/// `nextOutgoing` as long as the socket has room, then wait for bytes, room or `deadline`.
package struct WebSocketStack: StreamStack {
    /// The output of the stack, in order. `.closed` comes exactly once and last.
    package enum Event: Sendable {
        /// Server, if its options say so: the application decides, by `answer`.
        case upgradeRequested(HTTPRequestHead)
        /// Both handshakes are over.
        case opened(subprotocol: String?, remoteFingerprint: SPKIFingerprint?)
        /// A whole message; its payload is read with `withMessagePayload` until the next call of `nextEvent`.
        case message(WebSocketMessageKind)
        /// The connection has ended; the bytes that `nextOutgoing` still yields say so to the peer.
        case closed(LinkError)
        /// Somebody has to judge the peer's certificates (`TrustPolicy.custom`) and say so with `answerTrust`.
        case trustQuestion(CertificateChain)
    }

    /// The data that the layer above has for the wire.
    enum Supply {
        case frames
        /// Nothing that may be sent now, though not everything is sent.
        case nothingNow
        /// Everything is sent.
        case nothingLeft
    }

    enum State: Equatable {
        case handshake
        case open
        /// We are to close when everything queued is sent.
        case flushing(code: UInt16, reason: String)
        /// Our close frame is queued or sent, the peer's has not come.
        case closing
        case ended
    }

    let tls: TLSSession?
    var webSocket: WebSocketConnection
    var state = State.handshake
    /// Messages in frames that wait for the transport; only those of `send`.
    var queue = ByteQueue()
    /// Messages that were queued when the peer ended the connection.
    private var lastMessages = ByteQueue()
    private let expectedPeer: SPKIFingerprint?
    let closeTimeout: Duration
    private var isIdentityChecked: Bool
    private var isTransportGone = false
    private var hasReceived = false
    private var isClosedReported = false
    private var hasSentCloseNotify = false
    /// Why the stack ended; set together with `.ended`.
    var end: LinkError?
    /// The server's answer to the upgrade, if it refused.
    private(set) var refusal: HTTPResponseHead?
    /// TLS's objection to the peer, if that ended the stack.
    private(set) var tlsError: TLSError?
    private var hasAskedTrust = false
    var now: MonotonicTime
    var flushDeadline: MonotonicTime?
    /// Our goodbye is the end: we do not wait for the peer's.
    var endsWithGoodbye = false
    var pingsSent: UInt64 = 0
    var pingSentAt: MonotonicTime?
    var measuredRoundTrip: Duration?
    /// Plain bytes between WebSocket and TLS: kept only to reuse their storage.
    private var plainOut = ByteQueue()

    /// How many bytes of small frames are put into one TLS record.
    private var gatheredBytes = mostGatheredBytes
    private static let mostGatheredBytes = 4096

    /// `tls` is `nil` for a plain connection. A peer with another key than `expectedPeer` ends in `.wrongIdentity`
    /// before a byte passes between it and the WebSocket. `closeTimeout` is how long `close` may send what is queued.
    init(
        webSocket: WebSocketConnection, tls: TLSSession?, expectedPeer: SPKIFingerprint?, closeTimeout: Duration,
        now: MonotonicTime
    ) {
        self.webSocket = webSocket
        self.tls = tls
        self.expectedPeer = expectedPeer
        self.closeTimeout = closeTimeout
        self.now = now
        // The session has checked everything else that a peer must prove.
        isIdentityChecked = tls == nil || expectedPeer == nil
    }

    /// The handshakes are over and nobody has closed: messages may be sent.
    package var isOpen: Bool { state == .open }

    /// How far the handshake has come.
    var handshakeStage: HandshakeStage {
        switch state {
        case .handshake: break
        default: return .open
        }
        guard let tls else { return hasReceived ? .secured : .silent }
        if tls.isEstablished { return .secured }
        return tls.hasHello ? .greeted : tls.hasReceived ? .heard : .silent
    }

    /// Server: asked when a whole ClientHello is there, before any work is done for it; `false` ends the stack. A plain
    /// connection has none.
    func admitHello(_ admits: @escaping @Sendable () -> Bool) { tls?.admitsHello = admits }

    /// The client's request, on a server that has received it.
    package var requestHead: HTTPRequestHead? { webSocket.requestHead }

    /// After the handshake: the compression that both sides have agreed on.
    package var deflate: PermessageDeflate? { webSocket.deflate }

    /// Whether nothing more will come out and the transport may be half-closed.
    package var isEnded: Bool { state == .ended }

    // MARK: In: socket -> TLS -> WebSocket -> event

    /// 1. Takes bytes from the socket.
    package mutating func receive(_ bytes: UnsafeRawBufferPointer, now: MonotonicTime) {
        self.now = now
        guard state != .ended else { return }
        hasReceived = hasReceived || !bytes.isEmpty
        guard let tls else {
            webSocket.receive(bytes, now: now)
            return
        }
        do throws(TLSError) {
            if isIdentityChecked, tls.isEstablished {
                try webSocket.receive(now: now) { (input) throws(TLSError) in try tls.receive(bytes, into: &input) }
                if tls.receivedCloseNotify { receiveEnd() }
            } else {
                try tls.receive(bytes)
                try decrypt(tls)
            }
        } catch {
            tlsFailed(error)
        }
    }

    /// The same for bytes that `read` puts where they are needed.
    package mutating func receive(
        upTo capacity: Int, now: MonotonicTime, _ read: (UnsafeMutableRawBufferPointer) -> Int
    ) {
        guard tls == nil, state != .ended else {
            // Borrowed for the call, so that an idle connection holds no buffer.
            withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 16) { buffer in
                let count = read(buffer)
                receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]), now: now)
            }
            return
        }
        self.now = now
        _ = webSocket.receive(upTo: capacity, now: now, read)
        hasReceived = true
    }

    var missingBytes: Int { tls?.missingOfRecord ?? 0 }

    /// 2. Moves what TLS has decrypted to the WebSocket, once the peer's key is known to be the right one.
    private mutating func decrypt(_ tls: TLSSession) throws(TLSError) {
        guard tls.isEstablished else { return }
        if let expectedPeer, !isIdentityChecked {
            guard let presented = tls.peerFingerprint else {
                finish(.notBLIP(reason: "the peer has no certificate"))
                return
            }
            if expectedPeer != presented {
                finish(.wrongIdentity(expected: expectedPeer, presented: presented))
                return
            }
            isIdentityChecked = true
        }
        try webSocket.receive(now: now) { (input) throws(TLSError) in _ = try tls.read(into: &input, max: .max) }
        if tls.receivedCloseNotify { receiveEnd() }
    }

    /// The socket has ended: the peer sends nothing more.
    package mutating func receiveEnd() {
        // Data that has arrived is still delivered; only then does `nextEvent` report the end.
        isTransportGone = true
    }

    /// The socket has failed.
    package mutating func transportFailed(_ error: LinkError) {
        finish(state == .closing ? .closedLocally : error)
    }

    /// The decision about a `.trustQuestion`.
    mutating func answerTrust(_ isTrusted: Bool) {
        guard state != .ended, let tls else { return }
        do throws(TLSError) {
            try tls.answerTrust(isTrusted)
            try decrypt(tls)
        } catch {
            tlsFailed(error)
        }
    }

    private mutating func tlsFailed(_ error: TLSError) {
        if state != .ended { tlsError = error }
        if case .wrongKey(let expected, let presented) = error {
            finish(.wrongIdentity(expected: expected, presented: presented))
            return
        }
        let reason = error.reason
        finish(state == .handshake ? .notBLIP(reason: reason) : .peerViolated(layer: "TLS", reason: reason))
    }

    /// 3. Yields what the received bytes meant; `nil` when everything is delivered.
    package mutating func nextEvent() -> Event? {
        while true {
            if state == .ended { return reportEnd() }
            if !hasAskedTrust, let chain = tls?.trustQuestion {
                hasAskedTrust = true
                return .trustQuestion(chain)
            }
            guard let event = webSocket.nextEvent() else {
                guard isTransportGone else { return nil }
                finish(state == .closing ? .closedLocally : .disconnected)
                continue
            }
            switch event {
            case .upgradeRequested(let head): return .upgradeRequested(head)
            case .opened(let subprotocol):
                state = .open
                return .opened(subprotocol: subprotocol, remoteFingerprint: tls?.peerFingerprint)
            case .message(let kind): return .message(kind)
            case .pong(let payload): receivePong(payload)
            case .closed(let closure):
                if case .refusedByServer(let response) = closure { refusal = response }
                // Messages that were sent before the peer's end came still go out, ahead of the close frame.
                swap(&lastMessages, &queue)
                finish(LinkError(closure))
            }
        }
    }

    /// The payload of the last `.message` event, in place, until the next call of `nextEvent`.
    package func withMessagePayload<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try webSocket.withMessagePayload(body)
    }

    /// The application's answer to `.upgradeRequested`.
    package mutating func answer(_ decision: UpgradeDecision) { webSocket.answer(decision) }

    /// The same for somebody who uses the stack meanwhile.
    var sharedPayload: SharedPayload { webSocket.sharedPayload }

    private mutating func reportEnd() -> Event? {
        guard let end, !isClosedReported else { return nil }
        isClosedReported = true
        return .closed(end)
    }

    // MARK: Out: message -> WebSocket -> TLS -> socket

    /// Queues one message; `false` unless the connection is open. The caller bounds `queuedBytes`.
    @discardableResult
    package mutating func send(_ kind: WebSocketMessageKind, _ payload: UnsafeRawBufferPointer) -> Bool {
        isOpen && webSocket.send(kind, payload, into: &queue)
    }

    /// Bytes of messages that have been queued and not been taken by `nextOutgoing`.
    package var queuedBytes: Int { queue.count }

    /// Appends the next bytes for the socket; `false` when there is nothing to send now.
    package mutating func nextOutgoing(into out: inout ByteQueue) -> Bool {
        var queue = exchange(&queue, with: ByteQueue())
        defer { self.queue = queue }
        return nextOutgoing(into: &out) { _, out in
            guard !queue.isEmpty else { return .nothingLeft }
            if out.isEmpty {
                // The storages change places: what the socket has taken makes room for the next message.
                swap(&queue, &out)
            } else {
                queue.withUnsafeBytes { out.append($0) }
                queue.removeAll()
            }
            return .frames
        }
    }

    /// The same with `supply` for the messages: it appends frames to the queue that it is given. To be called only
    /// when the socket has room: what is produced cannot be overtaken any more.
    mutating func nextOutgoing(
        into out: inout ByteQueue, supply: (inout WebSocketConnection, inout ByteQueue) -> Supply
    ) -> Bool {
        guard let tls else { return nextPlain(into: &out, supply) }
        if tls.nextOutgoing(into: &out) { return true }
        guard tls.isEstablished, isIdentityChecked else { return false }
        // Out of `self` and back, so that the layers can be changed while it is filled.
        var plain = exchange(&plainOut, with: ByteQueue())
        defer {
            // Emptying an empty queue would count as a use of few bytes and give large storage back.
            if !plain.isEmpty { plain.removeAll() }
            plainOut = plain
        }
        do throws(TLSError) {
            if nextPlain(into: &plain, supply) {
                let written = plain.withUnsafeBytes { bytes in
                    Result { () throws(TLSError) in try tls.write(bytes, into: &out) }
                }
                try written.get()
                return true
            } else if state == .ended, !hasSentCloseNotify {
                hasSentCloseNotify = true
                tls.closeNotify()
            }
        } catch {
            tlsFailed(error)
        }
        return tls.nextOutgoing(into: &out)
    }

    /// How many bytes small frames may fill one record with.
    package mutating func limitFrames(to bytes: Int) { gatheredBytes = min(max(bytes, 1), Self.mostGatheredBytes) }

    /// Gathers frames until there is something like a record: one big frame or several small ones.
    private mutating func nextPlain(
        into out: inout ByteQueue, _ supply: (inout WebSocketConnection, inout ByteQueue) -> Supply
    ) -> Bool {
        let start = out.count
        if !lastMessages.isEmpty {
            lastMessages.withUnsafeBytes { out.append($0) }
            lastMessages = ByteQueue()
        }
        gathering: while out.count - start < gatheredBytes {
            if webSocket.nextOutgoing(into: &out) { continue }
            guard webSocket.isOpen, state != .closing else { break }
            switch supply(&webSocket, &out) {
            case .frames: continue
            case .nothingLeft where isFlushing: beginCloseHandshake()
            case .nothingNow, .nothingLeft: break gathering
            }
        }
        return out.count > start
    }
}
