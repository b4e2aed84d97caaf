// The order in which frames of our messages go out (PROTOCOL 3.3).

/// Messages that have something to send. The scheduler takes one, sends one frame of it and puts it back:
/// - a normal message goes to the end;
/// - an urgent one goes after the last urgent one with one normal message between them, never to the front when
///   normal ones wait. So urgent messages take every second frame as long as there are as many normal ones; where
///   more urgent ones wait, several of them go in a row before the next normal one;
/// - a flood of urgent messages does not starve the normal ones: each urgent frame that goes out while a normal message
///   waits gives the normal ones a claim to some frames, and where the claims have grown too large a normal message goes
///   first (Docs/decisions/0008);
/// - a new request never overtakes a new request, because request numbers must begin in order. Responses have no order
///   of their own and are not held up by it.
/// Only so many messages run at a time (a peer refuses to hold more unfinished ones), which also bounds how many urgent
/// ones can precede a normal one that was just put back; the others wait in the backlog, requests in order, urgent
/// responses ahead of normal ones. A quarter of the places is kept for each kind, so that a flood of one cannot shut
/// the other out. In a dialect without ACKs only so many bytes run at a time. On a link through a relay normal messages
/// also wait while enough bytes are in flight (`AckPace`).
struct Outbox {
    private var queue = FIFO<OutgoingMessage>()
    private var newRequests = FIFO<OutgoingMessage>()
    private var urgentResponses = FIFO<OutgoingMessage>()
    private var normalResponses = FIFO<OutgoingMessage>()
    private var responseIsNext = false
    private var urgentInQueue = 0
    /// Frames that normal messages may claim for urgent frames that went before them.
    private var normalClaim = 0
    /// How much one urgent frame adds to the claim: with frames of 4 KiB about as much work for both sides as a short
    /// message is, so the first frame of a normal message takes as much from it.
    static let claimPerUrgentFrame = 6
    /// Claims below this wait: urgency is for few messages at a time, and so many urgent frames overtake freely.
    static let urgentBurst = 16
    private static let claimLimit = claimPerUrgentFrame * urgentBurst
    /// Messages that were let in and have not finished, the paused ones included.
    private var running: Int { runningUrgent + runningNormal }
    private var runningUrgent = 0
    private var runningNormal = 0
    private let maxRunning: Int
    /// The sizes of the running messages, where they are bounded.
    private var runningBytes = 0
    private let maxRunningBytes: Int?
    /// `nil`: the transport alone limits the bytes in flight.
    private var pace: AckPace?

    /// `maxRunningBytes`: how large the running messages may be together, unless it is one alone.
    init(maxRunning: Int, maxRunningBytes: Int? = nil, pace: AckPace? = nil) {
        self.maxRunning = max(maxRunning, 1)
        self.maxRunningBytes = maxRunningBytes
        self.pace = pace
    }

    /// Whether `popNext` has something.
    var isEmpty: Bool { queue.isEmpty || holds && firstPosition(where: { !Self.canWait($0) }) == nil }
    /// An urgent message waits for its turn.
    var hasUrgent: Bool { urgentInQueue > 0 }
    /// Messages that wait for their turn or for room, without the paused ones.
    var count: Int { queue.count + newRequests.count + urgentResponses.count + normalResponses.count }

    /// Takes a message that has not begun.
    mutating func add(_ message: OutgoingMessage) {
        if message.isRequest {
            newRequests.append(message)
        } else if message.isUrgent {
            urgentResponses.append(message)
        } else {
            normalResponses.append(message)
        }
        letIn()
    }

    /// The message whose turn it is, taken out of the queue. After its frame the caller puts it back, pauses it (by
    /// keeping it) or says that it has finished.
    mutating func popNext() -> OutgoingMessage? {
        guard let message = holds ? popFirst(where: { !Self.canWait($0) }) : popClaimingNormal() ?? queue.popFirst()
        else { return nil }
        if !message.isUrgent {
            normalClaim = max(0, normalClaim - (message.isNew ? Self.claimPerUrgentFrame : 1))
        } else {
            urgentInQueue -= 1
            if urgentInQueue < queue.count {
                normalClaim = min(normalClaim + Self.claimPerUrgentFrame, Self.claimLimit)
            }
        }
        return message
    }

    /// Enough bytes are in flight to the peer.
    private var holds: Bool { pace?.isFull(running: running) == true }

    /// Whether others may go before it. A request that begins stays where it is, because request numbers begin in order.
    private static func canWait(_ message: OutgoingMessage) -> Bool {
        !message.isUrgent && !(message.isNew && message.isRequest)
    }

    private func firstPosition(where fits: (OutgoingMessage) -> Bool) -> Int? {
        (0..<queue.count).first { position in queue[position].map(fits) ?? false }
    }

