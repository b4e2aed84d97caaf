// The driver: moves bytes between the socket and the protocol stack, and events between the stack and the link's
// users. The functions stand in the order in which data meets them; all run on the event loop of the link.
//
//   socket readable -> read -> stack.receive -> deliverEvents -> pump -> (no room) -> socket writable -> pump
//   other threads   -> mailbox -> takeMail  -> pump            timer -> stack.handleTimeout -> deliverEvents, pump

internal import Glibc

extension PeerLink {
    /// How much is read with one system call.
    private static var readSize: Int { 64 * 1024 }
    /// How much output is gathered before it is offered to the socket: two full frames with their TLS records, which
    /// takes half the system calls of one and delays an urgent message by one frame at most.
    private static var outputGoal: Int { 17 * 1024 }

    /// Begins: an outgoing link speaks first.
    func start() {
        guard let socket else { return }
        mailbox.onWake { [weak self] in
            self?.loop.execute { [weak self] in self?.assumeIsolated { $0.turn() } }
        }
        let readiness = SocketReadiness(
            socket: socket, loop: loop,
            readable: { [weak self] in self?.assumeIsolated { $0.readable() } },
            writable: { [weak self] in self?.assumeIsolated { $0.turn() } })
        self.readiness = readiness
        readiness.wantReads(true)
        turn()
    }

    // MARK: In

