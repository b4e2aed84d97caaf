// One message on its way in: properties first, then the body into memory or a sink.

/// A message whose frames are arriving. A reference, so that a frame changes it in place.
final class IncomingMessage {
    /// The inbox's notes about it.
    struct Account {
        /// The inbox expects more frames of it.
        var isListed = false
        /// No longer counted among the open messages.
        var isDropped = false
        /// The place among all messages of the inbox in the order of their beginning.
        var order: UInt64 = 0
        /// An ACK was due and is withheld because memory is short: the sender pauses.
        var isAckWithheld = false
        /// The bytes that it holds in memory, and how many of them wait for a slow consumer.
        var countedBytes = 0
        var countedUntaken = 0
        /// The inbox looks at it again when a slow consumer has taken something.
        var isSlow = false
    }

    /// The limits during one `take`.
    private struct Bounds {
        /// How many more bytes may be kept in memory.
        var memory = 0
        /// It is short because other connections hold memory too: the sender may try again.
        var isMemoryShared = false
        /// How much the body's next bytes may unpack to.
        var unpacking = UnpackingAllowance(bytes: 0, bound: .frame)
    }

    private enum Phase {
        case propertiesLength(PartialVarint)
        case properties(byteCount: Int)
        case body
        /// Later bytes are dropped; they are still counted and acknowledged.
        case failed(IncomingFailure)
    }

    let number: UInt64
    let isResponse: Bool
    let isError: Bool
    let isUrgent: Bool
    let isNoReply: Bool
    let isCompressed: Bool
    /// For the protocol itself, not for the application.
    let isMeta: Bool
    /// When its last frame came.
    var lastFrame: MonotonicTime
    /// Bytes after the frame headers.
    var receivedBytes: UInt64 = 0
    /// Its last frame has come.
    var isOver = false
    /// How much of it we have acknowledged.
    var acknowledged = AckRepeats()
    var account = Account()
    /// The answer that was given before its end came, if any.
    var earlyResponse: BLIPResponse?

    private(set) var properties: BLIPProperties = [:]
    /// Where the body goes instead of memory.
    private(set) var sink: (any BodySink)?
    /// The same where its consumer is slow.
    private(set) var deferredSink: (any DeferredBodySink)?
    private(set) var body: [UInt8] = []
    /// The body is compressed by itself; the inflater is made with its first byte.
    private let isBodyPacked: Bool
    private var inflater: BodyInflater?
    /// Bytes that were written into the slow sink, and the ACKs that are due when they have been taken.
    private var writtenBytes: UInt64 = 0
    private var ackMarks = FIFO<AckMark>()
    private var bounds = Bounds()
    /// Bytes of the body that the last `take` has unpacked.
    private(set) var unpacked = 0
    private var partialProperties: [UInt8] = []
    private var phase = Phase.propertiesLength(PartialVarint())

    /// The wire bytes up to `received` can be acknowledged when `written` bytes of the body have been taken.
    private struct AckMark {
        var written: UInt64
        var received: UInt64
    }

    init(header: BLIPFrameHeader, type: BLIPFrameType, dialect: BLIPDialect, now: MonotonicTime) {
        let masks = dialect.flags
        number = header.number
        isResponse = type != .request
        isError = type == .errorResponse
        isUrgent = header.flags & masks.urgent != 0
        isNoReply = header.flags & masks.noReply != 0
        isCompressed = header.flags & masks.compressed != 0
        isBodyPacked = isCompressed && dialect.compression == .bodyMember
        isMeta = header.flags & masks.meta != 0
        lastFrame = now
    }

    var failure: IncomingFailure? {
        if case .failed(let failure) = phase { return failure }
        return nil
    }

    /// Its body is collected in memory, or may come to be.
    var holdsMemory: Bool { sink == nil && failure == nil }

    /// The bytes that it holds in memory.
    var memoryBytes: Int { body.count + partialProperties.count + untakenBytes }

    /// Bytes that wait for a slow consumer.
    var untakenBytes: Int { deferredSink?.untakenBytes ?? 0 }

    var head: BLIPMessageHead {
        BLIPMessageHead(
            number: number, isResponse: isResponse, properties: properties, isUrgent: isUrgent, isNoReply: isNoReply,
            isCompressed: isCompressed, error: isError ? BLIPErrorCode(properties: properties) : nil)
    }

    /// Frees what it holds; what still comes is dropped. The first failure stays.
    func fail(_ failure: IncomingFailure) {
        guard self.failure == nil else { return }
        phase = .failed(failure)
        endSink(failure.linkError)
        properties = [:]
        sink = nil
        deferredSink = nil
        body = []
        partialProperties = []
        inflater = nil
    }

    /// Takes the next message data. `unpacking` is what it may unpack to, `memory` how many more bytes may be kept in
    /// memory (`isShared`: because other connections hold some); `makeSink` is called once, when the properties are
    /// complete, and a slow sink gets `taken` to call.
    func take(
        _ data: UnsafeRawBufferPointer, coding: BLIPPropertiesCoding, limits: BLIPLimits,
        unpacking: UnpackingAllowance, memory: Int, isShared: Bool = false, taken: @escaping @Sendable () -> Void,
        makeSink: (BLIPMessageHead) -> (any BodySink)?
    ) {
        bounds = Bounds(memory: memory, isMemoryShared: isShared, unpacking: unpacking)
        unpacked = 0
        do throws(IncomingFailure) {
            var rest = data
            if case .propertiesLength(let partial) = phase { try takeLength(partial, &rest, limits) }
            if case .properties(let byteCount) = phase, try takeProperties(byteCount, &rest, coding) {
                phase = .body
                if let made = makeSink(head) { attach(made, taken) }
            }
            if case .body = phase, !rest.isEmpty { try takeBody(rest, limits) }
        } catch {
            fail(error)
        }
    }

