// Whom we talk to, as stored: a person, or a room with several.

/// Our own number for a contact; it stays the same when the name, the address or the key changes.
package struct ContactID: Sendable, Hashable, Comparable {
    package let rawValue: Int64
    package init(_ rawValue: Int64) { self.rawValue = rawValue }
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A contact: a person, or a Socket.IO room. There is one conversation for each.
package struct Peer: Sendable, Equatable, Identifiable, Codable {
    package let id: ContactID
    /// The pinned key; `nil` until the first contact with an address that named none (trust on first use).
    package var peerID: PeerID?
    /// Our name for them; unique among contacts regardless of case.
    package var name: String
    /// Where to call them, best first; empty when only they can call us.
    package var addresses: [PeerAddress]
    package var trust: PeerTrust
    package var isBlocked: Bool
    package var added: Timestamp
    package var lastSeen: Timestamp?
    /// When an invitation made them a contact; `nil`: none did.
    package var metAt: Timestamp?
    /// The key that answered in place of the pinned one, while `trust` is `keyChanged`: our user decides about it.
    package var newPeerID: PeerID?
    /// The keys that were theirs before our user accepted others, the latest last.
    package var formerPeerIDs: [PeerID] = []
    /// When our user compared the number; `nil` when they never did, or did before this was kept.
    package var verifiedAt: Timestamp?
    /// Their messages neither ring nor notify until then; `Timestamp.endless`: for good.
    package var mutedUntil: Timestamp?
    /// Their offers up to so many bytes are accepted without asking; 0: always ask, `nil`: as configured for all.
    package var acceptsFilesUpTo: UInt64?
    /// Our user has given them no name: the one that they introduce themselves with will take its place.
    package var isNameProvisional = false
    /// It is a Socket.IO room and nobody: without a key and without addresses.
    package var room: JoinedRoom?

    package init(
        id: ContactID, peerID: PeerID?, name: String, addresses: [PeerAddress], trust: PeerTrust,
        isBlocked: Bool = false, added: Timestamp, lastSeen: Timestamp? = nil
    ) {
        self.id = id
        self.peerID = peerID
        self.name = name
        self.addresses = addresses
        self.trust = trust
        self.isBlocked = isBlocked
        self.added = added
        self.lastSeen = lastSeen
    }
}

extension Peer {
    /// Whether another key that answers can mean that theirs has changed: somewhere the first key was trusted that
    /// answered. Where all addresses came with the key, whoever answers with another one is somebody else.
    package var mayChangeKey: Bool { addresses.contains { $0.peerID == nil } }

    /// Another key has answered where our user had given none: it is kept for them to decide about. Returns whether that is
    /// news.
    package mutating func met(otherKey key: PeerID) -> Bool {
        guard trust != .keyChanged || newPeerID != key else { return false }
        trust = .keyChanged
        newPeerID = key
        return true
    }

    /// The pinned key has been proved, or nothing speaks against it any more: no other one is to be decided about.
    /// Returns whether that changes anything.
    package mutating func endAlarm() -> Bool {
        guard trust == .keyChanged || newPeerID != nil else { return false }
        if trust == .keyChanged { trust = verifiedAt == nil ? .unverified : .verified }
        newPeerID = nil
        return true
    }

    /// Whether this is their key, when there is one at all.
    func hasKey(_ key: PeerID?) -> Bool { key != nil && peerID == key }

    package func isMuted(at time: Timestamp) -> Bool { mutedUntil.map { time < $0 } ?? false }
}

/// How sure we are of a contact's key.
package enum PeerTrust: String, Sendable, Codable {
    /// Pinned, never compared.
    case unverified
    /// The user compared the safety number.
    case verified
    /// Another key answered at this contact's address; sending stops until the user has decided.
    case keyChanged
}

/// Somebody unknown who called and waits for our user's word. Nothing of what they send is shown until then.
package struct ContactRequest: Sendable, Equatable, Identifiable, Codable {
    package let id: Int64
    package var peerID: PeerID
    /// The name that they chose for themselves.
    package var name: String
    /// Where they can be called back, when they said so.
    package var address: PeerAddress?
    /// The network address that the call came from, for the user to see.
    package var origin: String
    package var received: Timestamp

    package init(
        id: Int64, peerID: PeerID, name: String, address: PeerAddress?, origin: String, received: Timestamp
    ) {
        self.id = id
        self.peerID = peerID
        self.name = name
        self.address = address
        self.origin = origin
        self.received = received
    }
}

/// Whether a contact can be reached right now.
package enum LinkState: Sendable, Equatable, Codable {
    /// No link and none being made; `reason` is the last failure.
    case offline(reason: LinkReason?)
    /// Dialling or in the handshake.
    case connecting
    /// Linked, but they have not accepted our contact request yet.
    case awaitingApproval
    /// Linked and accepted by both.
    case online(LinkDetails)

    package var isOnline: Bool {
        if case .online = self { true } else { false }
    }
}

/// The details of a link that `/status` and the details pane show.
package struct LinkDetails: Sendable, Equatable, Codable {
    /// The other end's network address as text.
    package var remoteAddress: String
    package var isEncrypted: Bool
    /// The last measured round trip, when there is one.
    package var roundTrip: Duration?
    /// They cannot store what we send; it waits here.
    package var isRefusing = false
    /// The link goes through a proxy.
    package var isRelayed = false
    /// The link goes through Tor.
    package var isOnion = false
    /// They have said that they are away, and perhaps why (empty: no reason given); `nil`: they have not.
    package var away: String?

    package init(remoteAddress: String, isEncrypted: Bool, roundTrip: Duration? = nil) {
        self.remoteAddress = remoteAddress
        self.isEncrypted = isEncrypted
        self.roundTrip = roundTrip
    }
}
