// Our introduction, and what contacts see of us and we of them while they are linked: away, typing.

import BLIPNet

/// Says what nobody stores: that we type, that we are away, what we are called.
struct Presence {
    let core: ClientCore
    let listening: Listening
    let dialling: Dialling
    let relays: Relays

    var identity: LocalIdentity {
        var identity = LocalIdentity(peerID: core.ownID, name: core.configuration.name, address: nil, listening: nil)
        identity.away = core.away
        let routes = relays.via
        guard let endpoint = listening.endpoint, case .host(let bound, let port) = endpoint else {
            if let first = routes.first {
                identity.address = PeerAddress(first, peerID: core.ownID, name: core.configuration.name)
                identity.address?.via = Array(routes.dropFirst())
            }
            return identity
        }
        let host = core.configuration.advertisedHost ?? (LocalHost.isWildcard(bound) ? LocalHost.firstAddress() : bound)
        identity.address = PeerAddress(host: host, port: port, peerID: core.ownID, name: core.configuration.name)
        identity.address?.via = routes
        identity.listening = endpoint.description
        return identity
    }

    /// The first thing that we say of ourselves. `proof`: of an invitation.
    func hello(proving proof: [UInt8]?) -> HelloRequest {
        var hello = HelloRequest(
            name: ContactNames.cleaned(core.configuration.name, fallback: "somebody"), client: ChatClient.clientName,
            listenPort: core.configuration.hidesAddress ? nil : listening.port,
            features: core.configuration.features.names)
        hello.routes = relays.told
        hello.proof = proof
        return hello
    }

    func setOwnName(_ name: String) throws(ChatError) {
        core.configuration.name = try ContactNames.checked(name)
        core.hub.publish(.identityChanged(identity))
    }

    func setAway(_ reason: String?) throws(ChatError) {
        let bytes = reason?.utf8.count ?? 0
        guard bytes <= WireLimit.away else { throw .textTooLong(bytes: bytes, limit: WireLimit.away) }
        guard reason != core.away else { return }
        core.away = reason
        core.hub.publish(.identityChanged(identity))
        for contact in core.links.contacts { tellPresence(to: contact) }
    }

    /// Says whether we are away to a contact who is linked.
    func tellPresence(to contact: ContactID) {
        guard core.maySend(to: contact), let link = core.links[contact]?.sendingLink else { return }
        link.connection.submitNoReply(PresenceRequest(away: core.away).encoded())
    }

    func setTyping(_ composing: Bool, to contact: ContactID) {
        // A room hears nothing of it.
        guard !core.isRoom(contact) else { return }
        if composing { dialling.wake(contact) }
        guard
            !composing || (core.configuration.sendsTyping(to: core.links[contact]?.peer) && core.maySend(to: contact)),
            let link = core.links[contact]?.sendingLink,
            core.links[contact]?.typing.shouldSay(composing, now: core.clock.now()) == true
        else { return }
        link.connection.submitNoReply(TypingRequest(isComposing: composing).encoded())
    }

    func receiveTyping(_ typing: TypingRequest, _ contact: ContactID) {
        let isNews = core.links[contact]?.typing.peerSaid(typing.isComposing) == true
        if isNews { core.hub.publish(.typing(contact, typing.isComposing)) }
        guard typing.isComposing, let generation = core.links[contact]?.typing.generation else { return }
        core.tasks.spawn(after: TypingState.believedFor) { client in
            guard client.core.links[contact]?.typing.generation == generation else { return }
            client.presence.stopsTyping(contact)
        }
    }

    /// They are not typing any more.
    func stopsTyping(_ contact: ContactID) {
        if core.links[contact]?.typing.peerSaid(false) == true { core.hub.publish(.typing(contact, false)) }
    }
}
