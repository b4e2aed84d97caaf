// Places on the grid of character cells: column 0, row 0 is the upper left corner. Used by Canvas and all screens.

/// How many cells there are. Never negative.
public struct Size: Sendable, Hashable {
    public let columns: Int
    public let rows: Int

    /// Negative values become zero: a terminal that is too small is not an error.
    public init(columns: Int, rows: Int) {
        self.columns = max(0, columns)
        self.rows = max(0, rows)
    }
}

/// One cell. May lie outside of any grid; drawing there does nothing.
public struct Point: Sendable, Hashable {
    public var column: Int
    public var row: Int

    public init(column: Int, row: Int) {
        self.column = column
        self.row = row
    }
}

/// A rectangle of cells. May be empty or reach outside of the grid; drawing is clipped.
public struct Rect: Sendable, Hashable {
    public var origin: Point
    public var size: Size

    public init(origin: Point, size: Size) {
        self.origin = origin
        self.size = size
    }

    public init(column: Int, row: Int, columns: Int, rows: Int) {
        self.init(origin: Point(column: column, row: row), size: Size(columns: columns, rows: rows))
    }

    public var columns: Range<Int> { origin.column..<origin.column + size.columns }
    public var rows: Range<Int> { origin.row..<origin.row + size.rows }
    public var isEmpty: Bool { size.columns == 0 || size.rows == 0 }

    public func contains(_ point: Point) -> Bool { columns.contains(point.column) && rows.contains(point.row) }

    /// The rectangle inside, `columns` narrower at the left and right and `rows` lower at the top and bottom.
    public func inset(columns: Int = 1, rows: Int = 1) -> Rect {
        Rect(
            column: origin.column + columns, row: origin.row + rows,
            columns: size.columns - 2 * columns, rows: size.rows - 2 * rows)
    }
}
