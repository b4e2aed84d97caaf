// Why a round of calls to all places of a contact led to nobody: what the user hears, and whether a key has changed. Pure.

/// The failures of one round, the most telling of which is kept.
struct CallFailure {
    /// Of the best way that has failed.
    private var best: (index: Int, reason: LinkReason)?
    /// Somebody else answered: that says more than that nobody did.
    private var other: LinkReason?
    /// The key that answered where our user had given no key: perhaps theirs now.
    private(set) var presented: PeerID?

    var reason: LinkReason { presented == nil ? other ?? best?.reason ?? LinkReason.noAddress : LinkReason.keyChanged }

    /// Nobody answered, or nobody of use. `index`: how good the way is, 0 is the best one.
    mutating func note(_ reason: LinkReason, at index: Int) {
        if index <= best?.index ?? .max { best = (index, reason) }
    }

    /// Another key than the pinned one answered at `address`. `owner`: whose key it is, if we know them. A key that
    /// came with the address is the contact's, whoever answers there: only where the first key was trusted that answered
    /// can another one mean that it has changed (D12).
    mutating func met(_ key: PeerID, at address: PeerAddress, owner: LinkReason?) {
        guard owner == nil, address.peerID == nil else {
            other = other ?? owner ?? LinkReason.somebodyElse(endpoint: "\(address.endpoint)")
            return
        }
        presented = presented ?? key
    }
}
