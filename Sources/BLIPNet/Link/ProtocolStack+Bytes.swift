// The two directions of the stack, each in the order in which bytes meet the layers.

extension ProtocolStack {
    // MARK: In: socket -> TLS -> WebSocket -> BLIP -> event

    /// 1. Takes bytes from the socket.
    public mutating func receive(_ bytes: UnsafeRawBufferPointer, now: MonotonicTime) {
        self.now = now
        guard state != .ended else { return }
        guard let tls else {
            webSocket.receive(bytes, now: now)
            return
        }
        do throws(TLSError) {
            try tls.receive(bytes)
            try decrypt(tls)
        } catch {
            tlsFailed(error)
        }
    }

    /// 2. Moves what TLS has decrypted to the WebSocket, once the peer's key is known to be the right one.
    private mutating func decrypt(_ tls: TLSSession) throws(TLSError) {
        guard tls.isEstablished else { return }
        if !isIdentityChecked {
            guard let presented = tls.peerFingerprint else {
                finish(.notBLIP(reason: "the peer has no certificate"))
                return
            }
            if let expected = options.expectedPeer, expected != presented {
                finish(.wrongIdentity(expected: expected, presented: presented))
                return
            }
            isIdentityChecked = true
        }
        while try tls.read(into: &plainIn, max: Self.decryptedAtOnce) > 0 {
            let now = now
            plainIn.withUnsafeBytes { webSocket.receive($0, now: now) }
            plainIn.removeAll()
        }
        if tls.receivedCloseNotify { receiveEnd() }
    }

    private static var decryptedAtOnce: Int { 64 * 1024 }

    /// The socket has ended: the peer sends nothing more.
    public mutating func receiveEnd() {
        // What has arrived is still delivered; only then does `nextEvent` report the end.
        isTransportGone = true
    }

    /// The socket has failed.
    public mutating func transportFailed(_ error: LinkError) {
        finish(state == .closing ? .closedLocally : error)
    }

    private mutating func tlsFailed(_ error: TLSError) {
        let reason = error.reason
        finish(state == .handshake ? .notBLIP(reason: reason) : .peerViolated(layer: "TLS", reason: reason))
    }

    /// 3. Yields what the received bytes meant; `nil` when everything is delivered.
    public mutating func nextEvent() -> Event? {
        while true {
            if state == .ended { return reportEnd() }
            if let event = blip?.nextEvent() {
                switch event {
                case .request(let request): return .request(request)
                case .response(let number, let response): return .response(number: number, response)
                case .requestFailed(let number, let error): return .requestFailed(number: number, error)
                }
            }
            guard state != .opened else { return nil }
            guard let event = webSocket.nextEvent() else {
                guard isTransportGone else { return nil }
                finish(state == .closing ? .closedLocally : .disconnected)
                continue
            }
            switch event {
            case .opened(let subprotocol): return opened(subprotocol: subprotocol)
            case .message(let kind): deliver(kind)
            case .pong(let payload): receivePong(payload)
            case .closed(let closure): finish(LinkError(closure))
            }
        }
    }

    private mutating func opened(subprotocol: String?) -> Event {
        handshakeDeadline = nil
        state = .opened
        return .opened(subprotocol: subprotocol, remoteFingerprint: tls?.peerFingerprint)
    }

    /// 4. A WebSocket message is a BLIP frame.
    private mutating func deliver(_ kind: WebSocketMessageKind) {
        let now = now
        do throws(BLIPViolation) {
            guard kind == .binary else {
                throw BLIPViolation(
                    closeCode: WebSocketCloseCode.unsupportedData, reason: "a text message; BLIP frames are binary")
            }
            try Self.deliver(from: &webSocket, to: &blip, now: now)
        } catch {
            webSocket.close(code: error.closeCode, reason: error.reason, now: now)
            finish(.peerViolated(layer: "BLIP", reason: error.reason))
        }
    }

    /// Hands the payload over in place.
    private static func deliver(
        from webSocket: inout WebSocketConnection, to blip: inout BLIPConnection?, now: MonotonicTime
    ) throws(BLIPViolation) {
        try webSocket.withMessagePayload { frame throws(BLIPViolation) in
            try blip?.receive(frame: frame, now: now)
        }
    }

    private mutating func reportEnd() -> Event? {
        guard let end, !isClosedReported else { return nil }
        isClosedReported = true
        return .closed(end)
    }

    // MARK: Out: BLIP -> WebSocket -> TLS -> socket

    /// Appends the next bytes for the socket, about one TLS record; `false` when there is nothing to send now. To
    /// be called only when the socket has room: what is produced cannot be overtaken any more.
    public mutating func nextOutgoing(into out: inout ByteQueue) -> Bool {
        guard let tls else { return nextPlain(into: &out) }
        if tls.nextOutgoing(into: &out) { return true }
        guard tls.isEstablished, isIdentityChecked else { return false }
        // Out of `self` and back, so that the layers can be changed while it is filled.
        var plain = exchange(&plainOut, with: ByteQueue())
        defer {
            plain.removeAll()
            plainOut = plain
        }
        do throws(TLSError) {
            if nextPlain(into: &plain) {
                let written = plain.withUnsafeBytes { bytes in
                    Result { () throws(TLSError) in try tls.write(bytes) }
                }
                try written.get()
            } else if state == .ended, !hasSentCloseNotify {
                hasSentCloseNotify = true
                tls.closeNotify()
            }
        } catch {
            tlsFailed(error)
        }
        return tls.nextOutgoing(into: &out)
    }

    /// Gathers frames until there is something like a record: one big frame or several small ones.
    private mutating func nextPlain(into out: inout ByteQueue) -> Bool {
        let start = out.count
        while out.count - start < Self.gatheredBytes {
            if webSocket.nextOutgoing(into: &out) { continue }
            guard state != .closing, webSocket.isOpen, blip != nil else { break }
            if blip?.nextFrame(into: &frame) == true {
                _ = frame.withUnsafeBytes { webSocket.send(.binary, $0, into: &out) }
                frame.removeAll()
            } else if case .flushing = state, blip?.hasUnsent == false {
                beginCloseHandshake()
            } else {
                break
            }
        }
        return out.count > start
    }
}

extension TLSError {
    /// In words, for `LinkError`.
    var reason: String {
        switch self {
        case .notTLS: "the other side does not speak TLS"
        case .handshakeFailed(let reason): "TLS handshake: \(reason)"
        case .sessionFailed(let reason): reason
        case .closed: "closed"
        case .notEstablished: "not established"
        case .tooMuchOutput: "the peer makes us send more than it reads"
        case .invalidIdentity(let reason): "certificate: \(reason)"
        case .libraryFailed(let call, let reason): "\(call): \(reason)"
        }
    }
}

extension LinkError {
    /// What the end of a WebSocket means for the link.
    init(_ closure: WebSocketClosure) {
        switch closure {
        case .closedByPeer(let code, let reason): self = .closedByPeer(code: code, reason: reason)
        case .closedLocally, .timedOut(.closing): self = .closedLocally
        case .peerViolated(_, let reason): self = .peerViolated(layer: "WebSocket", reason: reason)
        case .refusedByServer(let head): self = .notBLIP(reason: "HTTP status \(head.status)")
        case .handshakeFailed(let reason): self = .notBLIP(reason: reason)
        case .refusedClient(let status, let reason): self = .notBLIP(reason: "\(reason) (answered with \(status))")
        case .timedOut(.handshake): self = .timedOut("handshake")
        case .timedOut(.keepalive): self = .timedOut("keepalive")
        }
    }
}
