// The state of one contact's link: idle, dialling or linked. Pure decisions; ChatClient carries them out.

import BLIPNet

/// Everything that this run knows of one contact beyond what is stored.
struct PeerSession {
    private enum Phase {
        /// No link. `reason`: why the last call failed, in words for people.
        case idle(reason: LinkReason?)
        /// A call is under way. `reason`: why the one before it failed.
        case dialling(reason: LinkReason?)
        case linked(ActiveLink)
    }

    /// As stored.
    var peer: Peer
    private var phase = Phase.idle(reason: nil)
    private var policy: ReconnectPolicy
    /// Where they are called.
    var calls: CallBook
    /// They answered our hello with `pending`, and nothing else since.
    private(set) var awaitsApproval = false
    /// Increases with every dial and every wait for one: a timer or dial that carries an older number is stale.
    private(set) var dialNumber = 0
    /// Our user has written to them since the call that is under way began: if it fails, the next one follows at once.
    private(set) var wantsAnotherCall = false
    /// The state published last, so that each change is published once.
    private var publishedState: LinkState?

    /// Why the present link is going to end, when we know better than the link.
    private var endReason: LinkReason?

    /// Own messages and offers that are not delivered yet.
    var queuedCount = 0
    var outbox = OutboxWindow()
    /// The latest look at the outbox.
    var look: Task<Void, Never>?
    /// Their disk is full: they answer 507.
    var isRefusing = false
    var typing = TypingState()
    /// The link on which a read receipt is on its way.
    var receiptLink: LinkNumber?
    /// There may be a newer one than that task has seen.
    var hasNewReceipt = false
    /// The file of theirs that was begun last: the next one in the line comes after it.
    var lastTried: TransferNumber?
    /// How fast they may send us operations; outlives their links, so that calling again brings no new burst.
    private var operations: TokenBucket?
    /// How often they have told of each unfinished file that it is accepted.
    private var news: [MessageID: Int] = [:]
    /// The links whose requests are being handled, and whether they have ended.
    private var consumedLinks: [LinkNumber: Bool] = [:]
    /// Tell them, once linked, that our user has approved them.
    var announcesAcceptance = false
    /// What they have said of themselves over the present link: away, and why.
    var peerAway: String?
    /// Our user wants no link with them for now.
    var isPutOff = false
    /// Of a room, how its connection is; `nil`: there is none.
    var roomLink: LinkState?

    init(peer: Peer, policy: ReconnectPolicy, queuedCount: Int = 0, tor: TorSetting = .off) {
        self.peer = peer
        calls = CallBook(tor: tor)
        self.policy = policy
        self.queuedCount = queuedCount
    }

    /// Counts one operation of theirs; returns how long to wait before it is handled.
    mutating func takeOperation(within limits: ChatLimits, now: MonotonicTime) -> Duration {
        var bucket =
            operations ?? TokenBucket(rate: limits.operationsPerSecond, burst: limits.operationBurst, now: now)
        defer { operations = bucket }
        return bucket.take(now: now)
    }

    /// Whether news of an unfinished file are within what each offer has: that it is accepted a few times (again after a
    /// restart or a pause), and that it is over once.
    mutating func takeNews(of transfer: MessageID, isLast: Bool) -> Bool {
        guard !isLast else {
            news[transfer] = nil
            return true
        }
        news[transfer, default: 0] += 1
        return news[transfer, default: 0] <= 3
    }

    /// Whether the task on the link `number` has to look for receipts (once more).
    mutating func takeNewReceipt(on number: LinkNumber) -> Bool {
        guard receiptLink == number, hasNewReceipt else { return false }
        hasNewReceipt = false
        return true
    }

    /// The requests of a link are handled from now on.
    mutating func beginConsuming(_ number: LinkNumber) { consumedLinks[number] = false }

    /// A link has ended. Says whether the requests that wait on it are to be handled: one remainder at a time, so that
    /// a peer who calls again and again cannot pile them up. Dropped requests have not been answered, and come once
    /// more.
    mutating func keepsRemainder(of number: LinkNumber) -> Bool {
        guard consumedLinks[number] != nil, !consumedLinks.values.contains(true) else { return false }
        consumedLinks[number] = true
        return true
    }

