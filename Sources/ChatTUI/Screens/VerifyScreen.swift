// The page on which two people compare their number. Opened by the user with /verify.

import ChatCore

/// Draws the safety number of a contact.
struct VerifyScreen {
    let chat: Chat
    let pane: VerifyPane
    let layout: ScreenLayout

    func draw(on canvas: inout Canvas) {
        let box = layout.box(inset: 6, maxWidth: 68, top: 2, rowsBelow: 5, maxRows: 17)
        canvas.drawBox(
            box, title: SafeText(literal: "Compare with ") + chat.name,
            footer: SafeText(literal: "opened by you with /verify · Esc closes"))
        let area = ScreenLayout.inside(box)
        for (index, line) in lines.prefix(area.size.rows).enumerated() {
            canvas.draw(
                line, at: Point(column: area.origin.column, row: area.origin.row + index), width: area.size.columns)
        }
    }

    private var lines: [StyledLine] {
        var lines = [StyledLine("\(chat.name.text) is \(Sentences.word(for: chat.peer.trust)) now.")]
        lines.append(StyledLine())
        guard let number = pane.number else {
            lines.append(StyledLine("Their key is not known yet: there is nothing to compare."))
            lines.append(StyledLine("It becomes known when they answer for the first time.", Theme.quiet))
            return lines
        }
        lines.append(StyledLine("Compare by phone or in person. Both screens must show:"))
        lines.append(StyledLine())
        for start in stride(from: 0, to: number.count, by: 6) {
            let group = number[start..<min(start + 6, number.count)].joined(separator: " ")
            lines.append(StyledLine((start == 0 ? "    number   " : "             ") + group, Theme.unread))
        }
        lines.append(StyledLine())
        for (words, command) in [
            ("1  They match        → verified, remembered, never asked again", AppCommand.numbersMatch),
            ("2  They differ       → blocked, connection closed", .numbersDiffer),
            ("3  Later             → stays \(Sentences.word(for: chat.peer.trust))", .decideLater),
        ] {
            var line = StyledLine()
            line.add(words, target: .command(command))
            lines.append(line)
        }
        lines.append(StyledLine())
        lines.append(StyledLine("If their key changes, sending stops until you compare again.", Theme.quiet))
        return lines
    }
}
