// What is remembered of the filter is what the filter says.

import Testing

@testable import ChatWords

@Suite("Filtered texts")
struct FilteredTextsTests {
    @Test("the same string as another kind of text is another text")
    func kinds() {
        let raw = "  .évil\u{202E}\nname  "
        let kinds: [SafeText.Kind] = [.line, .multiline, .name, .fileName]
        let first = kinds.map { SafeText(raw, as: $0) }
        #expect(kinds.map { SafeText(raw, as: $0) } == first)
        #expect(first[0] == TextFilter.filterText(raw, as: .line))
        #expect(first[1] == TextFilter.filterText(raw, as: .multiline))
        #expect(first[2] == NameFilter.name(raw))
        #expect(first[3] == NameFilter.fileName(raw))
        #expect(Set(first.map(\.text)).count >= 3)
    }

    @Test("more texts than are remembered, and ones too long for it, come out the same each time")
    func overflow() {
        let long = String(repeating: "é", count: FilteredTexts.limit + 1)
        let texts = (0..<2_000).map { "text \($0) · with a dot" } + [long]
        let first = texts.map { SafeText($0, as: .line) }
        let second = texts.reversed().map { SafeText($0, as: .line) }
        #expect(first == second.reversed())
        #expect(first.last?.width == long.count)
    }
}
