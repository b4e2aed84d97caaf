// `hello` in both directions: the first request of every link, and the only one that strangers may send (PROTOCOL 4).

import BLIPNet

extension ChatClient {
    /// Introduces us; what they answer decides whether we may talk to them.
    func sayHello(to contact: ContactID, on link: ActiveLink) async {
        var hello = HelloRequest(
            name: ContactNames.cleaned(core.configuration.name, fallback: "somebody"), client: Self.clientName,
            listenPort: core.configuration.hidesAddress ? nil : listening.port,
            features: core.configuration.limits.features.names)
        hello.routes = relays.told
        hello.proof = reach.invitations.proof(to: link.peerID, exporter: link.connection.info.exporter)
        let pending = link.connection.submit(hello.encoded(), bodySink: nil)
        do throws(LinkError) {
            let response = try await pending.value()
            if response.error != nil {
                core.links[contact]?.noteRefusal(LinkReason.blockedByPeer, on: link.number)
                return link.close(reason: "refused")
            }
            switch try? HelloReply(decoding: response) {
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
        admit(request, on: link)
        let shared = hello.features(sharedWith: core.configuration.limits)
        updateLink(contact, link.number) {
            $0.features = shared
            $0.admitsPeer = true
        }
        await people.takeName(hello.name, of: contact)
    }

    /// Opens the gate before the reply is on its way: what they send after it must come through.
    private func admit(_ request: ReceivedRequest, on link: ActiveLink) {
        link.connection.admit()
        link.router.admit()
        link.answer(request, HelloReply.accepted.encoded())
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
        let isInvited = await reach.invitations.use(hello.proof, exporter: link.connection.info.exporter)
        if core.links.session(of: link.peerID) == nil, core.configuration.acceptsRequests || isInvited {
            _ = await core.records.quietly { () async throws(StoreError) in
                let name = ContactNames.cleaned(hello.name, fallback: "somebody")
                let peer = try await people.storeContact(peerID: link.peerID, name: name, addresses: [])
                if let address { people.hear(of: address, from: peer.id) }
                if let routes = hello.routes { people.hear(routes, from: peer.id) }
            }
            if isInvited { await people.dropRequests(of: link.peerID) }
        }
        if admitIfContact(link, request, hello) { return }
        await requests.record(hello, of: link.peerID, at: address, from: link.connection.info)
        // Our user may have approved or blocked them meanwhile.
        if admitIfContact(link, request, hello) || refuseIfBlocked(link, request) { return }
        link.answer(request, HelloReply.pending.encoded())
        link.close(reason: "pending")
    }

    /// A stranger who is a contact by now gets their link.
    private func admitIfContact(_ link: ActiveLink, _ request: ReceivedRequest, _ hello: HelloRequest) -> Bool {
        guard let peer = core.links.session(of: link.peerID)?.peer, !peer.isBlocked else { return false }
        _ = core.links.endStranger(link.number)
        admit(request, on: link)
        adopt(link, for: peer.id)
        let shared = hello.features(sharedWith: core.configuration.limits)
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
