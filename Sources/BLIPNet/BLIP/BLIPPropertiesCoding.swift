// Properties between their value and their bytes on the wire (PROTOCOL 3.1).

/// Why a message's properties cannot be read or written.
enum BLIPPropertiesError: Error, Equatable {
    /// The last byte is not NUL.
    case unterminated
    /// A name without a value.
    case oddCount
    case invalidUTF8
    case duplicateName
    /// A one-byte string below 0x20 in a dialect with tokens: a received one that has no meaning, or one of ours that
    /// would be taken for a token.
    case unknownToken
    /// A name or value of ours holds a NUL byte, which would end it on the wire.
    case containsNUL
    case tooLarge(limit: Int)
}

/// Writes and reads the NUL-terminated name/value pairs at the start of a message.
struct BLIPPropertiesCoding {
    /// See `BLIPDialect.tokens`.
    var tokens: [String]

    /// The bytes that a message starts with: the varint byte count and the pairs, then room for nothing else.
    func encode(_ properties: BLIPProperties, limit: Int) throws(BLIPPropertiesError) -> [UInt8] {
        var byteCount = 0
        for pair in properties.pairs { byteCount += pair.name.utf8.count + pair.value.utf8.count + 2 }
        var pairs: [UInt8] = []
        pairs.reserveCapacity(byteCount + 1)
        for pair in properties.pairs {
            try append(pair.name, to: &pairs)
            try append(pair.value, to: &pairs)
        }
        guard pairs.count <= limit else { throw .tooLarge(limit: limit) }
        if pairs.count < 0x80 {
            pairs.insert(UInt8(pairs.count), at: 0)
            return pairs
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(pairs.count + Varint.maxBytes)
        Varint.append(UInt64(pairs.count), to: &bytes)
        bytes.append(contentsOf: pairs)
        return bytes
    }

    /// Reads the pairs; `bytes` is exactly what the byte count announced.
    func decode(_ bytes: UnsafeRawBufferPointer) throws(BLIPPropertiesError) -> BLIPProperties {
        guard let last = bytes.last else { return [:] }
        guard last == 0 else { throw .unterminated }
        var pairs: [BLIPProperties.Pair] = []
        var rest = bytes
        while !rest.isEmpty {
            let name = try string(Self.takeString(&rest))
            guard !rest.isEmpty else { throw .oddCount }
            let value = try string(Self.takeString(&rest))
            pairs.append(BLIPProperties.Pair(name: name, value: value))
        }
        guard let properties = BLIPProperties(uniquePairs: pairs) else { throw .duplicateName }
        return properties
    }

    /// Takes one string with its NUL from the front; the last byte of `rest` is known to be NUL.
    private static func takeString(_ rest: inout UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let end = rest.firstIndex(of: 0) ?? rest.count - 1
        defer { rest = UnsafeRawBufferPointer(rebasing: rest[(end + 1)...]) }
        return UnsafeRawBufferPointer(rebasing: rest[..<end])
    }

    private func string(_ bytes: UnsafeRawBufferPointer) throws(BLIPPropertiesError) -> String {
        if !tokens.isEmpty, bytes.count == 1, bytes[0] < 0x20 {
            guard tokens.indices.contains(Int(bytes[0]) - 1) else { throw .unknownToken }
            return tokens[Int(bytes[0]) - 1]
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .invalidUTF8 }
        return text
    }

    private func append(_ text: String, to bytes: inout [UInt8]) throws(BLIPPropertiesError) {
        if !tokens.isEmpty, let index = tokens.firstIndex(where: { $0.utf8.elementsEqual(text.utf8) }) {
            bytes.append(UInt8(index + 1))
        } else {
            guard !text.utf8.contains(0) else { throw .containsNUL }
            if !tokens.isEmpty, text.utf8.count == 1, text.utf8.allSatisfy({ $0 < 0x20 }) { throw .unknownToken }
            bytes.append(contentsOf: text.utf8)
        }
        bytes.append(0)
    }
}

extension BLIPProperties {
    /// Takes pairs in wire order; `nil` when a name occurs twice (compared as bytes). O(n log n), because a peer
    /// chooses how many there are.
    init?(uniquePairs pairs: [Pair]) {
        if pairs.count <= 8 {
            for index in pairs.indices.dropFirst() {
                let name = pairs[index].name
                if pairs[..<index].contains(where: { $0.name.utf8.elementsEqual(name.utf8) }) { return nil }
            }
        } else {
            let names = pairs.map { Array($0.name.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
            for (name, next) in zip(names, names.dropFirst()) where name == next { return nil }
        }
        self.init(wirePairs: pairs)
    }
}

extension BLIPErrorCode {
    /// A body or buffer limit was reached.
    public static let tooLarge = Self(code: 413)

    /// The error that an error response's properties give; a missing or malformed code becomes 599 (PROTOCOL 3.1).
    init(properties: BLIPProperties) {
        let domain = properties[BLIPProperties.errorDomainName] ?? "BLIP"
        let code = properties[BLIPProperties.errorCodeName].flatMap(Self.decimal)
        self.init(domain: domain, code: code ?? Self.unspecified.code)
    }

    /// Decimal digits with at most a minus sign before them; `Int32("+5")` would take a plus sign as well.
    private static func decimal(_ text: String) -> Int32? {
        text.utf8.first == UInt8(ascii: "+") ? nil : Int32(text)
    }
}
