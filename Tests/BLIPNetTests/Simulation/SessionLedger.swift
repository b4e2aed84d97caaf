// What two honest users of a session know of each other, kept outside of the stacks: the invariants of RELIABILITY 5.

import TestSupport

@testable import BLIPNet

/// Books on everything that is sent, delivered and answered between two stacks. Each event is checked against them:
/// a request is delivered once and as it was sent, answered once and as it was answered, or fails with a right error;
/// nothing is invented, nothing comes behind the end, and no limit is exceeded.
struct SessionLedger {
    /// A request on its way.
    private struct Request {
        var properties: BLIPProperties
        /// `nil`: a source that fails before its end.
        var body: [UInt8]?
        var isUrgent: Bool
        var isNoReply: Bool
        var sink: SimulatedSink?
        var isCancelled = false
        var isDelivered = false
        var hasOutcome = false
        var hasFailed = false
        /// What the other side answered.
        var answer: BLIPResponse?
    }

    private var requests: [StackPair.Peer: [UInt64: Request]] = [.client: [:], .server: [:]]
    private var limits: [StackPair.Peer: BLIPLimits]
    private(set) var end: [StackPair.Peer: LinkError] = [:]
    private var isOpened: Set<StackPair.Peer> = []
    /// Who is saying goodbye: from its `Bye` on the other side sends it nothing more.
    private var closing: Set<StackPair.Peer> = []
    /// Somebody has changed bytes on the wire: what arrives need not be what was sent. Everything else still holds.
    var isTampered = false

    init(client: BLIPLimits, server: BLIPLimits) { limits = [.client: client, .server: server] }

    // MARK: Users

    mutating func sent(
        _ request: BLIPRequest, number: UInt64, noReply: Bool, sink: SimulatedSink?, by peer: StackPair.Peer
    ) {
        requests[peer]?[number] = Request(
            properties: request.properties, body: request.body.contents, isUrgent: request.isUrgent,
            isNoReply: noReply, sink: sink)
    }

    mutating func cancelled(_ number: UInt64, by peer: StackPair.Peer) { requests[peer]?[number]?.isCancelled = true }

    mutating func answered(_ number: UInt64, with response: BLIPResponse, by peer: StackPair.Peer) {
        guard requests[peer.other]?[number]?.answer == nil else { return }
        requests[peer.other]?[number]?.answer = response
    }

    mutating func closes(_ peer: StackPair.Peer) { closing.insert(peer) }

    /// Requests of `peer` that wait for an answer.
    func waiting(of peer: StackPair.Peer) -> [UInt64] {
        guard end[peer] == nil else { return [] }
        return (requests[peer] ?? [:]).filter { !$0.value.isNoReply && !$0.value.isCancelled && !$0.value.hasOutcome }
            .keys.sorted()
    }

    /// Requests that were delivered to `peer` and that it has not answered.
    func unanswered(by peer: StackPair.Peer) -> [UInt64] {
        (requests[peer.other] ?? [:]).filter { $0.value.isDelivered && !$0.value.isNoReply && $0.value.answer == nil }
            .keys.sorted()
    }

    // MARK: Events of the stacks

    mutating func happened(_ event: ProtocolStack.Event, to peer: StackPair.Peer) throws(FuzzFinding) {
        try require(end[peer] == nil, "\(event) behind the end")
        switch event {
        case .opened: try require(isOpened.insert(peer).inserted, "opened twice")
        case .request(let request): try delivered(request, to: peer)
        case .response(let number, let response): try outcome(.success(response), of: number, to: peer)
        case .requestFailed(let number, let error): try outcome(.failure(error), of: number, to: peer)
        case .closed(let error): end[peer] = error
        }
    }

    private mutating func delivered(_ request: BLIPIncomingRequest, to peer: StackPair.Peer) throws(FuzzFinding) {
        let number = request.number
        guard var sent = requests[peer.other]?[number] else {
            try require(isTampered, "request \(number) that nobody sent")
            return
        }
        try require(!sent.isDelivered, "request \(number) comes twice")
        sent.isDelivered = true
        requests[peer.other]?[number] = sent
        guard !isTampered else { return }
        if request.properties.isEmpty, request.isNoReply {
            // What goes out under a number whose request was taken back, or could not be sent.
            try require(request.body.isEmpty, "a withdrawn request with a body")
            try require(sent.isCancelled || sent.hasFailed || sent.body == nil, "request \(number) was not withdrawn")
            requests[peer.other]?[number]?.isNoReply = true
            return
        }
        let body = request.sink.map(\.content) ?? request.body
        try require(body == sent.body, "request \(number) has another body: \(body.count) bytes")
        try require(request.properties == sent.properties, "request \(number) has other properties")
        try require(request.isUrgent == sent.isUrgent, "request \(number) has another urgency")
        try require(request.isNoReply == sent.isNoReply, "request \(number) wants another reply")
    }

