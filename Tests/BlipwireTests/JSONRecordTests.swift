// JSON objects of the workbench: compact when written, lenient about layout when read.

import Testing

@testable import Workbench

@Suite struct JSONRecordTests {
    @Test("writes compact JSON in the given order")
    func writing() {
        let record: JSONRecord = [
            "b": .integer(-7), "a": .string("q\"\\\n\u{1B}\u{202E}é"), "n": .null, "t": .bool(true), "x": .number(0.5),
            "i": .number(.infinity), "s": .strings(["1", "2"]),
        ]
        #expect(
            record.text
                == #"{"b":-7,"a":"q\"\\\u000a\u001b\u202eé","n":null,"t":true,"x":0.5,"i":null,"s":["1","2"]}"#)
    }

    @Test("reads what it writes, and what others write with spaces and escapes")
    func reading() throws {
        let text =
            " { \"length\" : 5 ,\n\"sha256\":\"\\u00e9\\/\\ud83d\\ude00x\", \"user\": 1.5e-3,\"ok\":true,\"no\":null } "
        let record = try #require(JSONRecord(parsing: Array(text.utf8)))
        #expect(record.number("length") == 5)
        #expect(record["length"] == .integer(5))
        #expect(record["sha256"] == .string("é/😀x"))
        #expect(record.number("user") == 0.0015)
        #expect(record["ok"] == .bool(true))
        #expect(record["no"] == .null)
        #expect(record["else"] == nil)
        #expect(JSONRecord(parsing: Array("{}".utf8))?.members.isEmpty == true)
    }

    @Test(
        "refuses what is no flat object",
        arguments: [
            "", "{", "}", "[]", "5", "{\"a\":}", "{\"a\" 1}", "{\"a\":1,}", "{a:1}", "{\"a\":1}x", "{\"a\":[1]}",
            "{\"a\":{}}", "{\"a\":\"", "{\"a\":\"\\x\"}", "{\"a\":\"\\u12\"}", "{\"a\":\"\\ud800\"}", "{\"a\":\"\n\"}",
            "{\"a\":--1}", "{\"a\":1 \"b\":2}",
        ])
    func refusing(text: String) {
        #expect(JSONRecord(parsing: Array(text.utf8)) == nil)
    }
}
