// One line of a conversation, as stored.

/// The place of a message in the local history: the database row, strictly increasing in local arrival order.
package struct HistoryPosition: Sendable, Hashable, Comparable {
    package let rawValue: Int64
    package init(_ rawValue: Int64) { self.rawValue = rawValue }
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

package enum MessageDirection: String, Sendable, Codable {
    case outgoing, incoming

    package var other: Self { self == .outgoing ? .incoming : .outgoing }
}

/// Names a message within its conversation. Each side makes ids of its own, so an id alone does not say whose it is.
package struct MessageKey: Sendable, Hashable, Codable {
    package var direction: MessageDirection
    package var id: MessageID

    package init(_ direction: MessageDirection, _ id: MessageID) {
        self.direction = direction
        self.id = id
    }
}

/// How far an outgoing message has come. It only ever moves forward (RELIABILITY D6); incoming messages are
/// `.delivered`, or `.read` once our user has seen them.
package enum DeliveryState: Sendable, Equatable, Codable {
    /// On this disk.
    case pending
    /// Handed to a connection.
    case sent
    /// Committed on the peer's disk.
    case delivered
    /// The peer's user has seen it.
    case read
    /// Refused for good.
    case failed(reason: DeliveryFailure)

    /// The state of a message that its user took back before it was handed to a connection.
    package static let takenBack = DeliveryState.failed(reason: .takenBack)
    /// The state of a message that failed and whose text was sent again as a new one.
    package static let sentAgain = DeliveryState.failed(reason: .sentAgain)
    /// The rank of `failed`, whatever the reason.
    package static let failedRank = 2

    /// Why it has failed.
    package var failure: DeliveryFailure? { if case .failed(let reason) = self { reason } else { nil } }

    /// The sign for it beside an own message (PRODUCT, rule 2).
    package var mark: String {
        switch self {
        case .pending: "~"
        case .sent: ">"
        case .delivered: "✓"
        case .read: "✓✓"
        case .failed: "!"
        }
    }

    /// The order of the states; a message moves only to a higher rank. `failed` comes from pending or sent only.
    package var rank: Int {
        switch self {
        case .pending: 0
        case .sent: 1
        case .failed: Self.failedRank
        case .delivered: 3
        case .read: 4
        }
    }

    /// Whether a message may come from this state to `other`, or is in it already.
    package func mayBecome(_ other: Self) -> Bool {
        if case .failed = self { return self == other || other == .sentAgain }
        return rank < other.rank || self == other
    }
}

/// A chat message or a file in a conversation.
package struct ChatMessage: Sendable, Equatable, Identifiable, Codable {
    package enum Content: Sendable, Equatable, Codable {
        case text(String)
        case file(FileTransfer)
    }

    package let id: MessageID
    package var position: HistoryPosition
    package var contact: ContactID
    package var direction: MessageDirection
    /// The writer, as a room names them: a label that anybody there can choose. `nil` outside of rooms, and for our own
    /// messages.
    package var sender: String?
    /// The sender's sequence number in this conversation, from 1 (RELIABILITY D5).
    package var sequence: Int64
    /// When its sender entered it, by the sender's clock.
    package var sent: Timestamp
    /// When we stored it, by our clock.
    package var stored: Timestamp
    package var state: DeliveryState
    package var replyTo: MessageID?
    /// As it is now: the newest text; empty text for a retracted message.
    package var content: Content
    /// When its sender last changed the text, by the sender's clock; `nil`: never.
    package var edited: Timestamp?
    /// Its sender has taken it back: nothing of it is shown any more.
    package var isRetracted = false
    /// At most one of each side.
    package var reactions: [Reaction] = []
    /// How far our latest edit, retraction or reaction on this message has come; `nil`: there is none.
    package var operationState: DeliveryState?
    /// When our user pinned it; `nil`: it is not pinned. Only this side knows.
    package var pinned: Timestamp?
    /// So many of its sender's operations just before this one have not arrived (RELIABILITY D5).
    package var missingBefore = 0

    package init(
        id: MessageID, position: HistoryPosition, contact: ContactID, direction: MessageDirection, sequence: Int64,
        sent: Timestamp, stored: Timestamp, state: DeliveryState, replyTo: MessageID? = nil, content: Content
    ) {
        self.id = id
        self.position = position
        self.contact = contact
        self.direction = direction
        self.sequence = sequence
        self.sent = sent
        self.stored = stored
        self.state = state
        self.replyTo = replyTo
        self.content = content
    }
}

extension ChatMessage {
    package var key: MessageKey { MessageKey(direction, id) }

    /// This, as news of a message that is `known`, without changes that never happen: the state of an own message does
    /// not go back (RELIABILITY D6), a message that was taken back does not return, a file that has ended does not
    /// resume. Everything else of a message can change in any direction.
    package func following(_ known: ChatMessage) -> ChatMessage {
        var news = self
        if direction == .outgoing, !known.state.mayBecome(state) { news.state = known.state }
        if known.isRetracted, !isRetracted {
            news.isRetracted = true
            news.content = known.content
        }
        if case .file(let transfer) = news.content, case .file(let before) = known.content, before.state.isFinal,
            !transfer.state.isFinal
        {
            news.content = known.content
        }
        return news
    }

    /// A sender's clock that differs more than this from ours is marked (RELIABILITY D5).
    package static let clockTolerance: Int64 = 5 * 60_000
    /// Nothing that was written longer ago is believed to have waited for us since then.
    private static let longestWait: Int64 = 30 * 86_400_000

    /// The time to show: the sender's, clamped to what can be true. A wrong clock confuses no days, and never the order.
    package var shownTime: Timestamp {
        let age = stored.milliseconds.subtractingReportingOverflow(sent.milliseconds)
        return age.overflow || age.partialValue < 0 || age.partialValue > Self.longestWait ? stored : sent
    }

    /// The sender's time is more than five minutes off ours: their clock is wrong, or the message waited for the link.
    package var isTimeOff: Bool {
        let age = stored.milliseconds.subtractingReportingOverflow(sent.milliseconds)
        return age.overflow || age.partialValue.magnitude > Self.clockTolerance.magnitude
    }
}

/// A conversation's line in the list.
package struct Conversation: Sendable, Equatable, Codable {
    package var peer: Peer
    package var lastMessage: ChatMessage?
    /// Incoming messages that our user has not seen.
    package var unreadCount: Int
    /// The last incoming message that our user has seen; the unread line is below it.
    package var readUpTo: HistoryPosition?
    /// Own messages and changes that wait for delivery.
    package var queuedCount: Int

    package init(
        peer: Peer, lastMessage: ChatMessage?, unreadCount: Int, readUpTo: HistoryPosition?, queuedCount: Int
    ) {
        self.peer = peer
        self.lastMessage = lastMessage
        self.unreadCount = unreadCount
        self.readUpTo = readUpTo
        self.queuedCount = queuedCount
    }
}
