// One flat JSON object: what some profiles answer and what `blipwire --json` prints, written and read.

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
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    // MARK: Reading

    /// Reads an object of strings, numbers, booleans and nulls; `nil` for everything else, nested values included.
    package init?(parsing bytes: [UInt8]) {
        var scanner = Scanner(rest: bytes[...])
        guard scanner.skip("{") else { return nil }
        if !scanner.skip("}") {
            repeat {
                guard let name = scanner.string(), scanner.skip(":"), let value = scanner.value() else { return nil }
                members.append(Member(name: name, value: value))
            } while scanner.skip(",")
            guard scanner.skip("}") else { return nil }
        }
        guard scanner.isAtEnd else { return nil }
    }

    private struct Scanner {
        var rest: ArraySlice<UInt8>

        mutating func skipSpace() { rest = rest.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) } }

        var isAtEnd: Bool {
            mutating get {
                skipSpace()
                return rest.isEmpty
            }
        }

        mutating func skip(_ text: StaticString) -> Bool {
            skipSpace()
            return text.withUTF8Buffer { expected in
                guard rest.starts(with: expected) else { return false }
                rest = rest.dropFirst(expected.count)
                return true
            }
        }

        mutating func value() -> Value? {
            if skip("true") { return .bool(true) }
            if skip("false") { return .bool(false) }
            if skip("null") { return .null }
            if rest.first == UInt8(ascii: "\"") { return string().map { .string($0) } }
            let digits = rest.prefix { byte in (0x30...0x39).contains(byte) || "+-.eE".utf8.contains(byte) }
            rest = rest.dropFirst(digits.count)
            let text = String(decoding: digits, as: UTF8.self)
            return Int64(text).map { .integer($0) } ?? Double(text).map { .number($0) }
        }

        mutating func string() -> String? {
            guard skip("\"") else { return nil }
            var units: [UInt16] = []
            while let byte = rest.first {
                if byte == UInt8(ascii: "\"") {
                    rest = rest.dropFirst()
                    return String(validating: units, as: UTF16.self)
                }
                if byte == UInt8(ascii: "\\") {
                    rest = rest.dropFirst()
                    guard let unit = escape() else { return nil }
                    units.append(unit)
                    continue
                }
                let plain = rest.prefix { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
                guard !plain.isEmpty, let text = String(validating: plain, as: UTF8.self) else { return nil }
                units += text.utf16
                rest = rest.dropFirst(plain.count)
            }
            return nil
        }

        /// What stands behind a backslash.
        private mutating func escape() -> UInt16? {
            guard let letter = rest.popFirst() else { return nil }
            switch letter {
            case UInt8(ascii: "n"): return 0x0A
            case UInt8(ascii: "t"): return 0x09
            case UInt8(ascii: "r"): return 0x0D
            case UInt8(ascii: "b"): return 0x08
            case UInt8(ascii: "f"): return 0x0C
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return UInt16(letter)
            case UInt8(ascii: "u"):
                let digits = rest.prefix(4)
                rest = rest.dropFirst(digits.count)
                guard digits.count == 4, digits.allSatisfy({ $0 != UInt8(ascii: "+") }) else { return nil }
                return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
            default: return nil
            }
        }
    }
}
