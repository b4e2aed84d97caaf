// Output that is written beside curses, after each doupdate(): clusters that curses cannot measure, and links (OSC 8).

import CNcurses
import ChatWords

extension NcursesTerminal {
    /// The cells of `rows` that curses has not written, or not so, and the way of the cursor back.
    func besideCurses(_ rows: [Int], of canvas: Canvas, before: Canvas?) -> [UInt8] {
        var bytes: [UInt8] = []
        for row in rows { appendDirectly(row, canvas.row(row), before: before?.row(row), to: &bytes) }
        return bytes.isEmpty ? [] : bytes + codes(forCursorOf: canvas)
    }

    /// Writes a row from its first doubtful cluster on, setting the cursor anew after each of them, so that a terminal
    /// that sees another width there cannot shift the rest. Before that it writes only cells that lead somewhere or
    /// did: a cell keeps its link until it is written again.
    private func appendDirectly(
        _ row: Int, _ cells: [Canvas.Cell], before: [Canvas.Cell]?, to bytes: inout [UInt8]
    ) {
        var pen = DirectPen(terminal: self)
        var isBehindDirect = false
        for column in 0..<min(cells.count, size.columns) {
            // Nearly every cell, and so with every key.
            if !isBehindDirect, cells[column].isPlain, before?[column].isPlain ?? true { continue }
            let cell = cells[column]
            guard let cluster = cell.cluster, !showsPicture(cluster) else { continue }
            // The last column is left to curses, which knows how to keep the terminal from continuing in the next row.
            guard column + cluster.width < size.columns else { break }
            let isDirect = isDrawnDirectly(cluster, at: column)
            isBehindDirect = isBehindDirect || isDirect
            let link = shownLink(of: cluster)
            let ledSomewhere = shownLink(of: before?[column].cluster) != nil
            guard isBehindDirect || link != nil || ledSomewhere else { continue }
            let substitute = capabilities.widths.substitute(for: cluster, mostBytes: environment.mostClusterBytes)
            let direct = isDirect ? substitute ?? cluster.text : nil
            pen.write(direct ?? curseText(cluster, at: column), cell.style, link, row, column)
            pen.place = isDirect ? nil : (row, column + cluster.width)
        }
        bytes += pen.finish()
    }

    private func shownLink(of cluster: Cluster?) -> Link? {
        guard capabilities.links, let link = cluster?.link, link.terminalURI != nil else { return nil }
        return link
    }

    fileprivate func code(for style: Style) -> [UInt8] {
        var bytes = codes.noAttributes
        for (attribute, code) in codes.attributes where style.attributes.contains(attribute) { bytes += code }
        let foreground = style.foreground.index(of: capabilities.colors)
        let background = style.background.index(of: capabilities.colors)
        if foreground >= 0 { bytes += TerminalCodes.string("setaf", foreground) }
        if background >= 0 { bytes += TerminalCodes.string("setab", background) }
        return bytes
    }
}

/// Collects what is written beside curses: texts with their styles and links, and moves of the cursor where needed.
@ScreenActor
private struct DirectPen {
    let terminal: NcursesTerminal
    private var bytes: [UInt8] = []
    private var style: Style?
    private var link: Link?
    /// The position of the terminal's cursor; `nil` when that is doubtful.
    var place: (row: Int, column: Int)?

    init(terminal: NcursesTerminal) { self.terminal = terminal }

    mutating func write(_ text: String, _ newStyle: Style, _ newLink: Link?, _ row: Int, _ column: Int) {
        if place ?? (-1, -1) != (row, column) { bytes += TerminalCodes.string("cup", Int32(row), Int32(column)) }
        if style != newStyle { bytes += terminal.code(for: newStyle) }
        style = newStyle
        setLink(newLink)
        bytes += Array(text.utf8)
    }

    private mutating func setLink(_ newLink: Link?) {
        guard link != newLink else { return }
        link = newLink
        bytes += Array((newLink.flatMap(TerminalSequences.beginLink) ?? TerminalSequences.endLink).utf8)
    }

    /// Everything written, with the attributes and the link ended.
    mutating func finish() -> [UInt8] {
        setLink(nil)
        return style == nil ? bytes : bytes + terminal.codes.noAttributes
    }
}
