// The peer's unfinished messages: frames in, complete or failed messages and ACKs out.

/// Assembles incoming messages, any number of them at a time within the limits.
struct Inbox {
    /// The effect of a frame on its message.
    struct Progress {
        var isComplete: Bool
        /// Due now, because the frame's bytes have been taken.
        var ack: Acknowledgement?
    }

    /// How many messages that were dropped or refused are remembered, to recognise their later frames.
    private static let maxDropped = 1024

    private let dialect: BLIPDialect
    private let limits: BLIPLimits
    private let coding: BLIPPropertiesCoding
    private var requests: [UInt64: IncomingMessage] = [:]
    private var responses: [UInt64: IncomingMessage] = [:]
    private var nextRequest: UInt64 = 1
    /// Messages that have begun and not ended, without the dropped ones.
    private(set) var openCount = 0
    /// Bytes of unfinished messages in memory.
    private(set) var bufferedBytes = 0
    /// Not later than the time when the first of the open messages must be dropped.
    private var dropDeadline: MonotonicTime?
    /// Not later than the time when the first ACK is to be sent again.
    private var repeatDeadline: MonotonicTime?
    /// When `dropStale` and `repeatAcks` want to be called, at the latest.
    var deadline: MonotonicTime? { .earlier(dropDeadline, repeatDeadline) }
    /// Bytes that slow consumers have not taken; part of `bufferedBytes`.
    private(set) var untakenBytes = 0
    /// Messages whose consumer is slow, the complete ones included until everything of them has been taken.
    private var slow: [IncomingMessage] = []
    private var begunMessages: UInt64 = 0
    private var withheldAcks = 0
    /// When messages in memory hold more than this, only the oldest of them is still acknowledged. What the others may
    /// send without an ACK and the largest body fit into the rest.
    private let unhurriedBytes: Int
    /// Our part of the memory that connections share.
    private let holding: MemoryHolding?

    init(dialect: BLIPDialect, limits: BLIPLimits) {
        self.dialect = dialect
        self.limits = limits
        coding = BLIPPropertiesCoding(tokens: dialect.tokens)
        holding = limits.memory.map(MemoryHolding.init)
        let (unacknowledged, overflow) = limits.maxOpenIncoming.multipliedReportingOverflow(
            by: Int(clamping: limits.sendWindow))
        unhurriedBytes = overflow ? 0 : max(limits.maxBufferedBytes - limits.maxBufferedBody - unacknowledged, 0)
    }

    /// The message that a frame belongs to; a new one when the frame begins it. `lastRequest` is the number of the
    /// last request of ours that has begun, beyond which there can be no response.
    mutating func message(
        for frame: ReceivedFrame, type: BLIPFrameType, lastRequest: UInt64, now: MonotonicTime
    ) throws(BLIPViolation) -> IncomingMessage {
        let number = frame.header.number
        if type == .request {
            if let message = requests[number] { return message }
            guard number == nextRequest else { throw .badFrame("request \(number) where \(nextRequest) is next") }
            nextRequest += 1
        } else {
            if let message = responses[number] { return message }
            guard number >= 1, number <= lastRequest else { throw .badFrame("a response to no request: \(number)") }
        }
        return IncomingMessage(header: frame.header, type: type, dialect: dialect, now: now)
    }

    /// The peer's unfinished request of this number.
    func openRequest(_ number: UInt64) -> IncomingMessage? { requests[number] }

    /// Gives the frame's data to its message. `makeSink` is called at most once per message; a slow sink gets `taken`
    /// to call.
    mutating func take(
        _ frame: ReceivedFrame, for message: IncomingMessage, unpacking: UnpackingAllowance, now: MonotonicTime,
        taken: @escaping @Sendable () -> Void, makeSink: (BLIPMessageHead) -> (any BodySink)?
    ) throws(BLIPViolation) -> Progress {
        let isLast = frame.header.flags & dialect.flags.moreComing == 0
        if !isLast, !message.account.isListed { try list(message, now: now) }
        message.lastFrame = now
        message.acknowledged.frameCame(now: now)
        let free = max(limits.maxBufferedBytes - bufferedBytes, 0)
        let shared = holding?.room(beyond: bufferedBytes) ?? .max
        message.take(
            frame.data, coding: coding, limits: limits, unpacking: unpacking, memory: min(free, shared),
            isShared: shared < free, taken: taken, makeSink: makeSink)
        if message.deferredSink != nil, !message.account.isSlow {
            message.account.isSlow = true
            slow.append(message)
        }

        let counted = message.receivedBytes
        message.receivedBytes += frame.wireCount
        if isLast {
            message.end()
            unlist(message)
            recount(message)
            if !slow.isEmpty, message.untakenBytes == 0 { slow.removeAll { $0 === message } }
            return Progress(isComplete: true, ack: nil)
        }
        recount(message)
        let ack = dialect.hasAcks ? dueAck(for: message, counted: counted, now: now) : nil
        return Progress(isComplete: false, ack: ack)
    }

