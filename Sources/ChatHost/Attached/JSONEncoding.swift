// From Swift values to JSON values: the half of the codec of attached front ends that writes.

import BLIPNet

extension JSONValue {
    /// The coded form of `value`; throws only what `value` itself throws while it is coded.
    init(encoding value: some Encodable) throws {
        let slot = JSONSlot()
        try value.encode(to: JSONSlotEncoder(slot: slot))
        self = slot.value
    }
}

/// A place in the JSON that is being made.
private final class JSONSlot {
    private enum Kind { case empty, single, object, array }

    private var kind = Kind.empty
    private var single = JSONValue.null
    private var members: [(name: String, slot: JSONSlot)] = []
    private var elements: [JSONSlot] = []
    /// It holds the payload of an enum case.
    var isPayload = false

    /// A type that says nothing of itself is an object without members.
    var value: JSONValue {
        switch kind {
        case .single: single
        case .empty, .object: positional ?? .object(members.map { .init(name: $0.name, value: $0.slot.value) })
        case .array: .array(elements.map(\.value))
        }
    }

    /// A payload without labels: one value is written as it is, several as an array.
    private var positional: JSONValue? {
        guard isPayload, !members.isEmpty, members.indices.allSatisfy({ members[$0].name == "_\($0)" }) else {
            return nil
        }
        return members.count == 1 ? members[0].slot.value : .array(members.map(\.slot.value))
    }

    var count: Int { elements.count }

    func set(_ value: JSONValue) {
        kind = .single
        single = value
    }

    /// The slot of a new member; makes this an object.
    func member(_ name: String) -> JSONSlot {
        kind = .object
        let slot = JSONSlot()
        members.append((name, slot))
        return slot
    }

    /// The slot of a new element; makes this an array.
    func element() -> JSONSlot {
        kind = .array
        let slot = JSONSlot()
        elements.append(slot)
        return slot
    }

    func makeArray() { kind = .array }
}

/// Writes what a type says of itself into a slot.
private struct JSONSlotEncoder: Encoder {
    let slot: JSONSlot
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(JSONMembers<Key>(slot: slot))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        slot.makeArray()
        return JSONElements(slot: slot)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { JSONSingle(slot: slot) }
}

private struct JSONMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let slot: JSONSlot
    var codingPath: [any CodingKey] { [] }

    private func encoder(_ key: any CodingKey) -> JSONSlotEncoder {
        JSONSlotEncoder(slot: slot.member(key.stringValue))
    }

    func encodeNil(forKey key: Key) { slot.member(key.stringValue).set(.null) }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try value.encode(to: encoder(key)) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        // Only enums do this, for what belongs to a case.
        let payload = slot.member(key.stringValue)
        payload.isPayload = true
        return KeyedEncodingContainer(JSONMembers<Nested>(slot: payload))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { encoder(key).unkeyedContainer() }
    func superEncoder() -> any Encoder { JSONSlotEncoder(slot: slot.member("super")) }
    func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }
}

private struct JSONElements: UnkeyedEncodingContainer {
    let slot: JSONSlot
    var codingPath: [any CodingKey] { [] }
    var count: Int { slot.count }

    func encodeNil() { slot.element().set(.null) }
    func encode<Value: Encodable>(_ value: Value) throws { try value.encode(to: JSONSlotEncoder(slot: slot.element())) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        JSONSlotEncoder(slot: slot.element()).container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        JSONSlotEncoder(slot: slot.element()).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { JSONSlotEncoder(slot: slot.element()) }
}

/// Where the walk ends: numbers, texts and the like.
private struct JSONSingle: SingleValueEncodingContainer {
    let slot: JSONSlot
    var codingPath: [any CodingKey] { [] }

    func encodeNil() { slot.set(.null) }
    func encode(_ value: Bool) { slot.set(.bool(value)) }
    func encode(_ value: String) { slot.set(.string(value)) }
    /// A value that JSON has no number for is written as Swift's word for it.
    func encode(_ value: Double) { slot.set(value.isFinite ? .number(value) : .string("\(value)")) }
    func encode(_ value: Float) { encode(Double(value)) }
    func encode(_ value: Int) { encode(integer: value) }
    func encode(_ value: Int8) { encode(integer: value) }
    func encode(_ value: Int16) { encode(integer: value) }
    func encode(_ value: Int32) { encode(integer: value) }
    func encode(_ value: Int64) { encode(integer: value) }
    func encode(_ value: UInt) { encode(integer: value) }
    func encode(_ value: UInt8) { encode(integer: value) }
    func encode(_ value: UInt16) { encode(integer: value) }
    func encode(_ value: UInt32) { encode(integer: value) }
    func encode(_ value: UInt64) { encode(integer: value) }
    func encode<Value: Encodable>(_ value: Value) throws { try value.encode(to: JSONSlotEncoder(slot: slot)) }

    /// Beyond 64 signed bits as digits in a text.
    private func encode(integer: some BinaryInteger) {
        slot.set(Int64(exactly: integer).map(JSONValue.integer) ?? .string("\(integer)"))
    }
}
