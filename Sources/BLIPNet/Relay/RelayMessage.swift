// The messages of strelaysrv's relay protocol, as bytes and back (REACH 3). No I/O.

/// One message: between a program and a relay, in either direction.
package enum RelayMessage: Sendable, Equatable {
    case ping
    case pong
    /// We want to be reached under the id of our certificate. The token is empty where the relay wants none.
    case joinRelay(token: String)
    /// The first words on the connection of a session: the key of the invitation.
    case joinSession(key: [UInt8])
    case response(RelayResponse)
    /// We want to talk to whoever has joined under this id.
    case connect(RelayID)
    case invitation(RelayInvitation)
    /// The relay takes nobody more; it closes.
    case full
}

/// How a relay answers a request.
package struct RelayResponse: Sendable, Equatable {
    /// The meaning of the answer. Numbers that nobody knows are refusals.
    package enum Code: Sendable, Equatable {
        case success
        case notFound
        case alreadyConnected
        case wrongToken
        case unexpectedMessage
        case other(UInt32)
    }

    package var code: Code
    /// In the relay's words: for logs, never compared.
    package var words: String

    package init(_ code: Code, words: String) {
        self.code = code
        self.words = words
    }
}

/// Where and with which key a session is to be joined.
package struct RelayInvitation: Sendable, Equatable {
    /// The id of the other side.
    package var from: RelayID
    /// Serves once and for a minute.
    package var key: [UInt8]
    /// 4 or 16 bytes, or none: the address that the relay was called at.
    package var address: [UInt8]
    package var port: UInt16
    /// The receiver takes the part of the server.
    package var isServer: Bool

    package init(from: RelayID, key: [UInt8], address: [UInt8], port: UInt16, isServer: Bool) {
        self.from = from
        self.key = key
        self.address = address
        self.port = port
        self.isServer = isServer
    }

    /// Whether the session is where the relay itself is. A client that believed another address could be made to
    /// connect to anybody. `relay`: the address of the control connection, 4 or 16 bytes.
    package func isAt(_ relay: [UInt8]) -> Bool {
        // A relay that listens at all its addresses may write that down as zeros.
        guard address.contains(where: { $0 != 0 }) else { return true }
        return Self.plain(address) == Self.plain(relay)
    }

    /// IPv4 in its 4 bytes, also where it comes in the form of IPv6 (RFC 4291 section 2.5.5.2).
    private static func plain(_ address: [UInt8]) -> [UInt8] {
        let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
        return address.count == 16 && address.starts(with: mapped) ? Array(address.suffix(4)) : address
    }
}

/// The bytes that came are not the relay protocol; says what is wrong with them.
package struct RelayViolation: Error, Sendable, Equatable {
    package let reason: String
}

extension RelayMessage {
    static let magic: UInt32 = 0x9E79_BC40
    /// Bytes in front of the payload: magic, type, length.
    static let headerBytes = 12
    /// The most that the payload may have.
    package static let maxPayloadBytes = 1024
    /// The longest token that fits.
    package static let maxTokenBytes = 512
    /// A key has as many bytes at most; strelaysrv's have 32.
    static let maxKeyBytes = 32

    private var type: UInt32 {
        switch self {
        case .ping: 0
        case .pong: 1
        case .joinRelay: 2
        case .joinSession: 3
        case .response: 4
        case .connect: 5
        case .invitation: 6
        case .full: 7
        }
    }

    /// The message as it is sent.
    package func encoded() -> [UInt8] {
        var payload = RelayWriter()
        switch self {
        case .ping, .pong, .full: break
        case .joinRelay(let token): if !token.isEmpty { payload.append(opaque: Array(token.utf8)) }
        case .joinSession(let key): payload.append(opaque: key)
        case .connect(let id): payload.append(opaque: id.bytes)
        case .response(let response):
            payload.append(response.code.number)
            payload.append(opaque: Array(response.words.utf8))
        case .invitation(let invitation):
            payload.append(opaque: invitation.from.bytes)
            payload.append(opaque: invitation.key)
            payload.append(opaque: invitation.address)
            payload.append(UInt32(invitation.port))
            payload.append(invitation.isServer ? 1 : 0)
        }
        var message = RelayWriter()
        message.append(Self.magic)
        message.append(type)
        message.append(UInt32(truncatingIfNeeded: payload.bytes.count))
        return message.bytes + payload.bytes
    }

