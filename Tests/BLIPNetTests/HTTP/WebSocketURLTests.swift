// Tests of WebSocket URLs: what they name, what HTTP gets of them, what is refused.

import Testing

@testable import BLIPNet

@Suite struct WebSocketURLTests {
    @Test(
        "reads host, port, target and Host field",
        arguments: [
            ("ws://example.org", "example.org", 80, "/", "example.org"),
            ("wss://example.org", "example.org", 443, "/", "example.org"),
            ("WS://Example.ORG:80/", "example.org", 80, "/", "example.org"),
            ("wss://h:80/a/b?c=d&e", "h", 80, "/a/b?c=d&e", "h:80"),
            ("https://h?q", "h", 443, "/?q", "h"),
            ("http://127.0.0.1:9001/x", "127.0.0.1", 9001, "/x", "127.0.0.1:9001"),
            ("ws://h:/x", "h", 80, "/x", "h"),
            ("ws://[::1]:8080/x", "::1", 8080, "/x", "[::1]:8080"),
            ("ws://[FE80::1%25eth0]/", "fe80::1%eth0", 80, "/", "[fe80::1]"),
            ("ws://a%2Db/%41%2f%20", "a-b", 80, "/%41%2f%20", "a-b"),
        ] as [(String, String, UInt16, String, String)])
    func parts(text: String, host: String, port: UInt16, target: String, hostHeader: String) throws {
        let url = try WebSocketURL(text)
        #expect(url.endpoint == .host(host, port: port))
        #expect(url.target == target)
        #expect(url.hostHeader == hostHeader)
        #expect(url.isEncrypted == ["wss", "https"].contains(text.prefix { $0 != ":" }))
    }

    @Test("decodes user and password, and keeps them out of its description")
    func credentials() throws {
        let url = try WebSocketURL("wss://us%65r:p%40ss:w%C3%B6rd@host/x")
        #expect(url.credentials == HTTPCredentials(user: "user", password: "p@ss:wörd"))
        #expect(url.description == "wss://host/x")
        #expect(try WebSocketURL("ws://alone@host").credentials == HTTPCredentials(user: "alone", password: ""))
        #expect(!"\(HTTPCredentials(user: "u", password: "secret"))".contains("secret"))
    }

    @Test("reads the path of a UNIX socket and a query for the server")
    func unix() throws {
        let url = try WebSocketURL("unix:/run/a%20b.sock?dialect=2.0")
        #expect(url.endpoint == .unix(path: "/run/a b.sock"))
        #expect(url.target == "/?dialect=2.0")
        #expect(url.hostHeader == "localhost")
        #expect(url.description == "unix:/run/a%20b.sock?dialect=2.0")
        #expect(try WebSocketURL("unix:relative.sock").endpoint == .unix(path: "relative.sock"))
        // Two slashes at the start are no authority when it is written again.
        let doubled = try WebSocketURL("unix:////run/b.sock")
        #expect(doubled.endpoint == .unix(path: "//run/b.sock"))
        #expect(try WebSocketURL(doubled.description) == doubled)
    }

    @Test(
        "refuses what is no URL of a server",
        arguments: [
            ("", WebSocketURLError.unknownScheme), ("host:80", .unknownScheme), ("ftp://host", .unknownScheme),
            ("//host", .unknownScheme), ("ws:", .malformed), ("ws:///path", .malformed), ("ws://:80", .malformed),
            ("ws://h:0", .malformed), ("ws://h:65536", .malformed), ("ws://h:8o", .malformed),
            ("ws://h:+80", .malformed), ("ws://h:1:2", .malformed), ("ws://[::1", .malformed),
            ("ws://[::1]x", .malformed), ("ws://[127.0.0.1]", .malformed), ("ws://::1/", .malformed),
            ("ws://a%00b", .malformed), ("ws://a%2Fb", .malformed), ("ws://a%20b", .malformed),
            ("ws://h\u{f6}st", .malformed), ("ws://a%", .malformed), ("ws://[fe80::1%25]", .malformed),
            ("ws://h/x#y", .hasFragment), ("unix:", .malformed), ("unix://host/x", .malformed),
            ("unix:/a%00b", .malformed), ("ws://us%ffer@h", .malformed), ("ws://h\r\nX: y", .malformed),
        ] as [(String, WebSocketURLError)])
    func refuses(text: String, error: WebSocketURLError) {
        #expect(throws: error) { try WebSocketURL(text) }
    }
}
