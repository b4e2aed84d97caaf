// One message as rows: time, delivery mark, nick, text with a hanging indent.

import ChatCore
import ChatWords

/// The rows of a message in a chat of a given width.
struct MessageRows {
    let state: AppState
    let chat: Chat
    let message: ChatMessage
    let width: Int
    /// The message before it is of the same person and not long ago: the name is not said again.
    var isContinued = false

    /// A message with more rows than this is folded (PRODUCT, "Hostile text" 10).
    static let rowLimit = 200

    /// Without panes the nick is part of the text.
    var isNarrow: Bool { state.surface.size.columns < 60 || state.surface.isPlain }

    private var words: MessageWords { MessageWords(message, contact: chat.name, known: state.world.skeletons) }

    var rows: [StyledLine] {
        if let removal = words.removal { return textRows(removal, Theme.quiet) }
        switch message.content {
        case .text:
            let actor =
                message.direction == .outgoing ? SafeText(state.world.identity.name, as: .name) : words.author
            let text = words.text(.named(actor), spelled: state.surface.settings.emoji == .name)
            return textRows(text.linked() + edition)
        case .file(let transfer):
            // The list of transfers knows how far it is by now; the row is as old as its last change of state.
            let transfer = state.world.transfers.byID[transfer.id] ?? transfer
            let own =
                chat.window.isHead(message)
                ? FolderRows(message: self, head: transfer).rows : FileRows(message: self, transfer: transfer).rows
            let picture =
                chat.window.isClosedHead(message) ? [] : Previews.rows(of: message.id, width: width - indent - 1, state)
            return own + (picture + changeLines(width: max(10, width - indent - 1))).map { indented($0) }
        }
    }

    /// More than the history shows.
    var isFolded: Bool {
        guard case .text(let text) = message.content, !message.isRetracted else { return false }
        let width = isNarrow ? max(4, width - 2) : max(10, width - indent - 1)
        return text.utf8.count > Self.rowLimit
            && TextWrap.wrap(SafeText(text, as: .multiline), width: width).count > Self.rowLimit
    }

    var mark: String { words.mark }

    var markStyle: Style {
        guard message.direction == .outgoing else { return Theme.warning }
        return Theme.mark(words.shownState)
    }

    var time: String { state.surface.timeText(message.shownTime, inColumn: !isNarrow) }

    private var nick: SafeText {
        if words.isAction { return SafeText(literal: "*") }
        return isContinued ? .empty : words.author
    }

    private var nickStyle: Style {
        message.direction == .outgoing
            ? Theme.own : message.sender.map(Theme.nick(named:)) ?? Theme.nick(chat.peer)
    }

    /// Columns of the nick: as wide as the name, within bounds.
    private var nickWidth: Int {
        let most = max(2, state.surface.settings.nickWidth)
        // In a room they have names of their own.
        return chat.peer.room == nil ? min(max(7, chat.name.width), most) : most
    }

    private func textRows(_ text: SafeText, _ style: Style = .plain) -> [StyledLine] {
        let rows = isNarrow ? narrowRows(text) : wideRows(text)
        return style == .plain ? rows : rows.map { $0.restyled { _ in style } }
    }

    /// Columns before the text.
    private var indent: Int {
        if state.surface.isPlain { return 0 }
        return isNarrow ? 2 : SafeText(time, as: .line).width + 4 + nickWidth
    }

    /// Columns of the text beneath its first row.
    private var narrowWidth: Int { max(4, width - (state.surface.isPlain ? 1 : indent)) }

    private func indented(_ line: StyledLine) -> StyledLine {
        var row = StyledLine(.blanks(state.surface.isPlain && looksLikeHead(line) ? 1 : indent))
        row.add(line)
        return row
    }

