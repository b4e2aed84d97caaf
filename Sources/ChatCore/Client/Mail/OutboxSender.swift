// Sends the operations that wait for contacts, in their order (DESIGN 3.1, RELIABILITY D2-D9).

import BLIPNet

/// The only sender of stored operations. `OutboxWindow` decides which ones may go.
struct OutboxSender {
    let core: ClientCore
    let dialling: Dialling
    let roomSender: RoomSender

    /// Whether one more operation may wait for `contact`.
    func check(_ contact: ContactID) throws(ChatError) {
        let session = try core.session(with: contact)
        guard !session.peer.isBlocked else { throw .blocked }
        guard session.peer.room?.isLeft != true else { throw .leftRoom(name: session.peer.name) }
        let limit = core.configuration.limits.outboxMessages
        guard session.queuedCount < limit else { throw .outboxFull(limit: limit) }
    }

    /// A new row is stored: send it.
    func enqueued(_ message: ChatMessage, isOneMore: Bool = true) {
        if isOneMore { core.links[message.contact]?.queuedCount += 1 }
        pump(message.contact)
        dialling.wake(message.contact)
    }

    /// Sends what waits for `contact`, if it may go out now. The only sender of stored operations.
    func pump(_ contact: ContactID) {
        guard !core.isRoom(contact) else { return roomSender.pump(contact) }
        guard core.isRunning, core.maySend(to: contact), core.links[contact]?.operationsLink != nil,
            core.links[contact]?.outbox.ask() == true
        else { return }
        core.links[contact]?.look = core.tasks.spawn { client in
            repeat {
                await client.outbox.sendOldest(of: contact)
            } while client.core.links[contact]?.outbox.finishLook() == true
            // A task that somebody knows keeps its memory after its end.
            client.core.links[contact]?.look = nil
        }
    }

    /// The same, and returns when what could go out is on its way.
    func pumped(_ contact: ContactID) async {
        pump(contact)
        await core.links[contact]?.look?.value
    }

    /// Submits the oldest rows that are not on the wire, in their order, and marks them sent.
    func sendOldest(of contact: ContactID) async {
        let limits = core.configuration.limits
        let window = core.links.takesBundles(contact) ? limits.sendWindowOfMany : limits.sendWindow
        core.links[contact]?.outbox.beginReading()
        let entries = await core.records.quietly { () async throws(StoreError) in
            try await core.store.outbox(for: contact, limit: window)
        }
        guard let entries else { return hold(contact) }
        if entries.count < window { core.links[contact]?.queuedCount = entries.count(where: \.isOfUser) }
        guard let link = core.links[contact]?.operationsLink,
            let fresh = core.links[contact]?.outbox.admit(
                entries, bytes: limits.network.unsentBytes, now: core.clock.now())
        else { return }
        for entry in fresh {
            let pending = link.connection.submit(entry.request, bodySink: nil)
            core.tasks.spawn(endsWithLink: true) { client in
                let result: Result<BLIPResponse, LinkError>
                do throws(LinkError) { result = .success(try await pending.value()) } catch { result = .failure(error) }
                await client.outbox.answered(entry, of: contact, on: link.number, result)
            }
        }
        if core.links[contact]?.outbox.beginWatch() == true {
            core.tasks.spawn { await $0.watchReplies(of: contact, on: link) }
        }
        await withTaskGroup { group in
            let records = core.records
            // Together, so that they share a commit.
            for entry in fresh where entry.isPending {
                group.addTask {
                    _ = await records.quietly { () async throws(StoreError) in
                        // It has gone out already, and would only go out again.
                        try await records.store.advance(entry, to: .sent, commit: .asynchronous)
                    }
                }
            }
        }
    }

    /// Handles the peer's answer to an outbox entry.
    func answered(
        _ entry: OutboxEntry, of contact: ContactID, on number: LinkNumber, _ result: Result<BLIPResponse, LinkError>
    ) async {
        // Entries of an earlier link are on their way again already; the receiver knows them by their ids.
        guard let link = core.links[contact]?.link, link.number == number else { return }
        switch result {
        case .success(let response) where response.error == .forbidden && !link.isAdmittedByPeer:
            // It went out right after our hello, which they may have refused: that says nothing about the entry.
            hold(contact, releasing: entry.id)
        case .success(let response):
            // Now, and not when it is written down: the next answer may be a refusal.
            if entry.state(after: response.error) != nil { noteRefusing(contact, false) }
            if response.error == nil { core.links[contact]?.outbox.accepted() }
            if await settle(entry, of: contact, error: response.error) {
                core.links[contact]?.outbox.answered(entry.id)
                pump(contact)
            } else {
                let isRefused = response.error == .insufficientStorage
                if isRefused { noteRefusing(contact, true) }
                hold(contact, releasing: entry.id, refused: isRefused)
            }
        case .failure(.limitExceeded): hold(contact, releasing: entry.id)
        case .failure: break
        }
    }

    /// Their disk is full, or has room again: told once, and shown with the link as long as it lasts (D9).
    private func noteRefusing(_ contact: ContactID, _ isRefusing: Bool) {
        guard let session = core.links[contact], session.isRefusing != isRefusing else { return }
        core.links[contact]?.isRefusing = isRefusing
        core.publishLinkState(of: contact)
        if isRefusing { core.hub.publish(.notice(.peerCannotStore(contact))) }
    }

    /// Writes down the answer; `false` when the entry must be sent again later.
    private func settle(_ entry: OutboxEntry, of contact: ContactID, error: BLIPErrorCode?) async -> Bool {
        guard let state = entry.state(after: error) else { return false }
        let isStored = await core.records.quietly { () async throws(StoreError) in
            try await core.store.advance(entry, to: state)
            return true
        }
        guard isStored == true else { return false }
        if entry.isOfUser { core.links[contact]?.queuedCount -= 1 }
        return true
    }

    /// Nothing more goes out for a while (full disk there, or ours fails); then again from the oldest row.
    private func hold(_ contact: ContactID, releasing entry: Int64? = nil, refused isRefused: Bool = false) {
        if let entry { core.links[contact]?.outbox.answered(entry) }
        guard core.links[contact]?.outbox.isHeld == false,
            let patience = core.links[contact]?.outbox.hold(refused: isRefused)
        else { return }
        core.tasks.spawn(after: core.configuration.limits.retryDelay * patience) { client in
            client.core.links[contact]?.outbox.release()
            client.outbox.pump(contact)
        }
    }
}
