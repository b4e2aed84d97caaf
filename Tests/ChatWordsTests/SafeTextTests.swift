// What the filter does to hostile text: one test per line of the table in PRODUCT "Hostile text", and floods.

import Testing

@testable import ChatWords

@Suite("SafeText")
struct SafeTextTests {
    private func shown(_ raw: String, as kind: SafeText.Kind = .multiline) -> String { SafeText(raw, as: kind).text }

    // MARK: Controls

    @Test("shows C0 controls and DEL as pictures")
    func pictures() {
        #expect(shown("\u{1B}[31mred") == "␛[31mred")
        #expect(shown("\u{1B}]0;title\u{07}") == "␛]0;title␇")
        #expect(shown("\u{07}\u{08}\u{0E}\u{00}\u{1F}\u{7F}") == "␇␈␎␀␟␡")
    }

    @Test("marks pictures as substitutes, so that they are drawn dim")
    func substitutes() {
        let text = SafeText("a\u{1B}b", as: .line)
        #expect(text.clusters.map(\.isSubstitute) == [false, true, false])
    }

    @Test("names C1 controls instead of sending them")
    func namesC1() {
        #expect(shown("\u{9B}31m\u{9D}0;x\u{9C}") == "‹9B›31m‹9D›0;x‹9C›")
    }

