// Deleting what is too old, for good.

/// The errands of retention.
struct Housekeeping {
    let records: Records
    let now: @Sendable () -> Timestamp

    /// Takes deleted rows out of the file. A reader that holds it up is gone the next time: the wish is in the store.
    func purge() async {
        do throws(StoreError) {
            try await records.store.purge()
        } catch {
            if error != .locked { records.hub.publish(.notice(.storeFailed(error))) }
        }
    }

    /// Deletes the messages that the rules do not keep any longer, step by step `while` the chat runs, and the received files
    /// with them where `deletesFiles` says so.
    func deleteExpired(_ rules: RetentionRules, deletesFiles: () -> Bool, while isRunning: () -> Bool) async {
        var changed: Set<ContactID> = []
        guard await believesClock() else { return }
        while isRunning() {
            let now = now()
            if deletesFiles() { await removeExpiredFiles(rules, now: now) }
            let step = await records.quietly { () async throws(StoreError) in
                try await records.store.deleteExpired(rules, now: now)
            }
            guard let step, !step.isEmpty else { break }
            changed.formUnion(step)
        }
        guard !changed.isEmpty else { return }
        for contact in changed { records.hub.publish(.messagesDeleted(contact)) }
        records.hub.publish(.conversationsChanged)
        await purge()
    }

    /// A clock that has gone far ahead since the last look is not believed before it still says so later.
    private func believesClock() async -> Bool {
        let text = await records.quietly { () async throws(StoreError) in
            try await records.store.setting(RetentionClock.key)
        }
        guard let text else { return false }
        let before = RetentionClock(text)
        var clock = before
        let isBelieved = clock.believes(now())
        if clock != before {
            let new = clock.text
            _ = await records.quietly { () async throws(StoreError) in
                try await records.store.setSetting(RetentionClock.key, to: new)
            }
        }
        return isBelieved
    }

    /// Deletes the received files whose messages are about to be deleted; a file that is not as it came stays.
    private func removeExpiredFiles(_ rules: RetentionRules, now: Timestamp) async {
        let files = await records.quietly { () async throws(StoreError) in
            try await records.store.expiredFiles(rules, now: now)
        }
        for file in files ?? [] {
            guard let path = file.path else { continue }
            await DiskLane.of(path).clear { FileRemoval.remove(path, ofSize: file.size) }
        }
    }
}
