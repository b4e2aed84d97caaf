// The items of a chat: messages, and our own lines between them.

import ChatCore

/// A line of our own in a chat: the answer to a command, dim, never stored and never sent.
struct LocalNotice: Sendable, Equatable, Identifiable {
    /// Unique in this run.
    let id: Int
    var time: Timestamp
    var lines: [String]
    var isError: Bool
}

/// One entry of a window.
enum HistoryItem: Sendable, Equatable {
    case message(ChatMessage)
    /// A notice comes after the message at `after`.
    case notice(LocalNotice, after: HistoryPosition)

    /// Identifies an item while others come and go.
    enum Key: Sendable, Hashable {
        case message(MessageKey)
        case notice(Int)
    }

    var key: Key {
        switch self {
        case .message(let message): .message(message.key)
        case .notice(let notice, _): .notice(notice.id)
        }
    }

    var message: ChatMessage? {
        if case .message(let message) = self { message } else { nil }
    }

    /// Messages go by their place, and notices by the place and in the order in which they were said.
    var order: (HistoryPosition, Int) {
        switch self {
        case .message(let message): (message.position, -1)
        case .notice(let notice, let after): (after, notice.id)
        }
    }
}
