// The status line above the input and the hint line below it.

import ChatCore
import ChatWords

extension MainScreen {
    // MARK: Status

    /// `firstSeen`: the first item of the open chat that is in sight.
    func drawStatus(on canvas: inout Canvas, row: Int, firstSeen: Int?) {
        let columns = layout.size.columns
        let clock = SafeText(state.surface.minuteText(state.surface.moment.wall), as: .line)
        let rightEnd = columns - 2
        // Parts that do not fit beside the sentence on the left are dropped, the leftmost first.
        var parts = state.place.overlay?.pane.hidesActivity == true ? [] : statusParts
        let left = statusLeft(firstSeen)
        func joined() -> StyledLine {
            var line = StyledLine()
            for part in parts {
                line.add(part)
                line.add("  ", Theme.quiet)
            }
            line.add(SafeText(literal: " ") + clock, Theme.quiet)
            return line
        }
        var right = joined()
        while !parts.isEmpty, 1 + left.text.width + 2 + right.width > rightEnd {
            parts.removeFirst()
            right = joined()
        }
        if columns < 30 { right = StyledLine(clock, Theme.quiet) }
        // Everything else gives way to a question: the keys that answer it are at its end.
        let isQuestion = state.place.status?.isQuestion == true && state.composer.pendingKeys.isEmpty
        let isNeeded =
            isQuestion || (columns < 40 && (state.place.status?.isError == true || (columns < 30 && left.short != nil)))
        if isNeeded, (left.short ?? left.text).width > rightEnd - right.width - 3 { right = StyledLine() }
        let rightStart = max(0, rightEnd - right.width)
        let room = max(0, rightStart - (right.width > 0 ? 3 : 1))
        let place = Point(column: 1, row: row)
        var words = left.text.truncated(to: room)
        if let short = left.short, left.text.width > room { words = short.truncated(to: room) }
        var hints = left.hints
        if isQuestion, left.text.width > room {
            let shorts = (state.place.status?.shorts ?? []).map { SafeText($0, as: .line) }
            words = shorts.first { $0.width <= room } ?? Self.keepingEnd(of: shorts.last ?? left.text, width: room)
        } else if let notice = state.place.status, state.composer.pendingKeys.isEmpty,
            let (cut, hint) = withHint(where: notice, left.text, room: room)
        {
            words = cut
            hints.append(hint)
        }
        canvas.draw(words, at: place, style: left.style)
        canvas.addTargets(hints, in: words, at: place, width: room)
        canvas.draw(right, at: Point(column: rightStart, row: row))
    }

    /// A notice that does not fit, or has more lines, with the key or command that shows all of it; `nil` when it is
    /// all there, and where the hint would take too much of the row.
    private func withHint(
        where notice: StatusNotice, _ text: SafeText, room: Int
    ) -> (SafeText, Hint)? {
        guard text.width > room || notice.hasMore else { return nil }
        let hint =
            switch notice.place {
            case .chat: Hint("\(state.surface.key(.newest)): all", .newest)
            case .log: Hint("/log", .slash("/log"))
            }
        let end = SafeText(literal: "… (") + SafeText(hint.words, as: .line) + SafeText(literal: ")")
        guard end.width * 3 <= room else { return nil }
        if text.width + 1 + end.width <= room { return (text + SafeText(literal: " ") + end, hint) }
        return (text.prefix(width: room - end.width) + end, hint)
    }

    /// The beginning and the end of a text that is too wide.
    private static func keepingEnd(of text: SafeText, width: Int) -> SafeText {
        guard text.width > width, width > 3 else { return text.truncated(to: width) }
        let head = text.prefix(width: max(0, min(width / 3, width - 16)))
        return head + SafeText(literal: "…") + text.dropping(width: text.width - (width - head.width - 1))
    }

    /// Requests, queue, transfers and activity, in the order in which they are dropped.
    private var statusParts: [StyledLine] {
        var parts: [StyledLine] = []
        func add(_ words: String, _ command: AppCommand?) {
            var part = StyledLine()
            part.add(words, Theme.quiet, target: command.map { .command($0) })
            parts.append(part)
        }
        if !state.world.requests.isEmpty {
            add("requests \(state.world.requests.count) \(state.surface.key(.requests))", .requests)
        }
        if state.world.queuedCount > 0 { add("~\(state.world.queuedCount) queued", nil) }
        if let group = state.world.transfers.group(
            of: state.world.transfers.moving(at: state.surface.moment.uptime).first?.number)
        {
            let pace = TransferPace(transferred: group.transferred, size: group.size, progress: nil)
            let arrow = group.direction == .outgoing ? "↑" : "↓"
            add("\(arrow) #\(group.number.rawValue) \(pace.percent)", .transfers)
        }
        if !layout.isNarrow, activity.width > 0 { parts.append(activity) }
        return parts
    }

