// The chat over a history that is damaged: what can be read is shown, nothing is written, nobody is called.

import ChatCore
import Storage

/// Answers what only needs reading; everything else fails with the sentence that says what is the matter.
struct DamagedHistory: ChatService {
    let store: HistoryDatabase
    /// Why the history could not be opened as usual.
    let damage: StoreError
    let peerID: PeerID
    let name: String

    private var refusal: ChatError { .store(damage) }

    private func read<Value: Sendable>(
        _ call: () async throws(StoreError) -> Value
    ) async throws(ChatError) -> Value {
        do throws(StoreError) { return try await call() } catch { throw .store(error) }
    }

    // MARK: Reading

    var identity: LocalIdentity { LocalIdentity(peerID: peerID, name: name, address: nil, listening: nil) }

    func events() async -> AsyncStream<ChatEvent> {
        AsyncStream { continuation in continuation.yield(.notice(.storeFailed(damage))) }
    }

    func conversations() async throws(ChatError) -> [Conversation] {
        try await read { () throws(StoreError) in try await store.conversations() }
    }

    func linkState(of contact: ContactID) async -> LinkState { .offline(reason: .historyDamaged) }

    func page(of contact: ContactID, _ anchor: PageAnchor, limit: Int) async throws(ChatError) -> [ChatMessage] {
        try await read { () throws(StoreError) in try await store.page(of: contact, anchor, limit: limit) }
    }

    func search(_ query: SearchQuery) async throws(ChatError) -> SearchResult {
        try await read { () throws(StoreError) in try await store.search(query) }
    }

    func firstMessage(of contact: ContactID, since time: Timestamp) async throws(ChatError) -> ChatMessage? {
        try await read { () throws(StoreError) in try await store.firstMessage(of: contact, since: time) }
    }

    func message(_ reference: MessageReference, of contact: ContactID) async throws(ChatError) -> ChatMessage? {
        try await read { () throws(StoreError) in try await store.message(reference, of: contact) }
    }

    func messages(_ ids: [MessageID], of contact: ContactID) async throws(ChatError) -> [ChatMessage] {
        try await read { () throws(StoreError) in try await store.messages(ids, of: contact) }
    }

    func versions(of message: ChatMessage) async throws(ChatError) -> [TextVersion] {
        try await read { () throws(StoreError) in try await store.versions(of: message) }
    }

    func pinnedMessages(of contact: ContactID) async throws(ChatError) -> [ChatMessage] {
        try await read { () throws(StoreError) in try await store.pinnedMessages(of: contact) }
    }

    func draft(for contact: ContactID) async throws(ChatError) -> String {
        try await read { () throws(StoreError) in try await store.draft(for: contact) }
    }

    func contactRequests() async throws(ChatError) -> [ContactRequest] {
        try await read { () throws(StoreError) in try await store.contactRequests() }
    }

    func transfers(unfinishedOnly: Bool) async throws(ChatError) -> [FileTransfer] {
        try await read { () throws(StoreError) in
            try await store.transfers(unfinishedOnly: unfinishedOnly, limit: 1_000)
        }
    }

    func transfer(number: TransferNumber) async throws(ChatError) -> FileTransfer {
        let found = try await read { () throws(StoreError) in try await store.transfer(number: number) }
        guard let found else { throw .noSuchTransfer }
        return found
    }

    func retention(of contact: ContactID) async throws(ChatError) -> Retention? {
        try await read { () throws(StoreError) in try await store.retention(of: contact) }
    }

    func safetyNumber(for contact: ContactID) async throws(ChatError) -> [String]? { nil }
    func irregularities() async -> Irregularities { Irregularities() }
    func rateLimit(of scope: RateScope) async throws(ChatError) -> UInt64? { nil }
    func downloadsSpace() async -> (folder: String, freeBytes: UInt64)? { nil }

    // MARK: What is not done now without harm

    func reconnect(_ contact: ContactID?) async {}
    func disconnect(_ contact: ContactID?) async {}
    func traffic(with contact: ContactID) async -> LinkTraffic? { nil }
    func setTyping(_ composing: Bool, to contact: ContactID) async {}
    func markSeen(_ contact: ContactID, upTo position: HistoryPosition) async throws(ChatError) {}
    func markUnread(_ contact: ContactID, from position: HistoryPosition) async throws(ChatError) {}
    func setDraft(_ text: String, for contact: ContactID) async throws(ChatError) {}

