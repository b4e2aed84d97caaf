// Time and ends of a WebSocket stack: pings, what is due when, and the ways in which a connection is over.

extension WebSocketStack {
    // MARK: Pings

    /// Measures the round trip; the outcome is in `roundTrip` when the peer has answered.
    package mutating func ping(now: MonotonicTime) {
        guard isOpen else { return }
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
    package var roundTrip: Duration? { measuredRoundTrip ?? webSocket.roundTrip }

    // MARK: Time

    /// When `handleTimeout` wants to be called.
    package var deadline: MonotonicTime? {
        guard state != .ended else { return nil }
        guard let flushDeadline else { return webSocket.deadline }
        return webSocket.deadline.map { min($0, flushDeadline) } ?? flushDeadline
    }

    /// Does what is due at `now`; harmless when nothing is.
    package mutating func handleTimeout(now: MonotonicTime) {
        self.now = now
        guard state != .ended else { return }
        if let flushDeadline, flushDeadline <= now { beginCloseHandshake() }
        webSocket.handleTimeout(now: now)
    }

    /// Nothing is read, which is our doing: that nothing came says nothing about the peer. It still hears from us, because
    /// its own pings get no answer in that time.
    package mutating func excuseSilence(now: MonotonicTime) {
        guard webSocket.isOpen, state != .ended, let due = webSocket.keepalive.deadline, due <= now else { return }
        webSocket.ping([])
        webSocket.keepalive.received(now: now)
    }

    // MARK: The end

    /// Ends the connection in order: first sends what is queued (as long as `closeTimeout`), then says goodbye. `leaves`: that is
    /// the end, and the peer's goodbye is not waited for.
    package mutating func close(code: UInt16, reason: String, leaves: Bool = false, now: MonotonicTime) {
        self.now = now
        if leaves { endsWithGoodbye = true }
        switch state {
        case .handshake: finish(.closedLocally)
        case .open:
            state = .flushing(code: code, reason: reason)
            flushDeadline = now + closeTimeout
        case .closing where leaves: finish(.closedLocally)
        case .flushing, .closing, .ended: break
        }
    }

    /// Says goodbye at once and ends for `reason`: what is queued is dropped.
    mutating func abort(code: UInt16, reason: String, as end: LinkError) {
        webSocket.close(code: code, reason: reason, now: now)
        finish(end)
    }

    var isFlushing: Bool {
        if case .flushing = state { return true }
        return false
    }

    /// What was to be sent is sent, or its time is over: now the WebSocket close handshake.
    mutating func beginCloseHandshake() {
        guard case .flushing(let code, let reason) = state else { return }
        flushDeadline = nil
        state = .closing
        webSocket.close(
            code: WebSocketCloseCode.isAllowedOnWire(code) ? code : WebSocketCloseCode.normal, reason: reason,
            now: now)
        if endsWithGoodbye { finish(.closedLocally) }
    }

    /// Ends the stack for `reason`; the first reason counts. Queued messages are dropped.
    mutating func finish(_ reason: LinkError) {
        guard state != .ended else { return }
        state = .ended
        end = reason
        flushDeadline = nil
        queue = ByteQueue()
    }
}
