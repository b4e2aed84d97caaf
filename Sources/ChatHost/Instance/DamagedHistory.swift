// The chat over a history that is damaged: what can be read is shown, nothing is written, nobody is called.

package import ChatCore
package import Storage

/// Answers what only needs reading; everything else fails with the sentence that says what is the matter.
package struct DamagedHistory: LocalChat {
    let store: HistoryDatabase
    /// Why the history could not be opened as usual.
    let damage: StoreError
    let peerID: PeerID
    let name: String

    package init(store: HistoryDatabase, damage: StoreError, peerID: PeerID, name: String) {
        self.store = store
        self.damage = damage
        self.peerID = peerID
        self.name = name
    }

    package var identity: LocalIdentity { LocalIdentity(peerID: peerID, name: name, address: nil, listening: nil) }

    package func events() async -> AsyncStream<ChatEvent> {
        AsyncStream { continuation in continuation.yield(.notice(.storeFailed(damage))) }
    }

    package func perform(_ call: AnyCall) async throws(ChatError) -> any CallReply {
        do throws(StoreError) {
            if let reply = try await store.read(call) { return reply }
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
}
