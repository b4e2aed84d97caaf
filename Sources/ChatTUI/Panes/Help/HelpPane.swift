// F1: everything that can be done here.

import ChatCore
import ChatWords

/// The help.
struct HelpPane: ListedPane {
    var list = ListPane()
    var overlay: Overlay { .help(self) }

    private func items(in state: AppState) -> [CommandItem] {
        CommandItem.matching(list.filter.text, state.surface.keymap, for: .help)
    }

    func count(in state: AppState) -> Int { items(in: state).count }

    /// The help has pages, other lists have not.
    func selection(turningPages step: Int, in state: AppState) -> Int {
        HelpScreen(pane: list, keymap: state.surface.keymap, layout: ScreenLayout(state)).selection(turningPages: step)
    }

    func selectionOfNextGroup(in state: AppState) -> Int {
        CommandItem.nextGroup(after: list.selected, of: items(in: state))
    }

    mutating func choose(_ state: inout AppState, _ effects: inout [AppEffect]) -> PaneStep {
        CommandLists.run(list.selected, of: items(in: state), &state, &effects)
    }

    func draw(_ state: AppState, _ layout: ScreenLayout, on canvas: inout Canvas) {
        HelpScreen(pane: list, keymap: state.surface.keymap, layout: layout).draw(on: &canvas)
    }

    func status(_ state: AppState, _ layout: ScreenLayout) -> SafeText? {
        SafeText(literal: "help: type to filter, Enter runs the line under the cursor")
    }

    func hint(_ usual: String, for command: AppCommand, in state: AppState) -> String? { usual }

    /// Line mode has no keys: the commands.
    func spoken(_ state: AppState, after action: AppAction) -> [SafeText] {
        let wanted = list.filter.text.lowercased()
        let commands = SlashCommands.offered.filter {
            wanted.isEmpty || $0.line.lowercased().contains(wanted) || $0.summary.lowercased().contains(wanted)
        }
        guard !commands.isEmpty else { return [line("No command matches that (/help lists them)")] }
        return commands.map { line("\($0.line): \($0.summary)") }
    }
}
