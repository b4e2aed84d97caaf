// Draws the open overlay over the main screen, and says what the status and hint lines show meanwhile.

import ChatCore
import ChatWords

/// The overlay of a state.
struct OverlayScreen {
    let state: AppState
    let layout: ScreenLayout

    func draw(on canvas: inout Canvas) {
        switch state.overlay {
        case nil: break
        case .help(let pane): HelpScreen(pane: pane, keymap: state.keymap, layout: layout).draw(on: &canvas)
        case .palette(let pane):
            PickerScreen(title: "Commands", pane: pane, lines: paletteLines(pane), layout: layout).draw(on: &canvas)
        case .typed(let pane):
            let lines = state.history.matches(pane.filter.text).map { StyledLine(SafeText($0, as: .line)) }
            PickerScreen(title: "What I typed", pane: pane, lines: lines, layout: layout).draw(on: &canvas)
        case .goTo(let pane):
            let lines = goToLines(pane)
            PickerScreen(title: "Go to", pane: pane, lines: lines, layout: layout).draw(on: &canvas)
        case .transfers(let pane): TransfersScreen(state: state, pane: pane, layout: layout).draw(on: &canvas)
        case .search(let pane): SearchScreen(state: state, pane: pane, layout: layout).draw(on: &canvas)
        case .requests(let pane): RequestsScreen(state: state, pane: pane, layout: layout).draw(on: &canvas)
        case .verify(let pane):
            VerifyScreen(state: state, pane: pane, layout: layout).draw(on: &canvas)
        case .files(let picker): FilePickerScreen(state: state, picker: picker, layout: layout).draw(on: &canvas)
        case .qr(let pane):
            let box = layout.box(inset: 6, maxWidth: 80, top: 2, rowsBelow: 7, maxRows: 10)
            QRScreen(pane: pane, box: box, hasBlocks: state.terminal.unicode).draw(on: &canvas)
        case .choice(let pane): ChoiceScreen(state: state, pane: pane, layout: layout).draw(on: &canvas)
        case .reader(let pane): ReaderScreen(state: state, pane: pane, layout: layout).draw(on: &canvas)
        case .prompt(let pane): PromptScreen(pane: pane, layout: layout).draw(on: &canvas)
        }
    }

    /// Keys and commands in a column as wide as the longest that is seen, which leaves half of the row to what they do.
    private func paletteLines(_ pane: ListPane) -> [StyledLine] {
        let items = CommandItem.matching(pane.filter.text, state.keymap, for: .palette)
        let shown = items[PickerScreen.visible(pane, count: items.count, in: layout)]
        let longest = shown.map { SafeText($0.label, as: .line).width }.max() ?? 0
        let width = min(24, longest, PickerScreen.lineWidth(in: layout) / 2)
        return items.map { item in
            var line = StyledLine(SafeText(item.label, as: .line).padded(to: width), Theme.key)
            line.add(" " + (item.pane.map { "\($0): " } ?? "") + item.title)
            return line
        }
    }

    /// With thousands of contacts only the lines that are seen are made.
    private func goToLines(_ pane: ListPane) -> [StyledLine] {
        let matches = state.goToMatches(pane.filter.text)
        let seen = PickerScreen.visible(pane, count: matches.count, in: layout)
        let width = ChoiceScreen.nameWidth(of: matches[seen], in: layout)
        return matches.indices.map { seen.contains($0) ? goToLine(matches[$0], nameWidth: width) : StyledLine() }
    }

    private func goToLine(_ chat: Chat, nameWidth: Int) -> StyledLine {
        let number = state.chatIndex(chat.id).map { "\($0 + 1) " } ?? ""
        var line = StyledLine(number, Theme.quiet)
        line.add(chat.name.padded(to: nameWidth))
        line.add(" ")
        line.add(chat.linkWords)
        if chat.isUnread { line.add("  \(chat.conversation.unreadCount) new", Theme.unread) }
        return line
    }

    // MARK: The lines below

    /// Some overlays need the whole status line.
    static func hidesActivity(_ overlay: Overlay?) -> Bool {
        switch overlay {
        case .search, .help, .palette, .goTo, .choice, .prompt, .files, .typed: true
        case .verify(let pane): if case .request = pane.subject { true } else { false }
        default: false
        }
    }

    /// What can be clicked in `status`: nothing where words from outside stand in it.
    var statusHints: [Hint] {
        switch state.overlay {
        case .help, .palette, .goTo, .typed, .choice, .prompt: [Hint("Enter", .choose)]
        case .transfers, .search, .requests, .verify, .files, .reader, .qr, nil: []
        }
    }

