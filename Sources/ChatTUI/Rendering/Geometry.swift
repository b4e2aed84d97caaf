// Places on the grid of character cells: column 0, row 0 is the upper left corner. Used by Canvas and all screens.

import ChatWords

/// How many cells there are. Never negative.
package struct Size: Sendable, Hashable {
    package let columns: Int
    package let rows: Int

    /// Negative values become zero: a terminal that is too small is not an error.
    package init(columns: Int, rows: Int) {
        self.columns = max(0, columns)
        self.rows = max(0, rows)
    }
}

/// One cell. May lie outside of any grid; drawing there does nothing.
package struct Point: Sendable, Hashable {
    package var column: Int
    package var row: Int

    package init(column: Int, row: Int) {
        self.column = column
        self.row = row
    }
}

/// A rectangle of cells. May be empty or reach outside of the grid; drawing is clipped.
package struct Rect: Sendable, Hashable {
    package var origin: Point
    package var size: Size

    package init(origin: Point, size: Size) {
        self.origin = origin
        self.size = size
    }

    package init(column: Int, row: Int, columns: Int, rows: Int) {
        self.init(origin: Point(column: column, row: row), size: Size(columns: columns, rows: rows))
    }

    package var columns: Range<Int> { origin.column..<origin.column + size.columns }
    package var rows: Range<Int> { origin.row..<origin.row + size.rows }
    package var isEmpty: Bool { size.columns == 0 || size.rows == 0 }

    package func contains(_ point: Point) -> Bool { columns.contains(point.column) && rows.contains(point.row) }

    /// The rectangle inside, `columns` narrower at the left and right and `rows` lower at the top and bottom.
    package func inset(columns: Int = 1, rows: Int = 1) -> Rect {
        Rect(
            column: origin.column + columns, row: origin.row + rows,
            columns: size.columns - 2 * columns, rows: size.rows - 2 * rows)
    }
}
