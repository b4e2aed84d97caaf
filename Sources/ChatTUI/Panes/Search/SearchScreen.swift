// The search overlay: query, hits with the found words marked, and the messages around the selected hit.

import ChatCore
import ChatWords

/// Draws the search.
struct SearchScreen {
    let state: AppState
    let pane: SearchPane
    let layout: ScreenLayout

    private static let hitRows = 6
    /// The rule and the messages around a hit have at least this many rows.
    private static let contextRows = 9
    /// `20 Nov 23:58`
    private static let timeWidth = 12

    func draw(on canvas: inout Canvas) {
        let box = layout.box(inset: 3, top: 1, rowsBelow: 5)
        let syntax = SafeText(literal: Self.example)
        canvas.drawBox(
            box, title: SafeText(title, as: .line), footer: syntax, hints: [Hint(syntax.text, .searchSyntax)])
        let area = ScreenLayout.inside(box)
        guard !area.isEmpty else { return }
        canvas.drawField(pane.query, after: "/ ", at: area.origin, width: area.size.columns)
        if pane.showsSyntax { return drawSyntax(on: &canvas, area) }
        // Query, blank, hits, then the context below a rule; where there is less room only query and hits.
        let hasContext = ScreenLayout.hasFrame(box) && area.size.rows >= 12
        let hitTop = area.size.rows >= 6 ? 2 : 1
        let count = pane.result?.hits.count ?? 0
        let wanted = max(Self.hitRows, min(count, area.size.rows - hitTop - Self.contextRows))
        let hitRows = hasContext ? wanted : max(0, area.size.rows - hitTop)
        drawHits(on: &canvas, area, top: hitTop, rows: hitRows)
        guard hasContext else { return }
        let ruleRow = area.origin.row + hitTop + hitRows
        let rule =
            SafeText(literal: "├─ context ")
            + .filling(box.size.columns - 12, with: SafeText(literal: "─")) + SafeText(literal: "┤")
        canvas.draw(rule, at: Point(column: box.origin.column, row: ruleRow))
        for (index, message) in pane.context.prefix(area.rows.upperBound - ruleRow - 1).enumerated() {
            let place = Point(column: area.origin.column, row: ruleRow + 1 + index)
            canvas.draw(contextLine(message, width: area.size.columns), at: place, width: area.size.columns)
        }
    }

    /// F1: the syntax of the search.
    private func drawSyntax(on canvas: inout Canvas, _ area: Rect) {
        let wordsWidth = area.size.columns < 60 ? 16 : 20
        let room = max(0, area.size.rows - 2)
        // Where not all of it fits, the last row says how to see the rest.
        let isWhole = pane.syntaxTop == 0 && Self.syntaxLines.count <= room
        let lines = Self.syntaxLines.dropFirst(pane.syntaxTop).prefix(isWhole ? room : max(0, room - 1))
        for (row, (words, meaning)) in lines.enumerated() {
            var line = StyledLine(SafeText(words, as: .line).padded(to: wordsWidth), Theme.key)
            line.add(meaning)
            let place = Point(column: area.origin.column, row: area.origin.row + 2 + row)
            canvas.draw(line, at: place, width: area.size.columns)
            canvas.addTarget(Rect(origin: place, size: Size(columns: area.size.columns, rows: 1)), .example(words))
        }
        guard !isWhole, room > 0 else { return }
        let shown = "\(pane.syntaxTop + 1)-\(pane.syntaxTop + lines.count) of \(Self.syntaxLines.count) (Up, Down)"
        let place = Point(column: area.origin.column, row: area.origin.row + 1 + room)
        canvas.draw(SafeText(shown, as: .line), at: place, style: Theme.quiet, maxWidth: area.size.columns)
    }

    static let syntaxLines: [(words: String, meaning: String)] = [
        ("build log", "both words, or beginnings"), ("\"build log\"", "these words in this order"),
        ("-draft", "without this word"), ("from:me", "who wrote it: me, NAME"), ("in:", "in which chat"),
        ("has:file", "files"), ("has:link", "links"), ("after:2026-10", "from this day, month on"),
        ("before:2026-12", "before this day, month"), ("on:yesterday", "on this day"), ("is:unread", "not seen yet"),
    ]

    private static let example: StaticString = "from:NAME has:file after:2026-10 before:2026-12 in:NAME"

