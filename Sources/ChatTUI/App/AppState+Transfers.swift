// The transfers pane and what its keys do to the file or folder under the cursor.

import ChatCore
import ChatWords

extension AppState {
    /// What the filter of the pane leaves.
    func listedTransfers(_ pane: TransfersPane) -> [TransferGroup] {
        pane.filter.narrowed(transfers.groups) { group in
            let direction = group.direction == .outgoing ? "to" : "from"
            return "#\(group.number.rawValue) \(direction) \(chat(group.contact)?.peer.name ?? "") \(group.name) "
                + Sentences.word(for: group.state)
        }
    }

    /// Which of the `listed` ones the cursor is on: in place of one that the filter does not leave any more the next one
    /// that it does, or the last.
    func placeOfCursor(_ pane: TransfersPane, in listed: [TransferGroup]) -> Int {
        guard let group = transfers.group(of: pane.selected) else { return 0 }
        if let place = listed.firstIndex(where: { $0.key == group.key }) { return place }
        return listed.firstIndex { group.stands(before: $0) } ?? max(0, listed.count - 1)
    }

    /// The cursor stays on a transfer that the filter leaves, else it goes to the first of them.
    func selectListed(in pane: inout TransfersPane) {
        let listed = listedTransfers(pane)
        let key = transfers.group(of: pane.selected)?.key
        if !listed.contains(where: { $0.key == key }) { pane.selected = listed.first?.number }
    }

    mutating func toggleTransfers() {
        if case .transfers = overlay { overlay = nil } else { showTransfers("") }
    }

    /// Those that `words` leave.
    mutating func showTransfers(_ words: String) {
        var pane = TransfersPane(filter: ListFilter(words))
        pane.selected = shownOffer?.number ?? listedTransfers(pane).first?.number
        show(.transfers(pane))
    }

    mutating func perform(_ command: AppCommand, in pane: inout TransfersPane, _ effects: inout [AppEffect]) {
        if pane.limit != nil { return answerLimit(command, &pane, &effects) }
        if pane.filter.perform(command, yanking: killRing.newest, reordering: settings.reorders) {
            pane.showsDetails = false
            pane.confirmingCancel = nil
            selectListed(in: &pane)
            overlay = .transfers(pane)
            return
        }
        let list = listedTransfers(pane)
        let selected = transfers.group(of: pane.selected)?.key
        let index = placeOfCursor(pane, in: list)
        let confirming = pane.confirmingCancel
        pane.confirmingCancel = nil
        pane.selected = list.indices.contains(index) ? list[index].number : nil
        func select(_ wanted: Int) {
            guard !list.isEmpty else { return }
            pane.selected = list[min(max(wanted, 0), list.count - 1)].number
        }
        if scrollDetails(command, of: list.indices.contains(index) ? list[index] : nil, &pane) {
            overlay = .transfers(pane)
            return
        }
        pane.detailsTop = 0
        switch command {
        case .up: select(index - 1)
        case .down: select(index + 1)
        case .pageUp: select(index - 5)
        case .pageDown: select(index + 5)
        case .top: select(0)
        case .bottom: select(list.count - 1)
        case .closePane:
            overlay = nil
            return
        default:
            // From one that has gone the cursor goes to another: a key that was meant for it does nothing there.
            guard list.indices.contains(index), list[index].key == selected else { break }
            namedFolder = list[index].number
            act(command, on: list[index], isConfirmed: confirming == list[index].number, &pane, &effects)
        }
        overlay = .transfers(pane)
    }

    /// PgUp and PgDn within details that have more rows than there is room for. `false` where all of them are seen.
    private func scrollDetails(_ command: AppCommand, of group: TransferGroup?, _ pane: inout TransfersPane) -> Bool {
        guard pane.showsDetails, [.pageUp, .pageDown].contains(command), let group else { return false }
        let room = TransfersScreen.room(in: ScreenLayout(self))
        let count = TransferDetails(state: self, group: group).rows(in: room).count
        guard count > room.rows else { return false }
        let step = max(1, room.rows - 1)
        let wanted = pane.detailsTop + (command == .pageDown ? step : -step)
        pane.detailsTop = TransferDetails.first(wanted, of: count, in: room.rows)
        return true
    }

