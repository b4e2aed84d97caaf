// Host names with letters beyond ASCII, in the form that name servers know.

import Testing

@testable import BLIPNet

@Suite("International names", .timeLimit(.minutes(5))) struct InternationalNameTests {
    @Test(
        "are written as the domain name system has them",
        arguments: [
            ("example.org", "example.org"), ("bücher.example", "xn--bcher-kva.example"),
            ("BÜCHER.example", "xn--bcher-kva.example"), ("bu\u{308}cher.example", "xn--bcher-kva.example"),
            ("münchen.de", "xn--mnchen-3ya.de"), ("faß.de", "xn--fa-hia.de"),
            ("日本語。jp", "xn--wgv71a119e.jp"), ("пример.испытание", "xn--e1afmkfd.xn--80akhbyknj4f"),
            // RFC 3492 section 7.1, (A) and (L).
            ("ليهمابتكلموشعربي؟", "xn--egbpdaj6bu4bxfgehfvwxn"), ("3年b組金八先生", "xn--3b-ww4c5e180e575a65lsy2b"),
        ])
    func ascii(name: String, expected: String) { #expect(InternationalName.ascii(name) == expected) }

    @Test("that are too long for a label or a name are none")
    func tooLong() {
        #expect(InternationalName.ascii("ü" + String(repeating: "a", count: 55) + ".de") != nil)
        #expect(InternationalName.ascii("ü" + String(repeating: "a", count: 60) + ".de") == nil)
        #expect(
            InternationalName.ascii(
                Array(repeating: "ü" + String(repeating: "a", count: 50), count: 5).joined(separator: ".")) == nil)
        #expect(InternationalName.ascii(String(repeating: "\u{10FFFF}", count: 1_000)) == nil)
    }
}
