// What becomes of old messages: deleted by users and by age, for good.

/// The errands of deleting.
struct Keeping {
    let core: ClientCore
    let book: TransferBook
    let decisions: TransferDecisions

    var housekeeping: Housekeeping { Housekeeping(records: core.records, now: core.now) }

    func deleteMessages(_ keys: [MessageKey], of contact: ContactID) async throws(ChatError) -> Int {
        _ = try core.session(with: contact)
        for key in keys {
            let message = try await core.records.stored { () async throws(StoreError) in
                try await core.store.message(key.id, of: contact, key.direction)
            }
            if case .file(let transfer)? = message?.content { try await giveUp(transfer) }
        }
        let count = try await core.records.stored { () async throws(StoreError) in
            try await core.store.deleteMessages(keys, of: contact)
        }
        if count > 0 { await forgot(contact) }
        return count
    }

    func deleteMessages(
        of contact: ContactID, storedBefore time: Timestamp?
    ) async throws(ChatError) -> Int {
        _ = try core.session(with: contact)
        try await book.forEachUnfinished(with: contact) { transfer throws(ChatError) in
            if time.map({ transfer.offered < $0 }) ?? true { try await giveUp(transfer) }
            return true
        }
        let count = try await core.records.stored { () async throws(StoreError) in
            try await core.store.deleteMessages(of: contact, storedBefore: time)
        }
        if count > 0 { await forgot(contact) }
        return count
    }

    /// Tells the peer and removes the partial file before the row that knows of them goes.
    private func giveUp(_ transfer: FileTransfer) async throws(ChatError) {
        guard let now = try? await book.transfer(number: transfer.number), !now.state.isFinal else { return }
        try await decisions.cancelTransfer(now.number)
    }

    /// Rows of a conversation are deleted: tells of it, and takes them out of the file for good.
    private func forgot(_ contact: ContactID) async {
        let conversations = await core.records.quietly { () async throws(StoreError) in
            try await core.store.conversations()
        }
        if let now = conversations?.first(where: { $0.peer.id == contact }) {
            core.links[contact]?.queuedCount = now.queuedCount
        }
        core.hub.publish(.messagesDeleted(contact))
        core.hub.publish(.conversationsChanged)
        await housekeeping.purge()
    }

    func setRetention(_ retention: Retention?, of contact: ContactID) async throws(ChatError) {
        _ = try core.session(with: contact)
        try await core.records.stored { () async throws(StoreError) in
            try await core.store.setRetention(retention, of: contact)
        }
        await deleteExpired()
    }

    /// From the start on: finishes what a deletion has left, then looks for old messages every few hours.
    func keepHouse() {
        core.tasks.spawn { client in
            while client.core.isRunning {
                await client.keeping.housekeeping.purge()
                await client.keeping.deleteExpired()
                do { try await Task.sleep(for: client.core.configuration.limits.retentionInterval) } catch { return }
            }
        }
    }

    func deleteExpired() async {
        await housekeeping.deleteExpired(
            core.configuration.retention, deletesFiles: { core.configuration.deletesFiles }, while: { core.isRunning })
    }
}
