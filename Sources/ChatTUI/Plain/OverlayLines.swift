// What stands over the chat on a screen, as lines for line mode: help, lists, searches, the number to compare.

import ChatCore
import ChatWords

/// The lines of an overlay, once, when it is opened or when what it asked for has come.
struct OverlayLines {
    let state: AppState
    let action: AppAction

    /// `true` when the overlay is to stay open: it waits for an answer of the service or of the user.
    var waits: Bool {
        switch state.overlay {
        case .verify: true
        case .search(let pane): pane.result == nil && pane.problem == nil && !pane.query.isEmpty
        case .choice(let pane): pane.isWaiting
        case .reader(let pane): pane.isWaiting
        default: false
        }
    }

    var lines: [SafeText] {
        switch state.overlay {
        case nil: []
        case .help(let pane): helpLines(pane.filter.text)
        case .search(let pane): waits ? [] : searchLines(pane)
        case .transfers(let pane): transferLines(pane)
        case .requests(let pane):
            state.listedRequests(pane).flatMap { RequestSentences(state: state).lines(of: $0) }
        case .verify(let pane): verifyLines(pane)
        case .choice(let pane): choiceLines(pane)
        case .reader(let pane): readerLines(pane)
        case .qr(let pane):
            [line(pane.address)] + (state.terminal.unicode ? pane.code.halfBlocks : [QRScreen.needsUnicode]).map(line)
        case .files: [line("Say which files: /send PATH… [-- TEXT]")]
        default: drawnLines
        }
    }

    private func line(_ text: String) -> SafeText { SafeText(text, as: .line) }

    private func helpLines(_ filter: String) -> [SafeText] {
        let wanted = filter.lowercased()
        let commands = SlashCommands.offered.filter {
            wanted.isEmpty || $0.line.lowercased().contains(wanted) || $0.summary.lowercased().contains(wanted)
        }
        guard !commands.isEmpty else { return [line("No command matches that (/help lists them)")] }
        return commands.map { line("\($0.line): \($0.summary)") }
    }

    private func searchLines(_ pane: SearchPane) -> [SafeText] {
        if let problem = pane.problem { return [line(problem)] }
        guard let result = pane.result else { return [line("Say what to search: /search WORDS")] }
        guard !result.hits.isEmpty else { return [line("Nothing found")] }
        let count = result.isTruncated ? "the newest \(result.hits.count)" : "\(result.hits.count)"
        return [line("Found \(count), newest first:")]
            + result.hits.flatMap { MessageSentences(state: state, message: $0).lines(withDay: true) }
    }

    private func transferLines(_ pane: TransfersPane) -> [SafeText] {
        let groups = state.listedTransfers(pane)
        guard !groups.isEmpty else { return [line(pane.filter.isShown ? "No transfer matches" : "No transfers")] }
        return groups.map { group in
            let direction = group.direction == .outgoing ? "to" : "from"
            let words = TransferWords(state: state, group: group)
            var text = line("#\(group.number.rawValue) ") + SafeText(group.name, as: .fileName)
            if group.isFolder { text += line("/ (\(Units.files(Int(clamping: group.fileCount))))") }
            text += line(
                " \(direction) \(state.name(of: group.contact)): \(Sentences.word(for: words.shownState)), "
                    + "\(Units.size(group.transferred)) of \(Units.size(group.size))")
            if let rate = words.pace.progress?.rate {
                text += line(", \(Units.rate(rate))")
            }
            return text + line(group.reason.map { " (\($0.words))" } ?? "")
        }
    }

    /// Every row of the page, in a window that is wide enough for most.
    private func readerLines(_ pane: ReaderPane) -> [SafeText] {
        guard !pane.isWaiting else { return [] }
        if pane.content == .keys { return state.keymap.lines.map { line($0.words) } }
        var wide = state
        wide.size = Size(columns: 110, rows: 40)
        wide.settings.bidi = .raw
        wide.terminal.unicode = true
        let screen = ReaderScreen(state: wide, pane: pane, layout: ScreenLayout(wide))
        return [line("\(screen.title):")] + screen.rows.map(\.text)
    }

