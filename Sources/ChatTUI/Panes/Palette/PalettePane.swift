// Alt-x: everything that can be done, by name.

import ChatCore
import ChatWords

/// The palette of commands.
struct PalettePane: ListedPane {
    var list = ListPane()
    var overlay: Overlay { .palette(self) }

    private func items(in state: AppState) -> [CommandItem] {
        CommandItem.matching(list.filter.text, state.surface.keymap, for: .palette)
    }

    func count(in state: AppState) -> Int { items(in: state).count }

    func selectionOfNextGroup(in state: AppState) -> Int {
        CommandItem.nextGroup(after: list.selected, of: items(in: state))
    }

    mutating func choose(_ state: inout AppState, _ effects: inout [AppEffect]) -> PaneStep {
        CommandLists.run(list.selected, of: items(in: state), &state, &effects)
    }

    func draw(_ state: AppState, _ layout: ScreenLayout, on canvas: inout Canvas) {
        PickerScreen(title: "Commands", pane: list, lines: lines(state, layout), layout: layout).draw(on: &canvas)
    }

    /// Keys and commands in a column as wide as the longest that is seen, which leaves half of the row to what they do.
    private func lines(_ state: AppState, _ layout: ScreenLayout) -> [StyledLine] {
        let items = items(in: state)
        let shown = items[PickerScreen.visible(list, count: items.count, in: layout)]
        let longest = shown.map { SafeText($0.label, as: .line).width }.max() ?? 0
        let width = min(24, longest, PickerScreen.lineWidth(in: layout) / 2)
        return items.map { item in
            var line = StyledLine(SafeText(item.label, as: .line).padded(to: width), Theme.key)
            line.add(" " + (item.pane.map { "\($0): " } ?? "") + item.title)
            return line
        }
    }

    func status(_ state: AppState, _ layout: ScreenLayout) -> SafeText? {
        SafeText(literal: "commands: type to filter, Enter runs the line under the cursor")
    }

    func spoken(_ state: AppState, after action: AppAction) -> [SafeText] {
        items(in: state).map { line("\($0.label): \($0.title)") }
    }
}
