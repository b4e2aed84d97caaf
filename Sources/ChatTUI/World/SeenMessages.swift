// Which messages the user has seen, and how the store learns of it.

import ChatCore
import ChatWords

enum SeenMessages {
    /// The store has what was seen before: what was seen meanwhile follows.
    static func isStored(_ contact: ContactID, _ state: inout AppState, _ effects: inout [AppEffect]) {
        guard let index = state.world.chatIndex(contact) else { return }
        state.world.chats[index].seenIsStored(at: state.surface.moment.uptime)
        state.world.sendSeen(at: index, &effects)
    }

    /// Messages that are drawn at the bottom of the open chat count as seen.
    static func mark(_ state: inout AppState, _ effects: inout [AppEffect]) {
        guard state.surface.settings.readMark == .visible, state.place.overlay == nil, state.surface.isFocused,
            !state.ending.isQuitting,
            let index = state.world.chatIndex(state.place.openID),
            state.world.chats[index].window.isAtBottom, state.world.chats[index].window.isLoaded,
            !state.world.chats[index].keepsUnread
        else { return }
        guard let newest = state.world.chats[index].window.newestIncoming(),
            state.world.chats[index].conversation.readUpTo.map({ $0 < newest }) ?? true
        else { return }
        state.world.chats[index].see(upTo: newest)
        state.world.sendSeen(at: index, &effects)
    }
}
