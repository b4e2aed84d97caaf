// Widths of clusters, and that the checked-in tables are what they claim to be.

import Testing

@testable import ChatWords

@Suite("TextWidth")
struct TextWidthTests {
    @Test(
        "measures clusters",
        arguments: [
            ("a", 1), ("é", 1), ("e\u{0301}", 1), ("日", 2), ("ｶ", 1), ("Ａ", 2), ("한", 2),
            ("\u{1112}\u{1161}\u{11AB}", 2),
            ("✓", 1), ("│", 1), ("…", 1), ("😀", 2), ("👍🏽", 2), ("👨‍👩‍👧‍👦", 2), ("🇩🇪", 2), ("❤", 1), ("❤\u{FE0F}", 2),
            ("1\u{FE0F}\u{20E3}", 2), ("🏳\u{FE0F}\u{200D}🌈", 2), ("☕\u{FE0E}", 2), ("ก็", 1), ("क्षि", 3), ("ⓐ", 1),
        ])
    func widths(text: String, width: Int) {
        #expect(SafeText(text, as: .line).width == width)
    }

    @Test(
        "keeps emoji sequences in one cluster of two columns",
        arguments: ["👍🏽", "👨‍👩‍👧‍👦", "🇩🇪", "❤\u{FE0F}", "1\u{FE0F}\u{20E3}"])
    func oneCluster(text: String) {
        #expect(SafeText(text, as: .line).clusters.map(\.width) == [2])
    }

    @Test("divides flags by pairs and leaves a lone one narrow")
    func flags() {
        #expect(SafeText("🇩🇪🇫🇷🇮", as: .line).clusters.map(\.width) == [2, 2, 1])
    }

    @Test("a skin tone without a person stands on its own")
    func loneModifier() {
        #expect(SafeText("a🏽", as: .line).clusters.map(\.width) == [1, 2])
    }

    @Test(
        "tables are sorted, disjoint ranges",
        arguments: [
            UnicodeTables.wide, UnicodeTables.zeroWidth, UnicodeTables.ambiguous, UnicodeTables.unassigned,
        ])
    func tables(table: [UInt32]) {
        #expect(table.count.isMultiple(of: 2) && !table.isEmpty)
        for index in table.indices.dropFirst() {
            #expect(index.isMultiple(of: 2) ? table[index - 1] < table[index] : table[index - 1] <= table[index])
        }
        for index in stride(from: 0, to: table.count, by: 2) {
            #expect(TextWidth.isListed(table[index], in: table) && TextWidth.isListed(table[index + 1], in: table))
            #expect(
                index > 0
                    ? table[index - 1] + 1 == table[index] || !TextWidth.isListed(table[index] - 1, in: table) : true)
        }
    }

    @Test("no scalar is in two tables of widths")
    func disjoint() {
        let tables = [UnicodeTables.wide, UnicodeTables.zeroWidth, UnicodeTables.ambiguous]
        for value in UInt32(0)...0x1_FFFF {
            #expect(tables.count { TextWidth.isListed(value, in: $0) } < 2)
        }
    }

    @Test("what East Asia draws in two columns has one or two, as it is asked for; everything else stays")
    func ambiguous() {
        for scalar in "αЖéß°·×§…─│█●○→“①☆\u{FFFD}".unicodeScalars {
            #expect(TextWidth.width(of: scalar, ambiguous: 1) == 1, "\(scalar)")
            #expect(TextWidth.width(of: scalar, ambiguous: 2) == 2, "\(scalar)")
        }
        let others: [(scalar: Unicode.Scalar, width: Int)] = [
            ("a", 1), ("ñ", 1), ("ё", 2), ("✓", 1), ("日", 2), ("😀", 2), ("\u{301}", 0), ("ｶ", 1),
        ]
        for other in others {
            #expect(TextWidth.width(of: other.scalar, ambiguous: 2) == other.width, "\(other.scalar)")
        }
        let wide = TextWidth.Rules(ambiguous: 2)
        #expect(TextFilter.filterText("Жук é", as: .line, rules: wide).clusters.map(\.width) == [2, 2, 2, 1, 2])
        #expect(TextFilter.filterText("e\u{301}", as: .line, rules: wide).width == 2)
        #expect(TextFilter.filterText("☎\u{FE0F}", as: .line, rules: wide).width == 2)
        #expect(TextFilter.filter(literal: "┌─ … ●").width == 6)
    }
}
