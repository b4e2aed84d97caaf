// The grammar of Sec-WebSocket-Extensions.

import Testing

@testable import BLIPNet

@Suite struct WebSocketExtensionFieldTests {
    private static func parse(_ values: String...) throws(HTTPHeadError) -> [WebSocketExtension] {
        var fields = HTTPFields()
        for value in values { fields.append(name: "sec-websocket-extensions", value: value) }
        return try WebSocketExtension.parse(fields)
    }

    private static func parameter(_ name: String, _ value: String? = nil) -> WebSocketExtension.Parameter {
        WebSocketExtension.Parameter(name: name, value: value)
    }

    @Test("reads names, parameters with and without values, quoted values, lists and several fields, in order")
    func reads() throws {
        let foo = WebSocketExtension(name: "foo")
        let bar = WebSocketExtension(
            name: "bar", parameters: [Self.parameter("a"), Self.parameter("b", "1"), Self.parameter("c", "x-y")])
        #expect(try Self.parse() == [])
        #expect(try Self.parse("foo") == [foo])
        #expect(try Self.parse("foo, bar; a; b=1; c=x-y") == [foo, bar])
        #expect(try Self.parse("foo,bar;a;b=1;c=x-y") == [foo, bar])
        #expect(try Self.parse(" ,foo ,\t, bar ; a ; b = 1 ;\tc = \"x-y\" , ") == [foo, bar])
        #expect(try Self.parse("bar; a; b=\"\\1\"; c=\"\\x\\-y\"", "foo") == [bar, foo])
    }

    @Test(
        "refuses what is not in the grammar",
        arguments: [
            "", ",", "foo bar", "foo;", "foo; ;", "; a", "foo; a=", "foo; a=\"\"", "foo; a=\"x y\"", "foo; a=\"x",
            "foo; a=\"x\\", "foo; a=b c", "foo; a=\"b\"c", "foo; =b", "fo\u{e9}", "foo; a, , b c", "(foo)", "foo/1",
        ])
    func refuses(value: String) {
        #expect(throws: HTTPHeadError.malformed("malformed Sec-WebSocket-Extensions")) { try Self.parse(value) }
    }

    @Test("writes what it reads")
    func writes() throws {
        let text = "bar; a; b=1; c=x-y"
        #expect(try Self.parse(text).map(\.text) == [text])
    }
}
