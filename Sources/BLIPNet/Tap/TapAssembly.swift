// One message that somebody else receives: its properties are kept, its body is only counted.

/// Puts the frames of a message together. Holds its properties as they came, and the state of its inflater.
struct TapAssembly {
    private enum Phase {
        case propertiesLength(PartialVarint)
        case properties(byteCount: Int)
        case body
        /// Its content is not known; only its frames are counted.
        case failed(String)
    }

    /// How many bytes an inflater counts for in `heldBytes`: its window, its buffers.
    private static let inflaterBytes = 64 << 10

    private let isError: Bool
    /// The body is one gzip member.
    private let isBodyPacked: Bool
    private var phase = Phase.propertiesLength(PartialVarint())
    private var properties: [UInt8] = []
    private var inflater: BodyInflater?
    private var frames = 0
    private var byteCount: UInt64 = 0
    private var bodyBytes: UInt64 = 0

    init(_ first: TapFrame, _ dialect: BLIPDialect) {
        isError = first.kind == .errorResponse
        isBodyPacked = first.isCompressed && dialect.compression == .bodyMember
    }

    /// How many bytes it needs of the memory that is limited.
    var heldBytes: Int { properties.count + (inflater == nil ? 0 : Self.inflaterBytes) }

    /// A frame of it has come, with so many bytes after its header.
    mutating func count(_ frame: TapFrame) {
        frames += 1
        byteCount &+= UInt64(frame.byteCount)
    }

    /// Something of it is missing, or cannot be read. The first reason stays.
    mutating func fail(_ reason: String) {
        if case .failed = phase { return }
        phase = .failed(reason)
        properties = []
        inflater = nil
    }

    /// Takes the next message data. `room`: how many more bytes it may hold.
    mutating func take(_ data: UnsafeRawBufferPointer, limits: BLIPLimits, room: Int) {
        var rest = data
        if case .propertiesLength(var partial) = phase {
            switch partial.take(from: &rest) {
            case .incomplete: phase = .propertiesLength(partial)
            case .malformed: fail("malformed byte count of the properties")
            case .complete(let value):
                if let count = Int(exactly: value), count <= limits.maxPropertiesBytes {
                    phase = .properties(byteCount: count)
                } else {
                    fail("properties of \(value) bytes; at most \(limits.maxPropertiesBytes) are read")
                }
            }
        }
        if case .properties(let count) = phase {
            let part = UnsafeRawBufferPointer(rebasing: rest[..<min(count - properties.count, rest.count)])
            rest = UnsafeRawBufferPointer(rebasing: rest[part.count...])
            guard part.count <= room else { return fail("too many unfinished messages to follow this one") }
            properties.append(contentsOf: part)
            if properties.count == count { phase = .body }
        }
        if case .body = phase, !rest.isEmpty { takeBody(rest, limits: limits, room: room) }
    }

    private mutating func takeBody(_ bytes: UnsafeRawBufferPointer, limits: BLIPLimits, room: Int) {
        guard isBodyPacked else {
            bodyBytes &+= UInt64(bytes.count)
            return
        }
        if inflater == nil {
            guard room >= Self.inflaterBytes else { return fail("too many unfinished messages to follow this one") }
            inflater = BodyInflater()
        }
        guard let inflater else { return }
        let allowance = UnpackingAllowance(bytes: limits.maxInflatedFrame, bound: .frame)
        var unpacked = 0
        var count: UInt64 = 0
        do throws(IncomingFailure) {
            try inflater.inflate(bytes, allowance, unpacked: &unpacked) { (piece) throws(IncomingFailure) in
                count &+= UInt64(piece.count)
            }
            bodyBytes &+= count
        } catch {
            fail(Self.reason(error))
        }
    }

    /// The whole, when the last frame has come.
    func ended(_ coding: BLIPPropertiesCoding) -> TapMessage {
        var message = TapMessage(frames: frames, byteCount: byteCount, bodyBytes: bodyBytes)
        switch phase {
        case .propertiesLength, .properties: message.problem = "the message ends within its properties"
        case .failed(let reason): message.problem = reason
        case .body:
            let result: Result<BLIPProperties, BLIPPropertiesError> = properties.withUnsafeBytes { bytes in
                do throws(BLIPPropertiesError) { return .success(try coding.decode(bytes)) } catch {
                    return .failure(error)
                }
            }
            switch result {
            case .success(let properties):
                message.properties = properties
                if isError { message.error = BLIPErrorCode(properties: properties) }
            case .failure(let error): message.problem = "malformed properties: \(error)"
            }
            if let inflater, !inflater.isComplete { message.problem = "the compressed body is cut off" }
        }
        return message
    }

    private static func reason(_ failure: IncomingFailure) -> String {
        switch failure {
        case .malformed(let reason), .tooLarge(let reason), .refused(let reason), .sinkFailed(let reason): reason
        case .timedOut, .unwanted: "its body cannot be read"
        }
    }
}
