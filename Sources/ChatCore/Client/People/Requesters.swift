// The people who have asked to be contacts: how often, and whom our user has refused. Pure: time is passed in.

import BLIPNet

/// This run's memory of contact requests, beyond those that are stored (RELIABILITY D13).
struct Requesters {
    private var quota: CallerQuota
    /// Whose requests were refused, and when.
    private var refused: [PeerID: Timestamp] = [:]

    /// Milliseconds.
    static let refusalLasts: Int64 = 86_400_000
    static let refusalsKept = 1_000

    init(perDay: Int) { quota = CallerQuota(perDay: perDay) }

    /// Our user has refused their request: it does not come back for a day, as long as we run.
    mutating func refuse(_ peerID: PeerID, now: Timestamp) {
        refused = refused.filter { now.milliseconds - $0.value.milliseconds < Self.refusalLasts }
        if refused.count < Self.refusalsKept { refused[peerID] = now }
    }

    /// The refusal could not be stored.
    mutating func takeBackRefusal(of peerID: PeerID) { refused[peerID] = nil }

    /// Whether our user has refused them lately. They call again and again, and get the same answer as before.
    func isRefused(_ peerID: PeerID, now: Timestamp) -> Bool {
        guard let time = refused[peerID] else { return false }
        return now.milliseconds - time.milliseconds < Self.refusalLasts
    }

    /// Whether a request is to be kept for the user's word; counts it. One that is kept already is only renewed.
    mutating func admit(_ peerID: PeerID, from network: String, isKnown: Bool, now: Timestamp) -> Bool {
        !isRefused(peerID, now: now) && (isKnown || quota.admit(network, now: now))
    }
}
