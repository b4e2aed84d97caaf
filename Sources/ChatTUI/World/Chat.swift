// One contact on the screen: what the store says of the conversation, and what only this screen knows.

import ChatCore
import ChatWords

/// A conversation with its link, its window of history and what its user is doing.
struct Chat: Sendable, Equatable, Identifiable {
    private(set) var conversation: Conversation
    private(set) var link = LinkState.offline(reason: nil)
    /// Until when (uptime) they are shown as typing without news.
    private(set) var typingUntil: Duration?
    var window = ChatWindow()
    /// Unread messages that name us.
    private(set) var mentionCount = 0
    /// The contact that this one's name looks like, as long as both are there.
    private(set) var twin: String?
    /// The part that the user saw when they left it for another chat, if that was not its end.
    private(set) var leftPlace: ReturnPlace?
    /// The number to compare, once asked for.
    private(set) var safetyNumber: [String]?
    /// The answer or edit that the line in its input becomes, when it is no new message.
    private(set) var composing: Composing?
    /// Quoted messages that the window does not hold.
    private(set) var quotes: [MessageID: Quote] = [:]
    /// Our user wants it to stay unread although it is open.
    private(set) var keepsUnread = false
    /// The newest that was seen while a mark was on its way to the store: the next mark, for all that came meanwhile.
    private(set) var seenNext: HistoryPosition?
    /// How many marks of this screen as seen are on their way to the store, and when (uptime) the last one was there.
    private var seenOnItsWay = 0
    private var seenStored: Duration?
    /// The draft from before, which the screen asks for once.
    private(set) var storedDraft = StoredDraft.unknown

    enum StoredDraft: Sendable, Equatable { case unknown, asked, known }

    init(conversation: Conversation) { self.conversation = conversation }

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

    var isUnread: Bool { conversation.unreadCount > 0 }
}

// MARK: News of the contact

extension Chat {
    /// The conversation as the store has it, in its answer to a question of `time` (uptime). Messages that the user has
    /// seen here since stay seen.
    mutating func receive(_ news: Conversation, askedAt time: Duration?) {
        let seen = conversation.readUpTo
        if peer.peerID != news.peer.peerID { safetyNumber = nil }
        conversation = news
        if news.unreadCount == 0 { mentionCount = 0 }
        guard let seen, news.readUpTo.map({ $0 < seen }) ?? true else { return }
        if mayOvertakeSeen(askedAt: time) {
            markRead(upTo: seen)
        } else {
            // Marked as unread at another screen: to have it in view here does not take that back.
            keepsUnread = true
        }
    }

    /// Whether an answer of the store to a question of that time (uptime) may not know what was seen here.
    private func mayOvertakeSeen(askedAt time: Duration?) -> Bool {
        guard seenOnItsWay == 0 else { return true }
        guard let seenStored, let time else { return false }
        return time <= seenStored
    }

    /// The link is made or lost. News of a link do not say how fast it is: a measured time stays until we ask again.
    /// Returns whether it is made.
    mutating func linkChanged(to new: LinkState, at now: Timestamp) -> Bool {
        let wasOnline = link.isOnline
        if case .online(var details) = new, case .online(let before) = link, details.roundTrip == nil {
            details.roundTrip = before.roundTrip
            link = .online(details)
        } else {
            link = new
        }
        if !link.isOnline { typingUntil = nil }
        // The core stores the same and says nothing of it.
        if wasOnline != link.isOnline { conversation.peer.lastSeen = now }
        return link.isOnline && !wasOnline
    }

    /// The link, in answer to our question.
    mutating func receive(link: LinkState) { self.link = link }

    /// The peer is typing until then (uptime) unless it says so again; `nil`: it has stopped.
    mutating func noteTyping(until end: Duration?) { typingUntil = end }

    func hasStoppedTyping(by now: Duration) -> Bool { typingUntil.map { $0 <= now } ?? false }

    mutating func receive(safetyNumber number: [String]?) { safetyNumber = number }

    /// The other contact, if any, whose name looks like this one's.
    mutating func receive(twin: String?) { self.twin = twin }

    mutating func mute(until end: Timestamp?) { conversation.peer.mutedUntil = end }

    mutating func acceptFiles(upTo limit: UInt64?) { conversation.peer.acceptsFilesUpTo = limit }
}

// MARK: Messages

extension Chat {
    /// The message is the last one if it comes after the one that was.
    mutating func noteLast(_ message: ChatMessage) {
        if conversation.lastMessage.map({ $0.position < message.position }) ?? true {
            conversation.lastMessage = message
        }
    }

    /// An own message was added to what waits for the peer.
    mutating func noteQueued() { conversation.queuedCount += 1 }

    /// A message of the peer has come. Returns whether everything before it was read.
    mutating func countUnread(mentionsMe: Bool) -> Bool {
        let wasRead = conversation.unreadCount == 0 && !keepsUnread
        typingUntil = nil
        conversation.unreadCount += 1
        if mentionsMe { mentionCount += 1 }
        return wasRead
    }

    /// An unread message from before this start names us.
    mutating func noteMention() { mentionCount += 1 }