    private func attach(_ sink: any BodySink, _ taken: @escaping @Sendable () -> Void) {
        self.sink = sink
        deferredSink = sink as? any DeferredBodySink
        deferredSink?.whenTaken(taken)
    }

    /// The last frame has come.
    func end() {
        switch phase {
        case .propertiesLength, .properties: fail(.malformed("the message ends within its properties"))
        case .body where inflater?.isComplete == false: fail(.malformed("the compressed body is cut off"))
        case .body: endSink(nil)
        case .failed: break
        }
    }

    /// The sink of a request's body learns its end here; that of a response belongs to the request that waits for it.
    private func endSink(_ failure: LinkError?) {
        if !isResponse { sink?.bodyEnded(failure) }
    }

    // MARK: A slow consumer

    /// An ACK for what has been received is due as soon as that has been taken.
    func markAck() { ackMarks.append(AckMark(written: writtenBytes, received: receivedBytes)) }

    /// ACKs wait for a slow consumer.
    var hasAckMarks: Bool { !ackMarks.isEmpty }

    /// How many bytes can be acknowledged now, if that is more than before. Nobody takes the bytes of a message that
    /// has failed: they are dropped, and acknowledged so that its sender can finish.
    func takeDueAck() -> UInt64? {
        let taken = deferredSink.map { writtenBytes - UInt64($0.untakenBytes) } ?? .max
        var due: UInt64?
        while let mark = ackMarks.first, mark.written <= taken {
            due = mark.received
            _ = ackMarks.popFirst()
        }
        return due
    }

    // MARK: Parts

    /// Hands the body over.
    func takeOutBody() -> [UInt8] {
        defer { body = [] }
        return body
    }

    private func takeLength(
        _ partial: PartialVarint, _ rest: inout UnsafeRawBufferPointer, _ limits: BLIPLimits
    ) throws(IncomingFailure) {
        var partial = partial
        switch partial.take(from: &rest) {
        case .incomplete:
            phase = .propertiesLength(partial)
        case .malformed:
            throw .malformed("malformed byte count of the properties")
        case .complete(let value):
            guard let byteCount = Int(exactly: value), byteCount <= limits.maxPropertiesBytes else {
                throw .malformed("properties of \(value) bytes; at most \(limits.maxPropertiesBytes) are accepted")
            }
            phase = .properties(byteCount: byteCount)
        }
    }

    /// Whether the properties are complete. Those within one frame are read in place.
    private func takeProperties(
        _ byteCount: Int, _ rest: inout UnsafeRawBufferPointer, _ coding: BLIPPropertiesCoding
    ) throws(IncomingFailure) -> Bool {
        let count = min(byteCount - partialProperties.count, rest.count)
        let part = UnsafeRawBufferPointer(rebasing: rest[..<count])
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        if count == byteCount {
            properties = try Self.decode(part, coding)
            return true
        }
        guard count <= bounds.memory else { throw shortage("too many unfinished messages") }
        partialProperties.append(contentsOf: part)
        guard partialProperties.count == byteCount else { return false }
        let collected = partialProperties
        partialProperties = []
        let result: Result<BLIPProperties, IncomingFailure> = collected.withUnsafeBytes { bytes in
            do throws(IncomingFailure) { return .success(try Self.decode(bytes, coding)) } catch {
                return .failure(error)
            }
        }
        properties = try result.get()
        return true
    }

    private func takeBody(_ bytes: UnsafeRawBufferPointer, _ limits: BLIPLimits) throws(IncomingFailure) {
        guard isBodyPacked else {
            try takePlain(bytes, limits)
            return
        }
        guard bounds.unpacking.bytes > 0 else { throw .tooLarge(bounds.unpacking.excess) }
        let inflater = inflater ?? BodyInflater()
        self.inflater = inflater
        try inflater.inflate(bytes, bounds.unpacking, unpacked: &unpacked) { (piece) throws(IncomingFailure) in
            try takePlain(piece, limits)
        }
    }

    private func takePlain(_ bytes: UnsafeRawBufferPointer, _ limits: BLIPLimits) throws(IncomingFailure) {
        if let deferredSink {
            guard bytes.count <= min(bounds.memory, limits.maxBufferedBody - deferredSink.untakenBytes) else {
                throw .tooLarge("too many bytes that nobody has taken")
            }
            bounds.memory -= bytes.count
            writtenBytes += UInt64(bytes.count)
        }
        if let sink {
            do { try sink.write(bytes) } catch { throw .sinkFailed("\(error)") }
            return
        }
        let room = min(bounds.memory, limits.maxBufferedBody - body.count)
        if bytes.count > room {
            // An error response arrives however long its text is: what is over the limit is left out.
            guard isError else {
                let isOwnLimit = limits.maxBufferedBody - body.count <= bounds.memory
                throw isOwnLimit
                    ? .tooLarge("a body of more than \(limits.maxBufferedBody) bytes")
                    : shortage("too many bytes of unfinished messages")
            }
        }
        let kept = UnsafeRawBufferPointer(rebasing: bytes[..<min(bytes.count, max(room, 0))])
        bounds.memory -= kept.count
        body.append(contentsOf: kept)
    }

    /// There is no memory for it: now, or ever.
    private func shortage(_ reason: String) -> IncomingFailure {
        bounds.isMemoryShared ? .refused(reason) : .tooLarge(reason)
    }

    private static func decode(
        _ bytes: UnsafeRawBufferPointer, _ coding: BLIPPropertiesCoding
    ) throws(IncomingFailure) -> BLIPProperties {
        do throws(BLIPPropertiesError) { return try coding.decode(bytes) } catch {
            throw .malformed("malformed properties: \(error)")
        }
    }
}
