// One line of a conversation, as stored.

/// The place of a message in the local history: the database row, strictly increasing in local arrival order.
public struct HistoryPosition: Sendable, Hashable, Comparable {
    public let rawValue: Int64
    public init(_ rawValue: Int64) { self.rawValue = rawValue }
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

public enum MessageDirection: String, Sendable {
    case outgoing, incoming
}

/// How far an outgoing message has come. It only ever moves forward (RELIABILITY D6); incoming messages are
/// `.delivered`, or `.read` once our user has seen them.
public enum DeliveryState: Sendable, Equatable {
    /// `~` on this disk.
    case pending
    /// `>` handed to a connection.
    case sent
    /// `✓` committed on the peer's disk.
    case delivered
    /// `✓✓` the peer's user has seen it.
    case read
    /// `!` refused for good; the reason is in words for people.
    case failed(reason: String)

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
}

/// A chat message or a file in a conversation.
public struct ChatMessage: Sendable, Equatable, Identifiable {
    public enum Content: Sendable, Equatable {
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
    public var content: Content

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

/// A conversation's line in the list.
public struct Conversation: Sendable, Equatable {
    public var peer: Peer
    public var lastMessage: ChatMessage?
    /// Incoming messages that our user has not seen.
    public var unreadCount: Int
    /// The last incoming message that our user has seen; the unread line stands behind it.
    public var readUpTo: HistoryPosition?
    /// Own messages that wait for delivery.
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
