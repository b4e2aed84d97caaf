// Emits what our user writes to Socket.IO rooms, in order (Docs/decisions/0029).

/// The only sender of what waits for rooms. `LiveRoom` and `OutboxWindow` decide what may go out now.
struct RoomSender {
    let core: ClientCore
    let live: LiveRooms
    let book: TransferBook
    let files: RoomFiles

    /// Bytes that a file for a room may have; `nil`: it is no room.
    func fileLimit(of contact: ContactID) -> Int? {
        guard core.isRoom(contact) else { return nil }
        return live[contact]?.facts?.maxPayload ?? core.configuration.limits.rooms.payload
    }

    /// Emits what waits for a room, if it may go out now. The only place that does.
    func pump(_ contact: ContactID) {
        guard core.isRunning, live[contact]?.mayEmit == true, core.links[contact]?.outbox.ask() == true else { return }
        core.links[contact]?.look = core.tasks.spawn { client in
            repeat {
                await client.rooms.sender.emitOldest(of: contact)
            } while client.core.links[contact]?.outbox.finishLook() == true
            client.core.links[contact]?.look = nil
        }
    }

    private func emitOldest(of contact: ContactID) async {
        guard let room = live[contact], room.mayEmit else { return }
        core.links[contact]?.outbox.beginReading()
        let entries = await core.records.quietly { () async throws(StoreError) in
            try await core.store.outbox(for: contact, limit: room.window)
        }
        guard let entries else { return pumpLater(contact) }
        if entries.count < room.window { core.links[contact]?.queuedCount = entries.count }
        guard live.isPresent(room.connection, of: contact), live[contact]?.mayEmit == true,
            let fresh = core.links[contact]?.outbox.admit(entries, now: core.clock.now())
        else { return }
        for (index, entry) in fresh.enumerated() {
            // In order: a line that cannot go out now holds up those after it.
            if live[contact]?.mayEmit == true, await emit(entry, to: contact, on: room.connection) { continue }
            for entry in fresh[index...] { core.links[contact]?.outbox.answered(entry.id) }
            return
        }
    }

    /// After what may pass, like a full disk.
    private func pumpLater(_ contact: ContactID) {
        core.tasks.spawn(after: core.configuration.limits.retryDelay) { $0.rooms.sender.pump(contact) }
    }

    /// `false`: nothing more can be emitted on this connection.
    private func emit(_ entry: OutboxEntry, to contact: ContactID, on connection: any RoomConnection) async -> Bool {
        guard case .message(let message) = entry.operation, let peer = core.links[contact]?.peer, let room = peer.room
        else {
            await drop(entry, of: contact)
            return true
        }
        let name = ownName(in: room)
        let event: RoomEvent
        switch message.content {
        case .text(let text):
            event = .line(message, text, from: name, room.url.names)
        case .file(let transfer):
            do throws(RoomFileFailure) {
                let bytes = try await files.read(transfer, limit: fileLimit(of: contact) ?? 0)
                event = .file(message, transfer, bytes, from: name, room.url.names)
            } catch {
                await fail(entry, message, transfer, error.reason)
                return true
            }
        }
        guard live.isPresent(connection, of: contact) else { return false }
        // Before it goes out: the echo may be quicker than the answer.
        live[contact]?.emitted(message)
        let receipt: RoomReceipt
        do throws(RoomEmitError) {
            receipt = try await connection.emit(event, patience: core.configuration.limits.rooms.patience)
        } catch {
            _ = live[contact]?.settled(message.id)
            return false
        }
        if message.state == .pending {
            _ = await core.records.quietly { () async throws(StoreError) in
                try await core.store.advanceState(of: message.id, in: contact, to: .sent)
            }
        }
        core.tasks.spawn { client in
            let answer = await receipt.answer()
            await client.rooms.sender.answered(entry, message, answer, on: connection)
        }
        if live[contact]?.asksForAcknowledgement() == true {
            core.tasks.spawn(after: core.configuration.limits.rooms.firstPatience) { client in
                let sender = client.rooms.sender
                guard sender.live.isPresent(connection, of: contact),
                    sender.live[contact]?.waitedForAcknowledgement() == true
                else { return }
                sender.pump(contact)
            }
        }
        return true
    }