    /// The ACK that is due now. A message's last frame is not acknowledged: nobody waits for it. `counted` is what had
    /// been received before this frame.
    private mutating func dueAck(
        for message: IncomingMessage, counted: UInt64, now: MonotonicTime
    ) -> Acknowledgement? {
        var isDue = counted / limits.ackInterval < message.receivedBytes / limits.ackInterval
        if isDue, mustWait(message) {
            if !message.account.isAckWithheld { withheldAcks += 1 }
            message.account.isAckWithheld = true
            isDue = false
        }
        if message.deferredSink == nil, !message.hasAckMarks {
            return isDue ? acknowledge(message, message.receivedBytes, now: now) : nil
        }
        if isDue { message.markAck() }
        return message.takeDueAck().map { acknowledge(message, $0, now: now) }
    }

    /// The ACKs that are due again, because nothing has come of their messages since.
    mutating func repeatAcks(now: MonotonicTime) -> [Acknowledgement] {
        guard let repeatDeadline, repeatDeadline <= now else { return [] }
        var due: [Acknowledgement] = []
        var next: MonotonicTime?
        for message in [requests.values, responses.values].joined() {
            guard var time = message.acknowledged.due(first: limits.ackRepeat),
                time < message.lastFrame + limits.partialTimeout
            else { continue }
            if time <= now {
                due.append(acknowledgement(of: message, message.acknowledged.byteCount))
                message.acknowledged.repeated()
                time = max(message.acknowledged.due(first: limits.ackRepeat) ?? time, now)
            }
            next = min(next ?? time, time)
        }
        self.repeatDeadline = next
        return due
    }

    /// Gives an ACK, and notes when to give it again.
    private mutating func acknowledge(
        _ message: IncomingMessage, _ byteCount: UInt64, now: MonotonicTime
    ) -> Acknowledgement {
        message.acknowledged.acknowledged(byteCount, now: now)
        if repeatDeadline == nil { repeatDeadline = now + limits.ackRepeat }
        return acknowledgement(of: message, byteCount)
    }

    // MARK: Memory

    /// Whether so much waits for slow consumers that nothing more should be read. Only for dialects without ACKs:
    /// with them each sender pauses by itself.
    private(set) var isFull = false

    /// Slow consumers have taken bytes, or stopped taking them; returns the ACKs that are now due.
    mutating func noteTaken(now: MonotonicTime) -> [Acknowledgement] {
        var due: [Acknowledgement] = []
        for message in slow {
            recount(message)
            if let byteCount = message.takeDueAck() { due.append(acknowledge(message, byteCount, now: now)) }
        }
        slow.removeAll { $0.untakenBytes == 0 && ($0.isOver || $0.deferredSink == nil) }
        return due
    }

    /// The message now holds more or fewer bytes than before.
    private mutating func recount(_ message: IncomingMessage) {
        let untaken = message.untakenBytes
        // A complete body in memory has been handed over.
        let bytes = message.isOver ? untaken : message.memoryBytes
        bufferedBytes += bytes - message.account.countedBytes
        holding?.update(to: bufferedBytes)
        untakenBytes += untaken - message.account.countedUntaken
        message.account.countedBytes = bytes
        message.account.countedUntaken = untaken
        guard !dialect.hasAcks else { return }
        isFull = untakenBytes > (isFull ? limits.maxUntakenBytes / 2 : limits.maxUntakenBytes)
    }

