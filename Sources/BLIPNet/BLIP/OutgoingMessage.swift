// One message on its way out: what is left of it and how much the peer has acknowledged.

/// The body of an outgoing message could not be read.
struct BodySourceFailure: Error, Equatable {
    var reason: String
}

/// A request or response that is being sent, pulled one frame at a time. A reference, because the outbox, the table of
/// unfinished messages and (for requests) the table of awaited responses all speak of the same message.
final class OutgoingMessage {
    /// One frame's share of the message data.
    struct Part {
        var count: Int
        var isLast: Bool
    }

    private enum Body {
        case bytes([UInt8], offset: Int)
        case source(any BodySource)
    }

    let number: UInt64
    private(set) var type: BLIPFrameType
    let isUrgent: Bool
    private(set) var isNoReply: Bool
    private(set) var isCompressed: Bool
    private(set) var isMeta: Bool
    /// Nothing of it has been sent yet.
    var isNew = true
    /// Bytes after the frame headers that were sent, and that the peer has acknowledged.
    var sentBytes: UInt64 = 0
    var acknowledgedBytes: UInt64 = 0
    /// Waits for an ACK, outside of the outbox.
    var isPaused = false
    /// The bytes that the connection has counted for it as memory of queued replies.
    var countedBytes = 0
    /// The bytes that the outbox has counted for it as running.
    var runningBytes = 0

    /// The encoded properties with their byte count.
    private var prefix: [UInt8]
    private var prefixOffset = 0
    private var body: Body
    /// The body is compressed by itself; the deflater is made when its first frame is.
    private var isBodyPacked: Bool
    private var deflater: BodyDeflater?

    init(
        number: UInt64, type: BLIPFrameType, isUrgent: Bool, isNoReply: Bool = false, isCompressed: Bool = false,
        isMeta: Bool = false, prefix: [UInt8], body: BLIPBody, compression: BLIPDialect.Compression
    ) {
        self.number = number
        self.type = type
        self.isUrgent = isUrgent
        self.isNoReply = isNoReply
        self.isCompressed = isCompressed
        self.isMeta = isMeta
        self.prefix = prefix
        isBodyPacked = isCompressed && compression == .bodyMember
        switch body {
        case .bytes(let bytes):
            self.body = .bytes(bytes, offset: 0)
            if bytes.isEmpty { isBodyPacked = false }
        case .source(let source):
            self.body = .source(source)
        }
    }

    var isRequest: Bool { type == .request }

    /// The flags of a frame that is not the message's last one.
    func flags(_ masks: BLIPFlagMasks) -> UInt64 {
        type.rawValue | masks.moreComing | (isCompressed ? masks.compressed : 0) | (isUrgent ? masks.urgent : 0)
            | (isNoReply ? masks.noReply : 0) | (isMeta ? masks.meta : 0)
    }

    /// How much message data is left; `nil` when that is not known yet.
    var remainingBytes: Int? {
        guard !isBodyPacked, case .bytes(let bytes, let offset) = body else { return nil }
        return prefix.count - prefixOffset + bytes.count - offset
    }

    /// The bytes that the message holds in memory.
    var memoryBytes: Int {
        guard case .bytes(let bytes, _) = body else { return prefix.count }
        return prefix.count + bytes.count
    }

    /// The body's size is not known.
    var isStreamed: Bool {
        if case .source = body { return true }
        return false
    }

    /// Fills `room` as far as there is data. A source shows its end only when we ask it for more, so a body that ends
    /// exactly with a frame is followed by an empty last frame.
    func fill(_ room: UnsafeMutableRawBufferPointer) throws(BodySourceFailure) -> Part {
        var count = prefix.withUnsafeBytes { bytes in
            Self.copy(UnsafeRawBufferPointer(rebasing: bytes[prefixOffset...]), to: room)
        }
        let fromPrefix = count
        var isLast = false
        let rest = UnsafeMutableRawBufferPointer(rebasing: room[count...])
        if isBodyPacked {
            let part = try packBody(into: rest)
            count += part.count
            isLast = part.isLast
            prefixOffset += fromPrefix
            return Part(count: count, isLast: isLast)
        }
        switch body {
        case .bytes(let bytes, let offset):
            let copied = bytes.withUnsafeBytes { all in
                Self.copy(UnsafeRawBufferPointer(rebasing: all[offset...]), to: rest)
            }
            count += copied
            prefixOffset += fromPrefix
            body = .bytes(bytes, offset: offset + copied)
            isLast = offset + copied == bytes.count && prefixOffset == prefix.count
        case .source(let source):
            while count < room.count {
                let read = try Self.read(source, UnsafeMutableRawBufferPointer(rebasing: room[count...]))
                if read == 0 {
                    isLast = true
                    break
                }
                count += read
            }
            prefixOffset += fromPrefix
        }
        return Part(count: count, isLast: isLast)
    }

    private func packBody(into room: UnsafeMutableRawBufferPointer) throws(BodySourceFailure) -> Part {
        // A frame that the properties fill has no room for the body.
        guard !room.isEmpty else { return Part(count: 0, isLast: false) }
        var byteCount: Int?
        if case .bytes(let bytes, _) = body { byteCount = bytes.count }
        let deflater = deflater ?? BodyDeflater(byteCount: byteCount)
        self.deflater = deflater
        return try deflater.fill(room) { (room) throws(BodySourceFailure) in
            switch body {
            case .bytes(let bytes, let offset):
                let copied = bytes.withUnsafeBytes { all in
                    Self.copy(UnsafeRawBufferPointer(rebasing: all[offset...]), to: room)
                }
                body = .bytes(bytes, offset: offset + copied)
                return copied
            case .source(let source):
                return try Self.read(source, room)
            }
        }
    }

    /// Becomes a no-reply request without properties: what goes out under a number that is used up (numbers have no
    /// gaps) when the request itself must not. Only for a new message.
    func becomeVoid() {
        precondition(isNew && isRequest, "only a request that has not begun can be withdrawn")
        isNoReply = true
        replace(prefix: [0], body: [])
    }

    /// Becomes an error response. Only for a new message.
    func becomeErrorResponse(prefix: [UInt8], text: String) {
        precondition(isNew && !isRequest, "only a response that has not begun can become another one")
        type = .errorResponse
        replace(prefix: prefix, body: Array(text.utf8))
    }

    /// Frees the body: nothing more will be sent.
    func releaseBody() { replace(prefix: [], body: []) }

    private func replace(prefix: [UInt8], body: [UInt8]) {
        self.prefix = prefix
        prefixOffset = 0
        self.body = .bytes(body, offset: 0)
        isCompressed = false
        isBodyPacked = false
        isMeta = false
        deflater = nil
    }

    private static func read(
        _ source: any BodySource, _ room: UnsafeMutableRawBufferPointer
    ) throws(BodySourceFailure) -> Int {
        let count: Int
        do { count = try source.read(into: room) } catch { throw BodySourceFailure(reason: "\(error)") }
        guard count >= 0, count <= room.count else {
            throw BodySourceFailure(reason: "the source says it wrote \(count) bytes into \(room.count)")
        }
        return count
    }

    /// Copies as much as fits and returns how much that is.
    private static func copy(_ bytes: UnsafeRawBufferPointer, to room: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(bytes.count, room.count)
        UnsafeMutableRawBufferPointer(rebasing: room[..<count])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        return count
    }
}
