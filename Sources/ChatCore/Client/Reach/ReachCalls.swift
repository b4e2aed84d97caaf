// The users' calls about reach: how they can be reached, how contacts are, and invitations (REACH 1).

import BLIPNet

/// Carries out what is asked. Belongs to the client.
struct ReachCalls {
    let core: ClientCore
    let reach: Reach
    let listening: Listening
    let presence: Presence
    let people: People
    let dialling: Dialling
    let joining: Joining
    let test: ReachTest

    func report() -> ReachReport {
        var isInside = true
        if let address = presence.identity.address, address.route.routeClass == .direct {
            isInside = address.route.leadsInside
        }
        return ReachReport(
            listening: listening.endpoint?.description, isInside: isInside, mapping: reach.mapping.state,
            relays: reach.relays.reports, onion: reach.onion.report, neighbours: reach.neighbours.state)
    }

    /// How long our user waits for the words at most, while a relay does not answer.
    private static let patience = Duration.seconds(3)
    /// The same while Tor tells others of their service.
    private static let announcing = Duration.seconds(30)

    /// An address that lets one person in without a request, and words that do the same. `place`: a relay that somebody has
    /// named, where ours are of no use.
    func invite(lasting lifetime: Duration?, at place: MeetPlace?) async throws(ChatError) -> Invitation {
        let places = reach.relays.places(named: place)
        var address = presence.identity.address
        let isNear = reach.neighbours.isLooking
        let byTor = reach.onion.takesWords
        let isSpoken = core.configuration.listen != nil && (!places.isEmpty || isNear || byTor)
        guard address != nil || isSpoken else { throw .notReachable }
        let entry = try await reach.invitations.make(lasting: lifetime)
        address?.once = entry.token
        var invitation = Invitation(address: address, until: entry.until, isReachable: report().isReachable)
        guard isSpoken,
            let spoken = await reach.invitations.speak(entry, at: places, byTor: byTor, lasting: lifetime)
        else { return invitation }
        await reach.meetings.settle(entry.number, within: Self.patience, announcing: Self.announcing)
        let states = reach.meetings.states(of: entry.number)
        let joined = states.first { $0.state.isJoined } ?? states.first
        invitation.spoken = Invitation.Spoken(
            words: "\(spoken.words)", until: spoken.until, place: joined?.place, isNear: isNear,
            onion: reach.meetings.onionState(of: entry.number))
        if case .failed(let reason)? = joined?.state { invitation.spoken?.trouble = reason }
        return invitation
    }

    /// The people in this network. `lifetime`: we are seen by name for so long.
    func nearby(showing lifetime: Duration?) -> NearbyReport { reach.neighbours.report(showing: lifetime) }

    /// The ways to a contact in the order in which they are tried; those that are not tried come last.
    func routes(of contact: ContactID) throws(ChatError) -> [RouteReport] {
        let session = try core.person(contact, needing: .address)
        let tried = session.places
        let others = session.peer.addresses.filter { !tried.contains($0) }
        var known = tried + others
        if let route = session.link?.route, !known.contains(where: { $0.route == route }) {
            // The mailbox of spoken words: nobody is called there again.
            var place = PeerAddress(route, peerID: session.peer.peerID)
            place.origin = .told
            known.append(place)
        }
        return known.map { RouteReport(address: $0, standing: standing(of: $0, session)) }
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
        // Anybody may answer at a relay: only a key tells who it is.
        guard route.routeClass == .direct || peer.peerID != nil else { throw .badAddress(.noRoute) }
        guard peer.addresses.count(where: { !$0.isLearned && $0.route != route }) < RouteList.most else {
            throw .badAddress(.tooManyRoutes)
        }
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
            core: core, reach: reach, listening: listening, presence: presence, people: people, dialling: dialling,
            joining: Joining(
                core: core, connecting: connecting, memory: waitingMemory, reach: reach, presence: presence,
                people: people),
            test: ReachTest(core: core, connecting: connecting, reach: reach, presence: presence))
    }
}
