// A chat service that writes down what the screen asks of it: for the order of errands, which a real one hides.

import ChatCore

@testable import ChatTUI
@testable import ChatWords

/// Answers from two contacts in memory. Each send waits a little, so that overtaking would show.
actor RecordingService: LocalChat {
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

    func perform(_ call: AnyCall) async throws(ChatError) -> any CallReply {
        switch call {
        case .identity: return identity
        case .conversations:
            if holdsConversations { await withCheckedContinuation { heldConversations.append($0) } }
            return conversations
        case .linkState: return LinkState.offline(reason: nil)
        case .acceptNewKey(_, let key, let verified):
            log.append("accept \(key.text), \(verified ? "verified" : "unverified")")
        case .safetyNumber: return newKey.map { SafetyNumber.groups(ScreenFixture.peerID("b"), $0) }
        case .contactRequests: return [ContactRequest]()
        case .blockRequest(let id):
            log.append("block request \(id)")
            throw .noSuchRequest
        case .disconnect: log.append("disconnect")
        case .ping: throw .notOnline
        case .traffic: return LinkTraffic?.none
        case .setMuted: log.append("mute")
        case .setAutomaticAcceptance(_, let limit):
            log.append("accept up to \(limit.map(String.init) ?? "as configured")")
        case .setOwnName(let name): log.append("name \(name)")
        case .setAway(let reason): log.append("away \(reason ?? "no")")
        case .send(let contact, let text, _): return await send(text, to: contact)
        case .markUnread(_, let position): log.append("unread from \(position.rawValue)")
        case .setPinned(let message, _): return message
        case .edit(let message, let text):
            log.append("edit \(text)")
            return message
        case .retract(let message):
            log.append("retract")
            return message
        case .react(let message, let emoji):
            log.append("react \(emoji ?? "nothing")")
            return message
        case .page(let contact, let anchor, let limit):
            return ScreenFixture.page(
                of: history, PageRequest(contact: contact, anchor: anchor, limit: limit, generation: 0))
        case .search(let query):
            log.append("search \(query.terms.map(\.text).joined(separator: " "))")
            return SearchResult(hits: [], searched: history.count, isTruncated: false)
        case .firstMessage(let contact, let time):
            return history.first { $0.contact == contact && $0.stored >= time }
        case .message(let contact, let reference):
            return ScreenFixture.message(reference, in: history.filter { $0.contact == contact })
        case .messages(let contact, let ids): return history.filter { $0.contact == contact && ids.contains($0.id) }
        case .versions: return [TextVersion]()
        case .pinnedMessages: return [ChatMessage]()
        case .draft: return storedDraft
        case .setDraft(_, let text): log.append("draft \(text)")
        case .deleteMessages, .deleteConversation: return 0
        case .retention: return Retention?.none
        case .sendFile(_, let path, _, _):
            log.append("file \(path)")
            throw .cannotRead(path: path, errno: 2)
        case .sendFolder(_, let path, _):
            if holdsFolders { await withCheckedContinuation { heldFolder = $0 } }
            log.append("folder \(path)")
            throw .emptyFolder(path: path)
        case .transfers: return [FileTransfer]()
        case .setRateLimit(let scope, let limit): log.append("limit \(scope) \(limit.map(String.init) ?? "off")")
        case .rateLimit: return UInt64?.none
        case .downloadsSpace: return DownloadsSpace?.none
        case .removeAddress, .renameContact, .removeContact, .setBlocked, .setVerified, .rejectRequest, .reconnect,
            .setTyping, .markSeen, .setRetention, .backUp, .acceptTransfer, .declineTransfer, .pauseTransfer,
            .resumeTransfer, .cancelTransfer, .cancelFolder:
            break
        case .addContact: throw .ownAddress
        case .approveRequest: throw .noSuchRequest
        default: throw .noSuchMessage
        }
        return NoReply()
    }

    private var conversations: [Conversation] {
        var bob = ScreenFixture.conversation(ScreenFixture.bob, "Bob")
        if let newKey {
            bob.peer.trust = .keyChanged
            bob.peer.newPeerID = newKey
        }
        return [ScreenFixture.conversation(ScreenFixture.alice, "Alice", queued: 2), bob]
    }

    private func send(_ text: String, to contact: ContactID) async -> ChatMessage {
        await Task.yield()
        log.append("send \(text)")
        let number = Int64(history.count + 1)
        let message = ScreenFixture.message(
            number, .outgoing, text, at: ScreenFixture.time(21, 9, number % 60), .pending, contact: contact)
        history.append(message)
        publish(.messageAdded(message))
        return message
    }
}
