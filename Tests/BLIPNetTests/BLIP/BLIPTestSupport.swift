// What the BLIP tests share: connections that are fed arrays, bodies from and to memory, seeded randomness.

import Synchronization
import TestSupport

@testable import BLIPNet

extension BLIPConnection {
    init(_ dialect: BLIPDialect = .blip3, limits: BLIPLimits = BLIPLimits()) {
        self.init(dialect: dialect, limits: limits) { _ in nil }
    }

    mutating func receive(_ frame: [UInt8], second: Int64 = 0) throws(BLIPViolation) {
        let now = MonotonicTime(nanoseconds: second * 1_000_000_000)
        let result: Result<Void, BLIPViolation> = frame.withUnsafeBytes { bytes in
            do throws(BLIPViolation) { return .success(try receive(frame: bytes, now: now)) } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// One frame, or `nil` when none may be sent now.
    mutating func oneFrame() -> [UInt8]? {
        var out = ByteQueue()
        return nextFrame(into: &out) ? out.takeAll() : nil
    }

    /// Every frame that may be sent now.
    mutating func allFrames() -> [[UInt8]] {
        var frames: [[UInt8]] = []
        while let frame = oneFrame() { frames.append(frame) }
        return frames
    }

    mutating func allEvents() -> [BLIPEvent] {
        var all: [BLIPEvent] = []
        while let event = nextEvent() { all.append(event) }
        return all
    }

    @discardableResult
    mutating func send(
        _ profile: String = "echo", _ body: [UInt8] = [], urgent: Bool = false, compressed: Bool = false,
        noReply: Bool = false, sink: (any BodySink)? = nil
    ) -> UInt64 {
        let request = BLIPRequest(profile: profile, body: .bytes(body), urgent: urgent, compressed: compressed)
        return send(request, sink: sink, noReply: noReply)
    }

    @discardableResult
    mutating func send(_ source: any BodySource, urgent: Bool = false) -> UInt64 {
        send(BLIPRequest(profile: "echo", body: .source(source), urgent: urgent), sink: nil, noReply: false)
    }
}

extension BLIPEvent {
    var request: BLIPIncomingRequest? {
        if case .request(let request) = self { return request }
        return nil
    }

    var response: (number: UInt64, response: BLIPResponse)? {
        if case .response(let number, let response) = self { return (number, response) }
        return nil
    }

    var failure: (number: UInt64, error: LinkError)? {
        if case .requestFailed(let number, let error) = self { return (number, error) }
        return nil
    }
}

/// A frame as somebody between the two ends sees it.
struct FrameOnWire: Equatable {
    var number: UInt64
    var flags: UInt64
    /// Bytes after the header.
    var byteCount: Int
    /// Set for an ACK.
    var acknowledged: UInt64?
    private let masks: BLIPFlagMasks

    init?(_ frame: [UInt8]) { self.init(frame, .blip3) }

    init?(_ frame: [UInt8], _ dialect: BLIPDialect) {
        let parsed: FrameOnWire? = frame.withUnsafeBytes { bytes in
            var rest = bytes
            guard let header = BLIPFrameHeader(from: &rest) else { return nil }
            let byteCount = rest.count
            let isAck = dialect.hasAcks && [4, 5].contains(header.flags & dialect.flags.type)
            return FrameOnWire(
                number: header.number, flags: header.flags, byteCount: byteCount,
                acknowledged: isAck ? Varint.decode(&rest) : nil, masks: dialect.flags)
        }
        guard let parsed else { return nil }
        self = parsed
    }

    private init(number: UInt64, flags: UInt64, byteCount: Int, acknowledged: UInt64?, masks: BLIPFlagMasks) {
        self.number = number
        self.flags = flags
        self.byteCount = byteCount
        self.acknowledged = acknowledged
        self.masks = masks
    }

    var type: UInt64 { flags & masks.type }
    var isUrgent: Bool { flags & masks.urgent != 0 }
    var hasMore: Bool { flags & masks.moreComing != 0 }
}

/// The other end, writing frames by hand: uncompressed ones, or what is given as compressed.
struct Peer {
    enum Flag {
        case response, error, compressed, urgent, noReply, more, meta
    }

    let dialect: BLIPDialect
    private var checksum = FrameChecksum()

    init(_ dialect: BLIPDialect = .blip3) { self.dialect = dialect }

    /// A frame with these bytes before its data.
    mutating func frame(_ header: [UInt8], data: [UInt8]) -> [UInt8] {
        guard dialect.hasChecksum else { return header + data }
        data.withUnsafeBytes { checksum.update($0) }
        let value = checksum.value
        return header + data + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
    }

    mutating func frame(_ number: UInt64, _ flags: [Flag] = [], data: [UInt8]) -> [UInt8] {
        let masks = dialect.flags
        let bits = flags.reduce(UInt64(0)) { bits, flag in
            switch flag {
            case .response: bits | 1
            case .error: bits | 2
            case .compressed: bits | masks.compressed
            case .urgent: bits | masks.urgent
            case .noReply: bits | masks.noReply
            case .more: bits | masks.moreComing
            case .meta: bits | masks.meta
            }
        }
        var header: [UInt8] = []
        Varint.append(number, to: &header)
        Varint.append(bits, to: &header)
        return frame(header, data: data)
    }
}

struct TestBodyError: Error {}

/// A body from memory that comes in pieces of at most `piece` bytes and may fail on the way.
final class MemorySource: BodySource {
    private let state: Mutex<(rest: ArraySlice<UInt8>, failsAfter: Int?)>
    private let piece: Int

    init(_ bytes: [UInt8], piece: Int = .max, failsAfter: Int? = nil) {
        state = Mutex((bytes[...], failsAfter))
        self.piece = piece
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        try state.withLock { state in
            var count = min(buffer.count, piece, state.rest.count)
            if let left = state.failsAfter {
                if left == 0 { throw TestBodyError() }
                count = min(count, left)
                state.failsAfter = left - count
            }
            UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]).copyBytes(from: state.rest.prefix(count))
            state.rest = state.rest.dropFirst(count)
            return count
        }
    }
}

/// A body into memory that may fail on the way.
final class MemorySink: BodySink {
    private let state: Mutex<[UInt8]>
    private let failsAfter: Int

    init(failsAfter: Int = .max) {
        state = Mutex([])
        self.failsAfter = failsAfter
    }

    var bytes: [UInt8] { state.withLock { $0 } }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        try state.withLock { state in
            if state.count + bytes.count > failsAfter { throw TestBodyError() }
            state.append(contentsOf: bytes)
        }
    }
}

extension SeededGenerator {
    /// Bytes of which only `alphabet` different ones occur: stretches of a pool, because making each byte
    /// anew takes most of a test's time.
    mutating func bytes(_ count: Int, alphabet: UInt8 = 255) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count {
            let start = Int(next() % UInt64(Self.pool.count))
            bytes += Self.pool[start...].prefix(count - bytes.count)
        }
        return alphabet == 255 ? bytes : bytes.map { $0 % alphabet }
    }

    private static let pool: [UInt8] = {
        var random = SeededGenerator(seed: 0)
        return (0..<50_000).map { _ in UInt8(truncatingIfNeeded: random.next() >> 32) }
    }()
}
