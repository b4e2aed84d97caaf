// Themes as files: `themes/NAME.toml` beside config.toml, one line for each part of the screen.

package import ChatTUI
import ChatWords

/// The text of a theme, read and written.
package enum ThemeFile {
    /// Letters, digits, - and _: a name is also the name of a file.
    static func isName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count) && name.unicodeScalars.allSatisfy(\.isBareKey)
    }

    /// Reads a theme. Parts that it leaves out are as in the theme that `base` names, or in `terminal` without `base`.
    static func read(_ text: String, name: String) throws(ConfigurationError) -> Theme {
        var problems: [ConfigurationError] = []
        let entries = ConfigurationReader.read(text, problems: &problems)
        if let first = problems.first { throw first }
        var theme = Theme.terminal
        if let entry = entries.first(where: { $0.key == "base" }) {
            guard let base = Theme.builtIn.first(where: { .string($0.name) == entry.value }) else {
                let names = Theme.builtIn.map(\.name)
                let near: String? =
                    if case .string(let word) = entry.value { NearestName.to(word, among: names) } else { nil }
                throw ConfigurationError(
                    position: entry.position, reason: "there is no built-in theme \(entry.value.text)",
                    advice: near.map { "did you mean \"\($0)\"?" }
                        ?? "write " + names.map { "\"\($0)\"" }.joined(separator: ", "))
            }
            theme = base
        }
        theme.name = name
        for entry in entries where entry.key != "base" { try apply(entry, to: &theme) }
        return theme
    }

    private static func apply(_ entry: ConfigurationEntry, to theme: inout Theme) throws(ConfigurationError) {
        func problem(_ reason: String, _ advice: String?) -> ConfigurationError {
            ConfigurationError(position: entry.position, reason: reason, advice: advice)
        }
        let parts = Theme.Part.allCases.map(\.rawValue)
        let part = Theme.Part(rawValue: entry.key)
        guard part != nil || entry.key == "nicks" else {
            let near = NearestName.to(entry.key, among: parts + ["nicks", "base"])
            throw problem(
                "unknown part \(entry.key)",
                near.map { "did you mean \($0)?" } ?? "the parts are " + (parts + ["nicks"]).joined(separator: ", "))
        }
        guard case .string(let words) = entry.value else {
            throw problem("\(entry.key) must be text", "put it in quotation marks")
        }
        if let part {
            guard let style = Style(words: words) else {
                throw problem("\(entry.value.text) is not a look", "write it like \"bold cyan on 234\" or \"dim\"")
            }
            guard style.background == .standard || style.foreground != style.background else {
                throw problem("\(entry.value.text) is unreadable: text and background are alike", "choose two colours")
            }
            theme[part] = style
            return
        }
        let colors = words.split(separator: " ").map { Color(word: String($0)) }
        let known = colors.compactMap { $0 }
        guard (1...16).contains(colors.count), known.count == colors.count else {
            throw problem(
                "\(entry.value.text) is not a list of colours", "write 1 to 16 of them, like \"green yellow 111\"")
        }
        theme.nicks = known
    }

    /// The text that `read` reads.
    package static func text(of theme: Theme) -> String {
        var lines = [
            "# A theme of blipchat. Save it as themes/NAME.toml beside config.toml, then: /theme NAME",
            "# Looks: bold dim italic underline reverse, a colour, \"on\" and a colour. Colours: default, black, red,",
            "# green, yellow, blue, magenta, cyan, white, bright-black to bright-white, or 0 to 255.",
        ]
        lines += Theme.Part.allCases.map { "\($0.rawValue) = \"\(theme[$0].words)\"" }
        lines.append("nicks = \"\(theme.nicks.map(\.word).joined(separator: " "))\"")
        return lines.joined(separator: "\n") + "\n"
    }
}

extension Color {
    private static let names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"]

    init?(word: String) {
        if word == "default" {
            self = .standard
        } else if let number = UInt8(word), String(number) == word {
            self = number < 16 ? .ansi(number) : .palette(number)
        } else if let index = Self.names.firstIndex(of: word) {
            self = .ansi(UInt8(index))
        } else if word.hasPrefix("bright-"), let index = Self.names.firstIndex(of: String(word.dropFirst(7))) {
            self = .ansi(UInt8(index + 8))
        } else {
            return nil
        }
    }

    var word: String {
        switch self {
        case .standard: "default"
        case .ansi(let number): number < 8 ? Self.names[Int(number)] : "bright-" + Self.names[Int(number) % 8]
        case .palette(let number): String(number)
        }
    }
}

extension Style {
    private static let attributeWords: [(String, Attributes)] = [
        ("bold", .bold), ("dim", .dim), ("italic", .italic), ("underline", .underline), ("reverse", .reverse),
    ]

    /// `bold cyan on 234`: attributes and colours by their words; the empty text is plain.
    init?(words: String) {
        var rest = words.split(separator: " ").map(String.init)
        self.init()
        while let word = rest.first, let known = Self.attributeWords.first(where: { $0.0 == word }) {
            self = adding(known.1)
            rest.removeFirst()
        }
        if let word = rest.first, word != "on" {
            guard let color = Color(word: word) else { return nil }
            foreground = color
            rest.removeFirst()
        }
        if rest.first == "on" {
            guard rest.count == 2, let color = Color(word: rest[1]) else { return nil }
            background = color
            rest.removeAll()
        }
        if !rest.isEmpty { return nil }
    }

    var words: String {
        var words = Self.attributeWords.filter { attributes.contains($0.1) }.map(\.0)
        if foreground != .standard || words.isEmpty { words.append(foreground.word) }
        if background != .standard { words += ["on", background.word] }
        return words.joined(separator: " ")
    }
}
