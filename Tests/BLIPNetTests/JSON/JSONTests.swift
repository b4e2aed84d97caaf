// JSON: what is written is safe to print and can be read back; what is read is checked.

import TestSupport
import Testing

@testable import BLIPNet

@Suite struct JSONTests {
    private func read(_ text: String) throws -> JSONValue { try JSONReader.read(Array(text.utf8)) }

    @Test("escapes controls, C1, bidi controls and line separators, and keeps other text")
    func escapes() {
        #expect(
            JSONValue.string("a\u{1B}[31m\u{7F}\u{9B}\u{202E}\u{2066}\u{200F}\u{2028}\u{FEFF}").text
                == #""a\u001b[31m\u007f\u009b\u202e\u2066\u200f\u2028\ufeff""#)
        #expect(JSONValue.string("\"\\\n\t\r\u{0}").text == #""\"\\\n\t\u000d\u0000""#)
        #expect(JSONValue.string("grüße 👍🏽 שלום \"\u{301}").text == "\"grüße 👍🏽 שלום \\\"\u{301}\"")
    }

    @Test("writes objects in their order and leaves out what is nil")
    func objects() {
        let record = JSONValue.record([
            "v": 1, "type": "x", "none": nil, "null": .some(.null), "list": .array([.bool(true), .number(1.5)]),
        ])
        #expect(record.text == #"{"v":1,"type":"x","null":null,"list":[true,1.5]}"#)
    }

    @Test("reads back whatever it writes", arguments: 0..<200)
    func roundTrip(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let value = Self.random(depth: 0, &generator)
        #expect(try read(value.text) == value)
    }

    @Test("reads escapes, surrogate pairs and blanks")
    func reading() throws {
        #expect(
            try read(#" { "a" : [ 1 , -2.5e1 , "\ud83d\ude00\/\b" ] } "#)
                == .record(["a": .array([.integer(1), .number(-25), .string("😀/\u{8}")])]))
        #expect(try read("9223372036854775808") == .number(9_223_372_036_854_775_808))
    }

    @Test(
        "refuses what is not JSON",
        arguments: [
            "", "{", "[1,]", "{\"a\":1,}", "{\"a\" 1}", "{\"a\":1,\"a\":2}", "01", "+1", "1.", ".5", "1e", "--1", "nul",
            "\"a", "\"\\x\"", "\"\\ud800\"", "\"\\u12g4\"", "\"\u{1}\"", "1 2", "[1}", "1e999", "'a'", "\"\\u+123\"",
        ])
    func refusals(text: String) { #expect(throws: JSONError.self) { try read(text) } }

    @Test("refuses depth without end and bytes that are not UTF-8")
    func limits() {
        #expect(throws: JSONError.self) { try read(String(repeating: "[", count: 100_000)) }
        #expect(throws: JSONError.self) { try JSONReader.read([0x22, 0xFF, 0x22]) }
    }

    private func read(_ text: String, _ change: (inout JSONRules) -> Void) throws -> JSONValue {
        var rules = JSONRules()
        change(&rules)
        return try JSONReader.read(Array(text.utf8), rules: rules)
    }

    @Test("keeps numbers that no type holds as they were written, where the rules say so")
    func digits() throws {
        for text in ["9223372036854775808", "-123456789012345678901234567890", "1e999", "-1E+400"] {
            let value = try read(text) { $0.keepsDigits = true }
            #expect(value == .digits(text) && value.text == text)
        }
        #expect(try read("1e21") { $0.keepsDigits = true } == .number(1e21))
        #expect(JSONValue.number(1e21).text == "1e+21")
    }

    @Test("repairs half of a surrogate pair where the rules say so, and takes what follows as it is")
    func surrogates() throws {
        for (text, expected) in [
            (#""\ud800""#, "\u{FFFD}"), (#""a\udc00b""#, "a\u{FFFD}b"), (#""\ud83dx""#, "\u{FFFD}x"),
            (#""\ud83d\u0041""#, "\u{FFFD}A"), (#""\ud83d\ud83d\ude00""#, "\u{FFFD}😀"),
        ] {
            #expect(try read(text) { $0.repairsSurrogates = true } == .string(expected))
            #expect(throws: JSONError.self) { try read(text) }
        }
    }

    @Test("counts levels and values, and says which byte was too much")
    func bombs() {
        #expect(throws: JSONError(reason: "nested too deeply", offset: 3, isLimit: true)) {
            try read("[[[1]]]") { $0.maxDepth = 3 }
        }
        #expect(throws: JSONError(reason: "too many values", offset: 5, isLimit: true)) {
            try read("[1,2,3]") { $0.maxValues = 3 }
        }
    }

    @Test("finds a name that appears twice among many, and tells names by their bytes")
    func names() throws {
        let names = (0..<5_000).map { "\"n\($0)\":1" }.joined(separator: ",")
        #expect(throws: JSONError.self) { try read("{\(names),\"n77\":2}") }
        #expect(throws: Never.self) { try read("{\(names)}") }
        #expect(throws: Never.self) { try read("{\"\u{E9}\":1,\"e\u{301}\":2}") }
    }

    private static func random(depth: Int, _ generator: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0...(depth < 4 ? 6 : 4), using: &generator) {
        case 0: return .null
        case 1: return .bool(.random(using: &generator))
        case 2: return .integer(.random(in: .min ... .max, using: &generator))
        case 3: return .number(Double.random(in: 0.1...0.9, using: &generator))
        case 4:
            let scalars = (0..<8).compactMap { _ in Unicode.Scalar(UInt32.random(in: 0...0x2FFF, using: &generator)) }
            return .string(String(String.UnicodeScalarView(scalars)))
        case 5: return .array((0..<3).map { _ in random(depth: depth + 1, &generator) })
        default:
            return .object((0..<3).map { .init(name: "n\($0)", value: random(depth: depth + 1, &generator)) })
        }
    }
}
