// Waits until a message is delivered: the events of the chat decide.

import ChatCore
import ChatSettings

/// One message that is stored.
struct MessageDelivery: Sendable {
    let recipient: Recipient
    let message: ChatMessage
    /// From before the message was stored, so that none can be missed.
    let events: AsyncStream<ChatEvent>

    /// Returns when the message is delivered; throws when it is refused, deleted, or not delivered in time.
    func run(within wait: EventWait) async throws(CommandError) {
        var outcome = Outcome.of(message.state, recipient.who)
        if outcome == nil {
            try await recipient.check()
            outcome = await wait.first(in: events, decide)
        }
        if let outcome {
            _ = try outcome.get()
        } else {
            if let failure = await recipient.chat.failure { throw failure }
            throw await recipient.queued("the message", after: wait.lastTimeout)
        }
    }

    private func decide(_ event: ChatEvent) async -> Outcome? {
        let contact = recipient.peer.id
        switch event {
        // Only our own message: somebody else may have given theirs the same id.
        case .messageChanged(let changed) where changed.key == message.key && changed.contact == message.contact:
            return Outcome.of(changed.state, recipient.who)
        case .notice(.keyChanged(contact)): return .failure(recipient.keyChanged)
        case .conversationsChanged, .messagesDeleted(contact):
            return await recipient.deletion(of: message.id).map(Outcome.failure)
        // Another process runs the chat now, perhaps this one.
        case .historyReplaced(contact):
            do throws(CommandError) {
                guard let now = try await recipient.messages([message.id]).first else { return nil }
                if let outcome = Outcome.of(now.state, recipient.who) { return outcome }
                try await recipient.checkAgain()
                return nil
            } catch {
                return await recipient.chat.failure == nil && error.exit == .identity ? .failure(error) : nil
            }
        default: return nil
        }
    }
}