    /// The last request of a link has been handled.
    mutating func endConsuming(_ number: LinkNumber) { consumedLinks[number] = nil }

    // MARK: Reading the state

    var link: ActiveLink? {
        if case .linked(let link) = phase { link } else { nil }
    }

    /// The link, if what our user writes may go out on it: both sides accepted, key unchanged, not blocked.
    var sendingLink: ActiveLink? {
        guard let link, link.isOnline, peer.trust != .keyChanged, !peer.isBlocked else { return nil }
        return link
    }

    /// The link, if stored operations may go out on it: one round trip earlier where the peer takes them right after
    /// our hello.
    var operationsLink: ActiveLink? {
        guard let link, link.takesOperations, peer.trust != .keyChanged, !peer.isBlocked else { return nil }
        return link
    }

    /// The state that people see. The caller fills in the round trip.
    var linkState: LinkState {
        if let room = peer.room {
            return roomLink ?? .offline(reason: room.isLeft ? .leftRoom : isPutOff ? .putOff : nil)
        }
        return switch phase {
        case .linked(let link) where link.isOnline: .online(details(of: link))
        case _ where isPutOff: .offline(reason: LinkReason.putOff)
        case _ where awaitsApproval: .awaitingApproval
        case .linked, .dialling(reason: nil): .connecting
        case .idle(reason: nil) where !hasPlace && !peer.isBlocked: .offline(reason: LinkReason.noAddress)
        // Another try of ours is no news while the last one failed: people read why, and nothing flickers.
        case .dialling(let reason), .idle(let reason): .offline(reason: reason)
        }
    }

    private func details(of link: ActiveLink) -> LinkDetails {
        var details = LinkDetails(
            remoteAddress: link.connection.info.remoteAddress, isEncrypted: link.connection.info.isEncrypted)
        details.isRefusing = isRefusing
        details.isRelayed = link.connection.info.proxy != nil || link.connection.info.relay != nil
        details.isOnion = link.connection.info.isOnion
        details.away = peerAway
        return details
    }

    /// The link state, if it has changed since the last call.
    mutating func takeStateChange() -> LinkState? {
        let state = linkState
        guard state != publishedState else { return nil }
        publishedState = state
        return state
    }

    // MARK: Dialling

    /// Whether to call them by ourselves: somewhere to call, nothing under way, not blocked. Where another key answered,
    /// too: it learns nothing of us, and when theirs answers again, all is well.
    var mayDial: Bool {
        guard case .idle = phase else { return false }
        return hasPlace && wantsLink
    }

    /// Whether there is somewhere to call them.
    private var hasPlace: Bool { !peer.addresses.isEmpty || calls.hasCandidate }

    /// The places where they are called, in this order.
    var places: [PeerAddress] { calls.order(peer.addresses) }

    /// Whether our user wants a link with them at all.
    var wantsLink: Bool { !isPutOff && !peer.isBlocked }

    /// Whether to call beside the present link, which seems to be dead; counts it.
    mutating func mayCallBeside(now: MonotonicTime) -> Bool {
        guard case .linked = phase, hasPlace, wantsLink else { return false }
        return calls.mayCallBeside(now: now)
    }

    /// A call begins; returns its number.
    mutating func beginDial() -> Int {
        if case .idle(let reason) = phase { phase = .dialling(reason: reason) } else { phase = .dialling(reason: nil) }
        dialNumber += 1
        wantsAnotherCall = false
        return dialNumber
    }

    /// Our user wants them now. A call that is under way may be about to fail, and says nothing about this moment.
    mutating func wantCall() {
        if case .dialling = phase { wantsAnotherCall = true }
    }

    /// The call `number` came to nothing.
    mutating func dialFailed(_ number: Int, reason: LinkReason) {
        guard number == dialNumber, case .dialling = phase else { return }
        phase = .idle(reason: reason)
        if !reason.isSilence { policy.pathAnswered() }
    }

