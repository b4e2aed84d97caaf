// The transfers pane and what its keys do to the transfer under the cursor.

import ChatCore

extension AppState {
    mutating func toggleTransfers() {
        if case .transfers = overlay {
            overlay = nil
        } else {
            show(.transfers(TransfersPane(selected: shownOffer?.number ?? transfers.sorted.first?.number)))
        }
    }

    mutating func perform(_ command: AppCommand, in pane: inout TransfersPane, _ effects: inout [AppEffect]) {
        let list = transfers.sorted
        let index = list.firstIndex { $0.number == pane.selected } ?? 0
        let confirming = pane.confirmingCancel
        pane.confirmingCancel = nil
        pane.selected = list.indices.contains(index) ? list[index].number : nil
        func select(_ wanted: Int) {
            guard !list.isEmpty else { return }
            pane.selected = list[min(max(wanted, 0), list.count - 1)].number
        }
        switch command {
        case .up: select(index - 1)
        case .down: select(index + 1)
        case .top: select(0)
        case .bottom: select(list.count - 1)
        case .closePane:
            overlay = nil
            return
        default:
            guard list.indices.contains(index) else { break }
            let isConfirmed = confirming == list[index].number
            let isFinal = list[index].state.isFinal
            if command == .cancelTransfer, !isConfirmed, !isFinal { pane.confirmingCancel = list[index].number }
            if command == .limitRate, !isFinal, askForLimit(of: list[index].number) { return }
            act(command, on: list[index], isConfirmed: isConfirmed, &effects)
        }
        overlay = .transfers(pane)
    }

    private mutating func act(
        _ command: AppCommand, on transfer: FileTransfer, isConfirmed: Bool, _ effects: inout [AppEffect]
    ) {
        let number = transfer.number
        let isOffer = transfer.state == .offered && transfer.direction == .incoming
        switch command {
        case .pauseOrResume:
            switch transfer.state {
            case .running, .accepted: effects.append(.run(.pause(number)))
            case .paused: effects.append(.run(.resume(number)))
            default: say("#\(number.rawValue) is \(Sentences.word(for: transfer.state)): nothing to pause or resume")
            }
        case .cancelTransfer:
            if transfer.state.isFinal {
                say("#\(number.rawValue) is \(Sentences.word(for: transfer.state)) already")
            } else if isConfirmed {
                effects.append(.run(.cancel(number)))
            } else {
                say("Cancel #\(number.rawValue) for good? x again cancels, any other key keeps it")
            }
        case .limitRate where transfer.state.isFinal:
            say("#\(number.rawValue) is \(Sentences.word(for: transfer.state)) already")
        case .acceptTransfer where isOffer: effects.append(.run(.accept(number, folder: nil)))
        case .declineTransfer where isOffer: effects.append(.run(.decline(number)))
        case .acceptTransfer, .declineTransfer: say("#\(number.rawValue) is not an offer to you")
        default: break
        }
    }

    /// Closes the pane with the command in the input line, for the rate to be typed; a line that is half typed is kept.
    private mutating func askForLimit(of number: TransferNumber) -> Bool {
        guard input.isEmpty else {
            say("Type /limit \(number.rawValue) RATE (the line that you are writing is in the way)")
            return false
        }
        input = InputLine("/limit \(number.rawValue) ")
        overlay = nil
        return true
    }
}
