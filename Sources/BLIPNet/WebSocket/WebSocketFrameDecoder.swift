// Incoming frames to messages and control frames: every rule of RFC 6455 section 5 and every size limit stands here.

/// Takes the bytes behind the handshake apart.
///
/// A frame that is a whole message is unmasked where it stands, in the input, and delivered from there. The payload
/// of other messages, fragmented or compressed, is gathered in one buffer that is used again for the next message.
struct WebSocketFrameDecoder {
    /// What the bytes so far amount to.
    enum Output: Equatable {
        case needsMoreBytes
        /// A whole message can be read with `withPayload`, until the next call of `next(from:)`.
        case message(WebSocketMessageKind)
        /// So can a whole control frame.
        case control(WebSocketOpcode)
    }

    /// Where the payload that was delivered last is.
    private enum Delivered {
        case nothing
        /// The first bytes of the input.
        case input(Int)
        case gathered
    }

    /// Servers get masked frames and clients unmasked ones; the other way round is a violation.
    private let expectsMask: Bool
    let limits: WebSocketLimits
    /// Unpacks compressed messages; `nil` unless permessage-deflate was agreed on, which gives RSV1 its meaning.
    private var makeInflater: (() -> MessageInflater)?
    private var inflater: MessageInflater?

    /// The frame whose payload stands next in the input.
    private var frame: WebSocketFrameHeader?
    private var frameLength = 0
    /// How much of its payload has been unmasked and checked.
    private var frameOffset = 0
    /// The frame's payload stays in the input until the message is delivered.
    private var isInPlace = false

    /// The message that has begun and not ended.
    private var messageKind: WebSocketMessageKind?
    private var isCompressed = false
    private var fragments = 0
    private var overhead = 0
    /// Payload bytes that its frames have announced.
    private var announced = 0
    /// The payload of messages that are not delivered in place.
    private(set) var gathered: ByteQueue
    /// A message that was delivered leaves it at the border of a character, ready for the next one.
    private var utf8 = UTF8Validator()
    private var delivered = Delivered.nothing

    init(expectsMask: Bool, limits: WebSocketLimits) {
        self.expectsMask = expectsMask
        self.limits = limits
        gathered = ByteQueue(growthLimit: limits.maxMessageBytes.addingReportingOverflow(1).partialValue)
    }

    /// From here on messages may be compressed.
    mutating func enableInflating(_ makeInflater: @escaping () -> MessageInflater) { self.makeInflater = makeInflater }

