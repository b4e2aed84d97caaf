// Calls: dialling and being called, one link per peer, and what happens when a link begins and ends (DESIGN 6.4).

import BLIPNet

extension ChatClient {
    // MARK: Calling (see ChatClient+Calling)

    /// Our call was answered. Returns why the connection is of no use, `nil` when it is (or is closed for another).
    func answered(
        _ contact: ContactID, _ connection: any PeerConnection, _ router: RequestRouter, along route: Route
    ) async -> LinkReason? {
        guard let fingerprint = connection.info.remoteFingerprint else {
            connection.close(code: 1008, reason: "no key")
            return LinkReason.noHello
        }
        let link = core.links.make(
            connection, router, PeerID(fingerprint), along: route, now: core.clock.now())
        guard core.isRunning else {
            link.close()
            return nil
        }
        switch core.links.answered(contact, by: link.peerID) {
        case .forgotten:
            link.close()
            return nil
        case .closes(let telling, let reason):
            link.close(reason: telling)
            return reason
        case .links(pins: true):
            await pin(link.peerID, for: contact)
            // Our user may have blocked them meanwhile.
            guard core.links[contact]?.wantsLink != false else {
                link.close(reason: "")
                return LinkReason.blocked
            }
        case .links(pins: false): break
        }
        adopt(link, for: contact)
        return nil
    }

    /// Trust on first use: from now on only this key is this contact.
    private func pin(_ peerID: PeerID, for contact: ContactID) async {
        core.links[contact]?.peer.peerID = peerID
        await people.writeContact(contact)
        await people.dropRequests(of: peerID)
        core.hub.publish(.conversationsChanged)
    }

    // MARK: Being called

    /// A call has passed its handshake. Known contacts get a link; others may say hello and nothing else.
    /// `invitation`: they have called at the mailbox of its words.
    func takeCall(_ connection: any PeerConnection, _ router: RequestRouter, invitation: Int? = nil) {
        if connection.info.isFileLane { return uploads.lanes.take(connection, router) }
        guard core.isRunning, let fingerprint = connection.info.remoteFingerprint else {
            connection.close(code: 1001, reason: "")
            return router.close()
        }
        let link = core.links.make(
            connection, router, PeerID(fingerprint), invitation: invitation, now: core.clock.now())
        switch core.links.called(by: link) {
        case .links(let contact): adopt(link, for: contact)
        case .closes(let telling): link.close(reason: telling)
        case .full: link.close(code: 1008, reason: "too many connections")
        case .stranger:
            core.tasks.spawn { await $0.listenToStranger(link) }
            core.tasks.spawn { client in
                _ = await link.connection.waitUntilClosed()
                // A stranger that has become a contact meanwhile has a link like others: we handle what they said
                // before they left.
                if client.core.links.endStranger(link.number) { link.router.close() }
            }
            closeUnlessOnline(link)
        }
    }

    // MARK: A link's life

    /// Makes `link` the contact's link, or closes it when the present one stays.
    func adopt(_ link: ActiveLink, for contact: ContactID) {
        // Nobody would close it any more after `stop`, which waits for its tasks.
        guard core.isRunning, let adoption = core.links.adopt(link, for: contact, now: core.clock.now()) else {
            return link.close(code: 1001, reason: "going away")
        }
        switch adoption {
        case .refused: return link.close(reason: "another link to the same peer stays")
        case .waits(let present):
            core.tasks.spawn { await $0.weigh(link, against: present, of: contact) }
            return
        case .stays(let replaced):
            if let replaced {
                uploads.stopTransfers(on: replaced.number)
                replaced.close(reason: "replaced by a newer link")
            }
        }
        begin(link, with: contact)
    }

    /// `link` is the contact's link from now on.
    func begin(_ link: ActiveLink, with contact: ContactID) {
        people.endAlarm(about: contact)
        if link.routeClass == .direct, core.links.note(link.connection.info.remoteHost) { listening.favourNetworks() }
        core.publishLinkState(of: contact)
        core.links[contact]?.beginConsuming(link.number)
        // Their key is that of a contact. Before our own hello tells them that they may.
        link.connection.admit()
        link.router.expectOperations()
        core.tasks.spawn { await $0.consumeChat(of: contact, on: link) }
        core.tasks.spawn { await $0.uploads.consumeFiles(of: contact, on: link) }
        core.tasks.spawn { client in
            let end = await link.connection.waitUntilClosed()
            await client.linkEnded(contact, link, end)
        }
        // Guests have said it before they know whom they have met.
        if !link.isAdmittedByPeer { core.tasks.spawn { await $0.sayHello(to: contact, on: link) } }
        closeUnlessOnline(link)
        reach.upgrades.linked(contact, along: link.routeClass)
    }

