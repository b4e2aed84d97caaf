// Calls: dialling and being called, one link per peer, and what happens when a link begins and ends (DESIGN 6.4).

import BLIPNet

extension ChatClient {
    // MARK: Dialling

    /// Calls `contact` unless there is a link, a call under way, or a reason not to.
    func dial(_ contact: ContactID) {
        guard phase == .running, configuration.callsContacts, sessions[contact]?.mayDial == true else { return }
        guard hasRoomForContact else { return dialLater(contact) }
        guard let number = sessions[contact]?.beginDial() else { return }
        publishLinkState(of: contact)
        spawn { await $0.call(contact, number) }
    }

    /// Tries the contact's places in turn. Another key at one of them says something only when none leads to the contact.
    private func call(_ contact: ContactID, _ number: Int) async {
        var failure = CallFailure()
        for address in sessions[contact]?.places ?? [] {
            guard phase == .running, let session = sessions[contact], session.dialNumber == number, session.link == nil
            else { return }
            guard session.wantsLink else {
                failure.note(session.isPutOff ? LinkReason.putOff : LinkReason.blocked)
                break
            }
            let router = RequestRouter(limits: configuration.limits, memory: waitingMemory)
            do throws(LinkError) {
                let connection = try await connecting.connect(
                    to: address.endpoint, expecting: session.peer.peerID ?? address.peerID,
                    through: configuration.proxy, handler: router)
                if let refusal = await answered(contact, connection, router) {
                    failure.note(refusal)
                    continue
                }
                return noteCall(of: contact, to: address, .pinnedKey)
            } catch {
                failure.note(LinkReason.text(error))
                guard case .wrongIdentity(_, let fingerprint) = error else {
                    noteCall(of: contact, to: address, .nobody)
                    continue
                }
                noteCall(of: contact, to: address, .otherKey)
                let key = PeerID(fingerprint)
                failure.met(key, at: address, owner: ownerElsewhere(key))
            }
        }
        // They may have called meanwhile, and shown the pinned key.
        guard let session = sessions[contact], session.dialNumber == number, session.link == nil else { return }
        if let presented = failure.presented, session.wantsLink { await keyChanged(contact, number, presented) }
        sessions[contact]?.dialFailed(number, reason: failure.reason)
        publishLinkState(of: contact)
        if sessions[contact]?.wantsAnotherCall == true { wake(contact) } else { dialLater(contact) }
    }

    /// What a call to one place has met. A place that they have named themselves is kept when it was they.
    private func noteCall(of contact: ContactID, to address: PeerAddress, _ answer: CallBook.Answer) {
        guard let stored = sessions[contact]?.peer.addresses,
            let addresses = sessions[contact]?.calls.called(address, met: answer, stored: stored, now: clock.now())
        else { return }
        sessions[contact]?.peer.addresses = addresses
        spawn { client in
            await client.writeContact(contact)
            client.hub.publish(.conversationsChanged)
        }
        favourNetworks()
    }

    /// Waits for the back-off (D8), then dials.
    func dialLater(_ contact: ContactID) {
        guard phase == .running, sessions[contact]?.mayDial == true,
            let wait = sessions[contact]?.nextDelay(using: &random)
        else { return }
        spawn(after: wait.delay) { client in
            guard client.sessions[contact]?.dialNumber == wait.number else { return }
            client.dial(contact)
        }
    }

    /// The user is writing to somebody who is not linked: the call is made now, not at the end of the wait (D8).
    func wake(_ contact: ContactID) {
        sessions[contact]?.wantCall()
        guard sessions[contact]?.mayDial == true else { return }
        sessions[contact]?.shortenBackoff()
        dial(contact)
    }

    /// Who answers there instead, in words, if the key is ours or that of another contact: then the address has passed
    /// to them (a port or a machine is used anew), and the contact's own key has not changed.
    private func ownerElsewhere(_ presented: PeerID) -> String? {
        presented == ownID ? LinkReason.ownKey : session(of: presented).map { LinkReason.answersInstead($0.peer.name) }
    }

    /// Another key than the pinned one answered where our user had given none: stop, and say so (D12). It is kept for our
    /// user to decide about, or until the pinned one is proved again.
    private func keyChanged(_ contact: ContactID, _ number: Int, _ presented: PeerID) async {
        guard let known = sessions[contact]?.peer else { return }
        let isNews = known.trust != .keyChanged || known.newPeerID != presented
        sessions[contact]?.peer.trust = .keyChanged
        sessions[contact]?.peer.newPeerID = presented
        guard isNews else { return }
        await writeContact(contact)
        hub.publish(.conversationsChanged)
        hub.publish(.notice(.keyChanged(contact)))
    }

