// Brings the screen up to date when the settings have changed.

import ChatCore
import ChatWords

/// The changes to the screen when the settings change.
enum SettingsChange {
    /// The settings have changed.
    static func adopt(
        _ reply: SettingsReply, to request: SettingsRequest? = nil, _ state: inout AppState,
        _ effects: inout [AppEffect]
    ) {
        if reply.asks { state.place.confirming = request.map(Errand.settings) }
        if let new = reply.settings {
            let old = state.surface.settings
            state.surface.settings = new
            // A setting that a key has switched stays, unless the file says something else now.
            if new.mouse == state.surface.savedMouse { state.surface.settings.mouse = old.mouse }
            state.surface.savedMouse = new.mouse
            if state.surface.settings.mouse != old.mouse {
                effects.append(.terminal(.mouse(state.surface.settings.mouse)))
            }
            if new.spellCommand != old.spellCommand { state.composer.spelling = SpellCheck() }
            if new.preview != old.preview { effects.append(.terminal(.previews(new.preview))) }
            if old.sendsTyping, !new.sendsTyping { Drafts.stopTyping(&state.due, &effects) }
            if old.historyCount > 0, new.historyCount == 0 {
                state.composer.history = InputHistory([], limit: 0)
                effects.append(.forgetLines)
            }
        }
        if let new = reply.theme { state.surface.theme = new }
        if reply.isError, state.place.status?.isQuestion != true { state.place.status = nil }
        if reply.lines.count == 1, !reply.isError, !reply.asks {
            state.say(reply.lines[0])
        } else if !reply.lines.isEmpty {
            state.note(reply.lines, isError: reply.isError)
        }
    }
}
