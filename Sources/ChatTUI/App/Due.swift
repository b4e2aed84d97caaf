// What the screen does by itself when its time has come: it stores the draft, says that we have stopped typing, asks anew.
// A value without a clock: times are uptime, and passed in. AppState+Due carries out what is due.

import ChatCore

/// The timers of what is typed and of what is asked anew.
struct Due: Sendable, Equatable {
    /// "Composing" is repeated after this time, so that it does not run out at the peer.
    static let typingRepeat = Duration.seconds(4)
    /// Without a key for so long we are not typing any more.
    static let typingPause = Duration.seconds(6)
    /// A draft is stored so long after its first change.
    static let draftPause = Duration.seconds(1)
    /// The emptied draft is stored soon: a crash after Enter would bring the sent line back.
    static let sentDraftPause = Duration.milliseconds(50)
    /// A link has been measured so long after it was made.
    static let linkPause = Duration.seconds(2)

    /// When the open chat's draft is stored; `nil`: it is stored as it is.
    private(set) var draft: Duration?
    /// When the open chat's link is asked how fast it is.
    private(set) var link: Duration?
    /// Whom we told that we are typing.
    private(set) var typing: OwnTyping?
    /// The list of conversations, which we ask for again when something has changed.
    var conversations = Refresh()

    /// When the next of them is due.
    var next: Duration? {
        let pause = typing.map { $0.lastKey + Self.typingPause }
        return Self.earlier(Self.earlier(draft, link), Self.earlier(pause, conversations.due))
    }

    private static func earlier(_ one: Duration?, _ other: Duration?) -> Duration? {
        guard let one, let other else { return one ?? other }
        return min(one, other)
    }

    // MARK: The draft

    mutating func draftChanged(at now: Duration) { draft = draft ?? now + Self.draftPause }

    /// The draft was sent: the message itself says that nobody types any more.
    mutating func draftWasSent(at now: Duration) {
        draft = now + Self.sentDraftPause
        typing = nil
    }

    /// `true` when the draft is not stored as it is: the caller stores it.
    mutating func takeDraft() -> Bool {
        defer { draft = nil }
        return draft != nil
    }

    // MARK: The link

    mutating func linkWasMade(at now: Duration) { link = now + Self.linkPause }

    /// `true` when the link has to be asked about by `now`.
    mutating func takeLink(by now: Duration) -> Bool {
        guard let time = link, time <= now else { return false }
        link = nil
        return true
    }

    // MARK: Typing

    /// The user has typed for `contact`: what to tell whom.
    mutating func typed(for contact: ContactID, at now: Duration) -> [Errand] {
        if typing?.contact == contact {
            typing?.lastKey = now
            guard let told = typing?.toldAt, now - told >= Self.typingRepeat else { return [] }
            typing?.toldAt = now
            return [.call(.setTyping(true, to: contact))]
        }
        let stopped = stopTyping().map { [$0] } ?? []
        typing = OwnTyping(contact: contact, toldAt: now, lastKey: now)
        return stopped + [.call(.setTyping(true, to: contact))]
    }

    /// Nobody types any more: what to tell whom. With a time only when there was no key for long.
    mutating func stopTyping(by now: Duration? = nil) -> Errand? {
        guard let own = typing else { return nil }
        if let now, own.lastKey + Self.typingPause > now { return nil }
        typing = nil
        return .call(.setTyping(false, to: own.contact))
    }

    /// We told a peer that we are typing.
    struct OwnTyping: Sendable, Equatable {
        let contact: ContactID
        /// Of the last "composing".
        fileprivate(set) var toldAt: Duration
        fileprivate(set) var lastKey: Duration
    }
}

/// A question to the service that is asked again when something changed, but not more often than it helps.
struct Refresh: Sendable, Equatable {
    static let interval = Duration.milliseconds(200)

    /// It was asked, and is not answered yet.
    private(set) var isRunning = false
    /// Something has changed since it was asked.
    private(set) var isDirty = false
    /// When it was asked last; after an error later than that.
    private(set) var lastStart: Duration?

    /// When it may be asked.
    var due: Duration? {
        guard isDirty, !isRunning else { return nil }
        return lastStart.map { $0 + Self.interval } ?? .zero
    }

    mutating func somethingChanged() { isDirty = true }
    mutating func wasAnswered() { isRunning = false }

    /// There is nothing to see without an answer: it is asked again after a pause.
    mutating func hasFailed(at now: Duration, pause: Duration) {
        isDirty = true
        lastStart = now + pause
    }

    /// `true` when it has to be asked by `now`: it is being asked then.
    mutating func take(by now: Duration) -> Bool {
        guard let due, due <= now else { return false }
        self = Refresh(isRunning: true, isDirty: false, lastStart: now)
        return true
    }
}