    /// A sentence of the status line, and what in it can be clicked.
    private struct StatusWords {
        var text: SafeText
        /// In fewer words, for narrow screens.
        var short: SafeText?
        var style: Style
        var hints: [Hint]

        init(_ text: SafeText, short: SafeText? = nil, _ style: Style, _ hints: [Hint] = []) {
            self.text = text
            self.short = short
            self.style = style
            self.hints = hints
        }
    }

    /// The words for the most important thing now.
    private func statusLeft(_ firstSeen: Int?) -> StatusWords {
        if !state.composer.pendingKeys.isEmpty {
            return StatusWords(SafeText("\(KeySequence(state.composer.pendingKeys).name) …", as: .line), .plain)
        }
        if state.composer.begun == .literal {
            return StatusWords(SafeText(literal: "the next key is typed as it is"), .plain)
        }
        if let notice = state.place.status {
            return StatusWords(
                SafeText(notice.text, as: .line), notice.isError ? Theme.error : Theme.unread,
                SentenceHints.hints(in: notice.text))
        }
        if let pane = state.place.overlay?.pane, let words = pane.status(state, layout) {
            return StatusWords(words, .plain, pane.statusHints)
        }
        if let words = browseWords { return StatusWords(words, Theme.unread, Self.rangeHints) }
        if let words = composingWords { return StatusWords(words, Theme.unread, [Hint("Esc cancels", .back)]) }
        if let offer = offerWords {
            let hints = [AppCommand.acceptOffer, .declineOffer].map { Hint(state.surface.keymap.label(of: $0), $0) }
            return StatusWords(offer.words, short: offer.short, Theme.unread, hints)
        }
        guard let chat = state.openChat else { return StatusWords(.empty, .plain) }
        return chatWords(chat, firstSeen)
    }

    private static let rangeHints = [
        Hint("y copy", .copyText), Hint("f forward", .forward), Hint("d delete", .deleteMessage),
    ]

    /// The words about the open chat.
    private func chatWords(_ chat: Chat, _ firstSeen: Int?) -> StatusWords {
        let newer = chat.window.newerCount
        if !chat.window.isAtBottom {
            let what = newer > 0 ? "\(newer) newer" : "newer messages"
            let words = "↓ \(what) (\(state.surface.key(.newest)))"
            return StatusWords(SafeText(words, as: .line), Theme.unread, [Hint(words, .newest)])
        }
        if newer > 0 { return StatusWords(SafeText("↓ \(newer) newer", as: .line), Theme.unread) }
        let verify = [Hint("/verify", .slash("/verify"))]
        if chat.peer.trust == .keyChanged {
            let words =
                SafeText(literal: "KEY CHANGED: nothing goes to ") + chat.name
                + SafeText(literal: " until you decide (/verify)")
            return StatusWords(words, short: SafeText(literal: "KEY CHANGED (/verify)"), Theme.error, verify)
        }
        if state.surface.waitsForVerification(chat.peer) {
            let words =
                SafeText(literal: "unverified: nothing goes to ") + chat.name
                + SafeText(literal: " until you compare (/verify)")
            return StatusWords(words, short: SafeText(literal: "unverified (/verify)"), Theme.warning, verify)
        }
        if state.isViNormal { return StatusWords(SafeText(literal: "NORMAL (i types, Esc browses)"), .plain) }
        if chat.typingUntil != nil { return StatusWords(chat.name + SafeText(literal: " is typing…"), .plain) }
        if let line = chat.window.unreadLine, !line.isFound, beginsAbove(chat.window, firstSeen: firstSeen) {
            let words = "↑ \(line.count) new further up (\(state.surface.key(.firstUnread)))"
            return StatusWords(SafeText(words, as: .line), Theme.unread, [Hint(words, .firstUnread)])
        }
        return StatusWords(.empty, .plain)
    }

    /// Whether the new messages of the open chat begin above what is in sight.
    private func beginsAbove(_ window: ChatWindow, firstSeen: Int?) -> Bool {
        guard let firstSeen else { return false }
        return window.unreadBeginsAbove || window.firstUnreadIndex.map { firstSeen > $0 } ?? false
    }