    /// Reads the payload of a message of type `type`.
    init(type: UInt32, payload: ArraySlice<UInt8>) throws(RelayViolation) {
        var reader = RelayPayload(payload)
        switch type {
        case 0: self = .ping
        case 1: self = .pong
        case 2: self = .joinRelay(token: reader.isAtEnd ? "" : try reader.text())
        case 3: self = .joinSession(key: try reader.key())
        case 4:
            let code = try reader.number()
            self = .response(RelayResponse(RelayResponse.Code(number: code), words: try reader.text()))
        case 5: self = .connect(try reader.id())
        case 6:
            let (from, key, address) = (try reader.id(), try reader.key(), try reader.opaque())
            guard [0, 4, 16].contains(address.count) else {
                throw RelayViolation(reason: "an address of \(address.count) bytes")
            }
            let port = try reader.number()
            guard let port = UInt16(exactly: port), port > 0 else { throw RelayViolation(reason: "port \(port)") }
            let isServer = try reader.number()
            guard isServer <= 1 else { throw RelayViolation(reason: "neither yes nor no") }
            self = .invitation(
                RelayInvitation(from: from, key: key, address: address, port: port, isServer: isServer == 1))
        case 7: self = .full
        default: throw RelayViolation(reason: "type \(type)")
        }
        guard reader.isAtEnd else { throw RelayViolation(reason: "bytes after the last field") }
    }
}

extension RelayResponse.Code {
    fileprivate var number: UInt32 {
        switch self {
        case .success: 0
        case .notFound: 1
        case .alreadyConnected: 2
        case .wrongToken: 3
        case .unexpectedMessage: 100
        case .other(let number): number
        }
    }

    fileprivate init(number: UInt32) {
        self =
            switch number {
            case 0: .success
            case 1: .notFound
            case 2: .alreadyConnected
            case 3: .wrongToken
            case 100: .unexpectedMessage
            default: .other(number)
            }
    }
}

/// Writes XDR (RFC 4506): numbers of 32 bits, and bytes after their count, filled up with zeros to a multiple of four.
private struct RelayWriter {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ number: UInt32) {
        for shift in stride(from: 24, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> UInt32(shift)))
        }
    }

    mutating func append(opaque content: [UInt8]) {
        append(UInt32(truncatingIfNeeded: content.count))
        bytes += content
        while bytes.count % 4 != 0 { bytes.append(0) }
    }
}

/// Reads it.
private struct RelayPayload {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func number() throws(RelayViolation) -> UInt32 {
        guard rest.count >= 4 else { throw RelayViolation(reason: "a number is cut off") }
        defer { rest = rest.dropFirst(4) }
        return rest.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    mutating func opaque() throws(RelayViolation) -> [UInt8] {
        guard let count = Int(exactly: try number()), count <= rest.count else {
            throw RelayViolation(reason: "a field goes beyond its message")
        }
        let padding = (4 - count % 4) % 4
        let content = Array(rest.prefix(count))
        rest = rest.dropFirst(count)
        guard rest.count >= padding, rest.prefix(padding).allSatisfy({ $0 == 0 }) else {
            throw RelayViolation(reason: "a field is not filled up with zeros")
        }
        rest = rest.dropFirst(padding)
        return content
    }

    mutating func text() throws(RelayViolation) -> String {
        guard let text = String(validating: try opaque(), as: UTF8.self) else {
            throw RelayViolation(reason: "a text that is not UTF-8")
        }
        return text
    }

    mutating func id() throws(RelayViolation) -> RelayID {
        let bytes = try opaque()
        guard let id = RelayID(bytes) else { throw RelayViolation(reason: "an id of \(bytes.count) bytes") }
        return id
    }

    mutating func key() throws(RelayViolation) -> [UInt8] {
        let key = try opaque()
        guard (1...RelayMessage.maxKeyBytes).contains(key.count) else {
            throw RelayViolation(reason: "a key of \(key.count) bytes")
        }
        return key
    }
}
