// Stores the events of Socket.IO rooms like what contacts say (Docs/decisions/0029).

/// Takes in the events of rooms. Names and ids in them are claims that anybody there can make.
struct RoomReceiver {
    let core: ClientCore
    let live: LiveRooms
    let files: RoomFiles
    let sender: RoomSender
    let mailRoom: MailRoom

    func receive(_ event: RoomEvent, from contact: ContactID) async {
        guard let room = core.links[contact]?.peer.room else { return }
        switch RoomNews(event, room.url.names) {
        case .line(let line):
            await receive(.text(line.text), bytes: nil, line.sender, line.sent, line.id, in: room, contact)
        case .file(let file):
            let content = IncomingMessage.Content.file(
                name: file.name.flatMap { (1...255).contains($0.utf8.count) ? $0 : nil } ?? "room-file.bin",
                size: UInt64(file.bytes.count), modified: file.sent ?? core.now(),
                contentType: "application/octet-stream", caption: file.caption)
            await receive(content, bytes: file.bytes, file.sender, file.sent, file.id, in: room, contact)
        case .people(let names): live[contact]?.knows(names)
        case .other(let name):
            live[contact]?.note(.event(name: ContactNames.cleaned(name, fallback: "?")), at: core.now())
        case .malformed(let name): live[contact]?.note(.malformed(event: name), at: core.now())
        }
    }

    private func receive(
        _ content: IncomingMessage.Content, bytes: [UInt8]?, _ name: String?, _ sent: Timestamp?, _ id: MessageID?,
        in room: JoinedRoom, _ contact: ContactID
    ) async {
        let isOurName = name.map { $0 == sender.ownName(in: room) } ?? true
        if let own = await own(id, RoomEchoes.Content(content), sent, isOurName: isOurName, in: contact) {
            return await sender.confirm(own, in: contact)
        }
        let label = ContactNames.cleaned(name ?? "", fallback: "somebody")
        // Some servers repeat the whole history to whoever joins: if that took as long as new lines, the server's pings
        // would have to wait for it until the server ends the connection.
        if let id, bytes == nil, await isStored(id, content, from: label, in: contact) { return }
        let wait =
            core.links[contact]?.takeOperation(within: core.configuration.limits, now: core.clock.now()) ?? .zero
        // Meanwhile the connection reads no more than its buffer holds.
        if wait > .zero { do { try await core.clock.wait(wait) } catch { return } }
        guard content.roomText.utf8.count <= WireLimit.text else {
            live[contact]?.note(.tooLong(bytes: content.roomText.utf8.count, sender: label), at: core.now())
            return
        }
        let now = core.now()
        var message = IncomingMessage(
            id: id ?? MessageID(at: now), contact: contact, sequence: IncomingMessage.unnumbered, sent: sent ?? now,
            received: now, content: content)
        message.sender = label
        guard let bytes else {
            guard ChatText.isVisible(content.roomText) else { return }
            if await !mailRoom.receiveRoomMessage(message) { live[contact]?.note(.notStored(sender: label), at: now) }
            return
        }
        // A file has an id of its own: that of somebody else's would be taken (RELIABILITY D3).
        message.id = MessageID(at: now)
        guard await files.keep(bytes, as: message.id, of: contact) else {
            live[contact]?.note(.fileNotKept(size: UInt64(bytes.count), sender: label), at: now)
            return
        }
        guard await mailRoom.receiveRoomMessage(message) else { return await files.forget(message.id) }
    }

    /// Which message of ours came back; `nil`: somebody else said it.
    private func own(
        _ id: MessageID?, _ content: RoomEchoes.Content, _ sent: Timestamp?, isOurName: Bool, in contact: ContactID
    ) async -> MessageID? {
        if let own = live[contact]?.echoes.take(id, content, sent: sent, isOurName: isOurName) { return own }
        // A server may repeat what was said before; what was ours then still is.
        guard let id, let own = await stored(id, .outgoing, in: contact), RoomEchoes.Content(own) == content else {
            return nil
        }
        return id
    }

    /// Whether somebody's line is here already, as it was said.
    private func isStored(
        _ id: MessageID, _ content: IncomingMessage.Content, from label: String, in contact: ContactID
    ) async -> Bool {
        guard let known = await stored(id, .incoming, in: contact), known.sender == label else { return false }
        return RoomEchoes.Content(known) == RoomEchoes.Content(content)
    }

    private func stored(
        _ id: MessageID, _ direction: MessageDirection, in contact: ContactID
    ) async -> ChatMessage? {
        await core.records.quietly { () async throws(StoreError) in
            try await core.store.message(id, of: contact, direction)
        } ?? nil
    }
}

extension IncomingMessage.Content {
    /// The words that people read: a text, or the caption of a file.
    fileprivate var roomText: String {
        switch self {
        case .text(let text): text
        case .file(_, _, _, _, let caption, _): caption
        case .operation: ""
        }
    }
}
