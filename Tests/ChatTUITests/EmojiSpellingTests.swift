// Emoji as words.

import ChatCore
import Testing

@testable import ChatTUI

@Suite("Emoji spelling")
struct EmojiSpellingTests {
    @Test(
        "emoji become their names, everything else stays",
        arguments: [
            ("hello", "hello"), ("good 👍", "good :thumbs up sign:"), ("👍🏽", ":thumbs up sign:"),
            ("❤\u{FE0F}", ":heavy black heart:"), ("❤", "❤"), ("👩\u{200D}🚀!", ":woman:!"), ("🇩🇪🇫🇷", ":flag de::flag fr:"),
            ("1️⃣ é 漢 🇩", "1️⃣ é 漢 🇩"),
        ])
    func spelling(text: String, expected: String) {
        #expect(EmojiSpelling.spelled(text) == expected)
    }

    @Test("messages follow the setting")
    func setting() {
        var fixture = ScreenFixture.main(columns: 80, rows: 24)
        let message = ScreenFixture.message(30, .incoming, "good 🚀", at: ScreenFixture.time(21, 9, 7))
        fixture.send(.chat(.messageAdded(message)))
        #expect(fixture.canvas.text().contains("good 🚀"))
        fixture.state.settings.emoji = .name
        #expect(fixture.canvas.text().contains("good :rocket:"))
    }
}
