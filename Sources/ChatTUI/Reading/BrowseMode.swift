// Browse mode: one message of the open chat is under the cursor, and letters act on it (PRODUCT, "Browse mode").

import ChatCore
import ChatWords

/// The state of browse mode, which is on while `Place.browse` is there; only the user starts and ends it.
struct BrowseMode: Sendable, Equatable {
    /// A message of the open chat with its place, so that the cursor stays there when the message goes away.
    struct Place: Sendable, Equatable {
        var key: MessageKey
        var position: HistoryPosition
        var id: MessageID { key.id }

        init(_ message: ChatMessage) {
            key = message.key
            position = message.position
        }
    }

    var selected: Place
    /// The first place of the cursor, when the view was at the bottom then.
    var cameFromBottom: Place?
    /// Where `v` was pressed: everything from here to the cursor is selected.
    var rangeStart: Place?
    var search: Search?
    /// The letters that were typed in a row.
    var typed = TypedRun()
    /// Steps of the cursor that wait for a page which is being loaded; negative is towards older messages.
    var owedSteps = 0
    /// The cursor goes to this end of the history as soon as its page is there.
    var pendingEnd: End?

    enum End: Sendable, Equatable { case oldest, newest }

    /// The search that `n` and `N` repeat.
    struct Search: Sendable, Equatable {
        var words: String
        var isTowardsOlder: Bool
        /// Newest first; `nil` while the search runs.
        var hits: [Place]?
        var generation: Int
    }

    /// The positions of the selection, both ends included.
    var range: ClosedRange<HistoryPosition> {
        let other = rangeStart?.position ?? selected.position
        return min(other, selected.position)...max(other, selected.position)
    }
}

/// Something final that the user has asked for once, and that happens when they ask again.
struct Confirmation: Sendable, Equatable {
    enum Subject: Sendable, Equatable {
        /// An address or a file that is not opened without a question.
        case open(String)
        case delete([MessageKey])
        case forward([MessageKey], to: ContactID)
    }

    var subject: Subject
    /// Uptime.
    var asked: Duration

    /// Whether asking for it again confirms it: while the question can still be read, and, for something that cannot be
    /// undone, not before it could be read (`dd`, as vi's users type it, or a key that is held down).
    func isArmed(at now: Duration) -> Bool {
        let earliest =
            switch subject {
            case .delete, .forward: asked + .milliseconds(400)
            case .open: asked
            }
        return now >= earliest && now < asked + .seconds(8)
    }
}
