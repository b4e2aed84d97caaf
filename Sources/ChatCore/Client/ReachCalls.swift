// What users ask of reach: how they can be reached, how contacts are, and invitations (REACH 1).

import BLIPNet

/// Carries out what is asked. Belongs to the client.
struct ReachCalls {
    let core: ClientCore
    let reach: Reach
    let listening: Listening
    let presence: Presence
    let people: People
    let dialling: Dialling

    func report() -> ReachReport {
        var isInside = true
        if let address = presence.identity.address, address.route.routeClass == .direct {
            isInside = address.route.leadsInside
        }
        return ReachReport(
            listening: listening.endpoint?.description, isInside: isInside, mapping: reach.mapping.state,
            relays: reach.relays.reports)
    }

    /// An address that lets one person in without a request.
    func invite(lasting lifetime: Duration?) async throws(ChatError) -> Invitation {
        guard var address = presence.identity.address else { throw .notReachable }
        let (token, until) = try await reach.invitations.make(lasting: lifetime ?? InvitationBook.lifetime)
        address.once = token
        return Invitation(address: address, until: until, isReachable: report().isReachable)
    }

    /// The ways to a contact in the order in which they are tried; those that are not tried come last.
    func routes(of contact: ContactID) throws(ChatError) -> [RouteReport] {
        let session = try core.person(contact, needing: .address)
        let tried = session.places
        let others = session.peer.addresses.filter { !tried.contains($0) }
        return (tried + others).map { address in
            RouteReport(address: address, standing: standing(of: address, session))
        }
    }

    private func standing(of address: PeerAddress, _ session: PeerSession) -> RouteReport.Standing {
        if let link = session.link, link.route == address.route { return .inUse }
        switch session.calls.answer(at: address.route) {
        case .pinnedKey: return .led
        case .otherKey: return .somebodyElse
        case .nobody: return .failed
        case nil: return .untried
        }
    }

    /// Adds a way that our user knows.
    func addRoute(_ route: Route, to contact: ContactID) async throws(ChatError) {
        let peer = try core.person(contact, needing: .address).peer
        // Whoever may answer at a relay: only a key tells.
        guard route.routeClass == .direct || peer.peerID != nil else { throw .badAddress(.noRoute) }
        try await people.change(contact) { peer in
            peer.addresses.removeAll { $0.route == route }
            peer.addresses.append(PeerAddress(route, peerID: peer.peerID))
        }
        listening.favourNetworks()
        dialling.reconnect(contact)
        reach.upgrades.somethingNew(for: contact)
    }
}

extension ChatClient {
    var relays: Relays { reach.relays }

    var reachCalls: ReachCalls {
        ReachCalls(
            core: core, reach: reach, listening: listening, presence: presence, people: people, dialling: dialling)
    }
}