    /// Changes the link's state if it still is the contact's link, and goes online when both have accepted.
    func updateLink(_ contact: ContactID, _ number: LinkNumber, _ change: (inout ActiveLink) -> Void) {
        let isOnlineNow = core.links.update(contact, number, change)
        core.publishLinkState(of: contact)
        if isOnlineNow { cameOnline(contact) }
    }

    /// Both have accepted: everything that waited goes out.
    private func cameOnline(_ contact: ContactID) {
        guard let link = core.links[contact]?.link else { return }
        if core.links[contact]?.announcesAcceptance == true {
            core.links[contact]?.announcesAcceptance = false
            link.connection.submitNoReply(AcceptedRequest().encoded())
        }
        link.connection.ping()
        if core.away != nil { presence.tellPresence(to: contact) }
        outbox.pump(contact)
        marks.sendReadReceipts(to: contact)
        book.transfers.endRests(of: contact)
        downloads.resumeTransfers(with: contact)
        people.rememberSeen(contact)
        reach.upgrades.online(contact)
    }

    /// A link is over; or it counts as that, and whoever says so closes it.
    func linkEnded(_ contact: ContactID, _ link: ActiveLink, _ end: LinkError) async {
        if core.links[contact]?.keepsRemainder(of: link.number) == true {
            link.router.finish()
        } else {
            link.router.close()
        }
        uploads.stopTransfers(on: link.number)
        let wasOnline = core.links.isOnline(link, of: contact)
        let reason = end == .closedLocally ? nil : LinkReason(end)
        let now = core.clock.now()
        guard core.links[contact]?.linkEnded(link.number, reason: reason, now: now) == true else { return }
        core.links[contact]?.calls.linkEnded(along: link.route, after: now - link.opened, end, now: now)
        presence.stopsTyping(contact)
        if wasOnline, core.isRunning { people.rememberSeen(contact) }
        core.publishLinkState(of: contact)
        dialling.dialLater(contact)
    }

    /// A link on which no hello succeeds in time is closed (RELIABILITY 3).
    private func closeUnlessOnline(_ link: ActiveLink) {
        let spent = link.connection.info.began.map { MonotonicTime.now() - $0 } ?? .zero
        core.tasks.spawn(after: max(.zero, core.configuration.limits.network.handshakeTime - spent)) { client in
            if !client.core.links.isOnline(link) { link.closeWithoutHello() }
        }
    }

    // MARK: For users

    func linkState(of contact: ContactID) async -> LinkState {
        guard let session = core.links[contact] else { return .offline(reason: nil) }
        guard case .online(var details) = session.linkState, let link = session.link else { return session.linkState }
        details.roundTrip = await link.connection.roundTrip
        return .online(details)
    }

    /// Any answer counts, also that of a program that does not know the question: it has come all the way.
    func ping(_ contact: ContactID) async throws(ChatError) -> Duration {
        let session = try core.person(contact, needing: .link)
        guard let link = session.link, link.isOnline else { throw .notOnline }
        let start = core.clock.now()
        let pending = link.connection.submit(BLIPRequest(profile: "ping", urgent: true), bodySink: nil)
        do throws(LinkError) { _ = try await pending.value() } catch { throw .notOnline }
        return core.clock.now() - start
    }

    func traffic(with contact: ContactID) async -> LinkTraffic? {
        guard let link = core.links[contact]?.link else { return nil }
        let age = core.clock.now() - link.opened
        let roundTrip = await link.connection.roundTrip
        let counters = await link.connection.counters
        var traffic = LinkTraffic(age: age, roundTrip: roundTrip)
        traffic.queued = core.links[contact]?.queuedCount ?? 0
        traffic.waiting = core.links[contact]?.outbox.count ?? 0
        traffic.framesSent = counters.framesSent
        traffic.framesReceived = counters.framesReceived
        traffic.bytesSent = counters.bytesSent
        traffic.bytesReceived = counters.bytesReceived
        traffic.bytesSavedSent = counters.bytesSavedSent
        traffic.bytesSavedReceived = counters.bytesSavedReceived
        return traffic
    }
}
