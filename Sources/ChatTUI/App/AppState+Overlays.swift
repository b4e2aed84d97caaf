// Opening and closing what stands over the chat, and the keys of help, palette and go-to.

import ChatCore

extension AppState {
    mutating func show(_ new: Overlay) {
        completion = nil
        lastKill = nil
        status = nil
        overlay = new
    }

    /// A key while an overlay is open. `false` when the key means the same as without one.
    mutating func pressInOverlay(_ key: Key, _ command: AppCommand?, _ effects: inout [AppEffect]) -> Bool {
        if command == .back {
            closeOverlay()
            return true
        }
        switch overlay {
        case nil: return false
        case .help(var pane), .palette(var pane), .goTo(var pane):
            return press(key, command, in: &pane, &effects)
        case .search(var pane): return press(key, command, in: &pane, &effects)
        case .transfers(var pane): return press(key, command, in: &pane, &effects)
        case .requests(let selected): return press(key, command, request: selected, &effects)
        case .verify(let pane): return press(key, command, in: pane, &effects)
        }
    }

    mutating func pasteIntoOverlay(_ text: String) {
        let line = String(text.prefix { !$0.isNewline })
        switch overlay {
        case .help(var pane):
            pane.filter.insert(line)
            overlay = .help(pane)
        case .palette(var pane):
            pane.filter.insert(line)
            overlay = .palette(pane)
        case .goTo(var pane):
            pane.filter.insert(line)
            overlay = .goTo(pane)
        case .search(var pane):
            pane.query.insert(line)
            overlay = .search(pane)
        case .transfers, .requests, .verify, nil: break
        }
    }

    private mutating func closeOverlay() {
        if case .transfers(let pane) = overlay, pane.confirmingCancel != nil {
            overlay = .transfers(TransfersPane(selected: pane.selected))
            return
        }
        overlay = nil
    }

    /// Commands that an overlay leaves to the screen below it.
    static func passesThrough(_ command: AppCommand?) -> Bool {
        switch command {
        case .quit, .suspend, .redraw, .reconnect, .acceptOffer, .declineOffer, .help, .palette, .goTo, .transfers,
            .requests, .searchAll, .searchHere, .nextUnread, .previousUnread, .openChat, .lastChat:
            true
        default: false
        }
    }

    // MARK: Help, palette, go to

    /// The chats that a go-to filter leaves, best first.
    func goToMatches(_ filter: String) -> [Chat] {
        let scored = chats.enumerated().compactMap { index, chat in
            FuzzyMatch.score(filter, in: chat.peer.name).map { (chat: chat, score: $0, index: index) }
        }
        return scored.sorted { ($0.score, $1.index) > ($1.score, $0.index) }.map(\.chat)
    }

    private func count(in overlay: Overlay?, filter: String) -> Int {
        if case .goTo = overlay { return goToMatches(filter).count }
        return CommandItem.matching(filter).count
    }

    private mutating func press(
        _ key: Key, _ command: AppCommand?, in pane: inout ListPane, _ effects: inout [AppEffect]
    ) -> Bool {
        let count = count(in: overlay, filter: pane.filter.text)
        switch command {
        case .up, .previousChat: pane.move(by: -1, count: count)
        case .down, .nextChat: pane.move(by: 1, count: count)
        case .pageUp: pane.move(by: -10, count: count)
        case .pageDown: pane.move(by: 10, count: count)
        case .complete: pane.selected = nextGroup(after: pane, count: count)
        case .send:
            choose(pane, &effects)
            return true
        case .clear: pane = ListPane()
        default:
            if Self.passesThrough(command) {
                if closesItself(command) {
                    overlay = nil
                    return true
                }
                return false
            }
            if let command {
                if pane.filter.perform(command, yanking: killRing.newest) == .ignored { return true }
            } else if let text = key.typedText {
                pane.filter.insert(text)
            }
            pane.selected = 0
        }
        switch overlay {
        case .help: overlay = .help(pane)
        case .palette: overlay = .palette(pane)
        default: overlay = .goTo(pane)
        }
        return true
    }

    /// The key that opened an overlay closes it.
    private func closesItself(_ command: AppCommand?) -> Bool {
        switch (overlay, command) {
        case (.help, .help), (.palette, .palette), (.goTo, .goTo): true
        default: false
        }
    }

    /// Tab in the help: the first line of the next group.
    private func nextGroup(after pane: ListPane, count: Int) -> Int {
        if case .goTo = overlay { return count == 0 ? 0 : (pane.selected + 1) % count }
        let items = CommandItem.matching(pane.filter.text)
        guard items.indices.contains(pane.selected) else { return 0 }
        let group = items[pane.selected].group
        return items.indices.first { $0 > pane.selected && items[$0].group != group } ?? 0
    }

    /// Enter: opens the chat, or runs the line under the cursor.
    private mutating func choose(_ pane: ListPane, _ effects: inout [AppEffect]) {
        if case .goTo = overlay {
            let matches = goToMatches(pane.filter.text)
            guard matches.indices.contains(pane.selected) else { return }
            open(matches[pane.selected].id, &effects)
            return
        }
        let items = CommandItem.matching(pane.filter.text)
        guard items.indices.contains(pane.selected) else { return }
        switch items[pane.selected].action {
        case .nothing: break
        case .command(let command):
            overlay = nil
            // What Enter itself does would send the half-typed line: the help must not.
            if command == .send { say("Enter sends the line that you typed") } else { perform(command, &effects) }
        case .slash(let command):
            overlay = nil
            if command.needsArgument {
                if !input.isEmpty { say("Your line waits in the kill ring: Ctrl-u, Ctrl-y, Ctrl-y brings it back") }
                killRing.add(input.text)
                input.replace(with: "/\(command.name) ")
                draftChanged()
            } else {
                run(command, "", &effects)
            }
        }
    }
}
