// Incoming frames to messages and control frames: every rule of RFC 6455 section 5 and every size limit stands here.

/// Takes the bytes behind the handshake apart. The payload of the current message is gathered, unmasked, in one buffer
/// that is used again for the next message.
struct WebSocketFrameDecoder: Sendable {
    /// What the bytes so far amount to.
    enum Output: Equatable {
        case needsMoreBytes
        /// A whole message stands in `payload`, until the next call of `next(from:)`.
        case message(WebSocketMessageKind)
        /// A whole control frame stands in `controlPayload`, until the next one.
        case control(WebSocketOpcode)
    }

    /// The bytes of the current message so far.
    private(set) var payload: [UInt8] = []
    /// The bytes of the last control frame.
    private(set) var controlPayload: [UInt8] = []

    /// Servers get masked frames and clients unmasked ones; the other way round is a violation.
    private let expectsMask: Bool
    private let limits: WebSocketLimits
    /// The RSV bits that a negotiated extension gives a meaning; all others are refused. No extension yet.
    private let knownReservedBits: UInt8 = 0

    /// The frame whose payload is being read, and how much of it is still to come.
    private var frame: WebSocketFrameHeader?
    private var frameRemaining = 0
    private var frameOffset = 0

    /// The message that has begun and not ended.
    private var messageKind: WebSocketMessageKind?
    private var isMessageDelivered = false
    private var fragments = 0
    private var overhead = 0
    /// A message that was delivered leaves it at the border of a character, ready for the next one.
    private var utf8 = UTF8Validator()

    init(expectsMask: Bool, limits: WebSocketLimits) {
        self.expectsMask = expectsMask
        self.limits = limits
        controlPayload.reserveCapacity(WebSocketFrameHeader.maxControlPayload)
    }

    /// Takes bytes from `input` until something is complete.
    mutating func next(from input: inout ByteQueue) throws(WebSocketViolation) -> Output {
        if isMessageDelivered { forgetMessage() }
        while true {
            if frame == nil, try !beginFrame(from: &input) { return .needsMoreBytes }
            guard let header = frame else { return .needsMoreBytes }
            if header.opcode.isControl {
                takeControlPayload(of: header, from: &input)
            } else {
                try takeMessagePayload(of: header, from: &input)
            }
            guard frameRemaining == 0 else { return .needsMoreBytes }
            frame = nil
            if header.opcode.isControl { return .control(header.opcode) }
            if header.isFinal, let kind = messageKind {
                guard kind == .binary || utf8.isComplete else { throw Self.invalidText }
                messageKind = nil
                isMessageDelivered = true
                return .message(kind)
            }
        }
    }

    /// Reads a header and judges it; `false` when it is not complete yet.
    private mutating func beginFrame(from input: inout ByteQueue) throws(WebSocketViolation) -> Bool {
        switch input.withUnsafeBytes({ WebSocketFrameHeader.parse($0) }) {
        case .incomplete: return false
        case .invalid(let violation): throw violation
        case .header(let header, let byteCount):
            try check(header)
            if header.opcode.isControl {
                controlPayload.removeAll(keepingCapacity: true)
            } else {
                try beginFragment(header, headerBytes: byteCount)
            }
            input.consume(byteCount)
            // Both kinds of frames have been compared with a limit that is an Int.
            frameRemaining = Int(header.payloadLength)
            frameOffset = 0
            frame = header
            return true
        }
    }

    /// The rules that need nothing but the header and our role.
    private func check(_ header: WebSocketFrameHeader) throws(WebSocketViolation) {
        guard header.reservedBits & ~knownReservedBits == 0 else {
            throw WebSocketViolation(reason: "reserved bit without an extension")
        }
        guard (header.mask != nil) == expectsMask else {
            throw WebSocketViolation(reason: expectsMask ? "client frame without a mask" : "server frame with a mask")
        }
        guard header.opcode.isControl else { return }
        guard header.isFinal else { throw WebSocketViolation(reason: "fragmented control frame") }
        guard header.payloadLength <= UInt64(WebSocketFrameHeader.maxControlPayload) else {
            throw WebSocketViolation(reason: "control frame above 125 bytes")
        }
    }

    /// The rules of fragments (RFC 6455 section 5.4) and the limits of a message, before any byte of it is taken.
    private mutating func beginFragment(
        _ header: WebSocketFrameHeader, headerBytes: Int
    ) throws(WebSocketViolation) {
        switch header.opcode {
        case .continuation:
            guard messageKind != nil else { throw WebSocketViolation(reason: "continuation of nothing") }
        default:
            guard messageKind == nil else { throw WebSocketViolation(reason: "new message inside a message") }
            messageKind = header.opcode == .text ? .text : .binary
        }
        fragments += 1
        overhead += headerBytes
        guard fragments <= limits.maxFragments, overhead <= limits.maxFragmentOverhead else {
            throw WebSocketViolation(
                closeCode: WebSocketCloseCode.policyViolation, reason: "message cut into too many fragments")
        }
        let room = max(0, limits.maxMessageBytes - payload.count)
        guard header.payloadLength <= UInt64(room) else {
            throw WebSocketViolation(
                closeCode: WebSocketCloseCode.tooLarge, reason: "message above \(limits.maxMessageBytes) bytes")
        }
    }

    private mutating func takeControlPayload(of header: WebSocketFrameHeader, from input: inout ByteQueue) {
        _ = Self.take(&frameRemaining, &frameOffset, of: header, from: &input, into: &controlPayload)
    }

    private mutating func takeMessagePayload(
        of header: WebSocketFrameHeader, from input: inout ByteQueue
    ) throws(WebSocketViolation) {
        let start = Self.take(&frameRemaining, &frameOffset, of: header, from: &input, into: &payload)
        guard messageKind == .text, start < payload.count else { return }
        var utf8 = utf8
        let isValid = payload.withUnsafeBytes { utf8.accept(UnsafeRawBufferPointer(rebasing: $0[start...])) }
        self.utf8 = utf8
        guard isValid else { throw Self.invalidText }
    }

    /// Moves what there is of the frame's payload from `input` to the end of `buffer` and unmasks it there.
    /// Returns where in `buffer` the new bytes begin.
    private static func take(
        _ remaining: inout Int, _ offset: inout Int, of header: WebSocketFrameHeader,
        from input: inout ByteQueue, into buffer: inout [UInt8]
    ) -> Int {
        let start = buffer.count
        let count = min(remaining, input.count)
        guard count > 0 else { return start }
        input.withUnsafeBytes { buffer.append(contentsOf: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        input.consume(count)
        if let mask = header.mask {
            buffer.withUnsafeMutableBytes {
                mask.apply(to: UnsafeMutableRawBufferPointer(rebasing: $0[start...]), offset: offset)
            }
        }
        remaining -= count
        offset += count
        return start
    }

    /// Makes room for the next message. The buffer is kept, unless it is large and this message would have needed
    /// little of it.
    private mutating func forgetMessage() {
        let isOversized = payload.capacity > 65_536 && payload.count < payload.capacity / 8
        payload.removeAll(keepingCapacity: !isOversized)
        isMessageDelivered = false
        fragments = 0
        overhead = 0
    }

    private static let invalidText = WebSocketViolation(
        closeCode: WebSocketCloseCode.invalidData, reason: "text is not UTF-8")
}
