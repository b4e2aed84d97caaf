// The form in which texts are searched.

import TestSupport
import Testing

@testable import ChatCore

@Suite("Search form")
struct SearchFormTests {
    /// Not `==`: to that, all spellings of a letter are the same.
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test(
        "texts that look the same are the same",
        arguments: [
            ("\u{304B}\u{3099}", "\u{304C}"),  // kana with a voice mark
            ("\u{1112}\u{1161}\u{11AB}", "\u{D55C}"), ("\u{D558}\u{11AB}", "\u{D55C}"),  // Hangul
            ("\u{438}\u{306}", "\u{439}"), ("\u{3B1}\u{301}", "\u{3AC}"), ("\u{1F71}", "\u{3AC}"),  // Cyrillic, Greek
            ("\u{627}\u{653}", "\u{622}"), ("\u{648}\u{654}", "\u{624}"),  // Arabic
            ("e\u{301}", "\u{E9}"), ("e\u{323}\u{302}", "\u{1EC7}"), ("e\u{302}\u{323}", "\u{1EC7}"),
            ("\u{212B}", "\u{C5}"), ("\u{F900}", "\u{8C48}"), ("a\u{200B}\u{308}", "\u{E4}"),
        ])
    func same(spelling: String, composed: String) {
        #expect(bytes(SearchForm.of(spelling)) == bytes(composed))
        #expect(bytes(SearchForm.of(composed)) == bytes(composed))
        #expect(bytes(SearchForm.of("x \(spelling) y")) == bytes("x \(composed) y"))
    }

    @Test("a text in that form stays as it is")
    func asItIs() {
        for text in ["plain text", "Crème brûlée", "Привет, мир", "昨日の天気", "한국어", "\u{1F469}\u{1F3FD}", ""] {
            #expect(bytes(SearchForm.of(text)) == bytes(text))
        }
        #expect(SearchForm.of("a\u{0}b") == "a b")
    }

    @Test("is the composed form of any text of letters and marks", arguments: 0..<100)
    func anyText(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let parts: [Unicode.Scalar] = [
            "a", "E", "и", "ё", "α", "ώ", "か", "は", "\u{3099}", "\u{309A}", "\u{1100}", "\u{1161}", "\u{11A8}",
            "\u{AC00}", "\u{627}", "\u{653}", "\u{301}", "\u{306}", "\u{308}", "\u{323}", "\u{345}", "漢", " ", "é",
        ]
        var scalars = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 1...20, using: &generator) {
            scalars.append(parts.randomElement(using: &generator) ?? "a")
        }
        let text = String(scalars)
        let form = SearchForm.of(text)
        #expect(form == text, "the same text in another spelling, seed \(seed)")
        #expect(bytes(SearchForm.of(form)) == bytes(form))
    }

    @Test("more marks than any letter has are left out, before they cost anything")
    func marks() {
        let heap = "a" + String(repeating: "\u{301}\u{323}", count: 30_000) + "b"
        let form = SearchForm.of(heap)
        #expect(form.unicodeScalars.count <= 33 && form.hasSuffix("b"))
    }
}
