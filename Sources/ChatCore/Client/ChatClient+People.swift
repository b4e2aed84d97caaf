// Contacts and contact requests, as users change them.

import BLIPNet

extension ChatClient {
    func addContact(_ address: PeerAddress, name: String?) async throws(ChatError) -> Peer {
        guard !identity.isReached(at: address) else { throw .ownAddress }
        let wanted: String
        if let name {
            wanted = try ContactNames.checked(name)
        } else {
            wanted = ContactNames.cleaned(
                address.name ?? "",
                fallback: ContactNames.cleaned(
                    address.route.routeClass == .direct ? address.host : "", fallback: "contact"))
        }
        if address.peerID == nil, let known = core.links.peer(at: address) { return known }
        // A name that the user gives is a name that the user will send to: it is theirs, or it is refused.
        if name != nil { try core.links.checkFree(wanted) { $0.hasKey(address.peerID) } }
        let peer = try await core.records.stored { () async throws(StoreError) in
            try await people.storeContact(
                peerID: address.peerID, name: wanted, addresses: address.places,
                isNameProvisional: name == nil && address.name == nil)
        }
        if let peerID = address.peerID {
            if let token = address.once { await reach.invitations.receive(token, of: peerID) }
            await people.dropRequests(of: peerID)
        }
        reach.neighbours.recognise()
        dialling.reconnect(peer.id)
        return peer
    }

    func removeContact(_ contact: ContactID) async throws(ChatError) {
        guard let session = core.links.forget(contact) else { throw .noSuchContact }
        rooms.close(contact)
        if let link = session.link {
            uploads.stopTransfers(on: link.number)
            link.close(reason: "removed")
        }
        do throws(ChatError) {
            try await decisions.removePartials(of: contact)
            try await core.records.stored { () async throws(StoreError) in try await core.store.removeContact(contact) }
        } catch {
            core.links.know(session.peer, queuedCount: session.queuedCount)
            dialling.dial(contact)
            throw error
        }
        core.hub.publish(.conversationsChanged)
        await people.forgetSettings(of: session.peer.name)
        await keeping.housekeeping.purge()
    }

    func setBlocked(_ contact: ContactID, _ blocked: Bool) async throws(ChatError) {
        _ = try core.person(contact, needing: .blocking)
        try await people.change(contact) { $0.isBlocked = blocked }
        if blocked {
            core.links[contact]?.link?.close(reason: "")
            // We refuse the key that answered in their place as well.
            if let key = core.links[contact]?.peer.newPeerID {
                requests.refuse(key)
                await people.dropRequests(of: key)
            }
        } else {
            dialling.reconnect(contact)
        }
    }

    func setVerified(_ contact: ContactID) async throws(ChatError) {
        _ = try core.person(contact, needing: .key)
        let time = core.now()
        try await people.change(contact) {
            $0.trust = .verified
            $0.verifiedAt = time
            // Our user trusts the old key: if another one answers still, that is news.
            $0.newPeerID = nil
        }
        goOn(with: contact)
    }

    func acceptNewKey(_ key: PeerID, of contact: ContactID, verified: Bool) async throws(ChatError) {
        let peer = try core.person(contact, needing: .key).peer
        guard peer.trust == .keyChanged, peer.newPeerID == key, key != core.ownID, core.links.session(of: key) == nil
        else {
            throw .noSuchKey
        }
        let time = core.now()
        try await people.change(contact) { peer in
            guard peer.newPeerID == key else { return }
            for index in peer.addresses.indices where peer.addresses[index].peerID == peer.peerID {
                peer.addresses[index].peerID = key
            }
            if let old = peer.peerID { peer.formerPeerIDs.append(old) }
            peer.peerID = key
            peer.newPeerID = nil
            peer.trust = verified ? .verified : .unverified
            peer.verifiedAt = verified ? time : nil
        }
        // The holder of the old key is somebody else from now on.
        if let link = core.links[contact]?.link, link.peerID != key { link.close(reason: "another key") }
        await people.dropRequests(of: key)
        try await endOffers(to: contact)
        goOn(with: contact)
    }

    /// Ends offers of files to the old key: the holder of the new one does not know them. Offers that still wait go out.
    private func endOffers(to contact: ContactID) async throws(ChatError) {
        let time = core.now()
        try await book.forEachUnfinished(with: contact) { transfer throws(ChatError) in
            guard transfer.direction == .outgoing else { return true }
            let offer = try await core.records.stored { () async throws(StoreError) in
                try await core.store.message(transfer.id)
            }
            guard offer?.state == .delivered || offer?.state == .read else { return true }
            await book.changeQuietly(transfer.id) {
                $0.state = .failed
                $0.reason = TransferReason.keyChanged
                $0.finished = time
            }
            return true
        }
    }

    /// Resumes what had to wait for our user's decision.
    private func goOn(with contact: ContactID) {
        dialling.reconnect(contact)
        tellWhatWaits(to: contact)
        downloads.resumeTransfers(with: contact)
    }

    /// Now we may tell them what we had to keep from them before.
    func tellWhatWaits(to contact: ContactID) {
        outbox.pump(contact)
        marks.sendReadReceipts(to: contact)
        if core.away != nil { presence.tellPresence(to: contact) }
    }

    func setAutomaticAcceptance(_ limit: UInt64?, from contact: ContactID) async throws(ChatError) {
        _ = try core.person(contact, needing: .acceptance)
        try await people.change(contact) { $0.acceptsFilesUpTo = limit }
        // Files that wait are as welcome as those that come: not only at the next link.
        downloads.resumeTransfers(with: contact)
    }

    func safetyNumber(for contact: ContactID) async throws(ChatError) -> [String]? {
        let session = try core.person(contact, needing: .key)
        return session.peer.peerID.map { SafetyNumber.groups(core.ownID, $0) }
    }

    // MARK: Contact requests

    func approveRequest(_ id: Int64, name: String?) async throws(ChatError) -> Peer {
        let request = try await requests.request(id)
        // As another contact it could not become that of the old one any more.
        if let peer = core.links.peers.first(where: { $0.newPeerID == request.peerID }) {
            throw .newKeyOf(peer.name)
        }
        let wanted = try name.map { name throws(ChatError) in try ContactNames.checked(name) }
        if let wanted { try core.links.checkFree(wanted) { $0.hasKey(request.peerID) } }
        let peer = try await core.records.stored { () async throws(StoreError) in
            let peer = try await people.storeContact(
                peerID: request.peerID, name: wanted ?? ContactNames.cleaned(request.name, fallback: "somebody"),
                addresses: [])
            try await core.store.removeContactRequest(id)
            return peer
        }
        await requests.publish()
        core.links[peer.id]?.announcesAcceptance = true
        if let address = request.address { people.hear(of: address, from: peer.id) }
        dialling.reconnect(peer.id)
        return peer
    }

    func blockRequest(_ id: Int64) async throws(ChatError) -> Peer {
        let request = try await requests.request(id)
        let peer = try await core.records.stored { () async throws(StoreError) in
            let peer = try await people.storeContact(
                peerID: request.peerID, name: ContactNames.cleaned(request.name, fallback: "somebody"),
                addresses: [], isBlocked: true)
            try await core.store.removeContactRequest(id)
            return peer
        }
        // Added by address meanwhile: their link ends, as with any block.
        core.links[peer.id]?.link?.close(reason: "")
        await requests.publish()
        return peer
    }
}
