// A one-line text field in an overlay or a form.

import ChatWords

/// Which field of the open overlay or form is meant.
enum FieldName: Sendable, Equatable {
    /// The field of an overlay, which narrows a list or takes the answer to a prompt.
    case filter
    /// The rate that the transfers pane asks for.
    case rate
    case form(FirstRunForm.Field)
}

/// A field as it is drawn: from a click to a place in its text.
struct FieldTarget: Sendable, Equatable {
    var name: FieldName
    /// Where its text begins on the screen.
    var column: Int
    /// Columns of the text that are hidden to the left.
    var hidden = 0
    /// Whether right-to-left text in it is turned around.
    var reorders = false

    /// The character of `line` at a column of the screen.
    func offset(in line: InputLine, at screenColumn: Int) -> Int {
        let box = InputBox(oneRowOf: line, reordering: reorders)
        return box.offset(at: Point(column: screenColumn - column + hidden, row: 0))
    }
}

extension Canvas {
    /// Draws a field after its prompt, puts the cursor into it and makes it clickable. A long text is shown around its
    /// cursor, with `…` where more of it is.
    @discardableResult mutating func drawField(
        _ line: InputLine, named name: FieldName = .filter, after prompt: String, at point: Point, width: Int,
        hasFocus: Bool = true, style: Style = .plain
    ) -> FieldTarget {
        let prompt = SafeText(prompt, as: .line)
        let taken = draw(prompt, at: point, maxWidth: width)
        let room = max(2, width - taken)
        // The whole text; then the part around the cursor.
        let box = InputBox(oneRowOf: line, reordering: reorders)
        // Without the focus nobody types there: the beginning is shown.
        let hidden = hasFocus ? max(0, box.cursor.column - room + 1) : 0
        let place = Point(column: point.column + taken, row: point.row)
        let row = box.rows.first ?? .empty
        draw(
            Self.part(of: row, from: hidden, width: width - taken, cursor: box.cursor.column, hasFocus), at: place,
            style: style)
        let target = FieldTarget(name: name, column: place.column, hidden: hidden, reorders: reorders)
        addTarget(Rect(column: point.column, row: point.row, columns: width, rows: 1), .field(target))
        guard hasFocus else { return target }
        let column = min(place.column + box.cursor.column - hidden, max(0, size.columns - 1))
        cursor = Point(column: column, row: point.row)
        return target
    }

    /// `width` columns of a text from a column on; the cursor is never on a `…`.
    private static func part(
        of text: SafeText, from hidden: Int, width: Int, cursor: Int, _ hasFocus: Bool
    ) -> SafeText {
        guard width > 1 else { return text.dropping(width: hidden).prefix(width: width) }
        let mark = SafeText(clusters: [.ellipsis])
        var part = hidden > 0 ? text.dropping(width: hidden) : text
        if hidden > 0, !hasFocus || cursor > hidden { part = mark + part.dropping(width: mark.width) }
        guard part.width > width else { return part }
        return hasFocus && cursor - hidden >= width - 1 ? part.prefix(width: width) : part.truncated(to: width)
    }
}
