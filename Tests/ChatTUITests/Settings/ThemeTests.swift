// What the themes make of the meanings, and that they can be read.

import Glibc
import Testing

@testable import ChatTUI
@testable import ChatWords

@Suite struct ThemeTests {
    @Test("the picture is dressed in the theme, and what a cell says itself stays")
    func dressing() {
        var canvas = Canvas(size: Size(columns: 6, rows: 1))
        canvas.draw(SafeText(literal: "a"), at: Point(column: 0, row: 0), style: Theme.error)
        canvas.draw(
            SafeText(literal: "b"), at: Point(column: 1, row: 0), style: Theme.error.adding(.reverse))
        canvas.draw(SafeText(literal: "c"), at: Point(column: 2, row: 0), style: Style(.blue))
        canvas.draw(SafeText(literal: "d"), at: Point(column: 3, row: 0), style: Style(.nick(3)))
        var theme = Theme(name: "test")
        theme[.text] = Style(.white, on: .palette(234))
        theme[.error] = Style(.palette(210)).adding(.bold)
        theme.nicks = [.green, .yellow]
        canvas.dress(in: theme)
        let styles = (0..<5).map { canvas[Point(column: $0, row: 0)].style }
        let paper = Color.palette(234)
        #expect(
            styles == [
                Style(.palette(210), on: paper, .bold), Style(.palette(210), on: paper, [.bold, .reverse]),
                Style(.blue, on: paper), Style(.yellow, on: paper), Style(.white, on: paper),
            ])
    }

    @Test("the screen wears the theme of its state")
    func screen() {
        var fixture = ScreenFixture.main(columns: 80, rows: 24)
        let plain = view(fixture.state).canvas
        fixture.state.surface.adopt(.light)
        let light = view(fixture.state).canvas
        #expect(plain.text() == light.text())
        #expect(plain[Point(column: 79, row: 5)].style == .plain)
        for row in 0..<24 {
            for column in 0..<80 {
                let style = light[Point(column: column, row: row)].style
                #expect(style.background != .standard && style.foreground != .standard, "\(column),\(row)")
            }
        }
    }

    @Test("every look of the themes with a background of their own has the contrast that they promise")
    func contrast() throws {
        for (theme, least) in [(Theme.dark, 4.5), (.light, 4.5), (.highContrast, 7)] {
            var styles = Theme.Part.allCases.map { theme.look(of: Style(.part($0))) }
            styles += theme.nicks.indices.map { theme.look(of: Style(.nick(UInt8($0)))) }
            for style in styles {
                let ratio = try Self.contrast(style.foreground, style.background)
                #expect(ratio >= least, "\(theme.name): \(style) has \(ratio)")
            }
        }
    }

    /// WCAG 2.1, "contrast ratio", of two colours of xterm's cube and greys.
    private static func contrast(_ one: Color, _ other: Color) throws -> Double {
        let lights = [try luminance(one), try luminance(other)].sorted()
        return (lights[1] + 0.05) / (lights[0] + 0.05)
    }

    private static func luminance(_ color: Color) throws -> Double {
        guard case .palette(let number) = color, number >= 16 else { throw Unknown() }
        let levels = [0.0, 95, 135, 175, 215, 255]
        let index = Int(number) - 16
        let parts =
            number >= 232
            ? Array(repeating: Double(8 + 10 * (Int(number) - 232)), count: 3)
            : [levels[index / 36], levels[index / 6 % 6], levels[index % 6]]
        let linear = parts.map { $0 / 255 }.map { part in
            part <= 0.03928 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }

    private struct Unknown: Error {}
}
