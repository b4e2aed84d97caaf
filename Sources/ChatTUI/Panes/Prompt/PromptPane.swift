// A question that is asked in the place of the input: words to find, a day to go to.

import ChatCore
import ChatWords

/// One field; Enter answers, Esc cancels.
struct PromptPane: Pane {
    enum Purpose: Sendable, Equatable {
        case find(older: Bool)
        case date
    }

    var purpose: Purpose
    var field = InputLine()

    init(purpose: Purpose) { self.purpose = purpose }

    /// Where /goto and `t` lead.
    static let days = "friday, 3 days ago, 20 Nov, 2026-11-20, first, last, unread, #ID"

    var label: String {
        switch purpose {
        case .find(older: true): "/"
        case .find(older: false): "?"
        case .date: "go to day: "
        }
    }

    var help: String {
        switch purpose {
        case .find(older: true): "find in this chat, upwards; empty: the last search again"
        case .find(older: false): "find in this chat, downwards; empty: the last search again"
        case .date: Self.days
        }
    }

    var overlay: Overlay { .prompt(self) }
    var keyContext: KeyContext { .prompt }

    // MARK: Keys

    mutating func perform(_ command: AppCommand, _ state: inout AppState, _ effects: inout [AppEffect]) -> PaneStep {
        switch command {
        case .choose: return answer(&state, &effects)
        case .clear: field.replace(with: "")
        default:
            _ = field.perform(
                command, yanking: state.composer.killRing.newest, reordering: state.surface.settings.reorders)
        }
        return .stays
    }

    private func answer(_ state: inout AppState, _ effects: inout [AppEffect]) -> PaneStep {
        let text = field.text
        if case .date = purpose, !text.isEmpty, LookCommands.place(named: text, state.surface) == nil {
            if StrayLines.returnsLine(in: text, &state, &effects) { return .left }
            state.say("\(SafeText(text, as: .name).text) is not a day (\(Self.days))", isError: true)
            return .stays
        }
        state.place.closePane()
        // The user has corrected the answer that was refused.
        state.place.dismissError()
        switch purpose {
        case .find(let older): BrowseSearch.find(text, towardsOlder: older, &state, &effects)
        case .date: if !text.isEmpty { LookCommands.goTo(text, &state, &effects) }
        }
        return .left
    }

    mutating func type(_ text: String, _ state: inout AppState, _ effects: inout [AppEffect]) { field.insert(text) }

    mutating func stepBack(_ state: inout AppState) -> PaneStep {
        // The error about the answer is over, too.
        state.place.dismissStatus()
        return .closes
    }

    mutating func click(_ target: FieldTarget, column: Int) { field.move(to: target.offset(in: field, at: column)) }

    // MARK: The picture

    func draw(_ state: AppState, _ layout: ScreenLayout, on canvas: inout Canvas) {
        PromptScreen(pane: self, layout: layout).draw(on: &canvas)
    }

    func status(_ state: AppState, _ layout: ScreenLayout) -> SafeText? { SafeText(help, as: .line) }
    var statusHints: [Hint] { [Hint("Enter", .choose)] }
    var hidesActivity: Bool { true }

    // MARK: Line mode

    func spoken(_ state: AppState, after action: AppAction) -> [SafeText] { [line(help)] }
}
