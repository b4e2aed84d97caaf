// Reads JSON text that another process or a server wrote: strict, and never deeper than it should be.

/// The fault in a JSON text, and at which byte it is.
package struct JSONError: Error, Sendable, Equatable {
    package var reason: String
    package var offset: Int
    /// It may be JSON, but it is more than `JSONRules` allows.
    package var isLimit: Bool

    package init(reason: String, offset: Int, isLimit: Bool = false) {
        self.reason = reason
        self.offset = offset
        self.isLimit = isLimit
    }
}

/// How much of JSON is accepted. The defaults are those of the control socket.
package struct JSONRules: Sendable, Equatable {
    /// Arrays and objects within one another, the outermost included.
    package var maxDepth = 32
    /// Values and names of the whole text. A value takes more memory than the two bytes that it may be written with.
    package var maxValues = 1 << 20
    /// Half of a surrogate pair, which JavaScript writes for a string that was cut inside a character, becomes U+FFFD.
    /// Otherwise it is an error.
    package var repairsSurrogates = false
    /// Numbers that neither Int64 nor Double can hold are kept as they were written (`JSONValue.digits`). Otherwise an
    /// integer beyond Int64 is rounded, and a number beyond Double is an error.
    package var keepsDigits = false

    package init() {}
}

/// A strict reader of RFC 8259: one value, nothing after it, no name twice in an object.
package struct JSONReader {
    private let bytes: [UInt8]
    private let rules: JSONRules
    private var offset: Int
    private var valueCount = 0

    /// Reads `bytes` from `start`; offsets of errors count from the beginning of `bytes`.
    package static func read(
        _ bytes: [UInt8], from start: Int = 0, rules: JSONRules = JSONRules()
    ) throws(JSONError) -> JSONValue {
        var reader = JSONReader(bytes: bytes, rules: rules, offset: start)
        let value = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.offset == bytes.count else { throw reader.error("text after the value") }
        return value
    }

    private init(bytes: [UInt8], rules: JSONRules, offset: Int) {
        self.bytes = bytes
        self.rules = rules
        self.offset = offset
    }

    private var current: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private func error(_ reason: String) -> JSONError { JSONError(reason: reason, offset: offset) }

    private func limit(_ reason: String) -> JSONError { JSONError(reason: reason, offset: offset, isLimit: true) }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { offset += 1 }
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        guard depth < rules.maxDepth else { throw limit("nested too deeply") }
        valueCount += 1
        guard valueCount <= rules.maxValues else { throw limit("too many values") }
        skipSpace()
        switch current {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "-"): return try number()
        case .some(0x30...0x39): return try number()
        default: throw error("a value is missing")
        }
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(JSONError) -> JSONValue {
        guard bytes[offset...].starts(with: word.utf8) else { throw error("an unknown word") }
        offset += word.utf8.count
        return value
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
        offset += 1
        var members: [JSONValue.Member] = []
        var names = NamesSeen()
        skipSpace()
        if current == UInt8(ascii: "}") {
            offset += 1
            return .object([])
        }
        while true {
            skipSpace()
            guard current == UInt8(ascii: "\"") else { throw error("a name is missing") }
            let name = try string()
            guard names.insert(name) else { throw error("a name appears twice") }
            skipSpace()
            guard current == UInt8(ascii: ":") else { throw error("a colon is missing") }
            offset += 1
            members.append(.init(name: name, value: try value(depth: depth + 1)))
            if try endsList(with: UInt8(ascii: "}")) { return .object(members) }
        }
    }

    private mutating func array(depth: Int) throws(JSONError) -> JSONValue {
        offset += 1
        var values: [JSONValue] = []
        skipSpace()
        if current == UInt8(ascii: "]") {
            offset += 1
            return .array([])
        }
        while true {
            values.append(try value(depth: depth + 1))
            if try endsList(with: UInt8(ascii: "]")) { return .array(values) }
        }
    }

    /// Steps over a comma (`false`) or the closing bracket (`true`).
    private mutating func endsList(with closing: UInt8) throws(JSONError) -> Bool {
        skipSpace()
        guard let byte = current, byte == closing || byte == UInt8(ascii: ",") else {
            throw error("a comma is missing")
        }
        offset += 1
        return byte == closing
    }

    private mutating func number() throws(JSONError) -> JSONValue {
        let start = offset
        if current == UInt8(ascii: "-") { offset += 1 }
        let firstDigit = current
        let digits = skipDigits()
        guard digits > 0, digits == 1 || firstDigit != UInt8(ascii: "0") else { throw error("a broken number") }
        var isInteger = true
        if current == UInt8(ascii: ".") {
            isInteger = false
            offset += 1
            guard skipDigits() > 0 else { throw error("a broken number") }
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            isInteger = false
            offset += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { offset += 1 }
            guard skipDigits() > 0 else { throw error("a broken number") }
        }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        if isInteger, let value = Int64(text) { return .integer(value) }
        if isInteger, rules.keepsDigits { return .digits(text) }
        guard let value = Double(text), value.isFinite else {
            if rules.keepsDigits { return .digits(text) }
            throw error("a number out of range")
        }
        return .number(value)
    }

    private mutating func skipDigits() -> Int {
        let start = offset
        while let byte = current, HTTPSyntax.isDigit(byte) { offset += 1 }
        return offset - start
    }

    private mutating func string() throws(JSONError) -> String {
        offset += 1
        var text: [UInt8] = []
        while let byte = current {
            offset += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else {
                    throw error("bytes that are not UTF-8")
                }
                return string
            case UInt8(ascii: "\\"): try escape(into: &text)
            case 0x00...0x1F: throw error("a control character in a string")
            default: text.append(byte)
            }
        }
        throw error("a string that does not end")
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONError) {
        guard let byte = current else { throw error("a string that does not end") }
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            var value = try fourDigits()
            if (0xD800..<0xDC00).contains(value), bytes[offset...].starts(with: "\\u".utf8) {
                let behindFirst = offset
                offset += 2
                let low = try fourDigits()
                if (0xDC00..<0xE000).contains(low) {
                    value = 0x1_0000 + (value - 0xD800) << 10 + (low - 0xDC00)
                } else {
                    // The escape that follows is a character of its own.
                    offset = behindFirst
                }
            }
            if let scalar = Unicode.Scalar(value) {
                text += String(scalar).utf8
            } else {
                guard rules.repairsSurrogates else { throw error("half of a surrogate pair") }
                text += "\u{FFFD}".utf8
            }
        default: throw error("an unknown escape")
        }
    }

    private mutating func fourDigits() throws(JSONError) -> UInt32 {
        let digits = bytes[offset...].prefix(4).compactMap(HTTPSyntax.hexValue)
        guard digits.count == 4 else { throw error("a broken escape") }
        offset += 4
        return digits.reduce(0) { $0 << 4 | UInt32($1) }
    }
}

/// The names of one object so far: byte for byte, as "é" in one scalar and in two are different names of JSON.
private struct NamesSeen {
    private var few: [String] = []
    private var many: Set<[UInt8]> = []

    /// `false` when the name has been there before.
    mutating func insert(_ name: String) -> Bool {
        guard few.count == 8 else {
            guard !few.contains(where: { $0.utf8.elementsEqual(name.utf8) }) else { return false }
            few.append(name)
            return true
        }
        if many.isEmpty { many = Set(few.map { Array($0.utf8) }) }
        return many.insert(Array(name.utf8)).inserted
    }
}
