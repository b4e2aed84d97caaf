// WebSocket: the frame decoder, a server and a client from their first byte, in any cut of the bytes.

import TestSupport

@testable import BLIPNet

/// Any bytes as frames: the same messages in any cut, within the limits, and they come back when written.
func fuzzWebSocketFrames(_ bytes: UnsafeRawBufferPointer) throws {
    var input = FuzzInput(bytes)
    let configuration = input.byte()
    var setting = DecoderSetting()
    setting.expectsMask = configuration & 1 == 0
    if configuration & 2 != 0 { setting.deflate = PermessageDeflate(clientNoContextTakeover: configuration & 4 != 0) }
    setting.limits.maxMessageBytes = 4_096
    setting.limits.maxFragments = 16
    setting.limits.maxFragmentOverhead = 128
    let frames = input.remainder()
    let whole = try decode(frames, cuts: nil, setting)
    let inPieces = try decode(frames, cuts: FuzzCuts(seed: configuration), setting)
    try require(whole == inPieces, "at once: \(whole), in pieces: \(inPieces)")
    try checkWriting(whole, setting)
}

/// Messages through the writer and back, compressed in every way.
func fuzzPermessageDeflate(_ bytes: UnsafeRawBufferPointer) throws {
    var input = FuzzInput(bytes)
    let (bits, way, levels) = (input.byte(), input.byte(), input.byte())
    var setting = DecoderSetting()
    setting.expectsMask = way & 1 == 0
    setting.deflate = PermessageDeflate(
        serverNoContextTakeover: way & 2 != 0, clientNoContextTakeover: way & 2 != 0,
        serverMaxWindowBits: 8 + Int(bits & 7), clientMaxWindowBits: 8 + Int(bits & 7),
        level: 1 + Int(levels & 15) % 9, memoryLevel: 1 + Int(levels >> 4) % 9, threshold: Int(way >> 2 & 7) * 10)
    if way & 0x80 != 0 { setting.limits.maxFrameBytesOut = 1 + Int(bits >> 3) }
    var messages: [Decoded] = []
    while !input.isEmpty, messages.count < 20 {
        let repeats = Int(input.byte() & 63) + 1
        let piece = Array(input.piece().prefix(1_024))
        messages.append(.message(.binary, Array((0..<repeats).map { _ in piece }.joined())))
    }
    try checkWriting(messages, setting)
}

private struct DecoderSetting {
    var expectsMask = true
    var deflate: PermessageDeflate?
    var limits = WebSocketLimits()

    func makeDecoder() -> WebSocketFrameDecoder {
        var decoder = WebSocketFrameDecoder(expectsMask: expectsMask, limits: limits)
        if let deflate { decoder.enableInflating { deflate.makeInflater(for: expectsMask ? .server : .client) } }
        return decoder
    }

    func makeWriter() -> WebSocketMessageWriter {
        let role: WebSocketConnection.Role = expectsMask ? .client : .server
        var writer = WebSocketMessageWriter(role: role, limits: limits, random: .fixed)
        if let deflate {
            writer.enableDeflating(threshold: deflate.threshold) { deflate.makeDeflater(for: role) }
        }
        return writer
    }
}

private func checkWriting(_ decoded: [Decoded], _ setting: DecoderSetting) throws {
    var writer = setting.makeWriter()
    var queue = ByteQueue()
    var messages: [Decoded] = []
    for case .message(let kind, let payload) in decoded {
        messages.append(.message(kind, payload))
        payload.withUnsafeBytes { payload in
            guard messages.count % 3 == 0 else { return writer.write(kind, payload, into: &queue) }
            // In two pieces.
            let middle = payload.count / 2
            let (first, second) = (payload[..<middle], payload[middle...])
            writer.write(kind, piece: UnsafeRawBufferPointer(rebasing: first), endsMessage: false, into: &queue)
            writer.write(kind, piece: UnsafeRawBufferPointer(rebasing: second), endsMessage: true, into: &queue)
        }
    }
    let written = queue.takeAll()
    var generous = setting
    // Fragments of one byte have more headers than bytes.
    generous.limits.maxFragmentOverhead = 1 << 20
    generous.limits.maxFragments = 1 << 20
    let read = try written.withUnsafeBytes { try decode($0, cuts: FuzzCuts(seed: 1), generous) }
    try require(read == messages, "\(messages) come back as \(read)")
}

private enum Decoded: Equatable {
    case message(WebSocketMessageKind, [UInt8])
    case control(WebSocketOpcode, [UInt8])
    case violation(WebSocketViolation)
}

private func decode(_ bytes: UnsafeRawBufferPointer, cuts: FuzzCuts?, _ setting: DecoderSetting) throws -> [Decoded] {
    var decoder = setting.makeDecoder()
    let limits = setting.limits
    var decoded: [Decoded] = []
    var queue = ByteQueue()
    var isOver = false
    func take(_ piece: UnsafeRawBufferPointer) throws {
        guard !isOver else { return }
        queue.append(piece)
        while true {
            let outcome = Result { () throws(WebSocketViolation) in try decoder.next(from: &queue) }
            try require(decoder.gathered.count <= limits.maxMessageBytes + 1, "\(decoder.gathered.count) bytes")
            let payload = decoder.withPayload(in: queue) { Array($0) }
            switch outcome {
            case .success(.needsMoreBytes):
                let most = limits.maxMessageBytes + WebSocketFrameHeader.maxByteCount
                try require(queue.count <= most, "\(queue.count) bytes are left lying")
                return
            case .success(.message(let kind)):
                let isText = String(validating: payload, as: UTF8.self) != nil
                try require(kind == .binary || isText, "a text message that is no UTF-8")
                try require(payload.count <= limits.maxMessageBytes, "\(payload.count) bytes of a message")
                decoded.append(.message(kind, payload))
            case .success(.control(let opcode)):
                try require(payload.count <= 125, "a control frame is too long")
                decoded.append(.control(opcode, payload))
            case .failure(var violation):
                try require([1002, 1007, 1008, 1009].contains(violation.closeCode), "\(violation)")
                // A compressed message may be too large, malformed and no text at once; zlib looks ahead, so which one is
                // seen first depends on the cut.
                if setting.deflate != nil, [1007, 1009].contains(violation.closeCode) {
                    violation = WebSocketViolation(closeCode: 1007, reason: "")
                }
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
        var options = WebSocketServerOptions(
            subprotocols: ["chat", "BLIP"], allowsNoSubprotocol: true, allowedOrigins: ["http://localhost"],
            limits: limits)
        options.deflate = PermessageDeflate()
        return .server(options, random: .fixed, now: MonotonicTime(nanoseconds: 0))
    }
}

/// A client from the first byte of an answer on. Its key is always the same, so that inputs can hold the right answer.
func fuzzWebSocketClient(_ bytes: UnsafeRawBufferPointer) throws {
    try fuzzWebSocketConnection(bytes) { limits in
        var options = WebSocketClientOptions(hostHeader: "a", subprotocols: ["chat", "BLIP"], limits: limits)
        options.deflate = PermessageDeflate()
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
        let most = max(limits.maxHeadBytes, limits.maxMessageBytes + WebSocketFrameHeader.maxByteCount)
        try require(connection.input.count <= most, "\(connection.input.count) bytes of input wait")
        try require(connection.decoder.gathered.count <= limits.maxMessageBytes + 1, "a message is too long")
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
