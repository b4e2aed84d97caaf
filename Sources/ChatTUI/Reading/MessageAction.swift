// The actions on one message, from browse mode and from slash commands alike.

package import ChatCore

/// Done by MessageActions. Public because a question to the store carries it until the message is found.
package enum MessageAction: Sendable, Equatable {
    /// Sends an answer; without a text the input becomes one.
    case reply(String?)
    /// Changes the text; without one the input begins with the present text.
    case edit(String?)
    /// Takes an own message back; deletes the other side's message here.
    case delete
    /// `nil` takes our reaction back.
    case react(String?)
    case forward(ContactID)
    case retry
    /// Pins, or takes the pin away.
    case pin
    /// The file, or the only link.
    case open
    case info
    /// Everything from here on counts as unseen again.
    case markUnread
    /// Scrolls to it.
    case show
    /// Resumes the answer or the edit of a stored draft, as long as the input still has that draft.
    case resume(draft: String)

    /// The kind of messages that a number counts for it.
    var kind: MessageReference.Kind {
        switch self {
        case .edit: .ownText
        case .delete: .own
        case .retry: .failed
        case .markUnread: .incoming
        case .reply, .react, .forward, .pin, .open, .info, .show, .resume: .any
        }
    }

    /// Whether a text was typed for it, which is not to be lost.
    var hasText: Bool {
        switch self {
        case .reply(let text), .edit(let text): text != nil
        default: false
        }
    }

    /// Whether it works on a deleted message, too.
    var takesDeleted: Bool {
        switch self {
        case .info, .show, .resume: true
        default: false
        }
    }

    /// `text of yours`, `message`: for the sentence that there is none.
    var noun: String {
        switch kind {
        case .ownText: "text of yours"
        case .own: "message of yours"
        case .failed: "failed message"
        case .incoming: "message of theirs"
        case .any: "message"
        }
    }

    /// Several of them: `messages of theirs`.
    var nouns: String {
        switch kind {
        case .ownText: "texts of yours"
        case .own: "messages of yours"
        case .failed: "failed messages"
        case .incoming: "messages of theirs"
        case .any: "messages"
        }
    }
}
