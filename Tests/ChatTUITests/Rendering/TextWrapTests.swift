// Wrapping: by words, at cluster borders, for scripts without blanks, and that no text is lost.

import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("TextWrap")
struct TextWrapTests {
    private func wrap(_ raw: String, _ width: Int) -> [String] {
        TextWrap.wrap(SafeText(raw, as: .multiline), width: width).map(\.text)
    }

    @Test("breaks between words and drops the blanks there")
    func words() {
        #expect(wrap("morning! can you send the build log?", 12) == ["morning! can", "you send the", "build log?"])
        #expect(wrap("one    two", 4) == ["one", "two"])
    }

    @Test("keeps short lines, blank lines and indentation")
    func paragraphs() {
        #expect(wrap("", 10) == [""])
        #expect(wrap("a\n\n  b", 10) == ["a", "", "  b"])
        #expect(wrap("  if x then y", 9) == ["  if x", "then y"])
    }

    @Test("a link is not broken at its hyphens, and where it must be copied it has its rows for itself")
    func links() {
        let text = SafeText("see http://a.b/c-d-e-f now", as: .multiline).linked()
        #expect(TextWrap.wrap(text, width: 20).map(\.text) == ["see", "http://a.b/c-d-e-f", "now"])
        let long = SafeText("(see http://a.b/c-d-e-f-g-h-12:30 me) now", as: .multiline).linked()
        #expect(
            TextWrap.wrap(long, width: 20, keepingLinks: true).map(\.text) == [
                "(see", "http://a.b/c-d-e-f-g", "-h-12:30", "me) now",
            ])
        #expect(
            TextWrap.wrap(SafeText("a  b c", as: .multiline), width: 4, keepingLinks: true).map(\.text) == [
                "a  b", "c",
            ])
    }

    @Test("divides a word that is longer than a line")
    func longWord() {
        #expect(wrap(String(repeating: "x", count: 150), 60).map(\.count) == [60, 60, 30])
        #expect(wrap("see https://example.org/a", 10) == ["see", "https://ex", "ample.org/", "a"])
    }

    @Test("breaks behind hyphens")
    func hyphens() { #expect(wrap("well-known thing", 7) == ["well-", "known", "thing"]) }

    @Test("breaks between wide letters, but not before their punctuation")
    func wideLetters() {
        #expect(wrap("日本語です。", 6) == ["日本語", "です。"])
        #expect(wrap("日本語。", 6) == ["日本", "語。"])
        #expect(wrap("a日本語", 4) == ["a日", "本語"])
    }

    @Test("never makes a line wider than asked, nor loses a letter", arguments: [2, 3, 5, 8, 13, 40, 200])
    func invariants(width: Int) {
        let raw =
            "The quick 日本語 brown-fox 👨‍👩‍👧‍👦 jumps\nover\t\tthe  e\u{0301} lazy ‹dog› 🇩🇪🇫🇷 " + String(repeating: "z", count: 99)
        let text = SafeText(raw, as: .multiline)
        let lines = TextWrap.wrap(text, width: width)
        #expect(lines.allSatisfy { $0.width <= width })
        let letters = text.clusters.filter { !$0.isBlank && !$0.isLineBreak }
        #expect(lines.flatMap(\.clusters).filter { !$0.isBlank } == letters)
    }

    @Test("takes widths below two for two")
    func tinyWidth() { #expect(wrap("日a", 0) == ["日", "a"]) }
}
