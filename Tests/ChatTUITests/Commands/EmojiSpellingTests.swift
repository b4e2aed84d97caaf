// Emoji as words.

import ChatCore
import Testing

@testable import ChatTUI
@testable import ChatWords

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

    @Test("where emoji cannot be drawn, a reaction is shown by its name")
    func reaction() {
        var fixture = ScreenFixture.main(columns: 80, rows: 24)
        var message = ScreenFixture.history[7]
        message.reactions = [
            Reaction(direction: .outgoing, emoji: "👍"), Reaction(direction: .incoming, emoji: "❤\u{FE0F}"),
        ]
        fixture.send(.chat(.messageChanged(message)))
        #expect(fixture.text.contains("👍 me"))
        fixture.state.surface.setTerminal(\.unicode, to: false)
        #expect(fixture.text.contains(":+1: me  :heart: Alice"))
    }

    @Test("messages follow the setting")
    func setting() {
        var fixture = ScreenFixture.main(columns: 80, rows: 24)
        let message = ScreenFixture.message(30, .incoming, "good 🚀", at: ScreenFixture.time(21, 9, 7))
        fixture.send(.chat(.messageAdded(message)))
        #expect(fixture.canvas.text().contains("good 🚀"))
        fixture.state.surface.set(\.emoji, to: .name)
        #expect(fixture.canvas.text().contains("good :rocket:"))
    }
}
