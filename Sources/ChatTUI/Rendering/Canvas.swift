// The picture of one screen: a grid of cells that `view` draws and that a Terminal paints. Knows nothing of curses.

package import ChatWords
import Glibc

/// A grid of cells. Everything drawn is clipped to it; wide clusters always occupy two whole neighbouring cells.
package struct Canvas: Sendable, Equatable {
    /// The content of one column of one row.
    package struct Cell: Sendable, Hashable {
        /// Not an optional: every key compares rows, and Swift copies the parts of an optional to look at them.
        private let content: Cluster
        public fileprivate(set) var style: Style

        init(_ cluster: Cluster?, _ style: Style) {
            content = cluster ?? .rightHalf
            self.style = style
        }

        package static let blank = Cell(.blank, .plain)

        /// The cluster; in the right half of a wide one: `nil`.
        package var cluster: Cluster? { isRightHalf ? nil : content }

        /// Every cluster that is drawn has a width.
        fileprivate var isRightHalf: Bool { content.width == 0 }

        /// Whether two cells are equal, without a copy of either: a copy counts their references, and this is done for
        /// every cell of a row with every key.
        fileprivate static func isSame(_ cell: UnsafePointer<Cell>, _ other: UnsafePointer<Cell>) -> Bool {
            // Cells of the same bytes are equal, and nearly all equal ones have the same; cells of other bytes may be.
            memcmp(cell, other, MemoryLayout<Cell>.size) == 0
                || cell.pointee.style == other.pointee.style && cell.pointee.content == other.pointee.content
        }

        /// Whether the cell shows a character that every terminal draws alike, and has no link.
        var isPlain: Bool { content.isPlain && !isRightHalf }
    }

    package let size: Size
    /// The place of the terminal's cursor; `nil` hides it. A place outside of the grid hides it too.
    package var cursor: Point?
    /// Each row by itself: a picture made from another one shares the rows that have not changed, and comparing these
    /// costs nothing.
    private var rows: [[Cell]]
    /// Whether right-to-left text in fields is turned around (`ui.unicode.bidi`).
    var reorders = true
    /// The areas that can be clicked, from the bottom to the top.
    var targets: [Target] = []

    /// A grid of blanks.
    package init(size: Size) {
        self.size = size
        rows = Array(repeating: Array(repeating: .blank, count: size.columns), count: size.rows)
    }

    /// The whole grid.
    package var bounds: Rect { Rect(origin: Point(column: 0, row: 0), size: size) }

    /// The cell at `point`; a blank outside of the grid.
    package subscript(point: Point) -> Cell {
        bounds.contains(point) ? rows[point.row][point.column] : .blank
    }

    /// The cells of one row from left to right; none outside of the grid.
    func row(_ row: Int) -> [Cell] { rows.indices.contains(row) ? rows[row] : [] }

    /// The columns of a row from the first that differs from `before`, which has the same size, to the last: all of
    /// them without `before`; `nil` when none differs.
    func changedColumns(ofRow row: Int, since before: Canvas?) -> Range<Int>? {
        guard let before else { return 0..<size.columns }
        guard rows.indices.contains(row), before.rows.indices.contains(row) else { return nil }
        return rows[row].withUnsafeBufferPointer { cells in
            before.rows[row].withUnsafeBufferPointer { old in
                guard let cell = cells.baseAddress, let other = old.baseAddress, cell != other,
                    cells.count == old.count
                else { return nil }
                var (first, end) = (0, cells.count)
                while first < end, Cell.isSame(cell + first, other + first) { first += 1 }
                while end > first, Cell.isSame(cell + end - 1, other + end - 1) { end -= 1 }
                return first == end ? nil : first..<end
            }
        }
    }

    /// The rows as text without styles, blanks at their ends removed, each ended by LF. Golden screens compare this.
    package func text() -> String {
        (0..<size.rows).map { number in
            var text = row(number).reduce(into: "") { $0 += $1.cluster?.text ?? "" }
            while text.utf8.last == UInt8(ascii: " ") { text.unicodeScalars.removeLast() }
            return text + "\n"
        }.joined()
    }

    /// Puts one cluster at `point`. The halves of wide clusters that it covers are replaced by blanks, as is the
    /// cluster itself where only one of its halves is inside `columns`. Does nothing outside of the grid.
    mutating func put(_ cluster: Cluster, at point: Point, style: Style, within columns: Range<Int>) {
        let visible = columns.clamped(to: 0..<size.columns)
        guard (0..<size.rows).contains(point.row), cluster.width > 0 else { return }
        let style = cluster.isSubstitute ? style.adding(.dim) : style
        if cluster.width == 1, visible.contains(point.column) {
            return rows[point.row].withUnsafeMutableBufferPointer { cells in
                Self.loosenHalves(around: point.column, in: &cells)
                cells[point.column] = Cell(cluster, style)
            }
        }
        let wanted = point.column..<point.column + cluster.width
        let covered = wanted.clamped(to: visible)
        guard !covered.isEmpty else { return }
        let isWhole = covered == wanted
        rows[point.row].withUnsafeMutableBufferPointer { cells in
            Self.loosenHalves(around: covered.lowerBound, in: &cells)
            Self.loosenHalves(around: covered.upperBound - 1, in: &cells)
            for column in covered {
                let isFirst = column == wanted.lowerBound
                cells[column] = Cell(isWhole ? (isFirst ? cluster : nil) : .blank, style)
            }
        }
    }

    /// Where the cell at `column` is the half of a wide cluster, the other half becomes blank.
    private static func loosenHalves(around column: Int, in cells: inout UnsafeMutableBufferPointer<Cell>) {
        if column > 0, cells[column].isRightHalf { cells[column - 1] = Cell(.blank, cells[column - 1].style) }
        if column + 1 < cells.count, cells[column + 1].isRightHalf {
            cells[column + 1] = Cell(.blank, cells[column + 1].style)
        }
    }

    /// Blanks `area`, with both halves of wide clusters that it cuts.
    mutating func blank(_ area: Rect, style: Style) {
        let columns = area.columns.clamped(to: 0..<size.columns)
        guard let last = columns.last else { return }
        let cell = Cell(.blank, style)
        for row in area.rows.clamped(to: 0..<size.rows) {
            rows[row].withUnsafeMutableBufferPointer { cells in
                Self.loosenHalves(around: columns.lowerBound, in: &cells)
                Self.loosenHalves(around: last, in: &cells)
                for column in columns { cells[column] = cell }
            }
        }
    }

    /// Gives the cells of `wanted` rows (all when `nil`) the look that their meaning has in `theme`.
    mutating func dress(in theme: Theme, rows wanted: Range<Int>? = nil) {
        // Neighbours mostly have the same style.
        var (last, look) = (Style.plain, theme.look(of: .plain))
        for row in wanted?.clamped(to: rows.indices) ?? rows.indices {
            for column in rows[row].indices {
                if rows[row][column].style != last {
                    last = rows[row][column].style
                    look = theme.look(of: last)
                }
                if look != last { rows[row][column].style = look }
            }
        }
    }

    /// Changes the styles of the cells inside `area`, keeping their texts (a selection, a dimmed background).
    package mutating func restyle(_ area: Rect, _ change: (Style) -> Style) {
        for row in area.rows.clamped(to: 0..<size.rows) {
            for column in area.columns.clamped(to: 0..<size.columns) {
                rows[row][column].style = change(rows[row][column].style)
            }
        }
    }
}
