// The words for a message, once for all faces: the screen, line mode, printed lines, exports, lists, notifications. A
// face only lays out what is here, with its own times and colours.

package import ChatCore

/// The message that another one answers, as far as it is known.
package enum Quote: Sendable, Equatable {
    case asked
    case found(ChatMessage)
    /// It is not in the history (any more).
    case missing
}

/// The words for one message. They are made on demand: a text is filtered whole, which takes its time.
package struct MessageWords: Sendable {
    package let message: ChatMessage
    /// The name of the contact of its conversation.
    package let contact: SafeText
    /// Skeletons of names (`NameLikeness`) that nobody in a room should have: those of our contacts, and ours.
    private let known: Set<String>

    package init(_ message: ChatMessage, contact: SafeText, known: Set<String> = []) {
        self.message = message
        self.contact = contact
        self.known = known
    }

    // MARK: Names

    package static let me = SafeText(literal: "me")

    package func name(of direction: MessageDirection) -> SafeText { direction == .outgoing ? Self.me : contact }

    /// `me`, or the contact; in a room the alleged author, with a mark where that may deceive.
    package var author: SafeText {
        guard let sender = message.sender, message.direction == .incoming else { return name(of: message.direction) }
        let name = SafeText(sender, as: .name)
        return isDoubtful(sender) ? name + Self.doubt : name
    }

    /// After a name in a room that looks like one that we know, or like what only the program says.
    package static let doubt = SafeText(literal: " (?)")

    private func isDoubtful(_ name: String) -> Bool {
        known.contains(NameLikeness.skeleton(of: name)) || NameLikeness.warning(of: name) != nil
    }

    /// At most one of each side, with who has reacted.
    package var reactions: [(emoji: String, who: SafeText)] {
        message.reactions.map { ($0.emoji, name(of: $0.direction)) }
    }

    // MARK: Delivery

    /// It was deleted before the other side had it.
    package var isTakenBack: Bool { message.isRetracted && message.state == .takenBack }

    /// The state that its mark shows; for a deleted message, whether they know that it is deleted.
    package var shownState: DeliveryState {
        guard message.isRetracted, let change = message.operationState else { return message.state }
        // Once they know it, what they had seen before stays seen.
        return change == .delivered && message.state == .read ? .read : change
    }

    /// `✓✓` for own messages; for others `?` when their clock is off or they waited, else nothing.
    package var mark: String {
        guard message.direction == .outgoing else { return message.isTimeOff ? "?" : "" }
        return isTakenBack ? "" : shownState.mark
    }

    /// `waiting`, `delivered`, `read`, `FAILED (…)`: of an own message, where no mark is drawn.
    package var progress: String? {
        switch message.state {
        case .pending, .sent: "waiting"
        // Of a file it is the offer that they have; the state of the file says more.
        case .delivered: file == nil ? "delivered" : nil
        case .read: file == nil ? "read" : nil
        // It was to go out no more.
        case .failed where message.isRetracted: nil
        case .failed(let reason): "FAILED (\(reason.words))"
        }
    }

    /// A whole sentence about its state. `isSeen`: our user has seen it.
    package func stateSentence(isSeen: Bool) -> String {
        if message.isRetracted { return isTakenBack ? "deleted before it was sent" : "deleted by its sender" }
        switch message.state {
        case .pending: return "~ waiting on this disk"
        case .sent: return "> handed to the connection"
        case .delivered, .read:
            if message.direction == .incoming { return isSeen ? "seen" : "on this disk, not seen yet" }
            return message.state == .read ? "✓✓ read" : "✓ on their disk"
        case .failed(let reason): return "! failed: \(reason.words)"
        }
    }

    /// Why it was not sent; `isOver`: nothing is to be done about that any more.
    package var failure: (words: SafeText, isOver: Bool)? {
        guard let reason = message.state.failure, !message.isRetracted else { return nil }
        let isOver = message.state == .sentAgain
        let words = isOver ? "not sent, and \(reason.words)" : "not sent: \(reason.words) (/retry)"
        return (SafeText(words, as: .line), isOver)
    }

    /// How far our latest edit, deletion or reaction has come, where that is worth a word.
    package var change: (words: SafeText, isError: Bool)? {
        switch message.operationState {
        case .pending?, .sent?:
            message.isRetracted ? nil : (SafeText(literal: "(change not delivered yet)"), false)
        case .failed(let reason)?: (SafeText("the change was refused: \(reason.words)", as: .line), true)
        case .delivered?, .read?, nil: nil
        }
    }

    // MARK: Changes

    package var isEdited: Bool { message.edited != nil && !message.isRetracted }

    /// After a text that its author has changed.
    package static let edited = SafeText(literal: "(edited)")

    /// `1 message missing`, of those just before it.
    package var missing: String? { message.missingBefore > 0 ? Sentences.missing(message.missingBefore) : nil }

    /// Where its text was.
    static let deleted = SafeText(literal: "(deleted)")

    /// The words in place of its text; `nil`: it is not deleted. They never had a message that was deleted before it was sent.
    package var removal: SafeText? {
        guard message.isRetracted else { return nil }
        return isTakenBack ? SafeText(literal: "(deleted before it was sent)") : Self.deleted
    }

    // MARK: Content

    /// How a text like `/me waves` is written.
    package enum Action: Sendable {
        /// `* waves`: the name is before it already.
        case starred
        /// `Alice waves`
        case named(SafeText)
        /// `waves`, where something else says that it is an action.
        case bare
    }

    /// It is something that its author does.
    package var isAction: Bool {
        guard case .text(let text) = message.content, !message.isRetracted else { return false }
        return ActionText.deed(in: text) != nil
    }

    /// The text of a message, on as many lines as it has; of a file nothing. `spelled`: emoji by their names.
    package func text(_ action: Action = .starred, spelled: Bool = false) -> SafeText {
        guard case .text(let raw) = message.content else { return .empty }
        let text = Self.written(raw, action)
        return SafeText(spelled ? EmojiSpelling.spelled(text) : text, as: .multiline)
    }

    package static func text(of raw: String) -> SafeText { SafeText(written(raw, .starred), as: .multiline) }

    static func written(_ raw: String, _ action: Action) -> String {
        guard let deed = ActionText.deed(in: raw) else { return raw }
        return switch action {
        case .starred: ActionText.starred(raw)
        case .named(let name): "\(name.text) \(deed)"
        case .bare: String(deed)
        }
    }

    /// The words for its file; `nil` for a text.
    package var file: FileWords? {
        if case .file(let transfer) = message.content { FileWords(transfer) } else { nil }
    }

    // MARK: In other places

    /// The words for the message that this one answers.
    package static func words(for quote: Quote) -> SafeText {
        switch quote {
        case .asked: SafeText(literal: "…")
        case .missing: SafeText(literal: "(not in this history)")
        case .found(let quoted): self.quote(of: quoted)
        }
    }

    /// `replying to Bob "the plan is…"`
    package func sentence(for quote: Quote) -> SafeText {
        switch quote {
        case .asked: return SafeText(literal: "replying to an earlier message")
        case .missing: return SafeText(literal: "replying to a message that is not here")
        case .found(let quoted):
            let mark = SafeText(literal: "\"")
            let words =
                quoted.isRetracted ? SafeText(literal: "a deleted message") : mark + Self.beginning(of: quoted) + mark
            return SafeText(literal: "replying to ") + MessageWords(quoted, contact: contact, known: known).author
                + SafeText(literal: " ") + words
        }
    }

    /// The words of a notification after the name of the contact.
    package func announcement(showsText: Bool, isMention: Bool) -> String {
        switch message.content {
        case .file(let transfer):
            let file = FileWords(transfer)
            guard showsText else { return file.isFolder ? "offers a folder" : "offers a file" }
            return "offers " + file.title(width: 60).text
        case .text(let text):
            guard showsText else { return isMention ? "mentions you" : "new message" }
            return SafeText(ActionText.starred(text), as: .line).truncated(to: 100).text
        }
    }

    /// The text for the clipboard: what is shown, never what a peer hid in a text.
    package static func copied(_ message: ChatMessage) -> String {
        if message.isRetracted { return deleted.text }
        switch message.content {
        case .text(let text): return self.text(of: text).text
        case .file(let transfer):
            let file = FileWords(transfer)
            return [file.name.text, file.caption.text].filter { !$0.isEmpty }.joined(separator: "\n")
        }
    }
}
