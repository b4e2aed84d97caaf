// How each meaning looks: a built-in value or a file of themes/. `view` dresses its finished picture in it.

import ChatWords

/// The looks of the screen by meaning. Colours only repeat what a word, a letter or an attribute says.
package struct Theme: Sendable, Equatable {
    /// The meanings that have one look each, by the keys of theme files.
    package enum Part: String, Sendable, CaseIterable {
        case text, title, quiet, time, own, link, unread, error, good, warning, line, selected, marked, key
    }

    package var name: String
    /// The colours of contacts' names, 1 to 16 of them; each contact has one by its key.
    package var nicks: [Color]
    private var looks: [Part: Style]

    /// Every part is plain, names as well.
    package init(name: String) {
        self.name = name
        nicks = [.standard]
        looks = Dictionary(uniqueKeysWithValues: Part.allCases.map { ($0, .plain) })
    }

    package subscript(part: Part) -> Style {
        get { looks[part] ?? .plain }
        set { looks[part] = newValue }
    }

    /// The look of a style: what it says itself comes before its meaning, and its meaning before the text's colours.
    func look(of style: Style) -> Style {
        let meant: Style =
            switch style.meaning {
            case .part(let part): self[part]
            case .nick(let number): nicks.isEmpty ? .plain : Style(nicks[Int(number) % nicks.count])
            }
        let text = self[.text]
        var look = style
        look.foreground = Self.first(style.foreground, meant.foreground, text.foreground)
        look.background = Self.first(style.background, meant.background, text.background)
        look.attributes.formUnion(meant.attributes)
        look.meaning = .part(.text)
        return look
    }

    /// The first colour that says something.
    private static func first(_ own: Color, _ meant: Color, _ text: Color) -> Color {
        own != .standard ? own : meant != .standard ? meant : text
    }
}
