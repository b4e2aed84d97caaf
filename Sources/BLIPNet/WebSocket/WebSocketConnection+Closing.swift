// How a connection ends: the closing handshake (RFC 6455 section 7), violations, and deadlines.

extension WebSocketConnection {
    /// Begins to close: a close frame goes out after the bytes that have been handed to the transport, and the peer has
    /// `closeTimeout` to answer. Messages that it sent before its answer are still delivered.
    ///
    /// `code` must be one that may appear on the wire; a reason above 123 bytes is cut. Closing twice does nothing.
    package mutating func close(code: UInt16 = WebSocketCloseCode.normal, reason: String = "", now: MonotonicTime) {
        precondition(WebSocketCloseCode.isAllowedOnWire(code), "close code \(code) is not for the wire")
        switch state {
        case .connecting, .accepting, .deciding: pendingEvent = end(.closedLocally)
        case .open:
            queueClose(WebSocketClosePayload(code: code, reason: reason))
            state = .closing(deadline: now + limits.closeTimeout)
        case .closing, .closed: break
        }
    }

    /// When `handleTimeout` wants to be called, if nothing happens before.
    package var deadline: MonotonicTime? {
        switch state {
        case .connecting, .accepting, .deciding: handshakeDeadline
        case .open: keepalive.deadline
        case .closing(let deadline): deadline
        case .closed: nil
        }
    }

    /// Does what is due at `now`. Calling it too early or too often is harmless.
    package mutating func handleTimeout(now: MonotonicTime) {
        guard let deadline, now >= deadline else { return }
        switch state {
        case .connecting, .accepting, .deciding: pendingEvent = end(.timedOut(.handshake))
        case .closing: pendingEvent = end(.timedOut(.closing))
        case .open:
            switch keepalive.handleTimeout(now: now) {
            case .ping(let payload):
                queueControlFrame(.ping, payload)
                releaseUnused()
            case .dead: pendingEvent = end(.timedOut(.keepalive))
            case nil: break
            }
        case .closed: break
        }
    }

    /// The peer's close frame: an answer to ours, or the first one, which is answered with the same code.
    mutating func receiveClose(_ bytes: [UInt8]) throws(WebSocketViolation) -> WebSocketEvent {
        let payload = try WebSocketClosePayload(parsing: bytes)
        guard isOpen else { return end(.closedLocally) }
        queueClose(WebSocketClosePayload(code: payload.code, reason: ""))
        return end(.closedByPeer(code: payload.code, reason: payload.reason))
    }

    /// Fails the connection (RFC 6455 section 7.1.7). A close frame that is already out is the only one.
    mutating func fail(_ violation: WebSocketViolation) -> WebSocketEvent {
        if isOpen { queueClose(WebSocketClosePayload(code: violation.closeCode, reason: violation.reason)) }
        return end(.peerViolated(code: violation.closeCode, reason: violation.reason))
    }

    mutating func end(_ closure: WebSocketClosure) -> WebSocketEvent { .closed(finish(closure)) }

    /// Nothing is received from here on; what waits in `outgoing` may still be sent.
    private mutating func finish(_ closure: WebSocketClosure) -> WebSocketClosure {
        state = .closed
        input = ByteQueue()
        decoder.stop()
        return closure
    }

    private mutating func queueClose(_ payload: WebSocketClosePayload) {
        queueOverflowedPong()
        queueControlFrame(.close, payload.bytes)
    }
}
