// The status line above the input and the hint line below it.

import ChatCore

extension MainScreen {
    // MARK: Status

    func drawStatus(on canvas: inout Canvas, row: Int) {
        let columns = layout.size.columns
        let clock = SafeText(state.clock.time(state.moment.wall), as: .line)
        var right = SafeText.empty
        let rightEnd = columns - 2
        // What does not fit is given up from the left; the sentence on the left keeps at least half.
        var parts = OverlayScreen.hidesActivity(state.overlay) ? [] : statusParts
        let left = statusLeft
        func joined() -> SafeText {
            (parts + [SafeText(literal: " ") + clock]).joined(separator: SafeText(literal: "  "))
        }
        right = joined()
        while !parts.isEmpty, 1 + left.text.width + 2 + right.width > rightEnd {
            parts.removeFirst()
            right = joined()
        }
        if columns < 30 { right = clock }
        let rightStart = max(0, rightEnd - right.width)
        let room = max(0, rightStart - 3)
        canvas.draw(left.text.truncated(to: room), at: Point(column: 1, row: row), style: left.style)
        canvas.draw(right, at: Point(column: rightStart, row: row), style: Theme.quiet)
        if left.text == offerWords, left.text.width <= room { addOfferTargets(on: &canvas, row: row, left.text) }
    }

    /// The keys at the end of the offer's words can be clicked. The last ones are meant: a file may be called by them.
    private func addOfferTargets(on canvas: inout Canvas, row: Int, _ words: SafeText) {
        for command in [AppCommand.acceptOffer, .declineOffer] {
            let label = state.keymap.label(of: command)
            guard !label.isEmpty, let range = words.text.ranges(of: label).last else { continue }
            let column = 1 + SafeText(String(words.text[..<range.lowerBound]), as: .line).width
            canvas.addTarget(Rect(column: column, row: row, columns: label.count, rows: 1), .command(command))
        }
    }

    /// Queue, transfers and activity, in the order in which they are given up.
    private var statusParts: [SafeText] {
        var parts: [SafeText] = []
        if !state.requests.isEmpty {
            parts.append(SafeText("requests \(state.requests.count) Alt-r", as: .line))
        }
        if state.queuedCount > 0 { parts.append(SafeText("~\(state.queuedCount) queued", as: .line)) }
        if let transfer = state.transfers.running.first {
            let pace = TransferPace(transfer: transfer, progress: state.transfers.progress[transfer.id])
            let arrow = transfer.direction == .outgoing ? "↑" : "↓"
            parts.append(SafeText("\(arrow) #\(transfer.number.rawValue) \(pace.percent)", as: .line))
        }
        if !layout.isNarrow, !activity.isEmpty { parts.append(activity) }
        return parts
    }

    /// What is most important now.
    private var statusLeft: (text: SafeText, style: Style) {
        if !state.pendingKeys.isEmpty {
            return (SafeText("\(KeySequence(state.pendingKeys).name) …", as: .line), .plain)
        }
        if state.takesLiteral { return (SafeText(literal: "the next key is typed as it is"), .plain) }
        if let notice = state.status {
            return (SafeText(notice.text, as: .line), notice.isError ? Theme.error : Theme.unread)
        }
        if let words = OverlayScreen(state: state, layout: layout).status { return (words, .plain) }
        if let words = browseWords { return (words, Theme.unread) }
        if let words = composingWords { return (words, Theme.unread) }
        if let offer = offerWords { return (offer, Theme.unread) }
        guard let chat = state.openChat else { return (.empty, .plain) }
        if !chat.window.isAtBottom {
            let newer = chat.window.newerCount
            let words = newer > 0 ? "↓ \(newer) newer (Alt-End)" : "↓ older messages (Alt-End: newest)"
            return (SafeText(words, as: .line), Theme.unread)
        }
        if chat.window.newerCount > 0 {
            return (SafeText("↓ \(chat.window.newerCount) newer", as: .line), Theme.unread)
        }
        if chat.peer.trust == .keyChanged {
            return (SafeText("KEY CHANGED: nothing is sent until you compare (/verify)", as: .line), Theme.error)
        }
        if state.settings.requiresVerified, chat.peer.trust == .unverified {
            return (SafeText(literal: "unverified: nothing is sent until you compare (/verify)"), Theme.warning)
        }
        if state.isViNormal { return (SafeText(literal: "NORMAL (i types, Esc browses)"), .plain) }
        if chat.typingUntil != nil { return (chat.name + SafeText(literal: " is typing…"), .plain) }
        return (.empty, .plain)
    }

    /// Which message is under the cursor of browse mode.
    private var browseWords: SafeText? {
        guard let browse = state.browse else { return nil }
        if browse.rangeStart != nil {
            let count = state.selectedMessages.count
            return SafeText("browse: \(count) selected (y copy, f forward, d delete)", as: .line)
        }
        guard let message = state.selectedMessage else { return SafeText(literal: "browse") }
        let who = message.direction == .outgoing ? "me" : state.name(of: message.contact)
        return SafeText("browse: \(who) \(state.clock.dayAndTime(message.shownTime)) #\(message.id.short)", as: .line)
    }

    /// What the line in the input is about.
    private var composingWords: SafeText? {
        guard let composing = state.openChat?.composing else { return nil }
        let what: StaticString =
            switch composing {
            case .reply: "answers: "
            case .edit: "edits: "
            }
        return SafeText(literal: what) + MessageSummary.quote(of: composing.message).truncated(to: 40)
            + SafeText(literal: " (Esc: not)")
    }

    private var offerWords: SafeText? {
        guard let shown = state.shownOffer, let transfer = state.transfers[shown.number],
            let chat = state.chat(transfer.contact)
        else { return nil }
        let others = state.transfers.openOffers.count - 1
        let group = state.transfers.group(of: shown.number) ?? TransferGroup(transfer)
        let words = TransferWords(state: state, group: group)
        let more = others > 0 ? " (+\(others))" : ""
        return SafeText("OFFER #\(transfer.number.rawValue) from ", as: .line) + chat.name
            + SafeText(literal: ": ") + words.name.truncated(to: 30)
            + SafeText(
                " \(Units.size(group.size))  \(state.keymap.label(of: .acceptOffer))/"
                    + "\(state.keymap.label(of: .declineOffer))\(more)", as: .line)
    }

    // MARK: Hint

    func drawHint(on canvas: inout Canvas, row: Int) {
        let columns = layout.size.columns
        var line = StyledLine(" ")
        if let completion = state.completion, !completion.candidates.isEmpty {
            line = completionLine(completion, columns: columns)
        } else {
            line = HintLine(state, columns: columns).line
        }
        canvas.draw(line, at: Point(column: 0, row: row), width: columns)
    }

    /// The candidates of a completion, from a little before the chosen one.
    private func completionLine(_ completion: Completion, columns: Int) -> StyledLine {
        var line = StyledLine(" ")
        let selected = completion.selected ?? 0
        let first = max(0, selected - 2)
        if first > 0 { line.add("… ", Theme.quiet) }
        for (index, candidate) in completion.candidates.enumerated().dropFirst(first) {
            if line.width > columns { break }
            line.add(
                SafeText(candidate.label, as: .line).truncated(to: 30),
                index == completion.selected ? Theme.selected : .plain)
            line.add("  ")
        }
        return line
    }
}
