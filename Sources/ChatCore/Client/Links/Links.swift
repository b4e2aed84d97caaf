// Contacts and links: who is called, who may call, whose link a connection becomes. Pure decisions; ChatClient (+Links,
// +Hello, +People) carries them out.

import BLIPNet

/// One session for each contact, and the callers whom we do not know yet.
struct Links {
    private(set) var sessions: [ContactID: PeerSession] = [:]
    /// Callers whose key belongs to no contact (or to a blocked one), until they have said hello.
    private var strangers: [LinkNumber: ActiveLink] = [:]
    /// Where contacts call from, and are called.
    private var known = KnownNetworks()
    private var lastNumber: UInt64 = 0
    private var random = SystemRandomNumberGenerator()
    private let ownID: PeerID
    private let limits: NetworkLimits
    private let policy: ReconnectPolicy
    private let tor: TorSetting

    init(ownID: PeerID, limits: NetworkLimits, policy: ReconnectPolicy, tor: TorSetting = .off) {
        self.ownID = ownID
        self.limits = limits
        self.policy = policy
        self.tor = tor
    }

    // MARK: Contacts

    subscript(contact: ContactID) -> PeerSession? {
        get { sessions[contact] }
        _modify { yield &sessions[contact] }
    }

    /// In a fixed order.
    var contacts: [ContactID] { sessions.keys.sorted() }

    var peers: some Sequence<Peer> { sessions.values.lazy.map(\.peer) }

    /// A contact is new, or has changed in the store.
    mutating func know(_ peer: Peer, queuedCount: Int = 0) {
        if sessions[peer.id] == nil {
            sessions[peer.id] = PeerSession(peer: peer, policy: policy, queuedCount: queuedCount, tor: tor)
        } else {
            sessions[peer.id]?.peer = peer
        }
    }

    mutating func forget(_ contact: ContactID) -> PeerSession? { sessions.removeValue(forKey: contact) }

    func session(of peerID: PeerID) -> PeerSession? { sessions.values.first { $0.peer.peerID == peerID } }

    func peer(at address: PeerAddress) -> Peer? {
        peers.first { peer in peer.addresses.contains { $0.isSamePlace(as: address) } }
    }

    /// A name belongs to one contact, as people see names. Throws where another one has it than the contact who is meant.
    func checkFree(_ name: String, except isMeant: (Peer) -> Bool) throws(ChatError) {
        let folded = ContactNames.folded(name)
        let owner = peers.first { !isMeant($0) && ContactNames.folded($0.name) == folded }
        if let owner { throw .store(.nameTaken(owner.name)) }
    }

    /// The networks for which the listener keeps places.
    var favoured: Set<String> { known.networks(with: peers) }

    /// For whom a connection is wanted when our user asks for links: those whom they have put off stay so, unless everybody
    /// was.
    func wanted() -> [ContactID] {
        let wanted = contacts.filter { sessions[$0]?.wantsLink == true }
        return wanted.isEmpty ? contacts : wanted
    }

    // MARK: Calling

    enum Dial: Equatable {
        /// Call now; this is the number of the call.
        case now(Int)
        /// There is no room for one more link.
        case later
        /// There is a link, a call under way, or a reason not to.
        case no
    }

    mutating func dial(_ contact: ContactID) -> Dial {
        guard sessions[contact]?.mayDial == true else { return .no }
        guard hasRoom, let number = sessions[contact]?.beginDial() else { return .later }
        return .now(number)
    }

    /// How long to wait before the next call; any earlier wait becomes stale.
    mutating func nextCall(
        of contact: ContactID, now: MonotonicTime, wall: Timestamp
    ) -> (delay: Duration, number: Int)? {
        guard sessions[contact]?.mayDial == true else { return nil }
        return sessions[contact]?.nextDelay(using: &random, now: now, wall: wall)
    }

    /// Whether one more way may be tried in the call `number`: there is no link yet, or only one that this way would be
    /// better than.
    func wantsAttempt(ofCall number: Int, to contact: ContactID, along routeClass: RouteClass) -> Bool {
        guard let session = sessions[contact], session.wantsLink, session.dialNumber == number else { return false }
        return session.link.map { routeClass < $0.routeClass } ?? true
    }

    /// The session of a call that is still wanted: nothing else has led to the contact meanwhile.
    func session(ofCall number: Int, to contact: ContactID) -> PeerSession? {
        guard let session = sessions[contact], session.dialNumber == number, session.link == nil else { return nil }
        return session
    }

    /// Names the peer who answers there instead, if the key is ours or another contact's: the address has then passed
    /// to them (a port or a machine is reused), and the contact's own key has not changed.
    func ownerElsewhere(_ presented: PeerID) -> LinkReason? {
        if presented == ownID { return .ownKey }
        return session(of: presented).map { .answersInstead(name: $0.peer.name) }
    }

    /// The outcome for a connection on which a call was answered.
    enum Answer: Equatable {
        /// It becomes the contact's link. `pins`: their key was not known before.
        case links(pins: Bool)
        /// It is closed; the peer hears this reason, and our user the other one.
        case closes(telling: String, because: LinkReason)
        /// The contact is gone, and nobody asks why.
        case forgotten
    }