    /// Esc in the pane: first out of what it asks, then out of the details, then out of the pane.
    mutating func stepBack(in pane: TransfersPane) {
        var pane = pane
        if pane.limit != nil {
            pane.limit = nil
        } else if pane.confirmingCancel != nil {
            pane.confirmingCancel = nil
        } else if pane.showsDetails {
            pane.showsDetails = false
        } else if !pane.filter.stepBack() {
            overlay = nil
            return
        }
        overlay = .transfers(pane)
    }

    private mutating func act(
        _ command: AppCommand, on group: TransferGroup, isConfirmed: Bool, _ pane: inout TransfersPane,
        _ effects: inout [AppEffect]
    ) {
        let number = group.number.rawValue
        switch command {
        case .choose: pane.showsDetails.toggle()
        case .pauseOrResume: pauseOrResume(group, &effects)
        case .cancelTransfer:
            if group.isOver {
                say("#\(number) is already \(Sentences.word(for: group.state))")
            } else if isConfirmed {
                effects.append(.run(group.isFolder ? .cancelFolder(group.number) : .cancel(group.number)))
            } else {
                pane.confirmingCancel = group.number
                say(
                    question: "Cancel #\(number) for good? x again cancels, any other key keeps it",
                    short: "Cancel #\(number)? x: yes")
            }
        case .limitRate:
            if group.state.isFinal {
                say("#\(number) is already \(Sentences.word(for: group.state))")
            } else {
                pane.limit = InputLine()
            }
        case .acceptTransfer, .declineTransfer:
            guard let offer = files(of: group, where: { $0.state == .offered }).first, group.isOpenOffer else {
                let isDecided = group.direction == .incoming
                say("#\(number) is " + (isDecided ? Sentences.word(for: group.state) : "not an offer to you"))
                return
            }
            effects.append(
                .run(command == .acceptTransfer ? .accept(offer.number, folder: nil) : .decline(offer.number)))
        case .copyHash:
            guard let hash = group.isFolder ? nil : group.lead.sha256 else {
                say(
                    group.isFolder
                        ? "#\(number) is a folder: each of its files has a hash" : "#\(number) has no hash yet")
                return
            }
            effects.append(.terminal(.copy(hash)))
            say("Copied the sha256 of #\(number), if the terminal allows it")
        case .openTransfer: openFile(of: group, &effects)
        default: break
        }
    }

    private func files(of group: TransferGroup, where fits: (FileTransfer) -> Bool) -> [FileTransfer] {
        transfers.files(of: group).filter(fits)
    }

    /// Pauses what runs, else resumes what is paused.
    private mutating func pauseOrResume(_ group: TransferGroup, _ effects: inout [AppEffect]) {
        let active = files(of: group) { $0.state == .running || $0.state == .accepted }
        let paused = files(of: group) { $0.state == .paused }
        if active.isEmpty, paused.isEmpty {
            say("#\(group.number.rawValue) is \(Sentences.word(for: group.state)): nothing to pause or resume")
        }
        for file in active { effects.append(.run(.pause(file.number))) }
        guard active.isEmpty else { return }
        for file in paused { effects.append(.run(.resume(file.number))) }
    }

    // MARK: The rate

    private mutating func answerLimit(
        _ command: AppCommand, _ pane: inout TransfersPane, _ effects: inout [AppEffect]
    ) {
        defer { overlay = .transfers(pane) }
        guard command == .choose else {
            _ = pane.limit?.perform(command, yanking: killRing.newest, reordering: settings.reorders)
            return
        }
        let word = pane.limit?.text.trimmedBlanks ?? ""
        guard let group = transfers.group(of: pane.selected), !word.isEmpty else {
            pane.limit = nil
            return
        }
        let rate = Units.bytes(of: word)
        guard rate != nil || word.lowercased() == "off" else {
            say("\(SafeText(word, as: .name).text) is not a rate (500k, 2M, off)", isError: true)
            return
        }
        pane.limit = nil
        let limit = rate.flatMap { $0 > 0 ? $0 : nil }
        for file in files(of: group, where: { !$0.state.isFinal }) {
            transfers.limits[file.number] = limit
            effects.append(.run(.limitRate(.transfer(file.number), limit)))
        }
    }
}

extension String {
    /// Without blanks at the ends.
    var trimmedBlanks: String {
        var text = self[...]
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }
}
