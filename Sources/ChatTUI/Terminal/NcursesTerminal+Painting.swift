// Painting a canvas: only changed cells go to curses. Clusters that curses cannot draw are in NcursesTerminal+Direct.

import CNcurses
import ChatWords
import Glibc

extension NcursesTerminal {
    /// The text that curses believes to be in the cells of a cluster that is written beside it. No other cell shows it,
    /// so that curses repaints the place when the cluster goes.
    private static let placeholder = "\u{A0}"

    package func present(_ canvas: Canvas) {
        guard let session, session.mayWrite, let window = cncurses_stdscr() else { return }
        set_term(session.screen)
        let before = shown?.size == canvas.size ? shown : nil
        if before == nil { werase(window) }
        let rows = 0..<min(canvas.size.rows, size.rows)
        var changed: [Int] = []
        for row in rows {
            guard let columns = canvas.changedColumns(ofRow: row, since: before) else { continue }
            changed.append(row)
            paint(row, canvas.row(row), columns, before: before?.row(row), on: window)
        }
        // One row, which is nearly every key, is a piece or two by itself.
        let stage = changed.count > 1 ? session.stage : nil
        stage?.begin()
        showCursor(canvas.cursor, on: window)
        wnoutrefresh(window)
        doupdate()
        var bytes = stage?.take() ?? []
        // curses may let the terminal move lines, and what was written beside it moves along: write all of it anew.
        bytes += besideCurses(changed.count > 1 ? Array(rows) : changed, of: canvas, before: before)
        bytes += pictures(of: canvas, before: before)
        shown = canvas
        if !TerminalOutput.write(bytes, to: output) { repaintLater() }
    }

    /// What the terminal shows is not known: it took a part of a picture. It gets a whole one when it takes bytes again.
    private func repaintLater() {
        redraw()
        ScreenActor.after(.seconds(1)) { [weak self] in
            guard let self, let session, session.mayWrite else { return }
            session.onInput(.resize(size))
        }
    }

    package func redraw() {
        guard let session else { return }
        set_term(session.screen)
        shown = nil
        clearok(cncurses_curscr(), true)
    }

    /// Gives those cells of one row's `columns` to curses that have changed.
    private func paint(
        _ row: Int, _ cells: [Canvas.Cell], _ columns: Range<Int>, before: [Canvas.Cell]?,
        on window: UnsafeMutablePointer<WINDOW>
    ) {
        var pen = Pen()
        for column in columns.clamped(to: 0..<min(cells.count, size.columns)) {
            let cell = cells[column]
            guard let cluster = cell.cluster else { continue }
            // The right half of a wide cluster changes with its left half.
            if let before, before[column] == cell { continue }
            if let scalar = plainScalar(cluster) {
                pen.take(cell.style, self)
                _ = cncurses_put(
                    window, Int32(row), Int32(column), wchar_t(bitPattern: scalar.value), pen.attributes, pen.pair)
                continue
            }
            wmove(window, Int32(row), Int32(column))
            if showsPicture(cluster) || isDrawnDirectly(cluster, at: column) {
                for _ in 0..<cluster.width { add(Self.placeholder, cell.style, to: window) }
            } else {
                add(curseText(cluster, at: column), cell.style, to: window)
            }
        }
    }

    /// A style in curses' form, for as long as consecutive cells have it.
    private struct Pen {
        private var style: Style?
        private(set) var attributes = cncurses_attr_normal()
        private(set) var pair: Int32 = 0

        @ScreenActor mutating func take(_ newStyle: Style, _ terminal: NcursesTerminal) {
            guard style != newStyle else { return }
            style = newStyle
            attributes = newStyle.attributes.curses
            pair = terminal.pairNumber(for: newStyle)
        }
    }

    /// The scalar of what nearly all cells hold: one that curses and the terminal take as it is.
    private func plainScalar(_ cluster: Cluster) -> Unicode.Scalar? {
        if let ascii = cluster.ascii, ascii < 0x7F { return cluster.base }
        guard capabilities.unicode, cluster.isOneScalar, cluster.base != Self.placeholder.unicodeScalars.first,
            !cluster.isTooWide, cluster.fitsCurses, !showsPicture(cluster)
        else { return nil }
        return cluster.base
    }

