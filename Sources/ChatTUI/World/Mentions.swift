// How many unread messages of a chat name us: counted as they come, and asked of the history at the start.

import ChatCore
import ChatWords

/// Asks for the unread messages that name us.
enum Mentions {
    /// More unread messages than this are not looked through at the start.
    static let mentionLimit = 500

    /// Asks once for the unread messages with our name in them from before this start, when the chat that is opened has
    /// its page: in a long history the search takes longer than all that the first picture needs.
    static func ask(_ state: inout AppState, _ effects: inout [AppEffect]) {
        guard state.openChat?.window.paging.request == nil, state.world.takeLacksMentions() else { return }
        guard state.world.unreadChats > 0, !state.world.identity.name.isEmpty else { return }
        let query = SearchQuery(
            text: state.world.identity.name, from: .incoming, unreadOnly: true, limit: Self.mentionLimit)
        effects.append(.ask(.mentions(query)))
    }
}
