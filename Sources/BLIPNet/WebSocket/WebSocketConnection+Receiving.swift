// What comes in, in the order in which the bytes meet it: input queue, handshake, frames, control frames.

extension WebSocketConnection {
    /// Takes bytes from the transport, in any cut. Call `nextEvent` until it returns `nil` afterwards: what is not
    /// taken apart stays in memory.
    public mutating func receive(_ bytes: UnsafeRawBufferPointer, now: MonotonicTime) {
        if case .closed = state { return }
        guard !bytes.isEmpty else { return }
        keepalive.received(now: now)
        input.append(bytes)
    }

    /// The next thing that happened; `nil` until more bytes arrive or time passes.
    public mutating func nextEvent() -> WebSocketEvent? {
        if let closure = pendingClosure {
            pendingClosure = nil
            return .closed(closure)
        }
        switch state {
        case .connecting(let handshake): return receiveResponse(handshake)
        case .accepting(let handshake): return receiveRequest(handshake)
        case .open, .closing: return receiveFrames()
        case .closed: return nil
        }
    }

    /// The payload of the last `.message` event, in place, until the next call of `nextEvent`.
    public func withMessagePayload<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // The closure of withUnsafeBytes cannot carry a typed error; its result does.
        let result: Swift.Result<Result, Failure> = decoder.payload.withUnsafeBytes { bytes in
            do throws(Failure) { return .success(try body(bytes)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    // MARK: Handshake

    private mutating func receiveResponse(_ handshake: WebSocketClientHandshake) -> WebSocketEvent? {
        do throws(HTTPHeadError) {
            guard let head = try takeHead() else { return nil }
            switch handshake.judge(head) {
            case .opened(let subprotocol):
                state = .open
                return .opened(subprotocol: subprotocol)
            case .failed(let closure): return end(closure)
            }
        } catch {
            return end(.handshakeFailed(reason: error.reason))
        }
    }

    private mutating func receiveRequest(_ handshake: WebSocketServerHandshake) -> WebSocketEvent? {
        do throws(HTTPHeadError) {
            guard let head = try takeHead() else { return nil }
            switch handshake.judge(head) {
            case .accepted(let acceptance):
                acceptance.write(into: &outgoing)
                requestTarget = acceptance.target
                state = .open
                return .opened(subprotocol: acceptance.subprotocol)
            case .refused(let refusal): return refuse(refusal)
            }
        } catch {
            return refuse(WebSocketServerHandshake.Refusal(error))
        }
    }

    private mutating func refuse(_ refusal: WebSocketServerHandshake.Refusal) -> WebSocketEvent {
        refusal.write(into: &outgoing)
        return end(.refusedClient(status: refusal.status, reason: refusal.reason))
    }

    /// The whole HTTP head, taken out of the input; what stands behind it are frames already.
    private mutating func takeHead() throws(HTTPHeadError) -> [UInt8]? {
        var scanner = headScanner
        let found: Result<Int?, HTTPHeadError> = input.withUnsafeBytes { bytes in
            do throws(HTTPHeadError) { return .success(try scanner.scan(bytes)) } catch { return .failure(error) }
        }
        headScanner = scanner
        guard let count = try found.get() else { return nil }
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
                case .message(let kind): return .message(kind)
                case .control(.ping): queuePong(decoder.controlPayload)
                case .control(.close): return try receiveClose(decoder.controlPayload)
                case .control:
                    if !keepalive.receivedPong(decoder.controlPayload) { return .pong(decoder.controlPayload) }
                }
            }
        } catch {
            return fail(error)
        }
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
