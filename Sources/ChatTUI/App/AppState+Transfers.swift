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

    mutating func press(
        _ key: Key, _ command: AppCommand?, in pane: inout TransfersPane, _ effects: inout [AppEffect]
    ) -> Bool {
        let list = transfers.sorted
        let index = list.firstIndex { $0.number == pane.selected } ?? 0
        let confirming = pane.confirmingCancel
        pane.confirmingCancel = nil
        pane.selected = list.indices.contains(index) ? list[index].number : nil
        func select(_ wanted: Int) {
            guard !list.isEmpty else { return }
            pane.selected = list[min(max(wanted, 0), list.count - 1)].number
        }
        switch (command, key.typedText) {
        case (.up, _), (.previousChat, _), (_, "k"): select(index - 1)
        case (.down, _), (.nextChat, _), (_, "j"): select(index + 1)
        case (_, "g"), (.lineStart, _): select(0)
        case (_, "G"), (.lineEnd, _): select(list.count - 1)
        case (_, "q"):
            overlay = nil
            return true
        case (_, let letter?):
            guard list.indices.contains(index) else { break }
            let isConfirmed = confirming == list[index].number
            if letter == "x", !isConfirmed, !list[index].state.isFinal { pane.confirmingCancel = list[index].number }
            if letter == "L", !list[index].state.isFinal, askForLimit(of: list[index].number) { return true }
            act(letter, on: list[index], isConfirmed: isConfirmed, &effects)
        default:
            if Self.passesThrough(command) {
                if command == .transfers {
                    overlay = nil
                    return true
                }
                return false
            }
        }
        overlay = .transfers(pane)
        return true
    }

    private mutating func act(
        _ letter: String, on transfer: FileTransfer, isConfirmed: Bool, _ effects: inout [AppEffect]
    ) {
        let number = transfer.number
        let isOffer = transfer.state == .offered && transfer.direction == .incoming
        switch letter {
        case "p":
            switch transfer.state {
            case .running, .accepted: effects.append(.run(.pause(number)))
            case .paused: effects.append(.run(.resume(number)))
            default: say("#\(number.rawValue) is \(Sentences.word(for: transfer.state)): nothing to pause or resume")
            }
        case "x":
            if transfer.state.isFinal {
                say("#\(number.rawValue) is \(Sentences.word(for: transfer.state)) already")
            } else if isConfirmed {
                effects.append(.run(.cancel(number)))
            } else {
                say("Cancel #\(number.rawValue) for good? x again cancels, any other key keeps it")
            }
        case "L" where transfer.state.isFinal:
            say("#\(number.rawValue) is \(Sentences.word(for: transfer.state)) already")
        case "a" where isOffer: effects.append(.run(.accept(number, folder: nil)))
        case "n" where isOffer: effects.append(.run(.decline(number)))
        case "a", "n": say("#\(number.rawValue) is not an offer to you")
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
