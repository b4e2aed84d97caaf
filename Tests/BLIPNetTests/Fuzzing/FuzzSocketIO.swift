// Socket.IO: payloads and packets of a hostile server, and a whole client that it drives.

import TestSupport

@testable import BLIPNet

/// Limits that an input of a few kilobytes can reach.
private func smallLimits() -> SocketIOLimits {
    var limits = SocketIOLimits()
    limits.maxPacketBytes = 2_048
    limits.maxPacketsInPayload = 64
    limits.maxAttachments = 4
    limits.maxAttachmentBytes = 256
    limits.maxDepth = 16
    limits.maxValues = 512
    limits.maxHeldEvents = 4
    limits.maxHeldBytes = 512
    limits.maxQueuedEmits = 8
    limits.maxQueuedBytes = 1_024
    limits.maxPendingAcks = 8
    limits.maxUnansweredEvents = 4
    return limits
}

/// A body of polling: what is read comes back from what is written, in both revisions, and a fault has a place in the body.
func fuzzEngineIO(_ bytes: UnsafeRawBufferPointer) throws {
    var input = FuzzInput(bytes)
    let choice = input.byte()
    let revision: EngineIORevision = choice & 1 == 0 ? .eio4 : .eio3
    let body = Array(input.remainder())
    let decoded = EngineIOPayload.decode(body, revision: revision, maxPackets: 256)
    try require(decoded.packets.count <= 256, "too many packets")
    if let fault = decoded.fault {
        try require((0...body.count).contains(fault.offset), "a fault at \(fault.offset) of \(body.count)")
        try require(fault.packet >= decoded.packets.count, "a fault in a packet that was delivered")
    }
    // A text with a separator in it is no text of revision 4.
    guard revision == .eio3 || choice & 2 != 0 || !decoded.packets.isEmpty else { return }
    let encoded = EngineIOPayload.encode(decoded.packets, revision: revision, base64: choice & 4 != 0)
    guard !decoded.packets.isEmpty else { return }
    let again = EngineIOPayload.decode(encoded.body, revision: revision, maxPackets: 256)
    try require(again == .init(packets: decoded.packets), "\(decoded.packets) comes back as \(again)")
    for packet in decoded.packets {
        let message = packet.webSocketMessage(revision: revision)
        let copy = try EngineIOPacket(webSocket: message.kind, message.bytes, revision: revision)
        try require(copy == packet, "\(packet) comes back as \(copy) from a WebSocket")
    }
    var detection = EngineIODetection()
    if case .speaks(let spoken) = detection.answered(status: 200, body: body), decoded.packets.first?.kind == .open {
        try require(spoken == revision || decoded.fault != nil, "it speaks \(spoken)")
    }
}

/// Messages of Engine.IO: packets come out whole, within limits, and read the same after they were written.
func fuzzSocketIOPackets(_ bytes: UnsafeRawBufferPointer) throws {
    var input = FuzzInput(bytes)
    let limits = smallLimits()
    let revision: EngineIORevision = input.byte() & 1 == 0 ? .eio4 : .eio3
    var assembler = SocketIOAssembler(revision: revision, limits: limits)
    var now = MonotonicTime(nanoseconds: 0)
    while !input.isEmpty {
        let kind = input.byte()
        let piece = Array(input.piece())
        now = now + .seconds(Int(kind >> 4))
        let message: EngineIOPacket.Payload =
            kind & 1 == 0 ? .text(String(decoding: piece, as: UTF8.self)) : .bytes(piece)
        let received: SocketIOAssembler.Received
        do throws(SocketIOFault) {
            try assembler.handleTimeout(now: now)
            received = try assembler.receive(message, now: now)
        } catch {
            try require((0...max(message.byteCount, 1)).contains(error.offset), "a fault at \(error.offset)")
            return
        }
        guard case .packet(let packet) = received else { continue }
        // A refusal that is nothing but a number would come back with that for its id: the protocol has no escape for it.
        if packet.id == nil, packet.data?.isNumber == true { continue }
        var wide = limits
        // A placeholder that is used twice is two attachments when it is written.
        wide.maxAttachments = 10_000
        wide.maxAttachmentBytes = 1 << 24
        wide.maxPacketBytes = 1 << 20
        wide.maxValues = 1 << 20
        var again = SocketIOAssembler(revision: revision, limits: wide)
        var copy: SocketIOPacket?
        for message in try packet.encoded(limits: wide) {
            if case .packet(let packet) = try again.receive(message.payload, now: now) { copy = packet }
        }
        // An object that looks like a placeholder cannot travel beside attachments: the protocol has no escape for it.
        guard copy != packet, packet.data?.hasBytes != true else { continue }
        // Not a number is null, and -0 is 0.
        let texts = try (copy?.encoded(limits: wide), packet.encoded(limits: wide))
        try require(texts.0 == texts.1, "\(packet) comes back as \(String(describing: copy))")
    }
}