    private func choiceLines(_ pane: ChoicePane) -> [SafeText] {
        guard !pane.isWaiting else { return [] }
        let choices = state.choices(of: pane)
        guard !choices.isEmpty else { return [line("Nothing matches")] }
        if case .pins = pane.kind {
            let pinned = choices.compactMap { if case .message(let message) = $0.target { message } else { nil } }
            return [line("\(pane.title):")]
                + pinned.flatMap { MessageSentences(state: state, message: $0).lines(withDay: true) }
        }
        return [line("\(pane.title):")] + choices.map { $0.line.spans.reduce(.empty) { $0 + $1.text } }
    }

    private func verifyLines(_ pane: VerifyPane) -> [SafeText] {
        switch (pane.subject, action) {
        case (.contact(let contact), .answer(.safetyNumber(let asked, let number))) where asked == contact:
            guard let number, pane.number == number else {
                return [line("Their key is not known yet: nothing to compare until they first answer")]
            }
            if pane.newKey != nil {
                return [line("The old number:")] + Self.rows(of: number).map(line)
            }
            return numberLines(number) + [
                line(
                    "Enter 1 if they match (verified), 2 if they differ (\(state.name(of: contact)) is blocked), "
                        + "anything else for later")
            ]
        case (.contact(let contact), .answer(.newKeyNumber(let asked, let key, let number)))
        where asked == contact && key == pane.newKey:
            return [
                line("A different key answers: they have a new machine, or somebody is in between. Its number:")
            ]
                + Self.rows(of: number).map(line) + [
                    line(
                        "Enter 1 if they read you the same (accepted, verified), 2 to refuse it "
                            + "(\(state.name(of: contact)) is blocked), a to accept it unverified, "
                            + "o if the old number matches (it stays, verified), anything else for later"
                    )
                ]
        case (.request(let request), .answer(.requestNumber(let asked, let number))) where asked == request:
            return RequestSentences(state: state).about(request) + numberLines(number) + [
                line(
                    "Enter 1 if they match (verified), 2 if they differ (blocked), 3 to accept them unverified, "
                        + "/reject \(request.id) to refuse them, anything else for later")
            ]
        default: return []
        }
    }

    private func numberLines(_ number: [String]) -> [SafeText] {
        [
            line("Compare by phone or in person. Both sides must have:")
        ] + Self.rows(of: number).map(line)
    }

    private static func rows(of number: [String]) -> [String] {
        [number.prefix(6).joined(separator: " "), number.dropFirst(6).joined(separator: " ")]
    }

    /// What has no words of its own: the part of a large screen that it covers, without the frame around it.
    private var drawnLines: [SafeText] {
        let size = Size(columns: 100, rows: 200)
        var below = state
        below.size = size
        below.overlay = nil
        // What is drawn is spelled in ASCII when it is printed.
        below.terminal.unicode = true
        var above = below
        above.overlay = state.overlay
        let (with, without) = (view(above).canvas, view(below).canvas)
        let points = (0..<size.rows).flatMap { row in (0..<size.columns).map { Point(column: $0, row: row) } }
        let covered = points.filter { with[$0] != without[$0] }
        guard let left = covered.map(\.column).min(), let right = covered.map(\.column).max(),
            let top = covered.map(\.row).min(), let bottom = covered.map(\.row).max()
        else { return [] }
        return (top...bottom).compactMap { row in
            let clusters = (left...right).compactMap { with[Point(column: $0, row: row)].cluster }
            let text = clusters.map(\.text).joined().filter { !Self.frame.contains($0) }.trimmedBlanks
            return text.isEmpty ? nil : line(text)
        }
    }

    private static let frame = Set("┌─┐│└┘├┤┬┴┼▌█░▏")
}