    var status: SafeText? {
        switch state.overlay {
        case .help: SafeText(literal: "help: type to filter, Enter runs the line under the cursor")
        case .palette: SafeText(literal: "commands: type to filter, Enter runs the line under the cursor")
        case .goTo: SafeText(literal: "go to: type a part of the name, Enter opens the chat")
        case .typed: SafeText(literal: "search what you typed: Enter brings the line back without sending it")
        case .transfers: SafeText(transferCounts, as: .line)
        case .search(let pane): SafeText(SearchScreen.status(pane), as: .line)
        case .requests: SafeText(literal: "you see nothing they send until you accept")
        case .choice(let pane): SafeText(pane.title.lowercased() + ": type to filter, Enter picks the line", as: .line)
        case .prompt(let pane): SafeText(pane.help, as: .line)
        case .verify(let pane):
            VerifyScreen(state: state, pane: pane, layout: layout).page.place.map { SafeText("j/k: \($0)", as: .line) }
                ?? requestWords(pane)
        case .files(let picker): SafeText(pickerWords(picker), as: .line)
        case .reader, .qr, nil: nil
        }
    }

    private func requestWords(_ pane: VerifyPane) -> SafeText? {
        guard case .request(let request) = pane.subject else { return nil }
        return SafeText(literal: "CONTACT REQUEST from \"") + SafeText(request.name, as: .name)
            + SafeText(literal: "\" · nothing is shown until you accept")
    }

    private func pickerWords(_ picker: FilePicker) -> String {
        let total = picker.listing?.entries.count ?? 0
        let count = picker.rows.count { $0 != .parent }
        let isFirst = picker.listing?.isCut == true
        func entries(_ count: Int) -> String { count == 1 ? "1 entry" : "\(count) entries" }
        var all = isFirst && total >= FileListing.limit ? "the first \(total) entries" : entries(total)
        if !picker.filter.text.isEmpty {
            all = "\(count) of \(all)"
        } else if count < total, !isFirst {
            all = "\(entries(count)), \(total - count) hidden"
        }
        return "\(all); a path with / goes there, Backspace goes up"
    }

    private var transferCounts: String {
        let now = state.moment.uptime
        let groups = Dictionary(grouping: state.transfers.groups) { state.transfers.shownState(of: $0, at: now) }
        let running = groups[.running] ?? []
        let up = running.count { $0.direction == .outgoing }
        let paused = groups[.paused]?.count ?? 0
        // An offer that has not left is queued, as its row says.
        let offers = groups[.offered] ?? []
        let waiting = offers.count { state.isBeforeOffering($0.lead) }
        let queued = (groups[.accepted]?.count ?? 0) + waiting
        let offered = offers.count - waiting
        var words = "transfers: ↑\(up) ↓\(running.count - up) paused \(paused) queued \(queued)"
        if offered > 0 { words += " offered \(offered)" }
        if !running.isEmpty { words += "       \(Units.rate(state.transfers.rate(at: now))) total" }
        return words
    }
}

// MARK: Boxes

extension ScreenLayout {
    /// Where an overlay stands: `inset` columns from both sides at most `maxWidth` wide, over the whole body where the
    /// screen is narrow. `rowsBelow` are left free under it.
    func box(inset: Int, maxWidth: Int = .max, top: Int, rowsBelow: Int, maxRows: Int = .max) -> Rect {
        let body = Rect(column: 0, row: title == nil ? 0 : 1, columns: size.columns, rows: bodyRows)
        guard size.columns >= 60, size.rows >= 20 else { return body }
        let width = min(size.columns - 2 * inset, maxWidth)
        let rows = min(size.rows - top - rowsBelow, maxRows)
        return Rect(column: (size.columns - width) / 2, row: top, columns: width, rows: rows)
    }

    /// Rows between the title and the status line.
    private var bodyRows: Int { chat.size.rows }

    /// What is inside a box: without the frame where there is one.
    static func inside(_ box: Rect) -> Rect {
        hasFrame(box)
            ? Rect(
                column: box.origin.column + 2, row: box.origin.row + 1, columns: box.size.columns - 4,
                rows: box.size.rows - 2) : box
    }

    /// A frame needs room.
    static func hasFrame(_ box: Rect) -> Bool { box.size.columns >= 20 && box.size.rows >= 5 }
}

extension Canvas {
    /// Draws the frame of an overlay, or only its blank background where there is no room for a frame. The `hints` are
    /// the words of the footer that can be clicked.
    mutating func drawBox(
        _ box: Rect, title: SafeText, footer: SafeText, hints: [Hint] = [Hint("Esc closes", .back)]
    ) {
        addTarget(box, .nothing)
        if ScreenLayout.hasFrame(box) {
            frame(box, title: title, footer: footer)
            let place = Point(column: box.origin.column + 3, row: box.rows.upperBound - 1)
            addTargets(hints, in: footer, at: place, width: box.size.columns - 6)
        } else {
            fill(box)
        }
    }

    /// Whether the open overlay lies there.
    func isInOverlay(_ point: Point) -> Bool {
        targets.contains { $0.meaning == .nothing && $0.area.contains(point) }
    }
}

extension Chat {
    /// How the link is, for lists of contacts; whom we refuse has none.
    var linkWords: StyledLine {
        if peer.isBlocked { return StyledLine(" blocked", Theme.error) }
        return StyledLine(" " + Sentences.words(for: link), Theme.link(link))
    }
}
