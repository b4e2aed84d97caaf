// The page on which two people compare their number (picture 6). Opened by the user with /verify or Alt-r.

import ChatCore

/// Draws the safety number of a contact or of somebody who asks to become one.
struct VerifyScreen {
    let state: AppState
    let pane: VerifyPane
    let layout: ScreenLayout

    func draw(on canvas: inout Canvas) {
        let box = layout.box(inset: 6, maxWidth: 68, top: 2, rowsBelow: 5, maxRows: 17)
        canvas.drawBox(box, title: title, footer: SafeText(literal: footer))
        let area = ScreenLayout.inside(box)
        let lines = fitted(area.size)
        for (index, line) in lines.prefix(area.size.rows).enumerated() {
            canvas.draw(
                line, at: Point(column: area.origin.column, row: area.origin.row + index), width: area.size.columns)
        }
    }

    private var title: SafeText {
        switch pane.subject {
        case .contact(let id):
            SafeText(literal: pane.newKey == nil ? "Compare with " : "KEY CHANGED: ") + (state.chat(id)?.name ?? .empty)
        case .request(let request):
            SafeText(literal: "Contact request: ") + SafeText(request.name, as: .name)
                + SafeText(literal: " (name chosen by them)")
        }
    }

    private var footer: StaticString {
        switch pane.subject {
        case .contact: "opened by you with /verify · Esc closes"
        case .request: "opened by you with Alt-r · requests never take the keys"
        }
    }

    /// Everything when there is room; else without blank rows, and the number before the rest.
    private func fitted(_ size: Size) -> [StyledLine] {
        if pane.newKey != nil { return changed(size) }
        let number = numberLines(pane.number, "number", width: size.columns)
        let all = head + [StyledLine()] + question + number + [StyledLine()] + answers + [StyledLine(), warning]
        if all.count <= size.rows { return all }
        let tight = (head + question + number + answers).filter { $0.width > 0 }
        return tight.count <= size.rows ? tight : (number.isEmpty ? question : number) + answers
    }

    private var head: [StyledLine] {
        switch pane.subject {
        case .contact(let id):
            guard let chat = state.chat(id) else { return [] }
            var line = StyledLine(chat.name)
            line.add(" is \(Sentences.word(for: chat.peer.trust)) now")
            if let day = chat.peer.verifiedAt, chat.peer.trust == .verified {
                line.add(", since \(state.clock.date(day))")
            }
            return [line]
        case .request(let request):
            var origin = StyledLine("from ", Theme.quiet)
            origin.add(request.origin)
            let isToday = state.clock.isSameDay(request.received, state.moment.wall)
            let time =
                isToday
                ? state.clock.time(request.received) : state.clock.dayAndTime(request.received, now: state.moment.wall)
            origin.add(" · first seen \(time)", Theme.quiet)
            origin.add(" · \(standing(of: request))", Theme.quiet)
            var lines = [origin]
            if let twin = state.contactLike(request.name) {
                lines.append(StyledLine("looks like your contact \(twin.text), but has another key", Theme.error))
            }
            return lines
        }
    }

    /// Whether we have met the key before.
    private func standing(of request: ContactRequest) -> String {
        state.chats.contains { $0.peer.peerID == request.peerID } ? "a contact already" : "key not known before"
    }

    private var question: [StyledLine] {
        guard pane.number == nil else {
            return [StyledLine("Compare by phone or in person. Both screens must show:"), StyledLine()]
        }
        if case .request = pane.subject { return [StyledLine("The number is being computed…", Theme.quiet)] }
        return [
            StyledLine("Their key is not known yet: there is nothing to compare."),
            StyledLine("It becomes known when they answer for the first time.", Theme.quiet),
        ]
    }

    /// Nothing of the number is ever cut off: where there is no room for six groups in a row, fewer stand there.
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
            let trust = state.chat(id).map { Sentences.word(for: $0.peer.trust) } ?? "unverified"
            let match = answer("1  They match        → verified, remembered, never asked again", .numbersMatch)
            return (pane.number == nil ? [] : [match]) + [
                answer("2  They differ       → blocked, connection closed", .numbersDiffer),
                answer("3  Later             → stays \(trust)", .decideLater),
            ]
        case .request:
            return [
                answer("1  They match        → verified, remembered, never asked again", .numbersMatch),
                answer("2  They differ       → refused, connection closed, key blocked", .numbersDiffer),
                answer("3  Later             → accepted, always marked \"unverified\"", .decideLater),
                answer("b  Block             → refused without an answer", .blockRequest),
            ]
        }
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
