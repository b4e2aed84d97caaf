// The keys of the transfers pane, which act on the file or folder under the cursor.

import ChatCore
import ChatWords

extension TransfersPane {
    mutating func perform(_ command: AppCommand, _ state: inout AppState, _ effects: inout [AppEffect]) -> PaneStep {
        if limit != nil {
            answerLimit(command, &state, &effects)
            return .stays
        }
        if filter.perform(command, yanking: state.composer.killRing.newest, reordering: state.surface.settings.reorders)
        {
            showsDetails = false
            confirmingCancel = nil
            selectListed(in: state)
            return .stays
        }
        let list = listed(in: state)
        let chosen = state.world.transfers.group(of: selected)?.key
        let index = placeOfCursor(in: list, of: state.world.transfers)
        let confirming = confirmingCancel
        confirmingCancel = nil
        selected = list.indices.contains(index) ? list[index].number : nil
        func select(_ wanted: Int) {
            guard !list.isEmpty else { return }
            selected = list[min(max(wanted, 0), list.count - 1)].number
        }
        if scrollDetails(command, of: list.indices.contains(index) ? list[index] : nil, in: state) { return .stays }
        detailsTop = 0
        switch command {
        case .up: select(index - 1)
        case .down: select(index + 1)
        case .pageUp: select(index - 5)
        case .pageDown: select(index + 5)
        case .top: select(0)
        case .bottom: select(list.count - 1)
        case .closePane: return .closes
        default:
            // When the selected one has gone, the cursor goes to another: a key that was meant for the old one does
            // nothing there.
            guard list.indices.contains(index), list[index].key == chosen else { break }
            state.place.note(named: list[index].number)
            act(command, on: list[index], isConfirmed: confirming == list[index].number, &state, &effects)
        }
        return .stays
    }

    /// PgUp and PgDn within details that have more rows than there is room for. `false` where all of them are seen.
    private mutating func scrollDetails(
        _ command: AppCommand, of group: TransferGroup?, in state: AppState
    ) -> Bool {
        guard showsDetails, [.pageUp, .pageDown].contains(command), let group else { return false }
        let room = TransfersScreen.room(in: ScreenLayout(state))
        let count = TransferDetails(state: state, group: group).rows(in: room).count
        guard count > room.rows else { return false }
        let step = max(1, room.rows - 1)
        let wanted = detailsTop + (command == .pageDown ? step : -step)
        detailsTop = TransferDetails.first(wanted, of: count, in: room.rows)
        return true
    }

    /// Esc in the pane: first leaves its question, then the details, then the pane.
    mutating func stepBack(_ state: inout AppState) -> PaneStep {
        if limit != nil {
            limit = nil
        } else if confirmingCancel != nil {
            confirmingCancel = nil
        } else if showsDetails {
            showsDetails = false
        } else if !filter.stepBack() {
            return .closes
        }
        return .stays
    }

    mutating func type(_ text: String, _ state: inout AppState, _ effects: inout [AppEffect]) {
        if limit != nil {
            limit?.insert(text)
        } else if filter.type(text) {
            selectListed(in: state)
        } else {
            confirmingCancel = nil
        }
    }

    mutating func click(_ field: FieldTarget, column: Int) {
        if field.name == .rate, let line = limit {
            limit?.move(to: field.offset(in: line, at: column))
        } else if field.name == .filter {
            limit = nil
            filter.open(at: field.offset(in: filter.line, at: column))
        }
    }

    /// The cursor stays on a transfer that the filter leaves, else it goes to the first of them.
    private mutating func selectListed(in state: AppState) {
        let listed = listed(in: state)
        let key = state.world.transfers.group(of: selected)?.key
        if !listed.contains(where: { $0.key == key }) { selected = listed.first?.number }
    }

