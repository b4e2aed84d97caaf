// vi's keys in the input.

import ChatCore
import ChatWords

enum ViKeys {
    /// A key of vi's modes. `false` when it means what it means without them.
    static func press(_ key: Key, _ state: inout AppState, _ effects: inout [AppEffect]) -> Bool {
        guard state.surface.settings.editMode == .vi, state.place.keyContext == .main,
            state.composer.pendingKeys.isEmpty
        else { return false }
        if key == Key(.escape) {
            guard state.composer.completion == nil else { return false }
            return state.composer.vi.escape(&state.composer.input)
        }
        guard state.composer.vi.isNormal else { return false }
        let isEnter = key == Key(.enter)
        let typed = isEnter && state.composer.vi.awaitsReplacement ? "\n" : key.typedText
        guard let text = typed, let character = text.first else {
            // Enter ends a half-typed command; it does not send besides.
            defer { state.composer.vi.forget() }
            return isEnter && state.composer.vi.isPending
        }
        let before = state.composer.input.characters
        state.composer.endKill()
        switch state.composer.vi.press(character, &state.composer.input, register: state.composer.killRing.newest) {
        case .nothing: break
        case .taken(let text): state.composer.killRing.add(text)
        case .older:
            Editing.up(&state, &effects)
            return true
        case .newer:
            Editing.down(&state)
            return true
        }
        if state.composer.input.characters != before {
            state.composer.leaveHistory()
            Drafts.changed(&state, &effects)
        }
        return true
    }

    /// Tells the terminal the shape of the cursor when it has to be another one.
    static func settleCursor(_ state: inout AppState, _ effects: inout [AppEffect]) {
        let wanted: TerminalCommand.CursorShape =
            state.surface.settings.editMode == .vi
            ? (state.isViNormal && state.place.overlay == nil ? .block : .bar) : .standard
        if state.surface.shapeCursor(wanted) { effects.append(.terminal(.cursorShape(wanted))) }
    }
}
