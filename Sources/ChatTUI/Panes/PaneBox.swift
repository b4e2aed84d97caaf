// The box of a pane: where it is, its frame and the words in its footer.

import ChatWords

extension ScreenLayout {
    /// The place of an overlay: `inset` columns from both sides and at most `maxWidth` wide, or the whole body where
    /// the screen is narrow. `rowsBelow` are left free under it.
    func box(inset: Int, maxWidth: Int = .max, top: Int, rowsBelow: Int, maxRows: Int = .max) -> Rect {
        let body = Rect(column: 0, row: title == nil ? 0 : 1, columns: size.columns, rows: bodyRows)
        guard size.columns >= 60, size.rows >= 20 else { return body }
        let width = min(size.columns - 2 * inset, maxWidth)
        let rows = min(size.rows - top - rowsBelow, maxRows)
        return Rect(column: (size.columns - width) / 2, row: top, columns: width, rows: rows)
    }

    /// Rows between the title and the status line.
    private var bodyRows: Int { chat.size.rows }

    /// What is inside a box: without the frame where there is one.
    static func inside(_ box: Rect) -> Rect {
        hasFrame(box)
            ? Rect(
                column: box.origin.column + 2, row: box.origin.row + 1, columns: box.size.columns - 4,
                rows: box.size.rows - 2) : box
    }

    /// A frame needs room.
    static func hasFrame(_ box: Rect) -> Bool { box.size.columns >= 20 && box.size.rows >= 5 }
}

extension Canvas {
    /// Draws the frame of an overlay, or only its blank background where there is no room for a frame. The `hints` are
    /// the words of the footer that can be clicked.
    mutating func drawBox(
        _ box: Rect, title: SafeText, footer: SafeText, hints: [Hint] = [Hint("Esc closes", .back)]
    ) {
        addTarget(box, .nothing)
        if ScreenLayout.hasFrame(box) {
            frame(box, title: title, footer: footer)
            let place = Point(column: box.origin.column + 3, row: box.rows.upperBound - 1)
            addTargets(hints, in: footer, at: place, width: box.size.columns - 6)
        } else {
            fill(box)
        }
    }

    /// Whether the open overlay lies there.
    func isInOverlay(_ point: Point) -> Bool {
        targets.contains { $0.meaning == .nothing && $0.area.contains(point) }
    }
}