    /// Alarms of earlier versions about contacts whose key came with their addresses: who answered was somebody else.
    func endOldAlarms() {
        for contact in sessions.keys where sessions[contact]?.peer.mayChangeKey == false { endAlarm(about: contact) }
    }

    /// The pinned key has been proved on a link, whoever called: what another one at some address has begun is over.
    private func endAlarm(about contact: ContactID) {
        guard sessions[contact]?.peer.endAlarm() == true else { return }
        spawn { client in
            await client.writeContact(contact)
            client.hub.publish(.conversationsChanged)
        }
    }

    /// Our call was answered. Returns why the connection is of no use, `nil` when it is (or is closed for another).
    private func answered(
        _ contact: ContactID, _ connection: any PeerConnection, _ router: RequestRouter
    ) async -> String? {
        guard let fingerprint = connection.info.remoteFingerprint else {
            connection.close(code: 1008, reason: "no key")
            return LinkReason.noHello
        }
        let link = makeLink(connection, router, PeerID(fingerprint))
        guard phase == .running, let session = sessions[contact] else {
            link.close()
            return nil
        }
        guard session.wantsLink else {
            link.close(reason: "")
            return session.isPutOff ? LinkReason.putOff : LinkReason.blocked
        }
        if link.peerID == ownID {
            link.close(reason: "own address")
            return LinkReason.ownKey
        }
        if let other = sessions.values.first(where: { $0.peer.peerID == link.peerID && $0.peer.id != contact }) {
            link.close(reason: "known under another name")
            return LinkReason.sameKey(as: other.peer.name)
        }
        if sessions[contact]?.peer.peerID == nil {
            await pin(link.peerID, for: contact)
            // Our user may have blocked them meanwhile.
            guard sessions[contact]?.wantsLink != false else {
                link.close(reason: "")
                return LinkReason.blocked
            }
        }
        adopt(link, for: contact)
        return nil
    }

    /// Trust on first use: from now on only this key is this contact.
    private func pin(_ peerID: PeerID, for contact: ContactID) async {
        sessions[contact]?.peer.peerID = peerID
        await writeContact(contact)
        await dropRequests(of: peerID)
        hub.publish(.conversationsChanged)
    }

    private func makeLink(_ connection: any PeerConnection, _ router: RequestRouter, _ peerID: PeerID) -> ActiveLink {
        ActiveLink(
            number: takeLinkNumber(), connection: connection, router: router, peerID: peerID, opened: clock.now())
    }

    // MARK: Being called

    /// A call has passed its handshake. Known contacts get a link; others may say hello and nothing else.
    func takeCall(_ connection: any PeerConnection, _ router: RequestRouter) {
        guard phase == .running, let fingerprint = connection.info.remoteFingerprint else {
            connection.close(code: 1001, reason: "")
            return router.close()
        }
        let link = makeLink(connection, router, PeerID(fingerprint))
        guard link.peerID != ownID else { return link.close(reason: "own address") }
        if let session = session(of: link.peerID), !session.peer.isBlocked {
            guard !session.isPutOff else { return link.close(reason: "") }
            guard session.link != nil || hasRoomForContact else { return refuse(link) }
            sessions[session.peer.id]?.resetBackoff()
            adopt(link, for: session.peer.id)
        } else {
            guard hasRoomForStranger(from: connection.info.remoteNetwork) else { return refuse(link) }
            strangers[link.number] = link
            spawn { await $0.listenToStranger(link) }
            spawn { client in
                _ = await link.connection.waitUntilClosed()
                // Who has become a contact meanwhile has a link like others: what they said before they left is handled.
                if client.strangers.removeValue(forKey: link.number) != nil { link.router.close() }
            }
            closeUnlessOnline(link)
        }
    }

    /// Whether one more link with a contact is within the limits.
    private var hasRoomForContact: Bool {
        sessions.values.count { $0.link != nil } < configuration.limits.network.knownConnections
    }

    /// Whether one more caller whose key we do not know is within the limits.
    private func hasRoomForStranger(from network: String) -> Bool {
        let limits = configuration.limits.network
        return strangers.count < limits.unknownConnections
            && strangers.values.count { $0.connection.info.remoteNetwork == network }
                < limits.unknownConnectionsPerAddress
    }

    private func refuse(_ link: ActiveLink) {
        link.close(code: 1008, reason: "too many connections")
        link.router.close()
    }

    func session(of peerID: PeerID) -> PeerSession? { sessions.values.first { $0.peer.peerID == peerID } }

    // MARK: A link's life

