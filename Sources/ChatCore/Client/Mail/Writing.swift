// What users say and what they do to what they have said: send, edit, take back, react. Stored, then shown, then sent
// (DESIGN 3.1, RELIABILITY D2-D6).

/// The errands of writing.
struct Writing {
    let core: ClientCore
    let outbox: OutboxSender
    let offering: Offering
    let decisions: TransferDecisions

    func send(
        _ text: String, to contact: ContactID, replyTo: MessageID?
    ) async throws(ChatError) -> ChatMessage {
        try ChatText.check(text)
        try outbox.check(contact)
        let time = core.now()
        let message = try await core.records.stored { () async throws(StoreError) in
            try await core.store.enqueueMessage(to: contact, text: text, replyTo: replyTo, at: time)
        }
        core.links[contact]?.typing.forgetSaid()
        outbox.enqueued(message)
        return message
    }

    func send(
        _ text: String, as id: MessageID, to contact: ContactID
    ) async throws(ChatError) -> ChatMessage {
        try ChatText.check(text)
        // Also what is known already: to a contact who is blocked nothing is sent, whatever was before.
        try outbox.check(contact)
        let time = core.now()
        let once = try await core.records.stored { () async throws(StoreError) in
            try await core.store.enqueueMessage(id, to: contact, text: text, at: time)
        }
        switch once {
        case .stored(let message):
            core.links[contact]?.typing.forgetSaid()
            outbox.enqueued(message)
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
        let versions = try await core.records.stored { () async throws(StoreError) in
            try await core.store.versions(of: message)
        }
        return versions.contains { $0.text == text }
    }

    func retry(_ id: MessageID) async throws(ChatError) -> ChatMessage {
        let old = try await core.records.stored { () async throws(StoreError) in try await core.store.message(id) }
        guard let old, old.fits(.failed) else { throw .noSuchMessage }
        let new: ChatMessage
        switch old.content {
        case .text(let text): new = try await send(text, to: old.contact, replyTo: old.replyTo)
        case .file(let file):
            guard let path = file.path else { throw .noSuchMessage }
            new = try await offering.sendFile(at: path, named: file.name, caption: file.caption, to: old.contact)
        }
        // Where this cannot be written it stays what it is, a message that failed.
        _ = await core.records.quietly { () async throws(StoreError) in
            try await core.store.markSentAgain(id, in: old.contact)
        }
        return new
    }

    func edit(_ message: ChatMessage, to text: String) async throws(ChatError) -> ChatMessage {
        try ChatText.check(text)
        let present = try await own(message)
        guard case .text = present.content else { throw .notText }
        return try await enqueue(.edit(text: text), on: present)
    }

    func retract(_ message: ChatMessage) async throws(ChatError) -> ChatMessage {
        _ = try core.person(message.contact, needing: .changes)
        let present = try await own(message)
        if case .file(let transfer) = present.content, !transfer.state.isFinal {
            do throws(ChatError) {
                try await decisions.cancelTransfer(transfer.number)
            } catch {
                // It has ended meanwhile.
                guard case .wrongTransferState = error else { throw error }
            }
        }
        return try await enqueue(.retract, on: present)
    }

    func react(to message: ChatMessage, with emoji: String?) async throws(ChatError) -> ChatMessage {
        if let emoji, emoji.isEmpty || emoji.utf8.count > WireLimit.emoji { throw .badReaction }
        return try await enqueue(.react(emoji: emoji), on: try await present(message))
    }

    /// The message as it is now, if it is there and not taken back.
    private func present(_ message: ChatMessage) async throws(ChatError) -> ChatMessage {
        let present = try await core.records.stored { () async throws(StoreError) in
            try await core.store.message(message.id, of: message.contact, message.direction)
        }
        guard let present else { throw .noSuchMessage }
        guard !present.isRetracted else { throw .retracted }
        return present
    }

    private func own(_ message: ChatMessage) async throws(ChatError) -> ChatMessage {
        guard message.direction == .outgoing else { throw .notOwnMessage }
        return try await present(message)
    }

    private func enqueue(
        _ action: ChatOperation.Action, on message: ChatMessage
    ) async throws(ChatError) -> ChatMessage {
        _ = try core.person(message.contact, needing: .changes)
        try outbox.check(message.contact)
        let time = core.now()
        let changed = try await core.records.stored { () async throws(StoreError) in
            try await core.store.enqueueOperation(
                action, on: message.id, message.direction, to: message.contact, at: time)
        }
        // A message that is taken back unsent gives its place to the retraction.
        outbox.enqueued(changed, isOneMore: changed.state != .takenBack)
        return changed
    }
}
