// What becomes of old messages: deleted by users and by age, for good; copied while the chat goes on.

extension ChatClient {
    package func deleteMessages(_ keys: [MessageKey], of contact: ContactID) async throws(ChatError) -> Int {
        guard links[contact] != nil else { throw .noSuchContact }
        for key in keys {
            let message = try await stored { () async throws(StoreError) in
                try await store.message(key.id, of: contact, key.direction)
            }
            if case .file(let transfer)? = message?.content { try await giveUp(transfer) }
        }
        let count = try await stored { () async throws(StoreError) in
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
        let count = try await stored { () async throws(StoreError) in
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
        await countQueue(of: contact)
        hub.publish(.messagesDeleted(contact))
        hub.publish(.conversationsChanged)
        await purge()
    }

    private func countQueue(of contact: ContactID) async {
        let conversations = await quietly { () async throws(StoreError) in try await store.conversations() }
        if let now = conversations?.first(where: { $0.peer.id == contact }) {
            links[contact]?.queuedCount = now.queuedCount
        }
    }

    /// A reader that holds it up is gone the next time: the wish is in the store.
    func purge() async {
        do throws(StoreError) {
            try await store.purge()
        } catch {
            if error != .locked { hub.publish(.notice(.storeFailed(error))) }
        }
    }

    // MARK: Retention

    /// What the configuration says of how long messages are kept.
    package var retentionRules: RetentionRules { configuration.retention }

    package func retention(of contact: ContactID) async throws(ChatError) -> Retention? {
        guard links[contact] != nil else { throw .noSuchContact }
        return try await stored { () async throws(StoreError) in try await store.retention(of: contact) }
    }

    package func setRetention(_ retention: Retention?, of contact: ContactID) async throws(ChatError) {
        guard links[contact] != nil else { throw .noSuchContact }
        try await stored { () async throws(StoreError) in try await store.setRetention(retention, of: contact) }
        await deleteExpired()
    }

    /// From the start on: finishes what a deletion has left, then looks for old messages every few hours.
    func keepHouse() {
        spawn { client in
            while client.phase == .running {
                await client.purge()
                await client.deleteExpired()
                do { try await Task.sleep(for: client.configuration.limits.retentionInterval) } catch { return }
            }
        }
    }

    func deleteExpired() async {
        let rules = configuration.retention
        var changed: Set<ContactID> = []
        guard await believesClock() else { return }
        while phase == .running {
            let now = now()
            if configuration.deletesFiles { await removeExpiredFiles(rules, now: now) }
            let step = await quietly { () async throws(StoreError) in
                try await store.deleteExpired(rules, now: now)
            }
            guard let step, !step.isEmpty else { break }
            changed.formUnion(step)
        }
        guard !changed.isEmpty else { return }
        for contact in changed { hub.publish(.messagesDeleted(contact)) }
        hub.publish(.conversationsChanged)
        await purge()
    }

    /// A clock that has gone far ahead since the last look is not believed before it still says so later.
    private func believesClock() async -> Bool {
        let text = await quietly { () async throws(StoreError) in try await store.setting(RetentionClock.key) }
        guard let text else { return false }
        let before = RetentionClock(text)
        var clock = before
        let isBelieved = clock.believes(now())
        if clock != before {
            let new = clock.text
            _ = await quietly { () async throws(StoreError) in
                try await store.setSetting(RetentionClock.key, to: new)
            }
        }
        return isBelieved
    }

    /// Deletes the received files whose messages are about to be deleted; a file that is not as it came stays.
    private func removeExpiredFiles(_ rules: RetentionRules, now: Timestamp) async {
        let files = await quietly { () async throws(StoreError) in try await store.expiredFiles(rules, now: now) }
        for file in files ?? [] {
            guard let path = file.path else { continue }
            await DiskLane.of(path).clear { FileRemoval.remove(path, ofSize: file.size) }
        }
    }

    // MARK: Copies

    package func backUp(to path: String) async throws(ChatError) {
        try await stored { () async throws(StoreError) in try await store.backUp(to: path) }
    }
}
