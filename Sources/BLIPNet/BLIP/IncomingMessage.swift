// One message on its way in: properties first, then the body into memory or a sink.

/// Why an incoming message is not delivered though the connection lives on.
enum IncomingFailure: Error, Equatable {
    /// Its properties cannot be read.
    case malformed(String)
    /// A limit on what is kept in memory.
    case tooLarge(String)
    /// Our sink threw.
    case sinkFailed(String)
    /// We have too much to answer already.
    case refused(String)
    /// No frame came for too long.
    case timedOut
    /// Nobody waits for it.
    case unwanted

    /// The answer to a request that failed so.
    var response: BLIPResponse {
        switch self {
        case .malformed(let reason): .failure(.badRequest, reason)
        case .tooLarge(let reason): .failure(.tooLarge, reason)
        case .sinkFailed: .failure(.handlerFailed, "the body could not be stored")
        case .refused(let reason): .failure(.tooManyRequests, reason)
        case .timedOut: .failure(.unspecified, "the request stopped arriving for too long")
        case .unwanted: .failure(.unspecified)
        }
    }

    /// What becomes of a request of ours whose response failed so.
    var linkError: LinkError {
        switch self {
        case .malformed(let reason): .peerViolated(layer: "BLIP", reason: reason)
        case .tooLarge(let reason), .refused(let reason): .limitExceeded(reason)
        case .sinkFailed(let reason): .bodyFailed(reason: reason)
        case .timedOut: .timedOut("reply")
        case .unwanted: .closedLocally
        }
    }
}

/// A message whose frames are arriving. A reference, so that a frame changes it in place.
final class IncomingMessage {
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
    /// When its last frame came.
    var lastFrame: MonotonicTime
    /// Bytes after the frame headers.
    var receivedBytes: UInt64 = 0
    /// The inbox expects more frames of it.
    var isListed = false
    /// No longer counted among the open messages.
    var isDropped = false
    /// The place among all messages of the inbox in the order of their beginning.
    var order: UInt64 = 0
    /// An ACK was due and is withheld because memory is short: the sender pauses.
    var isAckWithheld = false

    private(set) var properties: BLIPProperties = [:]
    /// Where the body goes instead of memory.
    private(set) var sink: (any BodySink)?
    private(set) var body: [UInt8] = []
    private var partialProperties: [UInt8] = []
    private var phase = Phase.propertiesLength(PartialVarint())

    init(header: BLIPFrameHeader, type: BLIPFrameType, masks: BLIPFlagMasks, now: MonotonicTime) {
        number = header.number
        isResponse = type != .request
        isError = type == .errorResponse
        isUrgent = header.flags & masks.urgent != 0
        isNoReply = header.flags & masks.noReply != 0
        isCompressed = header.flags & masks.compressed != 0
        lastFrame = now
    }

    var failure: IncomingFailure? {
        if case .failed(let failure) = phase { return failure }
        return nil
    }

    /// Its body is collected in memory, or may come to be.
    var holdsMemory: Bool { sink == nil && failure == nil }

    /// The bytes that it holds in memory.
    var memoryBytes: Int { body.count + partialProperties.count }

    var head: BLIPMessageHead {
        BLIPMessageHead(
            number: number, isResponse: isResponse, properties: properties, isUrgent: isUrgent, isNoReply: isNoReply,
            isCompressed: isCompressed, error: isError ? BLIPErrorCode(properties: properties) : nil)
    }

    /// Frees what it holds; what still comes is dropped. The first failure stays.
    func fail(_ failure: IncomingFailure) {
        guard self.failure == nil else { return }
        phase = .failed(failure)
        properties = [:]
        sink = nil
        body = []
        partialProperties = []
    }

    /// Takes the next message data. `memory` is how many more bytes of it may be kept in memory; `makeSink` is called
    /// once, when the properties are complete.
    func take(
        _ data: UnsafeRawBufferPointer, coding: BLIPPropertiesCoding, limits: BLIPLimits, memory: Int,
        makeSink: (BLIPMessageHead) -> (any BodySink)?
    ) {
        do throws(IncomingFailure) {
            var rest = data
            if case .propertiesLength(let partial) = phase { try takeLength(partial, &rest, limits) }
            if case .properties(let byteCount) = phase, try takeProperties(byteCount, &rest, coding, memory) {
                phase = .body
                sink = makeSink(head)
            }
            if case .body = phase { try takeBody(rest, limits, memory) }
        } catch {
            fail(error)
        }
    }

    /// The last frame has come.
    func end() {
        switch phase {
        case .propertiesLength, .properties: fail(.malformed("the message ends within its properties"))
        case .body, .failed: break
        }
    }

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
        _ byteCount: Int, _ rest: inout UnsafeRawBufferPointer, _ coding: BLIPPropertiesCoding, _ memory: Int
    ) throws(IncomingFailure) -> Bool {
        let count = min(byteCount - partialProperties.count, rest.count)
        let part = UnsafeRawBufferPointer(rebasing: rest[..<count])
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        if count == byteCount {
            properties = try Self.decode(part, coding)
            return true
        }
        guard count <= memory else { throw .tooLarge("too many unfinished messages") }
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

    private func takeBody(
        _ bytes: UnsafeRawBufferPointer, _ limits: BLIPLimits, _ memory: Int
    ) throws(IncomingFailure) {
        guard !bytes.isEmpty else { return }
        if let sink {
            do { try sink.write(bytes) } catch { throw .sinkFailed("\(error)") }
            return
        }
        guard bytes.count <= limits.maxBufferedBody - body.count else {
            throw .tooLarge("a body of more than \(limits.maxBufferedBody) bytes")
        }
        guard bytes.count <= memory else { throw .tooLarge("too many bytes of unfinished messages") }
        body.append(contentsOf: bytes)
    }

    private static func decode(
        _ bytes: UnsafeRawBufferPointer, _ coding: BLIPPropertiesCoding
    ) throws(IncomingFailure) -> BLIPProperties {
        do throws(BLIPPropertiesError) { return try coding.decode(bytes) } catch {
            throw .malformed("malformed properties: \(error)")
        }
    }
}
