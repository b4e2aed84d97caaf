// A chat service that knows one contact and nothing else: they say 10,000 things a second, for as long as it is told.

internal import ChatCore
internal import Glibc

/// Floods the screen with messages from the first key on. Everything that is not asked for in a flood is refused.
actor FloodService: ChatService {
    static let perSecond = 10_000

    private let contact = ContactID(1)
    private let peer: Peer
    private let duration: Duration
    private let stream: AsyncStream<ChatEvent>
    private let news: AsyncStream<ChatEvent>.Continuation
    private var flood: Task<Void, Never>?

    init(lasting duration: Duration) {
        self.duration = duration
        peer = Peer(
            id: contact, peerID: nil, name: "alice", addresses: [], trust: .unverified,
            added: Timestamp(milliseconds: 0))
        // As a real one: a reader that lags loses the oldest.
        (stream, news) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(10_000))
    }

    /// Fifty messages every five milliseconds, by the clock: what could not be said in time is said at once.
    private static func run(
        for duration: Duration, from contact: ContactID, _ say: @Sendable (ChatEvent) -> Void
    ) async {
        let start = ContinuousClock.now
        var number: Int64 = 0
        while ContinuousClock.now - start < duration {
            try? await Task.sleep(for: .milliseconds(5))
            let due = Int64((ContinuousClock.now - start) / .milliseconds(1)) * Int64(perSecond) / 1000
            let time = Timestamp(milliseconds: 1_790_000_000_000 + number)
            while number < due {
                number += 1
                say(
                    .messageAdded(
                        ChatMessage(
                            id: MessageID(at: time), position: HistoryPosition(number), contact: contact,
                            direction: .incoming, sequence: number, sent: time, stored: time, state: .delivered,
                            content: .text("message \(number) of a flood, with some words as people write them"))))
            }
        }
    }

    func setTyping(_ composing: Bool, to contact: ContactID) {
        guard flood == nil else { return }
        flood = Task.detached { [duration, news] in
            await Self.run(for: duration, from: contact) { news.yield($0) }
        }
    }

    var identity: LocalIdentity {
        let key = PeerID(String(repeating: "a", count: 52))
        guard let key else { preconditionFailure("52 characters of base32 are a peer id") }
        return LocalIdentity(peerID: key, name: "me", address: nil, listening: nil)
    }

    func events() -> AsyncStream<ChatEvent> { stream }

    func conversations() -> [Conversation] {
        [Conversation(peer: peer, lastMessage: nil, unreadCount: 0, readUpTo: nil, queuedCount: 0)]
    }

    // MARK: What a flood does not ask for

    func linkState(of contact: ContactID) -> LinkState { .offline(reason: nil) }
    func addContact(_ address: PeerAddress, name: String?) throws(ChatError) -> Peer { throw .ownAddress }
    func renameContact(_ contact: ContactID, to name: String) {}
    func removeAddress(_ address: PeerAddress, of contact: ContactID) {}
    func removeContact(_ contact: ContactID) {}
    func setBlocked(_ contact: ContactID, _ blocked: Bool) {}
    func setVerified(_ contact: ContactID) {}
    func acceptNewKey(_ key: PeerID, of contact: ContactID, verified: Bool) {}
    func safetyNumber(for contact: ContactID) -> [String]? { nil }
    func contactRequests() -> [ContactRequest] { [] }
    func approveRequest(_ id: Int64, name: String?) throws(ChatError) -> Peer { throw .noSuchRequest }
    func rejectRequest(_ id: Int64) {}
    func blockRequest(_ id: Int64) throws(ChatError) -> Peer { throw .noSuchRequest }
    func reconnect(_ contact: ContactID?) {}
    func send(_ text: String, as id: MessageID, to contact: ContactID) throws(ChatError) -> ChatMessage {
        throw .noSuchContact
    }
    func send(_ text: String, to contact: ContactID, replyTo: MessageID?) throws(ChatError) -> ChatMessage {
        throw .noSuchContact
    }
    func markSeen(_ contact: ContactID, upTo position: HistoryPosition) {}
    func edit(_ message: ChatMessage, to text: String) throws(ChatError) -> ChatMessage { throw .noSuchMessage }
    func retract(_ message: ChatMessage) throws(ChatError) -> ChatMessage { throw .noSuchMessage }
    func react(to message: ChatMessage, with emoji: String?) throws(ChatError) -> ChatMessage {
        throw .noSuchMessage
    }
    func retry(_ id: MessageID) throws(ChatError) -> ChatMessage { throw .noSuchMessage }
    func page(of contact: ContactID, _ anchor: PageAnchor, limit: Int) -> [ChatMessage] { [] }
    func search(_ query: SearchQuery) -> SearchResult { SearchResult(hits: [], searched: 0, isTruncated: false) }
    func firstMessage(of contact: ContactID, since time: Timestamp) -> ChatMessage? { nil }
    func draft(for contact: ContactID) -> String { "" }
    func setDraft(_ text: String, for contact: ContactID) {}
    func deleteMessages(_ keys: [MessageKey], of contact: ContactID) -> Int { 0 }
    func deleteMessages(of contact: ContactID, storedBefore time: Timestamp?) -> Int { 0 }
    func retention(of contact: ContactID) -> Retention? { nil }
    func setRetention(_ retention: Retention?, of contact: ContactID) {}
    func backUp(to path: String) {}
    func sendFile(
        at path: String, named name: String?, caption: String, to contact: ContactID
    ) throws(ChatError) -> ChatMessage { throw .noSuchContact }
    func sendFolder(at path: String, caption: String, to contact: ContactID) throws(ChatError) -> FolderOffer {
        throw .noSuchContact
    }
    func transfers(unfinishedOnly: Bool) -> [FileTransfer] { [] }
    func transfer(number: TransferNumber) throws(ChatError) -> FileTransfer { throw .noSuchTransfer }
    func acceptTransfer(_ number: TransferNumber, into folder: String?) {}
    func declineTransfer(_ number: TransferNumber) {}
    func pauseTransfer(_ number: TransferNumber) {}
    func resumeTransfer(_ number: TransferNumber) {}
    func cancelTransfer(_ number: TransferNumber) {}
    func cancelFolder(of number: TransferNumber) {}
    func irregularities() -> Irregularities { Irregularities() }
    func setRateLimit(_ limit: UInt64?, of scope: RateScope) {}
    func rateLimit(of scope: RateScope) -> UInt64? { nil }
    func downloadsSpace() -> (folder: String, freeBytes: UInt64)? { nil }
    func disconnect(_ contact: ContactID?) {}
    func ping(_ contact: ContactID) throws(ChatError) -> Duration { throw .notOnline }
    func traffic(with contact: ContactID) -> LinkTraffic? { nil }
    func setMuted(_ contact: ContactID, until time: Timestamp?) {}
    func setAutomaticAcceptance(_ limit: UInt64?, from contact: ContactID) {}
    func setOwnName(_ name: String) {}
    func setAway(_ reason: String?) {}
    func markUnread(_ contact: ContactID, from position: HistoryPosition) {}
    func setPinned(_ message: ChatMessage, _ pinned: Bool) throws(ChatError) -> ChatMessage { throw .noSuchMessage }
    func message(_ reference: MessageReference, of contact: ContactID) -> ChatMessage? { nil }
    func messages(_ ids: [MessageID], of contact: ContactID) -> [ChatMessage] { [] }
    func versions(of message: ChatMessage) -> [TextVersion] { [] }
    func pinnedMessages(of contact: ContactID) -> [ChatMessage] { [] }
}
