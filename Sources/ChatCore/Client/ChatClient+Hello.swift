// `hello` in both directions: the first request of every link, and the only one that strangers may send (PROTOCOL 4).

import BLIPNet

extension ChatClient {
    /// Introduces us; what they answer decides whether we may talk to them.
    func sayHello(to contact: ContactID, on link: ActiveLink) async {
        let exporter = link.connection.info.exporter
        let hello = presence.hello(
            proving: link.hostProof ?? reach.invitations.proof(to: link.peerID, exporter: exporter))
        let pending = link.connection.submit(hello.encoded(), bodySink: nil)
        if hello.proof == nil {
            updateLink(contact, link.number) { $0.hasSaidHello = true }
            outbox.pump(contact)
        }
        do throws(LinkError) {
            let response = try await pending.value()
            if response.error != nil {
                core.links[contact]?.noteRefusal(LinkReason.blockedByPeer, on: link.number)
                return link.close(reason: "refused")
            }
            let reply = try? HelloReply(decoding: response)
            if let meeting = reply?.meeting {
                switch await reach.invitations.answered(meeting, by: link.peerID, exporter: exporter) {
                case .nothing: break
                case .met: await people.met(contact)
                case .used: core.hub.publish(.notice(.invitationUsed(contact)))
                case .refused:
                    core.links[contact]?.noteRefusal(LinkReason.unproved, on: link.number)
                    return link.close(code: 1008, reason: "not the one who invited")
                }
            }
            if let place = reply?.seenAt, link.isOutgoing, link.routeClass == .direct { reach.punching.noteSeen(place) }
            switch reply?.answer {
            case .accepted:
                updateLink(contact, link.number) { $0.isAdmittedByPeer = true }
                await reach.invitations.accepted(by: link.peerID)
            case .pending:
                core.links[contact]?.approvalPending(on: link.number)
                core.publishLinkState(of: contact)
                link.close(reason: "pending")
            case nil: link.close(code: 1002, reason: "bad reply to hello")
            }
        } catch {
            // The link is over; `linkEnded` says so.
        }
    }

    /// A contact has said hello: hear where to call them, and admit them.
    func receiveHello(_ hello: HelloRequest, _ request: ReceivedRequest, _ contact: ContactID, _ link: ActiveLink)
        async
    {
        guard core.links[contact]?.peer.isBlocked == false else {
            return link.answer(request, .failure(.forbidden, "blocked"))
        }
        if let address = link.place(of: hello) { people.hear(of: address, from: contact) }
        if let routes = hello.routes { people.hear(routes, from: contact) }
        // Known already, they come with an invitation all the same: it is used up, and they hear that it is ours.
        let meeting = await reach.invitations.judge(hello.proof, on: link, isStranger: false)
        if meeting.isInvited { await people.met(contact) }
        admit(request, on: link, meeting.reply)
        let shared = hello.features(sharedWith: core.configuration)
        updateLink(contact, link.number) {
            $0.features = shared
            $0.admitsPeer = true
        }
        outbox.pump(contact)
        await people.takeName(hello.name, of: contact)
    }

    /// Opens the gate before the reply is on its way: what they send after it must come through.
    private func admit(_ request: ReceivedRequest, on link: ActiveLink, _ meeting: HelloReply.Meeting?) {
        link.connection.admit()
        link.router.admit()
        link.answer(request, HelloReply(.accepted, meeting, seenAt: link.callersPlace).encoded())
    }

    // MARK: Strangers

    /// Waits for a stranger's hello; the router refuses everything else.
    func listenToStranger(_ link: ActiveLink) async {
        if let request = await link.router.chat.next() { await receiveStrangersHello(request, on: link) }
    }

    private func receiveStrangersHello(_ request: ReceivedRequest, on link: ActiveLink) async {
        let hello: HelloRequest
        switch request.content {
        case .hello(let said): hello = said
        case .malformed(let error):
            link.answer(request, error.response)
            return link.closeWithoutHello()
        default: return
        }
        let address = link.place(of: hello)
        if refuseIfBlocked(link, request) { return }
        let meeting = await reach.invitations.judge(hello.proof, on: link, isStranger: true)
        if link.invitation != nil, meeting.reply == nil {
            // A caller there knows the words, or is somebody in between.
            link.answer(request, .failure(.forbidden, "wrong words"))
            return link.close(code: 1008, reason: "wrong words")
        }
        if core.links.session(of: link.peerID) == nil, core.configuration.acceptsRequests || meeting.isInvited {
            _ = await core.records.quietly { () async throws(StoreError) in
                let name = ContactNames.cleaned(hello.name, fallback: "somebody")
                let peer = try await people.storeContact(peerID: link.peerID, name: name, addresses: [])
                if let address { people.hear(of: address, from: peer.id) }
                if let routes = hello.routes { people.hear(routes, from: peer.id) }
            }
            if meeting.isInvited { await people.dropRequests(of: link.peerID) }
        }
        if meeting.isInvited, let contact = core.links.session(of: link.peerID)?.peer.id {
            await people.met(contact)
            core.hub.publish(.notice(.guestCame(contact)))
        }
        if admitIfContact(link, request, hello, meeting.reply) { return }
        await requests.record(hello, of: link.peerID, at: address, from: link.connection.info)
        // Our user may have approved or blocked them meanwhile.
        if admitIfContact(link, request, hello, meeting.reply) || refuseIfBlocked(link, request) { return }
        link.answer(request, HelloReply(.pending, meeting.reply).encoded())
        link.close(reason: "pending")
    }

    /// A stranger who is a contact by now gets their link.
    private func admitIfContact(
        _ link: ActiveLink, _ request: ReceivedRequest, _ hello: HelloRequest, _ meeting: HelloReply.Meeting?
    ) -> Bool {
        guard let peer = core.links.session(of: link.peerID)?.peer, !peer.isBlocked else { return false }
        _ = core.links.endStranger(link.number)
        var link = link
        if case .proof(let proof)? = meeting { link.hostProof = proof }
        admit(request, on: link, meeting)
        adopt(link, for: peer.id)
        let shared = hello.features(sharedWith: core.configuration)
        updateLink(peer.id, link.number) {
            $0.features = shared
            $0.admitsPeer = true
        }
        return true
    }

    /// Tells a blocked caller that we have blocked them.
    private func refuseIfBlocked(_ link: ActiveLink, _ request: ReceivedRequest) -> Bool {
        guard core.links.session(of: link.peerID)?.peer.isBlocked == true else { return false }
        link.answer(request, .failure(.forbidden, "blocked"))
        link.close(code: 1008, reason: "")
        return true
    }
}
