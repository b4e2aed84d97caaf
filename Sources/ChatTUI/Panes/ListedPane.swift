// Panes in which every letter goes into a filter above a list: help, palette, go to, typed lines, choices.

/// A filter line and a selection in a list that is computed from state.
struct ListPane: Sendable, Equatable {
    var filter = InputLine()
    var selected = 0

    init(filter: String = "") { self.filter = InputLine(filter) }

    /// Characters for the filter; the best match is under the cursor then.
    mutating func type(_ text: String) {
        filter.insert(text)
        selected = 0
    }

    mutating func move(by step: Int, count: Int) {
        selected = count == 0 ? 0 : min(max(selected + step, 0), count - 1)
    }
}

/// A pane that is such a list: only what is in it and what Enter does are its own.
protocol ListedPane: Pane {
    var list: ListPane { get set }
    /// The lines that the filter leaves.
    func count(in state: AppState) -> Int
    /// Enter.
    mutating func choose(_ state: inout AppState, _ effects: inout [AppEffect]) -> PaneStep
    /// What Enter does, for the hint line; `nil`: what it is called everywhere.
    var chooseWords: String? { get }
    /// A `/` at the beginning is typed by habit, where every letter is for the filter already.
    var ignoresSlash: Bool { get }
    /// The line under the cursor after PgUp (-1) or PgDn (1).
    func selection(turningPages step: Int, in state: AppState) -> Int
    /// The line under the cursor after Tab.
    func selectionOfNextGroup(in state: AppState) -> Int
}

extension ListedPane {
    var keyContext: KeyContext { .list }
    var chooseWords: String? { nil }
    var ignoresSlash: Bool { false }

    func selection(turningPages step: Int, in state: AppState) -> Int {
        var list = list
        list.move(by: 10 * step, count: count(in: state))
        return list.selected
    }

    /// Without groups: the next line.
    func selectionOfNextGroup(in state: AppState) -> Int {
        let count = count(in: state)
        return count == 0 ? 0 : (list.selected + 1) % count
    }

    mutating func perform(_ command: AppCommand, _ state: inout AppState, _ effects: inout [AppEffect]) -> PaneStep {
        switch command {
        case .up: list.move(by: -1, count: count(in: state))
        case .down: list.move(by: 1, count: count(in: state))
        case .pageUp: list.selected = selection(turningPages: -1, in: state)
        case .pageDown: list.selected = selection(turningPages: 1, in: state)
        case .nextGroup: list.selected = selectionOfNextGroup(in: state)
        case .choose: return choose(&state, &effects)
        case .clear: list = ListPane()
        default:
            let outcome = list.filter.perform(
                command, yanking: state.composer.killRing.newest, reordering: state.surface.settings.reorders)
            if outcome != .ignored { list.selected = 0 }
        }
        return .stays
    }

    mutating func type(_ text: String, _ state: inout AppState, _ effects: inout [AppEffect]) {
        if ignoresSlash, list.filter.isEmpty, text == "/" { return }
        list.type(text)
    }

    mutating func click(_ field: FieldTarget, column: Int) {
        list.filter.move(to: field.offset(in: list.filter, at: column))
    }

    func selectedLine(in state: AppState) -> Int? { list.selected }
    var statusHints: [Hint] { [Hint("Enter", .choose)] }
    var hidesActivity: Bool { true }

    func hint(_ usual: String, for command: AppCommand, in state: AppState) -> String? {
        switch command {
        // Only the help shows its groups.
        case .nextGroup: nil
        case .choose: chooseWords ?? usual
        default: usual
        }
    }
}