    /// Which message is under the cursor of browse mode.
    private var browseWords: SafeText? {
        guard let browse = state.place.browse else { return nil }
        if browse.rangeStart != nil {
            let count = Browsing.selectedMessages(state).count
            // Messages selected further away are not in memory, and nothing is done to them.
            let limit = Browsing.rangeIsLoaded(state) ? "" : ", the rest is not loaded"
            return SafeText("browse: \(count) selected\(limit) (y copy, f forward, d delete)", as: .line)
        }
        guard let message = Browsing.selectedMessage(state) else { return SafeText(literal: "browse") }
        let who = state.world.words(of: message).author.text
        return SafeText(
            "browse: \(who) \(state.surface.clock.dayAndTime(message.shownTime, now: state.surface.moment.wall)) #\(message.id.short)",
            as: .line)
    }

    /// The message that the line in the input is about.
    private var composingWords: SafeText? {
        guard let composing = state.openChat?.composing else { return nil }
        let what: StaticString =
            switch composing {
            case .reply: "Replying to: "
            case .edit: "Editing: "
            }
        return SafeText(literal: what)
            + MessageWords.quote(of: composing.message)
            .inDisplayOrder(width: 40, reordering: state.surface.settings.reorders)
            + SafeText(literal: " · Esc cancels")
    }

    /// Also in fewer words: the chat shows the offer, too, but only this line shows the keys.
    private var offerWords: (words: SafeText, short: SafeText)? {
        guard let shown = state.place.shownOffer, let transfer = state.world.transfers[shown.number],
            let chat = state.world.chat(transfer.contact)
        else { return nil }
        let offers = state.world.offers(of: shown)
        let others = state.world.openOffers.count - max(1, offers.count)
        let group = state.world.transfers.group(of: shown.number) ?? TransferGroup(transfer)
        let words = TransferWords(state: state, group: group)
        let more = others > 0 ? " (+\(others))" : ""
        let columns = layout.size.columns
        let size = Units.size(
            offers.count > 1 ? offers.reduce(0) { $0.addingClamped(state.world.wholeSize(of: $1)) } : group.size)
        let which = offers.count > 1 ? "\(offers.count) OFFERS" : "OFFER #\(transfer.number.rawValue)"
        let front =
            SafeText("\(which) from ", as: .line)
            + chat.name.truncated(to: max(10, columns / 8)) + SafeText(literal: ": ")
        let keys =
            "\(state.surface.keymap.label(of: .acceptOffer))/\(state.surface.keymap.label(of: .declineOffer))\(more)"
        let end = SafeText("\(offers.count > 1 ? ", …" : "") \(size)  \(keys)", as: .line)
        let number = offers.count > 1 ? "\(offers.count) files" : "#\(transfer.number.rawValue)"
        let clock = SafeText(state.surface.minuteText(state.surface.moment.wall), as: .line).width
        var short = "OFFER \(number) \(size)  \(keys)"
        if short.count > columns - clock - 6 { short = "\(number) \(keys)" }
        if short.count > columns - 4, offers.count > 1 { short = "\(offers.count): \(keys)" }
        // It may be shown for long: the name leaves room for the keys, and for what is unread elsewhere.
        let room = columns - 6 - clock - (layout.isNarrow ? 0 : activity.width + 2)
        let least = min(18, max(8, columns - 5 - clock - front.width - end.width))
        let whole = front + words.name(width: max(least, min(30, room - front.width - end.width))) + end
        return (whole, SafeText(short, as: .line))
    }

    // MARK: Hint

    func drawHint(on canvas: inout Canvas, row: Int) {
        let columns = layout.size.columns
        var line = StyledLine(" ")
        if let completion = state.composer.completion, !completion.candidates.isEmpty {
            line = completionLine(completion, columns: columns)
        } else {
            line = HintLine(state, columns: columns).line
        }
        canvas.draw(line, at: Point(column: 0, row: row), width: columns)
    }

    /// The candidates of a completion, from a little before the chosen one; each is whole.
    private func completionLine(_ completion: Completion, columns: Int) -> StyledLine {
        var line = StyledLine(" ")
        let labels = completion.candidates.map { SafeText($0.label, as: .line).truncated(to: min(30, columns - 6)) }
        let selected = completion.selected ?? 0
        var first = max(0, selected - 2)
        while first < selected, labels[first...selected].reduce(5, { $0 + $1.width + 2 }) > columns { first += 1 }
        if first > 0 { line.add("… ", Theme.quiet) }
        for (index, label) in labels.enumerated().dropFirst(first) {
            // After each but the last there is room for the mark that more follow.
            guard line.width + label.width + (index == labels.count - 1 ? 0 : 3) <= columns else {
                line.add("…", Theme.quiet)
                break
            }
            line.add(label, index == completion.selected ? Theme.selected : .plain, target: .candidate(index))
            line.add("  ")
        }
        return line
    }
}
