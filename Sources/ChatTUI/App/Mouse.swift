// The mouse: the wheel, and clicks on what the picture offers that the user sees.

import ChatCore
import ChatWords

/// The wheel and clicks.
enum Mouse {
    static func receive(_ mouse: MouseEvent, on picture: Picture, _ state: inout AppState, _ effects: inout [AppEffect])
    {
        state.surface.noteFocus()
        switch mouse.action {
        case .wheelUp: turnWheel(.up, at: mouse.point, of: picture, &state, &effects)
        case .wheelDown: turnWheel(.down, at: mouse.point, of: picture, &state, &effects)
        case .press where mouse.button == .left && mouse.modifiers.isEmpty:
            if let target = picture.target(at: mouse.point) {
                click(target, at: mouse.point, of: picture, &state, &effects)
            } else if state.place.overlay != nil, !picture.isInOverlay(mouse.point) {
                state.performInOverlay(.back, &effects)
            }
        case .press, .release, .drag: break
        }
    }

    /// Rows that one step of the wheel moves a page by.
    private static let wheelRows = 3

    /// Moves what the pointer is over: the open list by a line, the list of chats or the history by some rows, the
    /// cursor in a draft of several lines by a line.
    private static func turnWheel(
        _ direction: AppCommand, at point: Point, of picture: Picture, _ state: inout AppState,
        _ effects: inout [AppEffect]
    ) {
        let layout = picture.layout
        let step = direction == .up ? -1 : 1
        if state.place.overlay != nil, picture.isInOverlay(point) {
            state.performInOverlay(direction, &effects)
        } else if let list = layout.list, list.contains(point) {
            let screen = MainScreen(state: state, layout: layout)
            state.place.scrollList(to: screen.firstListed(movedBy: step * Self.wheelRows))
        } else if layout.input.contains(point), layout.input.size.rows > 1, state.place.overlay == nil {
            _ = Editing.moveByRow(step, &state)
        } else if state.place.browse != nil, state.place.overlay == nil {
            // Its keys act on the message under the cursor, which must be one that is seen.
            Browsing.moveSelection(byRows: step * Self.wheelRows, &state)
        } else {
            Scrolling.scroll(byRows: step * Self.wheelRows, &state)
        }
    }

    private static func click(
        _ target: HitTarget, at point: Point, of picture: Picture, _ state: inout AppState, _ effects: inout [AppEffect]
    ) {
        state.composer.dropSequence()
        switch target {
        case .command(let command): Keys.give(command, from: context(of: command, state), &state, &effects)
        case .chat(let id): ChatSwitching.open(id, &state, &effects)
        case .line(let index): clickLine(index, &state, &effects)
        case .candidate(let index): Completing.takeCandidate(index, &state)
        case .slash(let line): Keys.runBound(line, &state, &effects)
        case .example(let words): SearchPane.typeExample(words, &state, &effects)
        case .typed(let line): typeHint(line, &state)
        case .field(let field): state.place.clickField(field, at: point)
        // Beside an open overlay a click closes it, as Esc does.
        case .input, .message:
            if state.place.overlay != nil { return state.performInOverlay(.back, &effects) }
            clickMain(target, at: point, of: picture, &state, &effects)
        case .action(let action, let id):
            if let message = shownMessage(id, state) { MessageActions.perform(action, on: message, &state, &effects) }
        case .choose(let id): if let message = shownMessage(id, state) { Opening.actOn(message, &state, &effects) }
        case .nothing, .key: break
        }
    }

    private static func clickMain(
        _ target: HitTarget, at point: Point, of picture: Picture, _ state: inout AppState, _ effects: inout [AppEffect]
    ) {
        if case .message(let key) = target, let message = shownMessage(key, state) {
            if state.place.browse?.selected.key == key {
                MainCommands.perform(.messageInfo, &state, &effects)
            } else {
                Browsing.browse(at: message, &state)
            }
        } else {
            placeCursor(at: picture.draftOffset(at: point), &state)
        }
    }

    /// A command in a sentence: the user sees it in the input before anything happens.
    static func typeHint(_ line: String, _ state: inout AppState) {
        var line = line
        if case .unknown(_, let suggestion) = SlashLine.parse(
            state.composer.input.text, aliases: state.surface.settings.aliases)
        {
            // A line that cannot be run is in nobody's way; of a mistyped command the rest is meant.
            if suggestion.map({ line.trimmedBlanks == "/\($0)" }) ?? false {
                line = line.trimmedBlanks + state.composer.input.text.drop { !$0.isWhitespace }
            }
            state.composer.killRing.add(state.composer.input.text)
            state.place.dismissStatus()
        } else if !state.composer.input.isEmpty {
            return state.say("Your line is in the way of \(line)")
        }
        state.place.closePane()
        Browsing.stop(&state)
        state.composer.write(InputLine(line))
        Drafts.changed(&state)
    }

    private static func shownMessage(_ id: MessageKey, _ state: AppState) -> ChatMessage? {
        guard let window = state.openChat?.window, let index = window.index(of: .message(id)) else { return nil }
        return window.items[index].message
    }

    /// A click into the draft.
    private static func placeCursor(at offset: Int, _ state: inout AppState) {
        Browsing.stop(&state)
        state.composer.turnAway()
        state.composer.input.move(to: offset)
    }

    /// Where the screen would look up the key of a command here: in the open pane first.
    private static func context(of command: AppCommand, _ state: AppState) -> KeyContext {
        state.place.keyContext.chain.first { context in
            state.surface.keymap.bindings.contains { $0.command == command && $0.context == context }
        } ?? .anywhere
    }

    private static func clickLine(_ index: Int, _ state: inout AppState, _ effects: inout [AppEffect]) {
        guard let selected = state.place.overlay?.pane.selectedLine(in: state) else { return }
        if index == selected {
            state.performInOverlay(.choose, &effects)
            return
        }
        for _ in 0..<abs(index - selected) { state.performInOverlay(index > selected ? .down : .up, &effects) }
    }

    /// Alt-m: without the mouse the terminal's own selection works as in every other program.
    static func toggleMouse(_ state: inout AppState, _ effects: inout [AppEffect]) {
        guard state.surface.terminal.mouse else { return state.say("No mouse in this terminal") }
        state.surface.toggleMouse()
        effects.append(.terminal(.mouse(state.surface.settings.mouse)))
        let key = state.surface.key(.toggleMouse)
        state.say(state.surface.settings.mouse ? "mouse on (\(key): off, to select text)" : "mouse off (\(key): on)")
    }
}