    @Test("names bidi embeddings, overrides and isolates")
    func namesBidi() {
        #expect(shown("photo\u{202E}gpj.exe") == "photo‹RLO›gpj.exe")
        #expect(
            shown("\u{202A}\u{202B}\u{202C}\u{202D}\u{2066}\u{2067}\u{2068}\u{2069}")
                == "‹LRE›‹RLE›‹PDF›‹LRO›‹LRI›‹RLI›‹FSI›‹PDI›")
    }

    @Test(
        "shows only printable scalars, for every scalar alone and between letters",
        arguments: [0...0x1_FFFF, 0x2_FF00...0x3_00FF, 0xE_0000...0xE_11FF, 0x10_FF00...0x10_FFFF])
    func everyScalar(values: ClosedRange<UInt32>) {
        var failures: [String] = []
        for value in values {
            guard let scalar = Unicode.Scalar(value) else { continue }
            for kind in [SafeText.Kind.multiline, .fileName] {
                let text = SafeText("a" + String(scalar) + "b", as: kind)
                let isClean = text.clusters.allSatisfy { cluster in
                    (1...2).contains(cluster.width)
                        && cluster.text.unicodeScalars.allSatisfy { [.keep, .blankLookAlike].contains(ScalarRule($0)) }
                }
                let isLineBreak = kind == .multiline && ScalarRule(scalar) == .lineBreak && text.text == "a\nb"
                if !isClean && !isLineBreak { failures.append("U+\(String(value, radix: 16)) as \(kind)") }
            }
        }
        #expect(failures == [])
    }

    // MARK: Lines

    @Test("takes every kind of line end for one line break in a message")
    func lineBreaks() {
        #expect(shown("a\r\nb\rc\nd\u{85}e\u{2028}f\u{2029}g") == "a\nb\nc\nd\ne\nf\ng")
        #expect(SafeText("a\n\nb", as: .multiline).lines().map(\.text) == ["a", "", "b"])
    }

    @Test("shows line ends inside one line", arguments: [SafeText.Kind.line, .name, .fileName])
    func visibleLineBreaks(kind: SafeText.Kind) {
        #expect(shown("a\r\nb", as: kind) == "a␤b")
    }

    @Test("turns tabs into blanks up to the next stop, in a name into one")
    func tabs() {
        #expect(shown("ab\tc\n\td") == "ab      c\n        d")
        #expect(shown("ab\tc", as: .name) == "ab c")
    }

    // MARK: Invisible characters

    @Test(
        "removes and counts what is invisible",
        arguments: [0x200B, 0x200E, 0x200F, 0x061C, 0x2060, 0xFEFF, 0xAD, 0x180E, 0x034F, 0xFFF9, 0xE0041, 0xE0100])
    func invisible(value: UInt32) throws {
        let scalar = try #require(Unicode.Scalar(value))
        let text = SafeText("a" + String(scalar) + "b", as: .multiline)
        #expect(text.text == "ab")
        #expect(text.hiddenCount == 1)
        #expect(text.hiddenNote?.text == "‹hidden: 1›")
    }

    @Test("has no hidden note when nothing was removed")
    func noNote() { #expect(SafeText("ab", as: .multiline).hiddenNote == nil) }

    @Test("keeps joiners where a script needs them, removes them elsewhere")
    func joiners() {
        #expect(shown("می\u{200C}خواهم") == "می\u{200C}خواهم")
        #expect(shown("pay\u{200D}pal\u{200C}") == "paypal")
        #expect(SafeText("pay\u{200D}pal\u{200C}", as: .line).hiddenCount == 2)
    }

    @Test("keeps emoji sequences whole, but not without end")
    func emojiSequences() {
        #expect(SafeText("👨‍👩‍👧‍👦", as: .line).clusters.map(\.text) == ["👨‍👩‍👧‍👦"])
        let chain = SafeText(String(repeating: "👩\u{200D}", count: 1_000) + "👩", as: .line)
        #expect(chain.clusters.allSatisfy { $0.text.unicodeScalars.count <= 20 })
        #expect(chain.hiddenCount > 0)
    }

    @Test("keeps a variation selector only behind what has an emoji form")
    func variationSelectors() {
        #expect(shown("❤\u{FE0F}") == "❤\u{FE0F}")
        #expect(shown("1\u{FE0F}\u{20E3}") == "1\u{FE0F}\u{20E3}")
        #expect(shown("a\u{FE0F}1\u{FE0F}x❤\u{FE0F}\u{FE0F}") == "a1x❤\u{FE0F}")
    }

    // MARK: Marks

    @Test("keeps four marks and counts the others")
    func markFlood() {
        let text = SafeText("a" + String(repeating: "\u{0334}", count: 40) + "b", as: .multiline)
        #expect(text.text == "a\u{0334}\u{0334}\u{0334}\u{0334}‹+36›b")
        #expect(text.clusters.first?.width == 1)
    }

    @Test("gives a lone mark a dotted circle", arguments: ["\u{0301}x", "\n\u{0301}", "\u{1B}\u{0301}"])
    func loneMark(raw: String) {
        #expect(shown(raw).unicodeScalars.contains("\u{25CC}"))
    }

    @Test("composes letters and marks (NFC)")
    func normalizes() {
        let text = SafeText("e\u{0323}\u{0302}", as: .line)
        #expect(text.clusters.map { Array($0.text.unicodeScalars) } == [["\u{1EC7}"]])
    }

    // MARK: Unknown characters

    @Test("shows private characters as boxes and unknown ones by name or number")
    func unknown() throws {
        #expect(shown("\u{E000}\u{10FFFD}") == "□□")
        #expect(shown("\u{1FAE8}") == "\u{FFFD}‹SHAKING FACE›")
        #expect(shown(String(try #require(Unicode.Scalar(0xFDD0)))) == "\u{FFFD}‹U+FDD0›")
    }

    @Test("replaces bytes that are not UTF-8")
    func invalidUTF8() {
        #expect(shown(String(decoding: [0x61, 0xFF, 0xC0, 0x80, 0x62], as: UTF8.self)).hasPrefix("a\u{FFFD}"))
    }

    // MARK: Floods

    @Test("draws at most 64 KiB and says that there is more")
    func drawnLimit() {
        for raw in ["x", "\u{1B}", "\u{1FAE8}", "\t", "ä", "한"] {
            let text = SafeText(String(repeating: raw, count: 200_000), as: .multiline)
            #expect(text.text.hasSuffix(" more…"))
            #expect(text.text.utf8.count < TextFilter.maxDrawnBytes + 200)
        }
    }

    @Test(
        "cuts a Character of 200 kB into small clusters",
        arguments: ["\u{0301}", "\u{200D}", "\u{1160}", "\u{1100}", "\u{0600}"])
    func hugeCharacter(unit: String) {
        let text = SafeText("a" + String(repeating: unit, count: 100_000), as: .multiline)
        #expect(text.clusters.allSatisfy { $0.text.utf8.count <= 64 })
    }

    // MARK: Names

    @Test("makes names one short line without blanks at the ends")
    func names() {
        #expect(shown("  Alice \t ", as: .name) == "Alice")
        let long = SafeText(String(repeating: "名", count: 100), as: .name)
        #expect(long.width <= 64 && long.text.hasSuffix("…"))
        #expect(shown("", as: .name) == "")
    }

    @Test("marks what looks like a blank in names")
    func blankNames() {
        #expect(shown("\u{3164}", as: .name) == "‹U+3164›")
        #expect(shown("a\u{2800}b\u{A0}c", as: .fileName) == "a‹U+2800›b‹U+00A0›c")
        #expect(shown("\u{200B}\u{2060}", as: .name) == "‹blank›")
        #expect(shown("   ", as: .fileName) == "‹blank›")
    }

    @Test("makes separators in file names visible")
    func fileSeparators() {
        #expect(shown("../../etc/passwd", as: .fileName) == "..‹/›..‹/›etc‹/›passwd")
        // A mark on the slash does not hide it (Swift sees another Character).
        #expect(shown("..\u{2F}\u{0301}etc", as: .fileName).contains("‹/›"))
    }

    @Test("a file name without room is shortened before its extension, which stays, with what it means where it can")
    func shortFileNames() {
        func short(_ name: String, _ width: Int) -> String {
            let text = SafeText.fileName(name, width: width)
            #expect(text.width <= width)
            return text.text
        }
        #expect(short("invoice.pdf.exe", 25) == "invoice.pdf.exe (program)")
        #expect(short("invoice.pdf.exe", 24) == "invoice.p….exe (program)")
        #expect(short("invoice.pdf.exe", 18) == "inv….exe (program)")
        #expect(short("invoice.pdf.exe", 12) == "invoice….exe")
        #expect(short("a.exe", 9) == "a.exe")
        #expect(short("rlo\u{202E}txt.exe", 18) == "… ‹.exe› (program)")
        #expect(short("release.tar.zst", 13) == "release.….zst")
        #expect(short("a name without an extension", 8) == "a name …")
        #expect(short("invoice.exe", 3) == "in…")
        #expect(SafeText.fileName("photos.exe of a year", end: SafeText(literal: "/"), width: 9).text == "photos.…/")
        for width in 0...30 { _ = short("invoice.pdf.exe", width) }
    }

    @Test("says that a file is a program, and repeats its extension beside right-to-left text")
    func fileExtensions() {
        #expect(shown("invoice.pdf.exe", as: .fileName) == "invoice.pdf.exe (program)")
        #expect(shown("invoice.pdf", as: .fileName) == "invoice.pdf")
        #expect(shown("invoice\u{202E}fdp.exe", as: .fileName) == "invoice‹RLO›fdp.exe ‹.exe› (program)")
        #expect(shown("קובץ.pdf", as: .fileName) == "קובץ.pdf ‹.pdf›")
        #expect(shown("run.SH. ", as: .fileName).hasSuffix("(program)"))
    }

    @Test("shortens a file name in its middle")
    func longFileName() {
        for length in [70, 300, 5_000] {
            let text = SafeText(String(repeating: "a", count: length) + ".tar.exe", as: .fileName)
            #expect(text.width <= 64)
            #expect(text.text.contains("…"))
            #expect(text.text.hasSuffix(".tar.exe (program)"))
        }
    }

    // MARK: Cutting and joining

    @Test("cuts by columns without dividing a wide cluster")
    func prefixes() {
        let text = SafeText("a日本b", as: .line)
        #expect(text.prefix(width: 2).text == "a")
        #expect(text.prefix(width: 3).text == "a日")
        #expect(text.dropping(width: 2).text == "日本b")
        #expect(text.prefix(width: 0).isEmpty && text.prefix(width: -5).isEmpty)
        #expect(text.truncated(to: 5).text == "a日…")
        #expect(text.truncated(to: 6).text == "a日本b")
        #expect(text.padded(to: 5).width == 5 && text.padded(to: 9, alignment: .right).text == "   a日本b")
    }

    @Test("adds widths and hidden counts")
    func sums() {
        let sum = SafeText("a\u{200B}", as: .line) + SafeText("日\u{200B}", as: .line)
        #expect(sum.width == 3 && sum.hiddenCount == 2 && sum.text == "a日")
        #expect(["a", "b"].map { SafeText($0, as: .line) }.joined(separator: SafeText(literal: ", ")).text == "a, b")
    }

    @Test("spells in ASCII for outputs without Unicode")
    func ascii() {
        let text = SafeText("\u{1B}[m\u{7F} ✓ é 日…", as: .line)
        #expect(text.terminalString(unicode: false) == "^[[m^? + ? ??...")
        #expect(text.terminalString() == "␛[m␡ ✓ é 日…")
        let spelled = TextFilter.filterText("a\u{1B}[m\u{7F}\n\u{9B}", as: .line, rules: .init(spellsControls: true))
        #expect(spelled.width == 13)
        #expect(spelled.clusters.map(ASCIIGlyphs.cell).joined() == "a^[[m^?\\n<9B>")
        let random = SafeText(
            String(decoding: (0..<4_096).map { UInt8(truncatingIfNeeded: $0 * 7) }, as: UTF8.self), as: .line)
        #expect(random.terminalString(unicode: false).utf8.allSatisfy { (0x20...0x7E).contains($0) })
    }
}
