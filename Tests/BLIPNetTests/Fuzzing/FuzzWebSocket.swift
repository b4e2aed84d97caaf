// WebSocket: the frame decoder, a server and a client from their first byte, in any cut of the bytes.

@testable import BLIPNet

/// Any bytes as frames: the same messages in any cut, within the limits, and they come back when written.
func fuzzWebSocketFrames(_ bytes: UnsafeRawBufferPointer) throws {
    var input = FuzzInput(bytes)
    let configuration = input.byte()
    let expectsMask = configuration & 1 == 0
    var limits = WebSocketLimits()
    limits.maxMessageBytes = 4_096
    limits.maxFragments = 16
    limits.maxFragmentOverhead = 128
    let frames = input.remainder()
    let whole = try decode(frames, cuts: nil, expectsMask: expectsMask, limits: limits)
    let inPieces = try decode(frames, cuts: FuzzCuts(seed: configuration), expectsMask: expectsMask, limits: limits)
    try require(whole == inPieces, "at once: \(whole), in pieces: \(inPieces)")

    var again = ByteQueue()
    for case .message(let kind, let payload) in whole {
        let mask = expectsMask ? WebSocketMask(key: 0x1234_5678 &* UInt32(payload.count + 1)) : nil
        let header = WebSocketFrameHeader(
            isFinal: true, reservedBits: 0, opcode: kind.opcode, mask: mask, payloadLength: UInt64(payload.count))
        payload.withUnsafeBytes { header.write($0, into: &again) }
    }
    let written = again.takeAll()
    let messages = whole.filter { if case .message = $0 { true } else { false } }
    let read = try written.withUnsafeBytes {
        try decode($0, cuts: FuzzCuts(seed: 1), expectsMask: expectsMask, limits: limits)
    }
    try require(read == messages, "\(messages) come back as \(read)")
}

private enum Decoded: Equatable {
    case message(WebSocketMessageKind, [UInt8])
    case control(WebSocketOpcode, [UInt8])
    case violation(WebSocketViolation)
}

private func decode(
    _ bytes: UnsafeRawBufferPointer, cuts: FuzzCuts?, expectsMask: Bool, limits: WebSocketLimits
) throws -> [Decoded] {
    var decoder = WebSocketFrameDecoder(expectsMask: expectsMask, limits: limits)
    var decoded: [Decoded] = []
    var queue = ByteQueue()
    var isOver = false
    func take(_ piece: UnsafeRawBufferPointer) throws {
        guard !isOver else { return }
        queue.append(piece)
        while true {
            let outcome = Result { () throws(WebSocketViolation) in try decoder.next(from: &queue) }
            let payload = decoder.withPayload(in: queue) { Array($0) }
            try require(payload.count <= limits.maxMessageBytes, "\(payload.count) bytes of a message")
            try require(decoder.gathered.count <= limits.maxMessageBytes, "a message grows too long")
            switch outcome {
            case .success(.needsMoreBytes):
                let most = limits.maxMessageBytes + WebSocketFrameHeader.maxByteCount
                try require(queue.count < most, "bytes are left lying")
                return
            case .success(.message(let kind)):
                let isText = String(validating: payload, as: UTF8.self) != nil
                try require(kind == .binary || isText, "a text message that is no UTF-8")
                decoded.append(.message(kind, payload))
            case .success(.control(let opcode)):
                try require(payload.count <= 125, "a control frame is too long")
                decoded.append(.control(opcode, payload))
            case .failure(let violation):
                try require([1002, 1007, 1008, 1009].contains(violation.closeCode), "\(violation)")
                decoded.append(.violation(violation))
                isOver = true
                return
            }
        }
    }
    if var cuts { try cuts.forEachPiece(of: bytes, take) } else { try take(bytes) }
    return decoded
}