    func answered(_ contact: ContactID, by key: PeerID) -> Answer {
        guard let session = sessions[contact] else { return .forgotten }
        guard session.wantsLink else {
            return .closes(telling: "", because: session.isPutOff ? LinkReason.putOff : LinkReason.blocked)
        }
        guard key != ownID else { return .closes(telling: "own address", because: LinkReason.ownKey) }
        if let other = peers.first(where: { $0.peerID == key && $0.id != contact }) {
            return .closes(telling: "known under another name", because: LinkReason.sameKey(name: other.name))
        }
        return .links(pins: session.peer.peerID == nil)
    }

    // MARK: Being called

    /// The outcome for a connection that somebody has made to us.
    enum Call: Equatable {
        case links(ContactID)
        /// They may say hello and nothing else.
        case stranger
        case closes(telling: String)
        case full
    }

    mutating func called(by link: ActiveLink) -> Call {
        guard link.peerID != ownID else { return .closes(telling: "own address") }
        guard let session = session(of: link.peerID), !session.peer.isBlocked else {
            guard hasRoomForStranger(from: link.connection.info.remoteNetwork) else { return .full }
            strangers[link.number] = link
            return .stranger
        }
        guard !session.isPutOff else { return .closes(telling: "") }
        guard session.link != nil || hasRoom else { return .full }
        sessions[session.peer.id]?.resetBackoff()
        return .links(session.peer.id)
    }

    /// A stranger has gone or become a contact; `false` when they were none any more.
    mutating func endStranger(_ number: LinkNumber) -> Bool { strangers.removeValue(forKey: number) != nil }

    /// Whether one more link with a contact is within the limits.
    private var hasRoom: Bool { sessions.values.count { $0.link != nil } < limits.knownConnections }

    /// Whether one more caller whose key we do not know is within the limits.
    private func hasRoomForStranger(from network: String) -> Bool {
        strangers.count < limits.unknownConnections
            && strangers.values.count { $0.connection.info.remoteNetwork == network }
                < limits.unknownConnectionsPerAddress
    }

    // MARK: A link's life

    /// A connection whose handshake is done; whose link it becomes is to be decided.
    mutating func make(
        _ connection: any PeerConnection, _ router: RequestRouter, _ peerID: PeerID, along route: Route? = nil,
        invitation: Int? = nil, now: MonotonicTime
    ) -> ActiveLink {
        lastNumber += 1
        return ActiveLink(
            number: LinkNumber(rawValue: lastNumber), connection: connection, router: router, peerID: peerID,
            opened: now, route: route, invitation: invitation)
    }

    /// Whether `link` is the contact's present one.
    func isPresent(_ link: LinkNumber, of contact: ContactID) -> Bool { sessions[contact]?.link?.number == link }

    /// One link per contact: the new one becomes it, or must go. `nil` when there is no such contact.
    mutating func adopt(_ link: ActiveLink, for contact: ContactID, now: MonotonicTime) -> PeerSession.Adoption? {
        sessions[contact]?.adopt(link, own: ownID, now: now)
    }

    /// Whether small files travel together with a contact now.
    func takesBundles(_ contact: ContactID) -> Bool {
        sessions[contact]?.sendingLink?.features.contains(.bundles) == true
    }

    /// A link that was to wait for a sign of life of a better one takes its place; `false` when that is not the present
    /// one any more.
    mutating func replace(_ present: LinkNumber, by link: ActiveLink, for contact: ContactID) -> Bool {
        sessions[contact]?.replace(present, by: link) == true
    }

    /// A contact is linked from, or at, this numeric address. Returns whether the listener is to know.
    mutating func note(_ host: String) -> Bool { known.note(host) }

    /// Changes the link's state if it still is the contact's link. `true` when both have accepted now.
    mutating func update(_ contact: ContactID, _ number: LinkNumber, _ change: (inout ActiveLink) -> Void) -> Bool {
        let wasOnline = sessions[contact]?.link?.isOnline ?? false
        sessions[contact]?.updateLink(number, change)
        return !wasOnline && sessions[contact]?.link?.isOnline == true
    }

    /// Whether hello has succeeded on this link, and it is the contact's present one.
    func isOnline(_ link: ActiveLink, of contact: ContactID) -> Bool {
        sessions[contact]?.link.map { $0.number == link.number && $0.isOnline } == true
    }

    /// The same, whoever they are.
    func isOnline(_ link: ActiveLink) -> Bool {
        session(of: link.peerID).map { isOnline(link, of: $0.peer.id) } == true
    }

    /// All of them, also those of strangers.
    var all: [ActiveLink] { sessions.values.compactMap(\.link) + strangers.values }

    /// Whether a request is to be handled: on the contact's present link each one is. Of the requests that waited when
    /// the link ended, those that are stored still count: their sender may be gone for days.
    func counts(isStored: Bool, from contact: ContactID, on link: ActiveLink) -> Bool {
        guard let session = sessions[contact] else { return false }
        if session.link?.number == link.number { return true }
        guard session.peer.peerID == link.peerID, !session.peer.isBlocked, session.peer.trust != .keyChanged else {
            return false
        }
        return isStored
    }
}
