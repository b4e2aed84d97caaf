// A chat service that writes down what the screen asks of it: for the order of errands, which a real one hides.

import ChatCore

@testable import ChatTUI
@testable import ChatWords

/// Answers from two contacts in memory. Each send waits a little, so that overtaking would show.
actor RecordingService: ChatService {
    private(set) var log: [String] = []
    private var history: [ChatMessage] = []
    private let stream: AsyncStream<ChatEvent>
    private let news: AsyncStream<ChatEvent>.Continuation

    /// A folder is offered until `releaseFolder`.
    private var holdsFolders = false
    private var heldFolder: CheckedContinuation<Void, Never>?
    func holdFolders() { holdsFolders = true }
    func releaseFolder() {
        holdsFolders = false
        heldFolder?.resume()
        heldFolder = nil
    }

    /// Nothing is known of the conversations until `releaseConversations`.
    private var holdsConversations = false
    private var heldConversations: [CheckedContinuation<Void, Never>] = []
    func holdConversations() { holdsConversations = true }
    func releaseConversations() {
        holdsConversations = false
        heldConversations.forEach { $0.resume() }
        heldConversations = []
    }

    /// What answers in place of Bob's key.
    private let newKey: PeerID?

    private let storedDraft: String

    init(history: [ChatMessage] = [], draft: String = "", newKey: PeerID? = nil) {
        self.history = history
        storedDraft = draft
        self.newKey = newKey
        (stream, news) = AsyncStream.makeStream()
    }

    nonisolated func publish(_ event: ChatEvent) { news.yield(event) }

    var identity: LocalIdentity {
        LocalIdentity(peerID: ScreenFixture.peerID("b"), name: "Jo", address: nil, listening: nil)
    }

    func events() -> AsyncStream<ChatEvent> { stream }
    func conversations() async throws(ChatError) -> [Conversation] {
        if holdsConversations { await withCheckedContinuation { heldConversations.append($0) } }
        var bob = ScreenFixture.conversation(ScreenFixture.bob, "Bob")
        if let newKey {
            bob.peer.trust = .keyChanged
            bob.peer.newPeerID = newKey
        }
        return [ScreenFixture.conversation(ScreenFixture.alice, "Alice", queued: 2), bob]
    }
    func linkState(of contact: ContactID) -> LinkState { .offline(reason: nil) }

    func send(_ text: String, as id: MessageID, to contact: ContactID) async throws(ChatError) -> ChatMessage {
        try await send(text, to: contact, replyTo: nil)
    }

    func send(_ text: String, to contact: ContactID, replyTo: MessageID?) async throws(ChatError) -> ChatMessage {
        await Task.yield()
        log.append("send \(text)")
        let number = Int64(history.count + 1)
        let message = ScreenFixture.message(
            number, .outgoing, text, at: ScreenFixture.time(21, 9, number % 60), .pending, contact: contact)
        history.append(message)
        publish(.messageAdded(message))
        return message
    }

    func page(of contact: ContactID, _ anchor: PageAnchor, limit: Int) throws(ChatError) -> [ChatMessage] {
        ScreenFixture.page(
            of: history, PageRequest(contact: contact, anchor: anchor, limit: limit, generation: 0))
    }

    func search(_ query: SearchQuery) throws(ChatError) -> SearchResult {
        log.append("search \(query.terms.map(\.text).joined(separator: " "))")
        return SearchResult(hits: [], searched: history.count, isTruncated: false)
    }

    func firstMessage(of contact: ContactID, since time: Timestamp) throws(ChatError) -> ChatMessage? {
        history.first { $0.contact == contact && $0.stored >= time }
    }

    func deleteMessages(_ keys: [MessageKey], of contact: ContactID) throws(ChatError) -> Int { 0 }
    func deleteMessages(of contact: ContactID, storedBefore time: Timestamp?) throws(ChatError) -> Int { 0 }
    func retention(of contact: ContactID) throws(ChatError) -> Retention? { nil }
    func setRetention(_ retention: Retention?, of contact: ContactID) throws(ChatError) {}
    func backUp(to path: String) throws(ChatError) {}

    func message(_ reference: MessageReference, of contact: ContactID) throws(ChatError) -> ChatMessage? {
        ScreenFixture.message(reference, in: history.filter { $0.contact == contact })
    }
    func messages(_ ids: [MessageID], of contact: ContactID) throws(ChatError) -> [ChatMessage] {
        history.filter { $0.contact == contact && ids.contains($0.id) }
    }
    func versions(of message: ChatMessage) throws(ChatError) -> [TextVersion] { [] }
    func pinnedMessages(of contact: ContactID) throws(ChatError) -> [ChatMessage] { [] }
    func setPinned(_ message: ChatMessage, _ pinned: Bool) throws(ChatError) -> ChatMessage { message }
    func markUnread(_ contact: ContactID, from position: HistoryPosition) throws(ChatError) {
        log.append("unread from \(position.rawValue)")
    }

    func draft(for contact: ContactID) throws(ChatError) -> String { storedDraft }
    func setDraft(_ text: String, for contact: ContactID) throws(ChatError) { log.append("draft \(text)") }
    func setTyping(_ composing: Bool, to contact: ContactID) {}
    func markSeen(_ contact: ContactID, upTo position: HistoryPosition) throws(ChatError) {}

    func addContact(_ address: PeerAddress, name: String?) throws(ChatError) -> Peer { throw .ownAddress }
    func renameContact(_ contact: ContactID, to name: String) throws(ChatError) {}
    func removeAddress(_ address: PeerAddress, of contact: ContactID) throws(ChatError) {}
    func removeContact(_ contact: ContactID) throws(ChatError) {}
    func setBlocked(_ contact: ContactID, _ blocked: Bool) throws(ChatError) {}
    func setVerified(_ contact: ContactID) throws(ChatError) {}
    func acceptNewKey(_ key: PeerID, of contact: ContactID, verified: Bool) throws(ChatError) {
        log.append("accept \(key.text), \(verified ? "verified" : "unverified")")
    }
    func safetyNumber(for contact: ContactID) throws(ChatError) -> [String]? {
        newKey.map { SafetyNumber.groups(ScreenFixture.peerID("b"), $0) }
    }
    func contactRequests() throws(ChatError) -> [ContactRequest] { [] }
    func approveRequest(_ id: Int64, name: String?) throws(ChatError) -> Peer { throw .noSuchRequest }
    func rejectRequest(_ id: Int64) throws(ChatError) {}
    func blockRequest(_ id: Int64) throws(ChatError) -> Peer {
        log.append("block request \(id)")
        throw .noSuchRequest
    }
    func reconnect(_ contact: ContactID?) {}
    func disconnect(_ contact: ContactID?) { log.append("disconnect") }
    func ping(_ contact: ContactID) throws(ChatError) -> Duration { throw .notOnline }
    func traffic(with contact: ContactID) -> LinkTraffic? { nil }
    func setMuted(_ contact: ContactID, until time: Timestamp?) throws(ChatError) { log.append("mute") }
    func setAutomaticAcceptance(_ limit: UInt64?, from contact: ContactID) throws(ChatError) {
        log.append("accept up to \(limit.map(String.init) ?? "as configured")")
    }
    func setOwnName(_ name: String) throws(ChatError) { log.append("name \(name)") }
    func setAway(_ reason: String?) throws(ChatError) { log.append("away \(reason ?? "no")") }
    func edit(_ message: ChatMessage, to text: String) throws(ChatError) -> ChatMessage {
        log.append("edit \(text)")
        return message
    }
    func retract(_ message: ChatMessage) throws(ChatError) -> ChatMessage {
        log.append("retract")
        return message
    }
    func react(to message: ChatMessage, with emoji: String?) throws(ChatError) -> ChatMessage {
        log.append("react \(emoji ?? "nothing")")
        return message
    }
    func irregularities() -> Irregularities { Irregularities() }
    func retry(_ id: MessageID) throws(ChatError) -> ChatMessage { throw .noSuchMessage }
    func sendFile(
        at path: String, named name: String?, caption: String, to contact: ContactID
    ) throws(ChatError) -> ChatMessage {
        log.append("file \(path)")
        throw .cannotRead(path: path, errno: 2)
    }
    func sendFolder(at path: String, caption: String, to contact: ContactID) async throws(ChatError) -> FolderOffer {
        if holdsFolders { await withCheckedContinuation { heldFolder = $0 } }
        log.append("folder \(path)")
        throw .emptyFolder(path: path)
    }
    func setRateLimit(_ limit: UInt64?, of scope: RateScope) throws(ChatError) {
        log.append("limit \(scope) \(limit.map(String.init) ?? "off")")
    }
    func rateLimit(of scope: RateScope) throws(ChatError) -> UInt64? { nil }
    func transfers(unfinishedOnly: Bool) throws(ChatError) -> [FileTransfer] { [] }
    func transfer(number: TransferNumber) throws(ChatError) -> FileTransfer { throw .noSuchTransfer }
    func acceptTransfer(_ number: TransferNumber, into folder: String?) throws(ChatError) {}
    func declineTransfer(_ number: TransferNumber) throws(ChatError) {}
    func pauseTransfer(_ number: TransferNumber) throws(ChatError) {}
    func resumeTransfer(_ number: TransferNumber) throws(ChatError) {}
    func cancelTransfer(_ number: TransferNumber) throws(ChatError) {}
    func cancelFolder(of number: TransferNumber) throws(ChatError) {}
    func downloadsSpace() -> (folder: String, freeBytes: UInt64)? { nil }
}
