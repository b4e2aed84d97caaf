// Addresses as people write them.

import Testing

@testable import BLIPNet

@Suite("Endpoint", .timeLimit(.minutes(5))) struct EndpointTests {
    @Test(
        "reads what it writes",
        arguments: [
            ("example.org:7000", Endpoint.host("example.org", port: 7000)),
            ("127.0.0.1:1", .host("127.0.0.1", port: 1)),
            ("[::1]:65535", .host("::1", port: 65535)),
            ("unix:/run/x.sock", .unix(path: "/run/x.sock")), ("[unix]:7", .host("unix", port: 7)),
            ("unix:7", .unix(path: "7")), ("Unix:7", .host("Unix", port: 7)),
        ])
    func roundTrip(text: String, endpoint: Endpoint) {
        #expect(Endpoint(text) == endpoint)
        #expect(endpoint.description == text)
    }

    @Test("fills the port in where there is none")
    func defaultPort() {
        #expect(Endpoint("host", defaultPort: 9) == .host("host", port: 9))
        #expect(Endpoint("unix", defaultPort: 9) == .host("unix", port: 9))
        #expect(Endpoint("::1", defaultPort: 9) == .host("::1", port: 9))
        #expect(Endpoint("[::1]", defaultPort: 9) == .host("::1", port: 9))
        #expect(Endpoint("fe80::1%eth0", defaultPort: 9) == .host("fe80::1%eth0", port: 9))
        #expect(Endpoint("host") == nil)
    }

    @Test("reads the zone of an address as URIs write it, and as people do")
    func zone() {
        for text in ["[fe80::1%25eth0]:7", "[fe80::1%eth0]:7"] {
            #expect(Endpoint(text) == .host("fe80::1%eth0", port: 7))
        }
        // Not enough for both.
        #expect(Endpoint("[fe80::1%25]:7") == .host("fe80::1%25", port: 7))
    }

    @Test(
        "refuses what is no address",
        arguments: [
            "", ":1", "host:", "host:x", "host:65536", "host:-1", "host:+1", "[::1:1", "[::1]x", "a b:1", "unix:",
            "a/b:1",
            "me@host:1", "ho\u{0}st:1", "foo::bar:99999", "a:b:1", "::1%", "1.2.3.4:5:6",
        ])
    func refuses(text: String) {
        #expect(Endpoint(text, defaultPort: 1) == nil)
    }

    @Test("names what stands in the HTTP Host field")
    func hostHeader() {
        #expect(Endpoint.host("::1", port: 7).hostHeader == "[::1]:7")
        #expect(Endpoint.host("bücher.example", port: 7).hostHeader == "xn--bcher-kva.example:7")
        #expect(Endpoint.unix(path: "/x").hostHeader == "localhost")
    }
}
