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
        if reply.asks { state.place.note(asked: request.map(Errand.settings)) }
        if let new = reply.settings {
            let old = state.surface.settings
            state.surface.adopt(new)
            if state.surface.settings.mouse != old.mouse {
                effects.append(.terminal(.mouse(state.surface.settings.mouse)))
            }
            if new.spellCommand != old.spellCommand { state.composer.spelling.restart() }
            if new.preview != old.preview { effects.append(.terminal(.previews(new.preview))) }
            if old.sendsTyping, !new.sendsTyping { Drafts.stopTyping(&state.due, &effects) }
            if old.historyCount > 0, new.historyCount == 0 {
                state.composer.history.limit(to: 0)
                effects.append(.forgetLines)
            }
        }
        if let new = reply.theme { state.surface.adopt(new) }
        if reply.isError { state.place.dismissNotice() }
        if reply.lines.count == 1, !reply.isError, !reply.asks {
            state.say(reply.lines[0])
        } else if !reply.lines.isEmpty {
            state.note(reply.lines, isError: reply.isError)
        }
    }
}
