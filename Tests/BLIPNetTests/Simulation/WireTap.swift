// Somebody between the two ends of a plain connection, who reads what one of them sends and knows the rules.

import TestSupport

@testable import BLIPNet

/// Takes the bytes of one direction apart (HTTP head, WebSocket frames, BLIP frames) and checks what each sender has to
/// keep: masks, sizes, the order of first frames, open messages, nothing behind the end.
struct WireTap {
    /// A BLIP frame as it went by.
    struct Frame: Equatable {
        var number: UInt64
        var flags: UInt64
        /// Bytes after the header.
        var byteCount: Int
        var isAck: Bool
        var isRequest: Bool
        var isUrgent: Bool
        var isFirst: Bool
        var isLast: Bool
    }

    private(set) var frames: [Frame] = []
    /// The code of the close frame.
    private(set) var closeCode: UInt16?
    private let isClient: Bool
    private let limits: BLIPLimits
    private let dialect: BLIPDialect
    private var isBehindHead = false
    private var bytes: [UInt8] = []
    private var begunRequests: UInt64 = 0
    private var open: Set<Message> = []
    private var endedResponses: Set<UInt64> = []

    private struct Message: Hashable {
        var number: UInt64
        var isRequest: Bool
    }

    init(isClient: Bool, dialect: BLIPDialect, limits: BLIPLimits) {
        self.dialect = dialect
        self.isClient = isClient
        self.limits = limits
    }

    /// Takes the next bytes in the order in which they were made.
    mutating func take(_ new: [UInt8]) throws(FuzzFinding) {
        bytes += new
        if !isBehindHead {
            guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return }
            bytes.removeFirst(end.upperBound)
            isBehindHead = true
        }
        var offset = 0
        while let frame = webSocketFrame(at: offset) {
            try take(frame.opcode, frame.payload, isMasked: frame.isMasked)
            offset = frame.end
        }
        bytes.removeFirst(offset)
    }

    private func webSocketFrame(at start: Int) -> (opcode: UInt8, payload: [UInt8], isMasked: Bool, end: Int)? {
        guard bytes.count >= start + 2 else { return nil }
        var length = Int(bytes[start + 1] & 0x7F)
        var offset = start + 2
        let extra = length == 126 ? 2 : length == 127 ? 8 : 0
        guard bytes.count >= offset + extra else { return nil }
        if extra > 0 { length = bytes[offset..<(offset + extra)].reduce(0) { $0 << 8 | Int($1) } }
        offset += extra
        var mask: [UInt8] = []
        if bytes[start + 1] & 0x80 != 0 {
            guard bytes.count >= offset + 4 else { return nil }
            mask = Array(bytes[offset..<(offset + 4)])
            offset += 4
        }
        guard bytes.count >= offset + length else { return nil }
        var payload = Array(bytes[offset..<(offset + length)])
        if !mask.isEmpty { for index in payload.indices { payload[index] ^= mask[index & 3] } }
        return (bytes[start], payload, !mask.isEmpty, offset + length)
    }

    private mutating func take(_ first: UInt8, _ payload: [UInt8], isMasked: Bool) throws(FuzzFinding) {
        try require(isMasked == isClient, "a frame of the \(isClient ? "client without" : "server with") a mask")
        try require(closeCode == nil, "a frame behind the close frame")
        switch first {
        case 0x82: try takeBLIP(payload)
        case 0x88: closeCode = payload.count >= 2 ? UInt16(payload[0]) << 8 | UInt16(payload[1]) : 1005
        case 0x89, 0x8A: break
        default: throw FuzzFinding(description: "a frame that begins with \(first)")
        }
    }

    private mutating func takeBLIP(_ payload: [UInt8]) throws(FuzzFinding) {
        try require(payload.count <= limits.frameOut, "a frame of \(payload.count) bytes")
        let parsed: (BLIPFrameHeader, Int)? = payload.withUnsafeBytes { bytes in
            var rest = bytes
            return BLIPFrameHeader(from: &rest).map { ($0, rest.count) }
        }
        guard let (header, byteCount) = parsed, let type = header.type(dialect.flags) else {
            throw FuzzFinding(description: "a frame without a header")
        }
        let message = Message(number: header.number, isRequest: type == .request)
        let isLast = header.flags & dialect.flags.moreComing == 0
        var frame = Frame(
            number: header.number, flags: header.flags, byteCount: byteCount, isAck: type.isAck && dialect.hasAcks,
            isRequest: message.isRequest, isUrgent: header.flags & dialect.flags.urgent != 0, isFirst: false,
            isLast: isLast)
        if !frame.isAck {
            frame.isFirst = !open.contains(message)
            if frame.isFirst { try begin(message) }
            if isLast { open.remove(message) } else { open.insert(message) }
            if isLast, !message.isRequest { endedResponses.insert(message.number) }
        }
        frames.append(frame)
    }

    private mutating func begin(_ message: Message) throws(FuzzFinding) {
        guard message.isRequest else {
            try require(!endedResponses.contains(message.number), "\(message.number) is answered twice")
            return
        }
        begunRequests += 1
        try require(message.number == begunRequests, "request \(message.number) where \(begunRequests) is next")
    }
}
