// One flat JSON object: what some profiles answer and what `blipwire --json` prints, written and read.

import BLIPNet

/// Names and values of an object of RFC 8259 without nested objects, in order.
package struct JSONRecord: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    package enum Value: Sendable, Equatable {
        case null
        case bool(Bool)
        case integer(Int64)
        case number(Double)
        case string(String)
        case strings([String])
    }

    package struct Member: Sendable, Equatable {
        package var name: String
        package var value: Value
    }

    package private(set) var members: [Member] = []

    package init(dictionaryLiteral members: (String, Value)...) {
        self.members = members.map { Member(name: $0.0, value: $0.1) }
    }

    package mutating func append(_ name: String, _ value: Value) { members.append(Member(name: name, value: value)) }

    package subscript(name: String) -> Value? { members.first { $0.name == name }?.value }

    /// A number of either kind.
    package func number(_ name: String) -> Double? {
        switch self[name] {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    // MARK: Writing

    /// Compact, on one line. Control characters and what steers the direction of text become escapes.
    package var text: String {
        "{" + members.map { "\(Self.quoted($0.name)):\(Self.text($0.value))" }.joined(separator: ",") + "}"
    }

    private static func text(_ value: Value) -> String {
        switch value {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .integer(let value): "\(value)"
        case .number(let value): value.isFinite ? "\(value)" : "null"
        case .string(let value): quoted(value)
        case .strings(let values): "[" + values.map(quoted).joined(separator: ",") + "]"
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x22, 0x5C: quoted += "\\\(scalar)"
            case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x206F, 0xFEFF:
                quoted += "\\u\(scalar.value.hex(4))"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    // MARK: Reading

    /// Reads an object of strings, numbers, booleans and nulls; `nil` for everything else, nested values included.
    package init?(parsing bytes: [UInt8]) {
        do throws(JSONError) {
            guard case .object(let members) = try JSONReader.read(bytes) else { return nil }
            for member in members {
                guard let value = Value(member.value) else { return nil }
                append(member.name, value)
            }
        } catch {
            return nil
        }
    }
}

extension JSONRecord.Value {
    fileprivate init?(_ json: JSONValue) {
        switch json {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .integer(value)
        case .number(let value): self = .number(value)
        case .string(let value): self = .string(value)
        case .digits, .array, .object: return nil
        }
    }
}
