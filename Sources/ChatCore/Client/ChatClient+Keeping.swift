// What becomes of old messages: deleted by users and by age, for good; copied while the chat goes on.

extension ChatClient {
    package func deleteMessages(_ keys: [MessageKey], of contact: ContactID) async throws(ChatError) -> Int {
        guard links[contact] != nil else { throw .noSuchContact }
        for key in keys {
            let message = try await records.stored { () async throws(StoreError) in
                try await store.message(key.id, of: contact, key.direction)
            }
            if case .file(let transfer)? = message?.content { try await giveUp(transfer) }
        }
        let count = try await records.stored { () async throws(StoreError) in
            try await store.deleteMessages(keys, of: contact)
        }
        if count > 0 { await forgot(contact) }
        return count
    }

    package func deleteMessages(
        of contact: ContactID, storedBefore time: Timestamp?
    ) async throws(ChatError) -> Int {
        guard links[contact] != nil else { throw .noSuchContact }
        try await forEachUnfinished(with: contact) { transfer throws(ChatError) in
            if time.map({ transfer.offered < $0 }) ?? true { try await giveUp(transfer) }
            return true
        }
        let count = try await records.stored { () async throws(StoreError) in
            try await store.deleteMessages(of: contact, storedBefore: time)
        }
        if count > 0 { await forgot(contact) }
        return count
    }

    /// The store was added to from outside (an import): contacts that are new begin their sessions, and front ends are told
    /// to read everything anew.
    package func readStoreAnew() async throws(ChatError) {
        for conversation in try await conversations() {
            let contact = conversation.peer.id
            if links[contact] == nil {
                links.know(conversation.peer, queuedCount: conversation.queuedCount)
                dial(contact)
            }
            hub.publish(.historyReplaced(contact))
        }
        hub.publish(.conversationsChanged)
    }

    /// Its peer is told, and its partial file goes, before the row that knows of them does.
    private func giveUp(_ transfer: FileTransfer) async throws(ChatError) {
        guard let now = try? await self.transfer(number: transfer.number), !now.state.isFinal else { return }
        try await cancelTransfer(now.number)
    }

    /// Rows of a conversation are deleted: tells of it, and takes them out of the file for good.
    private func forgot(_ contact: ContactID) async {
        let conversations = await records.quietly { () async throws(StoreError) in try await store.conversations() }
        if let now = conversations?.first(where: { $0.peer.id == contact }) {
            links[contact]?.queuedCount = now.queuedCount
        }
        hub.publish(.messagesDeleted(contact))
        hub.publish(.conversationsChanged)
        await housekeeping.purge()
    }

    // MARK: Retention

    /// What the configuration says of how long messages are kept.
    package var retentionRules: RetentionRules { configuration.retention }

    package func retention(of contact: ContactID) async throws(ChatError) -> Retention? {
        guard links[contact] != nil else { throw .noSuchContact }
        return try await records.stored { () async throws(StoreError) in try await store.retention(of: contact) }
    }

    package func setRetention(_ retention: Retention?, of contact: ContactID) async throws(ChatError) {
        guard links[contact] != nil else { throw .noSuchContact }
        try await records.stored { () async throws(StoreError) in try await store.setRetention(retention, of: contact) }
        await deleteExpired()
    }

    /// From the start on: finishes what a deletion has left, then looks for old messages every few hours.
    func keepHouse() {
        spawn { client in
            while client.phase == .running {
                await client.housekeeping.purge()
                await client.deleteExpired()
                do { try await Task.sleep(for: client.configuration.limits.retentionInterval) } catch { return }
            }
        }
    }

    func deleteExpired() async {
        await housekeeping.deleteExpired(
            configuration.retention, deletesFiles: { configuration.deletesFiles }, while: { phase == .running })
    }

    var housekeeping: Housekeeping { Housekeeping(records: records, now: now) }

    // MARK: Copies

    package func backUp(to path: String) async throws(ChatError) {
        try await records.stored { () async throws(StoreError) in try await store.backUp(to: path) }
    }
}
