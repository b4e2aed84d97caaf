// Properties to bytes and back.

import Testing

@testable import BLIPNet

@Suite struct BLIPPropertiesCodingTests {
    private let coding = BLIPPropertiesCoding(tokens: [])

    @Test("reads what it wrote", arguments: [0, 1, 9, 300])
    func roundTrip(count: Int) throws {
        var properties = BLIPProperties()
        for index in 0..<count { properties["Näme-\(index)"] = index % 3 == 0 ? "" : "value \(index) 🙂" }
        let bytes = try coding.encode(properties, limit: 100_000)
        try bytes.withUnsafeBytes { all in
            var rest = all
            let announced = Varint.decode(&rest)
            #expect(announced == UInt64(rest.count))
            let decoded = try coding.decode(rest)
            #expect(decoded == properties)
        }
    }

    @Test("a name may stand once; names that only look equal are different")
    func duplicates() throws {
        #expect(throws: BLIPPropertiesError.duplicateName) { try decode("a\u{0}1\u{0}a\u{0}2\u{0}") }
        let many = (0..<20).map { "n\($0)\u{0}v\u{0}" }.joined()
        #expect(try decode(many).pairs.count == 20)
        #expect(throws: BLIPPropertiesError.duplicateName) { try decode(many + "n7\u{0}w\u{0}") }
        // The same letter composed and decomposed: equal as Swift strings, not as bytes.
        #expect(try decode("\u{E9}\u{0}1\u{0}e\u{301}\u{0}2\u{0}").pairs.count == 2)
    }

    @Test("25,000 names from a peer are checked in reasonable time")
    func manyNames() throws {
        let text = (0..<25_000).map { String($0, radix: 36) + "\u{0}\u{0}" }.joined()
        #expect(try decode(text).pairs.count == 25_000)
    }

    @Test("refuses half pairs, a missing end and broken UTF-8")
    func malformed() {
        #expect(throws: BLIPPropertiesError.oddCount) { try decode("a\u{0}") }
        #expect(throws: BLIPPropertiesError.oddCount) { try decode("a\u{0}b\u{0}c\u{0}") }
        #expect(throws: BLIPPropertiesError.unterminated) { try decode("a\u{0}b") }
        #expect(throws: BLIPPropertiesError.invalidUTF8) { try decode([0x61, 0, 0xC0, 0x80, 0]) }
    }

    @Test("refuses to write what could not be read")
    func ownMistakes() {
        #expect(throws: BLIPPropertiesError.containsNUL) { try coding.encode(["a": "b\u{0}c"], limit: 100) }
        #expect(throws: BLIPPropertiesError.tooLarge(limit: 3)) { try coding.encode(["a": "b"], limit: 3) }
        #expect(throws: Never.self) { try coding.encode(["a": "b"], limit: 4) }
    }

    @Test("abbreviates with a dialect's tokens, and reads spelled-out strings too")
    func tokens() throws {
        let coding = BLIPPropertiesCoding(tokens: ["Profile", "Error-Code"])
        #expect(try coding.encode(["Profile": "Error-Code"], limit: 100) == [4, 1, 0, 2, 0])
        #expect(try decode([1, 0, 0x78, 0], coding) == ["Profile": "x"])
        #expect(try decode(Array("Profile\u{0}\u{2}\u{0}".utf8), coding) == ["Profile": "Error-Code"])
        #expect(throws: BLIPPropertiesError.unknownToken) { try decode([1, 0, 3, 0], coding) }
        #expect(throws: BLIPPropertiesError.unknownToken) { try decode([1, 0, 0x1F, 0], coding) }
        #expect(try decode([1, 0, 0x20, 0], coding) == ["Profile": " "])
        // A token and the string that it stands for are the same name.
        #expect(throws: BLIPPropertiesError.duplicateName) {
            try decode(Array("\u{1}\u{0}a\u{0}Profile\u{0}b\u{0}".utf8), coding)
        }
        // What would be taken for a token is not written.
        #expect(throws: BLIPPropertiesError.unknownToken) { try coding.encode(["a": "\u{1}"], limit: 100) }
        #expect(throws: BLIPPropertiesError.unknownToken) { try coding.encode(["\u{1F}": "a"], limit: 100) }
        #expect(throws: Never.self) { try coding.encode(["a": "\u{1}\u{2}", "b": ""], limit: 100) }
        // Without tokens a control character is only itself.
        #expect(try decode([1, 0, 5, 0]) == ["\u{1}": "\u{5}"])
    }

    private func decode(_ text: String) throws(BLIPPropertiesError) -> BLIPProperties { try decode(Array(text.utf8)) }

    private func decode(
        _ bytes: [UInt8], _ coding: BLIPPropertiesCoding = BLIPPropertiesCoding(tokens: [])
    ) throws(BLIPPropertiesError) -> BLIPProperties {
        let result: Result<BLIPProperties, BLIPPropertiesError> = bytes.withUnsafeBytes { all in
            do throws(BLIPPropertiesError) { return .success(try coding.decode(all)) } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