    /// The socket has bytes, or its end.
    private func readable() {
        mailbox.stayAwake()
        var total = 0
        reading: while total < Self.bytesPerTurn, let socket {
            // Borrowed for the call, so that an idle link holds no buffer.
            let outcome = withUnsafeTemporaryAllocation(byteCount: Self.readSize, alignment: 16) { buffer in
                let outcome = socket.read(into: buffer)
                if case .bytes(let count) = outcome {
                    stack.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]), now: .now())
                }
                return outcome
            }
            switch outcome {
            case .bytes(let count):
                total += count
                deliverEvents()
                pump()
                if count < Self.readSize { break reading }
            case .nothingYet: break reading
            case .end:
                stack.receiveEnd()
                transportEnded()
                break reading
            case .failed(let number):
                stack.transportFailed(LinkError(call: "read", errno: number))
                transportEnded()
                break reading
            }
        }
        turn()
    }

    /// Nothing more comes from the socket and nothing more can be said to it.
    private func transportEnded() {
        deliverEvents()
        pump()
        giveBackSocket()
    }

    /// Hands everything that has arrived to whom it concerns; `false` when there was nothing.
    @discardableResult
    private func deliverEvents() -> Bool {
        var isNothing = true
        while let event = stack.nextEvent() {
            isNothing = false
            switch event {
            case .opened(let subprotocol, let fingerprint):
                didOpen(subprotocol: subprotocol, remoteFingerprint: fingerprint)
            case .request(let request):
                if let response = handler?.handle(request, on: self) {
                    stack.respond(to: request.number, with: response)
                }
            case .response(let number, let response): complete(number, .success(response))
            case .requestFailed(let number, let error): complete(number, .failure(error))
            case .closed(let reason):
                lingerDeadline = .now() + options.closeTimeout
                if socket != nil { selfUntilGone = self }
                leave(with: reason)
            }
        }
        return !isNothing
    }

    private func complete(_ number: UInt64, _ result: Result<BLIPResponse, LinkError>) {
        guard let pending = waiting.removeValue(forKey: number) else { return }
        numbers[ObjectIdentifier(pending)] = nil
        pending.complete(result)
    }

    // MARK: From other threads

    /// One round of work, whatever the reason: mail, output, and then the timer is set for what comes next.
    func turn() {
        mailbox.stayAwake()
        repeat {
            // Producing a frame can end a message (its body source throws), and events bring new frames.
            repeat { pump() } while deliverEvents()
        } while takeMail(mailbox.takeAllOrRest())
        finishIfDone()
        scheduleTimer()
    }

    /// Hands what other threads want to the stack; `false` when there was nothing.
    @discardableResult
    private func takeMail(_ items: [LinkMailbox.Item]) -> Bool {
        for item in items {
            switch item {
            case .request(let request, let sink, let pending): take(request, sink: sink, pending)
            case .respond(let number, let response): stack.respond(to: number, with: response)
            case .cancel(let pending):
                guard let number = numbers.removeValue(forKey: ObjectIdentifier(pending)) else { continue }
                waiting[number] = nil
                stack.cancel(number)
            case .ping: stack.ping(now: .now())
            case .close(let code, let reason):
                selfUntilGone = self
                stack.close(code: code, reason: reason, now: .now())
            }
        }
        return !items.isEmpty
    }

    private func take(_ request: BLIPRequest, sink: (any BodySink)?, _ pending: PendingResponse?) {
        guard let pending else {
            _ = stack.send(request, sink: nil, noReply: true)
            return
        }
        guard !pending.isComplete else { return }
        guard waiting.count < options.maxWaitingRequests else {
            pending.complete(.failure(.limitExceeded("\(options.maxWaitingRequests) requests wait already")))
            return
        }
        guard let number = stack.send(request, sink: sink, noReply: false) else {
            pending.complete(.failure(.closedLocally))
            return
        }
        waiting[number] = pending
        numbers[ObjectIdentifier(pending)] = number
    }

    // MARK: Out

    /// Writes as long as the socket has room. The next frame is produced only then, and mail is looked at before
    /// each one, so that an urgent message waits for no more than what the socket has taken already.
    private func pump() {
        guard let socket, brokenOutputError == nil else { return }
        var written = 0
        while true {
            takeMail(mailbox.takeAll())
            while output.count < Self.outputGoal, stack.nextOutgoing(into: &output) {}
            guard !output.isEmpty else { break }
            switch output.withUnsafeBytes({ socket.write($0) }) {
            case .bytes(let count):
                output.consume(count)
                written += count
            case .noRoom:
                readiness?.wantWrites(true)
                return
            case .failed(let number):
                outputBroke(LinkError(call: "write", errno: number))
                return
            }
            if written >= Self.bytesPerTurn {
                continueLater()
                return
            }
        }
        readiness?.wantWrites(false)
    }

    /// Lets whoever waits for the queue (the reader, above all) go first.
    private func continueLater() {
        guard !isPumpScheduled else { return }
        isPumpScheduled = true
        readiness?.wantWrites(false)
        loop.execute { [weak self] in
            self?.assumeIsolated { link in
                link.isPumpScheduled = false
                link.turn()
            }
        }
    }

    /// The peer takes nothing more. What it has said before is still to be read; its end comes from there.
    private func outputBroke(_ error: LinkError) {
        brokenOutputError = error
        output = ByteQueue()
        readiness?.wantWrites(false)
        lingerDeadline = lingerDeadline ?? .now() + options.closeTimeout
    }

    // MARK: Time and the end

    /// After the end: when the goodbye is out, half-closes; the descriptor goes when the peer has closed too.
    private func finishIfDone() {
        guard let socket, end != nil else { return }
        if brokenOutputError != nil {
            giveBackSocket()
        } else if output.isEmpty, !hasHalfClosed {
            hasHalfClosed = true
            socket.shutdownWrites()
        }
    }

    /// Sets the timer for the next deadline. It is moved only when it would fire too late: deadlines mostly move
    /// away with every byte, and a timer that fires early just sets itself again.
    private func scheduleTimer() {
        guard socket != nil, let next = [stack.deadline, lingerDeadline].compactMap({ $0 }).min() else { return }
        if let timerFires, timerFires <= next { return }
        timerFires = next
        timer?.cancel()
        timer = loop.schedule(at: next) { [weak self] in self?.assumeIsolated { $0.timeIsUp() } }
    }

    private func timeIsUp() {
        timerFires = nil
        let now = MonotonicTime.now()
        stack.handleTimeout(now: now)
        if let lingerDeadline, lingerDeadline <= now {
            if let brokenOutputError { stack.transportFailed(brokenOutputError) }
            deliverEvents()
            giveBackSocket()
        }
        turn()
    }
}

extension LinkError {
    /// A system call on an established connection failed.
    init(call: String, errno number: Int32) {
        switch number {
        case ECONNRESET, EPIPE: self = .disconnected
        case ETIMEDOUT: self = .timedOut("keepalive")
        default: self = .transport(call: call, errno: number)
        }
    }
}

extension Endpoint {
    /// What stands in the HTTP `Host` field.
    var hostHeader: String {
        switch self {
        case .host: description
        case .unix: "localhost"
        }
    }

    var isUNIX: Bool {
        if case .unix = self { return true }
        return false
    }
}
