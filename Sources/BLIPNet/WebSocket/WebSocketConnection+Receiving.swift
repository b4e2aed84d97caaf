// The receiving side, in the order in which the bytes pass it: input queue, handshake, frames, control frames.

extension WebSocketConnection {
    /// Takes bytes from the transport, in any cut. Call `nextEvent` until it returns `nil` afterwards: what is not
    /// taken apart stays in memory.
    package mutating func receive(_ bytes: UnsafeRawBufferPointer, now: MonotonicTime) {
        if case .closed = state { return }
        guard !bytes.isEmpty else { return }
        keepalive.received(now: now)
        input.append(bytes)
    }

    /// The same without a buffer in between: lets `read` put up to `capacity` bytes from the transport where they are
    /// needed. It returns how many it wrote.
    package mutating func receive<Failure: Error>(
        upTo capacity: Int, now: MonotonicTime, _ read: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) -> Int {
        let count = try input.appendUninitialized(capacity: capacity, read)
        if case .closed = state { input.removeAll() }
        if count > 0 { keepalive.received(now: now) }
        return count
    }

    /// The same for bytes that `fill` appends to the input itself.
    mutating func receive<Failure: Error>(
        now: MonotonicTime, _ fill: (inout ByteQueue) throws(Failure) -> Void
    ) throws(Failure) {
        if case .closed = state { return }
        let before = input.count
        defer { if input.count > before { keepalive.received(now: now) } }
        try fill(&input)
    }

    /// The next thing that happened; `nil` until more bytes arrive or time passes.
    package mutating func nextEvent() -> WebSocketEvent? {
        if pendingEvent != nil { return pendingEvent.take() }
        switch state {
        case .connecting(let handshake): return receiveResponse(handshake)
        case .accepting(let handshake): return receiveRequest(handshake)
        case .open, .closing: return receiveFrames()
        case .deciding: return refuseHaste()
        case .closed: return nil
        }
    }

    /// The payload of the last `.message` event, in place, until the next call of `nextEvent` or `receive`.
    package func withMessagePayload<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try decoder.withPayload(in: input, body)
    }

    // MARK: Handshake

    private mutating func receiveResponse(_ handshake: WebSocketClientHandshake) -> WebSocketEvent? {
        do throws(HTTPHeadError) {
            while let head = try takeHead() {
                switch handshake.judge(head) {
                case .interim: headScanner.startOver()
                case .opened(let response, let subprotocol, let deflate):
                    responseHead = response
                    return open(subprotocol: subprotocol, deflate: deflate)
                case .failed(let closure): return end(closure)
                }
            }
            return nil
        } catch {
            return end(.handshakeFailed(reason: error.reason))
        }
    }

    private mutating func receiveRequest(_ handshake: WebSocketServerHandshake) -> WebSocketEvent? {
        do throws(HTTPHeadError) {
            guard let head = try takeHead() else { return nil }
            return follow(handshake.judge(head), of: handshake)
        } catch {
            return refuse(WebSocketServerHandshake.Refusal(error))
        }
    }

    private mutating func follow(
        _ verdict: WebSocketServerHandshake.Verdict, of handshake: WebSocketServerHandshake
    ) -> WebSocketEvent {
        switch verdict {
        case .accepted(let acceptance):
            acceptance.write(into: &outgoing)
            requestHead = acceptance.request
            return open(subprotocol: acceptance.subprotocol, deflate: acceptance.deflate?.agreed)
        case .undecided(let acceptance):
            requestHead = acceptance.request
            state = .deciding(handshake, acceptance)
            return .upgradeRequested(acceptance.request)
        case .refused(let refusal): return refuse(refusal)
        }
    }

    /// The application's answer to `upgradeRequested`; what comes of it is the next event. Later ones do nothing.
    package mutating func answer(_ decision: UpgradeDecision) {
        guard case .deciding(let handshake, let acceptance) = state else { return }
        pendingEvent = follow(handshake.apply(decision, to: acceptance), of: handshake)
    }

    /// A client that does not wait for the answer may not fill our memory until the application has decided.
    private mutating func refuseHaste() -> WebSocketEvent? {
        guard input.count > limits.maxHeadBytes else { return nil }
        return refuse(WebSocketServerHandshake.Refusal(400, "data before the handshake was answered"))
    }

    private mutating func open(subprotocol: String?, deflate: PermessageDeflate?) -> WebSocketEvent {
        state = .open
        use(deflate)
        return .opened(subprotocol: subprotocol)
    }

    private mutating func refuse(_ refusal: WebSocketServerHandshake.Refusal) -> WebSocketEvent {
        refusal.write(into: &outgoing)
        return end(.refusedClient(status: refusal.status, reason: refusal.reason))
    }

    /// The whole HTTP head, taken out of the input; the bytes after it are frames already.
    private mutating func takeHead() throws(HTTPHeadError) -> [UInt8]? {
        let found = try input.withUnsafeBytes { bytes throws(HTTPHeadError) in try headScanner.scan(bytes) }
        guard let count = found else { return nil }
        let head = input.withUnsafeBytes { Array($0[..<count]) }
        input.consume(count)
        return head
    }

    // MARK: Frames

    private mutating func receiveFrames() -> WebSocketEvent? {
        do throws(WebSocketViolation) {
            while true {
                switch try decoder.next(from: &input) {
                case .needsMoreBytes: return nil
                case .message(let kind):
                    keepalive.receivedMessage()
                    return .message(kind)
                case .control(let opcode): if let event = try receiveControl(opcode) { return event }
                }
            }
        } catch {
            return fail(error)
        }
    }

    private mutating func receiveControl(_ opcode: WebSocketOpcode) throws(WebSocketViolation) -> WebSocketEvent? {
        let payload = decoder.withPayload(in: input) { Array($0) }
        switch opcode {
        case .close: return try receiveClose(payload)
        case .ping:
            keepalive.answeredPing()
            queuePong(payload)
        default: if !keepalive.receivedPong(payload) { return .pong(payload) }
        }
        return nil
    }

    /// Queues the answer to a ping. A peer that pings without reading fills a bounded queue; then its newest ping
    /// replaces the one before.
    private mutating func queuePong(_ payload: [UInt8]) {
        guard isOpen else { return }
        if queuedPongs < limits.maxQueuedPongs {
            queuedPongs += 1
            queueControlFrame(.pong, payload)
        } else {
            overflowedPong = payload
        }
    }

    mutating func queueOverflowedPong() {
        guard let payload = overflowedPong else { return }
        overflowedPong = nil
        queueControlFrame(.pong, payload)
    }
}
