// A WebSocket for those who have no BLIP on it: messages out and in with `await`, or through a handler on the loop.
// `WebSocketChannel+Driver` joins it with the protocol stack, `WebSocketChannel+Connecting` opens it.

internal import Synchronization

/// An open WebSocket, made by `connect` or handed out by a `WebSocketListener`.
///
/// A channel that was made by `connect` lives as long as somebody refers to it; letting go of it without `close()` ends
/// it at once. A channel that came in by a listener lives until it is closed.
public actor WebSocketChannel: StreamDriver {
    /// Events around the channel, reported to its creator on the channel's event loop.
    struct Observer: Sendable {
        /// The handshake has come so far.
        var reached: @Sendable (HandshakeStage) -> Void = { _ in }
        var opened: @Sendable () -> Void = {}
        /// The descriptor is about to be closed; called once.
        var gone: @Sendable () -> Void = {}
    }

    /// How a handshake of ours ended.
    enum HandshakeOutcome: Sendable {
        case opened
        /// An answer other than 101.
        case refused(HTTPResponseHead)
        case failed(WebSocketError)
    }

    nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private nonisolated let knownInfo: Mutex<WebSocketInfo>
    let windows: WebSocketWindows
    let lingerTimeout: Duration
    /// Decides about the other end's certificates, if OpenSSL does not.
    var judge: (@Sendable (CertificateChain) async -> Bool)?
    var stream: DrivenStream<WebSocketStack>

    /// Takes the messages; without one they wait in `inbox`.
    var handler: (any WebSocketHandler)?
    var decide: WebSocketListener.Decision?
    var acceptance: WebSocketListener.Acceptance?
    var observer = Observer()
    var inbox = WebSocketInbox()
    var outbox = WebSocketOutbox()
    /// Why the channel has ended.
    private(set) var end: LinkError?
    private var endWaiters: [CheckedContinuation<LinkError, Never>] = []
    private var openWaiter: CheckedContinuation<HandshakeOutcome, Never>?
    private var isOpen = false
    private var reportedStage = HandshakeStage.silent
    /// Set while the channel says goodbye, and while it serves, though nobody refers to it.
    var selfUntilGone: WebSocketChannel?

    init(
        loop: EventLoop, socket: Socket, stack: sending WebSocketStack, windows: WebSocketWindows,
        lingerTimeout: Duration, url: WebSocketURL?, tls: TLSConfiguration?
    ) {
        self.loop = loop
        self.windows = windows
        self.lingerTimeout = lingerTimeout
        stream = DrivenStream(stack: stack, socket: socket)
        knownInfo = Mutex(
            WebSocketInfo(
                url: url, remoteAddress: socket.remoteAddress?.endpoint.description ?? "unknown",
                localAddress: socket.localAddress?.endpoint.description ?? "unknown", isEncrypted: tls != nil))
        if case .custom(let judge)? = tls?.trust { self.judge = judge }
    }

    isolated deinit {
        leave(with: end ?? .closedLocally)
        giveBackSocket()
    }

    /// Both ends and how they speak.
    public nonisolated var info: WebSocketInfo { knownInfo.withLock { $0 } }

    // MARK: Messages

    /// The next message, in the order of the wire. `nil` when the channel has been closed in order by either side and
    /// every message has been taken, and when the task is cancelled; throws when it ended in another way.
    ///
    /// While messages wait to be taken, no more than `WebSocketWindows.receive` bytes are read ahead.
    public func receive() async throws(LinkError) -> WebSocketMessage? { try await nextMessage().get() }

    /// `receive`, with its error as a value.
    func nextMessage() async -> Result<WebSocketMessage?, LinkError> {
        let number = inbox.reserveNumber()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { (receiver: WebSocketInbox.Receiver) in
                if let message = takeFromInbox() {
                    receiver.resume(returning: .success(message))
                } else if let end {
                    receiver.resume(returning: Self.afterLast(end))
                } else if Task.isCancelled {
                    receiver.resume(returning: .success(nil))
                } else {
                    inbox.wait(number, receiver)
                }
            }
        } onCancel: {
            loop.execute { [weak self] in self?.assumeIsolated { $0.inbox.cancelWaiter(number) } }
        }
    }

    private func takeFromInbox() -> WebSocketMessage? {
        guard let message = inbox.take() else { return nil }
        // Room again: continues with the data left in the stack, and on the socket.
        if stream.isReadingPaused, inbox.byteCount <= windows.receive / 2 { turn() }
        return message
    }

    /// The result that a receiver gets after the last message.
    static func afterLast(_ end: LinkError) -> Result<WebSocketMessage?, LinkError> {
        switch end {
        case .closedLocally, .closedByPeer: .success(nil)
        default: .failure(end)
        }
    }

    /// Sends a message, after all that were sent before. Returns when it has a place in the send window: when the peer
    /// is slow, this is where its sender waits. Throws when the channel has ended or the task is cancelled before that.
    public func send(_ message: WebSocketMessage) async throws(LinkError) {
        let number = outbox.reserveNumber()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (sender: WebSocketOutbox.Sender) in
                if let end {
                    sender.resume(returning: .failure(end))
                } else if Task.isCancelled || !stream.stack.isOpen {
                    sender.resume(returning: .failure(.closedLocally))
                } else {
                    outbox.append(number, message, sender)
                    turn()
                }
            }
        } onCancel: {
            loop.execute { [weak self] in self?.assumeIsolated { $0.outbox.cancel(number) } }
        }
        try result.get()
    }

    /// Sends a message at once, from a handler. It may go beyond the send window; then the handler gets no further
    /// message until there is room. Returns `false` when the channel is not open any more.
    @discardableResult
    public func reply(_ kind: WebSocketMessageKind, _ payload: UnsafeRawBufferPointer) -> Bool {
        stream.stack.send(kind, payload)
    }

    // MARK: Pings

    /// How long the peer took to answer the last ping; `nil` before the first answer.
    public var roundTrip: Duration? { stream.stack.roundTrip }

    /// Measures the round trip now; `roundTrip` changes when the answer is here.
    public nonisolated func ping() {
        onLoop { channel in
            channel.stream.stack.ping(now: .now())
            channel.turn()
        }
    }

    // MARK: The end

    /// Ends the channel in order: what has been sent goes out first, then both sides exchange close frames (RFC 6455
    /// section 7). Calling it again does nothing.
    ///
    /// `code` is 1000 to 1014 but for 1004 to 1006, or 3000 to 4999; any other is replaced by 1000. A reason above 123
    /// bytes is cut.
    public nonisolated func close(code: UInt16 = WebSocketCloseCode.normal, reason: String = "") {
        onLoop { channel in
            channel.selfUntilGone = channel.stream.socket == nil ? nil : channel
            channel.stream.stack.close(code: code, reason: reason, now: .now())
            channel.turn()
        }
    }

    /// Ends the channel at once, without a word to the peer.
    public nonisolated func disconnect() {
        onLoop { channel in
            channel.stream.stack.finish(.closedLocally)
            channel.turn()
            channel.giveBackSocket()
        }
    }

    /// The same, unless the handshake is over.
    nonisolated func abandon() {
        onLoop { channel in
            guard !channel.isOpen else { return }
            channel.disconnect()
        }
    }

    /// Tells whoever counts callers how far the handshake has come.
    func reportStage() {
        guard !isOpen, case let stage = stream.stack.handshakeStage, stage > reportedStage, stage < .open else {
            return
        }
        reportedStage = stage
        observer.reached(stage)
    }

    /// Returns when the channel has ended, and why. Messages that came before may still wait to be received.
    public func waitUntilClosed() async -> LinkError {
        await withCheckedContinuation { continuation in
            if let end { continuation.resume(returning: end) } else { endWaiters.append(continuation) }
        }
    }

    private nonisolated func onLoop(_ body: @escaping @Sendable (isolated WebSocketChannel) -> Void) {
        // Refers to the channel, so that whoever closes and lets go still gets an orderly end.
        loop.execute { self.assumeIsolated { body($0) } }
    }

    /// The channel has ended for `reason`: tells everybody who waits. The goodbye to the peer may still be on its way.
    func leave(with reason: LinkError) {
        guard end == nil else { return }
        end = reason
        outbox.fail(reason)
        inbox.finish(Self.afterLast(reason))
        handler?.closed(reason, on: self)
        handler = nil
        decide = nil
        acceptance = nil
        openWaiter?.resume(returning: failure(reason))
        openWaiter = nil
        for waiter in endWaiters { waiter.resume(returning: reason) }
        endWaiters = []
    }

    // MARK: The handshake

    /// Runs the handshake of an outgoing channel.
    func handshake() async -> HandshakeOutcome {
        startStream()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // The body may run later than it seems: whatever has happened by then counts.
                if isOpen {
                    continuation.resume(returning: .opened)
                } else if let end {
                    continuation.resume(returning: failure(end))
                } else {
                    openWaiter = continuation
                }
            }
        } onCancel: {
            disconnect()
        }
    }

    private func failure(_ reason: LinkError) -> HandshakeOutcome {
        if let response = stream.stack.refusal { return .refused(response) }
        if let error = stream.stack.tlsError { return .failed(.tls(error)) }
        return .failed(.link(reason))
    }

    /// The handshake is over.
    func didOpen(subprotocol: String?, remoteFingerprint: SPKIFingerprint?) {
        isOpen = true
        knownInfo.withLock {
            $0.subprotocol = subprotocol
            $0.deflate = stream.stack.deflate
            $0.request = stream.stack.requestHead
            $0.remoteFingerprint = remoteFingerprint
        }
        observer.opened()
        if let acceptance {
            self.acceptance = nil
            handler = acceptance(self)
        }
        openWaiter?.resume(returning: .opened)
        openWaiter = nil
    }
}
