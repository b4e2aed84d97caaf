// One line of a conversation, as stored.

/// The place of a message in the local history: the database row, strictly increasing in local arrival order.
public struct HistoryPosition: Sendable, Hashable, Comparable {
    public let rawValue: Int64
    public init(_ rawValue: Int64) { self.rawValue = rawValue }
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

public enum MessageDirection: String, Sendable, Codable {
    case outgoing, incoming

    public var other: Self { self == .outgoing ? .incoming : .outgoing }
}

/// What names a message within its conversation. Each side gives ids of its own, so an id alone does not say whose it is.
public struct MessageKey: Sendable, Hashable, Codable {
    public var direction: MessageDirection
    public var id: MessageID

    public init(_ direction: MessageDirection, _ id: MessageID) {
        self.direction = direction
        self.id = id
    }
}

/// How far an outgoing message has come. It only ever moves forward (RELIABILITY D6); incoming messages are
/// `.delivered`, or `.read` once our user has seen them.
public enum DeliveryState: Sendable, Equatable, Codable {
    /// On this disk.
    case pending
    /// Handed to a connection.
    case sent
    /// Committed on the peer's disk.
    case delivered
    /// The peer's user has seen it.
    case read
    /// Refused for good; the reason is in words for people.
    case failed(reason: String)

    /// What becomes of a message that its user took back before it was handed to a connection.
    public static let takenBack = DeliveryState.failed(reason: "deleted before it was sent")
    /// What becomes of a message that failed and whose text was sent again as a new one.
    public static let sentAgain = DeliveryState.failed(reason: sentAgainReason)
    /// The reason in `sentAgain`, as the store keeps it.
    public static let sentAgainReason = "sent again"

    /// The sign that stands for it beside an own message (PRODUCT, rule 2).
    public var mark: String {
        switch self {
        case .pending: "~"
        case .sent: ">"
        case .delivered: "✓"
        case .read: "✓✓"
        case .failed: "!"
        }
    }

    /// The order of the states; a message moves only to a higher rank. `failed` comes from pending or sent only.
    public var rank: Int {
        switch self {
        case .pending: 0
        case .sent: 1
        case .failed: 2
        case .delivered: 3
        case .read: 4
        }
    }

    /// Whether a message may come from this state to `other`, or is in it already.
    public func mayBecome(_ other: Self) -> Bool {
        if case .failed = self { return self == other || other == .sentAgain }
        return rank < other.rank || self == other
    }
}

/// A chat message or a file in a conversation.
public struct ChatMessage: Sendable, Equatable, Identifiable, Codable {
    public enum Content: Sendable, Equatable, Codable {
        case text(String)
        case file(FileTransfer)
    }

    public let id: MessageID
    public var position: HistoryPosition
    public var contact: ContactID
    public var direction: MessageDirection
    /// The sender's sequence number in this conversation, from 1 (RELIABILITY D5).
    public var sequence: Int64
    /// When its sender entered it, by the sender's clock.
    public var sent: Timestamp
    /// When we stored it, by our clock.
    public var stored: Timestamp
    public var state: DeliveryState
    public var replyTo: MessageID?
    /// As it is now: the newest text; empty text for a retracted message.
    public var content: Content
    /// When its sender last changed the text, by the sender's clock; `nil`: never.
    public var edited: Timestamp?
    /// Its sender has taken it back: nothing of it is shown any more.
    public var isRetracted = false
    /// At most one of each side.
    public var reactions: [Reaction] = []
    /// How far our latest edit, retraction or reaction on this message has come; `nil`: there is none.
    public var operationState: DeliveryState?
    /// When our user pinned it; `nil`: it is not pinned. Only this side knows.
    public var pinned: Timestamp?
    /// So many of its sender's operations just before this one have not arrived (RELIABILITY D5).
    public var missingBefore = 0

    public init(
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
    public var key: MessageKey { MessageKey(direction, id) }

    /// This, as news of a message that is `known`, without what never happens: an own message does not come less far
    /// (RELIABILITY D6), what was taken back does not come again, a file that has ended does not go on. Everything else
    /// of a message can change in any direction.
    public func following(_ known: ChatMessage) -> ChatMessage {
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
    public static let clockTolerance: Int64 = 5 * 60_000
    /// Nothing that was written longer ago is believed to have waited for us since then.
    private static let longestWait: Int64 = 30 * 86_400_000

    /// The time to show: the sender's, clamped to what can be true. A wrong clock confuses no days, and never the order.
    public var shownTime: Timestamp {
        let age = stored.milliseconds.subtractingReportingOverflow(sent.milliseconds)
        return age.overflow || age.partialValue < 0 || age.partialValue > Self.longestWait ? stored : sent
    }

    /// The sender's time is more than five minutes off ours: their clock is wrong, or the message waited for the link.
    public var isTimeOff: Bool {
        let age = stored.milliseconds.subtractingReportingOverflow(sent.milliseconds)
        return age.overflow || age.partialValue.magnitude > Self.clockTolerance.magnitude
    }
}

/// A conversation's line in the list.
public struct Conversation: Sendable, Equatable, Codable {
    public var peer: Peer
    public var lastMessage: ChatMessage?
    /// Incoming messages that our user has not seen.
    public var unreadCount: Int
    /// The last incoming message that our user has seen; the unread line stands behind it.
    public var readUpTo: HistoryPosition?
    /// Own messages and changes that wait for delivery.
    public var queuedCount: Int

    public init(
        peer: Peer, lastMessage: ChatMessage?, unreadCount: Int, readUpTo: HistoryPosition?, queuedCount: Int
    ) {
        self.peer = peer
        self.lastMessage = lastMessage
        self.unreadCount = unreadCount
        self.readUpTo = readUpTo
        self.queuedCount = queuedCount
    }
}