    private mutating func act(
        _ command: AppCommand, on group: TransferGroup, isConfirmed: Bool, _ state: inout AppState,
        _ effects: inout [AppEffect]
    ) {
        let number = group.number.rawValue
        switch command {
        case .choose: showsDetails.toggle()
        case .pauseOrResume: Self.pauseOrResume(group, &state, &effects)
        case .cancelTransfer:
            if group.isOver {
                state.say("#\(number) is already \(Sentences.word(for: group.state))")
            } else if isConfirmed {
                effects.append(.run(FileCommands.cancelling(group)))
            } else {
                confirmingCancel = group.number
                state.say(
                    question: "Cancel #\(number) for good? x again cancels, any other key keeps it",
                    short: "Cancel #\(number)? x: yes")
            }
        case .limitRate:
            if group.state.isFinal {
                state.say("#\(number) is already \(Sentences.word(for: group.state))")
            } else {
                limit = InputLine()
            }
        case .acceptTransfer, .declineTransfer:
            let offers = Self.files(of: group, in: state) { $0.state == .offered }
            guard let offer = offers.first, group.isOpenOffer else {
                let isDecided = group.direction == .incoming
                state.say("#\(number) is " + (isDecided ? Sentences.word(for: group.state) : "not an offer to you"))
                return
            }
            effects.append(
                .run(
                    command == .acceptTransfer
                        ? .accept(offer.number, folder: nil) : .call(.declineTransfer(offer.number))))
        case .copyHash:
            guard let hash = group.isFolder ? nil : group.lead.sha256 else {
                state.say(
                    group.isFolder
                        ? "#\(number) is a folder: each of its files has a hash" : "#\(number) has no hash yet")
                return
            }
            effects.append(.terminal(.copy(hash)))
            state.say("Copied the sha256 of #\(number), if the terminal allows it")
        case .openTransfer: Opening.openFile(of: group, &state, &effects)
        default: break
        }
    }

    private static func files(
        of group: TransferGroup, in state: AppState, where fits: (FileTransfer) -> Bool
    ) -> [FileTransfer] {
        state.world.transfers.files(of: group).filter(fits)
    }

    /// Pauses what runs, else resumes what is paused.
    private static func pauseOrResume(
        _ group: TransferGroup, _ state: inout AppState, _ effects: inout [AppEffect]
    ) {
        let active = files(of: group, in: state) { $0.state == .running || $0.state == .accepted }
        let paused = files(of: group, in: state) { $0.state == .paused }
        if active.isEmpty, paused.isEmpty {
            state.say("#\(group.number.rawValue) is \(Sentences.word(for: group.state)): nothing to pause or resume")
        }
        for file in active { effects.append(.run(.call(.pauseTransfer(file.number)))) }
        guard active.isEmpty else { return }
        for file in paused { effects.append(.run(.call(.resumeTransfer(file.number)))) }
    }

    // MARK: The rate

    private mutating func answerLimit(
        _ command: AppCommand, _ state: inout AppState, _ effects: inout [AppEffect]
    ) {
        guard command == .choose else {
            _ = limit?.perform(
                command, yanking: state.composer.killRing.newest, reordering: state.surface.settings.reorders)
            return
        }
        let word = limit?.text.trimmedBlanks ?? ""
        guard let group = state.world.transfers.group(of: selected), !word.isEmpty else {
            limit = nil
            return
        }
        let rate = Units.bytes(of: word)
        guard rate != nil || word.lowercased() == "off" else {
            state.say("\(SafeText(word, as: .name).text) is not a rate (500k, 2M, off)", isError: true)
            return
        }
        limit = nil
        let bytes = rate.flatMap { $0 > 0 ? $0 : nil }
        for file in Self.files(of: group, in: state, where: { !$0.state.isFinal }) {
            state.world.transfers.setLimit(bytes, of: file.number)
            effects.append(.run(.call(.setRateLimit(bytes, of: .transfer(file.number)))))
        }
    }
}

extension TransfersPane {
    func key(forOffer accepting: Bool) -> AppCommand? {
        guard limit == nil else { return nil }
        return accepting ? .acceptTransfer : .declineTransfer
    }

    static func toggle(_ state: inout AppState) {
        if case .transfers = state.place.overlay { state.place.closePane() } else { show("", &state) }
    }

    /// Shows the transfers that match `words`.
    static func show(_ words: String, _ state: inout AppState) {
        var pane = TransfersPane(filter: ListFilter(words))
        pane.selected = state.place.shownOffer?.number ?? pane.listed(in: state).first?.number
        state.show(.transfers(pane))
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
