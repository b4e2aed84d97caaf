// The mouse: the wheel, and clicks on what the picture offers that the user sees.

import ChatCore
import ChatWords

extension AppState {
    mutating func receive(_ mouse: MouseEvent, on picture: Picture, _ effects: inout [AppEffect]) {
        isFocused = true
        switch mouse.action {
        case .wheelUp: turnWheel(.up, at: mouse.point, of: picture, &effects)
        case .wheelDown: turnWheel(.down, at: mouse.point, of: picture, &effects)
        case .press where mouse.button == .left && mouse.modifiers.isEmpty:
            if let target = picture.target(at: mouse.point) {
                click(target, at: mouse.point, of: picture, &effects)
            } else if overlay != nil, !picture.isInOverlay(mouse.point) {
                performInOverlay(.back, &effects)
            }
        case .press, .release, .drag: break
        }
    }

    /// Rows that one step of the wheel moves a page by.
    private static let wheelRows = 3

    /// Moves what the pointer is over: the open list by a line, the list of chats or the history by some rows, the
    /// cursor in a draft of several lines by a line.
    private mutating func turnWheel(
        _ direction: AppCommand, at point: Point, of picture: Picture, _ effects: inout [AppEffect]
    ) {
        let layout = picture.layout
        let step = direction == .up ? -1 : 1
        if overlay != nil, picture.isInOverlay(point) {
            performInOverlay(direction, &effects)
        } else if let list = layout.list, list.contains(point) {
            listTop = MainScreen(state: self, layout: layout).firstListed(movedBy: step * Self.wheelRows)
        } else if layout.input.contains(point), layout.input.size.rows > 1, overlay == nil {
            _ = moveByRow(step)
        } else if browse != nil, overlay == nil {
            // Its keys act on the message under the cursor, which must be one that is seen.
            moveSelection(byRows: step * Self.wheelRows)
        } else {
            scroll(byRows: step * Self.wheelRows)
        }
    }

    private mutating func click(
        _ target: HitTarget, at point: Point, of picture: Picture, _ effects: inout [AppEffect]
    ) {
        pendingKeys = []
        switch target {
        case .command(let command): give(command, from: context(of: command), &effects)
        case .chat(let id): open(id, &effects)
        case .line(let index): clickLine(index, &effects)
        case .candidate(let index): takeCandidate(index)
        case .slash(let line): runBound(line, &effects)
        case .example(let words): typeExample(words, &effects)
        case .typed(let line): typeHint(line)
        case .field(let field): clickField(field, at: point)
        // Beside an open overlay a click closes it, as Esc does.
        case .input, .message:
            if overlay != nil { return performInOverlay(.back, &effects) }
            clickMain(target, at: point, of: picture, &effects)
        case .action(let action, let id): if let message = shownMessage(id) { perform(action, on: message, &effects) }
        case .choose(let id): if let message = shownMessage(id) { actOn(message, &effects) }
        case .nothing, .key: break
        }
    }

    private mutating func clickMain(
        _ target: HitTarget, at point: Point, of picture: Picture, _ effects: inout [AppEffect]
    ) {
        if case .message(let key) = target, let message = shownMessage(key) {
            if browse?.selected.key == key { perform(.messageInfo, &effects) } else { browse(at: message) }
        } else {
            placeCursor(at: picture.draftOffset(at: point))
        }
    }

    /// A command in a sentence: the user sees it in the input before anything happens.
    mutating func typeHint(_ line: String) {
        var line = line
        if case .unknown(_, let suggestion) = SlashLine.parse(input.text, aliases: settings.aliases) {
            // A line that cannot be run is in nobody's way; of a mistyped command the rest is meant.
            if suggestion.map({ line.trimmedBlanks == "/\($0)" }) ?? false {
                line = line.trimmedBlanks + input.text.drop { !$0.isWhitespace }
            }
            killRing.add(input.text)
            status = nil
        } else if !input.isEmpty {
            return say("Your line is in the way of \(line)")
        }
        overlay = nil
        stopBrowsing()
        input = InputLine(line)
        draftChanged()
    }

    /// A line of the page about the search's syntax: the hits are back, with one more condition.
    private mutating func typeExample(_ words: String, _ effects: inout [AppEffect]) {
        var blank = ""
        if case .search(var pane) = overlay {
            pane.showsSyntax = false
            if let last = pane.query.textBeforeCursor.last, !last.isWhitespace { blank = " " }
            overlay = .search(pane)
        }
        // Of a filter without a value the value is typed next.
        typeIntoOverlay(blank + words + (words.hasSuffix(":") ? "" : " "), &effects)
    }

    /// A click into a field: what is typed goes there from now on.
    private mutating func clickField(_ field: FieldTarget, at point: Point) {
        func placed(_ line: inout InputLine) { line.move(to: field.offset(in: line, at: point.column)) }
        switch overlay {
        case .help(var pane), .palette(var pane), .goTo(var pane), .typed(var pane):
            placed(&pane.filter)
            replace(pane)
        case .choice(var pane):
            placed(&pane.list.filter)
            overlay = .choice(pane)
        case .search(var pane):
            placed(&pane.query)
            overlay = .search(pane)
        case .files(var picker):
            placed(&picker.filter)
            overlay = .files(picker)
        case .prompt(var pane):
            placed(&pane.field)
            overlay = .prompt(pane)
        case .transfers(var pane):
            if field.name == .rate, var line = pane.limit {
                placed(&line)
                pane.limit = line
            } else if field.name == .filter {
                pane.limit = nil
                pane.filter.open(at: field.offset(in: pane.filter.line, at: point.column))
            }
            overlay = .transfers(pane)
        case .requests(var pane):
            pane.filter.open(at: field.offset(in: pane.filter.line, at: point.column))
            overlay = .requests(pane)
        case .reader(var pane):
            pane.filter.open(at: field.offset(in: pane.filter.line, at: point.column))
            overlay = .reader(pane)
        case .verify, .qr, nil: break
        }
    }

    private func shownMessage(_ id: MessageKey) -> ChatMessage? {
        guard let window = openChat?.window, let index = window.index(of: .message(id)) else { return nil }
        return window.items[index].message
    }

    /// A click into the draft.
    private mutating func placeCursor(at offset: Int) {
        stopBrowsing()
        completion = nil
        lastKill = nil
        input.move(to: offset)
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
        case .transfers(let pane): placeOfCursor(pane, in: listedTransfers(pane))
        case .requests(let pane): listedRequests(pane).firstIndex { $0.id == pane.selected } ?? 0
        default: nil
        }
    }

    /// Alt-m: without the mouse the terminal's own selection works as in every other program.
    mutating func toggleMouse(_ effects: inout [AppEffect]) {
        guard terminal.mouse else { return say("No mouse in this terminal") }
        settings.mouse.toggle()
        effects.append(.terminal(.mouse(settings.mouse)))
        let key = key(.toggleMouse)
        say(settings.mouse ? "mouse on (\(key): off, to select text)" : "mouse off (\(key): on)")
    }
}
