// Contacts as they are stored: one task at a time changes each of them.

import BLIPNet

/// Changes contacts in the store and here.
struct People {
    let core: ClientCore
    let requests: RequestBook
    let listening: Listening
    /// The settings that the user has made for contacts by their names.
    let namedSettings: (any NamedSettings)?
    let turns = ContactTurns()

    /// Stores a contact under a free name and begins its session.
    func storeContact(
        peerID: PeerID?, name: String, addresses: [PeerAddress], isBlocked: Bool = false,
        isNameProvisional: Bool = false, room: JoinedRoom? = nil
    ) async throws(StoreError) -> Peer {
        let others = core.links.peers.filter { !$0.hasKey(peerID) }.map(\.name)
        let added = core.now()
        var contact = NewContact(
            peerID: peerID, name: ContactNames.unique(name, among: others), addresses: addresses, isBlocked: isBlocked,
            added: added)
        contact.isNameProvisional = isNameProvisional
        contact.room = room
        let peer = try await core.store.addContact(contact)
        core.links.know(peer)
        core.hub.publish(.conversationsChanged)
        listening.favourNetworks()
        return peer
    }

    func removeAddress(_ address: PeerAddress, of contact: ContactID) async throws(ChatError) {
        let peer = try core.person(contact, needing: .address).peer
        guard peer.addresses.contains(where: { $0.isSamePlace(as: address) }) else { throw .noSuchAddress }
        try await change(contact) { $0.addresses.removeAll { $0.isSamePlace(as: address) } }
        listening.favourNetworks()
    }

    func setMuted(_ contact: ContactID, until time: Timestamp?) async throws(ChatError) {
        try await change(contact) { $0.mutedUntil = time }
    }

    /// Changes a contact in the store first, then here.
    func change(_ contact: ContactID, _ change: (inout Peer) -> Void) async throws(ChatError) {
        await turns.take(contact)
        defer { turns.give(contact) }
        try await changeInTurn(contact, change)
    }

    /// The same for whoever has the turn with this contact.
    func changeInTurn(_ contact: ContactID, _ change: (inout Peer) -> Void) async throws(ChatError) {
        var peer = try core.session(with: contact).peer
        change(&peer)
        let changed = peer
        try await core.records.stored { () async throws(StoreError) in try await core.store.updateContact(changed) }
        if var present = core.links[contact]?.peer {
            change(&present)
            core.links[contact]?.peer = present
        }
        core.publishLinkState(of: contact)
        core.hub.publish(.conversationsChanged)
    }

    /// Writes down a contact as they are here. A failure becomes a notice; one who has been removed is nobody's loss.
    func writeContact(_ contact: ContactID) async {
        await turns.take(contact)
        defer { turns.give(contact) }
        guard let peer = core.links[contact]?.peer else { return }
        _ = await core.records.quietly { () async throws(StoreError) in
            do throws(StoreError) { try await core.store.updateContact(peer) } catch StoreError.notFound {}
        }
    }

    /// They are a contact now: their request has its answer.
    func dropRequests(of peerID: PeerID) async {
        guard await requests.drop(of: peerID) else { return }
        if let contact = core.links.session(of: peerID)?.peer.id { core.links[contact]?.announcesAcceptance = true }
        await requests.publish()
    }

    /// An invitation has brought us together.
    func met(_ contact: ContactID) async {
        core.links[contact]?.peer.metAt = core.now()
        await writeContact(contact)
        core.hub.publish(.conversationsChanged)
    }

    /// Writes down what has changed of a contact, and shows it.
    func keep(_ contact: ContactID) {
        core.tasks.spawn { client in
            await client.people.writeContact(contact)
            client.core.hub.publish(.conversationsChanged)
        }
    }

    /// Another key than the pinned one answered where our user had given none: stop, and say so (D12). It is kept for our
    /// user to decide about, or until the pinned one is proved again.
    func keyChanged(_ contact: ContactID, _ presented: PeerID) async {
        guard core.links[contact]?.peer.met(otherKey: presented) == true else { return }
        await writeContact(contact)
        core.hub.publish(.conversationsChanged)
        core.hub.publish(.notice(.keyChanged(contact)))
    }

    /// The pinned key has been proved on a link, whoever called: what another one at some address has begun is over.
    func endAlarm(about contact: ContactID) {
        if core.links[contact]?.peer.endAlarm() == true { keep(contact) }
    }

    func rememberSeen(_ contact: ContactID) {
        core.links[contact]?.peer.lastSeen = core.now()
        core.tasks.spawn { await $0.people.writeContact(contact) }
    }

    /// A contact says how they can be reached, in place of what they have said before; what our user has given stays.
    func hear(_ routes: [Route], from contact: ContactID) {
        guard let peer = core.links[contact]?.peer else { return }
        let own = peer.addresses.filter { $0.origin != .told }
        let isOpen = core.configuration.limits.network.privateRoutes > 0
        let told = routes.filter { route in
            (isOpen || !route.leadsInside) && !own.contains { $0.route == route }
        }
        let addresses =
            own
            + told.map { route in
                var address = PeerAddress(route, peerID: peer.peerID)
                address.origin = .told
                return address
            }
        guard addresses != peer.addresses else { return }
        core.links[contact]?.peer.addresses = addresses
        keep(contact)
        listening.favourNetworks()
    }

    /// A contact says that they can be called at `address`: that is tried before it is believed.
    func hear(of address: PeerAddress, from contact: ContactID) {
        guard let stored = core.links[contact]?.peer.addresses else { return }
        var ownHost: String?
        if case .host(let host, _)? = listening.endpoint { ownHost = host }
        guard CallBook.mayCall(address.host, stored: stored, ownHost: ownHost) else { return }
        core.links[contact]?.calls.hear(of: address, among: stored, now: core.clock.now())
    }
}
