// One contact on the screen: what the store says of the conversation, and what only this screen knows.

import ChatCore
import ChatWords

/// A conversation with its link, its window of history and what its user is doing.
struct Chat: Sendable, Equatable, Identifiable {
    var conversation: Conversation
    var link = LinkState.offline(reason: nil)
    /// Until when (uptime) they are shown as typing without news.
    var typingUntil: Duration?
    var window = ChatWindow()
    /// Unread messages that name us.
    var mentionCount = 0
    /// The contact that this one's name looks like, as long as both are there.
    var twin: String?
    /// The part that the user saw when they left it for another chat, if that was not its end.
    var leftPlace: ReturnPlace?
    /// The number to compare, once asked for.
    var safetyNumber: [String]?
    /// The answer or edit that the line in its input becomes, when it is no new message.
    var composing: Composing?
    /// Quoted messages that the window does not hold.
    var quotes: [MessageID: Quote] = [:]
    /// Our user wants it to stay unread although it is open.
    var keepsUnread = false
    /// The newest that was seen while a mark was on its way to the store: the next mark, for all that came meanwhile.
    var seenNext: HistoryPosition?
    /// How many marks of this screen as seen are on their way to the store, and when (uptime) the last one was there.
    var seenOnItsWay = 0
    var seenStored: Duration?
    /// The draft from before, which the screen asks for once.
    var storedDraft = StoredDraft.unknown

    enum StoredDraft: Sendable, Equatable { case unknown, asked, known }

    var id: ContactID { conversation.peer.id }
    var peer: Peer { conversation.peer }
    var name: SafeText { SafeText(peer.name, as: .name) }

    /// The newest message of theirs that this screen knows of.
    private var lastIncoming: ChatMessage? {
        let inWindow = window.items.lazy.reversed().compactMap(\.message).first { $0.direction == .incoming }
        guard let last = conversation.lastMessage, last.direction == .incoming else { return inWindow }
        guard let inWindow, last.position < inWindow.position else { return last }
        return inWindow
    }

    /// Whether a message of theirs was missing until now (RELIABILITY D5): it comes before others and was stored after
    /// them. One that only comes before the messages we know is news that an answer of the store has overtaken.
    func wasMissing(_ message: ChatMessage) -> Bool {
        guard message.direction == .incoming, let last = lastIncoming else { return false }
        return message.position < last.position && message.stored > last.stored
    }

    /// `looks like Bob` or `mixes Latin and Greek letters`, for wherever contacts are listed.
    var nameWarning: SafeText? {
        twin.map { SafeText(literal: "looks like ") + SafeText($0, as: .name) }
            ?? NameLikeness.warning(of: peer.name).map { SafeText($0, as: .line) }
    }

    /// Whether an answer of the store to a question of that time (uptime) may not know what was seen here.
    func mayOvertakeSeen(askedAt time: Duration?) -> Bool {
        guard seenOnItsWay == 0 else { return true }
        guard let seenStored, let time else { return false }
        return time <= seenStored
    }

    var isUnread: Bool { conversation.unreadCount > 0 }
}