    /// The text of a cell as curses gets it.
    func curseText(_ cluster: Cluster, at column: Int) -> String {
        guard capabilities.unicode else { return ASCIIGlyphs.cell(of: cluster) }
        if cluster.text == Self.placeholder { return " " }
        if cluster.isTooWide { return ASCIIGlyphs.cell(of: cluster) }
        if cluster.fitsCurses { return cluster.text }
        // At the right border, where a cluster of doubtful width could wrap: its base alone, or a mark for each column.
        if wcwidth(wchar_t(bitPattern: cluster.base.value)) == cluster.width { return String(cluster.base) }
        return TextWidth.ambiguousColumns == 2
            ? ASCIIGlyphs.cell(of: cluster) : String(repeating: "\u{FFFD}", count: cluster.width)
    }

    private func add(_ text: String, _ style: Style, to window: UnsafeMutablePointer<WINDOW>) {
        // One curses cell per string, apart from substitutes, which are one scalar per column.
        let scalars = text.unicodeScalars.map { wchar_t(bitPattern: $0.value) }
        let groups = text.isOneCell ? [scalars] : scalars.map { [$0] }
        var pair = pairNumber(for: style)
        for group in groups {
            var cell = cchar_t()
            // The number of the pair goes by pointer: it may be larger than the 16 bits of the other parameter.
            guard setcchar(&cell, group + [0], style.attributes.curses, 0, &pair) == OK else { continue }
            wadd_wch(window, &cell)
        }
    }

    func isDrawnDirectly(_ cluster: Cluster, at column: Int) -> Bool {
        capabilities.unicode && !cluster.fitsCurses && !cluster.isTooWide
            && column + cluster.mostColumns < size.columns
    }

    // MARK: Cursor

    private func showCursor(_ cursor: Point?, on window: UnsafeMutablePointer<WINDOW>) {
        let isVisible = cursor.map { Rect(origin: Point(column: 0, row: 0), size: size).contains($0) } ?? false
        curs_set(isVisible ? 1 : 0)
        let place = cursorPlace(cursor)
        wmove(window, Int32(place.row), Int32(place.column))
    }

    /// The codes that put the terminal's cursor where curses believes it to be.
    func codes(forCursorOf canvas: Canvas) -> [UInt8] {
        let place = cursorPlace(canvas.cursor)
        return TerminalCodes.string("cup", Int32(place.row), Int32(place.column))
    }

    /// The position of the cursor, shown or not.
    func cursorPlace(_ cursor: Point?) -> Point {
        guard let cursor, Rect(origin: Point(column: 0, row: 0), size: size).contains(cursor) else {
            return Point(column: 0, row: 0)
        }
        return cursor
    }
}

extension String {
    /// curses takes it as one cell.
    fileprivate var isOneCell: Bool {
        unicodeScalars.dropFirst().allSatisfy { wcwidth(wchar_t(bitPattern: $0.value)) == 0 }
    }
}

extension Cluster {
    /// Marks of one base that a curses cell can hold (CCHARW_MAX is 5, with the base).
    private static let maxScalarsPerCell = 5

    /// True when curses, which goes by the C library, gives the cluster the columns that we do.
    fileprivate var fitsCurses: Bool {
        if ascii.map({ $0 < 0x7F }) ?? false { return true }
        guard wcwidth(wchar_t(bitPattern: base.value)) == width, !hasJoiner else { return false }
        return isOneScalar || (text.unicodeScalars.count <= Self.maxScalarsPerCell && text.isOneCell)
    }

    /// A sign of ours (a frame, a mark) that has one column here, but two in this terminal.
    fileprivate var isTooWide: Bool {
        TextWidth.ambiguousColumns == 2 && width == 1 && TextWidth.isAmbiguous(base)
    }

    /// The columns that a terminal without any notion of sequences would need.
    fileprivate var mostColumns: Int {
        isOneScalar ? 1 + TextWidth.width(of: base) : text.unicodeScalars.reduce(1) { $0 + TextWidth.width(of: $1) }
    }
}
