// Outgoing messages and control frames to bytes: fragments, compression, masks.

/// Writes frames straight into the queue of the transport.
struct WebSocketMessageWriter {
    /// Clients mask what they send (RFC 6455 section 5.3).
    private var keys: MaskKeySource?
    private let maxFrameBytes: Int
    private var makeDeflater: (() -> MessageDeflater)?
    private var deflater: MessageDeflater?
    private var threshold = 0
    /// A compressed message before its length is known; kept to reuse its storage.
    private var packed = ByteQueue()
    /// The message that is being sent in pieces, once its first piece is out.
    private var unfinished: (kind: WebSocketMessageKind, isCompressed: Bool)?

    init(role: WebSocketConnection.Role, limits: WebSocketLimits, random: RandomSource) {
        keys = role == .client ? MaskKeySource(random: random) : nil
        maxFrameBytes = max(1, limits.maxFrameBytesOut ?? .max)
    }

    /// From here on messages of at least `threshold` bytes are compressed.
    mutating func enableDeflating(threshold: Int, _ makeDeflater: @escaping () -> MessageDeflater) {
        self.makeDeflater = makeDeflater
        self.threshold = threshold
    }

    /// Appends one whole message.
    mutating func write(_ kind: WebSocketMessageKind, _ payload: UnsafeRawBufferPointer, into out: inout ByteQueue) {
        precondition(unfinished == nil, "a message inside a message that is sent in pieces")
        guard payload.count >= threshold, let deflater = activeDeflater else {
            writeFrames(kind.opcode, payload, isCompressed: false, endsMessage: true, into: &out)
            return
        }
        withPacked(payload, by: deflater, endsMessage: true) { writer, packed in
            // A payload that has not become smaller may stay as it was, unless the peer needs the packed one for later
            // messages.
            let isWorthIt = packed.count < payload.count || !deflater.resetsAfterMessage
            writer.writeFrames(
                kind.opcode, isWorthIt ? packed : payload, isCompressed: isWorthIt, endsMessage: true, into: &out)
        }
    }

    /// Appends the next piece of a message whose length is not known yet.
    mutating func write(
        _ kind: WebSocketMessageKind, piece: UnsafeRawBufferPointer, endsMessage: Bool, into out: inout ByteQueue
    ) {
        precondition(unfinished == nil || unfinished?.kind == kind, "a message has one kind")
        let deflater = unfinished?.isCompressed == false ? nil : activeDeflater
        let opcode = unfinished == nil ? kind.opcode : .continuation
        unfinished = endsMessage ? nil : (kind, deflater != nil)
        if let deflater {
            withPacked(piece, by: deflater, endsMessage: endsMessage) { writer, packed in
                writer.writeFrames(opcode, packed, isCompressed: true, endsMessage: endsMessage, into: &out)
            }
        } else {
            writeFrames(opcode, piece, isCompressed: false, endsMessage: endsMessage, into: &out)
        }
    }

    /// Appends a control frame with at most 125 bytes of payload.
    mutating func writeControl(
        _ opcode: WebSocketOpcode, _ payload: UnsafeRawBufferPointer, into out: inout ByteQueue
    ) {
        writeFrame(opcode, payload, reservedBits: 0, isFinal: true, into: &out)
    }

    /// Gives back what memory is not needed at the moment.
    mutating func releaseUnused() {
        packed.releaseUnused()
        if unfinished == nil, deflater?.resetsAfterMessage == true { deflater = nil }
    }

    /// Made for the first compressed message.
    private var activeDeflater: MessageDeflater? {
        mutating get {
            if deflater == nil { deflater = makeDeflater?() }
            return deflater
        }
    }

    private mutating func withPacked(
        _ payload: UnsafeRawBufferPointer, by deflater: MessageDeflater, endsMessage: Bool,
        _ body: (inout WebSocketMessageWriter, UnsafeRawBufferPointer) -> Void
    ) {
        // Out of `self` and back, so that `body` can use the rest of it.
        var packed = exchange(&self.packed, with: ByteQueue())
        deflater.deflate(payload, endsMessage: endsMessage, into: &packed)
        packed.withUnsafeBytes { body(&self, $0) }
        packed.removeAll()
        self.packed = packed
    }

    /// Appends a message, or a piece of one, in as many frames as it takes.
    private mutating func writeFrames(
        _ opcode: WebSocketOpcode, _ payload: UnsafeRawBufferPointer, isCompressed: Bool, endsMessage: Bool,
        into out: inout ByteQueue
    ) {
        var (opcode, rest) = (opcode, payload)
        // Only the first frame of a message says that it is compressed.
        func reservedBits() -> UInt8 {
            isCompressed && opcode != .continuation ? WebSocketFrameHeader.compressedBit : 0
        }
        while rest.count > maxFrameBytes {
            let fragment = UnsafeRawBufferPointer(rebasing: rest[..<maxFrameBytes])
            writeFrame(opcode, fragment, reservedBits: reservedBits(), isFinal: false, into: &out)
            rest = UnsafeRawBufferPointer(rebasing: rest[maxFrameBytes...])
            opcode = .continuation
        }
        writeFrame(opcode, rest, reservedBits: reservedBits(), isFinal: endsMessage, into: &out)
    }

    private mutating func writeFrame(
        _ opcode: WebSocketOpcode, _ payload: UnsafeRawBufferPointer, reservedBits: UInt8, isFinal: Bool,
        into out: inout ByteQueue
    ) {
        WebSocketFrameHeader(
            isFinal: isFinal, reservedBits: reservedBits, opcode: opcode, mask: keys?.next(),
            payloadLength: UInt64(payload.count)
        ).write(payload, into: &out)
    }
}
