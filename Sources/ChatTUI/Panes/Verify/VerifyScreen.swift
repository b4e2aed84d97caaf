// The page on which two people compare their number (picture 6). Opened by the user with /verify or Alt-r.

import ChatCore
import ChatWords

/// Draws the safety number of a contact or of somebody who asks to become one.
struct VerifyScreen {
    let state: AppState
    let pane: VerifyPane
    let layout: ScreenLayout

    private var box: Rect { layout.box(inset: 6, maxWidth: 68, top: 2, rowsBelow: 5, maxRows: 17) }

    /// Without a frame the last column is for the marks of what is above and below.
    private var area: Rect {
        let inside = ScreenLayout.inside(box)
        guard !ScreenLayout.hasFrame(box) else { return inside }
        return Rect(origin: inside.origin, size: Size(columns: max(0, inside.size.columns - 2), rows: inside.size.rows))
    }

    /// The rows of the page, and those that are seen.
    var page: VerifyPage {
        let area = area
        let rows = fitted(area.size)
        func place(_ number: [String]?, _ word: String) -> Range<Int> {
            let lines = numberLines(number, word, width: area.size.columns)
            let start = rows.indices.first { rows[$0...].starts(with: lines) } ?? 0
            return start..<start + lines.count
        }
        var number = place(pane.newKey == nil ? pane.number : pane.newNumber, pane.newKey == nil ? "number" : "new key")
        // Either of two numbers may be confirmed, but only by a user who has seen both.
        if pane.newKey != nil, pane.number != nil {
            let old = place(pane.number, "old key")
            number = min(old.lowerBound, number.lowerBound)..<max(old.upperBound, number.upperBound)
        }
        let caller = caller
        return VerifyPage(
            rows: rows, number: number, caller: 0..<(rows.starts(with: caller) ? caller.count : 0), size: area.size,
            top: pane.top)
    }

    func draw(on canvas: inout Canvas) {
        let page = page
        canvas.drawBox(
            box, title: title, footer: SafeText(page.place.map { "\($0) · Esc closes" } ?? footer, as: .line))
        let area = area
        for (row, index) in page.visible.enumerated() {
            canvas.draw(
                page.rows[index].truncated(to: area.size.columns),
                at: Point(column: area.origin.column, row: area.origin.row + row))
        }
        guard !ScreenLayout.hasFrame(box), page.place != nil else { return }
        let column = area.columns.upperBound + 1
        if page.visible.lowerBound > 0 {
            canvas.draw(SafeText(literal: "↑"), at: Point(column: column, row: area.origin.row), style: Theme.unread)
        }
        if page.visible.upperBound < page.rows.count {
            let last = Point(column: column, row: area.rows.upperBound - 1)
            canvas.draw(SafeText(literal: "↓"), at: last, style: Theme.unread)
        }
    }

    private var title: SafeText {
        switch pane.subject {
        case .contact: name
        case .request: name + SafeText(literal: " (name chosen by them)")
        }
    }

    private var name: SafeText {
        switch pane.subject {
        case .contact(let id):
            SafeText(literal: pane.newKey == nil ? "Compare with " : "KEY CHANGED: ")
                + (state.world.chat(id)?.name ?? .empty)
        case .request(let request):
            SafeText("Contact request \(request.id): ", as: .line) + SafeText(request.name, as: .name)
        }
    }

    /// Whose number it is, where the frame has no room for that.
    var naming: [StyledLine] {
        ScreenLayout.hasFrame(box) && name.width <= Canvas.labelColumns(of: box) ? [] : wrapped(name, Theme.title)
    }

    /// The rows about somebody who asks that the user must have seen: their name, and the warnings about it.
    private var caller: [StyledLine] {
        guard case .request(let request) = pane.subject else { return naming }
        return naming + warnings(of: request)
    }

    private var footer: String {
        switch pane.subject {
        case .contact: "opened by you · Esc closes"
        case .request: "opened by you with \(state.surface.key(.requests)) · a request never grabs the keyboard"
        }
    }

    /// Everything when there is room; else without blank rows; and where it scrolls who it is and the number before the
    /// rest.
    private func fitted(_ size: Size) -> [StyledLine] {
        if pane.newKey != nil {
            let all = changed(Size(columns: size.columns, rows: .max))
            return all.count <= size.rows ? all : all.filter { $0.width > 0 }
        }
        let number = numberLines(pane.number, "number", width: size.columns)
        let naming = naming
        func all(_ head: [StyledLine]) -> [StyledLine] {
            naming + head + [StyledLine()] + question + number + [StyledLine()] + answers + [StyledLine(), warning]
        }
        for head in [head + callersKey, head] where all(head).count <= size.rows { return all(head) }
        let tight = (naming + head + question + number + answers).filter { $0.width > 0 }
        if tight.count <= size.rows { return tight }
        let details = origin + callersKey
        let rest = number.isEmpty ? details + question + answers : number + answers + details + question
        return caller + rest.filter { $0.width > 0 }
    }

    /// Room for whole sentences.
    private var isWide: Bool { area.size.columns >= 64 }

    private func wrapped(_ words: String, _ style: Style = .plain) -> [StyledLine] {
        wrapped(SafeText(words, as: .line), style)
    }

    private func wrapped(_ words: SafeText, _ style: Style) -> [StyledLine] {
        TextWrap.wrap(words, width: max(8, area.size.columns)).map { StyledLine($0, style) }
    }

