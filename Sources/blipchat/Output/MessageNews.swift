// What is new about a message: the "event" of the records that `blipchat watch --json` prints.

import BLIPNet
import ChatCore
import ChatHost

/// Compares each message with what was known of it. A value; whoever follows events feeds it with all of them.
struct MessageNews {
    /// The kind of news, as scripts read it.
    enum Event: String, Sendable, CaseIterable {
        /// It has come, or was written.
        case added
        /// Its text is another one.
        case edited
        /// Its sender has taken it back.
        case retracted
        /// Somebody has reacted to it, or taken that back.
        case reaction
        /// How far it is on its way to the other side, or what has become of a file.
        case state
        /// How far our own edit, deletion or reaction is on its way.
        case change
        /// Our user has pinned it, or taken the pin away.
        case pinned
        /// Messages that were missing before it have come, or we stopped waiting for them.
        case missing
        /// Something of a message from before the program began to follow: we cannot tell what.
        case changed
    }

    private struct Key: Hashable {
        var contact: ContactID
        var direction: MessageDirection
        var id: MessageID

        init(_ message: ChatMessage) {
            contact = message.contact
            direction = message.direction
            id = message.id
        }
    }

    /// So many messages are known at once; the ones that were heard of first go.
    private let limit: Int
    private var known: [Key: ChatMessage] = [:]
    private var order: ArraySlice<Key> = []
    /// The newest message of each conversation that was heard of.
    private var newest: [ContactID: HistoryPosition] = [:]
    /// Up to where `eventByReading` has told what was added.
    private var read: [ContactID: HistoryPosition] = [:]

    init(limit: Int = 10_000) { self.limit = limit }

    /// Takes down what a message is like, without news.
    mutating func know(_ message: ChatMessage) {
        let key = Key(message)
        // Texts are compared by when they were edited: they need not be kept.
        var kept = message
        if case .text = kept.content { kept.content = .text("") }
        if known.updateValue(kept, forKey: key) == nil {
            order.append(key)
            if order.count > limit { known[order.removeFirst()] = nil }
        }
        newest[message.contact] = max(message.position, newest[message.contact] ?? message.position)
    }

    /// The newest message of a conversation that we have heard of.
    func place(in contact: ContactID) -> HistoryPosition { newest[contact] ?? HistoryPosition(0) }

    /// What is new about a message that was read again, because events may not have told of it; `nil`: nothing that could be
    /// told.
    mutating func eventByReading(_ message: ChatMessage) -> Event? {
        guard known[Key(message)] == nil else {
            let event = event(of: message, isNew: false)
            return event == .changed ? nil : event
        }
        guard message.position > place(in: message.contact) else { return nil }
        read[message.contact] = message.position
        return event(of: message, isNew: true)
    }

    /// Whether `eventByReading` has told of an added message already: its own event comes late.
    func isToldByReading(_ message: ChatMessage) -> Bool {
        read[message.contact].map { message.position <= $0 } ?? false
    }

    /// The kind of news in an event of the chat about this message.
    mutating func event(of message: ChatMessage, isNew: Bool) -> Event {
        defer { know(message) }
        if isNew { return .added }
        guard let before = known[Key(message)] else { return .changed }
        if message.isRetracted != before.isRetracted { return .retracted }
        if message.edited != before.edited { return .edited }
        if message.reactions != before.reactions { return .reaction }
        if message.pinned != before.pinned { return .pinned }
        if message.state != before.state { return .state }
        if case .file(let file) = message.content, case .file(let old) = before.content, file != old { return .state }
        if message.operationState != before.operationState { return .change }
        if message.missingBefore != before.missingBefore { return .missing }
        return .changed
    }

    /// So many of the newest messages of each conversation are known from the beginning, of so many conversations.
    static let pageSize = 100
    static let conversations = 100
}

extension JSONValue {
    /// The record with the kind of its news, after its type.
    func with(_ event: MessageNews.Event) -> JSONValue {
        guard case .object(var members) = self, members.count >= 2 else { return self }
        members.insert(Member(name: "event", value: .string(event.rawValue)), at: 2)
        return .object(members)
    }
}