    private mutating func popFirst(where fits: (OutgoingMessage) -> Bool) -> OutgoingMessage? {
        guard let position = firstPosition(where: fits), let message = queue[position] else { return nil }
        queue.remove(at: position)
        return message
    }

    /// The first normal message that can move, when urgent ones have gone before them for too long.
    private mutating func popClaimingNormal() -> OutgoingMessage? {
        guard normalClaim > Self.claimLimit - Self.claimPerUrgentFrame, urgentInQueue > 0 else { return nil }
        return popFirst(where: Self.canWait)
    }

    /// Puts back a message that has more frames, or that was paused.
    mutating func putBack(_ message: OutgoingMessage) { enqueue(message) }

    /// Takes a message out of the queue, if it is there; it keeps its place among the running ones until `finish`.
    mutating func withdraw(_ message: OutgoingMessage) {
        guard let position = firstPosition(where: { $0 === message }) else { return }
        queue.remove(at: position)
        if message.isUrgent { urgentInQueue -= 1 }
    }

    /// The message will send nothing more.
    mutating func finish(_ message: OutgoingMessage) {
        if message.isUrgent { runningUrgent -= 1 } else { runningNormal -= 1 }
        runningBytes -= message.runningBytes
        letIn()
    }

    mutating func removeAll() { self = Outbox(maxRunning: maxRunning, maxRunningBytes: maxRunningBytes) }

    // MARK: Bytes in flight

    /// A frame of a message has been written, `count` bytes after its header.
    mutating func wrote(_ count: UInt64, of message: OutgoingMessage, isLast: Bool, now: MonotonicTime) {
        let running = running
        pace?.wrote(
            count, of: message.number, isOfResponse: !message.isRequest, total: message.sentBytes, isLast: isLast,
            running: running, now: now)
    }

    /// The peer acknowledges so many bytes of a message, one that has been sent to its end perhaps.
    mutating func acknowledged(_ byteCount: UInt64, of number: UInt64, isOfResponse: Bool, now: MonotonicTime) {
        pace?.acknowledged(byteCount, of: number, isOfResponse: isOfResponse, now: now)
    }

    /// When `handleTimeout` is due.
    var deadline: MonotonicTime? { holds ? pace?.deadline : nil }

    mutating func handleTimeout(now: MonotonicTime) { pace?.handleTimeout(now: now) }

    private mutating func letIn() {
        while let next = urgentResponses.first, hasRoom(for: next), let message = urgentResponses.popFirst() {
            start(message)
        }
        while true {
            let requestFits = newRequests.first.map { hasRoom(for: $0) } ?? false
            let responseFits = normalResponses.first.map { hasRoom(for: $0) } ?? false
            guard requestFits || responseFits else { return }
            // In turns where both could go, so that neither kind shuts the other out.
            let takesResponse = responseFits && (responseIsNext || !requestFits)
            responseIsNext = !takesResponse
            if let message = takesResponse ? normalResponses.popFirst() : newRequests.popFirst() { start(message) }
        }
    }

    /// A quarter of the places is kept for either kind, and a quarter of the bytes for urgent messages.
    private func hasRoom(for message: OutgoingMessage) -> Bool {
        let runningOfKind = message.isUrgent ? runningUrgent : runningNormal
        guard running < maxRunning, runningOfKind < maxRunning - maxRunning / 4 else { return false }
        guard let maxRunningBytes, running > 0 else { return true }
        let allowed = message.isUrgent ? maxRunningBytes : maxRunningBytes - maxRunningBytes / 4
        return size(message, maxRunningBytes) <= allowed - runningBytes
    }

    private func size(_ message: OutgoingMessage, _ maxRunningBytes: Int) -> Int {
        message.isStreamed ? maxRunningBytes / 4 : message.memoryBytes
    }

    private mutating func start(_ message: OutgoingMessage) {
        if message.isUrgent { runningUrgent += 1 } else { runningNormal += 1 }
        if let maxRunningBytes {
            message.runningBytes = size(message, maxRunningBytes)
            runningBytes += message.runningBytes
        }
        enqueue(message)
    }

    private mutating func enqueue(_ message: OutgoingMessage) {
        guard message.isUrgent else {
            queue.append(message)
            return
        }
        queue.insert(message, at: urgentPosition(message))
        urgentInQueue += 1
    }

    private func urgentPosition(_ message: OutgoingMessage) -> Int {
        var position = queue.count - 1
        while position >= 0, let other = queue[position] {
            if other.isUrgent { return min(position + 2, queue.count) }
            if message.isNew, message.isRequest, other.isNew, other.isRequest { return position + 1 }
            position -= 1
        }
        return min(1, queue.count)
    }
}
