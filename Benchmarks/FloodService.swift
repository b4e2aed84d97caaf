// A chat service that knows one contact and nothing else: they say 10,000 things a second, for as long as it is told.

internal import ChatCore
internal import Glibc

/// Floods the screen with messages from the first key on. What a flood does not ask for, it refuses.
actor FloodService: LocalChat {
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

    var identity: LocalIdentity {
        let key = PeerID(String(repeating: "a", count: 52))
        guard let key else { preconditionFailure("52 characters of base32 are a peer id") }
        return LocalIdentity(peerID: key, name: "me", address: nil, listening: nil)
    }

    func events() -> AsyncStream<ChatEvent> { stream }

    func perform(_ call: AnyCall) throws(ChatError) -> any CallReply {
        switch call {
        case .identity: return identity
        case .conversations:
            return [Conversation(peer: peer, lastMessage: nil, unreadCount: 0, readUpTo: nil, queuedCount: 0)]
        case .setTyping: begin()
        case .linkState: return LinkState.offline(reason: nil)
        case .contactRequests: return [ContactRequest]()
        case .page, .messages, .pinnedMessages: return [ChatMessage]()
        case .transfers: return [FileTransfer]()
        case .draft: return ""
        case .downloadsSpace: return DownloadsSpace?.none
        case .markSeen, .setDraft: break
        default: throw .noSuchContact
        }
        return NoReply()
    }

    /// The flood begins with the first key.
    private func begin() {
        guard flood == nil else { return }
        flood = Task.detached { [duration, contact, news] in
            await Self.run(for: duration, from: contact) { news.yield($0) }
        }
    }
}
