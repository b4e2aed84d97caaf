// The WebSocket frames of one direction, read by somebody who is no end of the connection.

/// From bytes to control frames, messages and BLIP frames. Finds its way again after bytes that are missing.
struct TapFlow {
    private enum State {
        /// Before the end of the handshake: bytes only wait.
        case waiting
        case frames
        /// Bytes are missing: reading resumes with the next bytes that begin with a frame, as those of most packets do.
        case searching
        /// The tap reads nothing more.
        case ended
    }

    /// The largest WebSocket message that is read, in bytes; of a larger one nothing is shown but that.
    static let maxMessageBytes = 1 << 20
    /// How often something that is not WebSocket may come before we abandon a direction.
    private static let maxLosses = 8

    private let isMasked: Bool
    /// Bytes that it has not read yet.
    var input = ByteQueue()
    private var state = State.waiting
    private let limits: WebSocketLimits
    private var decoder: WebSocketFrameDecoder
    private var deflate: PermessageDeflate?
    private var frames: TapFrames?
    private var losses = 0

    /// `isMasked`: it comes from the client (RFC 6455 section 5.3).
    init(isMasked: Bool) {
        self.isMasked = isMasked
        var limits = WebSocketLimits()
        limits.maxMessageBytes = Self.maxMessageBytes
        self.limits = limits
        decoder = WebSocketFrameDecoder(expectsMask: isMasked, limits: limits)
    }

    /// It reports nothing more.
    var isEnded: Bool { if case .ended = state { true } else { false } }

    /// The memory that it needs for what is not complete, in bytes.
    var heldBytes: Int { input.capacity + decoder.gathered.capacity + (frames?.heldBytes ?? 0) }

    /// The handshake is over: reads the bytes that wait. `isWhole`: no byte after the handshake is missing.
    mutating func open(
        _ dialect: BLIPDialect?, _ deflate: PermessageDeflate?, isWhole: Bool, _ tell: (TapEvent.Content) -> Void
    ) {
        self.deflate = deflate
        frames = dialect.map { TapFrames(dialect: $0, maxFrame: Self.maxMessageBytes) }
        makeDecoder()
        state = .frames
        if isWhole { read(tell) } else { lose() }
    }

    /// Reads nothing more of this direction.
    mutating func end() {
        state = .ended
        input = ByteQueue()
        decoder.stop()
        frames = nil
    }

    /// Takes the next bytes.
    mutating func receive(_ bytes: ArraySlice<UInt8>, _ tell: (TapEvent.Content) -> Void) {
        switch state {
        case .ended: return
        case .searching:
            guard bytes.withUnsafeBytes({ isBeginning($0) }) else { return }
            state = .frames
        case .waiting, .frames: break
        }
        bytes.withUnsafeBytes { input.append($0) }
        if case .frames = state { read(tell) }
    }

    /// Bytes are missing here: the borders of frames are lost.
    mutating func lose() {
        guard case .frames = state else { return }
        state = .searching
        input = ByteQueue()
        makeDecoder()
        frames?.lose()
    }

    private mutating func makeDecoder() {
        decoder = WebSocketFrameDecoder(expectsMask: isMasked, limits: limits)
        guard let deflate else { return }
        // The inflater is that of the side that receives.
        let role: WebSocketConnection.Role = isMasked ? .server : .client
        decoder.enableInflating { deflate.makeInflater(for: role) }
    }

    private mutating func read(_ tell: (TapEvent.Content) -> Void) {
        do throws(WebSocketViolation) {
            while true {
                switch try decoder.next(from: &input) {
                case .needsMoreBytes: return
                case .control(let opcode): tell(Self.control(opcode, payload))
                case .message(let kind): tell(message(kind, payload))
                }
            }
        } catch {
            tell(.problem("WebSocket: \(error.reason)"))
            losses += 1
            guard losses < Self.maxLosses else {
                tell(.problem("too much of this direction is not WebSocket: it is not followed any further"))
                return end()
            }
            lose()
        }
    }

    /// The payload that the decoder has just delivered.
    private var payload: [UInt8] { decoder.withPayload(in: input) { Array($0) } }

    private static func control(_ opcode: WebSocketOpcode, _ payload: [UInt8]) -> TapEvent.Content {
        switch opcode {
        case .ping: return .ping(byteCount: payload.count)
        case .pong: return .pong(byteCount: payload.count)
        default:
            do throws(WebSocketViolation) {
                let close = try WebSocketClosePayload(parsing: payload)
                return .close(code: close.code, reason: close.reason)
            } catch {
                return .problem("WebSocket: \(error.reason)")
            }
        }
    }

    private mutating func message(_ kind: WebSocketMessageKind, _ payload: [UInt8]) -> TapEvent.Content {
        guard kind == .binary, let content = frames?.take(payload) else {
            return .message(kind, byteCount: payload.count)
        }
        return content
    }

    /// Whether these bytes look like WebSocket frames from their first byte on.
    private func isBeginning(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes
        var hasFound = false
        do throws(WebSocketViolation) {
            while !rest.isEmpty {
                // A header that is cut off at the end is no sign, neither for nor against it.
                guard let (header, count) = try WebSocketFrameHeader.parse(rest) else { return hasFound }
                guard isPlausible(header) else { return false }
                hasFound = true
                let length = UInt64(count) + header.payloadLength
                guard length < UInt64(rest.count) else { return true }
                rest = UnsafeRawBufferPointer(rebasing: rest[Int(length)...])
            }
        } catch {
            return false
        }
        return hasFound
    }

    private func isPlausible(_ header: WebSocketFrameHeader) -> Bool {
        let compressed: UInt8 = deflate == nil || header.opcode.isControl ? 0 : WebSocketFrameHeader.compressedBit
        guard header.isFinal, header.opcode != .continuation, (header.mask != nil) == isMasked,
            header.reservedBits & ~compressed == 0
        else { return false }
        if header.opcode.isControl { return header.payloadLength <= UInt64(WebSocketFrameHeader.maxControlPayload) }
        return header.payloadLength <= UInt64(limits.maxMessageBytes) && (frames == nil || header.opcode == .binary)
    }
}
