// A one-line text field in an overlay or a form.

extension Canvas {
    /// Draws a field behind its prompt and puts the cursor into it. A long text is shown around its cursor.
    mutating func drawField(
        _ line: InputLine, after prompt: String, at point: Point, width: Int, hasFocus: Bool = true
    ) {
        let prompt = SafeText(prompt, as: .line)
        let taken = draw(prompt, at: point, maxWidth: width)
        let room = max(2, width - taken)
        // One row as long as the text; then the part around the cursor.
        let box = InputBox(line, width: .max / 4, maxRows: 1)
        let hidden = max(0, box.cursor.column - room + 1)
        let text = (box.rows.first ?? .empty).dropping(width: hidden)
        draw(text, at: Point(column: point.column + taken, row: point.row), maxWidth: width - taken)
        guard hasFocus else { return }
        let column = min(point.column + taken + box.cursor.column - hidden, max(0, size.columns - 1))
        cursor = Point(column: column, row: point.row)
    }
}
