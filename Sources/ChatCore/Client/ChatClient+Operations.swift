// What users do to messages that are there already: edit, take back, react. Stored and sent like messages (D2-D6).

extension ChatClient {
    package func edit(_ message: ChatMessage, to text: String) async throws(ChatError) -> ChatMessage {
        try ChatText.check(text)
        let present = try await own(message)
        guard case .text = present.content else { throw .notText }
        return try await enqueue(.edit(text: text), on: present)
    }

    package func retract(_ message: ChatMessage) async throws(ChatError) -> ChatMessage {
        let present = try await own(message)
        if case .file(let transfer) = present.content, !transfer.state.isFinal {
            do throws(ChatError) {
                try await cancelTransfer(transfer.number)
            } catch {
                // It has ended meanwhile.
                guard case .wrongTransferState = error else { throw error }
            }
        }
        return try await enqueue(.retract, on: present)
    }

    package func react(to message: ChatMessage, with emoji: String?) async throws(ChatError) -> ChatMessage {
        if let emoji, emoji.isEmpty || emoji.utf8.count > WireLimit.emoji { throw .badReaction }
        return try await enqueue(.react(emoji: emoji), on: try await present(message))
    }

    package func irregularities() async -> Irregularities { mail.irregularities }

    /// The message as it is now, if it is there and not taken back.
    private func present(_ message: ChatMessage) async throws(ChatError) -> ChatMessage {
        let present = try await records.stored { () async throws(StoreError) in
            try await store.message(message.id, of: message.contact, message.direction)
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
        try checkOutbox(of: message.contact)
        let time = now()
        let changed = try await records.stored { () async throws(StoreError) in
            try await store.enqueueOperation(
                action, on: message.id, message.direction, to: message.contact, at: time)
        }
        // A message that is taken back unsent gives its place to the retraction.
        if changed.state != .takenBack { links[message.contact]?.queuedCount += 1 }
        pump(message.contact)
        wake(message.contact)
        return changed
    }
}