    /// How long to wait before the next call; any earlier wait becomes stale. `wall`: what the clock on the wall shows.
    mutating func nextDelay(
        using generator: inout some RandomNumberGenerator, now: MonotonicTime, wall: Timestamp
    ) -> (delay: Duration, number: Int) {
        dialNumber += 1
        let away = wall.since(peer.lastSeen ?? peer.added)
        return (policy.nextDelay(using: &generator, waiting: queuedCount > 0, away: away, now: now), dialNumber)
    }

    /// Our user writes to them, or our network is another one: the next wait is short again. Why the last call failed stays to
    /// be read.
    mutating func shortenBackoff() { policy.reset() }

    /// The user asked, or they called us: the next wait is short again.
    mutating func resetBackoff() {
        policy.reset()
        if case .idle = phase { phase = .idle(reason: nil) }
    }

    // MARK: Links

    /// The outcome for a new link.
    enum Adoption {
        /// It is the link of this contact now; `replaced` must be closed.
        case stays(replaced: ActiveLink?)
        /// It must be closed, the present one stays.
        case refused
        /// Its way is worse than that of the present one, which has to show that it still lives (REACH 4).
        case waits(for: ActiveLink)
    }

    /// Two links that were made within this time count as dialled at once.
    static let simultaneous = Duration.seconds(10)

    /// Whether a new link takes the place of the present one, which has lasted for `age`. When both dialled at once,
    /// the link dialled by the smaller id stays (DESIGN 6.4), whichever came first. A link that comes later replaces
    /// the old one: nobody dials a peer to whom their link still lives.
    static func newLinkStays(isOutgoing: Bool, presentIsOutgoing: Bool, age: Duration, own: PeerID, peer: PeerID)
        -> Bool
    {
        guard isOutgoing != presentIsOutgoing, age < simultaneous else { return true }
        return isOutgoing == (own < peer)
    }

    /// One link per peer: the new one becomes it, or must go.
    mutating func adopt(_ link: ActiveLink, own: PeerID, now: MonotonicTime) -> Adoption {
        let present = self.link
        if let present, link.routeClass > present.routeClass { return .waits(for: present) }
        if let present, link.routeClass == present.routeClass {
            let stays = Self.newLinkStays(
                isOutgoing: link.isOutgoing, presentIsOutgoing: present.isOutgoing, age: now - present.opened,
                own: own, peer: link.peerID)
            guard stays else { return .refused }
        }
        become(link)
        return .stays(replaced: present)
    }

    /// `link` takes the place of `present`, which has not shown that it lives; `false` when that one is not the present one
    /// any more.
    mutating func replace(_ present: LinkNumber, by link: ActiveLink) -> Bool {
        guard self.link?.number == present else { return false }
        become(link)
        return true
    }

    private mutating func become(_ link: ActiveLink) {
        phase = .linked(link)
        endReason = nil
        policy.pathAnswered()
        outbox.linkEnded()
        // They say it anew over this link, if it is still so.
        isRefusing = false
        peerAway = nil
    }

    /// Changes the present link if it still is `number`.
    mutating func updateLink(_ number: LinkNumber, _ change: (inout ActiveLink) -> Void) {
        guard case .linked(var link) = phase, link.number == number else { return }
        change(&link)
        phase = .linked(link)
        if link.isAdmittedByPeer { awaitsApproval = false }
    }

    /// They answered our hello with `pending`.
    mutating func approvalPending(on number: LinkNumber) {
        guard link?.number == number else { return }
        awaitsApproval = true
    }

    /// They refused us on the link `number`, which will end for this reason: there is nothing left to wait for.
    mutating func noteRefusal(_ reason: LinkReason, on number: LinkNumber) {
        guard link?.number == number else { return }
        endReason = reason
        awaitsApproval = false
    }

    /// The link `number` is over; `false` when it was not the present one.
    mutating func linkEnded(_ number: LinkNumber, reason: LinkReason?, now: MonotonicTime) -> Bool {
        guard let link, link.number == number else { return false }
        policy.linkEnded(after: now - link.opened)
        phase = .idle(reason: endReason ?? reason)
        if reason?.isSilence == true { policy.pathBroke(at: now) }
        outbox.linkEnded()
        receiptLink = nil
        isRefusing = false
        peerAway = nil
        return true
    }
}
