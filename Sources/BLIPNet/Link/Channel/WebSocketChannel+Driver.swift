// How a channel handles the events of its stack and the messages of its users; `StreamDriver` moves the bytes.

extension WebSocketChannel {
    /// Runs an incoming channel: its handshake, then whatever `acceptance` decides.
    nonisolated func serve(
        decide: WebSocketListener.Decision?, acceptance: @escaping WebSocketListener.Acceptance, observer: Observer
    ) {
        loop.execute {
            self.assumeIsolated { channel in
                channel.decide = decide
                channel.acceptance = acceptance
                channel.observer = observer
                channel.selfUntilGone = channel
                channel.startStream()
            }
        }
    }

    // MARK: In

    /// Hands everything that has arrived to its receiver, as long as there is room for it.
    func deliverEvents() -> Bool {
        var isNothing = true
        reportStage()
        var hasRoom = mayDeliver
        while hasRoom, let event = stream.stack.nextEvent() {
            isNothing = false
            defer { hasRoom = mayDeliver }
            switch event {
            case .message(let kind): deliver(kind)
            case .opened(let subprotocol, let fingerprint):
                didOpen(subprotocol: subprotocol, remoteFingerprint: fingerprint)
            case .closed(let reason):
                linger()
                if stream.socket != nil { selfUntilGone = self }
                leave(with: reason)
            case .trustQuestion(let chain): ask(about: chain)
            case .upgradeRequested(let head): ask(about: head)
            }
        }
        pauseReading(!hasRoom)
        return !isNothing
    }

    private func deliver(_ kind: WebSocketMessageKind) {
        guard let handler else {
            let message = stream.stack.withMessagePayload { WebSocketMessage(kind, $0) }
            inbox.put(message)
            return
        }
        // Shared, not borrowed: the handler may use the channel.
        stream.stack.sharedPayload.withUnsafeBytes { handler.received(kind, $0, on: self) }
    }

    /// Lets the configuration's closure decide, in its own time.
    private func ask(about chain: CertificateChain) {
        let judge = judge
        Task { [weak self] in
            let isTrusted = await judge?(chain) ?? false
            await self?.answer { $0.answerTrust(isTrusted) }
        }
    }

    /// Lets the listener's closure decide, in its own time.
    private func ask(about request: HTTPRequestHead) {
        let decide = decide
        Task { [weak self] in
            let decision = await decide?(request) ?? .refuse(status: 503)
            await self?.answer { $0.answer(decision) }
        }
    }

    private func answer(_ body: (inout WebSocketStack) -> Void) {
        body(&stream.stack)
        turn()
    }

    /// Whether another message can be taken: a handler that gets no replies out must wait, and so must the wire when
    /// nobody takes messages.
    private var mayDeliver: Bool {
        (handler == nil ? inbox.byteCount < windows.receive : hasSendRoom) || end != nil
    }

    // MARK: Out

    /// Whether the send window is open.
    var hasSendRoom: Bool { stream.unsentBytes < windows.send }

    /// Gives messages whose senders wait to the stack, as far as there is room.
    func takeMail(isLast: Bool) -> Bool {
        guard !outbox.isEmpty else { return false }
        var isNothing = true
        while hasSendRoom, let (message, sender) = outbox.take() {
            isNothing = false
            let isSent = message.withPayload { stream.stack.send(message.kind, $0) }
            sender.resume(returning: isSent ? .success(()) : .failure(.closedLocally))
        }
        return !isNothing
    }

    func didGiveBackSocket() {
        observer.gone()
        observer = Observer()
        selfUntilGone = nil
    }
}

extension DrivenStream<WebSocketStack> {
    /// The bytes that have been sent and that the socket has not taken.
    fileprivate var unsentBytes: Int { stack.queuedBytes + waitingBytes }
}
