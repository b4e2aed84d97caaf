// Operations on messages that are there already: edits, retractions, reactions, as stored (PROTOCOL 4).

/// A stored operation on a message. It is history like a message: it has its own id and number in its sender's order,
/// goes through the outbox, and never overwrites what was there; the present look of its target follows from all of them.
package struct ChatOperation: Sendable, Equatable, Identifiable {
    package enum Action: Sendable, Equatable {
        /// The text of an own message is this now.
        case edit(text: String)
        /// An own message is taken back, for good.
        case retract
        /// The one reaction of its sender to a message; `nil` takes it back.
        case react(emoji: String?)
    }

    package let id: MessageID
    package var contact: ContactID
    package var direction: MessageDirection
    /// The sender's sequence number, in one row with those of messages.
    package var sequence: Int64
    /// When its sender entered it, by the sender's clock.
    package var sent: Timestamp
    /// When we stored it, by our clock.
    package var stored: Timestamp
    package var state: DeliveryState
    /// The message that is acted on. It may not be there (yet).
    package var target: MessageID
    package var action: Action

    package init(
        id: MessageID, contact: ContactID, direction: MessageDirection, sequence: Int64, sent: Timestamp,
        stored: Timestamp, state: DeliveryState, target: MessageID, action: Action
    ) {
        self.id = id
        self.contact = contact
        self.direction = direction
        self.sequence = sequence
        self.sent = sent
        self.stored = stored
        self.state = state
        self.target = target
        self.action = action
    }
}

/// One side's opinion of a message, in a character.
package struct Reaction: Sendable, Equatable, Codable {
    /// Bytes of UTF-8 that a reaction may have.
    package static let limit = 64

    /// `outgoing`: ours.
    package var direction: MessageDirection
    /// From a peer it is raw: sanitise before drawing.
    package var emoji: String

    package init(direction: MessageDirection, emoji: String) {
        self.direction = direction
        self.emoji = emoji
    }
}

/// A change that an operation has made to the history; several come in the order in which they are to be shown.
package enum HistoryChange: Sendable, Equatable {
    case added(ChatMessage)
    case changed(ChatMessage)

    package var message: ChatMessage {
        switch self {
        case .added(let message), .changed(let message): message
        }
    }
}
