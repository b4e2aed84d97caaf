// Draws our own address as a QR code, or in letters where there is no room for it.

import ChatCore
import ChatWords

/// Draws a QRPane with light modules on black whatever the terminal's colours are: most readers need it so.
struct QRScreen {
    let pane: QRPane
    /// The place of the address when the code cannot be drawn.
    let box: Rect
    /// The terminal draws more than ASCII.
    let hasBlocks: Bool
    static let needsUnicode = "The code needs a terminal with UTF-8 (LANG, ui.glyphs)."

    private static let paper = Style(.ansi(15), on: .black)

    func draw(on canvas: inout Canvas) {
        guard hasBlocks else {
            return drawAddress(on: &canvas, Self.needsUnicode)
        }
        let side = pane.code.size + 2 * QRCode.margin
        let size = canvas.size
        let rows = (side + 1) / 2
        guard size.columns >= side, size.rows > rows else {
            return drawAddress(on: &canvas, "The code needs a window of \(side)x\(rows + 1).")
        }
        guard TextWidth.ambiguousColumns == 1 else {
            return drawAddress(on: &canvas, "The terminal draws the blocks of a code too wide (ui.unicode.ambiguous).")
        }
        canvas.fill(canvas.bounds)
        canvas.addTarget(canvas.bounds, .command(.back))
        // Below the code there is seldom room for the whole address.
        let isBeside = size.columns - side >= Self.wordColumns
        let column = isBeside ? 0 : (size.columns - side) / 2
        for (row, line) in pane.code.halfBlocks.enumerated() {
            canvas.draw(SafeText(line, as: .line), at: Point(column: column, row: row), style: Self.paper)
        }
        let words =
            isBeside
            ? Rect(column: side + 2, row: 1, columns: size.columns - side - 3, rows: size.rows - 1)
            : Rect(column: 0, row: rows, columns: size.columns, rows: size.rows - rows)
        drawWords(on: &canvas, words)
    }

    /// Columns that the address needs beside the code.
    private static let wordColumns = 24

    /// The address in as many rows as it needs, and how to leave.
    private func drawWords(on canvas: inout Canvas, _ area: Rect) {
        var lines = TextWrap.wrap(SafeText(pane.address, as: .line), width: area.size.columns)
        if lines.count > area.size.rows {
            lines = [SafeText(pane.address, as: .line).truncated(to: area.size.columns)]
        }
        for (row, line) in lines.enumerated() {
            canvas.draw(line, at: Point(column: area.origin.column, row: area.origin.row + row), style: Theme.link)
        }
        let row = area.origin.row + lines.count + (area.size.rows > lines.count + 1 ? 1 : 0)
        guard row < area.rows.upperBound else { return }
        canvas.draw(
            SafeText(literal: "Esc closes"), at: Point(column: area.origin.column, row: row), style: Theme.quiet)
    }

    /// The address in letters, and why. A user who copies it needs all of it: in a small window nothing is shown beside it.
    private func drawAddress(on canvas: inout Canvas, _ reason: String) {
        var area = ScreenLayout.inside(box)
        var lines = TextWrap.wrap(SafeText(pane.address, as: .line), width: max(8, area.size.columns))
        if lines.count <= area.size.rows {
            canvas.drawBox(
                box, title: SafeText(literal: "Your address"), footer: SafeText(literal: "opened by you · Esc closes"))
        } else {
            area = canvas.bounds
            canvas.fill(area)
            canvas.addTarget(area, .command(.back))
            lines = TextWrap.wrap(SafeText(pane.address, as: .line), width: max(1, area.size.columns))
        }
        lines += TextWrap.wrap(SafeText(reason, as: .line), width: max(8, area.size.columns))
        for (row, line) in lines.prefix(area.size.rows).enumerated() {
            canvas.draw(line, at: Point(column: area.origin.column, row: area.origin.row + row))
        }
    }
}
