// Browse mode by accident: a line that is typed there goes into the input.

import ChatWords

extension AppState {
    /// A key while browse mode is on. `true`: it belonged to a line, which is in the input now.
    mutating func typesLine(_ key: Key, _ effects: inout [AppEffect]) -> Bool {
        guard browse != nil, pendingKeys.isEmpty else { return false }
        guard let text = key.typedText else {
            if key == Key(.enter), overlay == nil, let run = browse?.typed, run.isLine(enteredAt: moment.uptime) {
                returnToInput(with: run.text, &effects)
                return true
            }
            // Enter in a field looks at what was typed there.
            if key != Key(.enter) || overlay == nil { browse?.typed.end() }
            return false
        }
        var isKnown = true
        switch overlay {
        case nil, .reader?:
            if case .nothing = keymap.resolve([key], in: keyContext) { isKnown = false }
            if case .reader(let pane)? = overlay, pane.filter.isOpen { isKnown = true }
        default: break
        }
        browse?.typed.add(text, isKnown: isKnown, at: moment.uptime)
        guard let run = browse?.typed, run.isLine else { return false }
        returnToInput(with: run.text, &effects)
        return true
    }

    /// What was typed without a pause into a field that one of its letters has opened, and that has no use for it. `false`
    /// when it was not.
    mutating func returnsLine(in field: String, _ effects: inout [AppEffect]) -> Bool {
        guard let run = browse?.typed, run.isLine(filling: field, enteredAt: moment.uptime) else { return false }
        returnToInput(with: run.text, &effects)
        return true
    }

    private mutating func returnToInput(with text: String, _ effects: inout [AppEffect]) {
        overlay = nil
        confirmation = nil
        // Some of the letters have moved the cursor.
        if let start = browse?.cameFromBottom { browse?.selected = start }
        stopBrowsing()
        type(text, &effects)
        say("You were browsing: what you typed is here (\(key(.back)) browses)")
    }
}
