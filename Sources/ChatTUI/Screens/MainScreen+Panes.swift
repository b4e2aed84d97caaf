// The panes beside the chat: the list with presence and counts, and the details of the open contact.

import ChatCore

extension MainScreen {
    // MARK: List

    func drawList(on canvas: inout Canvas, _ area: Rect) {
        let width = area.size.columns
        drawBorder(on: &canvas, column: area.columns.upperBound, area)
        let bottom = bottomLines
        let hasBottom = area.size.rows >= bottom.count + 3
        let rows = area.size.rows - (hasBottom ? bottom.count + 1 : 0)
        // The open chat stays visible in a long list.
        let open = state.chatIndex(state.openID) ?? 0
        let first = max(0, min(open - rows + 1, state.chats.count - rows))
        for row in 0..<max(0, rows) where state.chats.indices.contains(first + row) {
            let line = listLine(first + row, width: width)
            canvas.draw(line, at: Point(column: 0, row: area.origin.row + row), width: width)
            canvas.addTarget(
                Rect(column: 0, row: area.origin.row + row, columns: width, rows: 1), .chat(state.chats[first + row].id)
            )
        }
        guard hasBottom else { return }
        let ruleRow = area.rows.upperBound - bottom.count - 1
        canvas.draw(
            .filling(width, with: SafeText(literal: "─")), at: Point(column: 0, row: ruleRow), style: Theme.line)
        for (index, text) in bottom.enumerated() {
            let place = Point(column: 0, row: ruleRow + 1 + index)
            canvas.draw(SafeText(" " + text, as: .line), at: place, style: Theme.quiet, maxWidth: width)
        }
    }

    /// `▌1 Alice      ● `: open, number, name, unread, presence.
    private func listLine(_ index: Int, width: Int) -> StyledLine {
        let chat = state.chats[index]
        let isOpen = chat.id == state.openID
        let unread = isOpen || chat.conversation.unreadCount == 0 ? "" : "\(min(chat.conversation.unreadCount, 999))"
        var line = StyledLine(isOpen ? "▌" : " ", Theme.own)
        line.add("\(index + 1) ", Theme.quiet)
        let room = width - line.width - 3 - unread.count
        line.add(chat.name.truncated(to: max(0, room)), chat.isUnread ? Theme.unread : .plain)
        line.pad(to: width - 2 - unread.count)
        line.add(unread, Theme.unread)
        let (symbol, style) = presence(chat)
        line.add(symbol, style)
        line.add(" ")
        return line
    }

    private func presence(_ chat: Chat) -> (String, Style) {
        if chat.peer.isBlocked { return ("×", Theme.error) }
        if chat.peer.trust == .keyChanged { return ("!", Theme.error) }
        switch chat.link {
        case .online: return ("●", Theme.good)
        case .connecting: return ("…", Theme.warning)
        case .awaitingApproval: return ("?", Theme.warning)
        case .offline: return ("○", Theme.quiet)
        }
    }

    private var bottomLines: [String] {
        let running = state.transfers.running
        let up = running.count { $0.direction == .outgoing }
        var motion = "↑\(up) ↓\(running.count - up)"
        if !running.isEmpty {
            motion += "  " + Units.rate(state.transfers.rate()).replacing(" ", with: "")
        }
        var lines = ["transfers", motion, "queued \(state.queuedCount)"]
        if !state.requests.isEmpty { lines.append("requests \(state.requests.count)") }
        return lines
    }

    private func drawBorder(on canvas: inout Canvas, column: Int, _ area: Rect) {
        let line = SafeText(literal: "│")
        for row in area.rows { canvas.draw(line, at: Point(column: column, row: row), style: Theme.line) }
    }

    // MARK: Details

    func drawDetails(on canvas: inout Canvas, _ area: Rect) {
        drawBorder(on: &canvas, column: area.origin.column - 1, area)
        guard let chat = state.openChat else { return }
        var lines = person(chat)
        let files = sharedFiles(chat)
        if !files.isEmpty {
            lines.append(StyledLine())
            lines += files
        }
        let transfers = currentTransfers(chat)
        if !transfers.isEmpty {
            lines.append(StyledLine())
            lines += transfers
        }
        for (index, line) in lines.prefix(area.size.rows).enumerated() {
            let place = Point(column: area.origin.column + 1, row: area.origin.row + index)
            canvas.draw(line, at: place, width: area.size.columns - 1)
        }
    }

    private func person(_ chat: Chat) -> [StyledLine] {
        var lines = [StyledLine(chat.name, Theme.title)]
        lines.append(StyledLine(Sentences.word(for: chat.peer.trust)))
        if let number = chat.safetyNumber, number.count >= 2 {
            lines.append(StyledLine("safety \(number[0]) \(number[1]) …"))
        }
        switch chat.link {
        case .online(let details):
            lines.append(StyledLine("online · \(details.remoteAddress)"))
            var words = details.isEncrypted ? "direct, TLS 1.3" : "direct, PLAINTEXT"
            if let roundTrip = details.roundTrip {
                let milliseconds =
                    roundTrip.components.seconds * 1000
                    + roundTrip.components.attoseconds / 1_000_000_000_000_000
                words += milliseconds > 0 ? ", \(milliseconds) ms" : ", <1 ms"
            }
            lines.append(StyledLine(words))
        case let other:
            let words = SafeText(Sentences.words(for: other), as: .line)
            lines += TextWrap.wrap(words, width: 28).prefix(4).map { StyledLine($0) }
            if let seen = chat.peer.lastSeen { lines.append(StyledLine("last seen \(state.clock.dayAndTime(seen))")) }
        }
        return lines
    }

    private func sharedFiles(_ chat: Chat) -> [StyledLine] {
        let files = state.transfers.sorted.filter { $0.contact == chat.id && $0.state == .complete }
        guard !files.isEmpty else { return [] }
        return [StyledLine("Shared files (\(files.count))", Theme.quiet)]
            + files.prefix(8).map { file in
                var line = StyledLine("  ")
                let size = Units.size(file.size)
                line.add(SafeText(file.name, as: .fileName).padded(to: 13))
                line.add(SafeText(size, as: .line).padded(to: 9, alignment: .right))
                return line
            }
    }

    private func currentTransfers(_ chat: Chat) -> [StyledLine] {
        let transfers = state.transfers.unfinished.filter { $0.contact == chat.id }
        guard !transfers.isEmpty else { return [] }
        var lines = [StyledLine("Transfers", Theme.quiet)]
        for transfer in transfers.prefix(6) {
            let pace = TransferPace(transfer: transfer, progress: state.transfers.progress[transfer.id])
            let arrow = transfer.direction == .outgoing ? "↑" : "↓"
            var line = StyledLine("  \(arrow) #\(transfer.number.rawValue) ")
            line.add(SafeText(transfer.name, as: .fileName).padded(to: 12))
            line.add(
                SafeText(transfer.state == .running ? pace.percent : "", as: .line).padded(to: 6, alignment: .right))
            lines.append(line)
            if transfer.state == .running, let rate = pace.rate {
                lines.append(StyledLine("    \(rate)" + (pace.remaining.map { "  ETA \($0)" } ?? ""), Theme.quiet))
            } else if transfer.state != .running {
                lines.append(StyledLine("    \(Sentences.word(for: transfer.state))", Theme.quiet))
            }
        }
        return lines
    }
}
