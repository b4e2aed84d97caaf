// Draws a list from which one line is chosen.

import ChatWords

/// The list of a ChoicePane.
struct ChoiceScreen {
    let state: AppState
    let pane: ChoicePane
    let layout: ScreenLayout

    /// Columns for the names of contacts in a list: the text after them needs the rest of a narrow window.
    static func nameWidth(of chats: some Sequence<Chat>, in layout: ScreenLayout) -> Int {
        let room = PickerScreen.lineWidth(in: layout)
        guard room < 50 else { return 23 }
        return min(chats.map(\.name.width).max() ?? 0, max(8, room / 2))
    }

    func draw(on canvas: inout Canvas) {
        let width = PickerScreen.lineWidth(in: layout)
        let lines = pane.choices(in: state).map { choice in
            var line = choice.line
            let room = max(4, width - line.width)
            line.add(choice.said.inDisplayOrder(width: room, reordering: state.surface.settings.reorders))
            return line
        }
        PickerScreen(title: pane.title, pane: pane.list, lines: lines, layout: layout, isWaiting: pane.isWaiting)
            .draw(on: &canvas)
    }
}
