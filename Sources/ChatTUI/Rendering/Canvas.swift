// The picture of one screen: a grid of cells that `view` draws and that a Terminal paints. Knows nothing of curses.

/// A grid of cells. Everything drawn is clipped to it; wide clusters always occupy two whole neighbouring cells.
public struct Canvas: Sendable, Equatable {
    /// What one column of one row shows.
    public struct Cell: Sendable, Hashable {
        /// The cluster; in the right half of a wide one: `nil`.
        public let cluster: Cluster?
        public fileprivate(set) var style: Style

        init(_ cluster: Cluster?, _ style: Style) {
            self.cluster = cluster
            self.style = style
        }

        public static let blank = Cell(.blank, .plain)
    }

    public let size: Size
    /// Where the terminal's cursor stands; `nil` hides it. A place outside of the grid hides it too.
    public var cursor: Point?
    private var cells: [Cell]
    /// What can be clicked, from the bottom to the top.
    var targets: [Target] = []

    /// A grid of blanks.
    public init(size: Size) {
        self.size = size
        cells = Array(repeating: .blank, count: size.columns * size.rows)
    }

    /// The whole grid.
    public var bounds: Rect { Rect(origin: Point(column: 0, row: 0), size: size) }

    /// The cell at `point`; a blank outside of the grid.
    public subscript(point: Point) -> Cell {
        bounds.contains(point) ? cells[index(point)] : .blank
    }

    /// The cells of one row from left to right; none outside of the grid.
    func row(_ row: Int) -> ArraySlice<Cell> {
        guard (0..<size.rows).contains(row) else { return [] }
        return cells[row * size.columns..<(row + 1) * size.columns]
    }

    /// The rows as text without styles, blanks at their ends removed, each ended by LF. Golden screens compare this.
    public func text() -> String {
        (0..<size.rows).map { number in
            var text = row(number).reduce(into: "") { $0 += $1.cluster?.text ?? "" }
            while text.utf8.last == UInt8(ascii: " ") { text.unicodeScalars.removeLast() }
            return text + "\n"
        }.joined()
    }

    private func index(_ point: Point) -> Int { point.row * size.columns + point.column }

    /// Puts one cluster at `point`. The halves of wide clusters that it covers are replaced by blanks, as is the
    /// cluster itself where only one of its halves is inside `columns`. Does nothing outside of the grid.
    mutating func put(_ cluster: Cluster, at point: Point, style: Style, within columns: Range<Int>) {
        let visible = columns.clamped(to: 0..<size.columns)
        guard (0..<size.rows).contains(point.row), cluster.width > 0 else { return }
        let style = cluster.isSubstitute ? style.adding(.dim) : style
        let wanted = point.column..<point.column + cluster.width
        let covered = wanted.clamped(to: visible)
        guard !covered.isEmpty else { return }
        blankHalf(at: Point(column: covered.lowerBound - 1, row: point.row), ofPairWith: covered.lowerBound)
        blankHalf(at: Point(column: covered.upperBound, row: point.row), ofPairWith: covered.upperBound - 1)
        let isWhole = covered == wanted
        for column in covered {
            let isFirst = column == wanted.lowerBound
            cells[index(Point(column: column, row: point.row))] = Cell(
                isWhole ? (isFirst ? cluster : nil) : .blank, style)
        }
    }

    /// Where `point` and its neighbour in column `other` are the two halves of a wide cluster, `point` becomes blank,
    /// because the other half is about to be overwritten.
    private mutating func blankHalf(at point: Point, ofPairWith other: Int) {
        guard (0..<size.columns).contains(point.column) else { return }
        let cell = cells[index(point)]
        let isHalf = point.column < other ? cell.cluster?.width == 2 : cell.cluster == nil
        if isHalf { cells[index(point)] = Cell(.blank, cell.style) }
    }

    /// Gives every cell the look that its meaning has in `theme`.
    mutating func dress(in theme: Theme) {
        // Neighbours mostly have the same style.
        var (last, look) = (Style.plain, theme.look(of: .plain))
        for place in cells.indices {
            if cells[place].style != last {
                last = cells[place].style
                look = theme.look(of: last)
            }
            if look != last { cells[place].style = look }
        }
    }

    /// Changes the styles of the cells inside `area`, keeping their texts (a selection, a dimmed background).
    public mutating func restyle(_ area: Rect, _ change: (Style) -> Style) {
        for row in area.rows.clamped(to: 0..<size.rows) {
            for column in area.columns.clamped(to: 0..<size.columns) {
                let place = index(Point(column: column, row: row))
                cells[place] = Cell(cells[place].cluster, change(cells[place].style))
            }
        }
    }
}
