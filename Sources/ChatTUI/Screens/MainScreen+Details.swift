// The details of the open contact, beside the chat where there is room (picture 1 at 120 columns).

import ChatCore
import ChatWords

extension MainScreen {
    /// Shared files and transfers that the pane names.
    private static let fileLimit = 8
    private static let transferLimit = 6
    /// Columns of a file's name and size, and of the percentage of a transfer.
    private static let nameWidth = 13
    private static let sizeWidth = 9
    private static let percentWidth = 6

    func drawDetails(on canvas: inout Canvas, _ area: Rect) {
        drawBorder(on: &canvas, column: area.origin.column - 1, area)
        guard let chat = state.openChat else { return }
        let width = area.size.columns - 1
        let groups = state.world.transfers.groups.filter { $0.contact == chat.id }
        var lines = person(chat, width: width)
        for block in [sharedFiles(groups, width: width), currentTransfers(groups, width: width)] where !block.isEmpty {
            lines.append(StyledLine())
            lines += block
        }
        for (index, line) in lines.prefix(area.size.rows).enumerated() {
            let place = Point(column: area.origin.column + 1, row: area.origin.row + index)
            canvas.draw(line, at: place, width: width)
        }
    }

    private func person(_ chat: Chat, width: Int) -> [StyledLine] {
        let peer = chat.peer
        var lines = [StyledLine(chat.name, Theme.title)]
        if let words = chat.nameWarning { lines.append(StyledLine(words, Theme.error)) }
        if let room = peer.room { return lines + self.room(room, chat, width: width) }
        var trust = StyledLine(
            Sentences.word(for: peer.trust), peer.trust == .keyChanged ? Theme.error : .plain)
        if let day = peer.verifiedAt, peer.trust == .verified { trust.add(" " + state.surface.clock.date(day)) }
        lines.append(trust)
        if let day = peer.metAt, peer.trust != .verified {
            lines.append(StyledLine("met by invitation on", Theme.quiet))
            lines.append(StyledLine("\(state.surface.clock.date(day))", Theme.quiet))
        }
        if let number = chat.safetyNumber, number.count >= 2 {
            lines.append(StyledLine("safety \(number[0]) \(number[1]) …"))
        }
        lines += link(chat, width: width)
        if peer.isBlocked {
            var line = StyledLine("blocked (", Theme.error)
            line.add("/unblock", Theme.error, target: .slash("/unblock"))
            line.add(")", Theme.error)
            lines.append(line)
        }
        if let words = state.surface.muteWords(peer) { lines.append(StyledLine(words, Theme.quiet)) }
        if let limit = peer.acceptsFilesUpTo {
            lines.append(StyledLine(limit == 0 ? "files: always asks" : "auto-accepts files", Theme.quiet))
        }
        return lines
    }

    private func room(_ room: JoinedRoom, _ chat: Chat, width: Int) -> [StyledLine] {
        var lines = [StyledLine(RoomWords.title(of: room.url), room.url.usesTLS ? .plain : Theme.error)]
        lines += TextWrap.wrap(SafeText(RoomWords.warning(of: room.url), as: .line), width: width - 1).map {
            StyledLine($0, Theme.warning)
        }
        if case .online(let details) = chat.link {
            lines.append(StyledLine("online · \(details.remoteAddress)", Theme.good))
        } else {
            lines += link(chat, width: width)
        }
        if let words = state.surface.muteWords(chat.peer) { lines.append(StyledLine(words, Theme.quiet)) }
        return lines
    }

    private func link(_ chat: Chat, width: Int) -> [StyledLine] {
        guard case .online(let details) = chat.link else {
            let words = SafeText(Sentences.words(for: chat.link), as: .line)
            var lines = TextWrap.wrap(words, width: width - 1).prefix(4).map { StyledLine($0) }
            if let seen = chat.peer.lastSeen {
                lines.append(
                    StyledLine("last seen \(state.surface.clock.dayAndTime(seen, now: state.surface.moment.wall))"))
            }
            return lines
        }
        var first = StyledLine(
            details.away == nil ? "online" : "away", details.away == nil ? Theme.good : Theme.warning)
        first.add(" · ")
        first.add(details.remoteAddress)
        var words = Sentences.way(of: details) + (details.isEncrypted ? ", TLS 1.3" : ", PLAINTEXT")
        if let roundTrip = details.roundTrip { words += ", \(Units.milliseconds(roundTrip))" }
        var lines = [first, StyledLine(words, details.isEncrypted ? .plain : Theme.error)]
        if let reason = details.away, !reason.isEmpty {
            lines += TextWrap.wrap(SafeText("“\(reason)”", as: .line), width: width - 1).prefix(2).map {
                StyledLine($0)
            }
        }
        return lines
    }

    private func sharedFiles(_ groups: [TransferGroup], width: Int) -> [StyledLine] {
        let files = groups.filter { $0.state == .complete }
        guard !files.isEmpty else { return [] }
        let shown = files.prefix(Self.fileLimit)
        let names = shown.map { name(of: $0, width: width - 2 - Self.sizeWidth) }
        // The sizes are near the names, and further right only for a name that needs it.
        let nameWidth = max(Self.nameWidth, names.map(\.width).max() ?? 0)
        return [StyledLine("Shared files (\(files.count))", Theme.quiet)]
            + zip(shown, names).map { group, name in
                var line = StyledLine("  ")
                line.add(name.padded(to: nameWidth))
                line.add(SafeText(Units.size(group.size), as: .line).padded(to: Self.sizeWidth, alignment: .right))
                return line
            }
    }

    private func name(of group: TransferGroup, width: Int) -> SafeText {
        .fileName(group.name, end: SafeText(group.isFolder ? "/" : "", as: .line), width: width)
    }

    private func currentTransfers(_ groups: [TransferGroup], width: Int) -> [StyledLine] {
        let groups = groups.filter { !$0.state.isFinal }
        guard !groups.isEmpty else { return [] }
        var lines = [StyledLine("Transfers", Theme.quiet)]
        for group in groups.prefix(Self.transferLimit) {
            let words = TransferWords(state: state, group: group)
            let pace = words.pace
            let isRunning = words.shownState == .running
            let arrow = group.direction == .outgoing ? "↑" : "↓"
            var line = StyledLine("  \(arrow) #\(group.number.rawValue) ")
            let room = width - line.width - (isRunning ? Self.percentWidth : 0)
            let name = name(of: group, width: room)
            line.add(name + .blanks(Self.nameWidth - 1 - name.width))
            if isRunning {
                line.add(SafeText(pace.percent, as: .line).padded(to: Self.percentWidth, alignment: .right))
            }
            lines.append(line)
            if isRunning, let rate = pace.rate {
                lines.append(StyledLine("    \(rate)" + (pace.remaining.map { "  ETA \($0)" } ?? ""), Theme.quiet))
            } else if !isRunning {
                let why =
                    words.shownState == .accepted
                    ? OfferWords.whatHolds(group.contact, group.direction, else: group.reason, state) : nil
                let text = SafeText(why ?? Sentences.word(for: words.shownState), as: .line)
                lines.append(StyledLine(.blanks(4) + text.truncated(to: width - 4), Theme.quiet))
            }
        }
        return lines
    }
}
