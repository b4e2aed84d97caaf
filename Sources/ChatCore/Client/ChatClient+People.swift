// Contacts and contact requests, as users change them.

import BLIPNet

extension ChatClient {
    package func conversations() async throws(ChatError) -> [Conversation] {
        try await records.stored { () async throws(StoreError) in try await store.conversations() }
    }

    package func addContact(_ address: PeerAddress, name: String?) async throws(ChatError) -> Peer {
        guard !identity.isReached(at: address) else { throw .ownAddress }
        let wanted: String
        if let name {
            wanted = try ContactNames.checked(name)
        } else {
            wanted = ContactNames.cleaned(
                address.name ?? "", fallback: ContactNames.cleaned(address.host, fallback: "contact"))
        }
        if address.peerID == nil, let known = links.peer(at: address) { return known }
        // A name that the user gives is a name that the user will send to: it is theirs, or it is refused.
        if name != nil { try links.checkFree(wanted) { $0.hasKey(address.peerID) } }
        let peer = try await records.stored { () async throws(StoreError) in
            try await storeContact(
                peerID: address.peerID, name: wanted, addresses: [address],
                isNameProvisional: name == nil && address.name == nil)
        }
        if let peerID = address.peerID { await dropRequests(of: peerID) }
        reconnect(peer.id)
        return peer
    }

    /// Stores a contact under a free name and begins its session.
    func storeContact(
        peerID: PeerID?, name: String, addresses: [PeerAddress], isBlocked: Bool = false,
        isNameProvisional: Bool = false
    ) async throws(StoreError) -> Peer {
        let others = links.peers.filter { !$0.hasKey(peerID) }.map(\.name)
        let added = now()
        var contact = NewContact(
            peerID: peerID, name: ContactNames.unique(name, among: others), addresses: addresses, isBlocked: isBlocked,
            added: added)
        contact.isNameProvisional = isNameProvisional
        let peer = try await store.addContact(contact)
        links.know(peer)
        hub.publish(.conversationsChanged)
        favourNetworks()
        return peer
    }

    package func removeAddress(_ address: PeerAddress, of contact: ContactID) async throws(ChatError) {
        guard let peer = links[contact]?.peer else { throw .noSuchContact }
        guard peer.addresses.contains(where: { $0.isSamePlace(as: address) }) else { throw .noSuchAddress }
        try await change(contact) { $0.addresses.removeAll { $0.isSamePlace(as: address) } }
        favourNetworks()
    }

    package func removeContact(_ contact: ContactID) async throws(ChatError) {
        guard let session = links.forget(contact) else { throw .noSuchContact }
        if let link = session.link {
            stopTransfers(on: link.number)
            link.close(reason: "removed")
        }
        do throws(ChatError) {
            try await removePartials(of: contact)
            try await records.stored { () async throws(StoreError) in try await store.removeContact(contact) }
        } catch {
            links.know(session.peer, queuedCount: session.queuedCount)
            dial(contact)
            throw error
        }
        hub.publish(.conversationsChanged)
        await forgetSettings(of: session.peer.name)
        await housekeeping.purge()
    }

    package func setBlocked(_ contact: ContactID, _ blocked: Bool) async throws(ChatError) {
        try await change(contact) { $0.isBlocked = blocked }
        if blocked {
            links[contact]?.link?.close(reason: "")
            // Whoever answered in their place is refused with them.
            if let key = links[contact]?.peer.newPeerID {
                requests.refuse(key)
                await dropRequests(of: key)
            }
        } else {
            reconnect(contact)
        }
    }

    package func setVerified(_ contact: ContactID) async throws(ChatError) {
        let time = now()
        try await change(contact) {
            $0.trust = .verified
            $0.verifiedAt = time
            // Our user trusts the old key: if another one answers still, that is news.
            $0.newPeerID = nil
        }
        goOn(with: contact)
    }

