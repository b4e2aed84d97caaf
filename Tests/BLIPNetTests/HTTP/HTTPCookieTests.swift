// Which cookies a jar takes, and to whom it shows them.

import Testing

@testable import BLIPNet

@Suite struct HTTPCookieTests {
    private static func url(_ text: String) throws -> WebSocketURL { try WebSocketURL(text) }

    /// A jar in which the server of `url` has set `cookies`.
    private static func jar(_ cookies: String..., from url: String, now: Int64 = 0) throws -> HTTPCookieJar {
        var jar = HTTPCookieJar()
        var fields = HTTPFields()
        for cookie in cookies { fields.append(name: "Set-Cookie", value: cookie) }
        jar.take(fields, from: try self.url(url), now: now)
        return jar
    }

    private static func shown(_ jar: HTTPCookieJar, to url: String, now: Int64 = 0) throws -> String? {
        var jar = jar
        return jar.header(for: try self.url(url), now: now)
    }

    @Test("a cookie of polling follows to the WebSocket of the same server")
    func follows() throws {
        let jar = try Self.jar("io=abc; Path=/; HttpOnly; SameSite=Strict", from: "http://example.org/socket.io/?EIO=3")
        #expect(try Self.shown(jar, to: "ws://example.org/socket.io/?transport=websocket") == "io=abc")
        #expect(try Self.shown(jar, to: "ws://EXAMPLE.org:8080/") == "io=abc")
        #expect(try Self.shown(jar, to: "ws://www.example.org/") == nil)
        #expect(try Self.shown(jar, to: "ws://notexample.org/") == nil)
    }

    @Test("a domain widens to hosts below it, and a server sets none for strangers")
    func domains() throws {
        let jar = try Self.jar(
            "a=1; Domain=.example.org", "b=2; Domain=other.org", "c=3; Domain=org", "d=4; domain=www.example.org",
            from: "https://www.example.org/")
        #expect(try Self.shown(jar, to: "wss://example.org/") == "a=1")
        #expect(try Self.shown(jar, to: "wss://x.www.example.org/") == "a=1; d=4")
        #expect(try Self.shown(jar, to: "wss://other.org/") == nil)
        let address = try Self.jar("a=1; Domain=127.0.0.1", from: "http://127.0.0.1:80/")
        #expect(try Self.shown(address, to: "ws://127.0.0.1:8080/") == "a=1")
    }

    @Test("a path covers what is below it; longer ones go first")
    func paths() throws {
        let jar = try Self.jar("a=1; Path=/", "b=2; Path=/socket.io", "c=3", from: "http://h/x/y?z=/")
        #expect(try Self.shown(jar, to: "ws://h/socket.io/?a") == "b=2; a=1")
        #expect(try Self.shown(jar, to: "ws://h/socket.iou") == "a=1")
        #expect(try Self.shown(jar, to: "ws://h/x/z") == "c=3; a=1")
        #expect(try Self.shown(jar, to: "ws://h/socket.io") == "b=2; a=1")
    }

    @Test("a secure cookie comes over TLS, goes over TLS, and is not overwritten without it")
    func secure() throws {
        var jar = try Self.jar("a=1; Secure; Path=/", from: "https://h/")
        #expect(try Self.shown(jar, to: "ws://h/") == nil)
        #expect(try Self.shown(jar, to: "wss://h/") == "a=1")
        #expect(try Self.jar("a=1; Secure", from: "http://h/").cookies.isEmpty)
        var fields = HTTPFields()
        fields.append(name: "Set-Cookie", value: "a=2; Path=/")
        jar.take(fields, from: try Self.url("http://h/"), now: 0)
        #expect(try Self.shown(jar, to: "wss://h/") == "a=1")
    }

    @Test("cookies end with their age or at their date, and the age counts more")
    func ages() throws {
        let date = "Expires=Thu, 01 Jan 1970 00:16:40 GMT"
        let jar = try Self.jar(
            "a=1; Max-Age=10", "b=2; \(date)", "c=3; \(date); Max-Age=5", from: "http://h/", now: 100)
        #expect(try Self.shown(jar, to: "ws://h/", now: 104) == "a=1; b=2; c=3")
        #expect(try Self.shown(jar, to: "ws://h/", now: 109) == "a=1; b=2")
        #expect(try Self.shown(jar, to: "ws://h/", now: 999) == "b=2")
        #expect(try Self.shown(jar, to: "ws://h/", now: 1000) == nil)
        #expect(try Self.jar("a=1; Max-Age=0", from: "http://h/").cookies.isEmpty)
        #expect(try Self.jar("a=1; Max-Age=9223372036854775807", from: "http://h/", now: 9).cookies.count == 1)
    }

    @Test("a cookie of the same name, domain and path replaces the one before")
    func replaces() throws {
        let jar = try Self.jar("a=1; Path=/", "b=2; Path=/", "a=3; Path=/", from: "http://h/")
        #expect(try Self.shown(jar, to: "ws://h/") == "a=3; b=2")
    }

    @Test("what is no cookie is left out, and a server cannot fill the memory")
    func limits() throws {
        let large = "x=" + String(repeating: "y", count: 5_000)
        #expect(try Self.jar("", "x", "=1", "a b=1", large, from: "http://h/").cookies.isEmpty)
        var jar = HTTPCookieJar()
        for number in 0..<200 {
            var fields = HTTPFields()
            fields.append(name: "Set-Cookie", value: "c\(number)=1")
            jar.take(fields, from: try Self.url("http://h/"), now: 0)
        }
        #expect(jar.cookies.count == 50 && jar.cookies.last?.name == "c199")
    }

    @Test(
        "reads the dates of cookies",
        arguments: [
            ("Wed, 21 Oct 2015 07:28:00 GMT", 1_445_412_480), ("Wednesday, 21-Oct-15 07:28:00 GMT", 1_445_412_480),
            ("Thu Jan  1 00:00:01 1970", 1), ("29 Feb 2024 00:00:00", 1_709_164_800), ("31 Dec 1969 23:59:59", -1),
        ])
    func dates(text: String, seconds: Int64) { #expect(HTTPDate.seconds(text) == seconds) }

    @Test(
        "refuses what is no date",
        arguments: [
            "", "tomorrow", "21 Oct 2015", "21 Oct 2015 25:00:00", "99 Oct 2015 01:00:00", "1 Oct 1500 01:00:00",
        ])
    func noDates(text: String) { #expect(HTTPDate.seconds(text) == nil) }
}
