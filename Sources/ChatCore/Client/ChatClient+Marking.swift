// What our user marks for himself: pins and what is to count as unread. The peer is never told.

extension ChatClient {
    package func markUnread(_ contact: ContactID, from position: HistoryPosition) async throws(ChatError) {
        guard links[contact] != nil else { throw .noSuchContact }
        try await records.stored { () async throws(StoreError) in
            try await store.markUnread(contact: contact, from: position)
        }
        hub.publish(.conversationsChanged)
    }

    package func setPinned(_ message: ChatMessage, _ pinned: Bool) async throws(ChatError) -> ChatMessage {
        let time = pinned ? now() : nil
        return try await records.stored { () async throws(StoreError) in
            try await store.setPinned(message, at: time)
        }
    }
}