    /// Nothing could arrive for a while, which was our doing: no message is late because of it.
    mutating func resumeReading(now: MonotonicTime) {
        for message in [requests.values, responses.values].joined() { message.lastFrame = now }
    }

    /// The ACKs that were withheld and need not be any longer. To be asked after everything that may free memory.
    mutating func releaseAcks(now: MonotonicTime) -> [Acknowledgement] {
        guard withheldAcks > 0 else { return [] }
        var released: [Acknowledgement] = []
        for message in [requests.values, responses.values].joined()
        where message.account.isAckWithheld && !mustWait(message) {
            message.account.isAckWithheld = false
            withheldAcks -= 1
            released.append(acknowledge(message, message.receivedBytes, now: now))
        }
        return released
    }

    /// Whether this message has to let older ones be completed first, because memory is short. One that goes into a
    /// sink, or nowhere, holds none.
    private func mustWait(_ message: IncomingMessage) -> Bool {
        guard bufferedBytes > unhurriedBytes, message.holdsMemory else { return false }
        return [requests.values, responses.values].joined().contains {
            $0.holdsMemory && $0.account.order < message.account.order
        }
    }

    private func acknowledgement(of message: IncomingMessage, _ byteCount: UInt64) -> Acknowledgement {
        Acknowledgement(number: message.number, isOfResponse: message.isResponse, byteCount: byteCount)
    }

    /// Gives up on a message; its later frames are swallowed.
    mutating func fail(_ message: IncomingMessage, _ failure: IncomingFailure) {
        message.fail(failure)
        recount(message)
    }

    /// Gives up on an unfinished response, if there is one.
    mutating func failResponse(_ number: UInt64, _ failure: IncomingFailure) {
        if let message = responses[number] { fail(message, failure) }
    }

    /// Drops the messages that have seen no frame for too long and returns the numbers of the responses among them.
    /// A dropped request is answered with an error should its end come after all.
    mutating func dropStale(now: MonotonicTime) -> [UInt64] {
        guard let dropDeadline, dropDeadline <= now else { return [] }
        var dropped: [UInt64] = []
        var next: MonotonicTime?
        for message in [requests.values, responses.values].joined() where !message.account.isDropped {
            // That no frame comes of it is our doing.
            if message.account.isAckWithheld || message.hasAckMarks || isFull { message.lastFrame = now }
            let expiry = message.lastFrame + limits.partialTimeout
            if expiry > now {
                next = min(next ?? expiry, expiry)
                continue
            }
            fail(message, .timedOut)
            message.account.isDropped = true
            openCount -= 1
            if message.isResponse { dropped.append(message.number) }
        }
        self.dropDeadline = next
        return dropped
    }

    /// The connection has ended for `reason`.
    mutating func removeAll(_ reason: LinkError) {
        for message in requests.values { message.sink?.bodyEnded(reason) }
        requests = [:]
        responses = [:]
        slow = []
        untakenBytes = 0
        isFull = false
        openCount = 0
        withheldAcks = 0
        bufferedBytes = 0
        holding?.update(to: 0)
        dropDeadline = nil
        repeatDeadline = nil
    }

    private mutating func list(_ message: IncomingMessage, now: MonotonicTime) throws(BLIPViolation) {
        guard requests.count + responses.count - openCount <= Self.maxDropped else {
            throw .limit("too many unfinished messages")
        }
        message.account.isListed = true
        if message.isResponse { responses[message.number] = message } else { requests[message.number] = message }
        guard openCount < limits.maxOpenIncoming else {
            // A peer that does not know our limit loses this message and not the connection.
            message.fail(.refused("more than \(limits.maxOpenIncoming) unfinished messages"))
            message.account.isDropped = true
            return
        }
        openCount += 1
        begunMessages += 1
        message.account.order = begunMessages
        if dropDeadline == nil { dropDeadline = now + limits.partialTimeout }
    }

    private mutating func unlist(_ message: IncomingMessage) {
        message.isOver = true
        guard message.account.isListed else { return }
        if message.account.isAckWithheld { withheldAcks -= 1 }
        if message.isResponse { responses[message.number] = nil } else { requests[message.number] = nil }
        if !message.account.isDropped { openCount -= 1 }
        if openCount == 0 { dropDeadline = nil }
        if requests.isEmpty, responses.isEmpty { repeatDeadline = nil }
    }
}