    // MARK: What cannot be done

    func ping(_ contact: ContactID) async throws(ChatError) -> Duration { throw .notOnline }
    func setMuted(_ contact: ContactID, until time: Timestamp?) async throws(ChatError) { throw refusal }
    func setAutomaticAcceptance(_ limit: UInt64?, from contact: ContactID) async throws(ChatError) { throw refusal }
    func setOwnName(_ name: String) async throws(ChatError) { throw refusal }
    func setAway(_ reason: String?) async throws(ChatError) { throw refusal }
    func addContact(_ address: PeerAddress, name: String?) async throws(ChatError) -> Peer { throw refusal }
    func removeAddress(_ address: PeerAddress, of contact: ContactID) async throws(ChatError) { throw refusal }
    func renameContact(_ contact: ContactID, to name: String) async throws(ChatError) { throw refusal }
    func removeContact(_ contact: ContactID) async throws(ChatError) { throw refusal }
    func setBlocked(_ contact: ContactID, _ blocked: Bool) async throws(ChatError) { throw refusal }
    func setVerified(_ contact: ContactID) async throws(ChatError) { throw refusal }
    func acceptNewKey(_ key: PeerID, of contact: ContactID, verified: Bool) async throws(ChatError) { throw refusal }
    func approveRequest(_ id: Int64, name: String?) async throws(ChatError) -> Peer { throw refusal }
    func rejectRequest(_ id: Int64) async throws(ChatError) { throw refusal }
    func blockRequest(_ id: Int64) async throws(ChatError) -> Peer { throw refusal }
    func send(_ text: String, as id: MessageID, to contact: ContactID) async throws(ChatError) -> ChatMessage {
        throw refusal
    }
    func send(_ text: String, to contact: ContactID, replyTo: MessageID?) async throws(ChatError) -> ChatMessage {
        throw refusal
    }
    func edit(_ message: ChatMessage, to text: String) async throws(ChatError) -> ChatMessage { throw refusal }
    func retract(_ message: ChatMessage) async throws(ChatError) -> ChatMessage { throw refusal }
    func react(to message: ChatMessage, with emoji: String?) async throws(ChatError) -> ChatMessage { throw refusal }
    func setPinned(_ message: ChatMessage, _ pinned: Bool) async throws(ChatError) -> ChatMessage { throw refusal }
    func retry(_ id: MessageID) async throws(ChatError) -> ChatMessage { throw refusal }
    func deleteMessages(_ keys: [MessageKey], of contact: ContactID) async throws(ChatError) -> Int { throw refusal }
    func deleteMessages(of contact: ContactID, storedBefore time: Timestamp?) async throws(ChatError) -> Int {
        throw refusal
    }
    func setRetention(_ retention: Retention?, of contact: ContactID) async throws(ChatError) { throw refusal }
    func backUp(to path: String) async throws(ChatError) { throw refusal }
    func sendFile(
        at path: String, named name: String?, caption: String, to contact: ContactID
    ) async throws(ChatError) -> ChatMessage { throw refusal }
    func sendFolder(at path: String, caption: String, to contact: ContactID) async throws(ChatError) -> FolderOffer {
        throw refusal
    }
    func acceptTransfer(_ number: TransferNumber, into folder: String?) async throws(ChatError) { throw refusal }
    func declineTransfer(_ number: TransferNumber) async throws(ChatError) { throw refusal }
    func pauseTransfer(_ number: TransferNumber) async throws(ChatError) { throw refusal }
    func resumeTransfer(_ number: TransferNumber) async throws(ChatError) { throw refusal }
    func cancelTransfer(_ number: TransferNumber) async throws(ChatError) { throw refusal }
    func cancelFolder(of number: TransferNumber) async throws(ChatError) { throw refusal }
    func setRateLimit(_ limit: UInt64?, of scope: RateScope) async throws(ChatError) { throw refusal }
}
