// One message as rows: time, delivery mark, nick, text with a hanging indent.

import ChatCore

/// The rows of a message in a chat of a given width.
struct MessageRows {
    let state: AppState
    let chat: Chat
    let message: ChatMessage
    let width: Int

    /// A message is folded behind so many rows (PRODUCT, "Hostile text" 10).
    static let rowLimit = 200

    /// Without panes the nick stands in the text.
    var isNarrow: Bool { state.size.columns < 60 }

    var rows: [StyledLine] {
        switch message.content {
        case .text(let text): textRows(text)
        case .file(let transfer):
            // The list of transfers knows how far it is by now; the row is as old as its last change of state.
            FileRows(message: self, transfer: state.transfers.byID[transfer.id] ?? transfer).rows
        }
    }

    /// `✓✓` for own messages, blank for others.
    var mark: String {
        guard message.direction == .outgoing else { return "" }
        switch message.state {
        case .pending: return "~"
        case .sent: return ">"
        case .delivered: return "✓"
        case .read: return "✓✓"
        case .failed: return "!"
        }
    }

    var time: String { state.clock.time(HistoryLayout.shownTime(message)) }

    private var nick: SafeText {
        message.direction == .outgoing ? SafeText(literal: "me") : chat.name
    }

    private var nickStyle: Style {
        message.direction == .outgoing ? Theme.own : Theme.nick(chat.peer)
    }

    /// Columns of the nick: as wide as the name, within bounds.
    private var nickWidth: Int { min(max(7, chat.name.width), 12) }

    private func textRows(_ text: String) -> [StyledLine] {
        isNarrow ? narrowRows(SafeText(text, as: .multiline)) : wideRows(SafeText(text, as: .multiline))
    }

    private func wideRows(_ text: SafeText) -> [StyledLine] {
        let indent = 9 + nickWidth
        var lead = StyledLine(time, Theme.time)
        lead.add(" ")
        lead.add(SafeText(mark, as: .line).padded(to: 2), Theme.mark(message.state))
        lead.add(nick.padded(to: nickWidth, alignment: .right), nickStyle)
        lead.add(" ")
        // One column stays free, so that the text does not touch the next pane.
        let body = bodyLines(text, width: max(10, width - indent - 1))
        return body.enumerated().map { index, line in
            var row = index == 0 ? lead : StyledLine(.blanks(indent))
            row.add(line)
            return row
        }
    }

    private func narrowRows(_ text: SafeText) -> [StyledLine] {
        var lead = StyledLine(time, Theme.time)
        lead.add(" ")
        if !mark.isEmpty {
            lead.add(mark, Theme.mark(message.state))
            lead.add(" ")
        }
        lead.add(nick.truncated(to: 12), nickStyle)
        lead.add(": ")
        guard lead.width <= width / 2, quotedText == nil else {
            // No room beside the lead: the text begins on the next row.
            let body = bodyLines(text, width: max(4, width - 2))
            return [lead]
                + body.map { line in
                    var row = StyledLine(.blanks(2))
                    row.add(line)
                    return row
                }
        }
        // The lead is wrapped with the text, then put back with its styles.
        let body = bodyLines(.blanks(lead.width) + text, width: max(4, width - 2))
        return body.enumerated().map { index, line in
            var row = index == 0 ? lead : StyledLine(.blanks(2))
            if index == 0 {
                for (number, span) in line.spans.enumerated() {
                    row.add(number == 0 ? span.text.dropping(width: lead.width) : span.text, span.style)
                }
            } else {
                row.add(line)
            }
            return row
        }
    }

    /// The quote, the wrapped text, what was hidden in it, and why it failed.
    private func bodyLines(_ text: SafeText, width: Int) -> [StyledLine] {
        var lines: [StyledLine] = []
        if let quotedText { lines.append(StyledLine(quotedText.truncated(to: width), Theme.quiet)) }
        let wrapped = TextWrap.wrap(text, width: width)
        lines += wrapped.prefix(Self.rowLimit).map { StyledLine($0) }
        if wrapped.count > Self.rowLimit {
            lines.append(StyledLine("… \(wrapped.count - Self.rowLimit) more rows", Theme.quiet))
        }
        if let note = text.hiddenNote { lines.append(StyledLine(note, Theme.quiet)) }
        if case .failed(let reason) = message.state {
            let sentence = SafeText("not sent: \(reason) (/retry)", as: .line)
            lines += TextWrap.wrap(sentence, width: width).prefix(3).map { StyledLine($0, Theme.error) }
        }
        return lines
    }

    /// `> ` and the beginning of the message that this one answers.
    private var quotedText: SafeText? {
        guard let id = message.replyTo else { return nil }
        let lead = SafeText(literal: "> ")
        guard let index = chat.window.index(of: .message(id)), let quoted = chat.window.items[index].message else {
            return lead + SafeText(literal: "…")
        }
        switch quoted.content {
        case .text(let text): return lead + (SafeText(text, as: .multiline).lines().first ?? .empty)
        case .file(let transfer): return lead + SafeText(transfer.name, as: .fileName)
        }
    }
}
