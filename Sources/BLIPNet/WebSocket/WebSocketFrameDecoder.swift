// Incoming frames to messages and control frames: every rule of RFC 6455 section 5 and every size limit is enforced here.

/// Takes apart the bytes after the handshake.
///
/// A frame that is a whole message is unmasked in place, in the input, and delivered from there. The payload of other
/// messages, fragmented or compressed, is gathered in one buffer that is used again for the next message.
struct WebSocketFrameDecoder {
    /// The result of the bytes so far.
    enum Output: Equatable {
        case needsMoreBytes
        /// A whole message can be read with `withPayload`, until the next call of `next(from:)`.
        case message(WebSocketMessageKind)
        /// So can a whole control frame.
        case control(WebSocketOpcode)
    }

    private enum State {
        /// The next bytes are a header.
        case header
        /// They are the payload of this frame.
        case payload(Frame)
        /// The decoder has just delivered a frame whose payload is the first bytes of the input.
        case deliveredInPlace(byteCount: Int)
        /// The decoder has just delivered a message that it has put together in `gathered`.
        case deliveredGathered
    }

    private struct Frame {
        let header: WebSocketFrameHeader
        let length: Int
        /// How much of its payload has been unmasked and checked.
        var offset = 0
        /// The payload stays in the input until the message is delivered.
        let isInPlace: Bool
    }

    /// A message that has begun and not ended.
    private struct Message {
        let kind: WebSocketMessageKind
        let isCompressed: Bool
        var fragments = 0
        var overhead = 0
        /// Payload bytes that its frames have announced.
        var announced = 0
    }

    /// Servers get masked frames and clients unmasked ones; the other way round is a violation.
    private let expectsMask: Bool
    let limits: WebSocketLimits
    /// Unpacks compressed messages; `nil` unless permessage-deflate was agreed on, which gives RSV1 its meaning.
    private var makeInflater: (() -> MessageInflater)?
    private var inflater: MessageInflater?

    private var state = State.header
    /// Control frames may come between the fragments of a message, so it has a life of its own.
    private var message: Message?
    /// The payload of messages that are not delivered in place.
    private(set) var gathered: ByteQueue
    /// A message that was delivered leaves it at the border of a character, ready for the next one.
    private var utf8 = UTF8Validator()

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
        switch state {
        case .header, .payload: try body(UnsafeRawBufferPointer(start: nil, count: 0))
        case .deliveredGathered: try gathered.withUnsafeBytes(body)
        case .deliveredInPlace(let count):
            try input.withUnsafeBytes { bytes throws(Failure) in
                try body(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            }
        }
    }

    /// The same payload without copying it, for somebody who uses the connection while looking at it.
    func sharedPayload(in input: ByteQueue) -> SharedPayload {
        switch state {
        case .header, .payload: SharedPayload(bytes: ByteQueue(), count: 0)
        case .deliveredGathered: SharedPayload(bytes: gathered, count: gathered.count)
        case .deliveredInPlace(let count): SharedPayload(bytes: input, count: count)
        }
    }

    /// Takes bytes from `input` until something is complete.
    mutating func next(from input: inout ByteQueue) throws(WebSocketViolation) -> Output {
        dropDelivered(from: &input)
        while var frame = try currentFrame(from: &input) {
            guard try takePayload(of: &frame, from: &input) else {
                state = .payload(frame)
                break
            }
            if frame.header.opcode.isControl {
                state = .deliveredInPlace(byteCount: frame.length)
                return .control(frame.header.opcode)
            }
            if frame.header.isFinal, let message {
                try end(message)
                state = frame.isInPlace ? .deliveredInPlace(byteCount: frame.length) : .deliveredGathered
                return .message(message.kind)
            }
            state = .header
        }
        return .needsMoreBytes
    }

    private mutating func dropDelivered(from input: inout ByteQueue) {
        switch state {
        case .header, .payload: return
        case .deliveredInPlace(let count): input.consume(count)
        case .deliveredGathered: gathered.removeAll()
        }
        state = .header
    }

    /// Nothing will be decoded any more.
    mutating func stop() {
        state = .header
        gathered = ByteQueue()
        inflater = nil
    }

    /// Gives back what memory is not needed at the moment.
    mutating func releaseUnused() {
        switch state {
        case .deliveredInPlace, .deliveredGathered: return
        case .header, .payload: if message == nil { gathered.releaseUnused() }
        }
    }

    // MARK: Headers

