// The transfers pane: what is under its cursor, and what it is asking.

import ChatCore
import ChatWords

/// The state of the transfers pane.
struct TransfersPane: Pane {
    /// A transfer of the group under the cursor, so that news cannot move the cursor to another one.
    var selected: TransferNumber?
    var filter = ListFilter()
    /// x was pressed once on this transfer.
    var confirmingCancel: TransferNumber?
    /// Enter: everything about the selected one instead of the list.
    var showsDetails = false
    /// The first row of the details that is seen.
    var detailsTop = 0
    /// L: the rate that is being typed for the selected one.
    var limit: InputLine?

    var overlay: Overlay { .transfers(self) }
    var keyContext: KeyContext { limit != nil ? .prompt : filter.isOpen ? .filter : .transfers }

    // MARK: The list

    /// The transfers that match the filter.
    func listed(in state: AppState) -> [TransferGroup] {
        filter.narrowed(state.world.transfers.groups) { group in
            let direction = group.direction == .outgoing ? "to" : "from"
            return
                "#\(group.number.rawValue) \(direction) \(state.world.chat(group.contact)?.peer.name ?? "") \(group.name) "
                + Sentences.word(for: group.state)
        }
    }

    /// The place of the cursor among the `listed` ones: when the filter hides the selected one, the next one that it
    /// leaves, or the last.
    func placeOfCursor(in listed: [TransferGroup], of transfers: TransferList) -> Int {
        guard let group = transfers.group(of: selected) else { return 0 }
        if let place = listed.firstIndex(where: { $0.key == group.key }) { return place }
        return listed.firstIndex { group.stands(before: $0) } ?? max(0, listed.count - 1)
    }

    func selectedLine(in state: AppState) -> Int? { placeOfCursor(in: listed(in: state), of: state.world.transfers) }

    // MARK: The picture

    func draw(_ state: AppState, _ layout: ScreenLayout, on canvas: inout Canvas) {
        TransfersScreen(state: state, pane: self, layout: layout).draw(on: &canvas)
    }

    /// How many there are of each kind.
    func status(_ state: AppState, _ layout: ScreenLayout) -> SafeText? {
        let now = state.surface.moment.uptime
        let groups = Dictionary(grouping: state.world.transfers.groups) {
            state.world.transfers.shownState(of: $0, at: now)
        }
        let running = groups[.running] ?? []
        let up = running.count { $0.direction == .outgoing }
        let paused = groups[.paused]?.count ?? 0
        // An offer that has not left is queued, as its row says.
        let offers = groups[.offered] ?? []
        let waiting = offers.count { state.world.isBeforeOffering($0.lead) }
        let queued = (groups[.accepted]?.count ?? 0) + waiting
        let offered = offers.count - waiting
        var words = "transfers: ↑\(up) ↓\(running.count - up) paused \(paused) queued \(queued)"
        if offered > 0 { words += " offered \(offered)" }
        if !running.isEmpty { words += "       \(Units.rate(state.world.transfers.rate(at: now))) total" }
        return SafeText(words, as: .line)
    }

    /// About the transfer under the cursor: one that has ended cannot be paused, and only an offer can be accepted.
    func hint(_ usual: String, for command: AppCommand, in state: AppState) -> String? {
        guard limit == nil, !filter.isOpen else { return usual }
        guard let group = state.world.transfers.group(of: selected) else {
            return command == .filterList && filter.isShown ? usual : nil
        }
        switch command {
        case .acceptTransfer, .declineTransfer: return group.isOpenOffer ? usual : nil
        case .pauseOrResume:
            if group.count(.running) + group.count(.accepted) > 0 { return "pause" }
            return group.count(.paused) > 0 ? "resume" : nil
        case .cancelTransfer: return group.isOver ? nil : usual
        case .limitRate: return group.state.isFinal || group.isOpenOffer ? nil : usual
        case .openTransfer: return group.direction == .outgoing || group.count(.complete) > 0 ? usual : nil
        case .choose: return showsDetails ? "list" : usual
        case .filterList: return showsDetails ? nil : usual
        default: return usual
        }
    }

    // MARK: Line mode

    func spoken(_ state: AppState, after action: AppAction) -> [SafeText] {
        let groups = listed(in: state)
        guard !groups.isEmpty else { return [line(filter.isShown ? "No transfer matches" : "No transfers")] }
        return groups.map { group in
            let direction = group.direction == .outgoing ? "to" : "from"
            let words = TransferWords(state: state, group: group)
            var text = line("#\(group.number.rawValue) ") + SafeText(group.name, as: .fileName)
            if group.isFolder { text += line("/ (\(Units.files(Int(clamping: group.fileCount))))") }
            text += line(
                " \(direction) \(state.world.name(of: group.contact)): \(Sentences.word(for: words.shownState)), "
                    + "\(Units.size(group.transferred)) of \(Units.size(group.size))")
            if let rate = words.pace.progress?.rate {
                text += line(", \(Units.rate(rate))")
            }
            return text + line(group.reason.map { " (\($0.words))" } ?? "")
        }
    }
}
