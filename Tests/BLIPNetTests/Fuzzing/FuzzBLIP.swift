// BLIP: frames from a hostile peer, one message in every cut, and two honest peers that do anything in any order.

import TestSupport

@testable import BLIPNet

/// Limits that an input of a few kilobytes can reach.
private func smallLimits() -> BLIPLimits {
    var limits = BLIPLimits()
    limits.maxPropertiesBytes = 4_096
    limits.maxOpenIncoming = 4
    limits.maxBufferedBytes = 96 << 10
    limits.maxBufferedBody = 64 << 10
    limits.maxInflatedFrame = 256 << 10
    limits.maxUnanswered = 8
    limits.maxQueuedReplyBytes = 128 << 10
    limits.ackInterval = 1_000
    limits.sendWindow = 4_000
    return limits
}

/// Frames of a hostile peer, with all the time in the world between them: the limits hold, nothing is said twice, the
/// end is final and leaves nobody waiting.
func fuzzBLIPFrames(_ bytes: UnsafeRawBufferPointer) throws {
    var input = FuzzInput(bytes)
    let limits = smallLimits()
    // Without checksums the fuzzer gets behind the first frame.
    var unchecked = BLIPDialect.blip3
    unchecked.hasChecksum = false
    let dialect = [unchecked, .blip3, .blip2, .blip2013][Int(input.byte() & 3)]
    var connection = BLIPConnection(dialect: dialect, limits: limits) { _ in nil }
    var ledger = BLIPLedger()
    var out = ByteQueue()
    var now = MonotonicTime(nanoseconds: 0)
    for _ in 0..<3 {
        ledger.sent(connection.send(BLIPRequest(profile: "ask", body: .text("?")), sink: nil, noReply: false))
    }
    while !input.isEmpty {
        let operation = input.byte()
        now = now + .seconds(Int(operation & 3) * 11)
        let frame = input.piece()
        let outcome = Result { () throws(BLIPViolation) in try connection.receive(frame: frame, now: now) }
        try ledger.takeEvents(of: &connection, answers: operation & 4 == 0)
        if case .failure(let violation) = outcome {
            try require([1002, 1008, 1009].contains(violation.closeCode), "close code \(violation.closeCode)")
            try require(violation.reason.utf8.count <= 123, "a reason that does not fit: \(violation.reason)")
            let again = Result { () throws(BLIPViolation) in try connection.receive(frame: frame, now: now) }
            guard case .failure(violation) = again else { throw FuzzFinding(description: "the end is not final") }
            try require(!connection.nextFrame(into: &out), "a frame after the end")
            break
        }
        if operation & 8 == 0 {
            while connection.nextFrame(into: &out) {
                try require(out.count <= limits.frameOut, "a frame of \(out.count) bytes")
                out.removeAll()
            }
        }
        connection.handleTimeout(now: now)
        try ledger.takeEvents(of: &connection, answers: true)
        try checkLimits(of: connection)
    }
    try require(connection.disconnect() == ledger.waiting.sorted(), "somebody waits for ever, or is told twice")
    try require(connection.nextEvent() == nil && connection.bufferedIncomingBytes == 0, "something is left")
}

private func checkLimits(of connection: BLIPConnection) throws(FuzzFinding) {
    let limits = connection.limits
    try require(connection.bufferedIncomingBytes >= 0, "buffered bytes below zero")
    try require(connection.bufferedIncomingBytes <= limits.maxBufferedBytes, "too many buffered bytes")
    try require(connection.openIncoming >= 0, "open messages below zero")
    try require(connection.openIncoming <= limits.maxOpenIncoming, "too many open messages")
    try require(connection.unansweredRequests <= limits.maxUnanswered, "too many unanswered requests")
}

/// Who waits for what, kept outside of the connection.
private struct BLIPLedger {
    private(set) var waiting: Set<UInt64> = []
    private var requests: Set<UInt64> = []

    mutating func sent(_ number: UInt64) { waiting.insert(number) }

    mutating func takeEvents(of connection: inout BLIPConnection, answers: Bool) throws(FuzzFinding) {
        while let event = connection.nextEvent() {
            switch event {
            case .request(let request):
                try require(requests.insert(request.number).inserted, "request \(request.number) comes twice")
                if answers { connection.respond(to: request.number, with: BLIPResponse(body: .bytes(request.body))) }
            case .response(let number, _), .requestFailed(let number, _):
                try require(waiting.remove(number) != nil, "nobody waits for \(number)")
            }
        }
    }
}

/// The data of one message: the same comes of it whether it arrives in one frame or in many.
func fuzzBLIPMessage(_ bytes: UnsafeRawBufferPointer) throws {
    var input = FuzzInput(bytes)
    let configuration = input.byte()
    var dialect = BLIPDialect.all[Int(configuration >> 6) % BLIPDialect.all.count]
    // The dialects without the parts that go by frames.
    dialect.hasChecksum = false
    dialect.hasAcks = false
    let masks = dialect.flags
    var flags = UInt64(configuration & 3) % 3
    let isCompressed = configuration & 4 != 0 && dialect.compression == .bodyMember
    if isCompressed { flags |= masks.compressed }
    if configuration & 8 != 0 { flags |= masks.urgent }
    if configuration & 16 != 0 { flags |= masks.noReply }
    if configuration & 32 != 0 { flags |= masks.meta }
    var cuts = FuzzCuts(seed: input.byte())
    let data = input.bytes(60_000)
    var whole = blipMessage(dialect, flags: flags, pieces: [Array(data)])
    var pieces: [[UInt8]] = []
    cuts.forEachPiece(of: data) { pieces.append(Array($0)) }
    var inPieces = blipMessage(dialect, flags: flags, pieces: pieces.isEmpty ? [[]] : pieces)
    if isCompressed {
        // What a frame may unpack to is a limit of the frame; the error says which limit it was.
        whole.hideReasons()
        inPieces.hideReasons()
    }
    try require(whole == inPieces, "in one frame: \(whole), in \(pieces.count): \(inPieces)")
}