    func ownName(in room: JoinedRoom) -> String { room.url.ownName ?? core.configuration.name }

    /// The server's answer to a message of ours.
    private func answered(
        _ entry: OutboxEntry, _ message: ChatMessage, _ answer: RoomReceipt.Answer, on connection: any RoomConnection
    ) async {
        let contact = message.contact
        guard live.isPresent(connection, of: contact) else { return }
        switch answer {
        case .acknowledged:
            live[contact]?.hasAcknowledged()
            await settle(message, as: .delivered)
        case .none:
            // The echo may have come first.
            guard live[contact]?.settled(message.id) == true else { break }
            live[contact]?.noteSilence(at: core.now())
            await giveOver(message, entry)
        // Its row goes out again.
        case .lost:
            _ = live[contact]?.settled(message.id)
            core.links[contact]?.outbox.answered(entry.id)
            // While the connection is up, nobody knows why the message was lost: try later, not at once.
            return live[contact]?.facts == nil ? () : pumpLater(contact)
        case .tooLarge(let limit):
            if case .file(let transfer) = message.content {
                await fail(entry, message, transfer, .tooLargeForRoom(limit: UInt64(max(limit, 0))))
            } else {
                await settle(message, as: .failed(reason: .tooLarge))
            }
        }
        core.links[contact]?.outbox.answered(entry.id)
        pump(contact)
    }

    /// A message of ours came back: the server has it.
    func confirm(_ id: MessageID, in contact: ContactID) async {
        let message = await core.records.quietly { () async throws(StoreError) in
            try await core.store.message(id, of: contact, .outgoing)
        }
        guard let message = message ?? nil else { return }
        await settle(message, as: .delivered)
        pump(contact)
    }

    /// Stores what became of a message of ours, as often as it takes: a row that stays goes out again.
    private func settle(_ message: ChatMessage, as state: DeliveryState) async {
        let contact = message.contact
        while core.isRunning {
            let isStored = await core.records.quietly { () async throws(StoreError) in
                _ = try await core.store.advanceState(of: message.id, in: contact, to: state)
                return true
            }
            if isStored == true { break }
            do { try await core.clock.wait(core.configuration.limits.retryDelay) } catch { return }
        }
        if live[contact]?.settled(message.id) == true { core.links[contact]?.queuedCount -= 1 }
        if state == .delivered { await finish(message) }
    }

    /// A server without acknowledgements never says more than that this went out.
    private func giveOver(_ message: ChatMessage, _ entry: OutboxEntry) async {
        _ = await core.records.quietly { () async throws(StoreError) in
            try await core.store.removeOutboxEntry(entry.id)
        }
        core.links[message.contact]?.queuedCount -= 1
        await finish(message)
    }

    private func finish(_ message: ChatMessage) async {
        guard case .file(let transfer) = message.content else { return }
        let time = core.now()
        await book.changeQuietly(transfer.id) {
            $0.state = .complete
            $0.reason = nil
            $0.transferred = $0.size
            $0.started = $0.started ?? time
            $0.finished = time
        }
    }

    private func fail(
        _ entry: OutboxEntry, _ message: ChatMessage, _ transfer: FileTransfer, _ reason: TransferReason
    ) async {
        let time = core.now()
        await book.changeQuietly(transfer.id) {
            $0.state = .failed
            $0.reason = reason
            $0.finished = time
        }
        await settle(message, as: .failed(reason: .fileNotSent))
        core.links[message.contact]?.outbox.answered(entry.id)
        // The lines after it waited for it.
        pump(message.contact)
    }

    /// Rooms know no such operation.
    private func drop(_ entry: OutboxEntry, of contact: ContactID) async {
        _ = await core.records.quietly { () async throws(StoreError) in
            try await core.store.removeOutboxEntry(entry.id)
        }
        core.links[contact]?.outbox.answered(entry.id)
        pump(contact)
    }
}
