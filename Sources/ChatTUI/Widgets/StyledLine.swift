// One row of a screen: pieces of safe text with their styles, put together from left to right.

import ChatWords

/// Texts with styles on one row.
struct StyledLine: Sendable, Equatable {
    struct Span: Sendable, Equatable {
        var text: SafeText
        var style: Style
        /// The target of a click on it.
        var target: HitTarget?
    }

    private(set) var spans: [Span] = []
    private(set) var width = 0

    init() {}

    init(_ text: SafeText, _ style: Style = .plain) {
        add(text, style)
    }

    init(_ text: String, _ style: Style = .plain) {
        add(text, style)
    }

    mutating func add(_ text: SafeText, _ style: Style = .plain, target: HitTarget? = nil) {
        guard !text.isEmpty else { return }
        spans.append(Span(text: text, style: style, target: target))
        width += text.width
    }

    /// Any string is filtered on its way in.
    mutating func add(_ text: String, _ style: Style = .plain, target: HitTarget? = nil) {
        add(SafeText(text, as: .line), style, target: target)
    }

    mutating func add(_ line: StyledLine) {
        spans += line.spans
        width += line.width
    }

    /// Its words alone.
    var text: SafeText { spans.map(\.text).joined() }

    /// Blanks up to a column.
    mutating func pad(to column: Int) {
        if width < column { add(.blanks(column - width)) }
    }

    /// The same texts, all in another style.
    func restyled(_ change: (Style) -> Style) -> StyledLine {
        var line = StyledLine()
        for span in spans { line.add(span.text, change(span.style), target: span.target) }
        return line
    }
}

extension Canvas {
    /// Draws a row at most `width` columns wide; what does not fit is cut.
    mutating func draw(_ line: StyledLine, at point: Point, width: Int = .max) {
        var column = point.column
        var left = width
        for span in line.spans where left > 0 {
            let taken = draw(span.text, at: Point(column: column, row: point.row), style: span.style, maxWidth: left)
            guard taken > 0 else { break }
            if let target = span.target {
                addTarget(Rect(column: column, row: point.row, columns: taken, rows: 1), target)
            }
            column += taken
            left -= taken
        }
    }
}
