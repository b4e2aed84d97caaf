// The vectors of Vectors/SocketIO: packets of the reference parsers, and exchanges that were captured from servers.

import FoundationEssentials

@testable import BLIPNet

/// Text or bytes as they were on the wire.
struct WireUnit: Equatable, Sendable {
    var isText: Bool
    var bytes: [UInt8]

    /// `{"text":…}` or `{"bytes":hex}`.
    init?(_ json: JSONValue?) {
        if let text = json?["text"]?.stringValue {
            self.init(isText: true, bytes: Array(text.utf8))
        } else if let hex = json?["bytes"]?.stringValue {
            self.init(isText: false, bytes: BLIPNetTests.bytes(hex: hex))
        } else {
            return nil
        }
    }

    init(isText: Bool, bytes: [UInt8]) {
        self.isText = isText
        self.bytes = bytes
    }

    var kind: WebSocketMessageKind { isText ? .text : .binary }

    var payload: EngineIOPacket.Payload {
        isText ? .text(String(decoding: bytes, as: UTF8.self)) : .bytes(bytes)
    }
}

/// One entry of a list of vectors.
struct SocketIOVector: Sendable, CustomStringConvertible {
    var name: String
    var json: JSONValue

    var description: String { name }

    static func reference(_ list: String) -> [SocketIOVector] {
        let values = file("reference_packets.json")?[list]?.arrayValue ?? []
        return values.enumerated().map { index, json in
            SocketIOVector(name: json["name"]?.stringValue ?? "\(list) \(index)", json: json)
        }
    }

    /// A file of Vectors/SocketIO; `nil` when it cannot be read.
    static func file(_ name: String) -> JSONValue? {
        let folder = String(#filePath.dropLast("SocketIO/SocketIOVector.swift".count)) + "Vectors/SocketIO/"
        guard let data = FileManager.default.contents(atPath: folder + name) else { return nil }
        return try? JSONReader.read(Array(data))
    }
}

/// A captured exchange with one server.
struct CapturedExchange: Sendable, CustomStringConvertible {
    var name: String
    var revision: EngineIORevision
    var entries: [JSONValue]

    var description: String { name }

    static let all: [CapturedExchange] = [
        "eio3_python-socketio-4.6.1", "eio3_socket.io-2.5.1", "eio3_socket.io-4.8.3-allowEIO3",
        "eio4_python-socketio-5.18.1", "eio4_socket.io-4.8.3",
    ].compactMap { name in
        guard let json = SocketIOVector.file("captured_\(name).json"), let entries = json["vectors"]?.arrayValue,
            let revision = EngineIORevision(rawValue: Int(json["engineio_revision"]?.integerValue ?? 0))
        else { return nil }
        return CapturedExchange(name: name, revision: revision, entries: entries)
    }
}

extension JSONValue {
    /// The bytes of `{"hex":…}`.
    var hexBytes: [UInt8]? { self["hex"]?.stringValue.map { bytes(hex: $0) } }
}

extension SocketIOValue {
    /// A value of the vectors, in which `{"$bytes":hex}` is binary.
    init(vector json: JSONValue) {
        if let hex = json["$bytes"]?.stringValue {
            self = .bytes(BLIPNetTests.bytes(hex: hex))
            return
        }
        switch json {
        case .array(let values): self = .array(values.map { SocketIOValue(vector: $0) })
        case .object(let members):
            self = .object(members.map { Member(name: $0.name, value: SocketIOValue(vector: $0.value)) })
        default: self.init(json)
        }
    }
}

extension SocketIOPacket {
    /// A packet of the vectors. Binary types are those of the same packets without attachments.
    init?(vector json: JSONValue) {
        let kinds: [Int64: Kind] = [
            0: .connect, 1: .disconnect, 2: .event, 3: .ack, 4: .connectError, 5: .event, 6: .ack,
        ]
        guard let kind = json["type"]?.integerValue.flatMap({ kinds[$0] }), let namespace = json["nsp"]?.stringValue
        else { return nil }
        self.init(
            kind, namespace: namespace, id: json["id"]?.integerValue.map { UInt64($0) },
            data: json["data"].map { SocketIOValue(vector: $0) })
    }
}

extension EngineIOPacket {
    /// A packet of the vectors; `nil` for their `error`.
    init?(vector json: JSONValue) {
        let kinds: [String: Kind] = [
            "open": .open, "close": .close, "ping": .ping, "pong": .pong, "message": .message, "upgrade": .upgrade,
            "noop": .noop,
        ]
        guard let kind = json["type"]?.stringValue.flatMap({ kinds[$0] }) else { return nil }
        self.init(kind, json["data"]?.stringValue ?? "")
        if let hex = json["data"]?["$bytes"]?.stringValue { payload = .bytes(bytes(hex: hex)) }
    }
}

extension MonotonicTime {
    static func seconds(_ seconds: Double) -> Self { Self(nanoseconds: Int64(seconds * 1e9)) }
}
