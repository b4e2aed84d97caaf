// What strangers may send to harm a terminal: for every test that lets outside text reach one.

/// The corpus of PRODUCT "Hostile text": one string per line of its table, and noise.
package enum HostileTexts {
    package static let all: [String] = [
        "\u{1B}[31mred\u{1B}[0m", "\u{1B}]0;title\u{07}", "\u{1B}]52;c;aGk=\u{1B}\\", "\u{07}\u{08}\u{0E}", "a\u{7F}b",
        "\u{9B}31m\u{9D}0;x\u{9C}", "photo\u{202E}gpj.exe", "\u{2066}x\u{2069}\u{2067}y", "a\u{200E}\u{200F}\u{061C}b",
        "pay\u{200B}pal", "a\u{200C}b\u{200D}c", "\u{2060}\u{FEFF}\u{AD}", "x\u{E0041}\u{E0042}\u{E007F}",
        "a\u{2028}b\u{2029}c\u{85}d", "a" + String(repeating: "\u{0301}", count: 40), "\u{0301}\u{20E3}lone",
        "👨‍👩‍👧‍👦 family", "❤\u{FE0F} heart", "👍🏽 thumb", "\u{1FAE8} new", "\u{3164}\u{2800}\u{FFA0}", "\u{E000}\u{F8FF}",
        String(repeating: "w", count: 150), "שלום עולם (abc)", "\u{1B}P+q544e\u{1B}\\\u{1B}_G\u{1B}\\",
        "🏴\u{E0067}\u{E0062}\u{E007F}🇩",
        "日本語\r\n\tタブ", "क्षि ก็ 한글 \u{1112}\u{1161}\u{11AB}", "‮\u{1B}c\u{1B}#8\u{1B}[2J\u{1B}[999;999H", "",
    ]

    /// Up to 80 random bytes, repaired to UTF-8.
    package static func random(_ seed: inout UInt64) -> String {
        let bytes = (0..<80).map { _ -> UInt8 in
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let byte = UInt8(truncatingIfNeeded: seed >> 40)
            return byte.isMultiple(of: 9) ? 0x1B : byte.isMultiple(of: 11) ? 0xE2 : byte
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
