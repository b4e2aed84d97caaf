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
    /// For each row the character in each column, and at the end the one behind them.
    private var offsets: [[Int]]

    /// Lays out `line` in rows of `width` columns, at most `maxRows` of them around the cursor. `marks` are parts of the
    /// line, in their order, that are drawn differently.
    init(_ line: InputLine, width: Int, maxRows: Int, marks: [Range<Int>] = []) {
        let width = max(2, width)
        var finished: [SafeText] = []
        var row: [Cluster] = []
        var rowMarks: [Bool] = []
        var finishedMarks: [[Bool]] = []
        var rowOffsets: [Int] = []
        var finishedOffsets: [[Int]] = []
        var marks = marks[...]
        var columns = 0
        let start = max(0, line.cursor - Self.reach)
        let end = min(line.characters.count, line.cursor + Self.reach)
        func endRow(at index: Int) {
            finished.append(SafeText(clusters: row))
            row = []
            columns = 0
            finishedMarks.append(rowMarks)
            rowMarks = []
            finishedOffsets.append(rowOffsets + [index])
            rowOffsets = []
        }
        for index in start..<end {
            let character = line.characters[index]
            while let first = marks.first, first.upperBound <= index { marks.removeFirst() }
            let isInMark = marks.first?.contains(index) ?? false
            if index == line.cursor { cursor = Point(column: columns, row: finished.count) }
            if character == "\n" {
                endRow(at: index)
                continue
            }
            // What is typed is nearly always one that needs no filter.
            let plain = character.utf8.count == 1 ? character.utf8.first.flatMap(Cluster.ascii) : nil
            let clusters = if let plain { [plain] } else { SafeText(String(character), as: .line).clusters }
            for cluster in clusters {
                if columns + cluster.width > width {
                    endRow(at: index)
                    if index == line.cursor, row.isEmpty { cursor = Point(column: 0, row: finished.count) }
                }
                row.append(cluster)
                rowMarks.append(isInMark)
                rowOffsets += repeatElement(index, count: cluster.width)
                columns += cluster.width
            }
        }
        if line.cursor >= end {
            if columns >= width { endRow(at: end) }
            cursor = Point(column: columns, row: finished.count)
        }
        endRow(at: end)
        let hidden = max(0, cursor.row - max(1, maxRows) + 1)
        rows = Array(finished.dropFirst(hidden).prefix(max(1, maxRows)))
        isMarked = Array(finishedMarks.dropFirst(hidden).prefix(max(1, maxRows)))
        offsets = Array(finishedOffsets.dropFirst(hidden).prefix(max(1, maxRows)))
        cursor.row -= hidden
        if rows.isEmpty { rows = [.empty] }
    }

    /// Whether `line` takes one row, which for what is mostly typed can be told without laying it out.
    static func isOneRow(_ line: InputLine, width: Int) -> Bool {
        line.characters.count < width
            && line.characters.allSatisfy { $0.utf8.count == 1 && Cluster.ascii($0.utf8.first ?? 0) != nil }
    }

    /// The character at a place of `rows`; the nearest one for places outside.
    func offset(at place: Point) -> Int {
        guard !offsets.isEmpty else { return 0 }
        let row = offsets[min(max(place.row, 0), offsets.count - 1)]
        return row[min(max(place.column, 0), row.count - 1)]
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
