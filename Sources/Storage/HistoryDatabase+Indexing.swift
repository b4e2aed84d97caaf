// Brings the search indexes up to date, some moments behind the messages.

internal import ChatCore
internal import Synchronization

extension HistoryDatabase {
    /// How long new messages may wait to be indexed together.
    private static let indexingDelay = Duration.milliseconds(200)

    /// Indexes new messages in a moment. An error is met again, and told, by whoever searches or writes next.
    func indexSoon() {
        guard willIndex.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged else { return }
        Task { [self] in
            try? await Task.sleep(for: Self.indexingDelay)
            willIndex.store(false, ordering: .relaxed)
            try? await index()
        }
    }

    /// Indexes everything that waits, in transactions of some hundred messages.
    func index() async throws(StoreError) {
        let isBehind = try await writer.perform { connection throws(StoreError) in
            try SearchIndex.isBehind(in: connection)
        }
        guard isBehind else { return }
        while true {
            let count = try await writer.write { connection throws(StoreError) in
                try SearchIndex.catchUp(in: connection)
            }
            if count == 0 { return }
        }
    }
}
