// Drawing on a Canvas: text, filled areas and frames. All clipped.

package import ChatWords

extension Canvas {
    /// Draws one line of text and returns the columns that it took. It ends at a line break, before `maxWidth` columns
    /// are exceeded and at the border of the grid; a wide cluster that does not fit leaves a blank.
    @discardableResult
    package mutating func draw(
        _ text: SafeText, at point: Point, style: Style = .plain, maxWidth: Int = .max
    ) -> Int {
        // No text reaches back into the grid from further left; this also keeps the sums small.
        guard (-TextFilter.maxDrawnBytes..<size.columns).contains(point.column) else { return 0 }
        let limit = min(maxWidth, size.columns - point.column)
        guard limit > 0 else { return 0 }
        let columns = point.column..<point.column + limit
        var column = point.column
        for cluster in text.clusters {
            guard !cluster.isLineBreak, column < columns.upperBound else { break }
            put(cluster, at: Point(column: column, row: point.row), style: style, within: columns)
            column = min(column + cluster.width, columns.upperBound)
        }
        return column - point.column
    }

    /// Fills `area` with blanks.
    package mutating func fill(_ area: Rect, style: Style = .plain) { blank(area, style: style) }

    /// Fills `area` with `text`, repeated in each row.
    package mutating func fill(_ area: Rect, with text: SafeText, style: Style = .plain) {
        let columns = area.columns.clamped(to: 0..<size.columns)
        let line = SafeText.filling(columns.count, with: text)
        for row in area.rows.clamped(to: 0..<size.rows) {
            draw(line, at: Point(column: columns.lowerBound, row: row), style: style, maxWidth: columns.count)
        }
    }

    /// Draws a box along the border of `area` and blanks its inside:
    ///
    ///     ┌─ Title ─────┐
    ///     │             │
    ///     └─ footer ────┘
    ///
    /// Nothing is drawn when the area is smaller than 2 x 2 cells.
    package mutating func frame(
        _ area: Rect, title: SafeText = .empty, footer: SafeText = .empty, style: Style = .plain
    ) {
        guard area.size.columns >= 2, area.size.rows >= 2 else { return }
        fill(area.inset(), style: style)
        drawEdge(area, row: area.rows.lowerBound, "┌", "┐", label: title, style: style)
        drawEdge(area, row: area.rows.upperBound - 1, "└", "┘", label: footer, style: style)
        let side = SafeText(literal: "│")
        for row in area.inset().rows.clamped(to: 0..<size.rows) {
            draw(side, at: Point(column: area.columns.lowerBound, row: row), style: style)
            draw(side, at: Point(column: area.columns.upperBound - 1, row: row), style: style)
        }
    }

    /// The columns that the title of a frame may have.
    static func labelColumns(of area: Rect) -> Int { max(0, area.size.columns - 6) }

    private mutating func drawEdge(
        _ area: Rect, row: Int, _ left: StaticString, _ right: StaticString, label: SafeText, style: Style
    ) {
        var middle = SafeText.empty
        let columns = area.size.columns - 2
        if !label.isEmpty && columns >= 5 {
            middle = SafeText(literal: "─ ") + label.truncated(to: Self.labelColumns(of: area)) + SafeText(literal: " ")
        }
        middle += .filling(columns - middle.width, with: SafeText(literal: "─"))
        let edge = SafeText(literal: left) + middle + SafeText(literal: right)
        draw(edge, at: Point(column: area.columns.lowerBound, row: row), style: style)
    }
}
