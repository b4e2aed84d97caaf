// Calls: dialling and being called, one link per peer, and what happens when a link begins and ends (DESIGN 6.4).

import BLIPNet

extension ChatClient {
    // MARK: Dialling

    /// Calls `contact` unless there is a link, a call under way, or a reason not to.
    func dial(_ contact: ContactID) {
        guard phase == .running, configuration.callsContacts else { return }
        switch links.dial(contact) {
        case .no: break
        case .later: dialLater(contact)
        case .now(let number):
            publishLinkState(of: contact)
            spawn { await $0.call(contact, number) }
        }
    }

    /// Tries the contact's places in turn. Another key at one of them says something only when none leads to the contact.
    private func call(_ contact: ContactID, _ number: Int) async {
        var failure = CallFailure()
        for address in links[contact]?.places ?? [] {
            guard phase == .running, let session = links.session(ofCall: number, to: contact) else { return }
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
                failure.note(LinkReason(error))
                guard case .wrongIdentity(_, let fingerprint) = error else {
                    noteCall(of: contact, to: address, .nobody)
                    continue
                }
                noteCall(of: contact, to: address, .otherKey)
                let key = PeerID(fingerprint)
                failure.met(key, at: address, owner: links.ownerElsewhere(key))
            }
        }
        // They may have called meanwhile, and shown the pinned key.
        guard let session = links.session(ofCall: number, to: contact) else { return }
        if let presented = failure.presented, session.wantsLink { await keyChanged(contact, presented) }
        links[contact]?.dialFailed(number, reason: failure.reason)
        publishLinkState(of: contact)
        if links[contact]?.wantsAnotherCall == true { wake(contact) } else { dialLater(contact) }
    }

    /// What a call to one place has met. A place that they have named themselves is kept when it was they.
    private func noteCall(of contact: ContactID, to address: PeerAddress, _ answer: CallBook.Answer) {
        guard let stored = links[contact]?.peer.addresses,
            let addresses = links[contact]?.calls.called(address, met: answer, stored: stored, now: clock.now())
        else { return }
        links[contact]?.peer.addresses = addresses
        keep(contact)
        favourNetworks()
    }

    /// Waits for the back-off (D8), then dials.
    func dialLater(_ contact: ContactID) {
        guard phase == .running, let wait = links.nextCall(of: contact) else { return }
        spawn(after: wait.delay) { client in
            guard client.links[contact]?.dialNumber == wait.number else { return }
            client.dial(contact)
        }
    }

    /// The user is writing to somebody who is not linked: the call is made now, not at the end of the wait (D8).
    func wake(_ contact: ContactID) {
        links[contact]?.wantCall()
        guard links[contact]?.mayDial == true else { return }
        links[contact]?.shortenBackoff()
        dial(contact)
    }

    /// Another key than the pinned one answered where our user had given none: stop, and say so (D12). It is kept for our
    /// user to decide about, or until the pinned one is proved again.
    private func keyChanged(_ contact: ContactID, _ presented: PeerID) async {
        guard links[contact]?.peer.met(otherKey: presented) == true else { return }
        await writeContact(contact)
        hub.publish(.conversationsChanged)
        hub.publish(.notice(.keyChanged(contact)))
    }

    /// The pinned key has been proved on a link, whoever called: what another one at some address has begun is over.
    func endAlarm(about contact: ContactID) {
        if links[contact]?.peer.endAlarm() == true { keep(contact) }
    }

    /// Writes down what has changed of a contact, and shows it.
    private func keep(_ contact: ContactID) {
        spawn { client in
            await client.writeContact(contact)
            client.hub.publish(.conversationsChanged)
        }
    }

    /// Our call was answered. Returns why the connection is of no use, `nil` when it is (or is closed for another).
    private func answered(
        _ contact: ContactID, _ connection: any PeerConnection, _ router: RequestRouter
    ) async -> LinkReason? {
        guard let fingerprint = connection.info.remoteFingerprint else {
            connection.close(code: 1008, reason: "no key")
            return LinkReason.noHello
        }
        let link = links.make(connection, router, PeerID(fingerprint), now: clock.now())
        guard phase == .running else {
            link.close()
            return nil
        }
        switch links.answered(contact, by: link.peerID) {
        case .forgotten:
            link.close()
            return nil
        case .closes(let telling, let reason):
            link.close(reason: telling)
            return reason
        case .links(pins: true):
            await pin(link.peerID, for: contact)
            // Our user may have blocked them meanwhile.
            guard links[contact]?.wantsLink != false else {
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
        links[contact]?.peer.peerID = peerID
        await writeContact(contact)
        await dropRequests(of: peerID)
        hub.publish(.conversationsChanged)
    }

    // MARK: Being called

    /// A call has passed its handshake. Known contacts get a link; others may say hello and nothing else.
    func takeCall(_ connection: any PeerConnection, _ router: RequestRouter) {
        guard phase == .running, let fingerprint = connection.info.remoteFingerprint else {
            connection.close(code: 1001, reason: "")
            return router.close()
        }
        let link = links.make(connection, router, PeerID(fingerprint), now: clock.now())
        switch links.called(by: link) {
        case .links(let contact): adopt(link, for: contact)
        case .closes(let telling): link.close(reason: telling)
        case .full: link.close(code: 1008, reason: "too many connections")
        case .stranger:
            spawn { await $0.listenToStranger(link) }
            spawn { client in
                _ = await link.connection.waitUntilClosed()
                // Who has become a contact meanwhile has a link like others: what they said before they left is handled.
                if client.links.endStranger(link.number) { link.router.close() }
            }
            closeUnlessOnline(link)
        }
    }

    // MARK: A link's life

    /// Makes `link` the contact's link, or closes it when the present one stays.
    func adopt(_ link: ActiveLink, for contact: ContactID) {
        // Nobody would close it any more after `stop`, which waits for its tasks.
        guard phase == .running, let adoption = links.adopt(link, for: contact, now: clock.now()) else {
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
        if links.note(link.connection.info.remoteHost) { favourNetworks() }
        publishLinkState(of: contact)
        links[contact]?.beginConsuming(link.number)
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
        let isOnlineNow = links.update(contact, number, change)
        publishLinkState(of: contact)
        if isOnlineNow { cameOnline(contact) }
    }

    /// Both have accepted: everything that waited goes out.
    private func cameOnline(_ contact: ContactID) {
        guard let link = links[contact]?.link else { return }
        if links[contact]?.announcesAcceptance == true {
            links[contact]?.announcesAcceptance = false
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
        links[contact]?.peer.lastSeen = now()
        spawn { await $0.writeContact(contact) }
    }

    private func linkEnded(_ contact: ContactID, _ link: ActiveLink, _ end: LinkError) async {
        if links[contact]?.keepsRemainder(of: link.number) == true {
            link.router.finish()
        } else {
            link.router.close()
        }
        stopTransfers(on: link.number)
        let wasOnline = links.isOnline(link, of: contact)
        let reason = end == .closedLocally ? nil : LinkReason(end)
        guard links[contact]?.linkEnded(link.number, reason: reason, now: clock.now()) == true else { return }
        stopsTyping(contact)
        if wasOnline, phase == .running { rememberSeen(contact) }
        publishLinkState(of: contact)
        dialLater(contact)
    }

    /// A link on which no hello succeeds in time is closed (RELIABILITY 3).
    private func closeUnlessOnline(_ link: ActiveLink) {
        let spent = link.connection.info.began.map { MonotonicTime.now() - $0 } ?? .zero
        spawn(after: max(.zero, configuration.limits.network.handshakeTime - spent)) { client in
            if !client.links.isOnline(link) { link.closeWithoutHello() }
        }
    }

    /// Asks for a sign of life when an answer takes too long (D8).
    private func watchReplies(of contact: ContactID, on link: ActiveLink) {
        let patience = configuration.limits.replyPatience
        spawn { client in
            while client.links.isPresent(link.number, of: contact) {
                do { try await client.clock.wait(patience / 3) } catch { return }
                guard let oldest = client.links[contact]?.outbox.oldest else { continue }
                if client.clock.now() - oldest > patience { link.connection.ping() }
            }
        }
    }

    // MARK: For users

    package func reconnect(_ contact: ContactID?) {
        for contact in contact.map({ [$0] }) ?? links.wanted() {
            links[contact]?.isPutOff = false
            links[contact]?.resetBackoff()
            links[contact]?.wantCall()
            dial(contact)
            publishLinkState(of: contact)
        }
    }

    package func linkState(of contact: ContactID) async -> LinkState {
        guard let session = links[contact] else { return .offline(reason: nil) }
        guard case .online(var details) = session.linkState, let link = session.link else { return session.linkState }
        details.roundTrip = await link.connection.roundTrip
        return .online(details)
    }
}
