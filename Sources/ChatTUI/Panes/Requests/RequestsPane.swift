// Alt-r: those who ask to become contacts. Opened by the user only.

import ChatCore
import ChatWords

/// The list of requests.
struct RequestsPane: Pane {
    /// The request under the cursor, by id, so that news cannot move the cursor to another one.
    var selected: Int64?
    var filter = ListFilter()

    var overlay: Overlay { .requests(self) }
    var keyContext: KeyContext { filter.isOpen ? .filter : .requests }

    /// The requests that match the filter.
    func listed(in state: AppState) -> [ContactRequest] {
        filter.narrowed(state.world.requests) { request in
            "\(request.id) \(request.name) \(request.origin) \(request.address?.host ?? "") \(request.peerID.text)"
        }
    }

    /// The cursor stays on a request that the filter leaves, else it goes to the first of them.
    mutating func selectListed(in state: AppState) {
        let listed = listed(in: state)
        if !listed.contains(where: { $0.id == selected }) { selected = listed.first?.id }
    }

    // MARK: Keys

    mutating func perform(_ command: AppCommand, _ state: inout AppState, _ effects: inout [AppEffect]) -> PaneStep {
        if filter.perform(command, yanking: state.composer.killRing.newest, reordering: state.surface.settings.reorders)
        {
            selectListed(in: state)
            return .stays
        }
        let requests = listed(in: state)
        let place = requests.firstIndex { $0.id == selected }
        let index = place ?? 0
        // When the selected request has gone, the cursor goes to the first one: a key that was meant for the old one
        // decides nothing there.
        let request = place.map { requests[$0] }
        func errand(_ make: (Int64) -> Errand) {
            guard let request else { return }
            effects.append(.run(make(request.id)))
        }
        var next = index
        switch command {
        case .up: next = max(index - 1, 0)
        case .down: next = min(index + 1, max(requests.count - 1, 0))
        case .choose:
            if let request {
                VerifyPane.show(of: .request(request), from: self, &state, &effects)
                return .left
            }
        case .acceptRequest: errand { .approve($0, name: nil) }
        case .refuseRequest: errand { .call(.rejectRequest($0)) }
        case .blockRequest: errand { .call(.blockRequest($0)) }
        case .closePane: return .closes
        default: break
        }
        selected = requests.indices.contains(next) ? requests[next].id : nil
        return .stays
    }

    mutating func type(_ text: String, _ state: inout AppState, _ effects: inout [AppEffect]) {
        if filter.type(text) { selectListed(in: state) }
    }

    mutating func stepBack(_ state: inout AppState) -> PaneStep { filter.stepBack() ? .stays : .closes }

    mutating func click(_ field: FieldTarget, column: Int) {
        filter.open(at: field.offset(in: filter.line, at: column))
    }

    func selectedLine(in state: AppState) -> Int? { listed(in: state).firstIndex { $0.id == selected } ?? 0 }

    // MARK: The picture

    func draw(_ state: AppState, _ layout: ScreenLayout, on canvas: inout Canvas) {
        RequestsScreen(state: state, pane: self, layout: layout).draw(on: &canvas)
    }

    func status(_ state: AppState, _ layout: ScreenLayout) -> SafeText? {
        SafeText(literal: "you see nothing they send until you accept")
    }

    // MARK: Line mode

    func spoken(_ state: AppState, after action: AppAction) -> [SafeText] {
        listed(in: state).flatMap { RequestSentences(state: state).lines(of: $0) }
    }
}

extension RequestsPane {
    /// A request is decided about; the pane closes with the last one.
    static func forget(_ id: Int64, _ state: inout AppState) {
        state.world.forget(request: id)
        guard state.world.requests.isEmpty, case .requests = state.place.overlay else { return }
        state.place.closePane()
        // The next key may still be meant for the list.
        state.place.lineQuestion.noteClosed(at: state.surface.moment.uptime)
    }

    /// Alt-r: the page of the only request, or the list of several.
    static func toggle(_ state: inout AppState, _ effects: inout [AppEffect]) {
        switch state.place.overlay {
        case .requests: state.place.closePane()
        case .verify(let pane) where pane.isOfRequest: state.place.closePane()
        default: show(&state, &effects)
        }
    }

    private static func show(_ state: inout AppState, _ effects: inout [AppEffect]) {
        if state.world.requests.isEmpty {
            state.say("No contact requests. /verify compares numbers with somebody you know")
        } else if state.world.requests.count == 1, let only = state.world.requests.first {
            VerifyPane.show(of: .request(only), &state, &effects)
        } else {
            state.show(.requests(RequestsPane(selected: state.world.requests.first?.id)))
        }
    }
}
