// One packet of Socket.IO, protocol 4 and 5: `type [count "-"] ["/"nsp ","] [id digits] [json]` (SOCKETIO, "Bytes").

/// A packet with its attachments in place. Whether it travels as a binary one follows from its data.
package struct SocketIOPacket: Sendable, Equatable {
    package enum Kind: UInt8, Sendable, Equatable {
        case connect = 0
        case disconnect
        case event
        case ack
        /// The refusal of a namespace; `error` in protocol 4.
        case connectError

        /// The types of packets with attachments.
        static let binaryEvent: UInt8 = 5
        static let binaryAck: UInt8 = 6
    }

    package var kind: Kind
    /// Begins with `/`. In a CONNECT of protocol 4 a query may follow it.
    package var namespace: String
    /// The number of an acknowledgement: the one that this packet is, or the one that it asks for.
    package var id: UInt64?
    package var data: SocketIOValue?

    package init(_ kind: Kind, namespace: String = "/", id: UInt64? = nil, data: SocketIOValue? = nil) {
        self.kind = kind
        self.namespace = namespace
        self.id = id
        self.data = data
    }

    /// The Engine.IO messages of this packet: a text, and its attachments. Throws `limitExceeded` when the data is nested
    /// too deeply or has too many attachments for any server.
    package func encoded(limits: SocketIOLimits = SocketIOLimits()) throws(SocketIOError) -> [EngineIOPacket] {
        var attachments: [[UInt8]] = []
        var json = ""
        if let data {
            guard let value = data.json(depth: limits.maxDepth, attachments: &attachments) else {
                throw .limitExceeded("levels of values", limits.maxDepth)
            }
            json = value.text
        }
        guard attachments.count <= limits.maxAttachments else {
            throw .limitExceeded("attachments", limits.maxAttachments)
        }
        var text = "\(wireType(isBinary: !attachments.isEmpty))"
        if !attachments.isEmpty { text += "\(attachments.count)-" }
        if namespace != "/" { text += namespace + "," }
        if let id { text += String(id) }
        // The blank keeps readers from taking a number for the id, or for part of it.
        if json.utf8.first.map(HTTPSyntax.isDigit) == true { text += " " }
        text += json
        return [EngineIOPacket(message: .text(text))] + attachments.map { EngineIOPacket(message: .bytes($0)) }
    }

    private func wireType(isBinary: Bool) -> UInt8 {
        guard isBinary else { return kind.rawValue }
        return kind == .ack ? Kind.binaryAck : Kind.binaryEvent
    }
}