    private var head: [StyledLine] {
        guard case .request(let request) = pane.subject else { return origin }
        return origin + warnings(of: request)
    }

    /// The warnings about the name or the key of somebody who asks.
    private func warnings(of request: ContactRequest) -> [StyledLine] {
        if let owner = state.world.chats.first(where: { $0.peer.newPeerID == request.peerID })?.name {
            let words =
                SafeText(literal: "THE NEW KEY OF ") + owner + SafeText(literal: ": /verify ") + owner
                + SafeText(literal: " to decide")
            return wrapped(words, Theme.error)
        }
        return NameLikeness.warning(of: request, among: state.world.chats.map(\.peer)).map { wrapped($0, Theme.error) }
            ?? []
    }

    /// The key that asks, as it is on somebody's card, and as /whois shows it once they are a contact.
    private var callersKey: [StyledLine] {
        guard case .request(let request) = pane.subject else { return [] }
        return wrapped("key \(request.peerID.text)", Theme.quiet)
    }

    /// Where a request came from, or what a contact is.
    private var origin: [StyledLine] {
        switch pane.subject {
        case .contact(let id):
            guard let chat = state.world.chat(id) else { return [] }
            var line = StyledLine(chat.name)
            line.add(" is \(Sentences.word(for: chat.peer.trust)) now")
            if let day = chat.peer.verifiedAt, chat.peer.trust == .verified {
                line.add(", since \(state.surface.clock.date(day))")
            }
            return [line]
        case .request(let request): return origin(of: request)
        }
    }

    /// Where the request came from and when, in one row or in one for each.
    private func origin(of request: ContactRequest) -> [StyledLine] {
        let isToday = state.surface.clock.isSameDay(request.received, state.surface.moment.wall)
        let time =
            isToday
            ? state.surface.clock.time(request.received)
            : state.surface.clock.dayAndTime(request.received, now: state.surface.moment.wall)
        var origin = StyledLine("from ", Theme.quiet)
        origin.add(request.origin)
        let facts = ["first seen \(time)", standing(of: request)]
        guard isWide else { return [origin] + facts.map { StyledLine($0, Theme.quiet) } }
        for fact in facts { origin.add(" · \(fact)", Theme.quiet) }
        return [origin]
    }

    /// Whether we have met the key before.
    private func standing(of request: ContactRequest) -> String {
        if state.world.chats.contains(where: { $0.peer.peerID == request.peerID }) { return "already a contact" }
        let isNewKey = state.world.chats.contains { $0.peer.newPeerID == request.peerID }
        return isNewKey ? "answers at a contact's address" : "key not seen before"
    }

    private var question: [StyledLine] {
        guard pane.number == nil else {
            return wrapped("Compare by phone or in person. Both screens must show:") + [StyledLine()]
        }
        if case .request = pane.subject { return [StyledLine("Computing the number…", Theme.quiet)] }
        return wrapped("Their key is not known yet: nothing to compare.")
            + wrapped("You will know it when they first answer.", Theme.quiet)
    }

    /// The number is never cut off: where there is no room for six groups in a row, a row has fewer.
    func numberLines(_ number: [String]?, _ word: String, width: Int) -> [StyledLine] {
        guard let number else { return [] }
        let lead = width >= 50 ? "      " + word + String(repeating: " ", count: max(1, 9 - word.count)) : ""
        let perRow = [6, 4, 3, 2].first { $0 * 6 - 1 + lead.count <= width } ?? 1
        return stride(from: 0, to: number.count, by: perRow).map { start in
            let group = number[start..<min(start + perRow, number.count)].joined(separator: " ")
            let blanks = String(repeating: " ", count: lead.count)
            return StyledLine((start == 0 ? lead : blanks) + group, Theme.unread)
        }
    }

    private var answers: [StyledLine] {
        switch pane.subject {
        case .contact(let id):
            let trust = state.world.chat(id).map { Sentences.word(for: $0.peer.trust) } ?? "unverified"
            let match = answer("1", "They match", "verified, remembered, never asked again", "verified", .numbersMatch)
            return (pane.number == nil ? [] : [match]) + [
                answer("2", "They differ", "blocked, connection closed", "blocked", .numbersDiffer),
                answer("3", "Later", "stays \(trust)", "stays \(trust)", .decideLater),
            ]
        case .request:
            return [
                answer("1", "They match", "verified, remembered, never asked again", "verified", .numbersMatch),
                answer("2", "They differ", "refused, connection closed, key blocked", "key blocked", .numbersDiffer),
                answer("3", "Later", "accepted, always marked \"unverified\"", "accepted unverified", .decideLater),
                answer("b", "Block", "refused without an answer", "no answer", .blockRequest),
            ]
        }
    }

    /// `1  They match        → verified, remembered, never asked again`, or `1  They match: verified`.
    private func answer(
        _ key: String, _ what: String, _ outcome: String, _ short: String, _ command: AppCommand
    ) -> StyledLine {
        let column = String(repeating: " ", count: max(1, 18 - what.count))
        return answer(isWide ? "\(key)  \(what)\(column)→ \(outcome)" : "\(key)  \(what): \(short)", command)
    }

    /// A line that can be clicked.
    func answer(_ words: String, _ command: AppCommand) -> StyledLine {
        var line = StyledLine("  ")
        line.add(words, target: .command(command))
        return line
    }

    private var warning: StyledLine {
        StyledLine("If their key changes, sending stops until you compare again.", Theme.quiet)
    }
}
