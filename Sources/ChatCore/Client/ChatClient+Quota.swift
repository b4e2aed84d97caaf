// Before a contact's message is stored: whether the disk has room for it, and whether they have had their share.

extension ChatClient {
    /// Why a message is not stored now; `nil`: it is. What is stored already may be said again at any time.
    func refusal(of message: IncomingMessage) async -> StorageQuota.Refusal? {
        let bytes = message.content.textBytes
        if diskWatch.isDue(before: bytes, now: clock.now()) {
            diskWatch.saw(await store.space(), now: clock.now())
        }
        let refusal = storageQuota.admit(
            bytes, from: message.contact, disk: diskWatch.space, limits: configuration.limits, now: now())
        guard let refusal else { return nil }
        let known = await quietly { () async throws(StoreError) in
            try await store.message(message.id, of: message.contact, .incoming)
        }
        guard known ?? nil == nil else { return nil }
        if storageQuota.isNews(for: message.contact, now: now()) {
            let limit = refusal == .tooMuchToday ? configuration.limits.storedBytesPerDay : nil
            hub.publish(.notice(.contactStoresTooMuch(message.contact, perDay: limit)))
        }
        return refusal
    }
}

extension IncomingMessage.Content {
    /// Bytes of text that are stored.
    fileprivate var textBytes: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .file(let name, _, _, _, let caption, _): name.utf8.count + caption.utf8.count
        case .operation(.edit(let text), _): text.utf8.count
        case .operation: 0
        }
    }
}