    /// Makes `link` the contact's link, or closes it when the present one stays.
    func adopt(_ link: ActiveLink, for contact: ContactID) {
        // Nobody would close it any more after `stop`, which waits for its tasks.
        guard phase == .running, let adoption = sessions[contact]?.adopt(link, own: ownID, now: clock.now()) else {
            return link.close(code: 1001, reason: "going away")
        }
        switch adoption {
        case .refused: return link.close(reason: "another link to the same peer stays")
        case .stays(let replaced):
            if let replaced {
                stopTransfers(on: replaced.number)
                replaced.close(reason: "replaced by a newer link")
            }
        }
        endAlarm(about: contact)
        if knownNetworks.note(link.connection.info.remoteHost) { favourNetworks() }
        publishLinkState(of: contact)
        sessions[contact]?.beginConsuming(link.number)
        spawn { await $0.consumeChat(of: contact, on: link) }
        spawn { await $0.consumeFiles(of: contact, on: link) }
        spawn { client in
            let end = await link.connection.waitUntilClosed()
            await client.linkEnded(contact, link, end)
        }
        spawn { await $0.sayHello(to: contact, on: link) }
        closeUnlessOnline(link)
        watchReplies(of: contact, on: link)
    }

    /// Changes the link's state if it still is the contact's link, and goes online when both have accepted.
    func updateLink(_ contact: ContactID, _ number: LinkNumber, _ change: (inout ActiveLink) -> Void) {
        let wasOnline = sessions[contact]?.link?.isOnline ?? false
        sessions[contact]?.updateLink(number, change)
        publishLinkState(of: contact)
        if !wasOnline, sessions[contact]?.link?.isOnline == true { cameOnline(contact) }
    }

    /// Both have accepted: everything that waited goes out.
    private func cameOnline(_ contact: ContactID) {
        guard let link = sessions[contact]?.link else { return }
        if sessions[contact]?.announcesAcceptance == true {
            sessions[contact]?.announcesAcceptance = false
            link.connection.submitNoReply(AcceptedRequest().encoded())
        }
        link.connection.ping()
        if away != nil { tellPresence(to: contact) }
        pump(contact)
        sendReadReceipts(to: contact)
        transfers.endRests(of: contact)
        resumeTransfers(with: contact)
        rememberSeen(contact)
    }

    private func rememberSeen(_ contact: ContactID) {
        sessions[contact]?.peer.lastSeen = now()
        spawn { await $0.writeContact(contact) }
    }

    private func linkEnded(_ contact: ContactID, _ link: ActiveLink, _ end: LinkError) async {
        if sessions[contact]?.keepsRemainder(of: link.number) == true {
            link.router.finish()
        } else {
            link.router.close()
        }
        stopTransfers(on: link.number)
        let wasOnline = sessions[contact]?.link?.number == link.number && sessions[contact]?.link?.isOnline == true
        let reason = end == .closedLocally ? nil : LinkReason.text(end)
        guard sessions[contact]?.linkEnded(link.number, reason: reason, now: clock.now()) == true else { return }
        if sessions[contact]?.typing.peerSaid(false) == true { hub.publish(.typing(contact, false)) }
        if wasOnline, phase == .running { rememberSeen(contact) }
        publishLinkState(of: contact)
        dialLater(contact)
    }

    /// A link on which no hello succeeds in time is closed (RELIABILITY 3).
    private func closeUnlessOnline(_ link: ActiveLink) {
        let spent = link.connection.info.began.map { MonotonicTime.now() - $0 } ?? .zero
        spawn(after: max(.zero, configuration.limits.network.handshakeTime - spent)) { client in
            guard client.session(of: link.peerID)?.link.map({ $0.number == link.number && $0.isOnline }) != true else {
                return
            }
            link.close(code: 1008, reason: LinkReason.noHello)
        }
    }

    /// Asks for a sign of life when an answer takes too long (D8).
    private func watchReplies(of contact: ContactID, on link: ActiveLink) {
        let patience = configuration.limits.replyPatience
        spawn { client in
            while client.sessions[contact]?.link?.number == link.number {
                do { try await client.clock.wait(patience / 3) } catch { return }
                guard let oldest = client.sessions[contact]?.outbox.oldest else { continue }
                if client.clock.now() - oldest > patience { link.connection.ping() }
            }
        }
    }

    // MARK: For users

    package func reconnect(_ contact: ContactID?) {
        // Who was put off stays so, unless everybody was.
        let all = sessions.keys.sorted()
        let wanted = all.filter { sessions[$0]?.wantsLink == true }
        for contact in contact.map({ [$0] }) ?? (wanted.isEmpty ? all : wanted) {
            sessions[contact]?.isPutOff = false
            sessions[contact]?.resetBackoff()
            sessions[contact]?.wantCall()
            dial(contact)
            publishLinkState(of: contact)
        }
    }

    package func linkState(of contact: ContactID) async -> LinkState {
        guard let session = sessions[contact] else { return .offline(reason: nil) }
        guard case .online(var details) = session.linkState, let link = session.link else { return session.linkState }
        details.roundTrip = await link.connection.roundTrip
        return .online(details)
    }
}
