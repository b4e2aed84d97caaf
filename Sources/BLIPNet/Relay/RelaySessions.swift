// How many sessions of one relay are begun: whoever knows a mailbox can ask for them, and so can the relay (REACH 6). Pure.

/// The invitations of one relay that wait, and how many are being taken.
struct RelaySessions {
    /// Sessions whose handshake is not over.
    static let mostAtOnce = 8
    /// Invitations that wait for their turn; more are dropped, their keys last for a minute only.
    static let mostWaiting = 32
    /// Sessions that are begun in a second.
    static let perSecond = 5
    /// How long a key lasts with the relay.
    static let lifetime = Duration.seconds(60)

    private var waiting: [(invitation: RelayInvitation, came: MonotonicTime)] = []
    private var running = 0
    /// When the latest ones were begun, at most `perSecond` of them.
    private var begun: [MonotonicTime] = []

    /// Takes an invitation; it is dropped when too many wait.
    mutating func invite(_ invitation: RelayInvitation, now: MonotonicTime) {
        waiting.removeAll { now - $0.came >= Self.lifetime }
        if waiting.count < Self.mostWaiting { waiting.append((invitation, now)) }
    }

    /// The session that is to be begun now, which counts as running from now on.
    mutating func next(now: MonotonicTime) -> RelayInvitation? {
        waiting.removeAll { now - $0.came >= Self.lifetime }
        begun.removeAll { now - $0 >= .seconds(1) }
        guard running < Self.mostAtOnce, begun.count < Self.perSecond, !waiting.isEmpty else { return nil }
        running += 1
        begun.append(now)
        return waiting.removeFirst().invitation
    }

    /// The handshake of one is over, or it has come to nothing.
    mutating func ended() { running = max(0, running - 1) }

    /// When `next` may have one, if nothing else happens; `nil` when it takes an end for that.
    var nextTry: MonotonicTime? {
        guard !waiting.isEmpty, running < Self.mostAtOnce, let first = begun.first else { return nil }
        return first + .seconds(1)
    }
}