/// A server from the first byte of a request on.
func fuzzWebSocketServer(_ bytes: UnsafeRawBufferPointer) throws {
    try fuzzWebSocketConnection(bytes) { limits in
        let options = WebSocketServerOptions(
            subprotocols: ["chat", "BLIP"], allowsNoSubprotocol: true, allowedOrigins: ["http://localhost"],
            limits: limits)
        return .server(options, random: .fixed, now: MonotonicTime(nanoseconds: 0))
    }
}

/// A client from the first byte of an answer on. Its key is always the same, so that inputs can hold the right answer.
func fuzzWebSocketClient(_ bytes: UnsafeRawBufferPointer) throws {
    try fuzzWebSocketConnection(bytes) { limits in
        let options = WebSocketClientOptions(hostHeader: "a", subprotocols: ["chat", "BLIP"], limits: limits)
        return .client(options, random: .fixed, now: MonotonicTime(nanoseconds: 0))
    }
}

extension RandomSource {
    /// Always the same, for inputs that must mean the same every time.
    static let fixed = RandomSource { buffer in
        for index in buffer.indices { buffer[index] = UInt8(truncatingIfNeeded: index &* 7 &+ 1) }
    }
}

private func fuzzWebSocketConnection(
    _ bytes: UnsafeRawBufferPointer, make: (WebSocketLimits) -> WebSocketConnection
) throws {
    var input = FuzzInput(bytes)
    let configuration = input.byte()
    var limits = WebSocketLimits()
    limits.maxMessageBytes = 8_192
    limits.maxFragments = 64
    let stream = input.remainder()
    let whole = try run(make(limits), stream, cuts: nil, echoes: configuration & 1 == 0)
    let cuts = FuzzCuts(seed: configuration)
    let inPieces = try run(make(limits), stream, cuts: cuts, echoes: configuration & 1 == 0)
    try require(whole.events == inPieces.events, "at once: \(whole.events), in pieces: \(inPieces.events)")
    try require(whole.sent == inPieces.sent, "other bytes are sent when the input comes in pieces")
}

private struct Outcome {
    var events: [String] = []
    var sent: [UInt8] = []
}

private func run(
    _ start: WebSocketConnection, _ stream: UnsafeRawBufferPointer, cuts: FuzzCuts?, echoes: Bool
) throws -> Outcome {
    var connection = start
    var outcome = Outcome()
    var out = ByteQueue()
    var isClosed = false
    func takeEvents() throws {
        _ = connection.nextOutgoing(into: &out)
        while let event = connection.nextEvent() {
            try require(!isClosed, "\(event) after the end")
            outcome.events.append("\(event)")
            switch event {
            case .message(let kind):
                let payload = connection.withMessagePayload { Array($0) }
                outcome.events.append("\(payload)")
                _ = connection.nextOutgoing(into: &out)
                if echoes { payload.withUnsafeBytes { _ = connection.send(kind, $0, into: &out) } }
            case .closed: isClosed = true
            case .opened:
                try require(outcome.events.count == 1, "opened is not the first event")
            default: break
            }
            try require(!(isClosed && connection.isOpen), "open after the end")
            _ = connection.nextOutgoing(into: &out)
        }
        outcome.sent += out.takeAll()
    }
    func take(_ piece: UnsafeRawBufferPointer) throws {
        connection.receive(piece, now: MonotonicTime(nanoseconds: 1))
        try takeEvents()
        let limits = connection.limits
        try require(connection.input.count <= limits.maxHeadBytes, "\(connection.input.count) bytes of input wait")
        try require(connection.decoder.gathered.count <= limits.maxMessageBytes, "a message is too long")
    }
    try takeEvents()
    if var cuts { try cuts.forEachPiece(of: stream, take) } else { try take(stream) }
    // Nobody waits for ever: at the latest after the longest time-outs it is over.
    for minute in 1...3 {
        connection.handleTimeout(now: MonotonicTime(nanoseconds: Int64(minute) * 60_000_000_000))
        try takeEvents()
    }
    try require(isClosed, "the connection does not end")
    return outcome
}
