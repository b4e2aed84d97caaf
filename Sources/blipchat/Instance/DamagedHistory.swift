// The chat over a history that is damaged: what can be read is shown, nothing is written, nobody is called.

import ChatCore
import Storage

/// Answers what only needs reading; everything else fails with the sentence that says what is the matter.
struct DamagedHistory: LocalChat {
    let store: HistoryDatabase
    /// Why the history could not be opened as usual.
    let damage: StoreError
    let peerID: PeerID
    let name: String

    var identity: LocalIdentity { LocalIdentity(peerID: peerID, name: name, address: nil, listening: nil) }

    func events() async -> AsyncStream<ChatEvent> {
        AsyncStream { continuation in continuation.yield(.notice(.storeFailed(damage))) }
    }

    func perform(_ call: AnyCall) async throws(ChatError) -> any CallReply {
        do throws(StoreError) {
            if let reply = try await read(call) { return reply }
        } catch {
            throw .store(error)
        }
        switch call {
        case .identity: return identity
        case .linkState: return LinkState.offline(reason: .historyDamaged)
        case .safetyNumber: return [String]?.none
        case .traffic: return LinkTraffic?.none
        case .rateLimit: return UInt64?.none
        case .downloadsSpace: return DownloadsSpace?.none
        // Not done, and without harm.
        case .reconnect, .disconnect, .setTyping, .markSeen, .markUnread, .setDraft: return NoReply()
        case .ping: throw .notOnline
        case .transfer: throw .noSuchTransfer
        default: throw .store(damage)
        }
    }

    /// What only needs reading; `nil` for all else and for a transfer that is not there.
    private func read(_ call: AnyCall) async throws(StoreError) -> (any CallReply)? {
        switch call {
        case .conversations: return try await store.conversations()
        case .page(let contact, let anchor, let limit): return try await store.page(of: contact, anchor, limit: limit)
        case .search(let query): return try await store.search(query)
        case .firstMessage(let contact, let time):
            return try await store.firstMessage(of: contact, since: time) as any CallReply
        case .message(let contact, let reference):
            return try await store.message(reference, of: contact) as any CallReply
        case .messages(let contact, let ids): return try await store.messages(ids, of: contact)
        case .versions(let message): return try await store.versions(of: message)
        case .pinnedMessages(let contact): return try await store.pinnedMessages(of: contact)
        case .draft(let contact): return try await store.draft(for: contact)
        case .contactRequests: return try await store.contactRequests()
        case .transfers(let unfinishedOnly):
            return try await store.transfers(unfinishedOnly: unfinishedOnly, limit: 1_000)
        case .transfer(let number): return try await store.transfer(number: number)
        case .retention(let contact): return try await store.retention(of: contact) as any CallReply
        default: return nil
        }
    }
}