/// What a connection makes of one message.
private struct MessageOutcome: Equatable {
    var requests: [BLIPProperties] = []
    var responses: [BLIPProperties] = []
    var errors: [BLIPErrorCode?] = []
    var failures: [LinkError] = []
    var bodies: [[UInt8]] = []
    var flags: [Bool] = []
    var violation: BLIPViolation?
    var answer: [UInt8] = []

    mutating func hideReasons() {
        failures = failures.map { _ in .disconnected }
        answer = []
    }
}

private func blipMessage(_ dialect: BLIPDialect, flags: UInt64, pieces: [[UInt8]]) -> MessageOutcome {
    var connection = BLIPConnection(dialect: dialect, limits: BLIPLimits()) { _ in nil }
    _ = connection.send(BLIPRequest(profile: "ask"), sink: nil, noReply: false)
    var out = ByteQueue()
    while connection.nextFrame(into: &out) {}
    out.removeAll()
    var outcome = MessageOutcome()
    let now = MonotonicTime(nanoseconds: 0)
    for (index, piece) in pieces.enumerated() {
        let isLast = index == pieces.count - 1
        var frame: [UInt8] = [1]
        Varint.append(flags | (isLast ? 0 : dialect.flags.moreComing), to: &frame)
        frame += piece
        let received = frame.withUnsafeBytes { frame in
            Result { () throws(BLIPViolation) in try connection.receive(frame: frame, now: now) }
        }
        if case .failure(let violation) = received { outcome.violation = violation }
        while let event = connection.nextEvent() {
            switch event {
            case .request(let request):
                outcome.requests.append(request.properties)
                outcome.bodies.append(request.body)
                outcome.flags += [request.isUrgent, request.isNoReply]
            case .response(_, let response):
                outcome.responses.append(response.properties)
                outcome.bodies.append(response.bodyBytes)
                outcome.errors.append(response.error)
            case .requestFailed(_, let error): outcome.failures.append(error)
            }
        }
    }
    while connection.nextFrame(into: &out) {}
    outcome.answer = out.takeAll()
    return outcome
}

/// Everything that was sent must arrive whole and once, whatever the order of sending, pumping and answering.
func fuzzBLIPOperations(_ bytes: UnsafeRawBufferPointer) throws {
    var input = FuzzInput(bytes)
    let dialect = BLIPDialect.all[Int(input.byte()) % BLIPDialect.all.count]
    var peers = (0..<2).map { _ in BLIPConnection(dialect: dialect, limits: BLIPLimits()) { _ in nil } }
    var sent: [[UInt64: [UInt8]]] = [[:], [:]]
    var hasCancelled = false
    var count = 0
    let now = MonotonicTime(nanoseconds: 0)
    func takeEvents(of side: Int) throws {
        while let event = peers[side].nextEvent() {
            switch event {
            case .request(let request):
                peers[side].respond(to: request.number, with: BLIPResponse(body: .bytes(request.body)))
            case .response(let number, let response):
                let body = sent[side].removeValue(forKey: number)
                try require(response.error == nil && response.bodyBytes == body, "not the echo of \(number)")
            case .requestFailed(let number, let error):
                throw FuzzFinding(description: "request \(number) fails between honest peers: \(error)")
            }
        }
    }
    func pump(from sender: Int) throws -> Bool {
        var frame = ByteQueue()
        guard peers[sender].nextFrame(into: &frame) else { return false }
        try frame.withUnsafeBytes { frame in try peers[1 - sender].receive(frame: frame, now: now) }
        try takeEvents(of: 0)
        try takeEvents(of: 1)
        return true
    }
    while !input.isEmpty, count < 200 {
        let operation = input.byte()
        let side = Int(operation & 1)
        switch operation >> 1 & 3 {
        case 0, 1:
            let body = [UInt8](repeating: operation, count: Int(input.byte()) * Int(input.byte()))
            let number = peers[side].send(
                BLIPRequest(
                    profile: "echo", body: .bytes(body), urgent: operation & 8 != 0, compressed: operation & 16 != 0),
                sink: nil, noReply: operation >> 5 == 7)
            if operation >> 5 != 7 { sent[side][number] = body }
            count += 1
        case 2:
            let number = UInt64(input.byte())
            peers[side].cancel(number)
            hasCancelled = true
            sent[side][number] = nil
        default:
            for _ in 0..<(operation >> 3) where try !pump(from: side) { break }
        }
    }
    while true {
        let first = try pump(from: 0)
        let second = try pump(from: 1)
        if !first && !second { break }
    }
    try require(sent.allSatisfy(\.isEmpty), "requests without an answer: \(sent.map(\.keys))")
    for peer in peers {
        try require(!peer.hasUnsent && peer.waitingRequests == 0, "something is left over")
        // What was taken back in the middle stays unfinished at the peer until its time is over.
        guard !hasCancelled else { continue }
        try require(peer.bufferedIncomingBytes == 0 && peer.openIncoming == 0, "something is left over")
    }
}
