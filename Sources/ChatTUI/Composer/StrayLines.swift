// Browse mode by accident: a line that is typed there goes into the input.

import ChatWords

/// A line that is typed in browse mode by accident.
enum StrayLines {
    /// A key while browse mode is on. `true`: it belonged to a line, which is in the input now.
    static func typesLine(_ key: Key, _ state: inout AppState, _ effects: inout [AppEffect]) -> Bool {
        guard state.place.browse != nil, state.composer.pendingKeys.isEmpty else { return false }
        guard let text = key.typedText else {
            if key == Key(.enter), state.place.overlay == nil, let run = state.place.browse?.typed,
                run.isLine(enteredAt: state.surface.moment.uptime)
            {
                returnToInput(with: run.text, &state, &effects)
                return true
            }
            // Enter in a field looks at what was typed there.
            if key != Key(.enter) || state.place.overlay == nil { state.place.browse?.typed.end() }
            return false
        }
        var isKnown = true
        if state.place.overlay?.pane.noticesStrayLines ?? true,
            case .nothing = state.surface.keymap.resolve([key], in: state.place.keyContext)
        {
            isKnown = false
        }
        state.place.browse?.typed.add(text, isKnown: isKnown, at: state.surface.moment.uptime)
        guard let run = state.place.browse?.typed, run.isLine else { return false }
        returnToInput(with: run.text, &state, &effects)
        return true
    }

    /// Puts into the input a line that was typed without a pause into a field that one of its letters has opened, and
    /// that has no use for it. `false` when there was none.
    static func returnsLine(in field: String, _ state: inout AppState, _ effects: inout [AppEffect]) -> Bool {
        guard let run = state.place.browse?.typed, run.isLine(filling: field, enteredAt: state.surface.moment.uptime)
        else {
            return false
        }
        returnToInput(with: run.text, &state, &effects)
        return true
    }

    private static func returnToInput(with text: String, _ state: inout AppState, _ effects: inout [AppEffect]) {
        state.place.closePane()
        state.place.dropConfirmation()
        // Some of the letters have moved the cursor.
        state.place.browse?.returnToStart()
        Browsing.stop(&state)
        Keys.type(text, &state, &effects)
        state.say("You were browsing: what you typed is here (\(state.surface.key(.back)) browses)")
    }
}
