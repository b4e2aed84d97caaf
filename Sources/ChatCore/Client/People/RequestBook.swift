// Contact requests: those that wait for our user's word are in the store; who may leave one, Requesters decides.

import BLIPNet

/// Belongs to one actor.
final class RequestBook {
    private var requesters: Requesters
    private let records: Records
    private let limits: ChatLimits
    private let now: @Sendable () -> Timestamp

    init(records: Records, limits: ChatLimits, now: @escaping @Sendable () -> Timestamp) {
        requesters = Requesters(perDay: limits.contactRequestsPerDay)
        self.records = records
        self.limits = limits
        self.now = now
    }

    /// On behalf of a user.
    func all() async throws(ChatError) -> [ContactRequest] {
        try await records.stored { () async throws(StoreError) in try await records.store.contactRequests() }
    }

    func request(_ id: Int64) async throws(ChatError) -> ContactRequest {
        guard let request = try await all().first(where: { $0.id == id }) else { throw .noSuchRequest }
        return request
    }

    /// Keeps the request of a stranger for the user's word, within the limits of D13. The caller learns nothing of them.
    func record(_ hello: HelloRequest, of peerID: PeerID, at address: PeerAddress?, from info: LinkInfo) async {
        guard !requesters.isRefused(peerID, now: now()) else { return }
        let known = await records.quietly { () async throws(StoreError) in try await records.store.contactRequests() }
        guard let known else { return }
        let isKnown = known.contains { $0.peerID == peerID }
        guard requesters.admit(peerID, from: info.remoteNetwork, isKnown: isKnown, now: now()) else { return }
        let name = ContactNames.cleaned(hello.name, fallback: "somebody")
        let time = now()
        let recorded = await records.quietly { () async throws(StoreError) in
            try await records.store.recordContactRequest(
                peerID: peerID, name: name, address: address, origin: info.remoteAddress, at: time,
                limit: limits.storedContactRequests)
        }
        // A caller who tries again and again is no news.
        if recorded != nil, !isKnown { await publish() }
    }

    /// Our user has refused whoever has this key: what they ask for does not come back for a day.
    func refuse(_ peerID: PeerID) { requesters.refuse(peerID, now: now()) }

    /// Our user has refused a request.
    func reject(_ request: ContactRequest) async throws(ChatError) {
        // First, for a call that comes in the meantime.
        refuse(request.peerID)
        do throws(ChatError) {
            try await records.stored { () async throws(StoreError) in
                try await records.store.removeContactRequest(request.id)
            }
        } catch {
            requesters.takeBackRefusal(of: request.peerID)
            throw error
        }
        await publish()
    }

    /// The owner of this key is a contact now: their request has its answer. `false` when there was none.
    func drop(of peerID: PeerID) async -> Bool {
        let removed = await records.quietly { () async throws(StoreError) in
            let requests = try await records.store.contactRequests().filter { $0.peerID == peerID }
            for request in requests { try await records.store.removeContactRequest(request.id) }
            return requests.count
        }
        return removed ?? 0 > 0
    }

    func publish() async {
        let requests = await records.quietly { () async throws(StoreError) in
            try await records.store.contactRequests()
        }
        if let requests { records.hub.publish(.requestsChanged(requests)) }
    }
}
