// From the user to the wire: store, then show, then send (DESIGN 3.1, RELIABILITY D2-D9).

import BLIPNet

extension ChatClient {
    // MARK: Messages

    package func send(
        _ text: String, to contact: ContactID, replyTo: MessageID?
    ) async throws(ChatError) -> ChatMessage {
        try ChatText.check(text)
        try checkOutbox(of: contact)
        let time = now()
        let message = try await records.stored { () async throws(StoreError) in
            try await store.enqueueMessage(to: contact, text: text, replyTo: replyTo, at: time)
        }
        links[contact]?.typing.forgetSaid()
        enqueued(message)
        return message
    }

    package func send(
        _ text: String, as id: MessageID, to contact: ContactID
    ) async throws(ChatError) -> ChatMessage {
        try ChatText.check(text)
        // Also what is known already: to a contact who is blocked nothing is sent, whatever was before.
        try checkOutbox(of: contact)
        let time = now()
        let once = try await records.stored { () async throws(StoreError) in
            try await store.enqueueMessage(id, to: contact, text: text, at: time)
        }
        switch once {
        case .stored(let message):
            links[contact]?.typing.forgetSaid()
            enqueued(message)
            return message
        case .known(let message):
            guard try await said(message, text) else { throw .idTaken(id) }
            return message
        case .taken: throw .idTaken(id)
        }
    }

    /// Whether a message of ours says `text`, or did before it was edited. What was taken back has no words any more that
    /// could be compared.
    private func said(_ message: ChatMessage, _ text: String) async throws(ChatError) -> Bool {
        guard case .text(let known) = message.content else { return false }
        if known == text || message.isRetracted { return true }
        return try await versions(of: message).contains { $0.text == text }
    }

    package func retry(_ id: MessageID) async throws(ChatError) -> ChatMessage {
        let old = try await records.stored { () async throws(StoreError) in try await store.message(id) }
        guard let old, old.fits(.failed) else { throw .noSuchMessage }
        let new: ChatMessage
        switch old.content {
        case .text(let text): new = try await send(text, to: old.contact, replyTo: old.replyTo)
        case .file(let file):
            guard let path = file.path else { throw .noSuchMessage }
            new = try await sendFile(at: path, named: file.name, caption: file.caption, to: old.contact)
        }
        // Where this cannot be written it stays what it is, a message that failed.
        _ = await records.quietly { () async throws(StoreError) in try await store.markSentAgain(id, in: old.contact) }
        return new
    }

    /// Whether one more operation may wait for `contact`.
    func checkOutbox(of contact: ContactID) throws(ChatError) {
        guard let session = links[contact] else { throw .noSuchContact }
        guard !session.peer.isBlocked else { throw .blocked }
        let limit = configuration.limits.outboxMessages
        guard session.queuedCount < limit else { throw .outboxFull(limit: limit) }
    }

    /// A new row is stored: send it.
    func enqueued(_ message: ChatMessage) {
        links[message.contact]?.queuedCount += 1
        pump(message.contact)
        wake(message.contact)
    }

    // MARK: The outbox

    /// Sends what waits for `contact`, if it may go out now. The only sender of stored operations.
    func pump(_ contact: ContactID) {
        guard phase == .running, maySend(to: contact), links[contact]?.sendingLink != nil,
            links[contact]?.outbox.ask() == true
        else { return }
        links[contact]?.look = spawn { client in
            repeat { await client.sendOldest(of: contact) } while client.links[contact]?.outbox.finishLook() == true
        }
    }

    /// The same, and returns when what could go out is on its way.
    func pumped(_ contact: ContactID) async {
        pump(contact)
        await links[contact]?.look?.value
    }