    /// A message is as it is now wherever it is shown.
    mutating func change(_ message: ChatMessage) {
        window.replace(message)
        composing?.update(message)
        if case .found(let known)? = quotes[message.id] {
            if known.key == message.key { quotes[message.id] = .found(message.following(known)) }
        } else if quotes[message.id] != nil {
            quotes[message.id] = .found(message)
        }
        if let last = conversation.lastMessage, last.key == message.key {
            conversation.lastMessage = message.following(last)
        }
    }

    /// The quoted messages among those that we have `asked` for; the others are missing.
    mutating func receive(quotes messages: [ChatMessage], asked: [MessageID]) {
        var answers: [MessageID: Quote] = [:]
        for id in asked { answers[id] = .missing }
        // Of two with the same id, ours.
        for message in messages.sorted(by: { $0.direction == .incoming && $1.direction == .outgoing }) {
            answers[message.id] = .found(message)
        }
        // A message that was found before the answer came is news, which the answer may be older than.
        quotes.merge(answers) { known, answer in
            if case .found = known { known } else { answer }
        }
    }

    /// More quotes are forgotten when nothing in the window needs them.
    private static let quoteLimit = 300

    /// The quoted messages that nobody has asked for yet; they count as asked from now on.
    mutating func takeMissingQuotes() -> [MessageID] {
        let wanted = Set(window.items.lazy.compactMap(\.message?.replyTo))
        guard !wanted.isEmpty else { return [] }
        let known = Set(window.items.lazy.compactMap(\.message?.id))
        if quotes.count > Self.quoteLimit { quotes = quotes.filter { wanted.contains($0.key) } }
        let missing = wanted.filter { !known.contains($0) && quotes[$0] == nil }.sorted { $0.text < $1.text }
        for id in missing { quotes[id] = .asked }
        return missing
    }

    /// The content of the quote of `id`.
    func quoted(_ id: MessageID) -> Quote {
        if let message = window.message(id) { return .found(message) }
        return quotes[id] ?? .asked
    }
}

// MARK: Read and unread

extension Chat {
    /// Everything up to there is read.
    mutating func markRead(upTo position: HistoryPosition) {
        conversation.readUpTo = position
        conversation.unreadCount = 0
        mentionCount = 0
    }

    /// From there on `count` messages are unread, of which `mentions` name us, until the user says otherwise.
    mutating func markUnread(after position: HistoryPosition, count: Int, mentions: Int) {
        keepsUnread = true
        conversation.readUpTo = position
        conversation.unreadCount = count
        mentionCount = mentions
        window.showUnreadLine(after: position, count: count)
    }

    /// The store has marked the same, maybe after an answer that did not know it.
    mutating func unreadIsStored(after position: HistoryPosition) {
        if keepsUnread { conversation.readUpTo = position }
    }

    /// Messages in view count as read again.
    mutating func endKeepingUnread() { keepsUnread = false }

    /// Everything up to there was in view: the store is to learn it.
    mutating func see(upTo position: HistoryPosition) {
        markRead(upTo: position)
        seenNext = position
    }

    /// What the store is to learn next; `nil` while something is on its way: in a flood each message would be one.
    mutating func takeSeen() -> HistoryPosition? {
        guard seenOnItsWay == 0, let position = seenNext else { return nil }
        seenNext = nil
        seenOnItsWay += 1
        return position
    }

    /// The position that the store is to learn before the screen ends, whatever is on its way.
    mutating func takeLastSeen() -> HistoryPosition? {
        defer { seenNext = nil }
        return seenNext
    }

    /// /read: the store learns it at once.
    mutating func sendRead(upTo position: HistoryPosition) {
        markRead(upTo: position)
        seenOnItsWay += 1
    }

    /// The store has what was on its way, or could not take it.
    mutating func seenIsStored(at now: Duration) {
        seenOnItsWay = max(0, seenOnItsWay - 1)
        seenStored = now
    }
}

// MARK: The user's own

extension Chat {
    /// The input is about a message from now on.
    mutating func begin(_ composing: Composing) { self.composing = composing }

    /// The input is for new messages again, or for the reply that an edit has interrupted.
    mutating func endComposing() {
        if case .edit(_, _, let answered?) = composing {
            composing = .reply(to: answered)
        } else {
            composing = nil
        }
    }

    /// The user leaves the chat, and where they were reading is kept.
    mutating func leave() {
        leftPlace = window.isAtBottom ? nil : ReturnPlace(self, search: nil)
        window.shrink()
    }

    /// The user comes back. Returns where they were reading, unless there is something new.
    mutating func comeBack() -> ReturnPlace? {
        defer { leftPlace = nil }
        guard isUnread else { return leftPlace }
        window.showUnreadLine(
            after: conversation.readUpTo ?? HistoryPosition(.min), count: conversation.unreadCount)
        return nil
    }

    /// Whether nobody has asked yet for the stored draft; the caller does.
    mutating func takeLacksDraft() -> Bool {
        guard storedDraft == .unknown else { return false }
        storedDraft = .asked
        return true
    }

    mutating func draftIsKnown() { storedDraft = .known }
}
