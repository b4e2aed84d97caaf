// What front ends read: history, search and drafts come straight from the store.

extension ChatClient {
    package func page(
        of contact: ContactID, _ anchor: PageAnchor, limit: Int
    ) async throws(ChatError) -> [ChatMessage] {
        try await records.stored { () async throws(StoreError) in
            try await store.page(of: contact, anchor, limit: limit)
        }
    }

    package func search(_ query: SearchQuery) async throws(ChatError) -> SearchResult {
        try await records.stored { () async throws(StoreError) in try await store.search(query) }
    }

    package func firstMessage(of contact: ContactID, since time: Timestamp) async throws(ChatError) -> ChatMessage? {
        try await records.stored { () async throws(StoreError) in try await store.firstMessage(of: contact, since: time)
        }
    }

    package func message(
        _ reference: MessageReference, of contact: ContactID
    ) async throws(ChatError) -> ChatMessage? {
        try await records.stored { () async throws(StoreError) in try await store.message(reference, of: contact) }
    }

    package func messages(_ ids: [MessageID], of contact: ContactID) async throws(ChatError) -> [ChatMessage] {
        try await records.stored { () async throws(StoreError) in try await store.messages(ids, of: contact) }
    }

    package func versions(of message: ChatMessage) async throws(ChatError) -> [TextVersion] {
        try await records.stored { () async throws(StoreError) in try await store.versions(of: message) }
    }

    package func pinnedMessages(of contact: ContactID) async throws(ChatError) -> [ChatMessage] {
        try await records.stored { () async throws(StoreError) in try await store.pinnedMessages(of: contact) }
    }

    package func draft(for contact: ContactID) async throws(ChatError) -> String {
        try await records.stored { () async throws(StoreError) in try await store.draft(for: contact) }
    }

    package func setDraft(_ text: String, for contact: ContactID) async throws(ChatError) {
        try await records.stored { () async throws(StoreError) in try await store.setDraft(text, for: contact) }
    }
}
