// Tests of redirects: where they lead, what is refused, what is left behind.

import Testing

@testable import BLIPNet

@Suite struct HTTPRedirectTests {
    private static func judge(_ location: String?, from url: String) throws -> HTTPRedirect {
        var response = HTTPResponseHead(status: 302, reason: "Found")
        if let location { response.fields.append(name: "Location", value: location) }
        return try HTTPRedirect.judge(response, from: WebSocketURL(url))
    }

    @Test("takes 301, 302, 303, 307 and 308 for redirects, and nothing else")
    func statuses() {
        #expect((100...599).filter(HTTPRedirect.isRedirect) == [301, 302, 303, 307, 308])
    }

    @Test(
        "follows relative and absolute locations",
        arguments: [
            ("/new", "ws://h:81/old", "ws://h:81/new", false), ("b?c", "ws://h/a/x?y", "ws://h/a/b?c", false),
            ("?z", "ws://h/a?y", "ws://h/a?z", false), ("../b", "wss://h/a/c/d", "wss://h/a/b", false),
            ("//other/x", "wss://h/", "wss://other/x", true), ("http://H:80/x#top", "ws://h/", "ws://h/x", false),
            ("https://h/x", "ws://h/", "wss://h/x", true), ("ws://h:81/x", "ws://h/", "ws://h:81/x", true),
            ("wss://other", "wss://h/", "wss://other/", true), ("/x", "ws://[::1]:8/", "ws://[::1]:8/x", false),
            ("/x?y", "unix:/run/s", "unix:/run/sx?y", false), ("ws://h/x", "unix:/run/s", "ws://h/x", true),
        ] as [(String, String, String, Bool)])
    func follows(location: String, from: String, to: String, leavesOrigin: Bool) throws {
        let redirect = try Self.judge(location, from: from)
        #expect(redirect.url.description == to)
        #expect(redirect.leavesOrigin == leavesOrigin)
    }

    @Test(
        "refuses what is unsafe or means nothing",
        arguments: [
            (nil, "ws://h", .noLocation), ("", "ws://h", .noLocation), ("http://", "ws://h", .malformedLocation),
            ("ws://h:x/", "ws://h", .malformedLocation), ("%zz", "ws://h", .malformedLocation),
            ("ftp://h/", "ws://h", .forbiddenScheme), ("file:///etc/passwd", "ws://h", .forbiddenScheme),
            ("unix:/run/docker.sock", "ws://h", .forbiddenScheme), ("javascript:1", "wss://h", .forbiddenScheme),
            ("http://h/", "wss://h", .losesEncryption), ("ws://other/", "wss://h", .losesEncryption),
            ("ws://user:pass@h/", "ws://h", .credentialsInLocation),
        ] as [(String?, String, HTTPRedirect.Refusal)])
    func refuses(location: String?, from: String, refusal: HTTPRedirect.Refusal) {
        #expect(throws: refusal) { try Self.judge(location, from: from) }
    }

    @Test("refuses two locations")
    func twoLocations() throws {
        var response = HTTPResponseHead(status: 302, reason: "")
        response.fields.append(name: "Location", value: "/a")
        response.fields.append(name: "location", value: "/b")
        #expect(throws: HTTPRedirect.Refusal.noLocation) {
            try HTTPRedirect.judge(response, from: WebSocketURL("ws://h"))
        }
    }

    @Test("keeps the credentials of the URL for the same server and drops them for another")
    func credentials() throws {
        #expect(try Self.judge("/x", from: "ws://u:p@h").url.credentials != nil)
        #expect(try Self.judge("http://h/x", from: "ws://u:p@h").url.credentials != nil)
        for other in ["ws://other/", "ws://h:81/", "wss://h/"] {
            #expect(try Self.judge(other, from: "ws://u:p@h").url.credentials == nil)
        }
    }

    @Test("leaves the fields with credentials behind, in any case of letters")
    func fields() {
        var fields = HTTPFields()
        for name in ["X-A", "AUTHORIZATION", "cookie", "Proxy-Authorization", "Cookie2", "X-Authorization"] {
            fields.append(name: name, value: "v")
        }
        #expect(fields.withoutCredentials().all.map(\.name) == ["X-A", "X-Authorization"])
    }
}
