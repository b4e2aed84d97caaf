// Draws a list from which one line is chosen.

import ChatWords

/// The list of a ChoicePane.
struct ChoiceScreen {
    let state: AppState
    let pane: ChoicePane
    let layout: ScreenLayout

    /// Columns for the names of contacts in a list: what is said behind them needs the rest of a narrow window.
    static func nameWidth(of chats: some Sequence<Chat>, in layout: ScreenLayout) -> Int {
        let room = PickerScreen.lineWidth(in: layout)
        guard room < 50 else { return 23 }
        return min(chats.map(\.name.width).max() ?? 0, max(8, room / 2))
    }

    func draw(on canvas: inout Canvas) {
        let width = PickerScreen.lineWidth(in: layout)
        let lines = state.choices(of: pane).map { choice in
            var line = choice.line
            let room = max(4, width - line.width)
            line.add(choice.said.inDisplayOrder(width: room, reordering: state.settings.reorders))
            return line
        }
        PickerScreen(title: pane.title, pane: pane.list, lines: lines, layout: layout, isWaiting: pane.isWaiting)
            .draw(on: &canvas)
    }
}

/// The field of a PromptPane, in the place of the input.
struct PromptScreen {
    let pane: PromptPane
    let layout: ScreenLayout

    func draw(on canvas: inout Canvas) {
        guard !layout.input.isEmpty else { return }
        canvas.fill(layout.input)
        canvas.addTarget(layout.input, .nothing)
        canvas.drawField(pane.field, after: pane.label, at: layout.input.origin, width: layout.input.size.columns)
    }
}
