// The order of right-to-left text: examples whose results follow from the rules of UAX #9, and properties of any text.

import TestSupport
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite("Bidirectional text")
struct BidiTests {
    private func shown(_ text: String) -> String {
        let clusters = SafeText(hebrew(text), as: .line).clusters
        guard let paragraph = BidiParagraph(clusters) else { return text }
        return latin(
            paragraph.visualOrder(of: clusters.indices).reduce(into: "") {
                $0 += paragraph.shownCluster(at: $1).text
            })
    }

    @Test("has the version of the width tables")
    func version() { #expect(BidiTables.version == UnicodeTables.version) }

    @Test("texts without right-to-left letters are left alone")
    func leftToRight() {
        for text in ["hello (world) 12-34", "", "日本語", "é"] {
            #expect(BidiParagraph(SafeText(text, as: .line).clusters) == nil)
        }
    }

    @Test(
        "Hebrew among Latin letters and Latin letters among Hebrew",
        arguments: [
            ("car is THE CAR in arabic", "car is RAC EHT in arabic"),
            ("CAR IS the car IN ENGLISH", "HSILGNE NI the car SI RAC"),
            ("A", "A"), ("AB.", ".BA"), ("a AB.", "a BA."),
            ("he said \"IT IS 123, 456, OK\".", "he said \"KO ,456 ,123 SI TI\"."),
            ("IT IS 12.5 OK", "KO 12.5 SI TI"), ("A 1-2 B", "B 1-2 A"), ("A $12 B", "B $12 A"), ("A 12% B", "B 12% A"),
            ("A (B) c", "c (B) A"), ("a (B) c", "a (B) c"), ("A (b) C", "C (b) A"), ("A [x", "x] A"),
            ("a (B c) D", "a (B c) D"),
            ("A <b> C", "C <b> A"), ("1 A", "A 1"), ("a 1 A 2 b", "a 1 2 A b"),
        ])
    func examples(text: String, expected: String) {
        #expect(shown(text) == expected)
    }

    @Test("numbers behind Arabic letters are Arabic, and a separator between them stays")
    func arabicNumbers() throws {
        let clusters = SafeText("\u{628} 1,2 a", as: .line).clusters
        let paragraph = try #require(BidiParagraph(clusters))
        let text = paragraph.visualOrder(of: clusters.indices).reduce(into: "") { $0 += clusters[$1].text }
        #expect(text == "a 1,2 \u{628}")
    }

    @Test("blanks at the end of a line stay at its end in reading direction")
    func trailingBlanks() throws {
        let clusters = SafeText(hebrew("AB c  DE"), as: .line).clusters
        let paragraph = try #require(BidiParagraph(clusters))
        #expect(paragraph.visualOrder(of: 0..<6) == [5, 4, 3, 2, 1, 0])
        #expect(paragraph.visualOrder(of: 6..<8) == [7, 6])
    }

    @Test("any text keeps each of its clusters exactly once", arguments: 1...20 as ClosedRange<UInt64>)
    func permutation(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let pieces = [
            "א", "ب", "a", "1", "٣", "(", ")", "[", "〉", " ", "-", ",", "$", "\u{301}", "漢", "👩\u{200D}🚀", "\u{202E}",
        ]
        for _ in 0..<200 {
            let count = Int.random(in: 0...30, using: &generator)
            let raw = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            let clusters = SafeText(raw, as: .line).clusters
            guard let paragraph = BidiParagraph(clusters) else { continue }
            let cut = Int.random(in: 0...clusters.count, using: &generator)
            #expect(paragraph.visualOrder(of: 0..<cut).sorted() == Array(0..<cut))
            #expect(paragraph.visualOrder(of: cut..<clusters.count).sorted() == Array(cut..<clusters.count))
        }
    }

    @Test("a right-to-left paragraph stands at the right, the others where they were")
    func alignment() {
        let text = SafeText("\u{5D0}\u{5D1} one two\nthree \u{5D0}\u{5D1}", as: .multiline)
        #expect(TextWrap.wrap(text, width: 12).map(\.text) == ["\u{5D0}\u{5D1} one two", "three \u{5D0}\u{5D1}"])
        #expect(
            TextWrap.wrap(text, width: 12, reordering: true).map(\.text)
                == ["  one two \u{5D1}\u{5D0}", "three \u{5D1}\u{5D0}"])
        #expect(
            TextWrap.wrap(text, width: 8, reordering: true).map(\.text)
                == ["  one \u{5D1}\u{5D0}", "     two", "three \u{5D1}\u{5D0}"])
    }
}