/// A client whose server, proxy and clock do anything: every ticket ends once, one request of a kind is on its way, the end
/// is the end, and nothing grows beyond its limit.
func fuzzSocketIOClient(_ bytes: UnsafeRawBufferPointer) throws {
    var input = FuzzInput(bytes)
    let choice = input.byte()
    var options = SocketIOSession.Options()
    options.transports = [.upgrade, .pollingOnly, .webSocketOnly, .upgrade][Int(choice & 3)]
    options.revision = [nil, .eio3, .eio4, nil][Int(choice >> 2 & 3)]
    options.base64 = choice & 16 != 0
    options.limits = smallLimits()
    var client = FuzzedClient(session: SocketIOSession(options: options))
    try client.session.join("/", now: client.now)
    try client.session.join("/a", now: client.now)
    client.session.open(now: client.now)
    try client.check()
    while !input.isEmpty {
        try client.step(&input)
        try client.check()
    }
    client.session.close(now: client.now)
    try client.check()
    client.now = client.now + .seconds(10)
    client.session.handleTimeout(now: client.now)
    try client.check()
    try require(client.session.status == .closed, "it does not close")
    try require(client.waiting.isEmpty, "\(client.waiting) wait for ever")
}

private struct FuzzedClient {
    var session: SocketIOSession
    var now = MonotonicTime(nanoseconds: 0)
    /// Tickets that have not ended, and whether they want an acknowledgement.
    var waiting: [UInt64: Bool] = [:]
    private var gets = 0
    private var posts = 0
    private var requests: [SocketIOAckRequest] = []

    init(session: SocketIOSession) { self.session = session }

    mutating func step(_ input: inout FuzzInput) throws {
        let operation = input.byte()
        switch operation & 15 {
        case 0: feed(.got(status: operation & 16 == 0 ? 200 : 400, body: Array(input.piece())))
        case 1: feed(.posted(status: operation & 16 == 0 ? 200 : 400, body: Array(input.piece())))
        case 2: feed(operation & 16 == 0 ? .getFailed("x") : .postFailed("x"))
        case 3: feed(.webSocketOpened)
        case 4, 5: feed(.webSocketMessage(.text, Array(input.piece())))
        case 6: feed(.webSocketMessage(.binary, Array(input.piece())))
        case 7: feed(operation & 16 == 0 ? .webSocketClosed("x") : .webSocketRefused(status: 400, body: []))
        case 8:
            now = now + .milliseconds(input.word())
            session.handleTimeout(now: now)
        case 9, 10:
            let argument: SocketIOValue = operation & 32 == 0 ? .string("€😀") : .bytes(Array(input.piece()))
            let ack: Duration? = operation & 64 == 0 ? nil : .seconds(3)
            if let ticket = try? session.emit(
                "e", [argument], namespace: operation & 16 == 0 ? "/" : "/a", ackTimeout: ack, now: now)
            {
                waiting[ticket] = ack != nil
            }
        case 11: for name in session.joined { try? session.authenticate(name, auth: ["t": 1], now: now) }
        case 12: if let request = requests.popLast() { try? session.acknowledge(request, [.bytes([1])]) }
        case 13: session.open(now: now)
        case 14: if operation & 16 == 0 { session.leave("/a") } else { try? session.join("/a", now: now) }
        default: if operation & 0xF0 == 0 { session.close(now: now) }
        }
    }

    private mutating func feed(_ input: EngineIOInput) {
        switch input {
        case .got, .getFailed:
            guard gets > 0 else { break }
            gets -= 1
        case .posted, .postFailed:
            guard posts > 0 else { break }
            posts -= 1
        default: break
        }
        session.receive(input, now: now)
    }

    /// Takes actions and events, and looks at every promise.
    mutating func check() throws {
        var actions = 0
        while let action = session.nextAction(now: now) {
            actions += 1
            try require(actions < 1_000, "actions without end")
            switch action {
            case .get: gets += 1
            case .post(_, let encoded):
                posts += 1
                try require(!encoded.body.isEmpty, "an empty POST")
            case .end: (gets, posts) = (0, 0)
            default: break
            }
            try require(gets <= 1 && posts <= 1, "\(gets) GETs and \(posts) POSTs on their way")
        }
        while let event = session.nextEvent() {
            switch event {
            case .emitted(let ticket):
                try require(waiting[ticket] != nil, "\(ticket) is emitted after its end")
                if waiting[ticket] == false { waiting[ticket] = nil }
            case .acknowledged(let ticket, _):
                try require(waiting.removeValue(forKey: ticket) == true, "\(ticket) is acknowledged")
            case .failed(let ticket, _):
                try require(waiting.removeValue(forKey: ticket) != nil, "\(ticket) fails after its end")
            case .event(let event): if let request = event.ackRequest { requests.append(request) }
            default: break
            }
        }
        let limits = session.limits
        try require(session.queuedCount >= 0 && session.queuedBytes >= 0, "a negative queue")
        try require(session.ackDeadlines.count <= limits.maxPendingAcks, "too many acknowledgements")
        try require(session.ackDeadlines.keys.allSatisfy { waiting[$0] == true }, "a deadline of nothing")
        try require(session.handed.keys.allSatisfy { waiting[$0] != nil }, "an emit of nothing")
        try require(session.namespaces.count == session.order.count, "namespaces without a place")
        if session.status == .closed { try require(session.handed.isEmpty, "emits on no connection") }
    }
}

extension SocketIOValue {
    fileprivate var isNumber: Bool {
        switch self {
        case .integer, .number, .digits: true
        case .null, .bool, .string, .bytes, .array, .object: false
        }
    }
}
