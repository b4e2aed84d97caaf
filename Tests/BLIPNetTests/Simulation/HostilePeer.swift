// A peer that follows a script instead of the protocol, and a stack of ours that has to bear it.

import TestSupport

@testable import BLIPNet

/// Bytes of our own making against one server stack in virtual time. After each step the limits of RELIABILITY 3 are
/// checked; how it ended, and what the peer was told, is kept.
struct HostilePeer {
    private(set) var stack: ProtocolStack
    private(set) var now = MonotonicTime(nanoseconds: 0)
    /// Why the stack ended, once it has.
    private(set) var end: LinkError?
    private(set) var requests: [BLIPIncomingRequest] = []
    private(set) var responses: [UInt64] = []
    /// The most of everything that was in memory at any time.
    private(set) var peak = MemoryUsage()
    /// What the stack has sent.
    private(set) var tap: WireTap
    private(set) var sentBytes = 0
    /// The first line of the HTTP answer.
    private(set) var status = ""
    /// Whether the peer reads what is sent to it.
    var reads = true
    var answers: (BLIPIncomingRequest) -> BLIPResponse? = { BLIPResponse(body: .bytes($0.body)) }
    private let limits: BLIPLimits
    private let dialect: BLIPDialect
    private var checksum = FrameChecksum()
    private let deflater = FrameDeflater(level: 9)

    init(_ options: LinkOptions = LinkOptions(), isOpen: Bool = true) throws {
        stack = try ProtocolStack.server(options: options, random: .fixed, now: now)
        limits = options.blip
        dialect = options.dialects[0]
        tap = WireTap(isClient: false, dialect: dialect, limits: options.blip)
        guard isOpen else { return }
        let subprotocol = dialect.subprotocol(application: options.application)
        try send(WebSocketFixtures.request(extra: "Sec-WebSocket-Protocol: \(subprotocol)\r\n"))
        try require(status == "HTTP/1.1 101 Switching Protocols", status)
    }

    // MARK: Sending

    /// Any bytes.
    mutating func send(_ bytes: [UInt8]) throws(FuzzFinding) {
        bytes.withUnsafeBytes { stack.receive($0, now: now) }
        try settle()
    }

    /// A WebSocket frame with `first` as its first byte.
    mutating func sendFrame(_ first: UInt8, _ payload: [UInt8] = []) throws(FuzzFinding) {
        try send(WebSocketFixtures.frame(first, payload))
    }

    /// A frame of a request.
    mutating func send(
        _ number: UInt64, more: Bool = false, _ data: [UInt8], compressed: Bool = false
    ) throws(FuzzFinding) {
        try send(.request, number, more: more, data, compressed: compressed)
    }

    /// A BLIP frame with a right checksum.
    mutating func send(
        _ type: BLIPFrameType, _ number: UInt64, more: Bool = false, _ data: [UInt8],
        compressed: Bool = false
    ) throws(FuzzFinding) {
        let masks = dialect.flags
        var frame: [UInt8] = []
        Varint.append(number, to: &frame)
        Varint.append(
            type.rawValue | (more ? masks.moreComing : 0) | (compressed ? masks.compressed : 0), to: &frame)
        if dialect.hasChecksum, !type.isAck {
            data.withUnsafeBytes { checksum.update($0) }
            frame += compressed ? packed(data) : data
            frame += withUnsafeBytes(of: checksum.value.bigEndian) { Array($0) }
        } else {
            frame += data
        }
        try sendFrame(0x82, frame)
    }

    /// An ACK.
    mutating func acknowledge(_ type: BLIPFrameType, _ number: UInt64, _ byteCount: UInt64) throws(FuzzFinding) {
        var count: [UInt8] = []
        Varint.append(byteCount, to: &count)
        try send(type, number, count)
    }

    private func packed(_ data: [UInt8]) -> [UInt8] {
        var room = [UInt8](repeating: 0, count: data.count + FrameDeflater.maxGrowth(data.count))
        let count = data.withUnsafeBytes { data in room.withUnsafeMutableBytes { deflater.deflate(data, into: $0) } }
        return Array(room[..<count])
    }

    mutating func wait(_ duration: Duration) throws(FuzzFinding) {
        now = now + duration
        stack.handleTimeout(now: now)
        try settle()
    }

    mutating func close() throws(FuzzFinding) {
        stack.close(code: 1000, reason: "", now: now)
        try settle()
    }

    // MARK: Results

    private mutating func settle() throws(FuzzFinding) {
        try takeEvents()
        var out = ByteQueue()
        while reads, stack.nextOutgoing(into: &out) {
            try takeEvents()
            let bytes = out.takeAll()
            sentBytes += bytes.count
            if status.isEmpty {
                status = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
            }
            try tap.take(bytes)
        }
        let usage = stack.memoryUsage
        peak.bufferedIncoming = max(peak.bufferedIncoming, usage.bufferedIncoming)
        peak.openIncoming = max(peak.openIncoming, usage.openIncoming)
        peak.unanswered = max(peak.unanswered, usage.unanswered)
        peak.unparsed = max(peak.unparsed, usage.unparsed)
        peak.control = max(peak.control, usage.control)
        peak.message = max(peak.message, usage.message)
        let ledger = SessionLedger(client: limits, server: limits)
        try ledger.checkLimits(usage, of: .server)
    }

    private mutating func takeEvents() throws(FuzzFinding) {
        while let event = stack.nextEvent() {
            try require(end == nil, "\(event) behind the end")
            switch event {
            case .opened: stack.start { _ in nil }
            case .request(let request):
                requests.append(request)
                if let response = answers(request) { stack.respond(to: request.number, with: response) }
            case .response(let number, _): responses.append(number)
            case .requestFailed(let number, _): responses.append(number)
            case .closed(let error): end = error
            }
        }
    }

    /// A request of ours to the peer.
    mutating func ask(_ body: [UInt8] = []) throws(FuzzFinding) {
        _ = stack.send(BLIPRequest(profile: "ask", body: .bytes(body)), sink: nil, noReply: false)
        try settle()
    }
}
