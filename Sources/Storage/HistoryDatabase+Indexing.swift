// Brings the search indexes up to date, some moments behind the messages.

internal import ChatCore
internal import Synchronization

extension HistoryDatabase {
    /// Messages are indexed together once none has come for so long...
    private static let quietTime = Duration.milliseconds(200)
    /// ... or when some have waited for so many quiet times, which searches would notice.
    private static let longestWait = 25

    /// Indexes new messages in the next quiet moment: it would hold up those that are still coming. An error is met
    /// again, and told, by whoever searches or writes next.
    func indexSoon() {
        arrivals.wrappingAdd(1, ordering: .relaxed)
        guard willIndex.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged else { return }
        Task { [self] in
            for _ in 0..<Self.longestWait {
                let before = arrivals.load(ordering: .relaxed)
                try? await Task.sleep(for: Self.quietTime)
                if arrivals.load(ordering: .relaxed) == before { break }
            }
            willIndex.store(false, ordering: .relaxed)
            try? await index()
        }
    }

    /// Whether messages wait to be brought into the search indexes.
    public var isIndexing: Bool {
        get async throws(StoreError) {
            try await writer.perform { connection throws(StoreError) in try SearchIndex.isBehind(in: connection) }
        }
    }

    /// Indexes everything that waits, in transactions of some hundred messages.
    func index() async throws(StoreError) {
        guard try await isIndexing else { return }
        while true {
            let count = try await writer.write { connection throws(StoreError) in
                try SearchIndex.catchUp(in: connection)
            }
            if count == 0 { return }
        }
    }
}
