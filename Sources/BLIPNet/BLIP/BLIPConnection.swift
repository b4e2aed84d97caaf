// BLIP between WebSocket messages and requests: the whole protocol of one connection, without I/O.
// Frames come from the WebSocket layer and go to it; events go to the driver (`PeerLink`), which owns this value.

/// One end of a BLIP connection (PROTOCOL 3). Bytes in, events and bytes out; time is passed in.
///
/// A thin whole over its parts: `FrameReader` and `Inbox` on the way in, `Outbox` and `FrameWriter` on the way out.
/// It holds compression streams, so it must have one owner: a copy shares them and must not be used.
package struct BLIPConnection {
    /// A request of ours that waits for its response.
    struct WaitingRequest {
        var message: OutgoingMessage
        var sink: (any BodySink)?
    }

    package let dialect: BLIPDialect
    package let limits: BLIPLimits
    let makeSink: @Sendable (BLIPMessageHead) -> (any BodySink)?
    let taken: @Sendable () -> Void
    let coding: BLIPPropertiesCoding
    var reader: FrameReader
    var writer: FrameWriter
    var inbox: Inbox
    var outbox: Outbox
    var acks = AckQueue()
    /// How much the peer may still have us unpack.
    var unpacking: UnpackingBudget
    var events = FIFO<BLIPEvent>()

    /// The numbers of our requests.
    var numbers = RequestNumbers()
    var waiting: [UInt64: WaitingRequest] = [:]
    /// Messages of ours that have begun and not ended, for ACKs.
    var sendingRequests: [UInt64: OutgoingMessage] = [:]
    var sendingResponses: [UInt64: OutgoingMessage] = [:]
    /// The peer's requests that have no response yet, and whether they are urgent.
    var unanswered: [UInt64: Bool] = [:]
    /// Responses that have not been sent completely, and their bytes in memory.
    var unsentReplies = 0
    var queuedReplyBytes = 0
    /// Places of messages that were left without an end, for as long as the peer may still hold their beginning.
    var abandoned = FIFO<AbandonedMessage>()
    /// Our `Bye`, and whether the peer has said its own.
    var byeNumber: UInt64?
    var hasPeerSaidBye = false
    /// The latest time that the driver has told.
    var now = MonotonicTime(nanoseconds: .min)
    /// Set once the connection can do nothing more.
    var end: End?

    /// A message of ours that was left without an end, and when the peer has dropped it: not known before the driver
    /// tells the time again.
    struct AbandonedMessage {
        var message: OutgoingMessage
        var expiry: MonotonicTime?
    }

    enum End {
        case violated(BLIPViolation)
        case disconnected
    }

    /// `makeSink` is asked once for each request of the peer, when its properties are complete, for where its body
    /// goes; `nil` collects it in memory. `taken` is called on any thread when a slow consumer has taken bytes
    /// (`DeferredBodySink`); the driver then calls `noteTaken`.
    package init(
        dialect: BLIPDialect, limits: BLIPLimits, taken: @escaping @Sendable () -> Void = {},
        makeSink: @escaping @Sendable (BLIPMessageHead) -> (any BodySink)?
    ) {
        self.dialect = dialect
        self.limits = limits
        self.makeSink = makeSink
        self.taken = taken
        coding = BLIPPropertiesCoding(tokens: dialect.tokens)
        reader = FrameReader(dialect: dialect, limits: limits)
        writer = FrameWriter(dialect: dialect)
        inbox = Inbox(dialect: dialect, limits: limits)
        unpacking = UnpackingBudget(limits: limits)
        outbox = Outbox(
            maxRunning: limits.maxOpenOutgoing, maxRunningBytes: dialect.hasAcks ? nil : limits.maxRunningBytes,
            pace: dialect.hasAcks && limits.pacesByAcks ? AckPace(interval: limits.ackInterval) : nil)
    }

    /// The next thing that happened. Drain after each `receive`, `nextFrame`, `send` and `handleTimeout`.
    package mutating func nextEvent() -> BLIPEvent? { events.popFirst() }

    /// `nextFrame` has something to send.
    var hasOutgoing: Bool { end == nil && (!acks.isEmpty || !outbox.isEmpty) }

    /// Something of ours is not sent to its end, whether it may be sent now or waits for an ACK.
    package var hasUnsent: Bool {
        end == nil && (!acks.isEmpty || outbox.count > 0 || !sendingRequests.isEmpty || !sendingResponses.isEmpty)
    }

    /// When `handleTimeout` wants to be called, at the latest; calling it early does nothing.
    package var deadline: MonotonicTime? {
        let expiry = abandoned.first.map { $0.expiry ?? now }
        return .earlier(.earlier(inbox.deadline, expiry), .earlier(unpacking.resumption, outbox.deadline))
    }

    /// The driver tells the time before it sends: `AckPace` measures round trips by it.
    mutating func noteTime(_ now: MonotonicTime) { self.now = max(self.now, now) }

    /// Does what is due: drops incoming messages that have seen no frame for `partialTimeout` (a response dropped so fails
    /// its request), sends ACKs again that may have got lost, and reads on when that had to pause for the time.
    package mutating func handleTimeout(now: MonotonicTime) {
        noteTime(now)
        if unpacking.resume(now: now) { inbox.resumeReading(now: now) }
        outbox.handleTimeout(now: now)
        for ack in inbox.repeatAcks(now: now) { acks.append(ack) }
        for number in inbox.dropStale(now: now) {
            if endWaiting(number, .timedOut("reply")) { fail(number, .timedOut("reply")) }
        }
        for index in 0..<abandoned.count {
            guard var entry = abandoned[index], entry.expiry == nil else { continue }
            entry.expiry = now + limits.partialTimeout
            abandoned.replace(at: index, with: entry)
        }
        while let first = abandoned.first, let expiry = first.expiry, expiry <= now {
            _ = abandoned.popFirst()
            outbox.finish(first.message)
        }
    }

    /// Nothing more should be read from the transport now: until slow consumers have taken something (only in a dialect
    /// without ACKs, where we cannot make the peer pause one message), or until `deadline`, because the peer has had us
    /// unpack too much (`BLIPLimits.maxUnpackedPerSecond`).
    var isReadingPaused: Bool { inbox.isFull || unpacking.isUsedUp }

    /// No frame should be given to `receive` before `deadline`, not even one that has been read already.
    var defersFrames: Bool { end == nil && unpacking.isUsedUp }

    /// The peer is no longer a stranger: `BLIPLimits.maxUnpackedBeforeAdmission` no longer applies.
    package mutating func admit() { unpacking.admit() }

    /// Slow consumers have taken bytes (`taken` was called): ACKs become due, or reading may resume.
    mutating func noteTaken(now: MonotonicTime) {
        noteTime(now)
        guard end == nil else { return }
        let wasPaused = isReadingPaused
        for ack in inbox.noteTaken(now: now) { acks.append(ack) }
        if wasPaused, !isReadingPaused { inbox.resumeReading(now: now) }
    }

    /// The connection has ended for `reason`: frees everything and returns the numbers of our requests that still
    /// wait, in order; the caller fails them. Requests that are sent afterwards fail at once.
    package mutating func disconnect(_ reason: LinkError = .disconnected) -> [UInt64] {
        if end == nil { end = .disconnected }
        let numbers = waiting.keys.filter { $0 != byeNumber }.sorted()
        for request in waiting.values { request.sink?.bodyEnded(reason) }
        waiting = [:]
        sendingRequests = [:]
        sendingResponses = [:]
        unanswered = [:]
        unsentReplies = 0
        queuedReplyBytes = 0
        abandoned.removeAll()
        outbox.removeAll()
        acks.removeAll()
        inbox.removeAll(reason)
        return numbers
    }

    /// A request of ours waits no longer; tells its sink. `false`: it did not wait.
    mutating func endWaiting(_ number: UInt64, _ failure: LinkError?) -> Bool {
        guard let request = waiting.removeValue(forKey: number) else { return false }
        request.sink?.bodyEnded(failure)
        return true
    }

    /// Reports that a request of ours gets no answer.
    mutating func fail(_ number: UInt64, _ failure: LinkError) {
        if number != byeNumber { events.append(.requestFailed(number: number, failure)) }
    }

    /// Our requests that wait for a response, a `Bye` included.
    package var waitingRequests: Int { waiting.count }
    /// Messages of the peer that have begun and not ended.
    package var openIncoming: Int { inbox.openCount }
    /// Bytes of the peer's unfinished messages in memory, and of finished ones that wait for slow consumers.
    package var bufferedIncomingBytes: Int { inbox.bufferedBytes }
    /// Those of them that wait for slow consumers.
    package var untakenBytes: Int { inbox.untakenBytes }
    /// The peer's requests that await a call of `respond`.
    package var unansweredRequests: Int { unanswered.count }
    /// Messages of ours that wait for their turn; those that wait for an ACK are not among them.
    package var queuedMessages: Int { outbox.count }
}

/// The numbers of our requests: those that go out have no gaps.
struct RequestNumbers {
    /// Of the last request that goes out, and of the last one whose first frame was sent.
    private(set) var last: UInt64 = 0
    var begun: UInt64 = 0
    /// Of the last request that was refused on this side. It counts down, because nothing goes out under it.
    private var refused = UInt64.max

    mutating func next() -> UInt64 {
        last += 1
        return last
    }

    mutating func nextRefused() -> UInt64 {
        refused -= 1
        return refused
    }
}
