// The themes that are always there. `blipchat config theme NAME` prints them as files to start one's own from.

import ChatWords

extension Theme {
    /// In the order in which they are offered.
    package static let builtIn = [terminal, dark, light, highContrast]

    /// The terminal's own colours and background, whatever the user has made of them.
    package static let terminal: Theme = {
        var theme = Theme(name: "terminal")
        theme[.title] = .bold
        theme[.quiet] = .dim
        theme[.time] = .dim
        theme[.own] = Style(.cyan)
        theme[.link] = Style(.cyan)
        theme[.unread] = .bold
        theme[.error] = Style(.red)
        theme[.good] = Style(.green)
        theme[.warning] = Style(.yellow)
        theme[.line] = .dim
        theme[.selected] = .reversed
        theme[.marked] = Style.plain.adding([.bold, .underline])
        theme[.key] = .bold
        theme.nicks = [2, 3, 4, 5, 9, 10, 11, 12, 13].map(Color.ansi)
        return theme
    }()

    /// Light text on dark grey: 256 colours, each with a contrast of at least 4.5 to 1 (WCAG 2.1, 1.4.3).
    package static let dark: Theme = {
        var theme = Theme(name: "dark")
        theme[.text] = Style(.palette(252), on: .palette(234))
        theme[.title] = Style(.palette(255)).adding(.bold)
        theme[.quiet] = Style(.palette(246))
        theme[.time] = Style(.palette(246))
        theme[.own] = Style(.palette(80))
        theme[.link] = Style(.palette(80)).adding(.underline)
        theme[.unread] = Style(.palette(255)).adding(.bold)
        theme[.error] = Style(.palette(210))
        theme[.good] = Style(.palette(114))
        theme[.warning] = Style(.palette(221))
        theme[.line] = Style(.palette(246))
        theme[.selected] = Style(.palette(255), on: .palette(24))
        theme[.marked] = Style(.palette(255)).adding([.bold, .underline])
        theme[.key] = Style(.palette(255)).adding(.bold)
        theme.nicks = [114, 221, 111, 176, 209, 80, 150, 183, 216].map(Color.palette)
        return theme
    }()

    /// Dark text on white: 256 colours, each with a contrast of at least 4.5 to 1.
    package static let light: Theme = {
        var theme = Theme(name: "light")
        theme[.text] = Style(.palette(235), on: .palette(231))
        theme[.title] = Style(.palette(16)).adding(.bold)
        theme[.quiet] = Style(.palette(241))
        theme[.time] = Style(.palette(241))
        theme[.own] = Style(.palette(24))
        theme[.link] = Style(.palette(24)).adding(.underline)
        theme[.unread] = Style(.palette(16)).adding(.bold)
        theme[.error] = Style(.palette(124))
        theme[.good] = Style(.palette(22))
        theme[.warning] = Style(.palette(94))
        theme[.line] = Style(.palette(241))
        theme[.selected] = Style(.palette(16), on: .palette(153))
        theme[.marked] = Style(.palette(16)).adding([.bold, .underline])
        theme[.key] = Style(.palette(16)).adding(.bold)
        theme.nicks = [22, 94, 25, 90, 124, 23, 58, 54, 130].map(Color.palette)
        return theme
    }()

    /// White and a few bright colours on black, nothing dim: each at least 7 to 1 (WCAG 2.1, 1.4.6).
    package static let highContrast: Theme = {
        var theme = Theme(name: "high-contrast")
        theme[.text] = Style(.palette(231), on: .palette(16))
        theme[.title] = Style(.palette(231)).adding(.bold)
        theme[.own] = Style(.palette(87))
        theme[.link] = Style(.palette(87)).adding(.underline)
        theme[.unread] = Style(.palette(231)).adding(.bold)
        theme[.error] = Style(.palette(217)).adding(.bold)
        theme[.good] = Style(.palette(120))
        theme[.warning] = Style(.palette(227))
        theme[.selected] = Style(.palette(16), on: .palette(231)).adding(.bold)
        theme[.marked] = Style(.palette(16), on: .palette(227)).adding(.underline)
        theme[.key] = Style(.palette(227)).adding(.bold)
        theme.nicks = [120, 227, 159, 225, 217, 87].map(Color.palette)
        return theme
    }()
}
