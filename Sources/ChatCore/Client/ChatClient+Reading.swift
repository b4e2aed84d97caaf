// What front ends read: history, search and drafts come straight from the store.

extension ChatClient {
    public func page(
        of contact: ContactID, _ anchor: PageAnchor, limit: Int
    ) async throws(ChatError) -> [ChatMessage] {
        try await stored { () async throws(StoreError) in try await store.page(of: contact, anchor, limit: limit) }
    }

    public func search(_ query: SearchQuery) async throws(ChatError) -> SearchResult {
        try await stored { () async throws(StoreError) in try await store.search(query) }
    }

    public func firstMessage(of contact: ContactID, since time: Timestamp) async throws(ChatError) -> ChatMessage? {
        try await stored { () async throws(StoreError) in try await store.firstMessage(of: contact, since: time) }
    }

    public func message(
        _ reference: MessageReference, of contact: ContactID
    ) async throws(ChatError) -> ChatMessage? {
        try await stored { () async throws(StoreError) in try await store.message(reference, of: contact) }
    }

    public func messages(_ ids: [MessageID], of contact: ContactID) async throws(ChatError) -> [ChatMessage] {
        try await stored { () async throws(StoreError) in try await store.messages(ids, of: contact) }
    }

    public func versions(of message: ChatMessage) async throws(ChatError) -> [TextVersion] {
        try await stored { () async throws(StoreError) in try await store.versions(of: message) }
    }

    public func pinnedMessages(of contact: ContactID) async throws(ChatError) -> [ChatMessage] {
        try await stored { () async throws(StoreError) in try await store.pinnedMessages(of: contact) }
    }

    public func draft(for contact: ContactID) async throws(ChatError) -> String {
        try await stored { () async throws(StoreError) in try await store.draft(for: contact) }
    }

    public func setDraft(_ text: String, for contact: ContactID) async throws(ChatError) {
        try await stored { () async throws(StoreError) in try await store.setDraft(text, for: contact) }
    }
}