    /// The query, as it is typed.
    private var syntax: SearchSyntax { SearchSyntax(pane.query.text, SearchPane.context(scope: pane.scope, state)) }

    private var title: String {
        syntax.query.contact.map { "Search \(state.world.name(of: $0))" } ?? "Search all history"
    }

    /// The sentence on the status line.
    static func status(_ pane: SearchPane) -> String {
        if let problem = pane.problem { return "search: \(problem)" }
        guard let result = pane.result else { return "type words to search the history, online or not" }
        let count = result.hits.count
        let more = result.isTruncated ? "+" : ""
        let hits = count < 2 ? (count == 1 ? "1 hit" : "no hit") : "\(pane.selected + 1) of \(count)\(more) hits"
        let messages = result.searched == 1 ? "1 message" : "\(Units.grouped(result.searched)) messages"
        return "\(hits) in \(messages) · \(pane.took.wholeMilliseconds) ms · offline history"
    }

    // MARK: Hits

    private func drawHits(on canvas: inout Canvas, _ area: Rect, top: Int, rows: Int) {
        guard rows > 0 else { return }
        let hits = pane.result?.hits ?? []
        if hits.isEmpty, pane.result != nil {
            let place = Point(column: area.origin.column + 2, row: area.origin.row + top)
            canvas.draw(SafeText(literal: "nothing found"), at: place, style: Theme.quiet, maxWidth: area.size.columns)
            return
        }
        let words = syntax.words
        let first = max(0, pane.selected - rows + 1)
        for (row, index) in hits.indices.dropFirst(first).prefix(rows).enumerated() {
            let line = hitLine(hits[index], isSelected: index == pane.selected, words, width: area.size.columns)
            let place = Point(column: area.origin.column, row: area.origin.row + top + row)
            canvas.draw(line, at: place, width: area.size.columns)
            canvas.addTarget(Rect(origin: place, size: Size(columns: area.size.columns, rows: 1)), .line(index))
        }
    }

    /// `> 21 Nov 09:02 alice  Alice   morning! can you send the [build] [log]?`
    private func hitLine(_ hit: ChatMessage, isSelected: Bool, _ words: [String], width: Int) -> StyledLine {
        var line = StyledLine(isSelected ? "> " : "  ", Theme.key)
        let chatName = state.world.chat(hit.contact)?.name ?? SafeText(literal: "?")
        if width >= 60 {
            let time = SafeText(
                state.surface.clock.dayAndTime(hit.shownTime, now: state.surface.moment.wall), as: .line)
            line.add(time.padded(to: Self.timeWidth) + SafeText(literal: " "), Theme.time)
            line.add(who(hit).truncated(to: 6).padded(to: 7))
            line.add(chatName.truncated(to: 7).padded(to: 8))
        } else {
            line.add(who(hit).truncated(to: 8))
            line.add(" ")
        }
        let lead = line.width
        let room = max(4, width - lead)
        let said = Highlight.line(MessageWords.summary(of: hit, around: words), words: words, width: room)
        line.add(said.inDisplayOrder(width: room, reordering: state.surface.settings.reorders))
        if let hash = state.world.words(of: hit).file?.hash, !hit.isRetracted {
            let words = SafeText(" \(hash)", as: .line)
            if line.width + words.width <= width { line.add(words, Theme.quiet) }
        }
        return isSelected ? line.restyled { $0.adding(.bold) } : line
    }

    private func who(_ hit: ChatMessage) -> SafeText {
        if case .file = hit.content { return SafeText(literal: "file") }
        return state.world.words(of: hit).author
    }

    /// The hit itself is bold.
    private func contextLine(_ message: ChatMessage, width: Int) -> StyledLine {
        var line = StyledLine(
            state.surface.clock.dayAndTime(message.shownTime, now: state.surface.moment.wall) + "  ", Theme.time)
        line.add(state.world.words(of: message).author.padded(to: 5, alignment: .right))
        line.add("  ")
        let room = max(4, width - line.width)
        guard message.position == pane.selectedHit?.position else {
            line.add(
                MessageWords.summary(of: message).inDisplayOrder(
                    width: room, reordering: state.surface.settings.reorders))
            return line
        }
        let words = syntax.words
        let said = Highlight.line(
            MessageWords.summary(of: message, around: words), words: words, width: room, inBrackets: false)
        line.add(said.inDisplayOrder(width: room, reordering: state.surface.settings.reorders))
        return line.restyled { $0.adding(.bold) }
    }
}
