// The input line as rows of cells: wraps the draft, finds the cursor's place.

/// The layout of an InputLine in a given width.
struct InputBox {
    /// Clusters further than this from the cursor are not laid out: a pasted book must not slow the keys down.
    private static let reach = 4000

    /// At least one row.
    private(set) var rows: [SafeText]
    /// The cursor's place in `rows`.
    private(set) var cursor = Point(column: 0, row: 0)

    /// Lays out `line` in rows of `width` columns, at most `maxRows` of them around the cursor.
    init(_ line: InputLine, width: Int, maxRows: Int) {
        let width = max(2, width)
        var finished: [SafeText] = []
        var row: [Cluster] = []
        var columns = 0
        let start = max(0, line.cursor - Self.reach)
        let end = min(line.characters.count, line.cursor + Self.reach)
        func endRow() {
            finished.append(SafeText(clusters: row))
            row = []
            columns = 0
        }
        for index in start..<end {
            let character = line.characters[index]
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
        cursor.row -= hidden
        if rows.isEmpty { rows = [.empty] }
    }
}
