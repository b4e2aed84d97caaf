// One contact on the screen: what the store says of the conversation, and what only this screen knows.

import ChatCore

/// A conversation with its link, its window of history and what its user is doing.
struct Chat: Sendable, Equatable, Identifiable {
    var conversation: Conversation
    var link = LinkState.offline(reason: nil)
    /// Until when (uptime) they are shown as typing without news.
    var typingUntil: Duration?
    var window = ChatWindow()
    /// The number to compare, once asked for.
    var safetyNumber: [String]?
    /// The stored draft was asked for.
    var hasLoadedDraft = false

    var id: ContactID { conversation.peer.id }
    var peer: Peer { conversation.peer }
    var name: SafeText { SafeText(peer.name, as: .name) }

    var isUnread: Bool { conversation.unreadCount > 0 }
}
