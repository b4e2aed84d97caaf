// The BLIP frames of one direction, read by somebody who is no end of the link.

/// Takes frames apart and puts messages together. Unlike a link it continues when something is wrong or missing.
struct TapFrames {
    private struct Key: Hashable {
        var number: UInt64
        var isResponse: Bool
    }

    /// Unfinished messages that we follow; of further ones we report only the frames.
    static let maxOpen = 256
    /// Bytes that they may hold together.
    static let maxHeldBytes = 2 << 20

    let dialect: BLIPDialect
    private let limits: BLIPLimits
    private let coding: BLIPPropertiesCoding
    /// `nil`: frames are missing, so that checksums cannot be compared and compressed frames not be unpacked.
    private var reader: FrameReader?
    /// `nil`: not known.
    private var nextRequest: UInt64? = 1
    private var open: [Key: TapAssembly] = [:]
    private(set) var heldBytes = 0
    /// Not everything of this direction was seen, or followed: what looks like the beginning of a message may be its middle.
    private var isIncomplete = false

    /// `maxFrame`: the largest frame that is read, in bytes.
    init(dialect: BLIPDialect, maxFrame: Int) {
        self.dialect = dialect
        var limits = BLIPLimits()
        limits.maxFrameIn = maxFrame
        self.limits = limits
        coding = BLIPPropertiesCoding(tokens: dialect.tokens)
        reader = FrameReader(dialect: dialect, limits: limits)
    }

    /// Frames are missing here.
    mutating func lose() {
        isIncomplete = true
        nextRequest = nil
        loseReader()
        for key in open.keys {
            guard var message = open.removeValue(forKey: key) else { continue }
            heldBytes -= message.heldBytes
            message.fail("frames of it are missing")
            open[key] = message
        }
    }

    /// Only BLIP_3 has a state that continues from frame to frame.
    private mutating func loseReader() {
        if dialect.hasChecksum || dialect.compression == .frameStream { reader = nil }
    }

    /// Takes one frame: the payload of a binary WebSocket message.
    mutating func take(_ frame: [UInt8]) -> TapEvent.Content {
        frame.withUnsafeBytes { bytes -> TapEvent.Content in
            var rest = bytes
            guard let header = BLIPFrameHeader(from: &rest) else {
                return .problem("a malformed frame header, in a frame of \(bytes.count) bytes")
            }
            var seen = TapFrame(header, dialect, byteCount: rest.count)
            switch seen.kind {
            case .ackOfRequest, .ackOfResponse:
                seen.acknowledged = Varint.decode(&rest)
                if seen.acknowledged == nil { seen.problem = "a malformed ACK" }
            case .request, .response, .errorResponse, .unknown: read(bytes, data: rest, &seen)
            }
            return .frame(seen)
        }
    }

    /// Reads a frame that is no ACK. `data` is what follows its header.
    private mutating func read(_ frame: UnsafeRawBufferPointer, data: UnsafeRawBufferPointer, _ seen: inout TapFrame) {
        // Out of `self` and back, so that its data can be used while it is.
        guard var reader = reader else { return readByItself(data, &seen) }
        self.reader = nil
        do throws(BLIPViolation) {
            let allowance = UnpackingAllowance(bytes: limits.maxInflatedFrame, bound: .frame)
            let received = try reader.read(frame, allowance)
            if seen.isCompressed, dialect.compression == .frameStream { seen.unpackedBytes = received.data.count }
            follow(&seen, received.data)
            reader.finishFrame()
            self.reader = reader
        } catch {
            isIncomplete = true
            let isRunning = dialect.hasChecksum || dialect.compression == .frameStream
            if !isRunning { self.reader = reader }
            note(error.reason + (isRunning ? "; later checksums are not compared" : ""), &seen)
            readByItself(data, &seen)
        }
    }

    /// Reads what a frame says without those before it.
    private mutating func readByItself(_ data: UnsafeRawBufferPointer, _ seen: inout TapFrame) {
        var data = data
        if dialect.hasChecksum {
            guard data.count >= FrameChecksum.byteCount else { return follow(&seen, nil) }
            data = UnsafeRawBufferPointer(rebasing: data[..<(data.count - FrameChecksum.byteCount)])
        }
        let isPacked = seen.isCompressed && dialect.compression == .frameStream
        follow(&seen, isPacked ? nil : data)
    }

    /// Gives a frame's data to its message. `nil`: it cannot be read.
    private mutating func follow(_ seen: inout TapFrame, _ data: UnsafeRawBufferPointer?) {
        if case .unknown = seen.kind { return }
        let key = Key(number: seen.number, isResponse: seen.kind != .request)
        var message: TapAssembly
        if let known = open.removeValue(forKey: key) {
            message = known
            heldBytes -= known.heldBytes
        } else {
            guard key.isResponse || begins(&seen) else { return }
            message = TapAssembly(seen, dialect)
        }
        message.count(seen)
        if let data {
            message.take(data, limits: limits, room: Self.maxHeldBytes - heldBytes - message.heldBytes)
        } else {
            message.fail("it has frames that cannot be unpacked, because others are missing")
        }
        guard seen.hasMore else {
            seen.message = message.ended(coding)
            if isIncomplete, seen.message?.problem != nil { note("not everything before it was read", &seen) }
            return
        }
        guard open.count < Self.maxOpen else {
            isIncomplete = true
            return note("too many unfinished messages to follow this one", &seen)
        }
        heldBytes += message.heldBytes
        open[key] = message
    }

    /// Whether a frame of a request that is not open begins it; notes what is wrong with its number.
    private mutating func begins(_ seen: inout TapFrame) -> Bool {
        if let next = nextRequest, seen.number != next {
            guard seen.number > next else {
                note("the beginning of request \(seen.number) was not followed", &seen)
                return false
            }
            note("request \(seen.number) where \(next) is next", &seen)
        }
        nextRequest = seen.number == .max ? nil : seen.number + 1
        return true
    }

    private func note(_ problem: String, _ seen: inout TapFrame) {
        seen.problem = seen.problem.map { $0 + "; " + problem } ?? problem
    }
}
