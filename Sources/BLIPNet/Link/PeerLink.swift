// One connection to a peer. Everything that concerns it happens on its event loop: reading, the protocol
// stack, the handler's calls, writing. `PeerLink+Driver` is the loop; this file is what users call.

internal import Synchronization

/// An open link to a peer, made by `connect` or handed out by a `LinkListener`.
///
/// A link that was made by `connect` lives as long as somebody refers to it; letting go of it without `close()` ends
/// it at once. A link that came in by a listener lives until it is closed.
public actor PeerLink: StreamDriver {
    /// Called on the event loop of the link when the handshake of an incoming link is over; `nil` refuses the peer.
    typealias Acceptance = @Sendable (PeerLink) -> (any BLIPRequestHandler)?

    /// Events around the link, reported to its creator on the link's event loop.
    struct Observer: Sendable {
        /// The handshake has come so far.
        var reached: @Sendable (HandshakeStage) -> Void = { _ in }
        var opened: @Sendable () -> Void = {}
        /// The descriptor is about to be closed; called once.
        var gone: @Sendable () -> Void = {}
    }

    nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Where the link runs. A task that prefers it (`withTaskExecutorPreference`) gets answers and sends the next request
    /// without a change of threads, which is most of the time of a short exchange; it must not block, and what it computes
    /// for long holds up the links of the same event loop.
    public nonisolated var taskExecutor: any TaskExecutor { loop }

    nonisolated let mailbox = LinkMailbox()
    private nonisolated let knownInfo: Mutex<LinkInfo>

    let options: LinkOptions
    var stream: DrivenStream<ProtocolStack>

    var handler: (any BLIPRequestHandler)?
    var acceptance: Acceptance?
    var observer = Observer()
    var waiting: [UInt64: PendingResponse] = [:]
    /// Why the link has ended.
    var end: LinkError?
    /// This program ends: callers that wait for the end of the link wait until the kernel has our goodbye.
    var isSayingGoodbye = false
    private var endWaiters: [CheckedContinuation<LinkError, Never>] = []
    private var openWaiter: CheckedContinuation<LinkError?, Never>?
    private var isOpen = false
    private var reportedStage = HandshakeStage.silent
    /// Set while the link says goodbye, which it does even if nobody refers to it any more.
    var selfUntilGone: PeerLink?

    init(
        loop: EventLoop, socket: Socket, stack: sending ProtocolStack, options: LinkOptions, isOutgoing: Bool,
        remote: Endpoint? = nil, proxy: Endpoint? = nil, relay: Endpoint? = nil, isOnion: Bool = false
    ) {
        self.loop = loop
        stream = DrivenStream(stack: stack, socket: socket)
        self.options = options
        let address = socket.remoteAddress
        // Behind a proxy or a relay is the peer, not what the socket is connected to.
        let host =
            if proxy != nil || relay != nil || isOnion, case .host(let name, _) = remote { name } else {
                isOnion ? "onion" : address?.hostText ?? "unknown"
            }
        knownInfo = Mutex(
            LinkInfo(
                remoteAddress: remote?.description ?? (isOnion ? "onion" : address?.endpoint.description ?? "unknown"),
                localAddress: socket.localAddress?.endpoint.description ?? "unknown",
                remoteHost: host, isEncrypted: options.identity != nil, isOutgoing: isOutgoing, proxy: proxy,
                relay: relay, isOnion: isOnion, began: .now()))
    }

    isolated deinit {
        leave(with: end ?? .closedLocally)
        giveBackSocket()
    }

    // MARK: Making a link (see PeerLink+Dialling)

    /// Runs the handshake of an outgoing link; `nil` when it has succeeded.
    func handshake(handler: any BLIPRequestHandler) async -> LinkError? {
        self.handler = handler
        start()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // The body may run later than it seems. A link that has opened and ended since was open all the same.
                if isOpen {
                    continuation.resume(returning: nil)
                } else if let end {
                    continuation.resume(returning: end)
                } else {
                    openWaiter = continuation
                }
            }
        } onCancel: {
            close()
        }
    }

    /// Runs an incoming link: its handshake, then whatever `acceptance` decides.
    nonisolated func serve(acceptance: @escaping Acceptance, observer: Observer) {
        loop.execute {
            self.assumeIsolated { link in
                link.acceptance = acceptance
                link.observer = observer
                link.selfUntilGone = link
                link.start()
            }
        }
    }

    /// The handshake is over.
    func didOpen(subprotocol: String?, remoteFingerprint: SPKIFingerprint?) {
        isOpen = true
        knownInfo.withLock {
            $0.subprotocol = subprotocol
            $0.application = options.negotiation.application(subprotocol: subprotocol)
            $0.remoteFingerprint = remoteFingerprint
            $0.dialect = stream.stack.dialect
            $0.exporter = stream.stack.lower.tls?.exporter(label: "EXPORTER-blipchat-meet")
        }
        if stream.stack.dialect?.hasAcks == false { stream.socket?.tolerateClosedWindow() }
        observer.opened()
        if let acceptance {
            self.acceptance = nil
            handler = acceptance(self)
        }
        guard let handler else {
            stream.stack.refuse(reason: "not welcome")
            return
        }
        let mailbox = mailbox
        stream.stack.start(taken: { mailbox.post(.bytesTaken) }, makeSink: { handler.makeBodySink(for: $0) })
        openWaiter?.resume(returning: nil)
        openWaiter = nil
    }

    // MARK: Using it

    /// Both ends and how they speak.
    public nonisolated var info: LinkInfo { knownInfo.withLock { $0 } }

    /// Queues a request. The order of calls is the order of request numbers. Never blocks; may be called from any
    /// thread and from a handler. A streamed response body goes to `bodySink`; for a consumer that takes its time see
    /// `BLIPBodyStream`.
    public nonisolated func submit(_ request: BLIPRequest, bodySink: (any BodySink)? = nil) -> PendingResponse {
        let pending = PendingResponse(mailbox: mailbox)
        mailbox.post(.request(request, sink: bodySink, pending))
        return pending
    }

    /// Queues a request to which there is no answer of any kind, not even that it has been sent.
    public nonisolated func submitNoReply(_ request: BLIPRequest) {
        mailbox.post(.request(request, sink: nil, nil))
    }

    /// Sends a request and waits for the response. An error response of the peer is returned, not thrown.
    public nonisolated func request(
        _ request: BLIPRequest, bodySink: (any BodySink)? = nil
    ) async throws(LinkError) -> BLIPResponse {
        try await submit(request, bodySink: bodySink).value()
    }

    /// Answers a request for which the handler has returned `nil`. A request that still arrives can be answered too
    /// (by the sink of its body); the response goes out when its last frame has come. Ignored for a no-reply request,
    /// for a number that is answered already, and after the end.
    public nonisolated func respond(to number: UInt64, with response: BLIPResponse) {
        mailbox.post(.respond(number: number, response))
    }

    /// The peer is no stranger any more: `BLIPLimits.maxUnpackedBeforeAdmission` holds no longer. Counts before the
    /// peer gets what is submitted or responded afterwards.
    public nonisolated func admit() { mailbox.post(.admit) }

    /// Ends the link in order: what is queued is sent first (5 s at most), then the WebSocket close handshake, then
    /// TLS's. Requests without a response by then fail with `.closedLocally`. In the dialects that have a `Bye` we say
    /// it first, and wait for outstanding responses within the same time. Calling it again does nothing.
    public nonisolated func close(code: UInt16 = 1000, reason: String = "") {
        post(.close(code: code, reason: reason, leaves: false))
    }

    /// The same for a program that ends: `waitUntilClosed` returns as soon as the kernel has all that is queued, our goodbye
    /// and the end of our direction, or 5 s later. The peer receives everything that we had
    /// queued, and the close code; whatever it sends after that is dropped, as after `close`.
    public nonisolated func leave(code: UInt16 = 1001, reason: String = "") {
        post(.close(code: code, reason: reason, leaves: true))
    }

    private nonisolated func post(_ item: LinkMailbox.Item) {
        mailbox.post(item)
        // A caller that closes and lets go still gets an orderly end: the link lives until the driver has seen `item`.
        loop.execute { withExtendedLifetime(self) {} }
    }

    /// Closes the descriptor at once, without a word, unless the handshake is over.
    nonisolated func abandon() {
        loop.execute {
            self.assumeIsolated { link in
                guard !link.isOpen else { return }
                link.stream.stack.transportFailed(.closedLocally)
                _ = link.deliverEvents()
                link.giveBackSocket()
            }
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

    /// Returns when the link has ended, and why.
    public func waitUntilClosed() async -> LinkError {
        await withCheckedContinuation { continuation in
            if let end, !isSayingGoodbye {
                continuation.resume(returning: end)
            } else {
                endWaiters.append(continuation)
            }
        }
    }

    /// How long the peer took to answer the last ping; `nil` before the first answer.
    public var roundTrip: Duration? { stream.stack.roundTrip }

    /// Whether the kernel has sent something more than once and heard nothing for longer than a round trip explains: the path
    /// has gone, or loses nearly everything.
    package var isStalled: Bool { stream.socket?.isStalled ?? false }

    /// How much of what we send the path loses; `nil` where the kernel does not say.
    package var lossCounters: LossCounters? { stream.lossCounters }

    /// Counts of the frames and bytes that have gone over the link so far.
    package var counters: LinkCounters { stream.stack.counters }

    /// Measures the round trip now; `roundTrip` changes when the answer is here.
    public nonisolated func ping() { mailbox.post(.ping) }

    // MARK: The end

    /// The link has ended for `reason`: tells everybody who waits. The goodbye to the peer may still be on its way.
    func leave(with reason: LinkError) {
        guard end == nil else { return }
        end = reason
        mailbox.end(reason)
        for pending in waiting.values { pending.complete(.failure(reason)) }
        waiting = [:]
        handler = nil
        acceptance = nil
        openWaiter?.resume(returning: reason)
        openWaiter = nil
        if !isSayingGoodbye { tellEnd() }
    }

    private func tellEnd() {
        guard let end else { return }
        for waiter in endWaiters { waiter.resume(returning: end) }
        endWaiters = []
    }

    /// The kernel has all that there was to say.
    func didHalfClose() {
        guard isSayingGoodbye else { return }
        isSayingGoodbye = false
        tellEnd()
    }

    /// The descriptor is closed.
    func didGiveBackSocket() {
        didHalfClose()
        observer.gone()
        observer = Observer()
        selfUntilGone = nil
    }
}
