// Texts that are made to be slow: one message must not take the keys away (PRODUCT, "Hostile text" 10).

import ChatCore
import Testing

@testable import ChatTUI
@testable import ChatWords

/// Each of these took some seconds for each message and key once, in a release: with the square of the length gone the
/// whole suite takes as many, and the limit is far from both.
@Suite("Texts that are made to be slow", .timeLimit(.minutes(2)))
struct HeavyTextTests {
    private typealias Fixture = ScreenFixture

    /// 64,000 bytes each.
    private static let texts = [
        String(repeating: "\u{327}\u{301}", count: 16_000), String(repeating: "\u{F71}\u{F72}", count: 10_600),
        "a" + String(repeating: "\u{301}\u{327}", count: 15_999),
        "/me " + String(repeating: "\u{327}\u{301}", count: 15_990),
        String(repeating: "\u{1F468}\u{200D}", count: 9_100),
        String(repeating: "\u{1100}\u{1161}\u{11A8}", count: 7_000),
        String(repeating: "\u{5D0}a", count: 21_000), String(repeating: "http://a.b/", count: 5_800),
        "Jo " + String(repeating: "\u{327}\u{301}", count: 15_990), String(repeating: "\u{E9}", count: 32_000),
    ]

    @Test("keys, pictures, quotes, searches and mentions go on beside them", arguments: Self.texts)
    func keys(text: String) throws {
        var fixture = Fixture.main(columns: 80, rows: 24)
        fixture.press("Alt-2")
        fixture.answerPages(from: [])
        for number in 20..<26 {
            let message = Fixture.message(
                Int64(number), .incoming, text + "\(number)", at: Fixture.time(21, 9, 7), contact: Fixture.bob,
                replyTo: number > 20 ? Int64(number - 1) : nil)
            fixture.send(.chat(.messageAdded(message)))
        }
        for letter in "typed" { fixture.type(String(letter)) }
        #expect(fixture.text.contains("typed"))
        fixture.press("Esc", "k", "k", "i")
        #expect(fixture.text.contains("number"))
        fixture.press("Esc", "Esc")
        fixture.state.surface.set(\.emoji, to: .name)
        fixture.press("Alt-l", "Alt-l", "PgUp", "PgDn")
        for words in ["Jo", "a", "\u{301}"] {
            _ = MessageWords.summary(
                of: Fixture.message(9, .incoming, text, at: Fixture.time(21, 9, 7)), around: [words])
            _ = NameMention.occurs(of: words, in: text)
        }
        #expect(fixture.state.composer.input.text == "typed")
    }
}
