// The input line as rows of cells: wraps the draft, finds the cursor's place.

import ChatWords

/// The layout of an InputLine in a given width.
struct InputBox {
    /// Clusters further than this from the cursor are not laid out: a pasted book must not slow the keys down.
    private static let reach = 4000

    /// At least one row.
    private(set) var rows: [SafeText] = []
    /// The cursor's place in `rows`.
    private(set) var cursor = Point(column: 0, row: 0)
    /// The text begins above the first of `rows`.
    private(set) var beginsAbove = false

    /// For each row, which of its clusters are in `marks`.
    private var isMarked: [[Bool]] = []
    /// For each row the character in each column, and at the end the one after them.
    private var offsets: [[Int]] = []

    /// Lays out `line` in rows of `width` columns, at most `maxRows` of them around the cursor. `marks` are parts of
    /// the line, in their order, that are drawn differently. With `reordering` right-to-left parts are turned around
    /// (UAX #9), and lines that begin with a right-to-left letter are at the right border.
    init(_ line: InputLine, width: Int, maxRows: Int, marks: [Range<Int>] = [], reordering: Bool) {
        let width = max(2, width)
        let reordering = reordering && line.hasRightToLeft
        let lines = Self.wrapped(line, width: width, marks)
        let place = Self.place(of: line.cursor, in: lines)
        let rowCount = lines.reduce(0) { $0 + $1.rows.count }
        let hidden = max(0, min(place.row - max(1, maxRows) + 1, rowCount - 1))
        let shown = hidden..<min(hidden + max(1, maxRows), rowCount)
        beginsAbove = hidden > 0 || line.cursor > Self.reach
        var number = 0
        for text in lines {
            let order = reordering ? BidiParagraph(text.cells.map(\.cluster)) : nil
            for row in text.rows {
                defer { number += 1 }
                guard shown.contains(number) else { continue }
                let cell = number == place.row ? place.cell : nil
                add(row, of: text, order, alignedIn: width, cursor: cell)
            }
        }
    }

    /// Lays out a line without line ends in one row that is as long as its text.
    init(oneRowOf line: InputLine, reordering: Bool) {
        // Room for the cursor at the end of a text that runs to the left.
        let columns = Self.wrapped(line, width: .max / 4, []).reduce(1) {
            $0 + $1.cells.reduce(0) { $0 + $1.cluster.width }
        }
        self.init(line, width: columns, maxRows: 1, reordering: reordering)
    }

    /// Whether `line` takes one row, which we see without laying it out for most of what people type.
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

    // MARK: Wrapping, in the order in which the text is stored

    /// A cluster, and the character that it belongs to.
    private struct Cell {
        let cluster: Cluster
        let character: Int
        let isMarked: Bool
    }

    /// A part of the text between two line ends.
    private struct Line {
        var cells: [Cell] = []
        /// The cells of each row; at least one row.
        var rows: [Range<Int>] = []
        /// The character after its last one.
        var end = 0
    }

    private static func wrapped(_ line: InputLine, width: Int, _ marks: [Range<Int>]) -> [Line] {
        let start = max(0, line.cursor - reach)
        let end = min(line.characters.count, line.cursor + reach)
        var marks = marks[...]
        var finished: [Line] = []
        var current = Line()
        var rowStart = 0
        var columns = 0
        func endRow() {
            current.rows.append(rowStart..<current.cells.count)
            rowStart = current.cells.count
            columns = 0
        }
        func endLine(at index: Int) {
            let cursorIsBehind = line.cursor <= index && line.cursor > current.cells.last?.character ?? -1
            // After a full row the cursor is on the next one.
            if cursorIsBehind, columns >= width { endRow() }
            endRow()
            current.end = index
            finished.append(current)
            current = Line()
            rowStart = 0
        }
        for index in start..<end {
            let character = line.characters[index]
            guard character != "\n" else {
                endLine(at: index)
                continue
            }
            while let first = marks.first, first.upperBound <= index { marks.removeFirst() }
            let isMarked = marks.first?.contains(index) ?? false
            // A typed character is nearly always one that needs no filter.
            let plain = character.utf8.count == 1 ? character.utf8.first.flatMap(Cluster.ascii) : nil
            let clusters = if let plain { [plain] } else { SafeText(String(character), as: .line).clusters }
            for cluster in clusters {
                if columns + cluster.width > width { endRow() }
                current.cells.append(Cell(cluster: cluster, character: index, isMarked: isMarked))
                columns += cluster.width
            }
        }
        endLine(at: end)
        return finished
    }

    /// The row of the cursor among all rows, and the cell of its line that it is on, or the one after the last of the row.
    private static func place(of cursor: Int, in lines: [Line]) -> (row: Int, cell: Int) {
        var before = 0
        for line in lines {
            guard cursor > line.end else {
                let cell = line.cells.firstIndex { $0.character >= cursor } ?? line.cells.count
                let row = line.rows.lastIndex { $0.lowerBound <= cell } ?? 0
                return (before + row, cell)
            }
            before += line.rows.count
        }
        return (max(0, before - 1), 0)
    }

    // MARK: Rows, as they are shown

    /// Adds a row of a line. `cursor` is the cell of the line that the cursor is on, if it is in this row.
    private mutating func add(
        _ row: Range<Int>, of line: Line, _ paragraph: BidiParagraph?, alignedIn width: Int, cursor cell: Int?
    ) {
        let order = paragraph?.visualOrder(of: row) ?? Array(row)
        let columns = order.reduce(0) { $0 + line.cells[$1].cluster.width }
        let behind = row.upperBound < line.cells.count ? line.cells[row.upperBound].character : line.end
        let isRightToLeft = paragraph?.isRightToLeft ?? false
        let indent = isRightToLeft ? max(0, width - columns) : 0
        var clusters = SafeText.blanks(indent).clusters
        var marks = Array(repeating: false, count: indent)
        var characters = Array(repeating: behind, count: indent)
        // At the end of the row, where the next letter goes.
        var cursorColumn = isRightToLeft ? max(0, indent - 1) : columns
        for place in order {
            let found = line.cells[place]
            if place == cell { cursorColumn = characters.count }
            clusters.append(paragraph?.shownCluster(at: place) ?? found.cluster)
            marks.append(found.isMarked)
            characters += repeatElement(found.character, count: found.cluster.width)
        }
        if cell != nil { cursor = Point(column: cursorColumn, row: rows.count) }
        rows.append(SafeText(clusters: clusters))
        isMarked.append(marks)
        offsets.append(characters + [isRightToLeft ? row.first.map { line.cells[$0].character } ?? behind : behind])
    }
}
