// Socket.IO rooms, as users join and leave them.

import BLIPNet

extension ChatClient {
    func joinRoom(_ url: RoomURL, name: String?) async throws(ChatError) -> Peer {
        let wanted = try name.map { name throws(ChatError) in try ContactNames.checked(name) }
        guard let known = core.links.peers.first(where: { $0.room?.url.isSameRoom(as: url) == true }) else {
            let limit = core.configuration.limits.rooms.joined
            guard core.links.peers.count(where: { $0.room?.isLeft == false }) < limit else {
                throw .tooManyRooms(limit: limit)
            }
            if let wanted { try core.links.checkFree(wanted) { _ in false } }
            let peer = try await core.records.stored { () async throws(StoreError) in
                try await people.storeContact(
                    peerID: nil, name: wanted ?? ContactNames.cleaned(url.suggestedName, fallback: "room"),
                    addresses: [],
                    room: JoinedRoom(url: url))
            }
            dialling.reconnect(peer.id)
            return peer
        }
        if let wanted, wanted != known.name { try await people.renameContact(known.id, to: wanted) }
        // What the URL does not say is as usual again: the URL is all of the settings.
        try await people.change(known.id) { $0.room = JoinedRoom(url: url) }
        rooms.close(known.id)
        dialling.reconnect(known.id)
        return try core.session(with: known.id).peer
    }

    func leaveRoom(_ contact: ContactID) async throws(ChatError) {
        let peer = try core.session(with: contact).peer
        guard peer.room != nil else { throw .notARoom(name: peer.name) }
        try await people.change(contact) { $0.room?.isLeft = true }
        rooms.close(contact)
        core.publishLinkState(of: contact)
    }

    func roomDetails(of contact: ContactID) throws(ChatError) -> RoomDetails? {
        guard let room = try core.session(with: contact).peer.room else { return nil }
        return rooms.details(of: contact, room)
    }
}
