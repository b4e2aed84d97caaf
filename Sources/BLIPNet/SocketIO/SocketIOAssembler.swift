// Puts packets of Socket.IO together again: a text, then as many binary messages as it has announced.

/// The decoder of one connection: Engine.IO messages in, packets out. After a fault it is of no use.
package struct SocketIOAssembler: Sendable {
    /// The result of a message.
    package enum Received: Sendable, Equatable {
        case packet(SocketIOPacket)
        /// Attachments are due.
        case incomplete
        /// The packet is more than the limits allow, and nothing of it is left: what one person of a room sends must not
        /// end the connection of another.
        case dropped(SocketIOFault)
    }

    /// A packet whose attachments are on their way.
    private struct Partial: Sendable {
        var packet: SocketIOPacket
        var json: JSONValue?
        var count: Int
        var attachments: [[UInt8]] = []
        var byteCount = 0
        /// It is thrown away when it is complete.
        var excess: SocketIOFault?
        var deadline: MonotonicTime
    }

    private let revision: EngineIORevision
    private let limits: SocketIOLimits
    private var partial: Partial?

    package init(revision: EngineIORevision, limits: SocketIOLimits = SocketIOLimits()) {
        self.revision = revision
        self.limits = limits
    }

    /// Until when attachments may come; `nil` while none are due.
    package var deadline: MonotonicTime? { partial?.deadline }

    /// Ends the wait for attachments that do not come.
    package mutating func handleTimeout(now: MonotonicTime) throws(SocketIOFault) {
        guard let partial, now >= partial.deadline else { return }
        throw SocketIOFault(.socketIO, .attachmentsLate(partial.count - partial.attachments.count))
    }

    /// Takes the next message.
    package mutating func receive(
        _ message: EngineIOPacket.Payload, now: MonotonicTime
    ) throws(SocketIOFault) -> Received {
        switch message {
        case .text(let text): try receive(text, now: now)
        case .bytes(let bytes): try receive(bytes)
        }
    }

    private mutating func receive(_ text: String, now: MonotonicTime) throws(SocketIOFault) -> Received {
        if let partial {
            throw SocketIOFault(.socketIO, .attachmentsMissing(partial.count - partial.attachments.count))
        }
        let read = try SocketIOPacketReader.read(Array(text.utf8), revision: revision, limits: limits)
        var packet = SocketIOPacket(read.kind, namespace: read.namespace, id: read.id)
        // Placeholders mean something in binary packets only (trap 14).
        if read.isBinary, let json = read.data { try checkPlaceholders(in: json, count: read.attachmentCount) }
        guard read.attachmentCount > 0 else {
            if let excess = read.excess { return .dropped(excess) }
            packet.data = read.data.map { SocketIOValue($0) }
            return .packet(packet)
        }
        partial = Partial(
            packet: packet, json: read.data, count: read.attachmentCount, excess: read.excess,
            deadline: now + limits.attachmentTimeout)
        return .incomplete
    }

    private mutating func receive(_ bytes: [UInt8]) throws(SocketIOFault) -> Received {
        guard var partial = self.partial.take() else { throw SocketIOFault(.socketIO, .unexpectedBinary) }
        let number = partial.attachments.count + 1
        partial.byteCount += bytes.count
        guard partial.byteCount <= limits.maxAttachmentBytes else {
            throw SocketIOFault(.socketIO, .limit("bytes of attachments", limits.maxAttachmentBytes), packet: number)
        }
        partial.attachments.append(partial.excess == nil ? bytes : [])
        guard partial.attachments.count == partial.count else {
            self.partial = partial
            return .incomplete
        }
        if let excess = partial.excess { return .dropped(excess) }
        partial.packet.data = partial.json.map { Self.value(of: $0, partial.attachments) }
        return .packet(partial.packet)
    }

    // MARK: Placeholders

    /// The number in `{"_placeholder":true,"num":n}`: `nil` for what is no placeholder.
    private static func placeholder(_ json: JSONValue) -> JSONValue? {
        guard case .object = json, json["_placeholder"] == .bool(true) else { return nil }
        return json["num"] ?? .null
    }

    private func checkPlaceholders(in json: JSONValue, count: Int) throws(SocketIOFault) {
        if let number = Self.placeholder(json) {
            guard let number = number.integerValue, number >= 0, number < count else {
                throw SocketIOFault(.socketIO, .badPlaceholder(attachments: count))
            }
            return
        }
        switch json {
        case .array(let values): for value in values { try checkPlaceholders(in: value, count: count) }
        case .object(let members): for member in members { try checkPlaceholders(in: member.value, count: count) }
        default: break
        }
    }

    /// All placeholders have been checked.
    private static func value(of json: JSONValue, _ attachments: [[UInt8]]) -> SocketIOValue {
        if let number = placeholder(json)?.integerValue, attachments.indices.contains(Int(number)) {
            return .bytes(attachments[Int(number)])
        }
        switch json {
        case .array(let values): return .array(values.map { value(of: $0, attachments) })
        case .object(let members):
            return .object(members.map { .init(name: $0.name, value: value(of: $0.value, attachments)) })
        default: return SocketIOValue(json)
        }
    }
}
