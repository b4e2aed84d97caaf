// The input line as rows of cells: wraps the draft, finds the cursor's place.

/// The layout of an InputLine in a given width.
struct InputBox {
    /// Clusters further than this from the cursor are not laid out: a pasted book must not slow the keys down.
    private static let reach = 4000

    /// At least one row.
    private(set) var rows: [SafeText]
    /// The cursor's place in `rows`.
    private(set) var cursor = Point(column: 0, row: 0)

    /// For each row, which of its clusters stand in `marks`.
    private var isMarked: [[Bool]]

    /// Lays out `line` in rows of `width` columns, at most `maxRows` of them around the cursor. `marks` are parts of the
    /// line, in their order, that are drawn differently.
    init(_ line: InputLine, width: Int, maxRows: Int, marks: [Range<Int>] = []) {
        let width = max(2, width)
        var finished: [SafeText] = []
        var row: [Cluster] = []
        var rowMarks: [Bool] = []
        var finishedMarks: [[Bool]] = []
        var marks = marks[...]
        var columns = 0
        let start = max(0, line.cursor - Self.reach)
        let end = min(line.characters.count, line.cursor + Self.reach)
        func endRow() {
            finished.append(SafeText(clusters: row))
            row = []
            columns = 0
            finishedMarks.append(rowMarks)
            rowMarks = []
        }
        for index in start..<end {
            let character = line.characters[index]
            while let first = marks.first, first.upperBound <= index { marks.removeFirst() }
            let isInMark = marks.first?.contains(index) ?? false
            if index == line.cursor { cursor = Point(column: columns, row: finished.count) }
            if character == "\n" {
                endRow()
                continue
            }
            for cluster in SafeText(String(character), as: .line).clusters {
                if columns + cluster.width > width {
                    endRow()
                    if index == line.cursor, row.isEmpty { cursor = Point(column: 0, row: finished.count) }
                }
                row.append(cluster)
                rowMarks.append(isInMark)
                columns += cluster.width
            }
        }
        if line.cursor >= end {
            if columns >= width { endRow() }
            cursor = Point(column: columns, row: finished.count)
        }
        endRow()
        let hidden = max(0, cursor.row - max(1, maxRows) + 1)
        rows = Array(finished.dropFirst(hidden).prefix(max(1, maxRows)))
        isMarked = Array(finishedMarks.dropFirst(hidden).prefix(max(1, maxRows)))
        cursor.row -= hidden
        if rows.isEmpty { rows = [.empty] }
    }

    /// A row with its marked clusters in `style`.
    func line(_ index: Int, marked style: Style) -> StyledLine {
        guard rows.indices.contains(index), isMarked.indices.contains(index) else { return StyledLine() }
        guard isMarked[index].contains(true) else { return StyledLine(rows[index]) }
        var line = StyledLine()
        for (cluster, isMarked) in zip(rows[index].clusters, isMarked[index]) {
            line.add(SafeText(clusters: [cluster]), isMarked ? style : .plain)
        }
        return line
    }
}