    /// Whether a row of a text could pass for the first row of a message, or for one of ours, where nothing is indented.
    private func looksLikeHead(_ line: StyledLine) -> Bool {
        let clusters = line.text.clusters
        guard let first = clusters.first, !first.isBlank else { return false }
        // A piece of an address with nothing else in its row says nothing by itself, and is copied with the others.
        if let link = first.link, clusters.allSatisfy({ $0.link === link }) { return false }
        // Times, rules, arrows and marks begin with no letter, except times whose pattern does.
        return !first.base.properties.isAlphabetic || first.base == time.unicodeScalars.first
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

    /// `16:15 ✓✓ me: `, before the text of a row without panes.
    var narrowLead: StyledLine {
        var lead = StyledLine(time, Theme.time)
        lead.add(" ")
        if !mark.isEmpty {
            lead.add(mark, markStyle)
            lead.add(" ")
        }
        if !nick.isEmpty {
            lead.add(nick.truncated(to: state.surface.isPlain ? 64 : 12), nickStyle)
            lead.add(words.isAction ? " " : ": ")
        }
        return lead
    }

    private func narrowRows(_ text: SafeText) -> [StyledLine] {
        let lead = narrowLead
        guard lead.width <= width / 2, quotedText == nil, !beginsRightToLeft(text) else {
            // No room beside the lead, or not at that side: the text begins on the next row.
            return [lead] + bodyLines(text, width: narrowWidth).map(indented)
        }
        // The lead is wrapped with the text, then put back with its styles.
        let body = bodyLines(.blanks(lead.width) + text, width: narrowWidth)
        return body.enumerated().map { index, line in
            guard index == 0 else { return indented(line) }
            var row = lead
            for (number, span) in line.spans.enumerated() {
                row.add(number == 0 ? span.text.dropping(width: lead.width) : span.text, span.style)
            }
            return row
        }
    }

    var reorders: Bool { state.surface.settings.reorders }

    private func beginsRightToLeft(_ text: SafeText) -> Bool {
        reorders && text.lines().first.flatMap { BidiParagraph($0.clusters) }?.isRightToLeft ?? false
    }

    /// The quote, the wrapped text, what was hidden in it, and why it failed.
    private func bodyLines(_ text: SafeText, width: Int) -> [StyledLine] {
        var lines: [StyledLine] = []
        if let quote = quotedText {
            lines.append(
                StyledLine(
                    Self.quoteMark
                        + quote.inDisplayOrder(
                            width: width - Self.quoteMark.width, reordering: reorders), Theme.quiet))
        }
        let wrapped = TextWrap.wrap(text, width: width, reordering: reorders, keepingLinks: state.surface.isPlain)
        lines += wrapped.prefix(Self.rowLimit).map { StyledLine($0) }
        if wrapped.count > Self.rowLimit {
            var more = StyledLine()
            more.add(
                "… \(wrapped.count - Self.rowLimit) more rows (Esc, then Enter: all)", Theme.quiet,
                target: .choose(message.key))
            lines.append(more)
        }
        if let note = text.hiddenNote { lines.append(StyledLine(note, Theme.quiet)) }
        if let (sentence, isOver) = words.failure {
            lines += TextWrap.wrap(sentence, width: width).prefix(3).map { text in
                var line = StyledLine()
                line.add(text, isOver ? Theme.quiet : Theme.error, target: isOver ? nil : .action(.retry, message.key))
                return line
            }
        }
        return lines + changeLines(width: width)
    }

    /// What was done to the message: reactions, and a change of ours that the other side does not have.
    private func changeLines(width: Int) -> [StyledLine] {
        var lines: [StyledLine] = []
        if !message.reactions.isEmpty, !message.isRetracted {
            var line = StyledLine()
            for (emoji, who) in words.reactions {
                if line.width > 0 { line.add("  ") }
                line.add(SafeText(state.surface.shown(emoji: emoji), as: .line).truncated(to: 16))
                line.add(" ")
                line.add(who, Theme.quiet)
            }
            lines.append(line)
        }
        if let (sentence, isError) = words.change {
            let wrapped = isError ? Array(TextWrap.wrap(sentence, width: width).prefix(3)) : [sentence]
            lines += wrapped.map { StyledLine($0, isError ? Theme.error : Theme.quiet) }
        }
        return lines
    }

    /// `(edited)` and `(pinned)`, which follow the text of a message.
    private var edition: SafeText {
        (message.edited == nil ? .empty : SafeText(literal: " ") + MessageWords.edited)
            + (message.pinned == nil ? .empty : SafeText(literal: " (pinned)"))
    }

    private static let quoteMark = SafeText(literal: "> ")

    /// The beginning of the message that this one answers.
    private var quotedText: SafeText? {
        message.replyTo.map { MessageWords.words(for: chat.quoted($0)) }
    }
}

extension ChatMessage {
    var isText: Bool {
        if case .text = content { true } else { false }
    }
}