    private mutating func outcome(
        _ outcome: Result<BLIPResponse, LinkError>, of number: UInt64, to peer: StackPair.Peer
    ) throws(FuzzFinding) {
        guard let sent = requests[peer]?[number] else {
            throw FuzzFinding(description: "an outcome of \(number), which nobody sent")
        }
        try require(!sent.hasOutcome, "request \(number) has two outcomes")
        try require(!sent.isCancelled, "request \(number) is cancelled and has an outcome")
        requests[peer]?[number]?.hasOutcome = true
        guard !isTampered else { return }
        switch outcome {
        case .success(let response):
            try require(!sent.isNoReply, "request \(number) wanted no reply")
            guard let answer = sent.answer else {
                // Errors that the other stack answers by itself.
                try require(response.error != nil && !sent.isDelivered, "request \(number) was not answered")
                return
            }
            try check(response, against: answer, sink: sent.sink, number)
        case .failure(let error):
            requests[peer]?[number]?.hasFailed = true
            try check(error, of: sent, number, to: peer)
        }
    }

    private func check(
        _ response: BLIPResponse, against answer: BLIPResponse, sink: SimulatedSink?, _ number: UInt64
    ) throws(FuzzFinding) {
        let body = response.error == nil ? sink?.bytes ?? response.bodyBytes : response.bodyBytes
        if let expected = answer.body.contents, response.error == answer.error {
            try require(body == expected, "response \(number) has another body: \(body.count) bytes")
        } else {
            // A response whose source failed before its first frame becomes an error.
            try require(response.error == .handlerFailed, "response \(number) has another error")
        }
    }

    /// Whether it is a right error: between honest peers only a body of ours fails, or the time of a response whose
    /// body failed on the other side.
    private func check(
        _ error: LinkError, of sent: Request, _ number: UInt64, to peer: StackPair.Peer
    ) throws(FuzzFinding) {
        switch error {
        case .bodyFailed: try require(sent.body == nil || sent.sink?.hasFailed == true, "\(number): no body failed")
        case .timedOut:
            try require(sent.answer.map { $0.body.contents == nil } ?? false, "\(number): nothing took long")
        case .limitExceeded: break
        case .closedByPeer where closing.contains(peer.other): break
        default: throw FuzzFinding(description: "request \(number) fails: \(error)")
        }
    }

    // MARK: Invariants after each step

    func checkLimits(_ usage: MemoryUsage, of peer: StackPair.Peer) throws(FuzzFinding) {
        guard let limits = limits[peer] else { return }
        try require(usage.bufferedIncoming <= limits.maxBufferedBytes, "\(usage.bufferedIncoming) buffered bytes")
        try require(usage.untaken <= usage.bufferedIncoming, "\(usage.untaken) bytes wait for consumers")
        try require(usage.openIncoming <= limits.maxOpenIncoming, "\(usage.openIncoming) open messages")
        try require(usage.unanswered <= limits.maxUnanswered, "\(usage.unanswered) requests without an answer")
        try require(usage.unparsed <= 256 << 10, "\(usage.unparsed) bytes are received and not taken apart")
        try require(usage.control <= 32 << 10, "\(usage.control) bytes of control frames wait")
        try require(usage.message <= limits.maxFrameIn, "a WebSocket message of \(usage.message) bytes")
    }

    /// When nothing is under way and nobody holds an answer back.
    func checkRest(_ usage: MemoryUsage, of peer: StackPair.Peer) throws(FuzzFinding) {
        guard end[peer] == nil, !isTampered else { return }
        let failing = (requests[peer.other] ?? [:]).values.contains { $0.body == nil || $0.isCancelled }
        try require(
            usage.unparsed == 0 && usage.control == 0,
            "\(peer): \(usage.unparsed) received bytes and \(usage.control) of control frames are left lying")
        try require(waiting(of: peer).isEmpty, "\(peer): requests \(waiting(of: peer)) wait for ever")
        try require(!usage.hasUnsent, "\(peer): something is never sent")
        guard !failing else { return }
        try require(usage.openIncoming == 0 && usage.bufferedIncoming == 0, "\(peer): an unfinished message is left")
    }
}

extension BodySink {
    /// What was written into one of the simulation's sinks.
    fileprivate var content: [UInt8] { (self as? SimulatedSink)?.bytes ?? (self as? SlowSink)?.bytes ?? [] }
}

extension BLIPBody {
    /// All of it; `nil` for a source that fails before its end.
    fileprivate var contents: [UInt8]? {
        switch self {
        case .bytes(let bytes): bytes
        case .source(let source): (source as? SimulatedSource)?.wholeBody
        }
    }
}

/// What a stack holds in memory, and whether it has something to do.
struct MemoryUsage {
    /// Bytes of unfinished BLIP messages, and how many those are.
    var bufferedIncoming = 0
    var openIncoming = 0
    var unanswered = 0
    /// Bytes that wait for slow consumers.
    var untaken = 0
    /// Received bytes that no layer has taken apart.
    var unparsed = 0
    /// Control frames that wait for the transport.
    var control = 0
    /// The WebSocket message that is arriving.
    var message = 0
    var hasUnsent = false
}

extension ProtocolStack {
    var memoryUsage: MemoryUsage {
        MemoryUsage(
            bufferedIncoming: blip?.bufferedIncomingBytes ?? 0, openIncoming: blip?.openIncoming ?? 0,
            unanswered: blip?.unansweredRequests ?? 0, untaken: blip?.untakenBytes ?? 0,
            unparsed: lower.webSocket.input.count,
            control: lower.webSocket.outgoing.count, message: lower.webSocket.decoder.gathered.count,
            hasUnsent: blip?.hasUnsent ?? false)
    }
}
