// The mouse: the wheel, and clicks on what the picture offers.

import ChatCore

extension AppState {
    mutating func receive(_ mouse: MouseEvent, _ effects: inout [AppEffect]) {
        isFocused = true
        switch mouse.action {
        case .wheelUp: turnWheel(.up, &effects)
        case .wheelDown: turnWheel(.down, &effects)
        case .press where mouse.button == .left && mouse.modifiers.isEmpty:
            // The user clicks on what is shown: the picture of this state.
            if let target = view(self, size: size).target(at: mouse.point) { click(target, &effects) }
        case .press, .release, .drag: break
        }
    }

    /// Three rows of the history, or one line of the open list.
    private mutating func turnWheel(_ direction: AppCommand, _ effects: inout [AppEffect]) {
        if overlay == nil {
            scroll(byRows: direction == .up ? -3 : 3)
        } else {
            performInOverlay(direction, &effects)
        }
    }

    private mutating func click(_ target: HitTarget, _ effects: inout [AppEffect]) {
        pendingKeys = []
        switch target {
        case .command(let command): give(command, from: context(of: command), &effects)
        case .chat(let id): open(id, &effects)
        case .line(let index): clickLine(index, &effects)
        case .nothing: break
        }
    }

    /// Where the key of a command would be looked up here: in the open pane first.
    private func context(of command: AppCommand) -> KeyContext {
        keyContext.chain.first { context in
            keymap.bindings.contains { $0.command == command && $0.context == context }
        } ?? .anywhere
    }

    private mutating func clickLine(_ index: Int, _ effects: inout [AppEffect]) {
        guard let selected = selectedLine else { return }
        if index == selected {
            performInOverlay(.choose, &effects)
            return
        }
        for _ in 0..<abs(index - selected) { performInOverlay(index > selected ? .down : .up, &effects) }
    }

    /// The line under the cursor of the open list.
    private var selectedLine: Int? {
        switch overlay {
        case .help(let pane), .palette(let pane), .goTo(let pane), .typed(let pane): pane.selected
        case .choice(let pane): pane.list.selected
        case .files(let picker): picker.selected
        case .search(let pane): pane.selected
        case .transfers(let pane): listedTransfers(pane).firstIndex { $0.number == pane.selected } ?? 0
        case .requests(let pane): listedRequests(pane).firstIndex { $0.id == pane.selected } ?? 0
        default: nil
        }
    }

    /// Alt-m: without the mouse the terminal's own selection works as in every other program.
    mutating func toggleMouse(_ effects: inout [AppEffect]) {
        settings.mouse.toggle()
        effects.append(.terminal(.mouse(settings.mouse)))
        say(settings.mouse ? "mouse on (Alt-m: off, to select text)" : "mouse off (Alt-m: on)")
    }
}
