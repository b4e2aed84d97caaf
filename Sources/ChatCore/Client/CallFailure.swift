// Why a round of calls to all places of a contact led to nobody: what the user hears, and whether a key has changed. Pure.

/// The failures of one round, the most telling of which is kept.
struct CallFailure {
    private var last = LinkReason.noAddress
    /// Somebody else answered: that says more than that nobody did.
    private var other: LinkReason?
    /// The key that answered where our user had given no key: perhaps theirs now.
    private(set) var presented: PeerID?

    var reason: LinkReason { presented == nil ? other ?? last : LinkReason.keyChanged }

    /// Nobody answered, or nobody of use.
    mutating func note(_ reason: LinkReason) { last = reason }

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
