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
        if message.isRetracted { return textRows(SafeText(literal: "(deleted)"), Theme.quiet) }
        switch message.content {
        case .text(let text):
            let text = state.settings.emoji == .name ? EmojiSpelling.spelled(text) : text
            return textRows(SafeText(text, as: .multiline) + edition)
        case .file(let transfer):
            // The list of transfers knows how far it is by now; the row is as old as its last change of state.
            let transfer = state.transfers.byID[transfer.id] ?? transfer
            let lines = changeLines(width: max(10, width - indent - 1))
            let picture = state.pictureRows(of: message.id, width: width - indent - 1)
            return FileRows(message: self, transfer: transfer).rows + (picture + lines).map { indented($0) }
        }
    }

    /// `✓✓` for own messages; for others `?` when their clock is off or they waited, else blank.
    var mark: String {
        guard message.direction == .outgoing else { return message.isTimeOff ? "?" : "" }
        return message.isRetracted ? Self.mark(message.operationState ?? message.state) : Self.mark(message.state)
    }

    private static func mark(_ state: DeliveryState) -> String {
        switch state {
        case .pending: "~"
        case .sent: ">"
        case .delivered: "✓"
        case .read: "✓✓"
        case .failed: "!"
        }
    }

    private var markStyle: Style {
        guard message.direction == .outgoing else { return Theme.warning }
        return Theme.mark(message.isRetracted ? message.operationState ?? message.state : message.state)
    }

    var time: String { state.clock.time(message.shownTime) }

    private var nick: SafeText {
        message.direction == .outgoing ? SafeText(literal: "me") : chat.name
    }

    private var nickStyle: Style {
        message.direction == .outgoing ? Theme.own : Theme.nick(chat.peer)
    }

    /// Columns of the nick: as wide as the name, within bounds.
    private var nickWidth: Int { min(max(7, chat.name.width), 12) }

    private func textRows(_ text: SafeText, _ style: Style = .plain) -> [StyledLine] {
        let rows = isNarrow ? narrowRows(text) : wideRows(text)
        return style == .plain ? rows : rows.map { $0.restyled { _ in style } }
    }

    /// Columns before the text.
    private var indent: Int { isNarrow ? 2 : 9 + nickWidth }

    private func indented(_ line: StyledLine) -> StyledLine {
        var row = StyledLine(.blanks(indent))
        row.add(line)
        return row
    }

    private func wideRows(_ text: SafeText) -> [StyledLine] {
        var lead = StyledLine(time, Theme.time)
        lead.add(" ")
        lead.add(SafeText(mark, as: .line).padded(to: 2), markStyle)
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
            lead.add(mark, markStyle)
            lead.add(" ")
        }
        lead.add(nick.truncated(to: 12), nickStyle)
        lead.add(": ")
        guard lead.width <= width / 2, quotedText == nil, !beginsRightToLeft(text) else {
            // No room beside the lead, or not at that side: the text begins on the next row.
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

    private var reorders: Bool { state.settings.bidi != .raw }

    private func beginsRightToLeft(_ text: SafeText) -> Bool {
        reorders && text.lines().first.flatMap { BidiParagraph($0.clusters) }?.isRightToLeft ?? false
    }

    /// The quote, the wrapped text, what was hidden in it, and why it failed.
    private func bodyLines(_ text: SafeText, width: Int) -> [StyledLine] {
        var lines: [StyledLine] = []
        if let quotedText { lines.append(StyledLine(quotedText.truncated(to: width), Theme.quiet)) }
        let wrapped = TextWrap.wrap(text, width: width, reordering: reorders)
        lines += wrapped.prefix(Self.rowLimit).map { StyledLine($0) }
        if wrapped.count > Self.rowLimit {
            lines.append(StyledLine("… \(wrapped.count - Self.rowLimit) more rows", Theme.quiet))
        }
        if let note = text.hiddenNote { lines.append(StyledLine(note, Theme.quiet)) }
        if case .failed(let reason) = message.state, !message.isRetracted {
            let sentence = SafeText("not sent: \(reason) (/retry)", as: .line)
            lines += TextWrap.wrap(sentence, width: width).prefix(3).map { StyledLine($0, Theme.error) }
        }
        return lines + changeLines(width: width)
    }

    /// What was done to the message: reactions, and a change of ours that the other side does not have.
    private func changeLines(width: Int) -> [StyledLine] {
        var lines: [StyledLine] = []
        if !message.reactions.isEmpty, !message.isRetracted {
            var line = StyledLine()
            for reaction in message.reactions {
                if line.width > 0 { line.add("  ") }
                line.add(SafeText(reaction.emoji, as: .line).truncated(to: 16))
                line.add(" ")
                line.add(reaction.direction == .outgoing ? SafeText(literal: "me") : chat.name, Theme.quiet)
            }
            lines.append(line)
        }
        switch message.operationState {
        case .pending?, .sent?:
            if !message.isRetracted { lines.append(StyledLine("(the change is on its way)", Theme.quiet)) }
        case .failed(let reason)?:
            let sentence = SafeText("the change was refused: \(reason)", as: .line)
            lines += TextWrap.wrap(sentence, width: width).prefix(3).map { StyledLine($0, Theme.error) }
        case .delivered?, .read?, nil: break
        }
        return lines
    }

    /// The text of a message with what is said behind it.
    private var edition: SafeText { message.edited == nil ? .empty : SafeText(literal: " (edited)") }

    /// `> ` and the beginning of the message that this one answers.
    private var quotedText: SafeText? {
        guard let id = message.replyTo else { return nil }
        let lead = SafeText(literal: "> ")
        guard let index = chat.window.index(of: .message(id)), let quoted = chat.window.items[index].message else {
            return lead + SafeText(literal: "…")
        }
        if quoted.isRetracted { return lead + SafeText(literal: "(deleted)") }
        switch quoted.content {
        case .text(let text): return lead + (SafeText(text, as: .multiline).lines().first ?? .empty)
        case .file(let transfer): return lead + SafeText(transfer.name, as: .fileName)
        }
    }
}
