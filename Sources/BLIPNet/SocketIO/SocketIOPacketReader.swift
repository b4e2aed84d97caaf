// Reads the text of one Socket.IO packet. `SocketIOAssembler` puts its attachments into their places.

/// The parts of a packet's text.
struct SocketIOPacketReader {
    /// The content of the text.
    struct Text: Equatable {
        var kind: SocketIOPacket.Kind
        var isBinary: Bool
        var attachmentCount: Int
        var namespace: String
        var id: UInt64?
        var data: JSONValue?
        /// The data is more than the limits allow: the packet is to be dropped, with its attachments.
        var excess: SocketIOFault?
    }

    /// More than any limit of attachments has, and any id that a client counts to.
    private static let maxCountDigits = 9

    private let bytes: [UInt8]
    private let revision: EngineIORevision
    private let limits: SocketIOLimits
    private var offset = 0

    static func read(
        _ bytes: [UInt8], revision: EngineIORevision, limits: SocketIOLimits
    ) throws(SocketIOFault) -> Text {
        var reader = SocketIOPacketReader(bytes: bytes, revision: revision, limits: limits)
        return try reader.text()
    }

    private init(bytes: [UInt8], revision: EngineIORevision, limits: SocketIOLimits) {
        self.bytes = bytes
        self.revision = revision
        self.limits = limits
    }

    private var current: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private func fault(_ reason: SocketIOFault.Reason) -> SocketIOFault {
        SocketIOFault(.socketIO, reason, offset: offset)
    }

    private mutating func text() throws(SocketIOFault) -> Text {
        guard bytes.count <= limits.maxPacketBytes else {
            throw fault(.limit("bytes in one packet", limits.maxPacketBytes))
        }
        var text = try type()
        text.namespace = namespace()
        text.id = try id()
        let start = offset
        guard offset < bytes.count else { return text }
        do throws(JSONError) {
            text.data = try JSONReader.read(bytes, from: offset, rules: rules)
        } catch {
            let fault = SocketIOFault(.socketIO, .badJSON(error.reason), offset: error.offset)
            guard error.isLimit else { throw fault }
            text.excess = fault
        }
        try checkShape(of: text, at: start)
        return text
    }

    /// A packet without anything counts as CONNECT, as in the reference parser.
    private mutating func type() throws(SocketIOFault) -> Text {
        guard let first = current else {
            return Text(kind: .connect, isBinary: false, attachmentCount: 0, namespace: "/")
        }
        let digit = first &- UInt8(ascii: "0")
        if let kind = SocketIOPacket.Kind(rawValue: digit) {
            offset += 1
            return Text(kind: kind, isBinary: false, attachmentCount: 0, namespace: "/")
        }
        guard digit == SocketIOPacket.Kind.binaryEvent || digit == SocketIOPacket.Kind.binaryAck else {
            throw fault(.unknownType(first))
        }
        offset += 1
        let digits = self.digits(atMost: Self.maxCountDigits + 1)
        guard !digits.isEmpty, digits.count <= Self.maxCountDigits, current == UInt8(ascii: "-"),
            let count = Int(String(decoding: digits, as: UTF8.self))
        else { throw fault(.badAttachmentCount) }
        guard count <= limits.maxAttachments else { throw fault(.limit("attachments", limits.maxAttachments)) }
        offset += 1
        let kind: SocketIOPacket.Kind = digit == SocketIOPacket.Kind.binaryAck ? .ack : .event
        return Text(kind: kind, isBinary: true, attachmentCount: count, namespace: "/")
    }

    private mutating func digits(atMost count: Int) -> ArraySlice<UInt8> {
        let digits = bytes[offset...].prefix(count).prefix(while: HTTPSyntax.isDigit)
        offset += digits.count
        return digits
    }

    /// It ends at a comma or with the packet (trap 4).
    private mutating func namespace() -> String {
        guard current == UInt8(ascii: "/") else { return "/" }
        let end = bytes[offset...].firstIndex(of: UInt8(ascii: ",")) ?? bytes.count
        defer { offset = min(end + 1, bytes.count) }
        return String(decoding: bytes[offset..<end], as: UTF8.self)
    }

    private mutating func id() throws(SocketIOFault) -> UInt64? {
        let start = offset
        let digits = self.digits(atMost: 20)
        guard !digits.isEmpty else { return nil }
        guard let id = UInt64(String(decoding: digits, as: UTF8.self)) else {
            offset = start
            throw fault(.badAckID)
        }
        return id
    }

    private var rules: JSONRules {
        var rules = JSONRules()
        rules.maxDepth = limits.maxDepth
        rules.maxValues = limits.maxValues
        rules.repairsSurrogates = true
        rules.keepsDigits = true
        return rules
    }

    // MARK: Shape

    /// Events of protocol 5 that only the library itself raises.
    static let reservedNames: Set<String> = [
        "connect", "connect_error", "disconnect", "disconnecting", "newListener", "removeListener",
    ]

    /// Checks that the type may carry the data; the server decides what a refusal may be (traps 4 and 5).
    private func checkShape(of text: Text, at start: Int) throws(SocketIOFault) {
        guard let shape = missingShape(of: text) else { return }
        throw SocketIOFault(.socketIO, .badShape(shape), offset: start)
    }

    private func missingShape(of text: Text) -> String? {
        guard let data = text.data else { return nil }
        switch text.kind {
        case .connect:
            if case .object = data { return nil }
            guard revision == .eio3 else { return "an object" }
            return data.arrayValue != nil || data == .null ? nil : "an object, an array or null"
        case .disconnect: return "an empty payload"
        case .connectError: return nil
        case .ack: return data.arrayValue == nil ? "an array" : nil
        case .event:
            switch data.arrayValue?.first {
            case .string(let name):
                return revision == .eio4 && Self.reservedNames.contains(name) ? "a name that events may have" : nil
            case .integer, .number, .digits: return nil
            default: return "an array that begins with the name of an event"
            }
        }
    }
}