    /// The payload of what was delivered last out of the same `input`.
    func withPayload<Result, Failure: Error>(
        in input: ByteQueue, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        switch delivered {
        case .nothing: try body(UnsafeRawBufferPointer(start: nil, count: 0))
        case .gathered: try gathered.withUnsafeBytes(body)
        case .input(let count):
            try input.withUnsafeBytes { bytes throws(Failure) in
                try body(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            }
        }
    }

    /// The same payload without copying it, for somebody who uses the connection while looking at it.
    func sharedPayload(in input: ByteQueue) -> SharedPayload {
        switch delivered {
        case .nothing: SharedPayload(bytes: ByteQueue(), count: 0)
        case .gathered: SharedPayload(bytes: gathered, count: gathered.count)
        case .input(let count): SharedPayload(bytes: input, count: count)
        }
    }

    /// Takes bytes from `input` until something is complete.
    mutating func next(from input: inout ByteQueue) throws(WebSocketViolation) -> Output {
        dropDelivered(from: &input)
        while true {
            if frame == nil, try !beginFrame(from: &input) { return .needsMoreBytes }
            guard let header = frame else { return .needsMoreBytes }
            guard try takePayload(of: header, from: &input) else { return .needsMoreBytes }
            frame = nil
            if header.opcode.isControl {
                delivered = .input(frameLength)
                return .control(header.opcode)
            }
            if header.isFinal, let kind = messageKind {
                try endMessage(kind)
                return .message(kind)
            }
        }
    }

    private mutating func dropDelivered(from input: inout ByteQueue) {
        switch delivered {
        case .nothing: return
        case .input(let count): input.consume(count)
        case .gathered: gathered.removeAll()
        }
        delivered = .nothing
    }

    /// Nothing will be decoded any more.
    mutating func stop() {
        delivered = .nothing
        gathered = ByteQueue()
        inflater = nil
    }

    /// Gives back what memory is not needed at the moment.
    mutating func releaseUnused() {
        guard case .nothing = delivered, messageKind == nil else { return }
        gathered.releaseUnused()
    }

    // MARK: Headers

    /// Reads a header and judges it; `false` when it is not complete yet.
    private mutating func beginFrame(from input: inout ByteQueue) throws(WebSocketViolation) -> Bool {
        let parsed = try input.withUnsafeBytes { bytes throws(WebSocketViolation) in
            try WebSocketFrameHeader.parse(bytes)
        }
        guard let (header, byteCount) = parsed else { return false }
        try check(header)
        if header.opcode.isControl {
            isInPlace = true
        } else {
            try beginFragment(header, headerBytes: byteCount)
            isInPlace = header.isFinal && header.opcode != .continuation && !isCompressed
        }
        input.consume(byteCount)
        // Both kinds of frames have been compared with a limit that is an Int.
        frameLength = Int(header.payloadLength)
        frameOffset = 0
        frame = header
        return true
    }

    /// The rules that need nothing but the header and our role.
    private func check(_ header: WebSocketFrameHeader) throws(WebSocketViolation) {
        // The first frame of a message has RSV1 set when the message is compressed, and no other frame ever has.
        let mayBeCompressed = makeInflater != nil && (header.opcode == .text || header.opcode == .binary)
        guard header.reservedBits & ~(mayBeCompressed ? WebSocketFrameHeader.compressedBit : 0) == 0 else {
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
            isCompressed = header.reservedBits != 0
            (fragments, overhead, announced) = (0, 0, 0)
        }
        fragments += 1
        overhead += headerBytes
        guard fragments <= limits.maxFragments, overhead <= limits.maxFragmentOverhead else {
            throw WebSocketViolation(
                closeCode: WebSocketCloseCode.policyViolation, reason: "message cut into too many fragments")
        }
        // What cannot be compressed grows a little by it.
        let most = isCompressed ? limits.maxCompressedBytes : limits.maxMessageBytes
        guard header.payloadLength <= UInt64(max(0, most - announced)) else { throw tooLarge }
        announced += Int(header.payloadLength)
    }

    // MARK: Payloads

    /// Unmasks, checks and gathers what there is of the frame's payload; `true` when that is all of it.
    private mutating func takePayload(
        of header: WebSocketFrameHeader, from input: inout ByteQueue
    ) throws(WebSocketViolation) -> Bool {
        // In place, what has been looked at is still in front.
        let start = isInPlace ? frameOffset : 0
        let count = min(frameLength - frameOffset, input.count - start)
        if count > 0 {
            let offset = frameOffset
            if let mask = header.mask {
                input.withUnsafeMutableBytes {
                    mask.apply(to: UnsafeMutableRawBufferPointer(rebasing: $0[start..<(start + count)]), offset: offset)
                }
            }
            if !header.opcode.isControl {
                try input.withUnsafeBytes { bytes throws(WebSocketViolation) in
                    try takeMessageBytes(UnsafeRawBufferPointer(rebasing: bytes[start..<(start + count)]))
                }
            }
            frameOffset += count
            if !isInPlace { input.consume(count) }
        }
        return frameOffset == frameLength
    }

    /// The next unmasked bytes of the current message.
    private mutating func takeMessageBytes(_ bytes: UnsafeRawBufferPointer) throws(WebSocketViolation) {
        if isCompressed, let inflater = activeInflater {
            inflater.feed(bytes)
            try unpack(inflater)
        } else {
            try checkText(bytes)
            if !isInPlace { gathered.append(bytes) }
        }
    }

    private mutating func checkText(_ bytes: UnsafeRawBufferPointer) throws(WebSocketViolation) {
        guard messageKind != .text || utf8.accept(bytes) else { throw Self.invalidText }
    }

    private mutating func endMessage(_ kind: WebSocketMessageKind) throws(WebSocketViolation) {
        if isCompressed, let inflater = activeInflater {
            let count = gathered.count
            if inflater.feedTail() { try unpack(inflater) }
            // The tail is the end of an empty block. Where it is anything else, the message was cut off.
            guard gathered.count == count else { throw MessageInflater.malformed }
            try inflater.endMessage()
        }
        guard kind == .binary || utf8.isComplete else { throw Self.invalidText }
        messageKind = nil
        delivered = isInPlace ? .input(frameLength) : .gathered
    }

    // MARK: Decompression

    /// How much is unpacked at a time (RELIABILITY 3).
    private static var inflatedAtOnce: Int { 16 << 10 }

    /// Made for the first compressed message.
    private var activeInflater: MessageInflater? {
        mutating get {
            if inflater == nil { inflater = makeInflater?() }
            return inflater
        }
    }

    /// Gathers what the inflater has been fed with. The limit and the text are checked step by step, so that a bomb
    /// is stopped at the limit and wrong text where it stands.
    private mutating func unpack(_ inflater: MessageInflater) throws(WebSocketViolation) {
        var isFull = true
        while isFull {
            // One byte more than the limit, so that going over it can be seen.
            let start = gathered.count
            let capacity = min(Self.inflatedAtOnce, max(0, limits.maxMessageBytes - start) + 1)
            let written = try gathered.appendUninitialized(capacity: capacity) { room throws(WebSocketViolation) in
                try inflater.unpack(into: room)
            }
            isFull = written == capacity
            guard gathered.count <= limits.maxMessageBytes else { throw tooLarge }
            var utf8 = utf8
            let isValid =
                messageKind != .text
                || gathered.withUnsafeBytes { utf8.accept(UnsafeRawBufferPointer(rebasing: $0[start...])) }
            self.utf8 = utf8
            guard isValid else { throw Self.invalidText }
        }
    }

    // MARK: Violations

    private var tooLarge: WebSocketViolation {
        WebSocketViolation(
            closeCode: WebSocketCloseCode.tooLarge, reason: "message above \(limits.maxMessageBytes) bytes")
    }

    private static let invalidText = WebSocketViolation(
        closeCode: WebSocketCloseCode.invalidData, reason: "text is not UTF-8")
}
