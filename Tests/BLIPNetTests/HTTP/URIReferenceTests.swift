// Tests of URI references: the examples of RFC 3986 section 5.4, and what is refused.

import Testing

@testable import BLIPNet

@Suite struct URIReferenceTests {
    @Test(
        "resolves the examples of RFC 3986",
        arguments: [
            ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
            ("", "http://a/b/c/d;p?q"), ("g#s", "http://a/b/c/g"), (";x", "http://a/b/c/;x"),
            ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"), (".", "http://a/b/c/"),
            ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"),
            ("../..", "http://a/"), ("../../", "http://a/"), ("../../g", "http://a/g"), ("../../../g", "http://a/g"),
            ("../../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
            ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("..g", "http://a/b/c/..g"),
            ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"),
            ("g/../h", "http://a/b/c/h"), ("g?y/../x", "http://a/b/c/g?y/../x"),
        ])
    func examples(relative: String, expected: String) throws {
        let base = try #require(URIReference("http://a/b/c/d;p?q"))
        let reference = try #require(URIReference(relative))
        #expect(reference.resolved(against: base) == URIReference(expected))
    }

    @Test("puts a slash before a path behind a base without one")
    func emptyBasePath() throws {
        let base = try #require(URIReference("ws://host"))
        #expect(URIReference("x")?.resolved(against: base).path == "/x")
    }

    @Test("writes what may not stand in a URI as bytes in hexadecimal")
    func encodes() {
        #expect(URIReference("/\u{e4} b\"")?.path == "/%C3%A4%20b%22")
    }

    @Test(
        "refuses control characters and broken percent-encoding", arguments: ["/a\r\nb", "/\u{7f}", "%", "%4", "%g0"])
    func refuses(text: String) { #expect(URIReference(text) == nil) }

    @Test("takes a colon in a path for no scheme")
    func colon() {
        #expect(URIReference("./a:b")?.scheme == nil)
        #expect(URIReference("1a:b")?.scheme == nil)
        #expect(URIReference("A+1:b")?.scheme == "a+1")
    }
}
