// Enter in the transfers pane: everything that is known of one file or folder.

import ChatCore
import ChatWords

/// The rows about one group, a word and its value each.
struct TransferDetails {
    let state: AppState
    let group: TransferGroup

    private static let labelWidth = 11

    /// Scrolls where the window is too small: `top` is the first row that is seen.
    func draw(on canvas: inout Canvas, _ area: Rect, top: Int) {
        let rows = rows(in: area.size)
        let first = Self.first(top, of: rows.count, in: area.size.rows)
        for (place, row) in rows.dropFirst(first).prefix(area.size.rows).enumerated() {
            let point = Point(column: area.origin.column, row: area.origin.row + place)
            canvas.draw(row.label, at: point, style: Theme.quiet, maxWidth: Self.labelWidth)
            canvas.draw(
                row.value, at: Point(column: point.column + Self.labelWidth, row: point.row), style: row.style,
                maxWidth: Self.valueWidth(area.size.columns))
        }
        let last = area.rows.upperBound - 1
        for (isThere, mark, row) in [
            (first > 0, "↑", area.origin.row), (first + area.size.rows < rows.count, "↓", last),
        ] where isThere {
            let place = Point(column: area.origin.column + area.size.columns - 1, row: row)
            canvas.draw(SafeText(mark, as: .line), at: place, style: Theme.key)
        }
    }

    /// The first row that is seen, as near to `top` as there are rows.
    static func first(_ top: Int, of count: Int, in room: Int) -> Int { max(0, min(top, count - room)) }

    private static func valueWidth(_ columns: Int) -> Int { max(8, columns - labelWidth) }

    /// All rows; where they do not fit the last column is left to the marks.
    func rows(in size: Size) -> [(label: SafeText, value: SafeText, style: Style)] {
        let rows = rows(width: size.columns)
        return rows.count > size.rows ? self.rows(width: size.columns - 1) : rows
    }

    private func rows(width: Int) -> [(label: SafeText, value: SafeText, style: Style)] {
        values.flatMap { label, value in
            // The caption is somebody's text; names and paths keep their order.
            let lines = TextWrap.wrap(
                SafeText(value, as: .line), width: Self.valueWidth(width),
                reordering: label == "caption" && state.surface.settings.reorders)
            return lines.enumerated().map { index, line in
                (index == 0 ? SafeText(label, as: .line) : .empty, line, label == "why" ? Theme.error : .plain)
            }
        }
    }

    private var values: [(String, String)] {
        let file = group.lead
        let words = TransferWords(state: state, group: group)
        let name = state.world.chat(group.contact)?.name.text ?? "?"
        var values = [
            (group.direction == .incoming ? "from" : "to", name),
            (group.isFolder ? "folder" : "file", words.name.text),
            ("state", words.words),
            ("size", "\(Units.size(group.size)) (\(group.size) bytes), \(Units.size(group.transferred)) done"),
        ]
        if group.isFolder {
            values.append(("files", fileCounts))
        } else {
            // A content type that fits every kind says nothing beside the word for this one.
            let isKnown = !["", "application/octet-stream"].contains(file.contentType)
            values.append(("kind", FileKind.word(for: file) + (isKnown ? ", \(file.contentType)" : "")))
            if !file.caption.isEmpty { values.append(("caption", file.caption)) }
            values.append(("sha256", file.sha256 ?? "known at the end"))
        }
        if let path = group.path { values.append((group.direction == .incoming ? "in" : "source", path)) }
        if let reason = group.reason, group.state == .failed { values.append(("why", reason.words)) }
        values.append(("offered", time(file.offered)))
        if let started = group.started { values.append(("accepted", time(started))) }
        if let finished = group.finished, group.state.isFinal {
            values.append(("ended", time(finished) + duration))
        }
        if let limit = state.world.transfers.limits[group.number] {
            values.append(("limit", Units.rate(Double(limit))))
        }
        values.append(("id", file.id.text))
        return values
    }

    /// `12 complete, 2 running, 17 offered`
    private var fileCounts: String {
        let states: [FileTransfer.State] = [
            .complete, .running, .accepted, .paused, .offered, .failed, .cancelled, .declined,
        ]
        let parts = states.filter { group.count($0) > 0 }.map { "\(group.count($0)) \(Sentences.word(for: $0))" }
        return "\(group.fileCount): " + parts.joined(separator: ", ")
    }

    private func time(_ time: Timestamp) -> String {
        state.surface.clock.dayAndTime(time, now: state.surface.moment.wall)
    }

    /// ` (9 min, 2.6 MB/s)`
    private var duration: String {
        guard let milliseconds = group.duration else { return "" }
        let rate = milliseconds > 0 ? ", \(Units.rate(Double(group.size) * 1000 / Double(milliseconds)))" : ""
        return " (\(Units.duration(milliseconds / 1000))\(rate))"
    }
}
