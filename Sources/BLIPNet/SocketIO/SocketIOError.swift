// The errors of a Socket.IO connection, as values: what and where for bytes, who and why for its end.

/// A fault in bytes that a server sent.
public struct SocketIOFault: Error, Sendable, Equatable {
    /// Which codec found it.
    public enum Layer: Sendable, Equatable {
        /// Payloads and packets of the transport (Engine.IO 3 and 4).
        case engineIO
        /// Events, acknowledgements, namespaces (Socket.IO protocol 4 and 5).
        case socketIO
    }

    /// The kind of fault.
    public enum Reason: Sendable, Equatable {
        /// The payload or packet is empty.
        case empty
        /// There is no such packet type; the byte that was found.
        case unknownType(UInt8)
        /// A length that is no number, is too long, or lacks its colon.
        case badLength
        /// A length that reaches beyond the end; how long the packet says it is.
        case lengthBeyondEnd(Int)
        case notUTF8
        case badBase64
        /// Bytes in a place where only text may be.
        case unexpectedBinary
        /// Text while attachments are due; how many are.
        case attachmentsMissing(Int)
        /// No attachment came in time; how many were due.
        case attachmentsLate(Int)
        /// A binary packet without a number of attachments.
        case badAttachmentCount
        /// A placeholder whose number is no number of an attachment; how many attachments there are.
        case badPlaceholder(attachments: Int)
        /// An id of an acknowledgement that no one can have given.
        case badAckID
        /// The payload of a packet is not JSON.
        case badJSON(String)
        /// JSON, but not of the shape that this packet must have; the shape.
        case badShape(String)
        /// The open packet lacks a field, or has one out of range; its name.
        case badField(String)
        /// A packet that cannot come now; what it is.
        case unexpectedPacket(String)
        /// More than we accept; of what, and how much that is.
        case limit(String, Int)
    }

    public var layer: Layer
    public var reason: Reason
    /// The packet of the payload, from 0. A message of a WebSocket is one packet.
    public var packet: Int
    /// The byte of the payload or message, from 0.
    public var offset: Int

    package init(_ layer: Layer, _ reason: Reason, packet: Int = 0, offset: Int = 0) {
        self.layer = layer
        self.reason = reason
        self.packet = packet
        self.offset = offset
    }
}

extension SocketIOFault: CustomStringConvertible {
    /// The fault and its place, for logs. Nothing that the server sent is in it, apart from one byte.
    public var description: String {
        "\(layer == .engineIO ? "Engine.IO" : "Socket.IO"): \(reason.text), at byte \(offset) of packet \(packet)"
    }
}

extension SocketIOFault.Reason {
    fileprivate var text: String {
        switch self {
        case .empty: "a packet is missing"
        case .unknownType(let byte): "unknown packet type 0x\(byte.hex(2))"
        case .badLength: "a broken length"
        case .lengthBeyondEnd(let length): "the length \(length) reaches beyond the end"
        case .notUTF8: "text that is not UTF-8"
        case .badBase64: "broken Base64"
        case .unexpectedBinary: "binary data that no packet has announced"
        case .attachmentsMissing(let count): "text while \(count) attachments are due"
        case .attachmentsLate(let count): "\(count) attachments did not come in time"
        case .badAttachmentCount: "a binary packet without a number of attachments"
        case .badPlaceholder(let count): "a placeholder whose number names no attachment, of \(count)"
        case .badAckID: "a broken acknowledgement id"
        case .badJSON(let reason): "not JSON: \(reason)"
        case .badShape(let shape): "not \(shape)"
        case .badField(let name): "the field \(name) is missing or out of range"
        case .unexpectedPacket(let name): "an unexpected \(name) packet"
        case .limit(let what, let limit): "more than \(limit) \(what)"
        }
    }
}

/// Why a Socket.IO operation failed or a connection ended; the case says who ended it.
public enum SocketIOError: Error, Sendable, Equatable {
    /// We closed the connection, or left the namespace.
    case closedLocally
    /// The server closed the connection in order (Engine.IO `1`), or ended the namespace (`41`).
    case closedByServer
    /// The server broke the protocol, and we closed.
    case malformed(SocketIOFault)
    /// The server answers with this HTTP status instead of what we asked for. `code` is Engine.IO's number for the
    /// error, where the server gives one: 0 unknown transport, 1 unknown session, 2 bad handshake method, 3 bad
    /// request, 4 forbidden, 5 unsupported revision.
    case refused(status: Int, code: Int?)
    /// The server refuses the namespace, with what it says about it.
    case namespaceRefused(SocketIOValue)
    /// The server that answers is not a Socket.IO server.
    case notSocketIO
    /// The server speaks the other revision of Engine.IO, not the one that we asked for.
    case wrongRevision(EngineIORevision)
    /// Nothing happened in time: "open", "heartbeat", "connect", "ack", "upgrade", "close".
    case timedOut(String)
    /// TLS failed; above all `.untrusted` and `.wrongKey`.
    case tls(TLSError)
    /// The connection could not be made, or it broke.
    case link(LinkError)
    /// The transport failed; the words of the layer below.
    case transport(String)
    /// The connection ended. `mayHaveArrived`: the operation that failed may have reached the server.
    case connectionLost(mayHaveArrived: Bool)
    /// The waiting task was cancelled. Its event may still be sent.
    case cancelled
    /// There is no connection, or not this namespace on it.
    case notConnected
    /// The caller gave something that cannot be sent; which part is wrong: "name", "namespace", "auth".
    case invalid(String)
    /// A limit of ours or of the server's was reached before anything was sent; of what, and how much it is.
    case limitExceeded(String, Int)
}
