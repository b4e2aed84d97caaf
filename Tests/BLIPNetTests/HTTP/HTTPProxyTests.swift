// Tests of proxies: what the environment says, whom they are not for, and the request for a tunnel.

import Testing

@testable import BLIPNet

@Suite struct HTTPProxyTests {
    private static func proxy(_ url: String, _ environment: [String: String]) throws -> HTTPProxy? {
        try ProxyChoice.environment.proxy(for: WebSocketURL(url).endpoint) { environment[$0] }
    }

    @Test("reads a proxy with and without a scheme, a port, a user")
    func reads() {
        #expect(HTTPProxy("http://p:3128")?.endpoint == .host("p", port: 3128))
        #expect(HTTPProxy(" p:3128 ")?.endpoint == .host("p", port: 3128))
        #expect(HTTPProxy("http://p/")?.endpoint == .host("p", port: 80))
        #expect(HTTPProxy("[::1]:8")?.endpoint == .host("::1", port: 8))
        #expect(HTTPProxy("http://u:p%40@p:1")?.credentials == HTTPCredentials(user: "u", password: "p@"))
    }

    @Test(
        "refuses proxies that it cannot speak to",
        arguments: ["https://p", "socks5://p:1080", "http://p/path", "http://", "p:port", "http://p?x", "a b"])
    func refuses(text: String) { #expect(HTTPProxy(text) == nil) }

    @Test("takes the proxy for HTTPS from the environment, the lower-case name first")
    func environment() throws {
        #expect(try Self.proxy("wss://h", [:]) == nil)
        #expect(try Self.proxy("wss://h", ["HTTPS_PROXY": "a:1"]) == HTTPProxy("a:1"))
        #expect(try Self.proxy("ws://h", ["HTTPS_PROXY": "a:1"]) == HTTPProxy("a:1"))
        #expect(try Self.proxy("wss://h", ["HTTPS_PROXY": "a:1", "https_proxy": "b:2"]) == HTTPProxy("b:2"))
        #expect(try Self.proxy("wss://h", ["HTTPS_PROXY": "a:1", "https_proxy": ""]) == nil)
        #expect(try Self.proxy("unix:/s", ["HTTPS_PROXY": "a:1"]) == nil)
        #expect(try Self.proxy("wss://h", ["HTTPS_PROXY": "a:1", "NO_PROXY": "h"]) == nil)
        #expect(try Self.proxy("wss://h", ["HTTPS_PROXY": "a:1", "NO_PROXY": "h", "no_proxy": ""]) != nil)
        #expect(throws: ProxyChoice.Unusable(variable: "HTTPS_PROXY")) {
            try Self.proxy("wss://h", ["HTTPS_PROXY": "socks5://x"])
        }
    }

    @Test("takes a given proxy for every server, or none")
    func given() throws {
        let proxy = try #require(HTTPProxy("a:1"))
        let url = try WebSocketURL("wss://h")
        let environment: (String) -> String? = { $0 == "NO_PROXY" ? "*" : "other:1" }
        #expect(try ProxyChoice.proxy(proxy).proxy(for: url.endpoint, environment: environment) == proxy)
        #expect(try ProxyChoice.direct.proxy(for: url.endpoint, environment: environment) == nil)
    }

    @Test(
        "knows whom NO_PROXY means",
        arguments: [
            ("*", "h", true), ("example.org", "example.org", true), ("example.org", "a.example.org", true),
            (".example.org", "a.example.org", true), ("*.example.org", "a.example.org", true),
            ("example.org", "badexample.org", false), ("EXAMPLE.org", "example.org", true),
            ("a,b c", "c", true), ("a,b c", "d", false), ("", "h", false), (",", "h", false),
            ("example.org:443", "example.org", true), ("example.org:80", "example.org", false),
            ("127.0.0.1", "127.0.0.1", true), ("127.0.0.0/8", "127.9.9.9", true), ("10.0.0.0/9", "10.128.0.0", false),
            ("10.0.0.0/9", "10.127.0.0", true), ("10.0.0.0/33", "10.0.0.0", false), ("0.0.0.0/0", "1.2.3.4", true),
            ("::1", "::1", true), ("[::1]", "::1", true), ("[::1]:443", "::1", true), ("[::1]:80", "::1", false),
            ("fe80::/10", "fe80::1%eth0", true), ("0.0.0.1", "0.0.0.1.example", false), ("1", "127.0.0.1", false),
        ] as [(String, String, Bool)])
    func exceptions(value: String, host: String, isDirect: Bool) {
        #expect(NoProxyList(value).contains(host: host, port: 443) == isDirect)
    }

    @Test("asks for a tunnel with host and port, and shows credentials only after a challenge")
    func request() throws {
        let target = try #require(WebSocketURL("wss://u:p@[::1]/x").tunnelTarget)
        var tunnel = HTTPTunnel(target: target)
        #expect(
            String(decoding: tunnel.request, as: UTF8.self) == "CONNECT [::1]:443 HTTP/1.1\r\nHost: [::1]:443\r\n\r\n")
        tunnel.authorization = "Basic eA=="
        #expect(
            String(decoding: tunnel.request, as: UTF8.self)
                == "CONNECT [::1]:443 HTTP/1.1\r\nHost: [::1]:443\r\nProxy-Authorization: Basic eA==\r\n\r\n")
    }

    @Test("takes any 2xx for an open tunnel, in HTTP/1.0 too")
    func response() throws {
        for (line, isOpen) in [
            ("HTTP/1.1 200 OK", true), ("HTTP/1.0 200 Connection established", true), ("HTTP/1.1 299 x", true),
            ("HTTP/1.1 407 x", false), ("HTTP/1.1 302 x", false), ("HTTP/1.1 100 x", false),
        ] {
            let head = try HTTPTunnel.response(Array((line + "\r\n\r\n").utf8), maxFields: 10)
            #expect(HTTPTunnel.isOpen(head) == isOpen)
        }
    }
}
