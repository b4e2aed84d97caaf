// Keys that edit the input line: kills and yanks, rows, entered lines, the editor.

import ChatCore
import ChatWords

/// Keys that edit the input line.
enum Editing {
    /// Editing commands on the input line. `false` when `command` is none.
    static func edit(_ command: AppCommand, _ state: inout AppState, _ effects: inout [AppEffect]) -> Bool {
        if command == .deleteBackward, state.surface.settings.editMode == .vi, state.composer.vi.replacement != nil {
            state.composer.vi.replacement?.takeBack(in: &state.composer.input)
            Drafts.changed(&state, &effects)
            return true
        }
        // Not the text: to put it together takes its time with a megabyte.
        let before = state.composer.input.characters
        switch state.composer.input.perform(
            command, yanking: state.composer.killRing.newest, reordering: state.surface.settings.reorders)
        {
        case .ignored: return false
        case .done: state.composer.endKill()
        case .killed(let text, let direction):
            state.composer.kill(text, direction)
        }
        if state.composer.input.characters != before {
            state.composer.leaveHistory()
            Drafts.changed(&state, &effects)
        }
        return true
    }

    /// Up: the row above, else the entered line before.
    static func up(_ state: inout AppState, _ effects: inout [AppEffect]) {
        if state.surface.settings.upEditsLast, state.composer.input.isEmpty, editLast(&state, &effects) { return }
        if moveByRow(-1, &state) { return }
        if let line = state.composer.history.older(than: state.composer.input.text) {
            state.composer.input.replace(with: line)
            Drafts.changed(&state)
        }
    }

    static func down(_ state: inout AppState) {
        if moveByRow(1, &state) { return }
        if let line = state.composer.history.newer() {
            state.composer.input.replace(with: line)
            Drafts.changed(&state)
        }
    }

    /// Ctrl-c: the text goes to the kill ring.
    static func clear(_ state: inout AppState, _ effects: inout [AppEffect]) {
        guard !state.composer.input.isEmpty else {
            state.say("\(state.surface.key(.quit)) quits")
            return
        }
        state.composer.killRing.add(state.composer.input.text)
        state.composer.input.replace(with: "")
        // The status about the line no longer applies.
        state.place.dismissStatus()
        state.composer.history.leave()
        Drafts.changed(&state, &effects)
        state.say("Cleared; \(state.surface.key(.yank)) brings it back")
    }

    // MARK: The rows of the draft

    /// Moves the cursor to the row above or below, whether the user has ended it or the screen; `false` on the last one.
    static func moveByRow(_ step: Int, _ state: inout AppState) -> Bool {
        // More of it than the screen has room for.
        let box = InputBox(
            state.composer.input, width: state.surface.size.columns - ScreenLayout(state).promptWidth,
            maxRows: .max / 4,
            reordering: state.surface.settings.reorders)
        let row = box.cursor.row + step
        guard box.rows.indices.contains(row) else {
            // The text may continue beyond what is laid out.
            return step < 0 ? state.composer.input.moveLineUp() : state.composer.input.moveLineDown()
        }
        state.composer.input.move(to: box.offset(at: Point(column: box.cursor.column, row: row)))
        return true
    }

    // MARK: Earlier lines

    /// An entered line, for Up and Ctrl-r, also in the next runs.
    static func remember(_ line: String, _ state: inout AppState, _ effects: inout [AppEffect]) {
        state.composer.history.limit(to: state.surface.settings.historyCount)
        if state.composer.history.add(line) { effects.append(.keepLine(line)) }
    }

    /// Up on an empty line with `up_edits_last`: the last own text is edited. `false` when there is none.
    static func editLast(_ state: inout AppState, _ effects: inout [AppEffect]) -> Bool {
        let last = state.openChat?.window.items.lazy.reversed().compactMap(\.message).first {
            $0.direction == .outgoing && !$0.isRetracted
        }
        guard let last, case .text = last.content else { return false }
        MessageActions.perform(.edit(nil), on: last, &state, &effects)
        return true
    }

    // MARK: The editor

    static func openEditor(_ state: inout AppState, _ effects: inout [AppEffect]) {
        Drafts.stopTyping(&state.due, &effects)
        effects.append(.edit(state.composer.input.text))
    }

    /// The user has left the editor.
    static func receive(_ outcome: EditorOutcome, _ state: inout AppState) {
        switch outcome {
        case .text(let text):
            guard text != state.composer.input.text else { return }
            state.composer.history.leave()
            state.composer.input.replace(with: text)
            Drafts.changed(&state)
        case .failed(let words): state.say(words, isError: true)
        }
    }
}

extension Key {
    /// The text that the key types after Ctrl-v; `nil` for keys that are no characters.
    var literalText: String? {
        switch code {
        case .character(let text):
            guard modifiers.contains(.control), let scalar = text.unicodeScalars.first, scalar.isASCII else {
                return text
            }
            return String(UnicodeScalar(UInt8(scalar.value & 0x1F)))
        case .enter: return "\n"
        case .tab: return "\t"
        case .escape: return "\u{1B}"
        default: return nil
        }
    }
}
