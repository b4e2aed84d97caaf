// How many unread messages of a chat name us: counted as they come, and asked of the history at the start.

import ChatCore
import ChatWords

extension AppState {
    /// More unread messages than this are not looked through at the start.
    static let mentionLimit = 500

    func mentionsMe(_ message: ChatMessage) -> Bool {
        guard message.direction == .incoming, case .text(let text) = message.content else { return false }
        return NameMention.occurs(of: identity.name, in: text)
    }

    /// Asks once for the unread messages with our name in them from before this start, when the chat that is opened has
    /// its page: in a long history the search takes longer than all that the first picture needs.
    mutating func askForMentions(_ effects: inout [AppEffect]) {
        guard lacksMentions, openChat?.window.loading == nil else { return }
        lacksMentions = false
        guard unreadChats > 0, !identity.name.isEmpty else { return }
        let query = SearchQuery(text: identity.name, from: .incoming, unreadOnly: true, limit: Self.mentionLimit)
        effects.append(.ask(.mentions(query)))
    }

    mutating func receive(mentions: [ChatMessage]) {
        for message in mentions where mentionsMe(message) {
            if let index = chatIndex(message.contact), chats[index].isUnread { chats[index].mentionCount += 1 }
        }
    }
}
