// The data that events and acknowledgements of Socket.IO carry: JSON in which bytes may be anywhere.

/// A value in an event or an acknowledgement: JSON (RFC 8259), or bytes, which travel beside the JSON as attachments
/// (SOCKETIO, "Bytes"). Objects keep the order of their members.
public indirect enum SocketIOValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// Infinite values and NaN, which JSON does not have, are sent as null.
    case number(Double)
    /// A number that neither `integer` nor `number` can hold, in the digits of the other side.
    case digits(String)
    case string(String)
    case bytes([UInt8])
    case array([SocketIOValue])
    case object([Member])

    /// A member of an object.
    public struct Member: Sendable, Equatable {
        public var name: String
        public var value: SocketIOValue

        public init(name: String, value: SocketIOValue) {
            self.name = name
            self.value = value
        }
    }

    /// The first member of an object with this name.
    public subscript(name: String) -> SocketIOValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    /// The element of an array; `nil` outside of it, and for any other value.
    public subscript(index: Int) -> SocketIOValue? {
        guard case .array(let values) = self, values.indices.contains(index) else { return nil }
        return values[index]
    }

    /// The text; `nil` for any other value. The same holds for the others below.
    public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
    /// The bytes of an attachment.
    public var bytesValue: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
    /// A whole number within Int64.
    public var integerValue: Int64? { if case .integer(let value) = self { value } else { nil } }
    /// `true` or `false`.
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The elements of an array.
    public var arrayValue: [SocketIOValue]? { if case .array(let value) = self { value } else { nil } }

    /// A number of any kind, rounded where Double cannot hold it.
    public var doubleValue: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        case .digits(let digits): Double(digits)
        default: nil
        }
    }
}

extension SocketIOValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .number(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(arrayLiteral elements: SocketIOValue...) { self = .array(elements) }
    public init(dictionaryLiteral members: (String, SocketIOValue)...) {
        self = .object(members.map { Member(name: $0.0, value: $0.1) })
    }
}

extension SocketIOValue {
    /// JSON without attachments, taken literally: an object that looks like a placeholder stays one (trap 14).
    package init(_ json: JSONValue) {
        switch json {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .integer(value)
        case .number(let value): self = .number(value)
        case .digits(let digits): self = .digits(digits)
        case .string(let value): self = .string(value)
        case .array(let values): self = .array(values.map { SocketIOValue($0) })
        case .object(let members): self = .object(members.map { Member(name: $0.name, value: SocketIOValue($0.value)) })
        }
    }

    /// The JSON of this value. Bytes go to the end of `attachments`, and the JSON has a placeholder with their number.
    /// `nil` when arrays and objects are nested deeper than `depth`.
    package func json(depth: Int, attachments: inout [[UInt8]]) -> JSONValue? {
        switch self {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .integer(let value): return .integer(value)
        case .number(let value): return .number(value)
        case .digits(let digits): return .digits(digits)
        case .string(let value): return .string(value)
        case .bytes(let bytes):
            attachments.append(bytes)
            return .record(["_placeholder": .bool(true), "num": .integer(Int64(attachments.count - 1))])
        case .array(let values):
            guard depth > 0 else { return nil }
            var elements: [JSONValue] = []
            elements.reserveCapacity(values.count)
            for value in values {
                guard let element = value.json(depth: depth - 1, attachments: &attachments) else { return nil }
                elements.append(element)
            }
            return .array(elements)
        case .object(let members):
            guard depth > 0 else { return nil }
            var written: [JSONValue.Member] = []
            written.reserveCapacity(members.count)
            for member in members {
                guard let value = member.value.json(depth: depth - 1, attachments: &attachments) else { return nil }
                written.append(.init(name: member.name, value: value))
            }
            return .object(written)
        }
    }

    /// Whether bytes are anywhere in it.
    package var hasBytes: Bool {
        switch self {
        case .bytes: true
        case .array(let values): values.contains { $0.hasBytes }
        case .object(let members): members.contains { $0.value.hasBytes }
        default: false
        }
    }
}