    package func acceptNewKey(_ key: PeerID, of contact: ContactID, verified: Bool) async throws(ChatError) {
        guard let peer = links[contact]?.peer else { throw .noSuchContact }
        guard peer.trust == .keyChanged, peer.newPeerID == key, key != ownID, links.session(of: key) == nil else {
            throw .noSuchKey
        }
        let time = now()
        try await change(contact) { peer in
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
        // Who holds the old key is somebody else from now on.
        if let link = links[contact]?.link, link.peerID != key { link.close(reason: "another key") }
        await dropRequests(of: key)
        try await endOffers(to: contact)
        goOn(with: contact)
    }

    /// Files that were offered to the old key: nobody behind the new one knows of them. What still waits goes out.
    private func endOffers(to contact: ContactID) async throws(ChatError) {
        let time = now()
        try await forEachUnfinished(with: contact) { transfer throws(ChatError) in
            guard transfer.direction == .outgoing else { return true }
            let offer = try await records.stored { () async throws(StoreError) in try await store.message(transfer.id) }
            guard offer?.state == .delivered || offer?.state == .read else { return true }
            await changeQuietly(transfer.id) {
                $0.state = .failed
                $0.reason = TransferReason.keyChanged
                $0.finished = time
            }
            return true
        }
    }

    /// What had to wait for our user's word.
    private func goOn(with contact: ContactID) {
        reconnect(contact)
        tellWhatWaits(to: contact)
        resumeTransfers(with: contact)
    }

    /// They may be told now what they might not be told before.
    func tellWhatWaits(to contact: ContactID) {
        pump(contact)
        sendReadReceipts(to: contact)
        if away != nil { tellPresence(to: contact) }
    }

    package func setMuted(_ contact: ContactID, until time: Timestamp?) async throws(ChatError) {
        try await change(contact) { $0.mutedUntil = time }
    }

    package func setAutomaticAcceptance(_ limit: UInt64?, from contact: ContactID) async throws(ChatError) {
        try await change(contact) { $0.acceptsFilesUpTo = limit }
        // What waits is as welcome as what comes: not only at the next link.
        resumeTransfers(with: contact)
    }

    package func safetyNumber(for contact: ContactID) async throws(ChatError) -> [String]? {
        guard let session = links[contact] else { throw .noSuchContact }
        return session.peer.peerID.map { SafetyNumber.groups(ownID, $0) }
    }

    // MARK: Contact requests

    package func contactRequests() async throws(ChatError) -> [ContactRequest] {
        try await requests.all()
    }

    package func approveRequest(_ id: Int64, name: String?) async throws(ChatError) -> Peer {
        let request = try await requests.request(id)
        // As another contact it could not become that of the old one any more.
        if let peer = links.peers.first(where: { $0.newPeerID == request.peerID }) {
            throw .newKeyOf(peer.name)
        }
        let wanted = try name.map { name throws(ChatError) in try ContactNames.checked(name) }
        if let wanted { try links.checkFree(wanted) { $0.hasKey(request.peerID) } }
        let peer = try await records.stored { () async throws(StoreError) in
            let peer = try await storeContact(
                peerID: request.peerID, name: wanted ?? ContactNames.cleaned(request.name, fallback: "somebody"),
                addresses: [])
            try await store.removeContactRequest(id)
            return peer
        }
        await requests.publish()
        links[peer.id]?.announcesAcceptance = true
        if let address = request.address { hear(of: address, from: peer.id) }
        reconnect(peer.id)
        return peer
    }

    package func rejectRequest(_ id: Int64) async throws(ChatError) {
        try await requests.reject(try await requests.request(id))
    }

    package func blockRequest(_ id: Int64) async throws(ChatError) -> Peer {
        let request = try await requests.request(id)
        let peer = try await records.stored { () async throws(StoreError) in
            let peer = try await storeContact(
                peerID: request.peerID, name: ContactNames.cleaned(request.name, fallback: "somebody"),
                addresses: [], isBlocked: true)
            try await store.removeContactRequest(id)
            return peer
        }
        // Added by address meanwhile: their link ends, as with any block.
        links[peer.id]?.link?.close(reason: "")
        await requests.publish()
        return peer
    }

    /// They are a contact now: their request has its answer.
    func dropRequests(of peerID: PeerID) async {
        guard await requests.drop(of: peerID) else { return }
        if let contact = links.session(of: peerID)?.peer.id { links[contact]?.announcesAcceptance = true }
        await requests.publish()
    }

    // MARK: Parts

    /// Changes a contact in the store first, then here.
    private func change(_ contact: ContactID, _ change: (inout Peer) -> Void) async throws(ChatError) {
        await turns.take(contact)
        defer { turns.give(contact) }
        try await changeInTurn(contact, change)
    }

    /// The same for whoever has the turn with this contact.
    func changeInTurn(_ contact: ContactID, _ change: (inout Peer) -> Void) async throws(ChatError) {
        guard var peer = links[contact]?.peer else { throw .noSuchContact }
        change(&peer)
        let changed = peer
        try await records.stored { () async throws(StoreError) in try await store.updateContact(changed) }
        if var present = links[contact]?.peer {
            change(&present)
            links[contact]?.peer = present
        }
        publishLinkState(of: contact)
        hub.publish(.conversationsChanged)
    }

    /// Writes down a contact as they are here. A failure becomes a notice; one who has been removed is nobody's loss.
    func writeContact(_ contact: ContactID) async {
        await turns.take(contact)
        defer { turns.give(contact) }
        guard let peer = links[contact]?.peer else { return }
        _ = await records.quietly { () async throws(StoreError) in
            do throws(StoreError) { try await store.updateContact(peer) } catch StoreError.notFound {}
        }
    }
}