    /// Submits the oldest rows that are not on the wire, in their order, and marks them sent.
    private func sendOldest(of contact: ContactID) async {
        let window = configuration.limits.sendWindow
        links[contact]?.outbox.beginReading()
        let entries = await records.quietly { () async throws(StoreError) in
            try await store.outbox(for: contact, limit: window)
        }
        guard let entries else { return hold(contact) }
        if entries.count < window { links[contact]?.queuedCount = entries.count(where: \.isOfUser) }
        guard let link = links[contact]?.sendingLink,
            let fresh = links[contact]?.outbox.admit(
                entries, bytes: configuration.limits.network.unsentBytes, now: clock.now())
        else { return }
        for entry in fresh {
            let pending = link.connection.submit(entry.request, bodySink: nil)
            spawn(endsWithLink: true) { client in
                let result: Result<BLIPResponse, LinkError>
                do throws(LinkError) { result = .success(try await pending.value()) } catch { result = .failure(error) }
                await client.answered(entry, of: contact, on: link.number, result)
            }
        }
        for entry in fresh where entry.isPending {
            _ = await records.quietly { () async throws(StoreError) in try await store.advance(entry, to: .sent) }
        }
    }

    /// What the peer says to an outbox entry.
    private func answered(
        _ entry: OutboxEntry, of contact: ContactID, on number: LinkNumber, _ result: Result<BLIPResponse, LinkError>
    ) async {
        // Entries of an earlier link are on their way again already; the receiver knows them by their ids.
        guard links[contact]?.link?.number == number else { return }
        switch result {
        case .success(let response):
            if await settle(entry, of: contact, error: response.error) {
                links[contact]?.outbox.answered(entry.id)
                if response.error == nil { links[contact]?.outbox.accepted() }
                noteRefusing(contact, false)
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
        guard let session = links[contact], session.isRefusing != isRefusing else { return }
        links[contact]?.isRefusing = isRefusing
        publishLinkState(of: contact)
        if isRefusing { hub.publish(.notice(.peerCannotStore(contact))) }
    }

    /// Writes down the answer; `false` when the entry must be sent again later.
    private func settle(_ entry: OutboxEntry, of contact: ContactID, error: BLIPErrorCode?) async -> Bool {
        guard let state = entry.state(after: error) else { return false }
        let isStored = await records.quietly { () async throws(StoreError) in
            try await store.advance(entry, to: state)
            return true
        }
        guard isStored == true else { return false }
        if entry.isOfUser { links[contact]?.queuedCount -= 1 }
        return true
    }

    /// Nothing more goes out for a while (full disk there, or ours fails); then again from the oldest row.
    private func hold(_ contact: ContactID, releasing entry: Int64? = nil, refused isRefused: Bool = false) {
        if let entry { links[contact]?.outbox.answered(entry) }
        guard links[contact]?.outbox.isHeld == false,
            let patience = links[contact]?.outbox.hold(refused: isRefused)
        else { return }
        spawn(after: configuration.limits.retryDelay * patience) { client in
            client.links[contact]?.outbox.release()
            client.pump(contact)
        }
    }

    // MARK: Read receipts and typing

    package func markSeen(_ contact: ContactID, upTo position: HistoryPosition) async throws(ChatError) {
        guard links[contact] != nil else { throw .noSuchContact }
        let receipt = try await records.stored { () async throws(StoreError) in
            try await store.markSeen(contact: contact, upTo: position)
        }
        guard let receipt else { return }
        hub.publish(.conversationsChanged)
        if configuration.sendsReceipts(to: links[contact]?.peer) { return sendReadReceipts(to: contact) }
        // What was read while receipts are off is never told, also not when they are on again.
        try await records.stored { () async throws(StoreError) in
            try await store.confirmReadReceipt(contact: contact, upTo: receipt)
        }
    }

    /// Sends the newest watermark until the peer has confirmed it; one task per link.
    func sendReadReceipts(to contact: ContactID) {
        guard phase == .running, maySend(to: contact), let link = links[contact]?.sendingLink else { return }
        links[contact]?.hasNewReceipt = true
        guard links[contact]?.receiptLink != link.number else { return }
        links[contact]?.receiptLink = link.number
        spawn { client in
            // Asked again while the store was saying that there is nothing, it has to be asked once more.
            while client.links[contact]?.takeNewReceipt(on: link.number) == true {
                guard await client.sendReceipts(of: contact, on: link) else { break }
            }
            if client.links[contact]?.receiptLink == link.number { client.links[contact]?.receiptLink = nil }
        }
    }

    /// `false` when one could not be sent or confirmed: the next link or mark tries again.
    private func sendReceipts(of contact: ContactID, on link: ActiveLink) async -> Bool {
        while links[contact]?.receiptLink == link.number {
            let next = await records.quietly { () async throws(StoreError) in
                try await store.unsentReadReceipt(for: contact)
            }
            guard let id = next ?? nil else { break }
            let pending = link.connection.submit(ReadRequest(upTo: id).encoded(), bodySink: nil)
            guard let response = try? await pending.value(), response.error == nil else { return false }
            let isStored = await records.quietly { () async throws(StoreError) in
                try await store.confirmReadReceipt(contact: contact, upTo: id)
                return true
            }
            if isStored == nil { return false }
        }
        return true
    }

    package func setTyping(_ composing: Bool, to contact: ContactID) {
        if composing { wake(contact) }
        guard !composing || (configuration.sendsTyping(to: links[contact]?.peer) && maySend(to: contact)),
            let link = links[contact]?.sendingLink,
            links[contact]?.typing.shouldSay(composing, now: clock.now()) == true
        else { return }
        link.connection.submitNoReply(TypingRequest(isComposing: composing).encoded())
    }
}

extension HistoryStore {
    /// Writes down how far an entry of the outbox is. News of a transfer have been told once they are answered.
    func advance(_ entry: OutboxEntry, to state: DeliveryState) async throws(StoreError) {
        switch entry.operation {
        case .message(let message): _ = try await advanceState(of: message.id, in: message.contact, to: state)
        case .operation(let operation):
            _ = try await advanceOperation(operation.id, in: operation.contact, to: state)
        case .fileStatus: try await removeOutboxEntry(entry.id)
        }
    }
}

extension OutboxEntry {
    /// The user entered it; news of transfers are ours.
    fileprivate var isOfUser: Bool {
        if case .fileStatus = operation { false } else { true }
    }

    /// It has not been sent before, as its row says.
    fileprivate var isPending: Bool {
        switch operation {
        case .message(let message): message.state == .pending
        case .operation(let operation): operation.state == .pending
        case .fileStatus: false
        }
    }

    /// As it goes over the wire.
    var request: BLIPRequest {
        switch operation {
        case .message(let message):
            message.request
        case .operation(let operation): operation.request
        case .fileStatus(let transfer, let state, let reason):
            FileStatusRequest(
                id: transfer, state: FileStatusRequest.State(state),
                reason: state == .failed && reason == TransferReason.digestDiffers ? .digest : nil
            ).encoded()
        }
    }
}

extension ChatMessage {
    /// As it goes over the wire.
    fileprivate var request: BLIPRequest {
        let head = StoredHead(id: id, sequence: sequence, sent: sent)
        return switch content {
        case .text(let text): MessageRequest(head, replyTo: replyTo, text: text).encoded()
        case .file(let file):
            FileOfferRequest(
                head, name: file.name, size: file.size, modified: file.modified, contentType: file.contentType,
                caption: file.caption, place: file.place
            ).encoded()
        }
    }
}

extension FileStatusRequest.State {
    /// What the peer is told of a transfer's state; the finer states are nobody else's business.
    init(_ state: FileTransfer.State) {
        switch state {
        case .offered, .accepted, .running, .paused: self = .accepted
        case .declined: self = .declined
        case .cancelled, .failed: self = .cancelled
        case .complete: self = .complete
        }
    }
}
