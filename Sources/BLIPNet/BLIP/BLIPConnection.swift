// BLIP between WebSocket messages and requests: the whole protocol of one connection, without I/O.
// Frames come from the WebSocket layer and go to it; events go to the driver (`PeerLink`), which owns this value.

/// One end of a BLIP connection (PROTOCOL 3). Bytes in, events and bytes out; time is passed in.
///
/// A thin whole over its parts: `FrameReader` and `Inbox` on the way in, `Outbox` and `FrameWriter` on the way out.
/// It holds compression streams, so it must have one owner: a copy shares them and must not be used.
public struct BLIPConnection {
    /// A request of ours that waits for its response.
    struct WaitingRequest {
        var message: OutgoingMessage
        var sink: (any BodySink)?
    }

    public let dialect: BLIPDialect
    public let limits: BLIPLimits
    let makeSink: @Sendable (BLIPMessageHead) -> (any BodySink)?
    let coding: BLIPPropertiesCoding
    var reader: FrameReader
    var writer: FrameWriter
    var inbox: Inbox
    var outbox: Outbox
    var acks = AckQueue()
    var events = FIFO<BLIPEvent>()

    /// The number of our last request, and of the last one whose first frame was sent.
    var lastRequest: UInt64 = 0
    var lastBegunRequest: UInt64 = 0
    var waiting: [UInt64: WaitingRequest] = [:]
    /// Messages of ours that have begun and not ended, for ACKs.
    var sendingRequests: [UInt64: OutgoingMessage] = [:]
    var sendingResponses: [UInt64: OutgoingMessage] = [:]
    /// The peer's requests that have no response yet, and whether they are urgent.
    var unanswered: [UInt64: Bool] = [:]
    /// Responses that have not been sent completely, and their bytes in memory.
    var unsentReplies = 0
    var queuedReplyBytes = 0
    /// Set once the connection can do nothing more.
    var end: End?

    enum End {
        case violated(BLIPViolation)
        case disconnected
    }

    /// `makeSink` is asked once for each request of the peer, when its properties are complete, for where its body
    /// goes; `nil` collects it in memory.
    public init(
        dialect: BLIPDialect, limits: BLIPLimits,
        makeSink: @escaping @Sendable (BLIPMessageHead) -> (any BodySink)?
    ) {
        self.dialect = dialect
        self.limits = limits
        self.makeSink = makeSink
        coding = BLIPPropertiesCoding(tokens: dialect.tokens)
        reader = FrameReader(dialect: dialect, limits: limits)
        writer = FrameWriter(dialect: dialect)
        inbox = Inbox(dialect: dialect, limits: limits)
        outbox = Outbox(maxRunning: limits.maxOpenOutgoing)
    }

    /// The next thing that happened. Drain after each `receive`, `nextFrame`, `send` and `handleTimeout`.
    public mutating func nextEvent() -> BLIPEvent? { events.popFirst() }

    /// `nextFrame` has something to send.
    public var hasOutgoing: Bool { end == nil && (!acks.isEmpty || !outbox.isEmpty) }

    /// Something of ours is not sent to its end, whether it may be sent now or waits for an ACK.
    public var hasUnsent: Bool {
        end == nil && (!acks.isEmpty || outbox.count > 0 || !sendingRequests.isEmpty || !sendingResponses.isEmpty)
    }

    /// When `handleTimeout` wants to be called, at the latest; calling it early does nothing.
    public var deadline: MonotonicTime? { inbox.deadline }

    /// Drops incoming messages that have seen no frame for `partialTimeout`. A response dropped so fails its request.
    public mutating func handleTimeout(now: MonotonicTime) {
        for number in inbox.dropStale(now: now) where waiting.removeValue(forKey: number) != nil {
            events.append(.requestFailed(number: number, .timedOut("reply")))
        }
    }

    /// The connection has ended: frees everything and returns the numbers of our requests that still wait, in order;
    /// the caller fails them. Requests that are sent afterwards fail at once.
    public mutating func disconnect() -> [UInt64] {
        if end == nil { end = .disconnected }
        let numbers = waiting.keys.sorted()
        waiting = [:]
        sendingRequests = [:]
        sendingResponses = [:]
        unanswered = [:]
        unsentReplies = 0
        queuedReplyBytes = 0
        outbox.removeAll()
        acks.removeAll()
        inbox.removeAll()
        return numbers
    }

    /// Our requests that wait for a response.
    public var waitingRequests: Int { waiting.count }
    /// Messages of the peer that have begun and not ended.
    public var openIncoming: Int { inbox.openCount }
    /// Bytes of the peer's unfinished messages in memory.
    public var bufferedIncomingBytes: Int { inbox.bufferedBytes }
    /// The peer's requests that `respond` has not been called for.
    public var unansweredRequests: Int { unanswered.count }
    /// Messages of ours that wait for their turn; those that wait for an ACK are not among them.
    public var queuedMessages: Int { outbox.count }
}
