// One packet of Engine.IO, and its forms: text, Base64, and messages of a WebSocket (SOCKETIO, "Bytes").

/// A packet that Engine.IO carries in either direction.
package struct EngineIOPacket: Sendable, Equatable {
    package enum Kind: UInt8, Sendable, Equatable {
        case open = 0
        case close
        case ping
        case pong
        case message
        case upgrade
        case noop

        /// The digit of a packet in text.
        init?(digit: UInt8) {
            guard digit >= UInt8(ascii: "0") else { return nil }
            self.init(rawValue: digit - UInt8(ascii: "0"))
        }

        var digit: UInt8 { rawValue + UInt8(ascii: "0") }
    }

    package enum Payload: Sendable, Equatable {
        case text(String)
        /// Only messages carry bytes.
        case bytes([UInt8])

        /// Bytes of the text in UTF-8, or of the data.
        package var byteCount: Int {
            switch self {
            case .text(let text): text.utf8.count
            case .bytes(let bytes): bytes.count
            }
        }
    }

    package var kind: Kind
    package var payload: Payload

    package init(_ kind: Kind, _ text: String = "") {
        self.kind = kind
        payload = .text(text)
    }

    package init(message: Payload) {
        kind = .message
        payload = message
    }

    var text: String { if case .text(let text) = payload { text } else { "" } }
    var isBinary: Bool { if case .bytes = payload { true } else { false } }
}

// MARK: Text

extension EngineIOPacket {
    /// Reads a packet in text: a whole WebSocket message, or a part of a payload. Errors name `place`.
    init(
        text bytes: some BidirectionalCollection<UInt8>, revision: EngineIORevision, place: EngineIOPlace
    ) throws(SocketIOFault) {
        guard let first = bytes.first else { throw place.fault(.empty) }
        let rest = bytes.dropFirst()
        if first == UInt8(ascii: "b") {
            self = try Self.base64(rest, revision: revision, place: place)
            return
        }
        guard let kind = Kind(digit: first) else { throw place.fault(.unknownType(first)) }
        guard let text = String(validating: rest, as: UTF8.self) else { throw place.fault(.notUTF8) }
        self.init(kind, text)
    }

    /// The Base64 follows a `b` and, in revision 3, the digit of the type.
    private static func base64(
        _ bytes: some BidirectionalCollection<UInt8>, revision: EngineIORevision, place: EngineIOPlace
    ) throws(SocketIOFault) -> Self {
        if revision == .eio3 {
            guard let type = bytes.first else { throw place.fault(.empty) }
            guard type == Kind.message.digit else { throw place.fault(.unknownType(type)) }
        }
        guard let data = Base64.decode(bytes.dropFirst(revision == .eio3 ? 1 : 0)) else {
            throw place.fault(.badBase64)
        }
        return Self(message: .bytes(data))
    }

    /// The packet in text: its digit and its payload; Base64 for bytes.
    func writeText(revision: EngineIORevision, to out: inout [UInt8]) {
        switch payload {
        case .text(let text):
            out.append(kind.digit)
            out += text.utf8
        case .bytes(let bytes):
            out.append(UInt8(ascii: "b"))
            if revision == .eio3 { out.append(kind.digit) }
            Base64.append(bytes, to: &out)
        }
    }

    /// Bytes that `writeText` appends.
    func textByteCount(revision: EngineIORevision) -> Int {
        switch payload {
        case .text(let text): 1 + text.utf8.count
        case .bytes(let bytes): (revision == .eio3 ? 2 : 1) + (bytes.count + 2) / 3 * 4
        }
    }
}

// MARK: WebSocket

extension EngineIOPacket {
    /// The packet of one WebSocket message: text as in a payload, binary with the type in front of it (revision 3) or
    /// alone (revision 4).
    package init(
        webSocket kind: WebSocketMessageKind, _ bytes: [UInt8], revision: EngineIORevision
    ) throws(SocketIOFault) {
        let place = EngineIOPlace()
        switch (kind, revision) {
        case (.text, _): try self.init(text: bytes, revision: revision, place: place)
        case (.binary, .eio4): self.init(message: .bytes(bytes))
        case (.binary, .eio3):
            guard let type = bytes.first else { throw place.fault(.empty) }
            guard type == Kind.message.rawValue else { throw place.fault(.unknownType(type)) }
            self.init(message: .bytes(Array(bytes.dropFirst())))
        }
    }

    /// The WebSocket message of this packet.
    package func webSocketMessage(revision: EngineIORevision) -> (kind: WebSocketMessageKind, bytes: [UInt8]) {
        switch payload {
        case .text:
            var out: [UInt8] = []
            writeText(revision: revision, to: &out)
            return (.text, out)
        case .bytes(let bytes):
            return (.binary, revision == .eio3 ? [kind.rawValue] + bytes : bytes)
        }
    }
}

/// The place of a packet in the input.
struct EngineIOPlace: Equatable {
    /// From 0.
    var packet = 0
    /// Of its first byte.
    var offset = 0

    func fault(_ reason: SocketIOFault.Reason) -> SocketIOFault {
        SocketIOFault(.engineIO, reason, packet: packet, offset: offset)
    }
}
