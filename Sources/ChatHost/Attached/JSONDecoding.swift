// From JSON values to Swift values: the half of the codec of attached front ends that reads.

import BLIPNet

extension JSONValue {
    /// Reads what `init(encoding:)` has written. Members that `type` does not know are ignored.
    ///
    /// Throws when a member is missing or of another kind: the other side is another version of blipchat.
    func decode<Value: Decodable>(_ type: Value.Type) throws(JSONError) -> Value {
        do {
            return try Value(from: JSONValueDecoder(value: self))
        } catch {
            throw JSONError(reason: "not the expected \(type)", offset: 0)
        }
    }
}

/// Reads one JSON value.
private struct JSONValueDecoder: Decoder {
    let value: JSONValue
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let members) = value else { throw mismatch([String: JSONValue].self) }
        return KeyedDecodingContainer(JSONMemberReader(members: members))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = value else { throw mismatch([JSONValue].self) }
        return JSONElementReader(elements: elements)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { JSONSingleReader(decoder: self) }

    func mismatch(_ type: Any.Type) -> DecodingError {
        .typeMismatch(type, .init(codingPath: [], debugDescription: "another kind of value"))
    }
}

private struct JSONMemberReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: [JSONValue.Member]
    /// The payload of an enum case that has one value without a label.
    var only: JSONValue?
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { members.compactMap { Key(stringValue: $0.name) } }

    private func value(_ key: any CodingKey) -> JSONValue? { members.first { $0.name == key.stringValue }?.value }

    private func decoder(_ key: any CodingKey) throws -> JSONValueDecoder {
        guard let value = value(key) ?? (key.stringValue == "_0" ? only : nil) else {
            throw DecodingError.keyNotFound(key, .init(codingPath: [], debugDescription: "a member is missing"))
        }
        return JSONValueDecoder(value: value)
    }

    func contains(_ key: Key) -> Bool { value(key) != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).value == .null }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try Value(from: try decoder(key))
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        // Only enums do this, for what belongs to a case (JSONSlot.positional).
        let payload = try decoder(key)
        guard Nested(stringValue: "_0") != nil, payload.value["_0"] == nil else {
            return try payload.container(keyedBy: type)
        }
        guard Nested(stringValue: "_1") != nil else {
            let members = payload.value == .object([]) ? [] : [JSONValue.Member(name: "_0", value: payload.value)]
            return KeyedDecodingContainer(JSONMemberReader<Nested>(members: members, only: payload.value))
        }
        guard case .array(let elements) = payload.value else { return try payload.container(keyedBy: type) }
        let members = elements.enumerated().map { JSONValue.Member(name: "_\($0)", value: $1) }
        return KeyedDecodingContainer(JSONMemberReader<Nested>(members: members))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key).unkeyedContainer()
    }

    func superDecoder() -> any Decoder { JSONValueDecoder(value: .object(members)) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
}

private struct JSONElementReader: UnkeyedDecodingContainer {
    let elements: [JSONValue]
    private(set) var currentIndex = 0
    var codingPath: [any CodingKey] { [] }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    init(elements: [JSONValue]) { self.elements = elements }

    private mutating func next() throws -> JSONValueDecoder {
        guard elements.indices.contains(currentIndex) else {
            throw DecodingError.valueNotFound(
                JSONValue.self, .init(codingPath: [], debugDescription: "an element is missing"))
        }
        defer { currentIndex += 1 }
        return JSONValueDecoder(value: elements[currentIndex])
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, elements[currentIndex] == .null else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(from: try next()) }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> { try next().container(keyedBy: type) }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }
    mutating func superDecoder() throws -> any Decoder { try next() }
}

/// Where the walk ends: numbers, texts and the like.
private struct JSONSingleReader: SingleValueDecodingContainer {
    let decoder: JSONValueDecoder
    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { decoder.value == .null }
    func decode(_ type: Bool.Type) throws -> Bool { try required(decoder.value.boolValue) }
    func decode(_ type: String.Type) throws -> String { try required(decoder.value.stringValue) }
    func decode(_ type: Double.Type) throws -> Double {
        try required(decoder.value.doubleValue ?? decoder.value.stringValue.flatMap { Double($0) })
    }
    func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }
    func decode(_ type: Int.Type) throws -> Int { try integer() }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
    func decode(_ type: UInt.Type) throws -> UInt { try integer() }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(from: decoder) }

    private func integer<Value: FixedWidthInteger>() throws -> Value {
        switch decoder.value {
        case .integer(let value): try required(Value(exactly: value))
        case .string(let digits): try required(Value(digits))
        default: throw decoder.mismatch(Value.self)
        }
    }

    private func required<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw decoder.mismatch(Value.self) }
        return value
    }
}
