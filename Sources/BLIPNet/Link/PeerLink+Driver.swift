// How a link handles the events of its stack and the mail of its users; `StreamDriver` moves the bytes.

internal import Synchronization

extension PeerLink {
    var lingerTimeout: Duration { options.closeTimeout }

    /// Begins: an outgoing link speaks first.
    func start() {
        mailbox.onWake { [weak self] in
            self?.loop.execute { [weak self] in self?.assumeIsolated { $0.turn() } }
        }
        startStream()
    }

    // MARK: From the stack

    /// Hands everything that has arrived to its receiver; `false` when there was nothing.
    func deliverEvents() -> Bool {
        var isNothing = true
        reportStage()
        while let event = stream.stack.nextEvent() {
            isNothing = false
            switch event {
            case .opened(let subprotocol, let fingerprint):
                didOpen(subprotocol: subprotocol, remoteFingerprint: fingerprint)
            case .request(let request):
                if let response = answer(request) { stream.stack.respond(to: request.number, with: response) }
            case .response(let number, let response): complete(number, .success(response))
            case .requestFailed(let number, let error): complete(number, .failure(error))
            case .closed(let reason):
                linger()
                if stream.socket != nil { selfUntilGone = self }
                leave(with: reason)
            }
        }
        pauseReading(stream.stack.isReadingPaused)
        return !isNothing
    }

    private func answer(_ request: BLIPIncomingRequest) -> BLIPResponse? {
        do { return try handler?.handle(request, on: self) } catch {
            return .failure(.handlerFailed, "the request could not be handled")
        }
    }

    private func complete(_ number: UInt64, _ result: Result<BLIPResponse, LinkError>) {
        guard let pending = waiting.removeValue(forKey: number) else { return }
        pending.complete(result)
    }

    // MARK: From other threads

    /// Hands what other threads want to the stack; `false` when there was nothing. After the last look mail wakes the
    /// driver up.
    func takeMail(isLast: Bool) -> Bool {
        let items = mailbox.takeAll(orRest: isLast)
        if !items.isEmpty { stream.stack.noteTime(.now()) }
        for item in items {
            switch item {
            case .request(let request, let sink, let pending): take(request, sink: sink, pending)
            case .respond(let number, let response): stream.stack.respond(to: number, with: response)
            case .cancel(let pending):
                let number = pending.number.load(ordering: .relaxed)
                guard waiting[number] === pending else { continue }
                waiting[number] = nil
                stream.stack.cancel(number)
            case .bytesTaken:
                stream.stack.noteTaken(now: .now())
                pauseReading(stream.stack.isReadingPaused)
            case .ping: stream.stack.ping(now: .now())
            case .admit: stream.stack.admit()
            case .close(let code, let reason, let leaves):
                selfUntilGone = self
                if leaves, end == nil { isSayingGoodbye = stream.socket != nil }
                stream.stack.close(code: code, reason: reason, leaves: leaves, now: .now())
            }
        }
        return !items.isEmpty
    }

    private func take(_ request: BLIPRequest, sink: (any BodySink)?, _ pending: PendingResponse?) {
        guard let pending else {
            _ = stream.stack.send(request, sink: nil, noReply: true)
            return
        }
        guard !pending.isComplete else {
            sink?.bodyEnded(.closedLocally)
            return
        }
        guard waiting.count < options.maxWaitingRequests else {
            refuse(pending, sink, .limitExceeded("\(options.maxWaitingRequests) requests wait already"))
            return
        }
        guard let number = stream.stack.send(request, sink: sink, noReply: false) else {
            refuse(pending, sink, .closedLocally)
            return
        }
        waiting[number] = pending
        pending.number.store(number, ordering: .relaxed)
    }

    private func refuse(_ pending: PendingResponse, _ sink: (any BodySink)?, _ error: LinkError) {
        sink?.bodyEnded(error)
        pending.complete(.failure(error))
    }
}

extension Endpoint {
    /// The value of the HTTP `Host` field.
    var hostHeader: String {
        switch self {
        case .host(let host, let port):
            InternationalName.ascii(host).map { Endpoint.host($0, port: port).description } ?? description
        case .unix: "localhost"
        }
    }

    var isUNIX: Bool {
        if case .unix = self { return true }
        return false
    }
}
