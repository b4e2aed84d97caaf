// Clicks and the wheel for tests, as the bytes that a terminal sends.

import Testing

@testable import ChatTUI
@testable import ChatWords

extension ScreenFixture {
    /// What a terminal sends for the left button (0) or the wheel (64, 65), in the form that we ask for (SGR).
    mutating func mouse(_ button: Int, column: Int, row: Int, isPress: Bool = true) {
        var decoder = InputDecoder()
        decoder.receive(Array("\u{1B}[<\(button);\(column + 1);\(row + 1)\(isPress ? "M" : "m")".utf8), now: .now)
        while let event = decoder.nextEvent() { send(.input(event)) }
    }

    mutating func click(column: Int, row: Int) {
        mouse(0, column: column, row: row)
        mouse(0, column: column, row: row, isPress: false)
    }

    /// Clicks in the middle of the first place where `text` stands.
    mutating func click(on text: String) throws {
        let rows = canvas.text().split(separator: "\n", omittingEmptySubsequences: false)
        let row = try #require(rows.firstIndex { $0.contains(text) }, "\(text) is not on the screen")
        let range = try #require(rows[row].ranges(of: text).first)
        let column = SafeText(String(rows[row][..<range.lowerBound]), as: .line).width + text.count / 2
        click(column: column, row: row)
    }
}

extension FirstRunScreen {
    /// The field that is drawn at a point, and the character of its text there.
    func field(at point: Point, size: Size) -> (field: FirstRunForm.Field, offset: Int)? {
        guard case .field(let target) = draw(size: size).target(at: point), case .form(let field) = target.name else {
            return nil
        }
        return (field, target.offset(in: form.line(field), at: point.column))
    }
}