    /// The frame whose payload is next in the input; `nil` while its header is not complete.
    private mutating func currentFrame(from input: inout ByteQueue) throws(WebSocketViolation) -> Frame? {
        if case .payload(let frame) = state { return frame }
        return try beginFrame(from: &input)
    }

    /// Reads a header and judges it; `nil` when it is not complete yet.
    private mutating func beginFrame(from input: inout ByteQueue) throws(WebSocketViolation) -> Frame? {
        let parsed = try input.withUnsafeBytes { bytes throws(WebSocketViolation) in
            try WebSocketFrameHeader.parse(bytes)
        }
        guard let (header, byteCount) = parsed else { return nil }
        try check(header)
        let isInPlace: Bool
        if header.opcode.isControl {
            isInPlace = true
        } else {
            let message = try beginFragment(header, headerBytes: byteCount)
            isInPlace = header.isFinal && header.opcode != .continuation && !message.isCompressed
        }
        input.consume(byteCount)
        // Both kinds of frames have been compared with a limit that is an Int.
        return Frame(header: header, length: Int(header.payloadLength), isInPlace: isInPlace)
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
    ) throws(WebSocketViolation) -> Message {
        var message: Message
        if header.opcode == .continuation {
            guard let begun = self.message else { throw WebSocketViolation(reason: "continuation of nothing") }
            message = begun
        } else {
            guard self.message == nil else { throw WebSocketViolation(reason: "new message inside a message") }
            message = Message(kind: header.opcode == .text ? .text : .binary, isCompressed: header.reservedBits != 0)
        }
        message.fragments += 1
        message.overhead += headerBytes
        guard message.fragments <= limits.maxFragments, message.overhead <= limits.maxFragmentOverhead else {
            throw WebSocketViolation(
                closeCode: WebSocketCloseCode.policyViolation, reason: "message cut into too many fragments")
        }
        // Compression makes data that it cannot pack a little larger.
        let most = message.isCompressed ? limits.maxCompressedBytes : limits.maxMessageBytes
        guard header.payloadLength <= UInt64(max(0, most - message.announced)) else { throw tooLarge }
        message.announced += Int(header.payloadLength)
        self.message = message
        return message
    }

    // MARK: Payloads

    /// Unmasks, checks and gathers what there is of the frame's payload; `true` when that is all of it.
    private mutating func takePayload(
        of frame: inout Frame, from input: inout ByteQueue
    ) throws(WebSocketViolation) -> Bool {
        // In place, the bytes that have been checked are still in front.
        let start = frame.isInPlace ? frame.offset : 0
        let count = min(frame.length - frame.offset, input.count - start)
        if count > 0 {
            let offset = frame.offset
            if let mask = frame.header.mask {
                input.withUnsafeMutableBytes {
                    mask.apply(to: UnsafeMutableRawBufferPointer(rebasing: $0[start..<(start + count)]), offset: offset)
                }
            }
            if !frame.header.opcode.isControl, let message {
                let isInPlace = frame.isInPlace
                try input.withUnsafeBytes { bytes throws(WebSocketViolation) in
                    let piece = UnsafeRawBufferPointer(rebasing: bytes[start..<(start + count)])
                    try take(piece, of: message, isInPlace: isInPlace)
                }
            }
            frame.offset += count
            if !frame.isInPlace { input.consume(count) }
        }
        return frame.offset == frame.length
    }

    /// The next unmasked bytes of the current message.
    private mutating func take(
        _ bytes: UnsafeRawBufferPointer, of message: Message, isInPlace: Bool
    ) throws(WebSocketViolation) {
        if message.isCompressed, let inflater = activeInflater {
            inflater.feed(bytes)
            try unpack(inflater, of: message)
        } else {
            guard message.kind != .text || utf8.accept(bytes) else { throw Self.invalidText }
            if !isInPlace { gathered.append(bytes) }
        }
    }

    private mutating func end(_ message: Message) throws(WebSocketViolation) {
        if message.isCompressed, let inflater = activeInflater {
            let count = gathered.count
            if inflater.feedTail() { try unpack(inflater, of: message) }
            // The tail is the end of an empty block. Where it is anything else, the message was cut off.
            guard gathered.count == count else { throw MessageInflater.malformed }
            try inflater.endMessage()
        }
        guard message.kind == .binary || utf8.isComplete else { throw Self.invalidText }
        self.message = nil
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

    /// Gathers what the inflater has been fed with. The limit and the text are checked step by step, so that a bomb is
    /// stopped at the limit and wrong text where it begins.
    private mutating func unpack(_ inflater: MessageInflater, of message: Message) throws(WebSocketViolation) {
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
                message.kind != .text
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
