// Ctrl-r: the lines that were typed before.

import ChatCore
import ChatWords

/// The lines that the user typed, newest first.
struct TypedPane: ListedPane {
    var list = ListPane()
    var overlay: Overlay { .typed(self) }
    var keyContext: KeyContext { .typed }
    var chooseWords: String? { "use the line" }

    private func matches(in state: AppState) -> [String] { state.composer.history.matches(list.filter.text) }

    func count(in state: AppState) -> Int { matches(in: state).count }

    /// The line is in the input, the one before can be undone.
    mutating func choose(_ state: inout AppState, _ effects: inout [AppEffect]) -> PaneStep {
        let lines = matches(in: state)
        guard lines.indices.contains(list.selected) else { return .stays }
        state.composer.history.leave()
        state.composer.input.replace(with: lines[list.selected])
        Drafts.changed(&state)
        return .closes
    }

    func draw(_ state: AppState, _ layout: ScreenLayout, on canvas: inout Canvas) {
        let lines = matches(in: state).map { StyledLine(SafeText($0, as: .line)) }
        PickerScreen(title: "What I typed", pane: list, lines: lines, layout: layout).draw(on: &canvas)
    }

    func status(_ state: AppState, _ layout: ScreenLayout) -> SafeText? {
        SafeText(literal: "search what you typed: Enter brings the line back without sending it")
    }

    func spoken(_ state: AppState, after action: AppAction) -> [SafeText] { matches(in: state).map(line) }
}

extension TypedPane {
    /// Ctrl-r
    static func show(_ state: inout AppState) {
        guard !state.composer.history.lines.isEmpty else {
            state.say("You have typed nothing yet")
            return
        }
        state.show(.typed(TypedPane()))
    }
}
