// Links: where they begin and end, what the terminal is told of them, and how a host is shown that pretends.

import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Links")
struct LinkTests {
    private func links(_ text: String) -> [String] {
        SafeText(text, as: .multiline).links.map(\.text)
    }

    @Test(
        "a link ends where its sentence goes on",
        arguments: [
            ("see https://example.org/a.", "https://example.org/a"),
            ("(https://example.org/a)", "https://example.org/a"),
            ("https://en.wikipedia.org/wiki/Swift_(bird), I think", "https://en.wikipedia.org/wiki/Swift_(bird)"),
            ("<HTTPS://Example.org/?q=1&r=2>", "HTTPS://Example.org/?q=1&r=2"),
            ("\"http://a.b/c\"", "http://a.b/c"), ("x:ftp://host/file;type=i!", "ftp://host/file;type=i"),
            ("mailto:jo@example.org...", "mailto:jo@example.org"), ("http://[::1]:8080/", "http://[::1]:8080/"),
        ])
    func ends(text: String, link: String) {
        #expect(links(text) == [link])
    }

    @Test(
        "what only looks a little like a link is text",
        arguments: ["a://", "://x", "12:30", "c:/dir", "https:/x", "9://"])
    func none(text: String) {
        #expect(links(text).isEmpty)
    }

    @Test(
        "an address that begins with www. is one, and is opened with https",
        arguments: [
            ("see www.example.org.", "www.example.org"), ("(WWW.Example.org/a?b)", "WWW.Example.org/a?b"),
            ("www.bücher.example:8080/x", "www.bücher.example:8080/x"),
        ])
    func bare(text: String, link: String) {
        let found = SafeText(text, as: .multiline).links
        #expect(found.map(\.text) == [link] && found.first?.isWeb == true)
        #expect(found.first?.target == "https://" + link)
    }

    @Test(
        "www. is no address inside of a word, and without a name behind it",
        arguments: ["awww.example.org", "www.", "www.org", "x@www.example.org", "www..a.b", "www.a.", "éwww.a.b"])
    func notBare(text: String) {
        #expect(links(text).isEmpty)
    }

    @Test("an address is opened as it is shown: what cannot be seen is not in it, a control character ends it")
    func asShown() {
        #expect(links("https://exa\u{200B}mple.org/\u{202E}gpj.exe") == ["https://example.org/"])
        #expect(links("https://example.org/\u{1B}]0;x\u{7}") == ["https://example.org/"])
        #expect(links("https://a.b/1\nhttps://a.b/2 https://a.b/1") == ["https://a.b/1", "https://a.b/2"])
    }

    @Test("a host of several scripts is shown in ASCII, one of one script as it is")
    func hosts() {
        #expect(Link("https://b\u{FC}cher.example/x").shownHost == "b\u{FC}cher.example")
        #expect(Link("https://\u{43F}\u{440}\u{438}\u{43C}\u{435}\u{440}.\u{440}\u{444}").shownHost == "пример.рф")
        // Cyrillic a in front of Latin letters, and a whole label that looks Latin.
        #expect(Link("https://\u{430}pple.com/").shownHost == "xn--pple-43d.com")
        #expect(Link("https://\u{430}\u{440}\u{440}\u{4CF}\u{435}.com/").shownHost == "xn--80ak6aa92e.com")
        #expect(Link("https://user@host.example:81/p").shownHost == "host.example:81")
    }

    @Test("Punycode as in RFC 3492, section 7.1")
    func punycode() {
        #expect(Punycode.encode("bücher") == "bcher-kva")
        #expect(Punycode.encode("münchen") == "mnchen-3ya")
        #expect(Punycode.encode("他们为什么不说中文") == "ihqwcrb4cv8a8dqg056pqjye")
        #expect(Punycode.encode("3年b組金八先生") == "3b-ww4c5e180e575a65lsy2b")
    }

    @Test("the terminal gets ASCII only, of http, https and file, and nothing too long")
    func terminal() {
        #expect(
            Link("https://b\u{FC}cher.example/\u{E9}|x%20").terminalURI == "https://xn--bcher-kva.example/%C3%A9%7Cx%20"
        )
        #expect(Link("file:///etc/motd").terminalURI == "file:///etc/motd")
        #expect(Link("FILE:///tmp/x").terminalURI == "file:///tmp/x")
        #expect(Link("https://a.b/c d;e\u{1B}\\").terminalURI == "https://a.b/c%20d;e%1B%5C")
        let refused = [
            "ftp://host/x", "javascript://x", "javascript:alert(1)", "ssh://host", "example.org", "", "https:/x",
            "https:///x", "data:text/html,x",
        ]
        for address in refused { #expect(Link(address).terminalURI == nil, "\(address)") }
        #expect(Link("https://x/" + String(repeating: "a", count: 2_038)).terminalURI != nil)
        #expect(Link("https://x/" + String(repeating: "a", count: 2_039)).terminalURI == nil)
        #expect(Link("https://x/" + String(repeating: "é", count: 700)).terminalURI == nil)
        #expect(Link("https://a.b/1").terminalID != Link("https://a.b/2").terminalID)
    }

    @Test("wrapped over rows each cell knows its link, and nothing else does")
    func wrapped() {
        let text = SafeText("go https://example.org/0123456789 now", as: .multiline).linked()
        let rows = TextWrap.wrap(text, width: 16)
        #expect(rows.count == 4)
        let linked = rows.map { row in row.clusters.filter { $0.link?.text == "https://example.org/0123456789" }.count }
        #expect(linked.reduce(0, +) == 30)
        #expect(rows.flatMap(\.clusters).filter { $0.link == nil }.map(\.text).joined().contains("now"))
    }

    @Test("a hostile text is scanned in a moment")
    func hostile() {
        for text in ["://", "a://)", ":", "h(", "https://x)"] {
            let long = SafeText(String(repeating: text, count: 8_000), as: .multiline)
            #expect(long.links.count < 10_000)
        }
    }
}
