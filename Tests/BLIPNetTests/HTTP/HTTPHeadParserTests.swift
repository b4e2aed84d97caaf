// Whole heads: read, and refused where two readers could understand them differently.

import Testing

@testable import BLIPNet

@Suite struct HTTPHeadParserTests {
    private static func request(_ text: String, maxFields: Int = 100) throws(HTTPHeadError) -> HTTPRequestHead {
        try HTTPHeadParser.parseRequest(Array(text.utf8), maxFields: maxFields)
    }
    private static func response(_ text: String) throws(HTTPHeadError) -> HTTPResponseHead {
        try HTTPHeadParser.parseResponse(Array(text.utf8), maxFields: 100)
    }

    @Test("reads a request")
    func readsRequest() throws {
        let head = try Self.request("GET /a?b=c HTTP/1.1\r\nHost: x\r\nA:  1 , ,2\t\r\na:3\r\nEmpty:\r\n\r\n")
        #expect(head.method == "GET")
        #expect(head.target == "/a?b=c")
        #expect(head.fields.single("HOST") == "x")
        #expect(head.fields.values("a") == ["1 , ,2", "3"])
        #expect(head.fields.single("a") == nil)
        #expect(head.fields.list("A") == ["1", "2", "3"])
        #expect(head.fields.list("A", contains: "2"))
        #expect(head.fields.single("empty") == "")
    }

    @Test("reads a response, with and without a reason")
    func readsResponse() throws {
        #expect(try Self.response("HTTP/1.1 404 Not Found\r\n\r\n").reason == "Not Found")
        #expect(try Self.response("HTTP/1.1 200 \r\n\r\n").status == 200)
        #expect(try Self.response("HTTP/1.1 101\r\n\r\n").status == 101)
    }

    @Test("takes text that is not UTF-8 byte for byte")
    func latin1() throws {
        let head = try HTTPHeadParser.parseResponse(
            Array("HTTP/1.1 200 ".utf8) + [0xFC] + Array("\r\nA: ".utf8) + [0xE4, 0x0D, 0x0A, 0x0D, 0x0A],
            maxFields: 100)
        #expect(head.reason == "ü")
        #expect(head.fields.single("A") == "ä")
    }

    @Test(
        "refuses malformed requests",
        arguments: [
            "", "GET / HTTP/1.1", "GET / HTTP/1.1\r\n", "GET  / HTTP/1.1\r\n\r\n", "GET /\r\n\r\n",
            "GET / HTTP/1.1 \r\n\r\n", "GET /a b HTTP/1.1\r\n\r\n", "G(T / HTTP/1.1\r\n\r\n", "GET / http/1.1\r\n\r\n",
            "GET /ü HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nA\r\n\r\n", "GET / HTTP/1.1\r\n: b\r\n\r\n",
            "GET / HTTP/1.1\r\nA : b\r\n\r\n", "GET / HTTP/1.1\r\nA\t: b\r\n\r\n", "GET / HTTP/1.1\r\n A: b\r\n\r\n",
            "GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", "GET / HTTP/1.1\r\nA: b\r\n\tc\r\n\r\n",
            "GET / HTTP/1.1\r\nA: b\0c\r\n\r\n", "GET / HTTP/1.1\r\nA: b\rc\r\n\r\n", "GET / HTTP/1.1\r\nÄ: b\r\n\r\n",
        ])
    func refusesRequests(text: String) {
        do throws(HTTPHeadError) {
            _ = try Self.request(text)
            Issue.record("was taken")
        } catch {
            #expect(error.status == 400)
        }
    }

    @Test(
        "refuses malformed responses",
        arguments: [
            "", "SSH-2.0-x\r\n\r\n", "HTTP/1.1\r\n\r\n", "HTTP/1.1 20 x\r\n\r\n", "HTTP/1.1 +20 x\r\n\r\n",
            "HTTP/1.1 099 x\r\n\r\n", "HTTP/1.1 2000 x\r\n\r\n", "HTTP/1.1  200 x\r\n\r\n", "HTTP/1.1 ٢٠٠ x\r\n\r\n",
        ])
    func refusesResponses(text: String) {
        #expect(throws: HTTPHeadError.self) { try Self.response(text) }
    }

    @Test("refuses other versions of HTTP")
    func versions() {
        #expect(throws: HTTPHeadError.unsupportedVersion) { try Self.request("GET / HTTP/1.0\r\n\r\n") }
        #expect(throws: HTTPHeadError.unsupportedVersion) { try Self.response("HTTP/2.0 200 OK\r\n\r\n") }
    }

    @Test("100 fields are taken, and one more is refused")
    func fieldLimit() throws {
        let line = "A: b\r\n"
        let start = "GET / HTTP/1.1\r\n"
        #expect(try Self.request(start + String(repeating: line, count: 100) + "\r\n").fields.all.count == 100)
        #expect(throws: HTTPHeadError.tooManyFields) {
            try Self.request(start + String(repeating: line, count: 101) + "\r\n")
        }
    }

    @Test("takes a refusal in HTTP/1.0, but no upgrade")
    func olderVersion() throws {
        func parse(_ text: String) throws(HTTPHeadError) -> HTTPResponseHead {
            try HTTPHeadParser.parseResponse(Array(text.utf8), maxFields: 10)
        }
        #expect(try parse("HTTP/1.0 404 Not Found\r\n\r\n").status == 404)
        #expect(throws: HTTPHeadError.unsupportedVersion) { try parse("HTTP/1.0 101 Switching\r\n\r\n") }
        #expect(throws: HTTPHeadError.unsupportedVersion) { try parse("HTTP/0.9 404 Not Found\r\n\r\n") }
        #expect(throws: HTTPHeadError.unsupportedVersion) { try parse("HTTP/2.0 404 Not Found\r\n\r\n") }
    }
}

@Suite struct Base64Tests {
    @Test(
        "encodes and decodes the examples of RFC 4648",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func examples(plain: String, encoded: String) {
        #expect(Base64.encode(Array(plain.utf8)) == encoded)
        #expect(Base64.decode(encoded) == Array(plain.utf8))
    }

    @Test("decodes all bytes back")
    func allBytes() {
        let bytes = (0...255).map { UInt8($0) }
        #expect(Base64.decode(Base64.encode(bytes)) == bytes)
    }

    @Test(
        "refuses every form but the one that an encoder writes",
        arguments: ["Zg", "Zg=", "Zh==", "Zm9=", "Zg==Zg==", "=g==", "Z===", "====", " Zg=", "Zm9v\n", "Zm9-", "Zg=a"])
    func strict(text: String) { #expect(Base64.decode(text) == nil) }
}
