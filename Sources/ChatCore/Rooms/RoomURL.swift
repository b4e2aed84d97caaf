// The address of a Socket.IO room. It is all of the room's settings as well: which events and fields it speaks, whom we
// believe there, what we are called (Docs/rooms.md).

package import BLIPNet

/// `sio+tls://HOST[:PORT]/NAMESPACE[?NAME=VALUE&…]`, and `sio://` without TLS.
package struct RoomURL: Sendable, Hashable, CustomStringConvertible {
    /// The authority that vouches for the server.
    package enum Trust: Sendable, Hashable {
        /// There is no TLS: anybody on the way reads and changes everything.
        case plaintext
        /// The authorities of the system.
        case system
        /// Those in this PEM file.
        case authority(file: String)
        /// The certificate has this key, no matter who signed it.
        case pinned(SPKIFingerprint)
    }

    /// The server's names for its events, and for the members of their objects.
    package struct Names: Sendable, Hashable {
        package var line = "chatMessage"
        package var custom = "customEvent"
        package var binary = "binaryEvent"
        /// Says who is there.
        package var people = "users"
        package var text = "message"
        package var time = "timestamp"
        package var sender = "sender"
        /// Names a line, so that a repeated one is known; empty: nothing of the kind is sent.
        package var id = "id"
        package var data = "binaryData"
        package var caption = "text"
        package var fileName = "name"

        package init() {}
    }

    package var host: String
    package var port: UInt16
    /// With its `/`; the main one is `/`.
    package var namespace: String
    package var trust: Trust
    package var names = Names()
    /// Our name there; `nil`: the same as everywhere.
    package var ownName: String?
    /// Where the server answers, with both slashes.
    package var path = Self.defaultPath

    package static let defaultPath = "/socket.io/"
    static let longest = 2048
    /// Of one value.
    private static let longestValue = 256

    package init(host: String, port: UInt16? = nil, namespace: String = "/", trust: Trust = .system) {
        self.host = host
        self.port = port ?? Self.defaultPort(trust)
        self.namespace = namespace
        self.trust = trust
    }

    package var usesTLS: Bool { trust != .plaintext }
    package var endpoint: Endpoint { .host(host, port: port) }

    /// Whether both are the same room, whatever is set for it.
    package func isSameRoom(as other: RoomURL) -> Bool {
        host == other.host && port == other.port && namespace == other.namespace && path == other.path
    }

    /// The name of a room that nobody has named: its namespace, else its server.
    package var suggestedName: String { namespace == "/" ? host : String(namespace.dropFirst()) }

    private static func defaultPort(_ trust: Trust) -> UInt16 { trust == .plaintext ? 80 : 443 }

    // MARK: Writing

    /// The shortest text that reads as this.
    package var description: String {
        var text = usesTLS ? Self.tlsScheme : Self.plainScheme
        let place = "\(endpoint)"
        text += port == Self.defaultPort(trust) ? String(place.dropLast("\(port)".count + 1)) : place
        text += PercentEncoding.encode(namespace, allowing: "/")
        var items: [String] = []
        func add(_ key: Key, _ value: String?) {
            if let value { items.append("\(key.rawValue)=\(PercentEncoding.encode(value, allowing: "/:"))") }
        }
        let usual = Names()
        for key in Key.allCases {
            if let field = key.field {
                let value = names[keyPath: field]
                add(key, value == usual[keyPath: field] ? nil : value)
                continue
            }
            switch key {
            case .ownName: add(key, ownName)
            case .path: add(key, path == Self.defaultPath ? nil : path)
            case .pin: if case .pinned(let pin) = trust { add(key, pin.bytes.hex) }
            case .authority: if case .authority(let file) = trust { add(key, file) }
            default: break
            }
        }
        return items.isEmpty ? text : "\(text)?\(items.joined(separator: "&"))"
    }

    // MARK: Reading

    private static let tlsScheme = "sio+tls://"
    private static let plainScheme = "sio://"

    /// The names that may follow the `?`, in the order in which they are written.
    private enum Key: String, CaseIterable {
        case line = "event", custom, binary, people, text = "message", time = "timestamp", sender, id, data =
            "binaryData"
        case caption = "text", fileName = "file", ownName = "as", path, pin, authority = "ca"

        /// The name that it sets; `nil` if the server has no such setting.
        var field: WritableKeyPath<Names, String>? {
            switch self {
            case .line: \.line
            case .custom: \.custom
            case .binary: \.binary
            case .people: \.people
            case .text: \.text
            case .time: \.time
            case .sender: \.sender
            case .id: \.id
            case .data: \.data
            case .caption: \.caption
            case .fileName: \.fileName
            case .ownName, .path, .pin, .authority: nil
            }
        }
    }

    /// Whether a text is meant to be the address of a room, right or wrong.
    package static func isMeant(by text: String) -> Bool {
        text.hasScheme(plainScheme) || text.hasScheme(tlsScheme)
    }

    /// Reads an address; the error says what is wrong, and where.
    package init(parsing text: String) throws(RoomURLError) {
        guard text.utf8.count <= Self.longest else {
            throw RoomURLError(.tooLong(limit: Self.longest), at: Self.longest)
        }
        if let bad = text.unicodeScalars.firstIndex(where: { $0.value <= 0x20 || $0.value >= 0x7F }) {
            throw RoomURLError(.badCharacter, at: text.utf8.distance(from: text.startIndex, to: bad))
        }
        let bytes = Array(text.utf8)
        func string(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        // A scheme is the same in any case (RFC 3986 section 3.1).
        guard let scheme = [Self.tlsScheme, Self.plainScheme].first(where: { text.hasScheme($0) }) else {
            throw RoomURLError(.wrongScheme, at: 0)
        }
        let hostStart = scheme.utf8.count
        if let hash = bytes.firstIndex(of: UInt8(ascii: "#")) { throw RoomURLError(.fragment, at: hash) }
        let queryStart = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.count
        let pathStart = bytes[hostStart..<max(queryStart, hostStart)].firstIndex(of: UInt8(ascii: "/")) ?? queryStart
        let place = string(hostStart..<pathStart)
        if let at = bytes[hostStart..<pathStart].firstIndex(of: UInt8(ascii: "@")) {
            throw RoomURLError(.userInfo, at: at)
        }
        let isTLS = scheme == Self.tlsScheme
        guard case .host(let host, let port)? = Endpoint(place, defaultPort: isTLS ? 443 : 80), port > 0 else {
            throw RoomURLError(.badHost(place), at: hostStart)
        }
        self.init(host: host.lowercased(), port: port, trust: isTLS ? .system : .plaintext)
        if pathStart < queryStart {
            let encoded = string(pathStart..<queryStart)
            // `+` is a plus sign in a path.
            guard let decoded = PercentEncoding.decode(encoded.replacing("+", with: "%2B").utf8),
                Self.isNamespace(decoded)
            else { throw RoomURLError(.badNamespace(encoded), at: pathStart) }
            namespace = decoded
        }
        var seen: Set<String> = []
        var position = queryStart + 1
        while position <= bytes.count {
            let end = bytes[position...].firstIndex(of: UInt8(ascii: "&")) ?? bytes.count
            try take(string(position..<end), at: position, &seen)
            position = end + 1
        }
    }

    private mutating func take(_ item: String, at position: Int, _ seen: inout Set<String>) throws(RoomURLError) {
        let parts = item.split(scalar: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else { throw RoomURLError(.badItem(item), at: position) }
        guard let key = Key(rawValue: String(parts[0])) else {
            throw RoomURLError(.unknownKey(String(parts[0])), at: position)
        }
        guard seen.insert(key.rawValue).inserted else { throw RoomURLError(.twice(key.rawValue), at: position) }
        let place = position + parts[0].utf8.count + 1
        func wrong(_ expected: RoomURLError.Expected) -> RoomURLError {
            RoomURLError(.badValue(key: key.rawValue, value: String(parts[1]), expected), at: place)
        }
        guard let value = PercentEncoding.decode(parts[1].utf8), value.utf8.count <= Self.longestValue,
            !value.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
        else { throw wrong(.text(limit: Self.longestValue)) }
        if let field = key.field {
            guard !value.isEmpty || key == .id else { throw wrong(.text(limit: Self.longestValue)) }
            if [.line, .custom, .binary, .people].contains(key), Self.reserved.contains(value) {
                throw wrong(.ownEvent)
            }
            names[keyPath: field] = value
            return
        }
        switch key {
        case .ownName:
            guard ContactNames.isWellFormed(value) else { throw wrong(.name) }
            ownName = value
        case .path:
            guard value.hasPrefix("/"), value.hasSuffix("/"), value.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
                !value.contains("?"), !value.contains("#")
            else { throw wrong(.path) }
            path = value
        case .pin:
            guard trust == .system else { throw wrong(usesTLS ? .onePolicy : .tls) }
            guard let pin = SPKIFingerprint(hex: value) else { throw wrong(.pin) }
            trust = .pinned(pin)
        case .authority:
            guard trust == .system else { throw wrong(usesTLS ? .onePolicy : .tls) }
            guard value.hasPrefix("/") else { throw wrong(.file) }
            trust = .authority(file: value)
        default: break
        }
    }

    /// Names that the clients of Socket.IO use for themselves.
    private static let reserved: Set<String> = ["connect", "connect_error", "disconnect", "disconnecting"]

    /// A packet's namespace ends at a comma, and a question mark begins a query in it.
    private static func isNamespace(_ text: String) -> Bool {
        text.hasPrefix("/") && text.utf8.count <= 128
            && text.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F && $0 != "," && $0 != "?" }
    }
}

extension RoomURL: Codable {
    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        do throws(RoomURLError) { try self.init(parsing: text) } catch {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "no address of a room"))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// A fault in the address of a room that somebody typed. ChatWords has the words.
package struct RoomURLError: Error, Sendable, Equatable, Codable {
    package enum Problem: Sendable, Equatable, Codable {
        case tooLong(limit: Int)
        /// Not ASCII, or a blank: such characters are written as `%XX`.
        case badCharacter
        case wrongScheme
        case fragment
        case userInfo
        case badHost(String)
        case badNamespace(String)
        /// A part between two `&` is not NAME=VALUE.
        case badItem(String)
        case unknownKey(String)
        case twice(String)
        case badValue(key: String, value: String, Expected)
    }

    /// The kind of value that is required.
    package enum Expected: Sendable, Equatable, Codable {
        case text(limit: Int)
        /// An event that is not one of Socket.IO itself.
        case ownEvent
        case name
        case path
        case pin
        case file
        /// `pin` or `ca`, not both.
        case onePolicy
        /// Only `sio+tls://` has it.
        case tls
    }

    package var problem: Problem
    /// Bytes before it, from 0.
    package var offset: Int

    init(_ problem: Problem, at offset: Int) {
        self.problem = problem
        self.offset = offset
    }
}

/// A room as it is stored with its contact.
package struct JoinedRoom: Sendable, Equatable, Codable {
    package var url: RoomURL
    /// Our user has left it: nothing is dialled, and the history stays.
    package var isLeft: Bool

    package init(url: RoomURL, isLeft: Bool = false) {
        self.url = url
        self.isLeft = isLeft
    }
}
